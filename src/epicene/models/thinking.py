"""Thinking that a model writes before its answer, taken out of it."""

from __future__ import annotations

import re

# What models of several families put around their thinking.
OPEN, CLOSE = "<think>", "</think>"

_THOUGHT = re.compile(f"{OPEN}(.*?)(?:{CLOSE}|\\Z)", re.DOTALL)


def without_thinking(text: str) -> tuple[str, int]:
    """The text without its thinking, and how many characters of that there were.

    Thinking that never closes runs to the end; one that only closes was opened by the prompt.
    """
    if CLOSE in text and OPEN not in text.partition(CLOSE)[0]:
        text = OPEN + text
    if OPEN not in text:
        return text, 0
    thoughts = _THOUGHT.findall(text)
    return _THOUGHT.sub("", text).lstrip(), sum(len(thought.strip()) for thought in thoughts)
