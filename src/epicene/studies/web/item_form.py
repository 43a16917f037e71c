"""An item as a form: its view for the templates, and the answers read back from the form.

Only visible fields get here (`studies.design.schema`). Nothing reveals whether an item is a filler
or a check, and texts to choose between are identified by position, as their names could reveal
something.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal, TypeAlias

from epicene import languages
from epicene.core.records import to_json
from epicene.languages.tokenisation import tokens, words
from epicene.studies.collection.participants import RejectedSubmissionError
from epicene.studies.design.answers import is_asked, options_of
from epicene.studies.design.lists import shuffled_choices
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
    """A piece of a text; `changed` in a comparison; `span` START-END if it is a word to mark."""

    text: str
    changed: bool = False
    span: str = ""
    mark: str | None = None  # None: not marked; "": marked; else the label of the mark


def compare_words(
    before: str, after: str, language: str
) -> tuple[tuple[TextPiece, ...], tuple[TextPiece, ...]]:
    """Two texts as pieces, those that differ `changed`."""
    one, other = _split(before, language), _split(after, language)
    same: tuple[set[int], set[int]] = (set(), set())
    for start, begin, length in SequenceMatcher(None, one, other, False).get_matching_blocks():
        same[0].update(range(start, start + length))
        same[1].update(range(begin, begin + length))
    return _pieces(one, same[0]), _pieces(other, same[1])


def _pieces(parts: Sequence[str], same: set[int]) -> tuple[TextPiece, ...]:
    return tuple(
        TextPiece(part, changed=number not in same and not part.isspace())
        for number, part in enumerate(parts)
    )


def _split(text: str, language: str) -> list[str]:
    """The text as words, punctuation and what is between; joined, they are the text."""
    parts, end = [], 0
    for token in tokens(text, language):
        parts += [text[end : token.start], text[token.start : token.end]]
        end = token.end
    return [part for part in (*parts, text[end:]) if part]


def markable_words(text: str, language: str, marks: AnswerValue) -> Iterator[TextPiece]:
    """The text as words that can be marked and what is between."""
    spans = {(span.start, span.end): span.label for span in marks if isinstance(span, Span)}
    end = 0
    for word in words(text, language):
        if word.start > end:
            yield TextPiece(text[end : word.start])
        yield TextPiece(
            text[word.start : word.end],
            span=f"{word.start}-{word.end}",
            mark=spans.get((word.start, word.end)),
        )
        end = word.end
    if end < len(text):
        yield TextPiece(text[end:])


QuestionKind: TypeAlias = Literal["choice", "tags", "text", "marks", "note"]

_DIGITS = "123456789"


@dataclass(frozen=True)
class ShownContent:
    """A text or an image, with its language and direction."""

    text: str = ""
    image: str = ""
    description: str = ""
    lang: str = ""
    dir: str = "auto"


@dataclass(frozen=True)
class PanelView:
    """A panel; one whose words are marked belongs to a `question`."""

    title: str
    parts: tuple[ShownContent, ...]
    pieces: tuple[tuple[TextPiece, ...], ...] = ()  # of each part, if it is split
    question: str = ""


@dataclass(frozen=True)
class OptionView:
    """An option of a question."""

    value: str
    label: str
    key: str
    chosen: bool = False
    shown: ShownContent | None = None  # a text or image to choose


@dataclass(frozen=True)
class QuestionView:
    """A question."""

    id: str
    kind: QuestionKind
    ask: str
    hint: str
    required: bool
    when: str  # JSON: earlier questions, and the values for which this one is asked
    condition: str = ""  # the condition in words
    options: tuple[OptionView, ...] = ()
    text: str = ""
    source: ShownContent | None = None
    same_words: bool = False
    lang: str = ""
    pieces: tuple[TextPiece, ...] = ()  # to mark, if no panel shows them


@dataclass(frozen=True)
class ItemView:
    """An item."""

    panels: tuple[PanelView, ...]
    questions: tuple[QuestionView, ...]


class ItemViewBuilder:
    """Builds the views of a study's items for one reader."""

    def __init__(self, study: Study, language: str, reader: str, images: Mapping[str, str]) -> None:
        self._study = study
        self._language = language
        self._reader = reader
        self._images = images  # addresses, by the values of image fields

    def item(self, item: StudyItem, answers: Mapping[str, AnswerValue]) -> ItemView:
        """The view of an item with the answers to start from."""
        between = {
            name
            for each in self._study.questions
            if isinstance(each, ChoiceQuestion)
            for name in each.between
        }
        # The words of a text are marked in its panel, for the first question about it.
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

    def shown_panels(self, item: StudyItem) -> tuple[PanelView, ...]:
        """All that is shown of an item, texts to choose between included."""
        return tuple(self._panel(panel, item, {}, {}) for panel in self._study.show)

    def question(
        self, question: Question, item: StudyItem, answers: Mapping[str, AnswerValue]
    ) -> QuestionView:
        """The view of one question about an item."""
        return self._question(question, item, answers, set())

    def choice_orders(self, item: StudyItem) -> tuple[tuple[str, ...], ...]:
        """The orders of the texts to choose between: all that depends on the reader."""
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
        direction = languages.direction(text) if panel.direction == "auto" else panel.direction
        return ShownContent(text=text, lang=panel.language or item.language, dir=direction)

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
            return replace(view, options=self._option_views(question.labels), pieces=pieces)
        if isinstance(question, TextQuestion):
            return self._text_question(view, question, item, answer)
        return replace(view, text=str(answer or ""))

    def _text_question(
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
            return tuple(self._text_options(question, item, chosen))
        return self._option_views(question.options, chosen)

    def _option_views(
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

    def _text_options(
        self, question: ChoiceQuestion, item: StudyItem, chosen: set[str | Span]
    ) -> Iterator[OptionView]:
        fields = visible_values(self._study, item)
        panels = {
            panel.field: panel for panel in self._study.show if not isinstance(panel, DiffPanel)
        }
        order = shuffled_choices(self._study, question, item, self._reader)
        for number, name in enumerate(order, start=1):
            panel = panels[name]
            yield OptionView(
                value=str(number),
                label=study_text(panel.title, self._language),
                key=str(number) if number <= len(_DIGITS) else "",
                chosen=name in chosen,
                shown=self._shown(panel, fields[name], item),
            )

    def _when(self, question: Question, item: StudyItem) -> dict[str, list[str]]:
        """What a question depends on, with the values that the form uses."""
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
            answers = " / ".join(self.answer_text(other, item, each) for each in wanted)
            parts.append(f"{study_text(other.ask, self._language)} {answers}")
        return "; ".join(parts)

    # --- answers as text -----------------------------------------------------------------------

    def answer_text(self, question: Question, item: StudyItem, answer: AnswerValue | None) -> str:
        """An answer as readable text."""
        if answer is None:
            return ""
        if isinstance(question, ChoiceQuestion) and question.between:
            return item.fields.get(str(answer), str(answer))
        options = {
            option.id: study_text(option.label, self._language) or option.id
            for option in options_of(question)
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


def _question_kind(question: Question) -> QuestionKind:
    kinds: dict[type, QuestionKind] = {
        ChoiceQuestion: "choice",
        TagsQuestion: "tags",
        TextQuestion: "text",
        MarksQuestion: "marks",
        NoteQuestion: "note",
    }
    return kinds[type(question)]


# --- reading the form ------------------------------------------------------------------------

_MARK_VALUE = re.compile(r"([0-9]{1,7})-([0-9]{1,7})(?::(.{1,100}))?")


def read_answers(
    study: Study, item: StudyItem, reader: str, values: Mapping[str, Sequence[str]]
) -> dict[str, AnswerValue]:
    """The answers in the fields of a form, without those to questions that are not asked."""
    known = {question.id for question in study.questions}
    for name in values:
        if name not in known:
            raise RejectedSubmissionError(f"There is no question {name[:50]!r}.")
    answers: dict[str, AnswerValue] = {}
    for question in study.questions:
        if is_asked(question, answers):
            answer = read_answer(study, question, item, reader, values.get(question.id, ()))
            if answer is not None:
                answers[question.id] = answer
    return answers


def restore_answers(
    study: Study, item: StudyItem, reader: str, values: Mapping[str, Sequence[str]]
) -> dict[str, AnswerValue]:
    """The contents of a rejected form, as far as they can be shown in one again."""
    restored: dict[str, AnswerValue] = {}
    for question in study.questions:
        given = values.get(question.id, ())
        answer: AnswerValue | None = None
        if isinstance(question, TextQuestion | NoteQuestion):
            answer = given[0].replace("\r\n", "\n") if given else None
        else:
            with suppress(RejectedSubmissionError):
                answer = read_answer(study, question, item, reader, given)
        if answer is not None:
            restored[question.id] = answer
    return restored


def read_answer(
    study: Study, question: Question, item: StudyItem, reader: str, values: Sequence[str]
) -> AnswerValue | None:
    """The answer in the values of a field; None if there is none."""
    given = [value for value in values if value.strip()]
    if isinstance(question, TagsQuestion | MarksQuestion):
        if not given and question.required:
            return None
        return tuple(map(_span, given)) if isinstance(question, MarksQuestion) else tuple(given)
    if not given:
        return None
    if len(given) > 1:
        raise RejectedSubmissionError(f"{question.id} has more than one answer.")
    if not isinstance(question, ChoiceQuestion):
        return given[0].replace("\r\n", "\n").strip()
    return _chosen(study, question, item, reader, given[0])


def _chosen(
    study: Study, question: ChoiceQuestion, item: StudyItem, reader: str, value: str
) -> str:
    """The option, or the text that the reader saw in this position."""
    if not question.between:
        return value
    order = shuffled_choices(study, question, item, reader)
    if value not in {str(number + 1) for number in range(len(order))}:
        raise RejectedSubmissionError(f"{question.id} has no choice {value[:50]!r}.")
    return order[int(value) - 1]


def _span(value: str) -> Span:
    found = _MARK_VALUE.fullmatch(value)
    if found is None:
        raise RejectedSubmissionError(f"{value[:50]!r} does not mark any words.")
    return Span(start=int(found[1]), end=int(found[2]), label=found[3] or "")
