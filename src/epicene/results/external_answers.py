"""Read external answers, produced outside Epicene, from a file, and score them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from epicene.core.data_files import FileRow, read_rows
from epicene.core.errors import InputError, unknown
from epicene.core.finite import finite_or_failed
from epicene.core.records import (
    Answer,
    Choice,
    Completion,
    Completions,
    Draw,
    Failed,
    Fill,
    Generate,
    Images,
    Look,
    Request,
    Score,
    Scores,
    Text,
    Texts,
    Translate,
)
from epicene.results.summary import summarise_external_answers
from epicene.runs.manifest import Coverage
from epicene.suites import AnsweredRequest, Answers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from epicene.core.records import Judgement
    from epicene.results.summary import Summary
    from epicene.suites import Dataset, Protocol, Stage, Suite

EXTERNAL_MODEL = "given"  # the model's name if the file has none


class LoggedAnswers(NamedTuple):
    """Items with the answers of each model in another tool's logs, and sentences on what differs
    from a run.
    """

    answered: list[tuple[Any, Answers]]
    notes: tuple[str, ...]


def first_requests(
    suite: Suite[Any, Any], item: Any, protocol: Protocol
) -> list[tuple[Stage[Any, Any], Request]]:
    """The requests of an item in the stages that do not need another stage; those of the
    protocol come first.
    """
    stages = [stage for stage in suite.stages if not stage.needs]
    stages.sort(key=lambda stage: not stage.when(protocol))
    return [
        (stage, request) for stage in stages for request in stage.ask(item, Answers(), protocol)
    ]


def read_external_answers(
    suite: Suite[Any, Any], path: Path, dataset: Dataset, protocol: Protocol
) -> list[tuple[Any, Answers]]:
    """Items with their answers, in the suite's own layout or in the layout common to all suites.

    The common layout has one line per request: `id`, `name` (which of the item's requests; optional
    if there is only one of that kind), and `text`, `texts`, `completion`, `completions` or a whole
    `answer`. The kind of answer determines which stage it belongs to. Items that lack an answer to
    one of the requests of a stage are left out of that stage.
    """
    if suite.read_answers is not None:
        return list(suite.read_answers(path, dataset, protocol))
    items = {item.id: item for item in dataset.items}
    found: dict[str, list[AnsweredRequest]] = defaultdict(list)
    for line in read_rows(path):
        name = str(line.values.get("id", ""))
        if name not in items:
            ids = iter(items)
            like = next((each for each in items if name and each.endswith(name)), next(ids, None))
            there = f"; an id there is {like!r}" if like is not None else ""
            raise InputError(
                f"{line.location} names the item {name!r}, which is not in the data{there}."
            )
        answered = _external_answer(suite, line, items[name], protocol)
        if any(each.name == answered.name for each in found[name]):
            raise InputError(
                f"{line.location} answers the same request of the item {name!r} a second time; "
                "keep one of the two answers."
            )
        found[name].append(answered)
    complete = (
        (items[name], Answers(_whole_stages(suite, items[name], protocol, each)))
        for name, each in found.items()
    )
    return [(item, answers) for item, answers in complete if answers]


# The answers that each verb takes.
_ANSWERS: dict[type[Request], type[Answer]] = {
    Score: Scores, Fill: Completions, Generate: Texts, Translate: Texts, Draw: Images, Look: Choice,
}  # fmt: skip


def _external_answer(
    suite: Suite[Any, Any], line: FileRow, item: Any, protocol: Protocol
) -> AnsweredRequest:
    """A row's answer, with the request that it matches by name and kind."""
    asked = first_requests(suite, item, protocol)
    own = None
    if suite.read_answer_row is not None:
        try:
            own = suite.read_answer_row(line.values, item, protocol)
        except InputError as error:
            raise InputError(f"In {line.location} {error}") from None
    name, answer = own or (str(line.values.get("name", "")), _parse_answer(line))
    checked = finite_or_failed(answer)
    if checked is not answer and isinstance(checked, Failed):
        raise InputError(f"In {line.location} {checked.reason}.")
    fitting = [
        (stage, request)
        for stage, request in asked
        if name in ("", request.name)
        and (own or isinstance(answer, (_ANSWERS[type(request)], Failed)))
    ]
    known = [request.name for _, request in asked]
    if name not in ("", *known) or (
        not name and fitting and sum(stage is fitting[0][0] for stage, _ in asked) > 1
    ):
        missing = unknown("request", name, known)
        raise InputError(f"{line.location} does not say which request it answers. {missing}")
    if not fitting:
        raise InputError(
            f"{line.location} has {type(answer).__name__.lower()}, which do not answer any "
            f"request of the item {item.id!r} ({', '.join(known) or 'it has no requests'})."
        )
    stage, request = fitting[0]
    return AnsweredRequest(stage.name, stage.role, EXTERNAL_MODEL, request.name, answer)


def _whole_stages(
    suite: Suite[Any, Any], item: Any, protocol: Protocol, given: Sequence[AnsweredRequest]
) -> Iterator[AnsweredRequest]:
    """The answers of stages whose requests are all answered."""
    names: dict[str, set[str]] = defaultdict(set)
    for stage, request in first_requests(suite, item, protocol):
        names[stage.name].add(request.name)
    answered = {each.name for each in given}
    yield from (each for each in given if names[each.stage] <= answered)


def _parse_answer(line: FileRow) -> Answer:
    values = line.values
    if values.get("text") is not None:
        return Texts(texts=(Text(text=str(values["text"])),))
    if isinstance(values.get("texts"), list):
        return Texts(texts=tuple(Text(text=str(text)) for text in values["texts"]))
    best_first = values.get("completions", values.get("completion"))
    if best_first is not None:
        best_first = best_first if isinstance(best_first, list) else [best_first]
        # Their order is all that is known of how they rank.
        return Completions(
            completions=tuple(
                Completion(text=str(text), logprob=0.0, tokens=0) for text in best_first
            ),
            method="given",
        )
    try:
        answer: Answer = msgspec.convert(values.get("answer"), Answer)
    except msgspec.ValidationError as error:
        raise InputError(
            f"{line.location} has no `text`, `texts`, `completion`, `completions` or whole "
            f"`answer` ({error})."
        ) from None
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
    """The items of each model that the answers name; `label` is used for answers that name none."""
    role = suite.roles[0].name
    found: dict[str, list[tuple[Any, Answers]]] = {}
    for item, answers in answered:
        named = next((each.model for each in answers if each.role == role), EXTERNAL_MODEL)
        found.setdefault(label if named == EXTERNAL_MODEL else named, []).append((item, answers))
    return found


def score_external_answers(
    suite: Suite[Any, Any],
    protocol: Protocol,
    dataset: Dataset,
    path: Path | None,
    logged: LoggedAnswers | None = None,
) -> ExternalScores:
    """Judge the answers in a file or, without one, the outcomes in the data themselves. `logged`
    are the answers of a path with logs of another tool.
    """
    answered: list[tuple[Any, Answers]]
    notes: tuple[str, ...] = ()
    if path is None:
        answered = _items_with_outcomes(suite, dataset)
        label, data, own_items = dataset.name, dataset.name, True
    else:
        if logged is not None:
            answered, notes = logged
        else:
            answered = read_external_answers(suite, path, dataset, protocol)
        if not answered:
            raise InputError(
                f"No item has answers to all of its requests in {path}; {_layout(suite)}."
            )
        notes = (*notes, *_notes(suite, path, dataset, answered))
        own_items = _have_own_items(answered, dataset)
        label, data = path.stem, path.name if own_items else dataset.name
    by_model = _by_model(suite, answered, label)
    judgements = {name: _judgements(suite, protocol, mine) for name, mine in by_model.items()}
    coverages = {
        name: None if own_items else _coverage(mine, dataset) for name, mine in by_model.items()
    }
    summary = summarise_external_answers(
        suite,
        protocol,
        judgements,
        data=data,
        coverages=coverages,
        prompts_known=logged is not None,
    )
    if not len(summary.results.frame):
        raise InputError(
            f"Nothing in {path or dataset.name} could be judged under the protocol "
            f"{protocol.name}; check the settings (--set) against the kind of answers."
        )
    return ExternalScores(summary, by_model, notes)


def _layout(suite: Suite[Any, Any]) -> str:
    """Where a user finds the layout of answers."""
    if suite.read_answers is not None or suite.read_answer_row is not None:
        return f"the page of {suite.name} in the documentation says what the file must contain"
    return (
        "it needs one row per request with `id` (the item's), `name` (which of its requests) and "
        "`text`, `texts`, `completions` or `answer`"
    )


def _items_with_outcomes(suite: Suite[Any, Any], dataset: Dataset) -> list[tuple[Any, Answers]]:
    holds = suite.holds_outcome
    found = [] if holds is None else [(item, Answers()) for item in dataset.items if holds(item)]
    if not found:
        name = "The starter set" if dataset.name == "starter" else dataset.name
        raise InputError(f"{name} contains no outcomes; name the file of answers with --answers.")
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
        yield f"{count} of the {len(answered)} answered items have no answer for {name!r}."


def _have_own_items(answered: list[tuple[Any, Answers]], dataset: Dataset) -> bool:
    """Whether none of the answered items is in the data: votes name their own words."""
    if not isinstance(dataset.items, Sequence):
        return False
    return {item.id for item, _ in answered}.isdisjoint(item.id for item in dataset.items)


def _coverage(answered: list[tuple[Any, Answers]], dataset: Dataset) -> Coverage | None:
    """How much of the data is answered; None if unknown.

    All items have the same requests: each should have as many answers as one item has or lacks.
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
