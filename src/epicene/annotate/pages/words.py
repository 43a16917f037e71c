"""What the pages say, in the language of the page."""

from __future__ import annotations

import tomllib
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING

from epicene import languages

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from epicene.studies import Study, Words


@cache
def _words() -> dict[str, Words]:
    return tomllib.loads((files(__package__) / "words.toml").read_text("utf-8"))


def say(name: str, language: str) -> str:
    """A text of the pages' own; in English where there is no other."""
    words = _words()[name]
    return words.get(language, words["en"])


def speaker(language: str) -> Callable[[str], str]:
    """What says things in a language."""
    return partial(say, language=language)


def told(words: Words, language: str) -> str:
    """A text of the study's."""
    return words.get(language) or next(iter(words.values()), "")


def page_language(study: Study, chosen: str, accepted: str = "") -> str:
    """The language of a person's pages: chosen, else the browser's, else the study's first."""
    if chosen in study.title:
        return chosen
    for part in accepted.split(","):
        code = part.partition(";")[0].strip().partition("-")[0].lower()
        if code in study.title:
            return code
    return next(iter(study.title))


def direction(language: str) -> str:
    """Which way a page in the language runs."""
    return languages.get(language).direction


def names(study: Study) -> Mapping[str, str]:
    """The study's languages, each by its own name."""
    return {code: languages.get(code).own_name for code in study.title}
