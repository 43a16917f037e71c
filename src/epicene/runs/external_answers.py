"""Read answers that were made outside Epicene from a file."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.data_files import FileRow, read_rows
from epicene.core.errors import InputError, unknown
from epicene.core.records import Answer, Text, Texts
from epicene.suites import AnsweredRequest, Answers

if TYPE_CHECKING:
    from pathlib import Path

    from epicene.suites import Dataset, Protocol, Suite

EXTERNAL_MODEL = "given"  # the model's name where nobody said which it was


def read_external_answers(
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
    found: dict[str, list[AnsweredRequest]] = defaultdict(list)
    for line in read_rows(path):
        name = str(line.values.get("id", ""))
        if name not in items:
            raise InputError(
                f"{line.location} names the item {name!r}, which the data does not have."
            )
        found[name].append(_external_answer(suite, line, items[name], protocol))
    return [
        (items[name], Answers(each))
        for name, each in found.items()
        if set(_request_names(suite, items[name], protocol)) <= {given.name for given in each}
    ]


def _external_answer(
    suite: Suite[Any, Any], line: FileRow, item: Any, protocol: Protocol
) -> AnsweredRequest:
    asked = _request_names(suite, item, protocol)
    name = str(line.values.get("name", asked[0] if len(asked) == 1 else ""))
    if name not in asked:
        known = unknown("request", name, asked)
        raise InputError(f"{line.location} does not say which request it answers. {known}")
    stage = suite.stages[0]
    return AnsweredRequest(stage.name, stage.role, EXTERNAL_MODEL, name, _parse_answer(line))


def _request_names(suite: Suite[Any, Any], item: Any, protocol: Protocol) -> list[str]:
    """The names of what the first stage asks of an item."""
    return [request.name for request in suite.stages[0].ask(item, Answers(), protocol)]


def _parse_answer(line: FileRow) -> Answer:
    values = line.values
    if "text" in values:
        return Texts(texts=(Text(text=str(values["text"])),))
    if isinstance(values.get("texts"), list):
        return Texts(texts=tuple(Text(text=str(text)) for text in values["texts"]))
    try:
        answer: Answer = msgspec.convert(values.get("answer"), Answer)
    except msgspec.ValidationError as error:
        raise InputError(
            f"{line.location} holds neither `text` nor `texts` nor a whole `answer` ({error})."
        ) from None
    return answer
