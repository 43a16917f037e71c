"""A causal model one step at a time: prompts read at once, then one token of every row."""

from __future__ import annotations

import inspect
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from epicene.models.hf import caches, grouped
from epicene.models.hf.decoding import padded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.models.hf.caches import Piece
    from epicene.models.hf.loading import Loaded

# Columns that are made room for at once; a copy of the cache every so many tokens is no cost.
_SPARE = 64


@dataclass
class Rows:
    """Rows that are being written: what they have read, flush right."""

    cache: Any
    width: int
    padding: Any  # a tensor: how many columns on the left of each row are no tokens


class Stepper:
    """Runs one model. Call it within `torch.inference_mode`."""

    def __init__(self, loaded: Loaded) -> None:
        self._loaded, self._model = loaded, loaded.model
        known = inspect.signature(loaded.model.forward).parameters
        self._positions = "position_ids" in known
        # The prompts' own logits would be as large as the vocabulary times their tokens.
        self._kept = {"logits_to_keep": 1} if "logits_to_keep" in known else {}
        self._groups = grouped.groups_heads(loaded.model)

    def read(self, prompts: Sequence[Sequence[int]]) -> tuple[Any, Any]:
        """Read prompts; their cache as the library fills it, and what comes next of each."""
        inputs = padded(self._loaded, prompts)
        cache = caches.fresh(self._model)
        depth = inputs["attention_mask"].cumsum(-1) - 1
        return cache, self._run(cache, depth.clamp(min=0), **inputs)

    def rows(
        self, pieces: Sequence[Piece], lengths: Sequence[int], room: int, width: int = 0
    ) -> Rows:
        """Pieces as rows to be written, of which each has read so many tokens.

        `room` is the most tokens that any of them may still read. They are as wide as the longest,
        or `width` where that is more.
        """
        import torch

        width = max(width, *lengths)
        cache = caches.assemble(pieces, width, min(room, _SPARE))
        padding = torch.tensor([width - length for length in lengths], device=self._loaded.device)
        return Rows(cache, width, padding)

    def step(self, rows: Rows, tokens: Any) -> Any:
        """Read one token a row; what comes next of each."""
        import torch

        rows.width += 1
        columns = torch.arange(rows.width, device=self._loaded.device)
        mask = (columns >= rows.padding[:, None]).long()
        depth = (rows.width - 1 - rows.padding)[:, None]
        with grouped.grouping(self._model) if self._groups else nullcontext():
            return self._run(rows.cache, depth, input_ids=tokens[:, None], attention_mask=mask)

    def _run(self, cache: Any, depth: Any, **inputs: Any) -> Any:
        """The logits of the last column, in float32."""
        if self._positions:
            inputs["position_ids"] = depth
        out = self._model(past_key_values=cache, use_cache=True, **inputs, **self._kept)
        return out.logits[:, -1].float()
