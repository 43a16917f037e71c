"""What an audit finds in one string: words that show someone's gender, and what is wrong with
them.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from epicene.core.records import Record
from epicene.rewriting import Confidence, TextSpan

Whose: TypeAlias = Literal["speaker", "listener", "others", "unknown"]
# both: an inclusive spelling ("prêt·e", "Nutzer*innen"), or both words ("he or she").
WordGender: TypeAlias = Literal["masculine", "feminine", "both"]
# mixed: one word is masculine and another feminine.
ShownGender: TypeAlias = Literal["masculine", "feminine", "both", "mixed"]
ProblemKind: TypeAlias = Literal[
    "mixed",
    "partly-inclusive",
    "several-spellings",
    "needless-ending",
    "disagreement",
    "wrong-gender",
]

WHOSE: tuple[Whose, ...] = get_args(Whose)
SHOWN_GENDERS: tuple[ShownGender, ...] = get_args(ShownGender)
PROBLEM_KINDS: tuple[ProblemKind, ...] = get_args(ProblemKind)
# How a word is written that shows both genders.
SPELLING_STYLES = (
    "brackets", "slash", "dot", "hyphen", "star", "colon", "underscore", "capital", "at", "x",
    "schwa", "new word", "both words",
)  # fmt: skip
# What each kind of problem means, for people to read.
PROBLEMS: dict[ProblemKind, str] = {
    "mixed": "One word shows the person as a man, another word as a woman.",
    "partly-inclusive": "One word shows both genders, another word for the same person only one.",
    "several-spellings": "Both genders are written in more than one way.",
    "needless-ending": "The word has the same form for everyone, or its inclusive ending is wrong.",
    "disagreement": "A word does not agree with the noun after it.",
    "wrong-gender": "The person has a different gender according to --people.",
}


class ShownWord(TextSpan, frozen=True, kw_only=True):
    """A word that shows a gender: whose, which, and its form for the other gender if known.

    `spelling` says how a word that shows both genders is written: dot, brackets, slash, star …
    `probability` is the probability that the other form is right; null if unknown.
    """

    text: str
    whose: Whose
    gender: WordGender
    other: str = ""
    sure: Confidence
    rule: str
    spelling: str = ""
    probability: float | None = None


class Problem(TextSpan, frozen=True, kw_only=True):
    """Forms that are inconsistent or do not exist; the span is that of the first."""

    kind: ProblemKind
    text: str


class UndecidedWord(TextSpan, frozen=True, kw_only=True):
    """A word that has another form for the other gender, for a person or thing that is not
    identified.
    """

    text: str
    why: str


class OtherForm(Record, frozen=True, kw_only=True):
    """The whole string with one person in another gender; everyone else is unchanged."""

    whose: Whose
    gender: Literal["masculine", "feminine"]
    text: str


class Finding(Record, frozen=True, kw_only=True):
    """A string that shows, or may show, a gender.

    `people` says which gender it shows for whom, `user` which of them is the program's user,
    `forms` gives the string for other genders, and `neutral` is a form that shows no gender, "" if
    none is known. Spans count the characters of `text`.
    """

    file: str
    key: str
    line: int
    language: str
    text: str
    people: dict[Whose, ShownGender] = {}
    user: tuple[Whose, ...] = ()
    words: tuple[ShownWord, ...] = ()
    problems: tuple[Problem, ...] = ()
    undecided: tuple[UndecidedWord, ...] = ()
    forms: tuple[OtherForm, ...] = ()
    neutral: str = ""

    @property
    def sure(self) -> Confidence | None:
        """How certain it is that a gender is shown: the certainty of the most certain word; None
        without words.
        """
        sure = {word.sure for word in self.words}
        return next((each for each in get_args(Confidence) if each in sure), None)

    @property
    def is_undecided(self) -> bool:
        """Whether nothing is shown for certain, but a word may show a gender."""
        return not self.words and not self.problems and bool(self.undecided)
