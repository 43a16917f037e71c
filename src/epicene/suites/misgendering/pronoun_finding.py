"""The first pronoun of a continuation, and whether a wrong one comes later."""

from __future__ import annotations

from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import regex

from epicene.errors import InputError
from epicene.languages.segment import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.suites.misgendering.instances import Forms

# "xe'd", "he’s": the pronoun is what stands before the apostrophe.
_NO_APOSTROPHE = regex.compile(r"[^'’ʼ]+")
# More than any continuation; beyond it spaCy refuses a text.
_LONGEST = 900_000


class Found(NamedTuple):
    """The pronouns of a text: the first as written, the set it is of, and all sets in order."""

    first: str
    sets: tuple[str, ...]

    @property
    def set(self) -> str:
        """Which set the first pronoun is of; "" if there is none."""
        return self.sets[0] if self.sets else ""


def find_pronouns(text: str, sets: Sequence[Forms], tokeniser: str) -> Found:
    """All pronouns of a text that the dataset knows, whatever their case."""
    found = list(_pronouns(text, sets, tokeniser))
    return Found(found[0][1] if found else "", tuple(owner for _, _, owner in found))


def first_pronoun(text: str, sets: Sequence[Forms], tokeniser: str) -> tuple[int, str] | None:
    """Where the first pronoun of a text begins, and how it is written."""
    return next(((start, token) for start, token, _ in _pronouns(text, sets, tokeniser)), None)


def second_pronoun(text: str, sets: Sequence[Forms], tokeniser: str) -> int:
    """Where the second pronoun of a text begins, or where the text ends."""
    places = (start for start, _, _ in _pronouns(text, sets, tokeniser))
    return next(islice(places, 1, None), len(text))


def tokens(text: str, tokeniser: str) -> Iterator[str]:
    """The words of a text, by spaCy's English tokeniser or by Epicene's segmenter."""
    return (token for _, token in _placed_tokens(text, tokeniser))


def _pronouns(text: str, sets: Sequence[Forms], tokeniser: str) -> Iterator[tuple[int, str, str]]:
    """Where each pronoun begins, as it is written, and the set it is of."""
    forms = tuple((form, each.pronoun) for each in sets for form in each.forms.values())
    # Their plural reflexive is also said of one person; the published sets do not have it.
    more = (("themselves", "they"),) if tokeniser == "epicene" and ("they", "they") in forms else ()
    owners = _owners(forms + more)
    for start, token in _placed_tokens(text, tokeniser):
        owner = owners.get(token.lower())
        if owner is not None:
            yield start, token, owner


def _placed_tokens(text: str, tokeniser: str) -> Iterator[tuple[int, str]]:
    if tokeniser == "spacy":
        for begin in range(0, len(text), _LONGEST):
            for token in _spacy()(text[begin : begin + _LONGEST]):
                yield begin + token.idx, token.text
        return
    for span in words(text, "en"):
        word = text[span.start : span.end]
        for part in _NO_APOSTROPHE.finditer(word):
            yield span.start + part.start(), part[0]


@cache
def _owners(forms: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Form → set; where two sets share a form, the first of them has it."""
    return {form.lower(): owner for form, owner in reversed(forms)}


@cache
def _spacy() -> Any:
    try:
        import spacy
    except ImportError as error:
        raise InputError(
            "The protocol paper finds pronouns with spaCy's tokeniser: "
            'pip install "epicene[english]".'
        ) from error
    return spacy.blank("en").tokenizer
