"""People for tests of studies: each answers every question of an item by the toss of a coin."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Callable
from typing import TypeAlias

from epicene.core.records import to_json
from epicene.languages.tokenisation import words
from epicene.studies.collection.folder import StudyFolder
from epicene.studies.design.answers import choice_ids, is_asked
from epicene.studies.design.schema import (
    AnswerValue,
    ChoiceQuestion,
    MarksQuestion,
    Question,
    Response,
    Span,
    Study,
    StudyItem,
    TagsQuestion,
    TextQuestion,
)


def respond(study: Study, item: StudyItem, person: str) -> Response:
    """What that person answers: always the same, and something else than the others."""
    coin = random.Random(f"{person} {item.id}")
    answers: dict[str, AnswerValue] = {}
    for question in study.questions:
        if is_asked(question, answers):
            answers[question.id] = _answer(question, item, coin)
    return Response(study=study.name, participant=person, item=item.id, answers=answers)


def _answer(question: Question, item: StudyItem, coin: random.Random) -> AnswerValue:
    if isinstance(question, ChoiceQuestion):
        return coin.choice(choice_ids(question))
    if isinstance(question, TagsQuestion):
        tags = tuple(name for name in choice_ids(question) if coin.random() < 0.3)
        return tags or (choice_ids(question)[:1] if question.required else ())
    if isinstance(question, MarksQuestion):
        labels = [option.id for option in question.labels] or [""]
        spans = words(item.fields[question.field], item.language)
        return tuple(
            Span(start=span.start, end=span.end, label=coin.choice(labels))
            for span in spans
            if coin.random() < 0.3
        )
    if isinstance(question, TextQuestion):
        text = item.fields[question.draft or question.source] or "a text"
        return f"{text} x" if question.changed else text
    return coin.choice(["", "a remark", "=1+1"])


Person: TypeAlias = Callable[[StudyItem], dict[str, AnswerValue]]


def answer(folder: StudyFolder, name: str, person: Person) -> None:
    """Take in what a person answers to every item of a study."""
    file = folder.path.parent / f"{name}.jsonl"
    lines = [
        to_json(
            Response(study=folder.study.name, participant=name, item=item.id, answers=person(item))
        )
        for item in folder.study.items
    ]
    file.write_bytes(b"".join(line + b"\n" for line in lines))
    folder.import_file(file)
    file.unlink()


def fill_in(sheet: str, responses: list[Response]) -> str:
    """An empty sheet, filled in by hand as it were: choices and tags by id, marks by place."""
    given = {(each.participant, each.item): each for each in responses}
    rows = list(csv.DictReader(io.StringIO(sheet.removeprefix("\ufeff"), newline="")))
    for row in rows:
        for name, answer in given[row["participant"], row["item"]].answers.items():
            parts = (answer,) if isinstance(answer, str) else answer
            row[name] = ";".join(part if isinstance(part, str) else _placed(part) for part in parts)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _placed(span: Span) -> str:
    return f"{span.start}-{span.end}" + (f":{span.label}" if span.label else "")
