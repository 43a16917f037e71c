"""Words that show both genders: inclusive spellings, abbreviations, and both words side by side.

They are recognised, never generated. A spelling gives its feminine form ("acteur·rice" is
"actrice") and its masculine form if the rules of the language provide them, and "" if not.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from epicene.localisation.audit.spellings import french, german, other_scripts, romance
from epicene.rewriting import TextSpan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from epicene.localisation.audit.spellings.patterns import Pattern


class Spelling(TextSpan, frozen=True, kw_only=True):
    """A word written for both genders, and how; `wrong` if that form does not exist.

    A wrong one whose masculine and feminine are equal has the same form for everyone.
    """

    text: str
    style: str
    masculine: str = ""
    feminine: str = ""
    wrong: bool = False


def find_spellings(text: str, language: str) -> list[Spelling]:
    """The words of a text that show both genders, in order; they do not overlap."""
    found: list[Spelling] = []
    taken = bytearray(len(text))
    for pattern in _patterns(language):
        for match in pattern.looks.finditer(text):
            start, end = match.span("all")
            if any(taken[start:end]):
                continue
            forms = pattern.read(match)
            if forms is not None:
                taken[start:end] = b"\1" * (end - start)
                found.append(
                    Spelling(
                        start=start,
                        end=end,
                        text=text[start:end],
                        style=pattern.style,
                        masculine=forms.masculine,
                        feminine=forms.feminine,
                        wrong=forms.wrong,
                    )
                )
    return sorted(found, key=lambda each: each.start)


_LANGUAGES: dict[str, Callable[[], Iterator[Pattern]]] = {
    "ar": other_scripts.arabic,
    "de": german.patterns,
    "es": romance.spanish,
    "fr": french.patterns,
    "hi": other_scripts.hindi,
    "it": romance.italian,
    "pt": romance.portuguese,
    "ru": other_scripts.russian,
}


@cache
def _patterns(language: str) -> Sequence[Pattern]:
    made = _LANGUAGES.get(language)
    return tuple(made()) if made else ()
