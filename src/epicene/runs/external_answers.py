"""Read answers that were made outside Epicene from a file, and score them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.data_files import FileRow, read_rows
from epicene.core.errors import InputError, unknown
from epicene.core.finite import finite_or_failed
from epicene.core.records import Answer, Failed, Text, Texts
from epicene.runs.stored_run import Coverage
from epicene.runs.summary import summarise_external_answers
from epicene.suites import AnsweredRequest, Answers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from epicene.core.records import Judgement
    from epicene.runs.summary import Summary
    from epicene.suites import Dataset, Protocol, Suite

EXTERNAL_MODEL = "given"  # the model's name if the file has none


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
        answered = _external_answer(suite, line, items[name], protocol)
        if any(each.name == answered.name for each in found[name]):
            raise InputError(f"{line.location} answers a request of the item {name!r} again.")
        found[name].append(answered)
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
    checked = finite_or_failed(answer)
    if checked is not answer and isinstance(checked, Failed):
        raise InputError(f"{line.location}: {checked.reason}.")
    return answer


# --- scoring -------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExternalScores:
    """The results of external answers, and sentences on what they leave out."""

    summary: Summary
    answered: Mapping[str, Sequence[tuple[Any, Answers]]]  # by the labels of the models
    notes: tuple[str, ...]

    def labelled_judgements(self) -> Iterator[tuple[str, Judgement]]:
        """Every judgement, with the model's label."""
        suite, protocol = self.summary.suite, self.summary.protocol
        for label, answered in self.answered.items():
            for judgement in _judgements(suite, protocol, answered):
                yield label, judgement


def _judgements(
    suite: Suite[Any, Any], protocol: Protocol, answered: Sequence[tuple[Any, Answers]]
) -> Iterator[Judgement]:
    for item, answers in answered:
        yield from suite.judge(item, answers, protocol)


def _by_model(
    suite: Suite[Any, Any], answered: Sequence[tuple[Any, Answers]], label: str
) -> dict[str, list[tuple[Any, Answers]]]:
    """The items of each model that the answers name; `label` is for those that name none."""
    role = suite.roles[0].name
    found: dict[str, list[tuple[Any, Answers]]] = {}
    for item, answers in answered:
        named = next((each.model for each in answers if each.role == role), EXTERNAL_MODEL)
        found.setdefault(label if named == EXTERNAL_MODEL else named, []).append((item, answers))
    return found


def score_external_answers(
    suite: Suite[Any, Any], protocol: Protocol, dataset: Dataset, path: Path | None
) -> ExternalScores:
    """Judge the answers of a file, or, without one, the outcomes that the data themselves hold."""
    answered: list[tuple[Any, Answers]]
    notes: tuple[str, ...] = ()
    if path is None:
        answered = _items_with_outcomes(suite, dataset)
        label, data, coverage = dataset.name, dataset.name, None
    else:
        answered = read_external_answers(suite, path, dataset, protocol)
        if not answered:
            raise InputError(
                f"{path} has all answers of no item; it needs a row per request with `id` (the "
                "item's), `name` (which of its requests) and `text`, `texts` or `answer`."
            )
        notes = tuple(_notes(suite, path, dataset, answered))
        own_items = _have_own_items(answered, dataset)
        label, data = path.stem, path.name if own_items else dataset.name
        coverage = None if own_items else _coverage(answered, dataset)
    by_model = _by_model(suite, answered, label)
    judgements = {name: _judgements(suite, protocol, mine) for name, mine in by_model.items()}
    summary = summarise_external_answers(suite, protocol, judgements, data=data, coverage=coverage)
    return ExternalScores(summary, by_model, notes)


def _items_with_outcomes(suite: Suite[Any, Any], dataset: Dataset) -> list[tuple[Any, Answers]]:
    holds = suite.holds_outcome
    found = [] if holds is None else [(item, Answers()) for item in dataset.items if holds(item)]
    if not found:
        raise InputError(f"{dataset.name} holds no outcomes; give the answers with --answers.")
    return found


def _notes(
    suite: Suite[Any, Any], path: Path, dataset: Dataset, answered: list[tuple[Any, Answers]]
) -> Iterator[str]:
    yield from dataset.notes
    # In a suite's own layout answers may bring items of their own.
    if suite.read_answers is None or isinstance(dataset.items, Sequence):
        asked, found = {item.id for item in dataset.items}, {item.id for item, _ in answered}
        if found < asked:
            missing = len(asked) - len(found)
            yield f"{missing} items have no answer in {path} and are left out."
    missing_by_name = Counter(
        each.name for _, answers in answered for each in answers if isinstance(each.answer, Failed)
    )
    for name, count in sorted(missing_by_name.items()):
        yield f"{count} of the {len(answered)} items answered have no answer for {name!r}."


def _have_own_items(answered: list[tuple[Any, Answers]], dataset: Dataset) -> bool:
    """Whether none of the items answered is of the data: votes name their own words."""
    if not isinstance(dataset.items, Sequence):
        return False
    return {item.id for item, _ in answered}.isdisjoint(item.id for item in dataset.items)


def _coverage(answered: list[tuple[Any, Answers]], dataset: Dataset) -> Coverage | None:
    """How much of the data is answered; None where that is not known.

    Items are asked alike: as many answers as one has, or lacks, every item should have.
    """
    sizes = {len(answers) for _, answers in answered}
    if not isinstance(dataset.items, Sequence) or len(sizes) != 1:
        return None
    return Coverage(
        items=len(dataset.items),
        judged=len(answered),
        requests=sizes.pop() * len(dataset.items),
        answered=sum(
            not isinstance(each.answer, Failed) for _, answers in answered for each in answers
        ),
        failed=0,
    )
