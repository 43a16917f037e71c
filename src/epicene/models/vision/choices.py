"""Which tokens a choice is, after a prompt.

Prompt and choice are tokenised as one string. Where their letters make one token across the
boundary, that token belongs to the choice, and the prompt ends before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.models.hf.tokens import UnanswerableError

if TYPE_CHECKING:
    from collections.abc import Sequence


class Continuations(NamedTuple):
    """How many tokens of the prompt are dropped, and the tokens of each choice after that."""

    dropped: int
    ids: tuple[tuple[int, ...], ...]

    @property
    def reads(self) -> list[tuple[int, ...]]:
        """What is read after the prompt so that every choice is scored, in as few rows as do.

        A choice's last token is only predicted; what is the beginning of another row needs none.
        """
        wanted = sorted({choice[:-1] for choice in self.ids}, key=len, reverse=True)
        kept: list[tuple[int, ...]] = []
        for read in wanted:
            if not any(longer[: len(read)] == read for longer in kept):
                kept.append(read)
        return kept


def after_prompt(tokenizer: Any, prompt: str, choices: Sequence[str]) -> Continuations:
    """The choices as continuations of a prompt, after a space unless the prompt ends a line."""
    alone = _encode(tokenizer, prompt)
    space = "" if prompt[-1:].isspace() or alone[-1] in tokenizer.all_special_ids else " "
    whole = [_encode(tokenizer, f"{prompt}{space}{choice}") for choice in choices]
    shared = 0
    for tokens in zip(alone, *whole, strict=False):
        if len(set(tokens)) > 1:
            break
        shared += 1
    return Continuations(len(alone) - shared, _told_apart(tuple(t[shared:]) for t in whole))


def as_answers(tokenizer: Any, choices: Sequence[str]) -> Continuations:
    """The choices as texts of their own, which a decoder writes from its start."""
    return Continuations(0, _told_apart(tuple(_encode(tokenizer, choice)) for choice in choices))


def _told_apart(ids: Any) -> tuple[tuple[int, ...], ...]:
    found = tuple(ids)
    if not all(found):
        raise UnanswerableError("the tokenizer makes no token of one of the choices")
    return found


def _encode(tokenizer: Any, text: str) -> list[int]:
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])
