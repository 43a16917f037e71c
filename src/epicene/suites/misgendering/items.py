"""The item, a text about one person and their pronoun, with its candidates and pronoun forms."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from epicene.core.data_files import read_rows
from epicene.core.errors import InputError
from epicene.core.records import Expected, Item, Record
from epicene.languages.pronouns import CASES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from epicene.core.data_files import FileRow
    from epicene.languages.pronouns import Case

# The datasets' own words for the cases.
PUBLISHED_CASES: dict[str, Case] = {
    "nom": "nominative",
    "acc": "accusative",
    "pos_dep": "dependent",
    "pos_ind": "independent",
    "pos_indep": "independent",
    "gen_att": "dependent",
    "gen_pred": "independent",
    "ref": "reflexive",
    "$NOM_PRONOUN": "nominative",
    "$ACC_PRONOUN": "accusative",
    "$POSS_PRONOUN": "dependent",
}


class PronounForms(Record, frozen=True, kw_only=True):
    """The forms of one pronoun set that a dataset knows; RUFF knows three cases only."""

    pronoun: str
    forms: dict[str, str]  # case → form
    plural_verbs: bool = False

    def all(self) -> frozenset[str]:
        """Its distinct surface forms."""
        return frozenset(self.forms.values())


class Candidate(Record, frozen=True, kw_only=True):
    """A pronoun for the gap, as it would be written there."""

    pronoun: str
    form: str


class Instance(Item, frozen=True, kw_only=True):
    """A text about one person with a gap for a pronoun, or a context to be continued.

    A template has `candidates` for the gap between `before` and `after`; an open context has none
    and its text is `before`. `sets` is what counts as a pronoun; it may be left out if nothing is
    generated, as for the millions of texts with RUFF's distractors.
    """

    language: str = "en"
    dataset: str
    pronoun: str
    before: str
    after: str = ""
    case: str = ""
    candidates: tuple[Candidate, ...] = ()
    sets: tuple[PronounForms, ...] = ()
    template: str = ""
    name: str = ""
    name_list: str = ""
    antecedent: str = ""
    occupation: str = ""
    distractors: int = 0

    @property
    def is_template(self) -> bool:
        """Whether it has a gap."""
        return bool(self.candidates)

    @property
    def gold(self) -> Candidate:
        """The candidate that is right."""
        return next(each for each in self.candidates if each.pronoun == self.pronoun)

    @property
    def facets(self) -> dict[str, str]:
        """The facets of its judgements."""
        named = {
            "dataset": self.dataset,
            "pronoun": self.pronoun,
            "case": self.case,
            "names": self.name_list,
            "antecedent": self.antecedent,
            "occupation": self.occupation,
            "distractors": str(self.distractors) if self.distractors else "",
        }
        return {name: value for name, value in named.items() if value}

    def with_pronoun(self, pronoun: str) -> str:
        """The id of its counterpart with another pronoun."""
        return self.id.replace(f"/{self.pronoun}/", f"/{pronoun}/" if pronoun else "/", 1)

    def filled(self, candidate: Candidate) -> str:
        """The whole text with a candidate in the gap."""
        return self.before + candidate.form + self.after

    def expected(
        self, choices: Iterable[Candidate | PronounForms], texts: Sequence[str]
    ) -> Expected | msgspec.UnsetType:
        """The text of the choice with the right pronoun, and the others, which are wrong."""
        for choice, text in zip(choices, texts, strict=True):
            if choice.pronoun == self.pronoun:
                return Expected(right=text, wrong=tuple(each for each in texts if each != text))
        return msgspec.UNSET


def _forms(pronoun: str, *forms: str) -> PronounForms:
    return PronounForms(
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
PUBLISHED_SETS: dict[str, tuple[PronounForms, ...]] = {
    "misgendered": (*_BINARY, _THEY, _forms("xe", "xe", "xem", "xyr", "xyrs", "xemself")),
    "tango": (*_BINARY, _THEY, _forms("xe", "xe", "xir", "xir", "xirs", "xirself")),
    "ruff": (
        _forms("he", "he", "him", "his"),
        _forms("she", "she", "her", "her"),
        _forms("they", "they", "them", "their"),
        _forms("xe", "xe", "xem", "xyr"),
    ),
}


def read_pronoun_forms(path: Path, cases: Sequence[Case] = CASES) -> tuple[PronounForms, ...]:
    """The pronoun sets of a published table, in its order; each has a form of each case."""
    found = tuple(_pronoun_forms(line, cases) for line in read_rows(path))
    if not found:
        raise InputError(f"{path} has no pronoun sets.")
    return found


def _pronoun_forms(line: FileRow, cases: Sequence[Case]) -> PronounForms:
    name = line.values.get("gender")
    if not isinstance(name, str) or not name.strip():
        raise InputError(
            f"{line.location} has no name of a pronoun set in the column 'gender'; its columns "
            f"are {', '.join(map(str, line.values))}."
        )
    forms: dict[str, str] = {
        PUBLISHED_CASES[column]: form
        for column, form in line.values.items()
        if column in PUBLISHED_CASES
    }
    for case in cases:
        if not forms.get(case):
            columns = [each for each, meant in PUBLISHED_CASES.items() if meant == case]
            raise InputError(
                f"{line.location} lacks the {case} form of {name!r}; it is expected in the "
                f"column {' or '.join(columns)}."
            )
    return PronounForms(pronoun=name, forms=forms, plural_verbs=name == "they")


def begins_sentence(before: str, *, mended: bool) -> bool:
    """Whether a pronoun after that text begins a sentence, and so has a capital letter.

    The authors look at the character two positions before the gap, so only a full stop counts.
    """
    return bool(_SENTENCE_END.search(before)) if mended else before[-2:-1] == "."


def candidate_forms(
    sets: Sequence[PronounForms], case: str, *, capital: bool
) -> tuple[Candidate, ...]:
    """The sets' forms of one case, in their order, by which ties are broken."""
    return tuple(
        Candidate(
            pronoun=each.pronoun,
            form=each.forms[case].capitalize() if capital else each.forms[case],
        )
        for each in sets
        if case in each.forms
    )


def yes_or_no(flag: bool) -> str:
    """The value of a facet that is true or false."""
    return "yes" if flag else "no"
