"""What an audit finds in one string: words that show somebody's gender, and what is wrong there."""

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
    "mixed": "The same person is a man in one word and a woman in another.",
    "partly-inclusive": "One word shows both genders, another of the same person only one.",
    "several-spellings": "Both genders are written in more than one way.",
    "needless-ending": "The word has one form for everybody, or is written wrongly with an ending.",
    "disagreement": "A word does not agree with the noun after it.",
    "wrong-gender": "The person is said to have another gender (--people).",
}


class ShownWord(TextSpan, frozen=True, kw_only=True):
    """A word that shows a gender: whose, which, and the word in the other gender if it is known.

    `spelling` says how a word is written that shows both: dot, brackets, slash, star …
    `probability` is that of the other form being right; null if it is not known.
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
    """Forms that do not go together or do not exist; the span is the first of them."""

    kind: ProblemKind
    text: str


class UndecidedWord(TextSpan, frozen=True, kw_only=True):
    """A word that has another form for the other gender, of a person or thing not identified."""

    text: str
    why: str


class OtherForm(Record, frozen=True, kw_only=True):
    """The whole string with one person in another gender; everybody else stays as they are."""

    whose: Whose
    gender: Literal["masculine", "feminine"]
    text: str


class Finding(Record, frozen=True, kw_only=True):
    """A string that shows a gender, or may do so.

    `people` says which gender it shows of whom, `user` who of them is the program's user, `forms`
    what the string would be otherwise, and `neutral` is a form that shows no gender, "" if none is
    known. Spans count the characters of `text`.
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
        """How sure it is that a gender is shown: that of the surest word; None without words."""
        sure = {word.sure for word in self.words}
        return next((each for each in get_args(Confidence) if each in sure), None)

    @property
    def is_undecided(self) -> bool:
        """Whether nothing is shown for certain, but a word may show a gender."""
        return not self.words and not self.problems and bool(self.undecided)
