"""The language of a page, and the texts in it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from epicene import languages
from epicene.studies.design.interface_texts import interface_languages, interface_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from epicene.studies.design.schema import LocalisedText, Study


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
    known = interface_languages()
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
