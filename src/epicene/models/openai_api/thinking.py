"""Taking a model's thinking out of its text."""

from __future__ import annotations

import re

# The opening tag is often in the prompt and so not in the text; the closing one is missing where
# the text was cut in mid-thought.
_HEAD = re.compile(r"\A(?:(?!</?think>).)*</think>", re.DOTALL)
_BLOCK = re.compile(r"<think>.*?(?:</think>|\Z)\s*", re.DOTALL)


def strip_thinking(text: str) -> tuple[str, int]:
    """The text without its thinking, and how many characters that was."""
    rest = _BLOCK.sub("", _HEAD.sub("", text))
    if rest == text:
        return text, 0
    return rest.lstrip(), len(text) - len(rest)
