"""Pictures with questions as tensors that go together in one batch.

Only what has one shape is batched: nothing is padded, so an answer cannot depend on what else was
in the batch. Images of one size under one question have one shape, as a whole run of them has.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from epicene.models.hf.tokens import UnanswerableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.records import Look

# Tensors with a column per token, and what stands in it at a token of text.
_PER_TOKEN = {"attention_mask": 1, "token_type_ids": 0, "mm_token_type_ids": 0}


@dataclass(frozen=True, eq=False)
class View:
    """One request as the model reads it."""

    place: int
    request: Look
    prompt: str
    tensors: dict[str, Any]

    @cached_property
    def shape(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """What others must share to go into one batch."""
        return tuple((name, tuple(tensor.shape)) for name, tensor in sorted(self.tensors.items()))

    @property
    def ids(self) -> tuple[int, ...]:
        """The tokens, those that stand for the picture among them."""
        return tuple(self.tensors["input_ids"][0].tolist())

    def followed_by(self, ids: Sequence[int], dropped: int) -> View:
        """The same with its last tokens dropped and others after it."""
        import torch

        tensors = dict(self.tensors)
        end = len(self.ids) - dropped
        for name, filler in {"input_ids": 0, **_PER_TOKEN}.items():
            if name in tensors:
                more = list(ids) if name == "input_ids" else [filler] * len(ids)
                tail = torch.tensor([more], dtype=tensors[name].dtype)
                tensors[name] = torch.cat([tensors[name][:, :end], tail], dim=1)
        if "cross_attention_mask" in tensors:  # what follows may look where the last token did
            mask = tensors["cross_attention_mask"][:, :end]
            tensors["cross_attention_mask"] = torch.cat([mask, *[mask[:, -1:]] * len(ids)], dim=1)
        return View(self.place, self.request, self.prompt, tensors)


def view(processor: Any, picture: Any, prompt: str, place: int, request: Look) -> View:
    """Make tensors of a picture and a prompt."""
    opened = processor.tokenizer.bos_token and prompt.startswith(processor.tokenizer.bos_token)
    # A template that writes the beginning token itself must not get a second one.
    settings = {"add_special_tokens": False} if opened else {}
    try:
        made = processor(images=picture, text=prompt, return_tensors="pt", **settings)
    except (ValueError, RuntimeError, IndexError, TypeError) as error:
        raise UnanswerableError(f"the model's processor refused the picture: {error}") from error
    return View(place, request, prompt, dict(made))


def together(views: Sequence[View], device: Any, dtype: Any) -> dict[str, Any]:
    """Views of one shape as one batch, where the model is and in the numbers it computes with."""
    import torch

    batch = {}
    for name in views[0].tensors:
        tensor = torch.cat([view.tensors[name] for view in views])
        batch[name] = tensor.to(device, dtype if tensor.is_floating_point() else None)
    return batch
