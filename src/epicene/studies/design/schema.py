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
    from collections.abc import Collection, Iterator


class _StudyRecord(Record, frozen=True, kw_only=True, omit_defaults=True):
    """A part of a study file, written without fields that have their default."""


# One text in one or more languages, by language code
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
    """An image, by its sha256 in the run's files or its path beside the study."""

    field: str
    description: LocalisedText = {}  # alternative text; must not give the answer away


Panel: TypeAlias = TextPanel | DiffPanel | ImagePanel


# --- what to ask -----------------------------------------------------------------------------


class Option(_StudyRecord, frozen=True, kw_only=True):
    """One choice: its id is stored, its label shown (the id, if none), its key selects it."""

    id: str
    label: LocalisedText = {}
    key: str = ""


class _Question(_StudyRecord, frozen=True, kw_only=True, tag_field="kind"):
    """`when`: ask only if each earlier question named there got one of the options listed."""

    id: str
    ask: LocalisedText
    hint: LocalisedText = {}
    required: bool = True
    when: dict[str, tuple[str, ...]] = {}


class ChoiceQuestion(_Question, frozen=True, kw_only=True, tag="choice"):
    """One of `options`; or one of the shown texts whose fields `between` names, order shuffled.

    A `preference` has no right answer, so disagreements about it are not adjudicated.
    """

    options: tuple[Option, ...] = ()
    between: tuple[str, ...] = ()
    preference: bool = False


class TagsQuestion(_Question, frozen=True, kw_only=True, tag="tags"):
    """Any number of options; at least one if required."""

    options: tuple[Option, ...]
    required: bool = False


class TextQuestion(_Question, frozen=True, kw_only=True, tag="text"):
    """A text. The field `draft` is where it starts from, `source` what it is compared with.

    `same_words` requires as many blank-separated words as `source` has, `changed` another text than
    the draft.
    """

    draft: str = ""
    source: str = ""
    same_words: bool = False
    changed: bool = False
    language: str = ""


class MarksQuestion(_Question, frozen=True, kw_only=True, tag="marks"):
    """Words marked in the shown text `field`, each with one of `labels` if there are any."""

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


# An option's id, a field's name or a text; or tags; or spans
AnswerValue: TypeAlias = str | tuple[str | Span, ...]


# --- who may answer --------------------------------------------------------------------------


class ChoiceScreener(_StudyRecord, frozen=True, kw_only=True, tag_field="kind", tag="choice"):
    """Admits a participant who chooses one of the options in `accept`."""

    id: str
    ask: LocalisedText
    options: tuple[Option, ...]
    accept: tuple[str, ...]


class NumberScreener(_StudyRecord, frozen=True, kw_only=True, tag_field="kind", tag="number"):
    """Admits a participant who gives a number in the range."""

    id: str
    ask: LocalisedText
    at_least: int | None = None
    at_most: int | None = None


Screener: TypeAlias = ChoiceScreener | NumberScreener


class Access(_StudyRecord, frozen=True, kw_only=True):
    """Entry by personal links, or by one open link that takes a platform's participant id.

    After `closes` no tasks are assigned. A file may name the last day (UTC) instead of a time.
    """

    entry: Literal["personal", "open"] = "personal"
    participant_parameter: str = ""  # of the open link's address, e.g. PROLIFIC_PID
    completion_code: str = ""
    completion_url: str = ""  # where participants go at the end; {code} is filled in
    screened_out_url: str = ""  # where participants go who do not pass the screening
    full_url: str = ""  # where participants go if nothing is left to judge
    excluded_code: str = ""  # instead of the completion code, for excluded participants
    excluded_url: str = ""  # where excluded participants go; {code} is filled in
    closes: Annotated[datetime, msgspec.Meta(tz=True)] | None = None


class ExclusionRule(_StudyRecord, frozen=True, kw_only=True):
    """Which participants are excluded: their answers are kept but not counted, and replaced.

    The rule is applied when a participant finishes, and before that once they can no longer answer
    enough attention checks right.
    """

    checks: float | None = None  # the least share of the attention checks to answer right
    seconds: float | None = None  # the least median time per item


# --- the study -------------------------------------------------------------------------------


class StudyItem(_StudyRecord, frozen=True, kw_only=True):
    """One thing to judge.

    Items of one `group` are versions of each other: intervals count them as one, and with
    rotated lists a participant sees one of them, and equally many items of each `condition`. In
    practice and attention checks `expected` holds the right answers by question. A sampled item
    has the `cell` that it was sampled from and its `inclusion`, the probability of being sampled.
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
    cell: tuple[str, ...] = ()
    inclusion: float | None = None

    @property
    def cluster(self) -> str:
        """The group, or the item's own id if it has none: what intervals are over."""
        return self.group or self.id


class SampledCell(_StudyRecord, frozen=True, kw_only=True):
    """A cell of the design: how many items could be sampled from it, how many were, and how many
    were wanted, where that was computed."""

    cell: tuple[str, ...]
    size: int
    sampled: int
    wanted: int | None = None


class SamplingRecord(_StudyRecord, frozen=True, kw_only=True):
    """How the items were sampled: by which kind of study, from what, and how many.

    For the owner only: the names of runs could reveal who wrote what.
    """

    kind: str
    protocol: str
    runs: tuple[str, ...] = ()  # the names of their folders
    languages: tuple[str, ...] = ()  # of the items that could be sampled; none: all
    data: str = ""
    suite_file: str = ""  # that defines the suite, if it is not installed
    per_cell: int | None = None  # None: as many as the kind takes by itself
    total: int | None = None
    twice: int | None = None
    seed: int | None = None
    precision: float | None = None  # the half-width that the number of items was computed for
    pilot: str = ""  # the name of the study that the items were allocated by
    uncertain_first: bool = False  # whether uncertain judgements are cells of their own
    cells: tuple[SampledCell, ...] = ()


class Study(_StudyRecord, frozen=True, kw_only=True):
    """A whole study. The languages of its title are those of the pages.

    Practice comes first; attention checks and fillers are spread among the items. With `lists` a
    participant sees the items of one list: those that name it (`given`), or one version of every
    group (`rotated`, with as many lists as a group has versions).
    """

    name: str
    suite: str = ""  # that defines the study; empty for a study of your own
    title: LocalisedText
    show: tuple[Panel, ...]
    questions: tuple[Question, ...]
    instructions: LocalisedText = {}
    consent: LocalisedText = {}
    screening: tuple[Screener, ...] = ()
    access: Access = Access()
    exclude: ExclusionRule | None = None
    judgements: int = 1
    per_person: int | None = None  # the most items that one participant gets
    lists: Literal["none", "given", "rotated"] = "none"
    shuffle: bool = True
    hidden: tuple[str, ...] = ()  # fields of the items that participants never see
    drawn: SamplingRecord | None = None  # None: written by hand
    practice: tuple[StudyItem, ...] = ()
    checks: tuple[StudyItem, ...] = ()
    fillers: tuple[StudyItem, ...] = ()
    items: tuple[StudyItem, ...] = ()

    def question(self, name: str) -> Question:
        """The question with this id."""
        for question in self.questions:
            if question.id == name:
                return question
        raise unknown("question", name, (question.id for question in self.questions))


class Response(_StudyRecord, frozen=True, kw_only=True):
    """One participant's answers about one item, with the time and duration if known."""

    study: str
    participant: str
    item: str
    answers: dict[str, AnswerValue]
    at: datetime | None = None
    seconds: float | None = None
    language: str = ""  # of the pages


class Adjudication(_StudyRecord, frozen=True, kw_only=True):
    """The owner's decision on a question about which participants disagree."""

    study: str
    item: str
    question: str
    value: AnswerValue
    by: str
    at: datetime | None = None


# The parts of a study that hold items, in the order in which they are searched
ITEM_PARTS = ("practice", "checks", "fillers", "items")


def all_items(study: Study) -> Iterator[StudyItem]:
    """The items of all parts: practice, attention checks, fillers and the study's own."""
    for part in ITEM_PARTS:
        yield from getattr(study, part)


def visible_fields(study: Study) -> dict[str, str]:
    """The fields that participants see, each with the part of the study that shows it."""
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
    """The values of an item that participants see, by field."""
    return {name: item.fields[name] for name in visible_fields(study)}


def text_blocks(text: str) -> list[tuple[str, list[str]]]:
    """The paragraphs ("p") and lists ("li") of a text: blank lines separate, hyphens itemise."""
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
            else:  # a continuation line
                blocks[-1][1][-1] += f" {line}"
    return blocks


def judgements_wanted(study: Study, item: StudyItem) -> int:
    """How many participants are to judge an item."""
    return study.judgements if item.judgements is None else item.judgements


# The fields that hold localised texts
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
    """The study, or a part of one, with its texts in these languages only."""
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
