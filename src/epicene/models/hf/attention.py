"""Attention functions that are put in place of a model's own for the time of a pass.

Where several attention heads share their keys and values, the library copies these once per head
whenever there is padding: at every token the whole cache, several times over. `grouped_heads`
passes the heads of a group to the kernel as several queries. `attending` hands queries, keys and
values to a function that knows by itself what each token sees.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

_GROUPED_NAME = "epicene_grouped"
_OWN_NAME = "epicene"
# Further arguments of some models' attention, which are left to the library's own function.
_UNSUPPORTED_ARGUMENTS = ("position_bias", "softcap", "s_aux")


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
def grouped_heads() -> str:
    """The name of the grouped attention, which is registered with the library."""
    from transformers import AttentionInterface
    from transformers.masking_utils import AttentionMaskInterface, sdpa_mask

    AttentionInterface.register(_GROUPED_NAME, _grouped_forward)
    AttentionMaskInterface.register(_GROUPED_NAME, sdpa_mask)
    return _GROUPED_NAME


def _grouped_forward(
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
    if groups == 1 or query.shape[2] > 1 or _unsupported(others):
        done: tuple[Any, None] = sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout, scaling, **others
        )
        return done
    return grouped_sdpa(query, key, value, attention_mask, scaling), None


class Attend(Protocol):
    """Attention of a layer: (rows, heads, tokens, size) to (rows, tokens, heads, size)."""

    def __call__(self, layer: int, query: Any, key: Any, value: Any, scale: float) -> Any: ...


_ACTIVE: ContextVar[Attend] = ContextVar("attend")


@contextmanager
def attending(model: Any, attend: Attend) -> Iterator[None]:
    """Let the model attend by this function, and make no mask, inside this block."""
    token = _ACTIVE.set(attend)
    try:
        with attention_function(model, _registered()):
            yield
    finally:
        _ACTIVE.reset(token)


@cache
def _registered() -> str:
    """The name of the active function; the library makes no mask for a name without one."""
    from transformers import AttentionInterface

    AttentionInterface.register(_OWN_NAME, _active_forward)
    return _OWN_NAME


def _active_forward(
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    attention_mask: Any,
    dropout: float = 0.0,  # noqa: ARG001 - as the library calls it
    scaling: float | None = None,
    **others: Any,
) -> tuple[Any, None]:
    """Attention by the active function."""
    odd = [*_unsupported(others), *(["a mask"] if attention_mask is not None else [])]
    if odd:
        raise NotImplementedError(f"its attention has {', '.join(odd)}")
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    return _ACTIVE.get()(module.layer_idx, query, key, value, scale), None


def _unsupported(others: dict[str, Any]) -> list[str]:
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
