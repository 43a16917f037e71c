"""Run a model's layers with fewer kernels, on a GPU in half precision.

The library computes a norm, a rotary embedding or a gated layer in three to ten steps, each of
which reads and writes all states. Here they are one kernel each, put in for the time of a pass.
Which modules can be replaced is tried on the modules themselves: one whose output differs by more
than the number format explains stays as it is, and so does a model whose predictions differ.

cuDNN's attention is off meanwhile: it makes a plan for every new shape, which takes as long as
scoring a hundred texts, and nearly every batch has a shape of its own.
"""

from __future__ import annotations

import importlib.util
import sys
import threading
from contextlib import contextmanager, nullcontext
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.models.hf.batching import is_out_of_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from types import ModuleType

# How far a replaced module's output may be off, as a share of its largest number: three roundings
# of bfloat16, which has eight bits.
_TOLERANCE = 3 / 256
_PROBE_TOKENS = 4
# How far predictions may be off, in nats, in the mean over the vocabulary. A single number that is
# rounded otherwise moves all later ones: by 0.02 in 16 layers of random weights in bfloat16.
_MAX_DISTANCE = 0.1
_SMALLEST_HEAD = 16
# What is replaced is the process's: one thread at a time.
_LOCK = threading.RLock()


@cache
def triton_kernels() -> ModuleType | None:
    """The kernels, if Triton is installed and there is a GPU that it knows."""
    import torch

    known = torch.cuda.is_available() and torch.version.cuda is not None
    if not known or importlib.util.find_spec("triton") is None:
        return None
    try:
        from epicene.models.hf import kernels

        # It needs a C compiler and a GPU that it knows.
        kernels.logsumexp(torch.zeros(1, 16, device="cuda"))
    except Exception:
        return None
    return kernels


def is_current(device: Any) -> bool:
    """Whether this is the GPU on which kernels, events and graphs are made."""
    import torch

    return device.type == "cuda" and device.index in (None, torch.cuda.current_device())


def kernels_for(tensor: Any) -> ModuleType | None:
    """The kernels, if they can be used on this tensor."""
    return triton_kernels() if is_current(tensor.device) else None


def can_fuse(device: Any, dtype: Any) -> bool:
    """Whether layers of this number format are replaced there; float32 stays to the last digit."""
    import torch

    half = dtype in (torch.bfloat16, torch.float16)
    return bool(half and is_current(device) and triton_kernels())


def can_attend(query: Any, key: Any, value: Any) -> bool:
    """Whether the kernels for attention take these queries, keys and values."""
    size = query.shape[-1]
    return (
        can_fuse(query.device, query.dtype)
        and key.shape == value.shape
        and key.shape[-1] == size >= _SMALLEST_HEAD
        and size & (size - 1) == 0
    )


class FusedLayers:
    """The replacements for one model; none where they cannot be used."""

    def __init__(self, model: Any, device: Any) -> None:
        self._model = model
        self._on_gpu = device.type == "cuda"
        self._replaced: list[_Replacement] | None = None
        devices = set((getattr(model, "hf_device_map", None) or {}).values())
        if len(devices) > 1 or not can_fuse(device, model.dtype):
            self._replaced = []

    @property
    def active(self) -> AbstractContextManager[None]:
        """A block in which the model runs with the replacements."""
        if not self._on_gpu:
            return nullcontext()
        if self._replaced is None:
            found = list(_replacements(self._model))
            self._replaced = found if found and _predict_alike(self._model, found) else []
        return _put_in(self._replaced)


class _Replacement(NamedTuple):
    """A name in a namespace (of a module of the model, or of Python), and what it stands for."""

    namespace: dict[str, Any]
    name: str
    value: Any


@contextmanager
def _put_in(replacements: list[_Replacement]) -> Iterator[None]:
    from torch.backends.cuda import cudnn_sdp_enabled, enable_cudnn_sdp

    with _LOCK:
        own = [namespace.get(name) for namespace, name, _ in replacements]
        plans = cudnn_sdp_enabled()
        enable_cudnn_sdp(False)
        for namespace, name, value in replacements:
            namespace[name] = value
        try:
            yield
        finally:
            enable_cudnn_sdp(plans)
            for (namespace, name, _), value in zip(replacements, own, strict=True):
                if value is None:
                    del namespace[name]
                else:
                    namespace[name] = value


def _replacements(model: Any) -> Iterator[_Replacement]:
    """All replacements that give what the model gives."""
    import torch

    with torch.inference_mode():
        tried: dict[tuple[type, bool], Callable[[Any], Callable[..., Any]] | None] = {}
        for module in model.modules():
            if "forward" in module.__dict__:  # somebody has replaced it already
                continue
            # Some families have norms with weights and without in one class.
            kind = type(module), getattr(module, "weight", None) is not None
            if kind not in tried:
                tried[kind] = _replaced_forward(module, model.device, model.dtype)
            if (made := tried[kind]) is not None:
                yield _Replacement(module.__dict__, "forward", made(module))
        names = {kind.__module__ for kind, _ in tried}
        for namespace in (vars(sys.modules[name]) for name in names if name in sys.modules):
            rotate = namespace.get("apply_rotary_pos_emb")
            if rotate is not None and _rotates_alike(rotate, model.device, model.dtype):
                yield _Replacement(namespace, "apply_rotary_pos_emb", partial(_rotate_both, rotate))


def _predict_alike(model: Any, replacements: list[_Replacement]) -> bool:
    """Whether the whole model predicts with them what it predicts without."""
    import torch

    tokens = torch.arange(2 * _PROBE_TOKENS, device=model.device)[None]
    try:
        with torch.inference_mode():
            plain, replaced = (
                _run_probe(model, tokens, some).float().log_softmax(-1)
                for some in ([], replacements)
            )
    except Exception as error:  # whatever a family stumbles over
        if is_out_of_memory(error):
            raise
        return False
    distance = (plain - replaced)[plain.isfinite()].abs().mean()
    return bool(distance <= _MAX_DISTANCE)


def _run_probe(model: Any, tokens: Any, replacements: list[_Replacement]) -> Any:
    with _put_in(replacements):
        return model(input_ids=tokens, use_cache=False).logits


def _replaced_forward(
    module: Any, device: Any, dtype: Any
) -> Callable[[Any], Callable[..., Any]] | None:
    """What makes the forward function of modules of this kind, if there is a faster one."""
    import torch

    makers: tuple[Callable[[Any], Callable[..., Any]], ...]
    if type(module).__name__.endswith("RMSNorm"):
        weight = getattr(module, "weight", None)
        if weight is None or weight.dtype != dtype or weight.dim() != 1:
            return None
        makers, size = (_norm, partial(_norm, from_one=True)), len(weight)
    elif all(hasattr(module, name) for name in ("gate_proj", "up_proj", "down_proj", "act_fn")):
        makers, size = (_gated,), getattr(module.gate_proj, "in_features", 0)
    else:
        return None
    draw = torch.Generator(device).manual_seed(0)
    states = torch.randn(1, _PROBE_TOKENS, size, dtype=dtype, device=device, generator=draw)
    for make in makers:
        try:
            if _alike(module(states), make(module)(states)):
                return make
        except Exception:  # noqa: S112 - whatever a family stumbles over
            continue
    return None


def _alike(some: Any, other: Any) -> bool:
    """Whether two outputs are equal except for rounding."""
    if some.shape != other.shape or some.dtype != other.dtype:
        return False
    distance = (some.float() - other.float()).abs().max()
    return bool(distance <= _TOLERANCE * some.float().abs().max())


def _norm(module: Any, *, from_one: bool = False) -> Callable[..., Any]:
    """The norm by the root mean square; some families count their weights from 1."""
    from epicene.models.hf import kernels

    epsilon = getattr(module, "variance_epsilon", None) or module.eps

    def forward(states: Any) -> Any:
        return kernels.norm(states.contiguous(), module.weight, epsilon, from_one=from_one)

    return forward


def _gated(module: Any) -> Callable[..., Any]:
    """A layer gated by SiLU."""
    from epicene.models.hf import kernels

    if "silu" not in type(module.act_fn).__name__.lower():
        raise TypeError(type(module.act_fn).__name__)

    def forward(states: Any) -> Any:
        return module.down_proj(
            kernels.silu_product(module.gate_proj(states), module.up_proj(states))
        )

    return forward


def _rotate_both(
    own: Callable[..., Any], query: Any, key: Any, cos: Any, sin: Any, *args: Any, **others: Any
) -> tuple[Any, Any]:
    """Rotary embeddings of queries and keys; the model's own function for unusual ones."""
    import torch

    size, kernels = query.shape[-1], kernels_for(query)
    plain = not args and not others and not torch.is_grad_enabled()
    usual = plain and cos.shape[-1] == size and cos.dim() == 3 and not size & (size - 1)
    dense = all(each.stride(-1) == 1 for each in (query, key, cos, sin))
    if kernels is None or not usual or not dense or cos.stride() != sin.stride():
        done: tuple[Any, Any] = own(query, key, cos, sin, *args, **others)
        return done
    return kernels.rotate(query, cos, sin), kernels.rotate(key, cos, sin)


def _rotates_alike(own: Callable[..., Any], device: Any, dtype: Any) -> bool:
    """Whether a family's function turns states as the kernel does."""
    import torch

    draw = torch.Generator(device).manual_seed(0)

    # Queries and keys are parts of one product, as in families with one matrix for both.
    shape = 2, _PROBE_TOKENS, 5, 64
    drawn = torch.randn(shape, dtype=dtype, device=device, generator=draw).transpose(1, 2)
    query, key, turns = drawn[:, :3], drawn[:, 3:4], drawn[:, 4].contiguous().float()
    cos, sin = turns.cos().to(dtype), turns.sin().to(dtype)
    try:
        return all(map(_alike, own(query, key, cos, sin), _rotate_both(own, query, key, cos, sin)))
    except Exception:  # whatever a family stumbles over
        return False
