"""Validation of studies: each problem as one sentence that says where it is."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from epicene.core import registry
from epicene.core.errors import InputError, as_sentence, unknown_name
from epicene.studies.design.answers import answer_problems, choice_ids, options_of
from epicene.studies.design.interface_texts import interface_languages
from epicene.studies.design.schema import (
    ITEM_PARTS,
    LOCALISED_FIELDS,
    ChoiceQuestion,
    ChoiceScreener,
    DiffPanel,
    MarksQuestion,
    Response,
    Study,
    TagsQuestion,
    TextPanel,
    TextQuestion,
    visible_fields,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from epicene.studies.design.schema import LocalisedText, Option, Question, Screener, StudyItem


# Keys that have another function on the pages than choosing an option: undo, help, mark a word.
RESERVED_KEYS = ("u", "?", " ")


def check_study(study: Study, where: str) -> None:
    """Raise InputError for the first problem of a study."""
    for fault in study_problems(study):
        raise InputError(f"{where}: {as_sentence(fault)}")


def launch_problems(study: Study) -> Iterator[str]:
    """Problems that a study must not have when it starts.

    One that is under way is read and served in spite of them.
    """
    for number, screen in enumerate(study.screening):
        if isinstance(screen, ChoiceScreener):
            yield from _key_problems(f"screening[{number}] ({screen.id})", screen.options)
    for number, question in enumerate(study.questions):
        location = f"questions[{number}] ({question.id})"
        yield from _key_problems(location, options_of(question))
        for label in question.labels if isinstance(question, MarksQuestion) else ():
            if ":" in label.id:
                yield (
                    f"{location} has the id {label.id!r}, but sheets do not allow a colon in an id"
                )


def launch_advice(study: Study) -> Iterator[str]:
    """What a study may lack; it can start without."""
    access = study.access
    if not study.items:
        yield "there are no items yet"
    if not study.instructions:
        yield "there are no instructions"
    if not study.consent:
        yield "participants are not asked for consent"
    if not study.practice:
        yield "there are no practice items"
    if not study.checks:
        yield "there are no attention checks"
    elif study.exclude is None:
        yield (
            "participants who fail the attention checks still count; add [exclude] to replace them"
        )
    if access.entry == "open" and not access.participant_parameter:
        yield (
            "anyone with the open link can take part, and again from another browser, because "
            "participant_parameter is not set"
        )
    if access.entry == "open" and not access.completion_code:
        yield "participants with the open link get no completion_code"
    if access.entry == "open" and study.exclude is not None and not access.excluded_code:
        yield (
            "excluded participants get no excluded_code, so they cannot be distinguished "
            "from drop-outs"
        )
    for code in study.title:
        if code not in interface_languages():
            yield f"the buttons on the pages stay in English for {code!r}"


def study_problems(study: Study) -> Iterator[str]:
    """All problems of a study."""
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", study.name):
        yield f"the name {study.name!r} must consist of lower-case letters, digits and hyphens"
    for what in ("show", "questions"):
        if not getattr(study, what):
            yield f"{what} is empty"
    if study.judgements < 1:
        yield f"judgements is {study.judgements}, but must be at least 1"
    if study.per_person is not None and study.per_person < 1:
        yield f"per_person is {study.per_person}, but must be at least 1"
    yield from _exclusion_problems(study)
    yield from _id_problems("questions", (question.id for question in study.questions))
    for question in study.questions:
        if question.id in Response.__struct_fields__:
            yield f"a question has the id {question.id!r}, the name of a column in every export"
    yield from _id_problems("screening", (screen.id for screen in study.screening))
    for number, screen in enumerate(study.screening):
        yield from _screener_problems(f"screening[{number}] ({screen.id})", screen)
    for number, question in enumerate(study.questions):
        location = f"questions[{number}] ({question.id})"
        yield from _question_problems(location, question)
        yield from _condition_problems(location, question, study.questions[:number])
    yield from _language_problems(study)
    yield from _field_problems(study)
    yield from _item_problems(study)


# --- parts of a study ------------------------------------------------------------------------


def _exclusion_problems(study: Study) -> Iterator[str]:
    rule = study.exclude
    if rule is None:
        return
    if rule.checks is None and rule.seconds is None:
        yield "exclude must set checks or seconds"
    if rule.checks is not None and not 0 < rule.checks <= 1:
        yield f"exclude.checks is {rule.checks:g}, but must be more than 0 and at most 1"
    if rule.checks is not None and not study.checks:
        yield "exclude.checks requires attention checks, but the study has none"
    if rule.seconds is not None and not 0 < rule.seconds < math.inf:
        yield f"exclude.seconds is {rule.seconds:g}, but must be more than 0"


def _id_problems(what: str, ids: Iterable[str]) -> Iterator[str]:
    for name, count in Counter(ids).items():
        if count > 1:
            yield f"{what} has the id {name!r} {count} times"
        if not name:
            yield f"{what} has an empty id"


def _option_problems(location: str, options: tuple[Option, ...]) -> Iterator[str]:
    yield from _id_problems(location, (option.id for option in options))
    for option in options:
        if ";" in option.id or option.id != option.id.strip():
            yield f"{location} has the id {option.id!r}, which a list in a sheet would split"


def _screener_problems(location: str, screen: Screener) -> Iterator[str]:
    if isinstance(screen, ChoiceScreener):
        yield from _option_problems(location, screen.options)
        names = [option.id for option in screen.options]
        for name in screen.accept:
            if name not in names:
                yield f"{location} accepts {name!r}: {unknown_name('option', name, names)}"
        if not screen.accept:
            yield f"{location} accepts no answer"
    else:
        low, high = screen.at_least, screen.at_most
        if low is not None and high is not None and low > high:
            yield f"{location} accepts no number, because {low} is more than {high}"


def _question_problems(location: str, question: Question) -> Iterator[str]:
    if isinstance(question, ChoiceQuestion):
        if question.options and question.between:
            yield f"{location} has both options and texts to choose between; keep one"
        elif len(choice_ids(question)) < 2:
            yield f"{location} has fewer than two choices"
    if isinstance(question, TagsQuestion) and not question.options:
        yield f"{location} has no options"
    if isinstance(question, ChoiceQuestion | TagsQuestion):
        yield from _option_problems(location, question.options)
    if isinstance(question, MarksQuestion):
        yield from _option_problems(location, question.labels)
    if isinstance(question, TextQuestion) and question.same_words and not question.source:
        yield f"{location} sets same_words but has no source to compare with"
    if isinstance(question, TextQuestion) and question.changed and not question.draft:
        yield f"{location} sets changed but has no draft"


def _key_problems(location: str, options: tuple[Option, ...]) -> Iterator[str]:
    # The pages make no difference between a and A.
    for key, count in Counter(option.key.lower() for option in options if option.key).items():
        if count > 1:
            yield f"{location} has the key {key!r} {count} times"
        if key in RESERVED_KEYS:
            yield f"{location} has the key {key!r}, which is reserved on the pages"
        elif len(key) > 1:
            yield f"{location} has the key {key!r}, but a key must be one letter, digit or sign"


def _condition_problems(
    location: str, question: Question, earlier: tuple[Question, ...]
) -> Iterator[str]:
    offered = {other.id: choice_ids(other) for other in earlier if choice_ids(other)}
    for name, wanted in question.when.items():
        if name not in offered:
            yield f"{location} depends on {name!r}, which is not an earlier question with choices"
            continue
        for choice in wanted:
            if choice not in offered[name]:
                problem = unknown_name("choice", choice, offered[name])
                yield f"{location} depends on {name!r}: {problem}"


def _language_problems(study: Study) -> Iterator[str]:
    known = registry.names("languages")
    if not study.title:
        yield "the title is empty; give it in every language of the pages"
    for location, value in _localised_texts(study, ""):
        codes = [value] if isinstance(value, str) else list(value)
        for code in codes:
            if code not in known:
                yield f"{location}: {unknown_name('language', code, known)}"
        missing = [code for code in study.title if value and code not in value]
        if missing and not isinstance(value, str):
            yield f"{location} has no text in {missing[0]!r}, a language of the title"


def _localised_texts(part: object, location: str) -> Iterator[tuple[str, str | LocalisedText]]:
    """Every language code and every localised text, with its path in the study."""
    if isinstance(part, tuple):
        for number, inner in enumerate(part):
            yield from _localised_texts(inner, f"{location}[{number}]")
    elif isinstance(part, msgspec.Struct):
        for name in part.__struct_fields__:
            value, inside = getattr(part, name), f"{location}.{name}".lstrip(".")
            if (name in LOCALISED_FIELDS and isinstance(value, dict)) or (
                name == "language" and value
            ):
                yield inside, value
            else:
                yield from _localised_texts(value, inside)


# --- fields and items ------------------------------------------------------------------------


def _field_problems(study: Study) -> Iterator[str]:
    for name, location in visible_fields(study).items():
        if name in study.hidden:
            yield f"{location} shows the field {name!r}, which is hidden"
    texts = [panel.field for panel in study.show if isinstance(panel, TextPanel)]
    panels = [panel.field for panel in study.show if not isinstance(panel, DiffPanel)]
    for number, question in enumerate(study.questions):
        location = f"questions[{number}] ({question.id})"
        if isinstance(question, MarksQuestion) and question.field not in texts:
            yield f"{location} marks words of {question.field!r}, which is not shown as a text"
        for name in question.between if isinstance(question, ChoiceQuestion) else ():
            if name not in panels:
                yield f"{location} offers {name!r}, which is not shown"


def _item_problems(study: Study) -> Iterator[str]:
    parts = {name: getattr(study, name) for name in ITEM_PARTS}
    yield from _id_problems("the study", (item.id for items in parts.values() for item in items))
    shown = visible_fields(study)
    for part, items in parts.items():
        for item in items:
            location = f"{part} {item.id!r}"
            missing = [name for name in shown if name not in item.fields]
            if missing:
                yield f"{location} lacks the field {missing[0]!r} that {shown[missing[0]]} shows"
            else:
                yield from _expected_problems(study, part, location, item)
            if item.judgements is not None and item.judgements < 0:
                yield f"{location} asks for {item.judgements} judgements"
            if study.lists == "given" and part == "items" and not item.list:
                yield f"{location} names no list, but lists is {study.lists!r}"
            if study.lists == "rotated" and part == "items" and not item.group:
                yield f"{location} names no group, but lists is {study.lists!r}"


def _expected_problems(study: Study, part: str, location: str, item: StudyItem) -> Iterator[str]:
    if part == "checks" and not item.expected:
        yield f"{location} is an attention check without an expected answer"
    questions = {question.id: question for question in study.questions}
    for name, answer in item.expected.items():
        if name not in questions:
            yield f"{location}: {unknown_name('question', name, questions)}"
        else:
            for fault in answer_problems(questions[name], item, answer):
                yield f"{location}: the expected answer to {name} {fault}"


MAX_NAME_LENGTH = 100


def check_participant_name(name: str) -> str:
    """Return the name, or raise InputError if it cannot be used in links, tables and file names."""
    if not name or len(name) > MAX_NAME_LENGTH or not name.isprintable() or name != name.strip():
        raise InputError(
            f"{name!r} cannot be the name of a person: use up to {MAX_NAME_LENGTH} characters, "
            "without spaces at the start or end."
        )
    return name
