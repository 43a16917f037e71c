"""One instance: a person, their pronoun, and a text in which the pronoun is to be got right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Item, Record

if TYPE_CHECKING:
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


class Forms(Record, frozen=True, kw_only=True):
    """The forms of one pronoun set that a dataset knows; RUFF knows three cases only."""

    pronoun: str
    forms: dict[str, str]  # case → form
    plural_verbs: bool = False

    def all(self) -> frozenset[str]:
        """Its distinct surface forms."""
        return frozenset(self.forms.values())


class Candidate(Record, frozen=True, kw_only=True):
    """A pronoun that may stand in the gap, as it would be written there."""

    pronoun: str
    form: str


class Instance(Item, frozen=True, kw_only=True):
    """A text about one person with a gap for a pronoun, or a context to be continued.

    A template has `candidates` for the gap between `before` and `after`; an open context has
    none and its text is `before`. `sets` is what counts as a pronoun; it may be left out where
    nothing is generated, as with the millions of RUFF's distractors.
    """

    language: str = "en"
    dataset: str
    pronoun: str
    before: str
    after: str = ""
    case: str = ""
    candidates: tuple[Candidate, ...] = ()
    sets: tuple[Forms, ...] = ()
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
        """What the tables break down by."""
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

    def filled(self, candidate: Candidate) -> str:
        """The whole text with a candidate in the gap."""
        return self.before + candidate.form + self.after
