"""Read prompts, and take one step of all running rows with right-aligned caches."""

from __future__ import annotations

import inspect
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from epicene.models.hf.attention import attention_function, grouped_heads, has_grouped_heads
from epicene.models.hf.batching import pad_right
from epicene.models.hf.generation import kv_cache
from epicene.models.hf.generation.decoding import pad_prompts
from epicene.models.hf.non_finite import NumberFormat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.models.hf.generation.kv_cache import CacheRows
    from epicene.models.hf.loading import LoadedModel

# Columns by which a cache is widened: a copy per this many tokens costs next to nothing.
_SPARE_COLUMNS = 64
# Rows that are finished are dropped when they are this part of all: a drop copies the cache.
_DROP_SHARE = 1 / 8


@dataclass
class CachedBatch:
    """The cache of running rows, right-aligned."""

    cache: Any
    width: int
    padding: Any  # a tensor: how many columns of padding each row has on the left


class Stepper:
    """Runs one model. Call it within `torch.inference_mode`."""

    # How many steps are begun before the tokens of an earlier one are looked at.
    lag = 0
    # A window up to here is tried out, in a cache that is wider than it; past that the cache would
    # be too large to be tried with.
    max_tested_window = 4096

    def __init__(self, loaded: LoadedModel) -> None:
        self._loaded, self._model = loaded, loaded.model
        self.device = loaded.device
        self.number_format = NumberFormat.of(loaded)
        known = inspect.signature(loaded.model.forward).parameters
        self._positions = "position_ids" in known
        self._keeps = "logits_to_keep" in known
        self._groups = has_grouped_heads(loaded.model)
        self._fused = loaded.fused

    def read(self, prompts: Sequence[Sequence[int]]) -> tuple[Any, Any]:
        """Read prompts; their cache as the library fills it, and the next logits of each."""
        inputs = pad_prompts(self._loaded, prompts)
        cache = kv_cache.new_cache(self._model)
        depth = inputs["attention_mask"].cumsum(-1) - 1
        return cache, self._run(cache, depth.clamp(min=0), **inputs)

    def plain_logits(self, rows: Sequence[Sequence[int]]) -> Any:
        """The logits of whole rows, padded on the right, without a cache."""
        import torch

        ids, mask = (torch.from_numpy(each).to(self.device) for each in pad_right(rows))
        with self._fused.active:
            return self._model(input_ids=ids, attention_mask=mask, use_cache=False).logits

    def rows(
        self,
        pieces: Sequence[CacheRows],
        lengths: Sequence[int],
        rooms: Sequence[int],
        width: int = 0,
    ) -> Any:
        """Pieces as running rows, with the tokens each has read and may still read.

        They are as wide as the longest, or `width` where that is more.
        """
        import torch

        width = max(width, *lengths)
        cache = kv_cache.join_cache_rows(pieces, width, min(max(rooms), _SPARE_COLUMNS))
        padding = torch.tensor([width - length for length in lengths], device=self._loaded.device)
        return CachedBatch(cache, width, padding)

    def step(self, rows: Any, tokens: Any) -> Any:
        """Read one token per row; the next logits of each, valid until the next step."""
        import torch

        rows.width += 1
        columns = torch.arange(rows.width, device=self._loaded.device)
        mask = (columns >= rows.padding[:, None]).long()
        depth = (rows.width - 1 - rows.padding)[:, None]
        with attention_function(self._model, grouped_heads()) if self._groups else nullcontext():
            return self._run(rows.cache, depth, input_ids=tokens[:, None], attention_mask=mask)

    def should_drop(self, rows: Any, running: int, count: int, max_length: int | None) -> bool:
        """Whether the finished ones of `count` rows are many, or the rows cannot get wider."""
        full = max_length is not None and rows.width >= max_length
        return full or count - running >= _DROP_SHARE * count

    def release(self) -> None:
        """Free what is held between steps, after memory ran out."""

    def rest(self) -> None:
        """Free what others may need, when all texts are done."""

    def _run(self, cache: Any, depth: Any, **inputs: Any) -> Any:
        """The logits of the last column."""
        if self._positions:
            inputs["position_ids"] = depth
        if self._keeps and depth.shape[1] > 1:
            # All logits would be as large as the vocabulary times the tokens. Chosen by a tensor,
            # the last states are copied: the head takes ten times as long for a view of them.
            inputs["logits_to_keep"] = depth.new_full((1,), depth.shape[1] - 1)
        with self._fused.active:
            out = self._model(past_key_values=cache, use_cache=True, **inputs)
        return out.logits[:, -1]
