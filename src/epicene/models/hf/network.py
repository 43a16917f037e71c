"""A model as a body and a head, so that only what is wanted goes through the head.

The head's matrix is as large as the vocabulary, and most of what it makes of a pass nobody
reads. Where a head lies, and what is done to its output (scaled, soft-capped), differs by family,
so nothing here names one: the model's own `forward` runs on a body that hands out what the real
body had made before. That this changes nothing is proved on a short row; where it does, the
whole output is taken.
"""

from __future__ import annotations

import inspect
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, MutableMapping, Sequence

    from epicene.models.hf.loading import Loaded

# Bytes of float32 logits at a time: of the size of a cache on a CPU, a share of a GPU's memory.
_ON_CPU = 1 << 26
_SHARE_OF_GPU = 64


@dataclass(frozen=True)
class Cells:
    """Some positions of a pass; their logits are made when they are asked for."""

    count: int
    at_once: int  # how many cells' logits may be held together
    logits: Callable[[slice], Any]  # (cells, vocabulary)

    def parts(self) -> Iterator[tuple[slice, Any]]:
        """All logits, in parts that bound memory."""
        for start in range(0, self.count, self.at_once):
            part = slice(start, min(start + self.at_once, self.count))
            yield part, self.logits(part)


class Network:
    """Runs inputs through a model's body, and wanted positions through its head."""

    def __init__(self, loaded: Loaded, notes: MutableMapping[str, Any]) -> None:
        self.model = loaded.model
        self.device = loaded.device
        self.vocabulary: int = loaded.model.get_output_embeddings().weight.shape[0]
        self.takes = frozenset(inspect.signature(loaded.model.forward).parameters)
        self._notes = notes
        self.at_once = max(1, _room(loaded.device) // (4 * self.vocabulary))

    @property
    def has_head(self) -> bool:
        """Whether the head can be run apart from the body."""
        return self._body is not None

    def states(self, inputs: dict[str, Any], where: Any) -> Any:
        """One pass of the body; `where` numbers the wanted positions along the whole batch.

        Of a model whose head cannot be told apart these are the logits already.
        """
        import torch

        with torch.inference_mode():
            if self._body is None:
                return _taken(self.model(**inputs).logits, where)
            return _taken(self._body(**inputs).last_hidden_state, where)

    def logits(self, states: Any) -> Any:
        """What the head makes of states."""
        import torch

        if self._body is None:
            return states
        with torch.inference_mode():
            return self._head(self._body, states)

    def cells(self, states: Any) -> Cells:
        """Wanted positions of one or more passes."""
        return Cells(len(states), self.at_once, lambda part: self.logits(states[part]))

    @property
    def _no_cache(self) -> dict[str, bool]:
        return {"use_cache": False} if "use_cache" in self.takes else {}

    def send(self, values: Sequence[int] | Any, dtype: Any = None) -> Any:
        """Numbers as a tensor on the device, without waiting for it."""
        import torch

        tensor = torch.as_tensor(values, dtype=dtype)
        if self.device.type != "cuda":
            return tensor.to(self.device)
        return tensor.pin_memory().to(self.device, non_blocking=True)

    @cached_property
    def _body(self) -> Any:
        """The part before the head, or None where the two cannot be told apart."""
        import torch

        ids = torch.tensor([[0, 1, 2, 1]], device=self.device)
        inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids), **self._no_cache}
        slack = 1e-4 if self.model.dtype == torch.float32 else 5e-2
        with torch.inference_mode():
            whole = self.model(**inputs).logits[0, 2:].float()
            for body in (self.model.get_decoder(), self.model.base_model):
                try:
                    states = body(**inputs).last_hidden_state[0, 2:]
                    alone = self._head(body, states).float()
                except (AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError):
                    continue
                if body is not self.model and torch.allclose(alone, whole, rtol=slack, atol=slack):
                    self._notes["head"] = "wanted positions alone"
                    return body
        self._notes["head"] = "all positions"
        return None

    def _head(self, body: Any, states: Any) -> Any:
        import torch

        output = _Output(states[None])
        with _standing_in(body, output):
            ids = torch.zeros(1, 1, dtype=torch.long, device=self.device)
            logits = self.model(input_ids=ids, **self._no_cache).logits[0]
        if not output.read:
            raise AttributeError("the model does not run this body")
        return logits


def _room(device: Any) -> int:
    """Bytes that logits may take."""
    import torch

    if device.type != "cuda":
        return _ON_CPU
    return int(torch.cuda.get_device_properties(device).total_memory) // _SHARE_OF_GPU


class _Output:
    """What a body hands out: its last states, by name or as the first of a tuple."""

    def __init__(self, states: Any) -> None:
        self._states = states
        self.read = False

    @property
    def last_hidden_state(self) -> Any:
        self.read = True
        return self._states

    def __getitem__(self, index: int) -> Any:
        if index != 0:
            raise IndexError(index)
        return self.last_hidden_state

    def __getattr__(self, name: str) -> None:
        """Caches, attentions and whatever else a family hands on: there are none."""
        if name.startswith("__"):
            raise AttributeError(name)


@contextmanager
def _standing_in(body: Any, output: _Output) -> Iterator[None]:
    """Let a module return what is given instead of running."""
    own = body.__dict__.get("forward")
    body.forward = lambda *_, **__: output
    try:
        yield
    finally:
        if own is None:
            del body.forward
        else:
            body.forward = own


def _taken(values: Any, where: Any) -> Any:
    return values.flatten(0, 1)[where.to(values.device)]
