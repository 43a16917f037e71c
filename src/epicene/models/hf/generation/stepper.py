"""Read prompts, and take one step of all running rows with right-aligned caches.

Where several attention heads share their keys and values, the library copies these once per head
whenever there is padding: at every token the whole cache, several times over. Here the heads of a
group are passed to the kernel as several queries.
"""

from __future__ import annotations

import inspect
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from epicene.models.hf.batching import pad_right
from epicene.models.hf.fused import FusedLayers
from epicene.models.hf.generation import kv_cache
from epicene.models.hf.generation.decoding import pad_prompts
from epicene.models.hf.non_finite import NumberFormat

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.models.hf.generation.kv_cache import CacheRows
    from epicene.models.hf.loading import LoadedModel

_ATTENTION_NAME = "epicene_grouped"
# Further arguments of some models' attention, which are left to the library's own function.
_UNSUPPORTED_ARGUMENTS = ("position_bias", "softcap", "s_aux")
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
        self._fused = FusedLayers(loaded)

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
        with attention_function(self._model, _grouped()) if self._groups else nullcontext():
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


def has_grouped_heads(model: Any) -> bool:
    """Whether the model has heads that share keys, and a kernel that takes several queries."""
    config = model.config.get_text_config(decoder=True)
    shared = any(getattr(module, "num_key_value_groups", 1) > 1 for module in model.modules())
    return shared and config._attn_implementation == "sdpa"


@contextmanager
def attention_function(model: Any, name: str) -> Iterator[None]:
    """Use the attention function registered under this name inside this block."""
    config = model.config.get_text_config(decoder=True)
    own = config._attn_implementation
    config._attn_implementation = name
    try:
        yield
    finally:
        config._attn_implementation = own


@cache
def _grouped() -> str:
    """The name of the grouped attention, which is registered with the library."""
    from transformers import AttentionInterface
    from transformers.masking_utils import AttentionMaskInterface, sdpa_mask

    AttentionInterface.register(_ATTENTION_NAME, _attention_forward)
    AttentionMaskInterface.register(_ATTENTION_NAME, sdpa_mask)
    return _ATTENTION_NAME


def _attention_forward(
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    attention_mask: Any,
    dropout: float = 0.0,
    scaling: float | None = None,
    **others: Any,
) -> tuple[Any, None]:
    """Grouped attention for single tokens; the library's own function in all other cases."""
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    groups = getattr(module, "num_key_value_groups", 1)
    if groups == 1 or query.shape[2] > 1 or unsupported_arguments(others):
        done: tuple[Any, None] = sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout, scaling, **others
        )
        return done
    return grouped_sdpa(query, key, value, attention_mask, scaling), None


def unsupported_arguments(others: dict[str, Any]) -> list[str]:
    """Arguments of an attention function that change what it computes."""
    return [name for name in _UNSUPPORTED_ARGUMENTS if others.get(name) is not None]


def grouped_sdpa(query: Any, key: Any, value: Any, mask: Any, scaling: float | None) -> Any:
    """Attention of one token per row; heads that share keys are several queries of one head."""
    from torch.nn.functional import scaled_dot_product_attention

    rows, heads, _, size = query.shape
    groups = heads // key.shape[1]
    if mask is not None:
        mask = mask.expand(rows, 1, groups, -1)
    found = scaled_dot_product_attention(
        query.reshape(rows, heads // groups, groups, size),
        key,
        value,
        attn_mask=mask,
        scale=scaling,
    )
    return found.reshape(rows, 1, heads, value.shape[-1])
