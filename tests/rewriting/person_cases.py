"""Sentences to be rewritten for another gender, from the JSON files in `cases/`, one per language.

`both ways`: by person and by what they are about, with {masculine|feminine} where the two forms
differ; a sentence without braces must stay. `one person at a time` gives a text for a woman as
each of the three people. `one way` is for what does not come back.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from epicene.rewriting import Rewrite, Rewriting, find_rewriter
from epicene.rewriting.persons import Gender, Person

LANGUAGES = ("ar", "de", "es", "fr", "hi", "it", "pt", "ru")
_DIFFERS = re.compile(r"\{([^|{}]*)\|([^|{}]*)\}")


class Case(NamedTuple):
    """A sentence in both forms, and what it is about."""

    about: str
    masculine: str
    feminine: str


@cache
def read_cases(language: str) -> dict[str, Any]:
    """The content of a language's file."""
    path = Path(__file__).parent / "cases" / f"{language}.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def pairs(language: str, person: Person) -> list[Case]:
    """The sentences that are rewritten both ways."""
    return [
        Case(about, _DIFFERS.sub(r"\1", sentence), _DIFFERS.sub(r"\2", sentence))
        for about, sentences in read_cases(language)["both ways"][person].items()
        for sentence in sentences
    ]


@cache
def _open(language: str, person: Person, gender: Gender) -> Rewrite:
    return find_rewriter(language).open({person: gender})


def rewritten(language: str, text: str, person: Person, gender: Gender) -> Rewriting:
    """The text for one person of that gender."""
    (done,) = _open(language, person, gender)([text])
    return done


def turned(language: str, text: str, person: Person, gender: Gender) -> str:
    """Only the text of it."""
    return rewritten(language, text, person, gender).text
