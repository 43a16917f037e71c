"""The web app's own texts by language (`translations.toml`), and the language of a page."""

from __future__ import annotations

import tomllib
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING

from epicene import languages

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from epicene.studies.design.schema import LocalisedText, Study


@cache
def _interface_texts() -> dict[str, dict[str, str | dict[str, str]]]:
    return tomllib.loads((files(__package__) / "translations.toml").read_text("utf-8"))


def interface_text(name: str, language: str, *, number: int = 0) -> str:
    """A text of the web app, in the form for a number; in English if it has no translation."""
    words = _interface_texts()[name]
    text = words.get(language, words["en"])
    if isinstance(text, str):
        return text
    return text.get(plural_category(number, language), text["other"])


def plural_category(number: int, language: str) -> str:
    """CLDR's plural category of a whole number, in the languages of `translations.toml`.

    The rules of Portuguese are those of Portugal.
    """
    units, hundreds = number % 10, number % 100
    if language == "ar":
        if number < 3:
            return ("zero", "one", "two")[number]
        if 3 <= hundreds <= 10:
            return "few"
        return "many" if hundreds >= 11 else "other"
    if language == "ru":
        if units == 1 and hundreds != 11:
            return "one"
        return "few" if 2 <= units <= 4 and not 12 <= hundreds <= 14 else "many"
    if language in ("fr", "es", "pt", "it") and number and number % 1_000_000 == 0:
        return "many"
    singular = (0, 1) if language in ("fr", "hi") else (1,)
    return "one" if number in singular else "other"


def interface_texts_in(language: str) -> Callable[..., str]:
    """A function that gives the texts of the web app in a language."""
    return partial(interface_text, language=language)


def study_text(words: LocalisedText, language: str) -> str:
    """A text of the study in a language, or in its first one."""
    return words.get(language) or next(iter(words.values()), "")


def page_language(study: Study, chosen: str, accepted: str = "") -> str:
    """The language of the pages: as chosen, else the browser's, else the study's first."""
    if chosen in study.title:
        return chosen
    for code in _language_codes(accepted):
        if code in study.title:
            return code
    return next(iter(study.title))


def interface_language(accepted: str) -> str:
    """The first of the browser's languages in which the web app has texts; English if none."""
    known = _interface_texts()["bad_link"]
    return next((code for code in _language_codes(accepted) if code in known), "en")


def _language_codes(accepted: str) -> list[str]:
    """The codes in an Accept-Language header, in its order."""
    parts = (part.partition(";")[0].strip() for part in accepted.split(","))
    return [part.partition("-")[0].lower() for part in parts]


def page_direction(language: str) -> str:
    """The writing direction of a language."""
    return languages.get(language).direction


def language_names(study: Study) -> Mapping[str, str]:
    """The study's languages, each with its name in itself."""
    return {code: languages.get(code).own_name for code in study.title}
