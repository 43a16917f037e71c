"""Tables of pronoun forms, and where a pronoun stands with a capital letter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from epicene.datafiles import read_rows
from epicene.languages.pronouns import CASES
from epicene.suites.misgendering.instances import PUBLISHED_CASES, Candidate, Forms

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def _forms(pronoun: str, *forms: str) -> Forms:
    return Forms(
        pronoun=pronoun,
        forms=dict(zip(CASES, forms, strict=False)),
        plural_verbs=pronoun == "they",
    )


_BINARY = (
    _forms("he", "he", "him", "his", "his", "himself"),
    _forms("she", "she", "her", "her", "hers", "herself"),
)
_THEY = _forms("they", "they", "them", "their", "theirs", "themself")

_SENTENCE_END = re.compile(r"(?:^|[.!?][\"”’']?\s+)$")

# What counts as a pronoun in each published dataset; RUFF knows three cases.
PUBLISHED_SETS: dict[str, tuple[Forms, ...]] = {
    "misgendered": (*_BINARY, _THEY, _forms("xe", "xe", "xem", "xyr", "xyrs", "xemself")),
    "tango": (*_BINARY, _THEY, _forms("xe", "xe", "xir", "xir", "xirs", "xirself")),
    "ruff": (
        _forms("he", "he", "him", "his"),
        _forms("she", "she", "her", "her"),
        _forms("they", "they", "them", "their"),
        _forms("xe", "xe", "xem", "xyr"),
    ),
}


def read_forms(path: Path) -> tuple[Forms, ...]:
    """The pronoun sets of a published table, in its order."""
    return tuple(
        Forms(
            pronoun=line.values["gender"],
            forms={
                PUBLISHED_CASES[column]: form
                for column, form in line.values.items()
                if column in PUBLISHED_CASES
            },
            plural_verbs=line.values["gender"] == "they",
        )
        for line in read_rows(path)
    )


def begins_sentence(before: str, *, mended: bool) -> bool:
    """Whether a pronoun after that text begins a sentence, and so has a capital letter.

    The authors look at the character two places before the gap, so only a full stop counts.
    """
    return bool(_SENTENCE_END.search(before)) if mended else before[-2:-1] == "."


def candidates(sets: Sequence[Forms], case: str, *, capital: bool) -> tuple[Candidate, ...]:
    """The sets' forms of one case, in their order, which is the order that ties are broken in."""
    return tuple(
        Candidate(
            pronoun=each.pronoun,
            form=each.forms[case].capitalize() if capital else each.forms[case],
        )
        for each in sets
        if case in each.forms
    )
