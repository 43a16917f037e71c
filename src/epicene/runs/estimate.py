"""Estimate what a run will ask, how long it takes and what it costs, before it starts."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from epicene.core.records import Fill, Look, Score, Translate, prompt_texts, verb
from epicene.runs.dummy_answers import dummy_answer
from epicene.runs.plan import select_items
from epicene.runs.store import STORE_FILE, open_store
from epicene.runs.workload import MeasuredTimes, Workload, count_workload
from epicene.suites import AnsweredRequest, Answers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.core.records import Request
    from epicene.models import Model
    from epicene.runs.config import RunConfig
    from epicene.runs.manifest import RunSettings
    from epicene.suites import Dataset

# Requests are counted for so many seconds at most: what has been counted by then is enough to know
# that the run is long.
_COUNTING_SECONDS = 10.0


@dataclass(frozen=True)
class RunEstimate:
    """What is left of a run."""

    config: RunConfig
    models: Mapping[str, Sequence[str]]  # their labels, by role
    workload: Workload
    seconds: float | None  # as measured in earlier runs in the same folder; None if not known
    planned: Callable[[], Iterator[PlannedText]] = field(default=lambda: iter(()))

    @property
    def is_long(self) -> bool:
        """Whether it is long or costly, so that a person should confirm it."""
        return is_long(self.workload, self.seconds, self.config.max_cost)


# A run or sweep is long, and confirmed on a terminal, above one of these.
LONG_SECONDS = 600.0
HIGH_COST = 1.0  # US dollars, if there is no cost limit
MANY_REQUESTS = 5000  # if the time is not known


def is_long(workload: Workload, seconds: float | None, max_cost: float | None) -> bool:
    """Whether what is left takes long, or may be costly without a limit."""
    if max_cost is None and (workload.cost or 0.0) > HIGH_COST:
        return True
    if seconds is None:
        return workload.partial or workload.left > MANY_REQUESTS
    return seconds > LONG_SECONDS


def estimate_run(
    config: RunConfig,
    dataset: Dataset,
    models: Mapping[str, Sequence[Model]],
    folder: Path,
    settings: RunSettings,
    workload: Workload | None = None,
) -> RunEstimate:
    """The estimate of a new run, or of what is left of the one in the folder; the workload is
    counted unless it is given.
    """
    path = folder / STORE_FILE
    begun = (folder / "manifest.json").exists() and path.exists() and path.stat().st_size
    if workload is None:
        with open_store(folder) if begun else nullcontext() as store:
            workload = count_workload(config, dataset, models, store, seconds=_COUNTING_SECONDS)
    identities = {role: tuple(m.identity for m in each) for role, each in models.items()}
    times = MeasuredTimes(folder.parent)
    return RunEstimate(
        config=config,
        models={role: [each.label for each in found] for role, found in identities.items()},
        workload=workload,
        seconds=None if workload.partial else times.seconds(settings, identities, workload.parts),
        planned=partial(planned_texts, config, dataset),
    )


class PlannedText(NamedTuple):
    """What a model will be asked: a whole request, or a text that many requests share."""

    stage: str
    verb: str
    item: str  # "" where many requests have this text
    name: str
    text: str


def planned_texts(config: RunConfig, dataset: Dataset) -> Iterator[PlannedText]:
    """The text of every request of the stages that do not depend on answers. For the other stages,
    whose requests are not known yet, each text once.
    """
    suite, protocol = config.suite, config.protocol
    seen: set[tuple[str, str]] = set()
    for item in select_items(config, dataset):
        given: list[AnsweredRequest] = []
        for stage in suite.stages:
            needed = suite.dependencies_of(stage)
            answers = Answers(each for each in given if each.stage in needed)
            for request in stage.ask(item, answers, protocol):
                text = _text_of(request)
                if not needed:
                    yield PlannedText(stage.name, verb(request), item.id, request.name, text)
                elif (stage.name, text) not in seen:
                    seen.add((stage.name, text))
                    yield PlannedText(stage.name, verb(request), "", "", text)
                dummy = dummy_answer(request)
                given.append(AnsweredRequest(stage.name, stage.role, "", request.name, dummy))


def _text_of(request: Request) -> str:
    match request:
        case Score():
            return "\n".join((*prompt_texts(request.context), *request.texts)).strip()
        case Fill():
            return f"{request.before}[…]{request.after}"
        case Translate():
            return request.text
        case Look():
            return f"{request.question} [{', '.join(request.choices)}]"
        case _:
            return "\n".join(prompt_texts(request.prompt))
