"""What the pages and experiments say themselves, by language (`interface_texts.toml`)."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files


@cache
def interface_texts() -> dict[str, dict[str, str | dict[str, str]]]:
    """The texts by name and language; a text with a number by its plural category, too."""
    return tomllib.loads((files(__package__) / "interface_texts.toml").read_text("utf-8"))


def interface_text(name: str, language: str, *, number: int = 0) -> str:
    """A text of the pages, in the form for a number; in English if it has no translation."""
    words = interface_texts()[name]
    text = words.get(language, words["en"])
    if isinstance(text, str):
        return text
    return text.get(plural_category(number, language), text["other"])


def plural_category(number: int, language: str) -> str:
    """CLDR's plural category of a whole number, in the languages of `interface_texts.toml`.

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


def interface_languages() -> tuple[str, ...]:
    """The languages that have all these texts."""
    return tuple(interface_texts()["next"])
