"""Writing many texts at once, each by its own settings: as one padded batch.

The library's `generate` keeps the caches; which token comes next is settled here, row by row,
and handed to it as the only one possible. `continuous` is the faster way of those causal models
that can take it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from epicene.models.hf import sampling
from epicene.models.hf.memory import TooLargeError
from epicene.records import Answer, Failed, Text, Texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from epicene.models.hf.loading import Loaded
    from epicene.models.hf.sampling import Choosing


@dataclass(frozen=True)
class Draft:
    """One text to write: what it continues, and how."""

    place: int
    prompt: tuple[int, ...]
    room: int  # how many tokens it may have
    exact: bool
    stop: tuple[str, ...]
    choosing: Choosing

    @property
    def size(self) -> int:
        """The tokens it may come to hold."""
        return len(self.prompt) + self.room


@dataclass(frozen=True)
class Decoded:
    """The tokens written, the end token left out."""

    ids: tuple[int, ...]
    finish: Literal["stop", "length"]


def as_answer(
    written: Sequence[Text | TooLargeError], samples: int, temperature: float | None, system: str
) -> Answer:
    """The texts of one request; greedy samples are alike, so one may stand for all."""
    texts = []
    for text in written:
        if isinstance(text, TooLargeError):
            return Failed(reason=str(text))
        texts.append(text)
    return Texts(
        texts=tuple(texts) * (samples // len(texts)), temperature=temperature, system=system
    )


class Page:
    """One text as it grows.

    `ends` are the tokens that end it, `read` turns tokens into text, to look for stop strings.
    """

    def __init__(
        self, draft: Draft, ends: frozenset[int], read: Callable[[Sequence[int]], str]
    ) -> None:
        self.draft = draft
        self.ids: list[int] = []
        self.finish: Literal["stop", "length"] | None = None
        self._ends, self._read = ends, read

    def write(self, token: int) -> None:
        """Add a token, unless the text is finished."""
        if self.finish:
            return
        if token in self._ends:
            self.finish = "stop"
            return
        self.ids.append(token)
        if self.draft.stop and any(mark in self._read(self.ids) for mark in self.draft.stop):
            self.finish = "stop"
        elif len(self.ids) == self.draft.room:
            self.finish = "length"

    @property
    def decoded(self) -> Decoded:
        """What was written; a text that nothing ended has come to its length."""
        return Decoded(tuple(self.ids), self.finish or "length")


def decode(
    loaded: Loaded,
    drafts: Sequence[Draft],
    ends: frozenset[int],
    read: Callable[[Sequence[int]], str],
    inputs: Mapping[str, Any] | None = None,
    **settings: Any,
) -> list[Decoded]:
    """Write all drafts in one batch; `ends` and `read` are as of Page.

    `inputs` are what the model reads where it is more than the drafts' prompts. `settings` are
    further ones of the library's generation, the same for all drafts.
    """
    import torch
    from transformers import GenerationConfig

    pages = [Page(draft, ends, read) for draft in drafts]
    with torch.inference_mode():
        loaded.model.generate(
            **(inputs or padded(loaded, [draft.prompt for draft in drafts])),
            generation_config=GenerationConfig(
                max_new_tokens=max(draft.room for draft in drafts),
                do_sample=False,
                use_cache=True,
                **settings,
            ),
            logits_processor=[_Choose(pages, ends)],
            stopping_criteria=[_Done(pages)],
        )
    return [page.decoded for page in pages]


def padded(loaded: Loaded, prompts: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Prompts as one batch under a mask.

    What continues its prompt must stand at its end, so a decoder is padded on the left. An
    encoder counts positions from its first token, so it is padded on the right, by the token
    that some find the padding by.
    """
    import torch

    encodes = loaded.model.config.is_encoder_decoder
    filler = loaded.tokenizer.pad_token_id or 0 if encodes else 0
    width = max(map(len, prompts))
    ids = torch.full((len(prompts), width), filler, dtype=torch.long)
    mask = torch.zeros(len(prompts), width, dtype=torch.long)
    for line, prompt in enumerate(prompts):
        place = slice(0, len(prompt)) if encodes else slice(width - len(prompt), width)
        ids[line, place] = torch.tensor(prompt)
        mask[line, place] = 1
    return {"input_ids": ids.to(loaded.device), "attention_mask": mask.to(loaded.device)}


class _Choose:
    """A logits processor that leaves each row one token."""

    def __init__(self, pages: Sequence[Page], ends: frozenset[int]) -> None:
        self._pages = pages
        self._ends = sorted(ends)
        self._exact = [line for line, page in enumerate(pages) if page.draft.exact]
        self._step = 0

    def __call__(self, _: Any, scores: Any) -> Any:
        import torch

        sampling.bar(scores, self._exact, self._ends)
        chosen = sampling.choose(scores, [page.draft.choosing for page in self._pages], self._step)
        self._step += 1
        for page, token in zip(self._pages, chosen.tolist(), strict=True):
            page.write(token)
        return torch.full_like(scores, -math.inf).scatter_(1, chosen[:, None], 0.0)


class _Done:
    """A stopping criterion: which rows are finished."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self._pages = pages

    def __call__(self, input_ids: Any, *_: Any, **__: Any) -> Any:
        import torch

        return torch.tensor([bool(page.finish) for page in self._pages], device=input_ids.device)
