"""Let a model attend in packs of a prefix forest by a kernel, without a mask.

A mask has a number for each pair of nodes, and the library copies shared keys once per head and
once per pack. The kernel needs one number per node, skips what no query sees, and reads the keys
of a shared prefix where they are.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.models.hf.fused import can_attend
from epicene.models.hf.generation.stepper import attention_function, unsupported_arguments

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ATTENTION_NAME = "epicene_tree"


class _Packs(NamedTuple):
    """Where the nodes below each node end, and keys and values of the prefix, layer by layer."""

    ends: Any
    prefix: Sequence[tuple[Any, Any]] | None


_ACTIVE: ContextVar[_Packs] = ContextVar("packs")


@contextmanager
def attending_in_tree(
    model: Any, ends: Any, prefix: Sequence[tuple[Any, Any]] | None
) -> Iterator[None]:
    """Let the model attend in these packs inside this block."""
    token = _ACTIVE.set(_Packs(ends, prefix))
    try:
        with attention_function(model, _registered()):
            yield
    finally:
        _ACTIVE.reset(token)


@cache
def _registered() -> str:
    """The name of the attention; the library makes no mask for a name without one."""
    from transformers import AttentionInterface

    AttentionInterface.register(_ATTENTION_NAME, _attention_forward)
    return _ATTENTION_NAME


def _attention_forward(
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    attention_mask: Any,
    dropout: float = 0.0,  # noqa: ARG001 - as the library calls it
    scaling: float | None = None,
    **others: Any,
) -> tuple[Any, None]:
    """Attention in the active packs."""
    from epicene.models.hf.kernels import attend_tree

    odd = [*unsupported_arguments(others), *(["a mask"] if attention_mask is not None else [])]
    if odd or not can_attend(query, key) or key.stride() != value.stride():
        raise NotImplementedError(f"attention with {', '.join(odd) or 'other sizes'}")
    packs = _ACTIVE.get()
    first = packs.prefix[module.layer_idx] if packs.prefix else None
    scale = scaling or query.shape[-1] ** -0.5
    return attend_tree(query, key, value, first, packs.ends, scale), None
