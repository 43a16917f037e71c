"""Why Ray says that something ended, in words for people."""

from __future__ import annotations

import regex

NODE_GONE = "the node of the cluster on this machine is gone"

# Words of Ray's, and what they mean to somebody who waits for answers.
_MEANINGS = (
    ("WrongClusterID", "another cluster answers at its address"),
    ("Failed to connect to GCS", "its head does not answer"),
)
_FRAME = regex.compile(r"\*\*\* |\S*\(.*\) \[0x[0-9a-f]+\]|\s+@ ")  # of a native stack
_LOGGED = regex.compile(r"\[[^\]]+ [A-Z] \d+ \d+\] (?:\([^)]*\) )?\S+:\d+:\s+")
_PLEA = regex.compile(r"An unexpected system state has occurred\..*?with you to fix it\.\s*")


def first_line(error: BaseException) -> str:
    """An error's first line, or its name."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def last_words(said: str) -> str:
    """What a process said before Ray ended it, without the stack and the marks of a log."""
    lines = [line for line in said.splitlines() if line.strip() and not _FRAME.match(line)]
    if not lines:
        return "the connection ended"
    last = lines[-1]
    for theirs, meaning in _MEANINGS:
        if theirs in last:
            return meaning
    return _PLEA.sub("", _LOGGED.sub("", last)).strip()
