"""Parse what a model wrote: stop strings, thinking, and which of the choices it names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import regex

from epicene.languages.normalisers import nfkc

if TYPE_CHECKING:
    from collections.abc import Sequence

# What models of several families put around their thinking.
THINK_OPEN, THINK_CLOSE = "<think>", "</think>"

_THOUGHT = re.compile(f"{THINK_OPEN}(.*?)(?:{THINK_CLOSE}|\\Z)", re.DOTALL)


def strip_thinking(text: str) -> tuple[str, int]:
    """The text without its thinking, and how many characters of that there were.

    Thinking that never closes runs to the end; one that only closes was opened by the prompt.
    """
    if THINK_CLOSE in text and THINK_OPEN not in text.partition(THINK_CLOSE)[0]:
        text = THINK_OPEN + text
    if THINK_OPEN not in text:
        return text, 0
    thoughts = _THOUGHT.findall(text)
    return _THOUGHT.sub("", text).lstrip(), sum(len(thought.strip()) for thought in thoughts)


def cut_at_stop(text: str, stop: Sequence[str]) -> str:
    """The text up to the first of the stop strings in it."""
    return text[: min((text.index(mark) for mark in stop if mark in text), default=len(text))]


_WITHOUT_OUTER_PUNCTUATION = regex.compile(r"(?s)[^\p{P}\p{S}\s](?:.*[^\p{P}\p{S}\s])?")


def match_choice(text: str, choices: Sequence[str]) -> str | None:
    """The choice that equals the text, except for case and outer punctuation; None if none does.

    A sentence that contains a choice is not that choice: what "not a man" means is for the suite to
    judge, which has the words.
    """
    answer = _normalise_choice(text)
    found = [choice for choice in choices if answer and _normalise_choice(choice) == answer]
    return found[0] if len(found) == 1 else None


def question_with_choices(question: str, choices: Sequence[str]) -> str:
    """The question, followed by the choices unless it names all of them itself."""
    words = nfkc(question).casefold()
    if all(
        regex.search(rf"\b{regex.escape(_normalise_choice(choice))}\b", words) for choice in choices
    ):
        return question
    return f"{question}\nAnswer with one of these only: {', '.join(choices)}."


def _normalise_choice(text: str) -> str:
    found = _WITHOUT_OUTER_PUNCTUATION.search(nfkc(text).casefold())
    return found.group() if found else ""
