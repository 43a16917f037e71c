"""Attention of one new token a row, where several heads share their keys and values.

The library's own copies keys and values once for each head whenever there is padding: at every
token the whole cache, several times over. The heads of a group are instead handed to the kernel
as so many queries.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = "epicene_grouped"
# What some models ask of attention besides; the library's own function says what it does of it.
_BESIDES = ("position_bias", "softcap", "s_aux")


def groups_heads(model: Any) -> bool:
    """Whether this is for the model: heads that share, and a kernel that takes several queries."""
    config = model.config.get_text_config(decoder=True)
    shared = any(getattr(module, "num_key_value_groups", 1) > 1 for module in model.modules())
    return shared and config._attn_implementation == "sdpa"


@contextmanager
def grouping(model: Any) -> Iterator[None]:
    """Let the model attend in that way for a while."""
    _register()
    config = model.config.get_text_config(decoder=True)
    own = config._attn_implementation
    config._attn_implementation = _NAME
    try:
        yield
    finally:
        config._attn_implementation = own


@cache
def _register() -> None:
    """Make the name known to the library."""
    from transformers import AttentionInterface
    from transformers.masking_utils import AttentionMaskInterface, sdpa_mask

    AttentionInterface.register(_NAME, _attend)
    AttentionMaskInterface.register(_NAME, sdpa_mask)


def _attend(
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    attention_mask: Any,
    dropout: float = 0.0,
    scaling: float | None = None,
    **others: Any,
) -> tuple[Any, None]:
    """As the library's own function of that signature, which does all but the one case."""
    from torch.nn.functional import scaled_dot_product_attention
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    groups = getattr(module, "num_key_value_groups", 1)
    rows, heads, count, size = query.shape
    besides = any(others.get(name) is not None for name in _BESIDES)
    if groups == 1 or count > 1 or besides:
        done: tuple[Any, None] = sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout, scaling, **others
        )
        return done
    if attention_mask is not None:
        attention_mask = attention_mask.expand(rows, 1, groups, -1)
    found = scaled_dot_product_attention(
        query.reshape(rows, heads // groups, groups, size),
        key,
        value,
        attn_mask=attention_mask,
        scale=scaling,
    )
    return found.reshape(rows, 1, heads, value.shape[-1]), None
