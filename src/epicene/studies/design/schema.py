"""The records of a study, its responses and adjudications, and which fields people see.

A suite defines its studies and reads the responses back; collecting them needs no suite. Texts for
people are given by language; what is shown of an item is in the item's named fields.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, TypeVar

import msgspec

from epicene.core.errors import unknown
from epicene.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Collection


class _StudyRecord(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A part of a study file, written without what need not be said."""


# One text in one or more languages, by language code.
LocalisedText: TypeAlias = dict[str, str]
Direction: TypeAlias = Literal["auto", "ltr", "rtl"]


# --- what to show ----------------------------------------------------------------------------


class _Panel(_StudyRecord, frozen=True, kw_only=True, tag_field="show"):
    """`language` and `direction` are the item's and the text's own unless given."""

    title: LocalisedText = {}
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
    description: LocalisedText = {}  # for who cannot see it; must not give the answer away


Panel: TypeAlias = TextPanel | DiffPanel | ImagePanel


# --- what to ask -----------------------------------------------------------------------------


class Option(_StudyRecord, frozen=True, kw_only=True):
    """One way to answer: its id is stored, its label shown (the id, if none), its key pressed."""

    id: str
    label: LocalisedText = {}
    key: str = ""


class _Question(_StudyRecord, frozen=True, kw_only=True, tag_field="kind"):
    """`when` asks only if each earlier question it names got one of the options listed."""

    id: str
    ask: LocalisedText
    hint: LocalisedText = {}
    required: bool = True
    when: dict[str, tuple[str, ...]] = {}


class ChoiceQuestion(_Question, frozen=True, kw_only=True, tag="choice"):
    """One of `options`; or one of the shown texts whose fields `between` names, order shuffled.

    Of a `preference` no answer is the right one, so there is nothing to settle where people differ.
    """

    options: tuple[Option, ...] = ()
    between: tuple[str, ...] = ()
    preference: bool = False


class TagsQuestion(_Question, frozen=True, kw_only=True, tag="tags"):
    """Any number of the options; at least one if required."""

    options: tuple[Option, ...]
    required: bool = False


class TextQuestion(_Question, frozen=True, kw_only=True, tag="text"):
    """A text. The field `draft` is offered to start from, `source` to compare with word by word.

    `same_words` refuses a text with another number of words, between blanks, than `source`.
    """

    draft: str = ""
    source: str = ""
    same_words: bool = False
    language: str = ""


class MarksQuestion(_Question, frozen=True, kw_only=True, tag="marks"):
    """Words of the shown text `field`, each called one of `labels` where there are some."""

    field: str
    labels: tuple[Option, ...] = ()
    required: bool = False


class NoteQuestion(_Question, frozen=True, kw_only=True, tag="note"):
    """A remark for the owner of the study; never part of a label."""

    required: bool = False


Question: TypeAlias = ChoiceQuestion | TagsQuestion | TextQuestion | MarksQuestion | NoteQuestion


class Span(_StudyRecord, frozen=True, kw_only=True):
    """Characters [start, end) of a shown text."""

    start: int
    end: int
    label: str = ""


# An option's id, a field's name or a text; or tags; or spans.
AnswerValue: TypeAlias = str | tuple[str | Span, ...]


# --- who may answer --------------------------------------------------------------------------


class ChoiceScreener(_StudyRecord, frozen=True, kw_only=True, tag_field="kind", tag="choice"):
    """Goes on only with one of the options in `accept`."""

    id: str
    ask: LocalisedText
    options: tuple[Option, ...]
    accept: tuple[str, ...]


class NumberScreener(_StudyRecord, frozen=True, kw_only=True, tag_field="kind", tag="number"):
    """Goes on only with a number in the range."""

    id: str
    ask: LocalisedText
    at_least: int | None = None
    at_most: int | None = None


Screener: TypeAlias = ChoiceScreener | NumberScreener


class Access(_StudyRecord, frozen=True, kw_only=True):
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


class StudyItem(_StudyRecord, frozen=True, kw_only=True):
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
    feedback: LocalisedText = {}  # shown after a practice item


class SamplingRecord(_StudyRecord, frozen=True, kw_only=True):
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


class Study(_StudyRecord, frozen=True, kw_only=True):
    """A whole study. The title's languages are those a person can read the pages in.

    Practice comes first; attention checks and fillers are spread among the items. `lists`: any
    person any item; or the list the item names (`given`); or lists that each hold one item of
    every group, as many lists as a group has versions (`rotated`).
    """

    name: str
    suite: str
    title: LocalisedText
    show: tuple[Panel, ...]
    questions: tuple[Question, ...]
    instructions: LocalisedText = {}
    consent: LocalisedText = {}
    screening: tuple[Screener, ...] = ()
    access: Access = Access()
    judgements: int = 1
    per_person: int | None = None  # at most so many items each
    lists: Literal["none", "given", "rotated"] = "none"
    shuffle: bool = True
    hidden: tuple[str, ...] = ()  # fields of the items that never reach a person
    drawn: SamplingRecord | None = None  # None: written by hand
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


class Response(_StudyRecord, frozen=True, kw_only=True):
    """What one person answered about one item; when and how long it took, where that is known."""

    study: str
    participant: str
    item: str
    answers: dict[str, AnswerValue]
    at: datetime | None = None
    seconds: float | None = None
    language: str = ""  # in which the pages were read


class Adjudication(_StudyRecord, frozen=True, kw_only=True):
    """What the owner of a study decided where people differ; it is no person's answer."""

    study: str
    item: str
    question: str
    value: AnswerValue
    by: str
    at: datetime | None = None


def visible_fields(study: Study) -> dict[str, str]:
    """The fields of an item that reach a person, with the place that shows them."""
    shown: dict[str, str] = {}
    for number, panel in enumerate(study.show):
        names = [panel.before, panel.after] if isinstance(panel, DiffPanel) else [panel.field]
        shown |= dict.fromkeys(names, f"show[{number}]")
    for number, question in enumerate(study.questions):
        if isinstance(question, TextQuestion):
            names = [name for name in (question.draft, question.source) if name]
            shown |= {
                name: f"questions[{number}] ({question.id})" for name in names if name not in shown
            }
    return shown


def visible_values(study: Study, item: StudyItem) -> dict[str, str]:
    """What a person gets to see of an item, by field."""
    return {name: item.fields[name] for name in visible_fields(study)}


def text_blocks(text: str) -> list[tuple[str, list[str]]]:
    """Paragraphs and lists of a text: blank lines between them, a hyphen before a point."""
    blocks: list[tuple[str, list[str]]] = []
    for paragraph in text.strip().split("\n\n"):
        lines = [line.strip() for line in paragraph.strip().split("\n") if line.strip()]
        for line in lines:
            kind = "li" if line.startswith("- ") else "p"
            if kind == "li":
                if blocks and blocks[-1][0] == "li":
                    blocks[-1][1].append(line[2:])
                else:
                    blocks.append(("li", [line[2:]]))
            elif line is lines[0] or not blocks:
                blocks.append(("p", [line]))
            else:  # a line that goes on
                blocks[-1][1][-1] += f" {line}"
    return blocks


def judgements_wanted(study: Study, item: StudyItem) -> int:
    """How many people are to judge an item."""
    return study.judgements if item.judgements is None else item.judgements


# The fields of a study's parts that hold a text by language.
LOCALISED_FIELDS = {
    "title",
    "instructions",
    "consent",
    "ask",
    "hint",
    "label",
    "description",
    "feedback",
}


PartT = TypeVar("PartT")


def restrict_languages(part: PartT, codes: Collection[str]) -> PartT:
    """The study, or a part of one, with its texts in these languages alone."""
    if isinstance(part, tuple):
        return type(part)(restrict_languages(inner, codes) for inner in part)
    if not isinstance(part, msgspec.Struct):
        return part
    kept = {}
    for name in part.__struct_fields__:
        value = getattr(part, name)
        if name in LOCALISED_FIELDS and isinstance(value, dict):
            kept[name] = {code: text for code, text in value.items() if code in codes}
        else:
            kept[name] = restrict_languages(value, codes)
    return msgspec.structs.replace(part, **kept)
