"""What stands on the page of an item, ready for the templates.

Only what the study shows gets here (`studies.showing`). Nothing says which part of the study an
item is of, and texts to choose between go by their place alone: their names could tell.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from epicene import languages
from epicene.annotate.ledger import point
from epicene.annotate.pages.texts import Piece, compared, to_mark
from epicene.annotate.pages.words import told
from epicene.records import to_json
from epicene.studies import Choose, DiffPanel, ImagePanel, Mark, Note, Span, Tag, TextPanel, Write
from epicene.studies.showing import shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from epicene.studies import AnswerValue, Option, Panel, Question, Study, StudyItem

Kind: TypeAlias = Literal["choice", "tags", "text", "marks", "note"]

_DIGITS = "123456789"


@dataclass(frozen=True)
class Shown:
    """A text or a picture, and how it is to be set."""

    text: str = ""
    image: str = ""
    description: str = ""
    lang: str = ""
    dir: str = "auto"


@dataclass(frozen=True)
class PanelView:
    """One thing that is shown. A text in which words are marked belongs to a `question`."""

    title: str
    parts: tuple[Shown, ...]
    pieces: tuple[tuple[Piece, ...], ...] = ()  # of each part, where it is in pieces
    question: str = ""


@dataclass(frozen=True)
class OptionView:
    """One way to answer."""

    value: str
    label: str
    key: str
    chosen: bool = False
    shown: Shown | None = None  # instead of a label


@dataclass(frozen=True)
class QuestionView:
    """One question."""

    id: str
    kind: Kind
    ask: str
    hint: str
    required: bool
    when: str  # JSON: the questions it depends on, with the values that make it asked
    condition: str = ""  # the same in words
    options: tuple[OptionView, ...] = ()
    text: str = ""
    source: Shown | None = None
    same_words: bool = False
    lang: str = ""
    pieces: tuple[Piece, ...] = ()  # to mark, where the text stands nowhere else


@dataclass(frozen=True)
class ItemView:
    """All of one item."""

    panels: tuple[PanelView, ...]
    questions: tuple[QuestionView, ...]


class Viewer:
    """Makes views of a study's items for one reader."""

    def __init__(self, study: Study, language: str, reader: str, images: Mapping[str, str]) -> None:
        self._study = study
        self._language = language
        self._reader = reader
        self._images = images  # addresses, by what items call their pictures

    def item(self, item: StudyItem, answers: Mapping[str, AnswerValue]) -> ItemView:
        """An item with the answers to start from."""
        between = {
            name
            for each in self._study.questions
            if isinstance(each, Choose)
            for name in each.between
        }
        # The text of the first question that marks it is marked where it stands.
        marked: dict[str, Mark] = {}
        for question in self._study.questions:
            if isinstance(question, Mark):
                marked.setdefault(question.field, question)
        panels = tuple(
            self._panel(panel, item, marked, answers)
            for panel in self._study.show
            if isinstance(panel, DiffPanel) or panel.field not in between
        )
        in_place = {each.question for each in panels}
        return ItemView(
            panels,
            tuple(
                self._question(question, item, answers, in_place)
                for question in self._study.questions
            ),
        )

    def question(
        self, question: Question, item: StudyItem, answers: Mapping[str, AnswerValue]
    ) -> QuestionView:
        """One question about an item, by itself."""
        return self._question(question, item, answers, set())

    def orders(self, item: StudyItem) -> tuple[tuple[str, ...], ...]:
        """In which order texts to choose between stand; all else is the same for every reader."""
        return tuple(
            tuple(shuffled(self._study, question, item, self._reader))
            for question in self._study.questions
            if isinstance(question, Choose) and question.between
        )

    # --- panels --------------------------------------------------------------------------------

    def _panel(
        self,
        panel: Panel,
        item: StudyItem,
        marked: Mapping[str, Mark],
        answers: Mapping[str, AnswerValue],
    ) -> PanelView:
        title = told(panel.title, self._language)
        fields = shown(self._study, item)
        if isinstance(panel, DiffPanel):
            parts = tuple(
                self._text(fields[name], panel, item) for name in (panel.before, panel.after)
            )
            return PanelView(title, parts, compared(parts[0].text, parts[1].text, item.language))
        part = self._shown(panel, fields[panel.field], item)
        question = marked.get(panel.field)
        if question is None or isinstance(panel, ImagePanel):
            return PanelView(title, (part,))
        pieces = (tuple(to_mark(part.text, item.language, answers.get(question.id, ()))),)
        return PanelView(title, (part,), pieces, question.id)

    def _shown(self, panel: TextPanel | ImagePanel, value: str, item: StudyItem) -> Shown:
        if isinstance(panel, ImagePanel):
            description = told(panel.description, self._language)
            return Shown(image=self._images.get(value, ""), description=description)
        return self._text(value, panel, item)

    @staticmethod
    def _text(text: str, panel: Panel, item: StudyItem) -> Shown:
        way = languages.direction(text) if panel.direction == "auto" else panel.direction
        return Shown(text=text, lang=panel.language or item.language, dir=way)

    # --- questions -----------------------------------------------------------------------------

    def _question(
        self,
        question: Question,
        item: StudyItem,
        answers: Mapping[str, AnswerValue],
        in_place: set[str],
    ) -> QuestionView:
        answer = answers.get(question.id)
        view = QuestionView(
            id=question.id,
            kind=_kind(question),
            ask=told(question.ask, self._language),
            hint=told(question.hint, self._language),
            required=question.required,
            when=to_json(self._when(question, item)).decode() if question.when else "",
            condition=self._condition(question, item),
        )
        if isinstance(question, Choose | Tag):
            return replace(view, options=self._options(question, item, answer or ()))
        if isinstance(question, Mark):
            pieces = (
                ()
                if question.id in in_place
                else tuple(to_mark(item.fields[question.field], item.language, answer or ()))
            )
            return replace(view, options=self._labelled(question.labels), pieces=pieces)
        if isinstance(question, Write):
            return self._written(view, question, item, answer)
        return replace(view, text=str(answer or ""))

    def _written(
        self, view: QuestionView, question: Write, item: StudyItem, answer: AnswerValue | None
    ) -> QuestionView:
        fields = shown(self._study, item)
        draft = fields[question.draft] if question.draft else ""
        source = None
        language = question.language or item.language
        if question.source:
            text = fields[question.source]
            source = Shown(text=text, lang=language, dir=languages.direction(text))
        return replace(
            view,
            text=draft if answer is None else str(answer),
            source=source,
            same_words=question.same_words,
            lang=language,
        )

    def _options(
        self, question: Choose | Tag, item: StudyItem, answer: AnswerValue
    ) -> tuple[OptionView, ...]:
        chosen: set[str | Span] = {answer} if isinstance(answer, str) else set(answer)
        if isinstance(question, Choose) and question.between:
            return tuple(self._between(question, item, chosen))
        return self._labelled(question.options, chosen)

    def _labelled(
        self, options: Sequence[Option], chosen: Collection[str | Span] = ()
    ) -> tuple[OptionView, ...]:
        taken = {option.key for option in options}
        free = iter([digit for digit in _DIGITS if digit not in taken])
        return tuple(
            OptionView(
                value=option.id,
                label=told(option.label, self._language) or option.id,
                key=option.key or next(free, ""),
                chosen=option.id in chosen,
            )
            for option in options
        )

    def _between(
        self, question: Choose, item: StudyItem, chosen: set[str | Span]
    ) -> Iterator[OptionView]:
        fields = shown(self._study, item)
        panels = {
            panel.field: panel for panel in self._study.show if not isinstance(panel, DiffPanel)
        }
        for place, name in enumerate(shuffled(self._study, question, item, self._reader), start=1):
            panel = panels[name]
            yield OptionView(
                value=str(place),
                label=told(panel.title, self._language),
                key=str(place) if place <= len(_DIGITS) else "",
                chosen=name in chosen,
                shown=self._shown(panel, fields[name], item),
            )

    def _when(self, question: Question, item: StudyItem) -> dict[str, list[str]]:
        """What a question depends on, in the values that stand on the page."""
        found = {}
        for name, wanted in question.when.items():
            other = self._study.question(name)
            if isinstance(other, Choose) and other.between:
                order = shuffled(self._study, other, item, self._reader)
                found[name] = [str(order.index(each) + 1) for each in wanted]
            else:
                found[name] = list(wanted)
        return found

    def _condition(self, question: Question, item: StudyItem) -> str:
        parts = []
        for name, wanted in question.when.items():
            other = self._study.question(name)
            said = " / ".join(self.said(other, item, each) for each in wanted)
            parts.append(f"{told(other.ask, self._language)} {said}")
        return "; ".join(parts)

    # --- answers to be read --------------------------------------------------------------------

    def said(self, question: Question, item: StudyItem, answer: AnswerValue | None) -> str:
        """An answer in words."""
        if answer is None:
            return ""
        if isinstance(question, Choose) and question.between:
            return item.fields.get(str(answer), str(answer))
        options = {
            option.id: told(option.label, self._language) or option.id
            for option in _options_of(question)
        }
        if isinstance(answer, str):
            return options.get(answer, answer)
        text = item.fields[question.field] if isinstance(question, Mark) else ""
        return ", ".join(
            options.get(each, each)
            if isinstance(each, str)
            else text[each.start : each.end]
            + (f" ({options.get(each.label, each.label)})" if each.label else "")
            for each in answer
        )


def shuffled(study: Study, question: Choose, item: StudyItem, reader: str) -> list[str]:
    """The texts to choose between in the order in which a reader sees them, always the same."""
    if not study.shuffle:
        return list(question.between)
    return sorted(
        question.between, key=lambda name: point(study.name, reader, item.id, question.id, name)
    )


def _kind(question: Question) -> Kind:
    kinds: dict[type, Kind] = {
        Choose: "choice",
        Tag: "tags",
        Write: "text",
        Mark: "marks",
        Note: "note",
    }
    return kinds[type(question)]


def _options_of(question: Question) -> tuple[Option, ...]:
    if isinstance(question, Choose | Tag):
        return question.options
    return question.labels if isinstance(question, Mark) else ()
