"""Sentences from the files beside this one: {masculine|feminine} where the two differ."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

_DIFFERS = re.compile(r"\{([^|{}]*)\|([^|{}]*)\}")


class Case(NamedTuple):
    """A sentence in both forms, and what it is about."""

    about: str
    masculine: str
    feminine: str


def read_cases(name: str) -> list[Case]:
    """The sentences of one file; a line "## …" says what those below it are about."""
    lines = (Path(__file__).parent / f"{name}.txt").read_text("utf-8").splitlines()
    found, about = [], ""
    for line in lines:
        if line.startswith("## "):
            about = line.removeprefix("## ")
        elif line and not line.startswith("#"):
            found.append(Case(about, _DIFFERS.sub(r"\1", line), _DIFFERS.sub(r"\2", line)))
    return found
