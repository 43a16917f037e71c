"""The first pronoun of a continuation, and whether a wrong one comes later."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import regex

from epicene.errors import InputError
from epicene.languages.segment import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.suites.misgendering.instances import Forms

# "xe'd", "he’s": the pronoun is what stands before the apostrophe.
_APOSTROPHE = regex.compile(r"['’ʼ]")
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
    forms = tuple((form, each.pronoun) for each in sets for form in each.forms.values())
    # Their plural reflexive is also said of one person; the published sets do not have it.
    more = (("themselves", "they"),) if tokeniser == "epicene" and ("they", "they") in forms else ()
    owners = _owners(forms + more)
    found = [
        (token, owner)
        for token in tokens(text, tokeniser)
        if (owner := owners.get(token.lower())) is not None
    ]
    return Found(found[0][0] if found else "", tuple(owner for _, owner in found))


def tokens(text: str, tokeniser: str) -> Iterator[str]:
    """The words of a text, by spaCy's English tokeniser or by Epicene's segmenter."""
    if tokeniser == "spacy":
        for start in range(0, len(text), _LONGEST):
            yield from (token.text for token in _spacy()(text[start : start + _LONGEST]))
        return
    for span in words(text, "en"):
        yield from filter(None, _APOSTROPHE.split(text[span.start : span.end]))


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
