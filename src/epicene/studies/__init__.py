"""The record of a human study: what to show, what to ask, who may answer, how many per item.

A suite defines its studies and reads the responses back; the annotation pages serve any study
and know no suite. Texts for people are given by language; what is shown of an item stands in the
item's named fields. `drawing` chooses the items, `lists` says who sees which and in what order,
`files` reads and writes studies, `identifiers` makes the ids of items, `checks` says what is wrong
with a study, `showing` what of an item reaches a person, `participants` what people may be called,
`responses` what is wrong with an answer, `response_files` reads and writes answers and
`settled_files` what the owner decided. `pcibex` and `pcibex_experiment` know a server for
experiments, `label_studio` and `label_studio_project` a program for labelling.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, TypeAlias

import msgspec

from epicene.errors import unknown
from epicene.records import Record


class _Part(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A part of a study file, written without what need not be said."""


# One text in one or more languages, by language code.
Words: TypeAlias = dict[str, str]
Direction: TypeAlias = Literal["auto", "ltr", "rtl"]


# --- what to show ----------------------------------------------------------------------------


class _Panel(_Part, frozen=True, kw_only=True, tag_field="show"):
    """`language` and `direction` are the item's and the text's own unless given."""

    title: Words = {}
    language: str = ""
    direction: Direction = "auto"


class TextPanel(_Panel, frozen=True, kw_only=True, tag="text"):
    """A text of the item."""

    field: str


class DiffPanel(_Panel, frozen=True, kw_only=True, tag="diff"):
    """Two texts of the item, with the words that differ marked."""

    before: str
    after: str


class ImagePanel(_Panel, frozen=True, kw_only=True, tag="image"):
    """A picture, by its sha256 in the run's files or its path beside the study."""

    field: str
    description: Words = {}  # for who cannot see it; must not give the answer away


Panel: TypeAlias = TextPanel | DiffPanel | ImagePanel


# --- what to ask -----------------------------------------------------------------------------


class Option(_Part, frozen=True, kw_only=True):
    """One way to answer: its id is stored, its label shown (the id, if none), its key pressed."""

    id: str
    label: Words = {}
    key: str = ""


class _Question(_Part, frozen=True, kw_only=True, tag_field="kind"):
    """`when` asks only if each earlier question it names got one of the options listed."""

    id: str
    ask: Words
    hint: Words = {}
    required: bool = True
    when: dict[str, tuple[str, ...]] = {}


class Choose(_Question, frozen=True, kw_only=True, tag="choice"):
    """One of `options`; or one of the shown texts whose fields `between` names, order shuffled.

    Of a `preference` no answer is the right one, so there is nothing to settle where people differ.
    """

    options: tuple[Option, ...] = ()
    between: tuple[str, ...] = ()
    preference: bool = False


class Tag(_Question, frozen=True, kw_only=True, tag="tags"):
    """Any number of the options; at least one if required."""

    options: tuple[Option, ...]
    required: bool = False


class Write(_Question, frozen=True, kw_only=True, tag="text"):
    """A text. The field `draft` is offered to start from, `source` to compare with word by word.

    `same_words` refuses a text with another number of words, between blanks, than `source`.
    """

    draft: str = ""
    source: str = ""
    same_words: bool = False
    language: str = ""


class Mark(_Question, frozen=True, kw_only=True, tag="marks"):
    """Words of the shown text `field`, each called one of `labels` where there are some."""

    field: str
    labels: tuple[Option, ...] = ()
    required: bool = False


class Note(_Question, frozen=True, kw_only=True, tag="note"):
    """A remark for the owner of the study; never part of a label."""

    required: bool = False


Question: TypeAlias = Choose | Tag | Write | Mark | Note


class Span(_Part, frozen=True, kw_only=True):
    """Characters [start, end) of a shown text."""

    start: int
    end: int
    label: str = ""


# An option's id, a field's name or a text; or tags; or spans.
AnswerValue: TypeAlias = str | tuple[str | Span, ...]


# --- who may answer --------------------------------------------------------------------------


class ChoiceScreen(_Part, frozen=True, kw_only=True, tag_field="kind", tag="choice"):
    """Goes on only with one of the options in `accept`."""

    id: str
    ask: Words
    options: tuple[Option, ...]
    accept: tuple[str, ...]


class NumberScreen(_Part, frozen=True, kw_only=True, tag_field="kind", tag="number"):
    """Goes on only with a number in the range."""

    id: str
    ask: Words
    at_least: int | None = None
    at_most: int | None = None


Screen: TypeAlias = ChoiceScreen | NumberScreen


class Access(_Part, frozen=True, kw_only=True):
    """By personal links, or by one open link that takes a platform's participant id.

    After `closes` nobody is given anything any more. A file may name the last day instead, in UTC.
    """

    entry: Literal["personal", "open"] = "personal"
    participant_parameter: str = ""  # of the open link's address, e.g. PROLIFIC_PID
    completion_code: str = ""
    completion_url: str = ""  # where a person is sent at the end; {code} is filled in
    screened_out_url: str = ""  # where who may not take part is sent
    full_url: str = ""  # where who came when nothing was left to judge is sent
    closes: Annotated[datetime, msgspec.Meta(tz=True)] | None = None


# --- the study -------------------------------------------------------------------------------


class StudyItem(_Part, frozen=True, kw_only=True):
    """One thing to judge.

    Items of one `group` are versions of each other: intervals resample them together, and with
    rotated lists a person sees one, and as many of each `condition`, for those that name one. In
    practice and attention checks `expected` holds the right answers by question.
    """

    id: str
    fields: dict[str, str]
    language: str = ""
    group: str = ""
    condition: str = ""
    list: str = ""
    judgements: int | None = None  # instead of the study's
    expected: dict[str, AnswerValue] = {}
    feedback: Words = {}  # shown after a practice item


class Drawn(_Part, frozen=True, kw_only=True):
    """How the items were drawn: by which of the suite's kinds of study, from what, and how many.

    For the owner; the names of runs may tell who wrote what, and never reach a person.
    """

    kind: str
    protocol: str
    runs: tuple[str, ...] = ()  # the names of their folders
    data: str = ""
    per_cell: int | None = None  # None: as many as the kind takes by itself
    total: int | None = None
    twice: int | None = None
    seed: int | None = None


class Study(_Part, frozen=True, kw_only=True):
    """A whole study. The title's languages are those a person can read the pages in.

    Practice comes first; attention checks and fillers are spread among the items. `lists`: any
    person any item; or the list the item names (`given`); or lists that each hold one item of
    every group, as many lists as a group has versions (`rotated`).
    """

    name: str
    suite: str
    title: Words
    show: tuple[Panel, ...]
    questions: tuple[Question, ...]
    instructions: Words = {}
    consent: Words = {}
    screening: tuple[Screen, ...] = ()
    access: Access = Access()
    judgements: int = 1
    per_person: int | None = None  # at most so many items each
    lists: Literal["none", "given", "rotated"] = "none"
    shuffle: bool = True
    hidden: tuple[str, ...] = ()  # fields of the items that never reach a person
    drawn: Drawn | None = None  # None: written by hand
    practice: tuple[StudyItem, ...] = ()
    checks: tuple[StudyItem, ...] = ()
    fillers: tuple[StudyItem, ...] = ()
    items: tuple[StudyItem, ...] = ()

    def question(self, name: str) -> Question:
        """The question of that id."""
        for question in self.questions:
            if question.id == name:
                return question
        raise unknown("question", name, (question.id for question in self.questions))


class Response(_Part, frozen=True, kw_only=True):
    """What one person answered about one item; when and how long it took, where that is known."""

    study: str
    participant: str
    item: str
    answers: dict[str, AnswerValue]
    at: datetime | None = None
    seconds: float | None = None
    language: str = ""  # in which the pages were read


class Settled(_Part, frozen=True, kw_only=True):
    """What the owner of a study decided where people differ; it is no person's answer."""

    study: str
    item: str
    question: str
    value: AnswerValue
    by: str
    at: datetime | None = None
