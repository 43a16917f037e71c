"""Answers that were made elsewhere, read from a file."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.datafiles import Line, read_rows
from epicene.errors import InputError, unknown
from epicene.records import Answer, Text, Texts
from epicene.suites import Answers, Given

if TYPE_CHECKING:
    from pathlib import Path

    from epicene.suites import Dataset, Protocol, Suite

GIVEN = "given"  # the model's name where nobody said which it was


def read_given(
    suite: Suite[Any, Any], path: Path, dataset: Dataset, protocol: Protocol
) -> list[tuple[Any, Answers]]:
    """Items with their answers, in the suite's own layout or in the one all suites know.

    The common layout is a line per request: `id`, `name` (which of the item's requests; may be
    left out where there is one), and `text`, `texts` or a whole `answer`. Items that lack an
    answer to one of their requests are left out.
    """
    if suite.read_answers is not None:
        return list(suite.read_answers(path, dataset, protocol))
    items = {item.id: item for item in dataset.items}
    found: dict[str, list[Given]] = defaultdict(list)
    for line in read_rows(path):
        name = str(line.values.get("id", ""))
        if name not in items:
            raise InputError(f"{line.place} names the item {name!r}, which the data does not have.")
        found[name].append(_given(suite, line, items[name], protocol))
    return [
        (items[name], Answers(each))
        for name, each in found.items()
        if set(_asked(suite, items[name], protocol)) <= {given.name for given in each}
    ]


def _given(suite: Suite[Any, Any], line: Line, item: Any, protocol: Protocol) -> Given:
    asked = _asked(suite, item, protocol)
    name = str(line.values.get("name", asked[0] if len(asked) == 1 else ""))
    if name not in asked:
        known = unknown("request", name, asked)
        raise InputError(f"{line.place} does not say which request it answers. {known}")
    stage = suite.stages[0]
    return Given(stage.name, stage.role, GIVEN, name, _answer(line))


def _asked(suite: Suite[Any, Any], item: Any, protocol: Protocol) -> list[str]:
    """The names of what the first stage asks of an item."""
    return [request.name for request in suite.stages[0].ask(item, Answers(), protocol)]


def _answer(line: Line) -> Answer:
    values = line.values
    if "text" in values:
        return Texts(texts=(Text(text=str(values["text"])),))
    if isinstance(values.get("texts"), list):
        return Texts(texts=tuple(Text(text=str(text)) for text in values["texts"]))
    try:
        answer: Answer = msgspec.convert(values.get("answer"), Answer)
    except msgspec.ValidationError as error:
        raise InputError(
            f"{line.place} holds neither `text` nor `texts` nor a whole `answer` ({error})."
        ) from None
    return answer
