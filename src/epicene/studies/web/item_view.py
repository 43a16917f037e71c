"""The view of an item for the templates: panels, questions, options, words to compare or mark.

Only visible fields get here (`studies.design.schema`). Nothing reveals whether an item is a filler
or a check, and texts to choose between are identified by position alone: their names could tell.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal, TypeAlias

from epicene import languages
from epicene.core.records import to_json
from epicene.languages.tokenisation import tokens, words
from epicene.studies.collection.database import hash_fraction
from epicene.studies.design.schema import (
    ChoiceQuestion,
    DiffPanel,
    ImagePanel,
    MarksQuestion,
    NoteQuestion,
    Span,
    TagsQuestion,
    TextPanel,
    TextQuestion,
    visible_values,
)
from epicene.studies.web.translations import study_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from epicene.studies.design.schema import AnswerValue, Option, Panel, Question, Study, StudyItem


@dataclass(frozen=True)
class TextPiece:
    """A stretch of a text; `changed` in a comparison, `place` where it is a word to be marked."""

    text: str
    changed: bool = False
    place: str = ""
    mark: str | None = None  # None: not marked; "": marked; else the label of the mark


def compare_words(
    before: str, after: str, language: str
) -> tuple[tuple[TextPiece, ...], tuple[TextPiece, ...]]:
    """Two texts in pieces, with the words that differ marked."""
    one, other = _split(before, language), _split(after, language)
    same: tuple[set[int], set[int]] = (set(), set())
    for start, begin, length in SequenceMatcher(None, one, other, False).get_matching_blocks():
        same[0].update(range(start, start + length))
        same[1].update(range(begin, begin + length))
    return _pieces(one, same[0]), _pieces(other, same[1])


def _pieces(parts: Sequence[str], same: set[int]) -> tuple[TextPiece, ...]:
    return tuple(
        TextPiece(part, changed=place not in same and not part.isspace())
        for place, part in enumerate(parts)
    )


def _split(text: str, language: str) -> list[str]:
    """A text in words, punctuation, and what stands between; joined, it is the text again."""
    parts, end = [], 0
    for token in tokens(text, language):
        parts += [text[end : token.start], text[token.start : token.end]]
        end = token.end
    return [part for part in (*parts, text[end:]) if part]


def markable_words(text: str, language: str, marks: AnswerValue) -> Iterator[TextPiece]:
    """A text in words that can be marked, and what stands between."""
    spans = {(span.start, span.end): span.label for span in marks if isinstance(span, Span)}
    end = 0
    for word in words(text, language):
        if word.start > end:
            yield TextPiece(text[end : word.start])
        yield TextPiece(
            text[word.start : word.end],
            place=f"{word.start}-{word.end}",
            mark=spans.get((word.start, word.end)),
        )
        end = word.end
    if end < len(text):
        yield TextPiece(text[end:])


QuestionKind: TypeAlias = Literal["choice", "tags", "text", "marks", "note"]

_DIGITS = "123456789"


@dataclass(frozen=True)
class ShownContent:
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
    parts: tuple[ShownContent, ...]
    pieces: tuple[tuple[TextPiece, ...], ...] = ()  # of each part, where it is in pieces
    question: str = ""


@dataclass(frozen=True)
class OptionView:
    """One way to answer."""

    value: str
    label: str
    key: str
    chosen: bool = False
    shown: ShownContent | None = None  # instead of a label


@dataclass(frozen=True)
class QuestionView:
    """One question."""

    id: str
    kind: QuestionKind
    ask: str
    hint: str
    required: bool
    when: str  # JSON: the questions it depends on, with the values that make it asked
    condition: str = ""  # the same in words
    options: tuple[OptionView, ...] = ()
    text: str = ""
    source: ShownContent | None = None
    same_words: bool = False
    lang: str = ""
    pieces: tuple[TextPiece, ...] = ()  # to mark, where the text stands nowhere else


@dataclass(frozen=True)
class ItemView:
    """All of one item."""

    panels: tuple[PanelView, ...]
    questions: tuple[QuestionView, ...]


class ItemViewBuilder:
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
            if isinstance(each, ChoiceQuestion)
            for name in each.between
        }
        # The text of the first question that marks it is marked where it stands.
        marked: dict[str, MarksQuestion] = {}
        for question in self._study.questions:
            if isinstance(question, MarksQuestion):
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
            tuple(shuffled_choices(self._study, question, item, self._reader))
            for question in self._study.questions
            if isinstance(question, ChoiceQuestion) and question.between
        )

    # --- panels --------------------------------------------------------------------------------

    def _panel(
        self,
        panel: Panel,
        item: StudyItem,
        marked: Mapping[str, MarksQuestion],
        answers: Mapping[str, AnswerValue],
    ) -> PanelView:
        title = study_text(panel.title, self._language)
        fields = visible_values(self._study, item)
        if isinstance(panel, DiffPanel):
            parts = tuple(
                self._text(fields[name], panel, item) for name in (panel.before, panel.after)
            )
            return PanelView(
                title, parts, compare_words(parts[0].text, parts[1].text, item.language)
            )
        part = self._shown(panel, fields[panel.field], item)
        question = marked.get(panel.field)
        if question is None or isinstance(panel, ImagePanel):
            return PanelView(title, (part,))
        pieces = (tuple(markable_words(part.text, item.language, answers.get(question.id, ()))),)
        return PanelView(title, (part,), pieces, question.id)

    def _shown(self, panel: TextPanel | ImagePanel, value: str, item: StudyItem) -> ShownContent:
        if isinstance(panel, ImagePanel):
            description = study_text(panel.description, self._language)
            return ShownContent(image=self._images.get(value, ""), description=description)
        return self._text(value, panel, item)

    @staticmethod
    def _text(text: str, panel: Panel, item: StudyItem) -> ShownContent:
        way = languages.direction(text) if panel.direction == "auto" else panel.direction
        return ShownContent(text=text, lang=panel.language or item.language, dir=way)

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
            kind=_question_kind(question),
            ask=study_text(question.ask, self._language),
            hint=study_text(question.hint, self._language),
            required=question.required,
            when=to_json(self._when(question, item)).decode() if question.when else "",
            condition=self._condition(question, item),
        )
        if isinstance(question, ChoiceQuestion | TagsQuestion):
            return replace(view, options=self._options(question, item, answer or ()))
        if isinstance(question, MarksQuestion):
            pieces = (
                ()
                if question.id in in_place
                else tuple(markable_words(item.fields[question.field], item.language, answer or ()))
            )
            return replace(view, options=self._labelled(question.labels), pieces=pieces)
        if isinstance(question, TextQuestion):
            return self._written(view, question, item, answer)
        return replace(view, text=str(answer or ""))

    def _written(
        self,
        view: QuestionView,
        question: TextQuestion,
        item: StudyItem,
        answer: AnswerValue | None,
    ) -> QuestionView:
        fields = visible_values(self._study, item)
        draft = fields[question.draft] if question.draft else ""
        source = None
        language = question.language or item.language
        if question.source:
            text = fields[question.source]
            source = ShownContent(text=text, lang=language, dir=languages.direction(text))
        return replace(
            view,
            text=draft if answer is None else str(answer),
            source=source,
            same_words=question.same_words,
            lang=language,
        )

    def _options(
        self, question: ChoiceQuestion | TagsQuestion, item: StudyItem, answer: AnswerValue
    ) -> tuple[OptionView, ...]:
        chosen: set[str | Span] = {answer} if isinstance(answer, str) else set(answer)
        if isinstance(question, ChoiceQuestion) and question.between:
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
                label=study_text(option.label, self._language) or option.id,
                key=option.key or next(free, ""),
                chosen=option.id in chosen,
            )
            for option in options
        )

    def _between(
        self, question: ChoiceQuestion, item: StudyItem, chosen: set[str | Span]
    ) -> Iterator[OptionView]:
        fields = visible_values(self._study, item)
        panels = {
            panel.field: panel for panel in self._study.show if not isinstance(panel, DiffPanel)
        }
        for place, name in enumerate(
            shuffled_choices(self._study, question, item, self._reader), start=1
        ):
            panel = panels[name]
            yield OptionView(
                value=str(place),
                label=study_text(panel.title, self._language),
                key=str(place) if place <= len(_DIGITS) else "",
                chosen=name in chosen,
                shown=self._shown(panel, fields[name], item),
            )

    def _when(self, question: Question, item: StudyItem) -> dict[str, list[str]]:
        """What a question depends on, in the values that stand on the page."""
        found = {}
        for name, wanted in question.when.items():
            other = self._study.question(name)
            if isinstance(other, ChoiceQuestion) and other.between:
                order = shuffled_choices(self._study, other, item, self._reader)
                found[name] = [str(order.index(each) + 1) for each in wanted]
            else:
                found[name] = list(wanted)
        return found

    def _condition(self, question: Question, item: StudyItem) -> str:
        parts = []
        for name, wanted in question.when.items():
            other = self._study.question(name)
            said = " / ".join(self.said(other, item, each) for each in wanted)
            parts.append(f"{study_text(other.ask, self._language)} {said}")
        return "; ".join(parts)

    # --- answers to be read --------------------------------------------------------------------

    def said(self, question: Question, item: StudyItem, answer: AnswerValue | None) -> str:
        """An answer in words."""
        if answer is None:
            return ""
        if isinstance(question, ChoiceQuestion) and question.between:
            return item.fields.get(str(answer), str(answer))
        options = {
            option.id: study_text(option.label, self._language) or option.id
            for option in _options_of(question)
        }
        if isinstance(answer, str):
            return options.get(answer, answer)
        text = item.fields[question.field] if isinstance(question, MarksQuestion) else ""
        return ", ".join(
            options.get(each, each)
            if isinstance(each, str)
            else text[each.start : each.end]
            + (f" ({options.get(each.label, each.label)})" if each.label else "")
            for each in answer
        )


def shuffled_choices(
    study: Study, question: ChoiceQuestion, item: StudyItem, reader: str
) -> list[str]:
    """The texts to choose between in the order in which a reader sees them, always the same."""
    if not study.shuffle:
        return list(question.between)
    return sorted(
        question.between,
        key=lambda name: hash_fraction(study.name, reader, item.id, question.id, name),
    )


def _question_kind(question: Question) -> QuestionKind:
    kinds: dict[type, QuestionKind] = {
        ChoiceQuestion: "choice",
        TagsQuestion: "tags",
        TextQuestion: "text",
        MarksQuestion: "marks",
        NoteQuestion: "note",
    }
    return kinds[type(question)]


def _options_of(question: Question) -> tuple[Option, ...]:
    if isinstance(question, ChoiceQuestion | TagsQuestion):
        return question.options
    return question.labels if isinstance(question, MarksQuestion) else ()
