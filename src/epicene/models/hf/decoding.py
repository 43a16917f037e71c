"""Writing many texts at once, each by its own settings.

The library's `generate` keeps the caches; which token comes next is settled here, row by row,
and handed to it as the only one possible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from epicene.models.hf import sampling
from epicene.models.hf.memory import TooLargeError
from epicene.records import Answer, Failed, Text, Texts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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


def decode(
    loaded: Loaded,
    drafts: Sequence[Draft],
    ends: frozenset[int],
    read: Callable[[Sequence[int]], str],
    **settings: Any,
) -> list[Decoded]:
    """Write all drafts in one batch; `read` turns tokens into text, to look for stop strings.

    `settings` are further ones of the library's generation, the same for all drafts.
    """
    import torch
    from transformers import GenerationConfig

    pages = _Pages(drafts, ends, read)
    with torch.inference_mode():
        loaded.model.generate(
            **padded(loaded, [draft.prompt for draft in drafts]),
            generation_config=GenerationConfig(
                max_new_tokens=max(draft.room for draft in drafts),
                do_sample=False,
                use_cache=True,
                **settings,
            ),
            logits_processor=[_Choose(pages)],
            stopping_criteria=[_Done(pages)],
        )
    return [Decoded(tuple(page.ids), page.finish or "length") for page in pages.pages]


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


@dataclass
class _Page:
    """What has been written of one draft."""

    ids: list[int] = field(default_factory=list)
    finish: Literal["stop", "length"] | None = None


class _Pages:
    """The texts as they grow."""

    def __init__(
        self, drafts: Sequence[Draft], ends: frozenset[int], read: Callable[[Sequence[int]], str]
    ) -> None:
        self.drafts = drafts
        self.pages = [_Page() for _ in drafts]
        self.ends = ends
        self.step = 0
        self._read = read

    def write(self, tokens: Sequence[int]) -> None:
        """Add one token to each text that is not finished."""
        self.step += 1
        for draft, page, token in zip(self.drafts, self.pages, tokens, strict=True):
            if page.finish:
                continue
            if token in self.ends:
                page.finish = "stop"
                continue
            page.ids.append(token)
            if draft.stop and any(mark in self._read(page.ids) for mark in draft.stop):
                page.finish = "stop"
            elif len(page.ids) == draft.room:
                page.finish = "length"


class _Choose:
    """A logits processor that leaves each row one token."""

    def __init__(self, pages: _Pages) -> None:
        self._pages = pages
        self._exact = [line for line, draft in enumerate(pages.drafts) if draft.exact]

    def __call__(self, _: Any, scores: Any) -> Any:
        import torch

        for end in self._pages.ends if self._exact else ():
            scores[self._exact, end] = -math.inf
        choosing = [draft.choosing for draft in self._pages.drafts]
        chosen = sampling.choose(scores, choosing, self._pages.step)
        self._pages.write(chosen.tolist())
        return torch.full_like(scores, -math.inf).scatter_(1, chosen[:, None], 0.0)


class _Done:
    """A stopping criterion: which rows are finished."""

    def __init__(self, pages: _Pages) -> None:
        self._pages = pages

    def __call__(self, input_ids: Any, *_: Any, **__: Any) -> Any:
        import torch

        return torch.tensor(
            [bool(page.finish) for page in self._pages.pages], device=input_ids.device
        )
