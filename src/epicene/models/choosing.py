"""Which of the choices a looking model's words are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from epicene.languages.normalise import nfkc

if TYPE_CHECKING:
    from collections.abc import Sequence

_EDGES = regex.compile(r"^[\p{P}\p{S}\s]+|[\p{P}\p{S}\s]+$")


def chosen(text: str, choices: Sequence[str]) -> str | None:
    """The choice that the words are, letter case and outer punctuation apart; None for any others.

    A sentence that holds a choice is not that choice: whether "not a man" says so is for the
    suite to judge, which has the words.
    """
    said = _fold(text)
    found = [choice for choice in choices if said and _fold(choice) == said]
    return found[0] if len(found) == 1 else None


def question_with_choices(question: str, choices: Sequence[str]) -> str:
    """The question as it stands where it names every choice, and else with all of them after it."""
    words = nfkc(question).casefold()
    if all(regex.search(rf"\b{regex.escape(_fold(choice))}\b", words) for choice in choices):
        return question
    return f"{question}\nAnswer with one of these only: {', '.join(choices)}."


def _fold(text: str) -> str:
    return _EDGES.sub("", nfkc(text).casefold())
