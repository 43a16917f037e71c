"""The results of a study: people's and the suite's own judgements, tables and figures."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from epicene.core.errors import InputError, as_sentence
from epicene.results.summary import label_comparable_runs
from epicene.runs.frames import judgement_frame
from epicene.runs.stored_run import RunJudgements
from epicene.stats.tabulate import undetected_share
from epicene.studies.analysis.corrections import Corrections, correct_headlines
from epicene.studies.collection.adjudication import apply_adjudications
from epicene.studies.collection.progress import StudyProgress, study_progress
from epicene.studies.design.answers import response_problems
from epicene.studies.design.schema import SamplingRecord
from epicene.suites import RunInfo, choose_protocol
from epicene.suites.studies import StudyResults
from epicene.suites.suite_files import stored_suite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import polars

    from epicene.core.records import Estimate, Figure, Judgement, Table
    from epicene.results.summary import Summary
    from epicene.runs.stored_run import StoredRun
    from epicene.studies.collection.adjudication import Adjudications
    from epicene.studies.design.schema import Response, Study, StudyItem
    from epicene.suites import Protocol, Suite


class IncompatibleStudyError(InputError):
    """The study was changed so that its suite can read none of the answers."""


@dataclass(frozen=True)
class StudySummary:
    """A study's results as its suite tabulates them.

    `unread` counts responses that do not answer what the suite's own study asks.
    """

    suite: Suite[Any, Any]
    results: StudyResults[Any]
    progress: StudyProgress
    metrics: Mapping[str, Estimate]
    undetected: Estimate
    tables: tuple[Table, ...]
    kind: str
    unread: int = 0

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures, which are made on demand."""
        return tuple(self.suite.studies[self.kind].figures(self.results))


def summarise_study(
    study: Study,
    responses: Sequence[Response],
    runs: Sequence[StoredRun] = (),
    adjudications: Adjudications | None = None,
) -> StudySummary:
    """All tables of a study that a suite defines, with runs of the suite beside people.

    Labels are taken as if every participant had given the adjudicated answers.
    """
    suite, results, unread = _answered(study, responses, runs, adjudications)
    assert study.drawn is not None
    kind = suite.studies[study.drawn.kind]
    corrected = correct_headlines(results, kind, runs) if runs and kind.checks else None
    return StudySummary(
        suite=suite,
        results=results,
        progress=study_progress(study, results.responses),
        metrics={**kind.metrics(results), **(corrected.metrics if corrected else {})},
        undetected=undetected_share(results.frame),
        # A table that lists texts may be empty.
        tables=(
            *(corrected.tables if corrected else ()),
            *(table for table in kind.tables(results) if table.rows),
        ),
        kind=study.drawn.kind,
        unread=unread,
    )


def _answered(
    study: Study,
    responses: Sequence[Response],
    runs: Sequence[StoredRun],
    adjudications: Adjudications | None,
) -> tuple[Suite[Any, Any], StudyResults[Any], int]:
    """The study's suite and results, and how many responses the suite cannot read."""
    if study.drawn is None:
        raise not_drawn_by_a_suite(study)
    suite = stored_suite(study.suite, study.drawn.suite_file)
    suite.study_name(study.drawn.kind)
    readable = _readable(suite, study, responses)
    results = study_results(suite, study, readable, runs, adjudications)
    if not results.responses:
        raise InputError(f"Nobody has answered the study {study.name} yet.")
    return suite, results, len(responses) - len(readable)


class AnsweredStudy(NamedTuple):
    """A study with what people answered, by which the rates of runs are corrected."""

    study: Study
    responses: Sequence[Response]
    adjudications: Adjudications | None = None

    def is_about(self, runs: Sequence[StoredRun]) -> bool:
        """Whether it is one of the runs' suite, drawn from one of them or from data."""
        drawn = self.study.drawn
        names = set(drawn.runs) if drawn else set()
        same = self.study.suite == runs[0].suite.name
        return same and (not names or any(run.info.run in names for run in runs))

    def corrections(self, runs: Sequence[StoredRun]) -> Corrections:
        """The headlines of the runs that its labels correct."""
        suite, results, _ = _answered(self.study, self.responses, (), self.adjudications)
        assert self.study.drawn is not None
        return correct_headlines(results, suite.studies[self.study.drawn.kind], runs)


def with_corrections(summary: Summary, runs: Sequence[StoredRun], people: AnsweredStudy) -> Summary:
    """The summary of runs with their headlines corrected by a study."""
    found = people.corrections(runs)
    return replace(summary, corrected=found.metrics, requested=found.tables)


def summarise_labels(suite: Suite[Any, Any], path: Path, protocol: Protocol) -> list[StudySummary]:
    """The results of each of the suite's studies that has labels in a file of external answers."""
    found = []
    for name, kind in suite.studies.items():
        items, responses = kind.read_labels(path, protocol) if kind.read_labels else ((), ())
        if responses:
            drawn = SamplingRecord(kind=name, protocol=protocol.name, data=path.name)
            study = msgspec.structs.replace(kind.study(protocol), items=items, drawn=drawn)
            found.append(summarise_study(study, responses))
    return found


def not_drawn_by_a_suite(study: Study) -> InputError:
    """The error of a study that no suite can tabulate."""
    return InputError(
        f"The study {study.name} was not sampled by a suite, so its only tables are those of "
        "agreement and quality, once people have answered; export the answers with `epicene "
        "annotate export`."
    )


def _readable(
    suite: Suite[Any, Any], study: Study, responses: Sequence[Response]
) -> list[Response]:
    """The responses that answer what the suite asks, whatever the study's file asks now."""
    assert study.drawn is not None
    own = suite.studies[study.drawn.kind].study(
        choose_protocol(suite, study.drawn.protocol, {}, None)
    )
    asked = {question.id for question in own.questions}
    items = {item.id: item for item in study.items}
    readable, faults = [], []
    for response in responses:
        item = items.get(response.item)
        answers = {name: given for name, given in response.answers.items() if name in asked}
        wrong = [] if item is None else [*response_problems(own, item, answers)]
        faults += wrong
        if not wrong:
            readable.append(response)
    if faults and not any(response.item in items for response in readable):
        raise IncompatibleStudyError(
            f"The suite {suite.name} cannot read the answers to {study.name} because its "
            f"questions were changed: {as_sentence(faults[0])} Restore the questions in study.toml."
        )
    return readable


def study_results(
    suite: Suite[Any, Any],
    study: Study,
    responses: Iterable[Response],
    runs: Sequence[StoredRun] = (),
    adjudications: Adjudications | None = None,
) -> StudyResults[Any]:
    """People's judgements of the items, and the suite's own."""
    assert study.drawn is not None
    kind = suite.studies[study.drawn.kind]
    protocol = choose_protocol(suite, study.drawn.protocol, {}, None)
    items = {item.id: item for item in study.items}
    kept: list[Response] = []
    others: list[Response] = []
    for response in responses:
        (kept if response.item in items else others).append(response)

    def judged(given: Iterable[Response]) -> Iterator[tuple[StudyItem, Judgement]]:
        for response in given:
            item = items[response.item]
            for judgement in kind.judge(item, response):
                facets = {**judgement.facets, "person": response.participant}
                yield item, msgspec.structs.replace(judgement, facets=facets)

    frame = _judgement_frame(judged(kept), study, protocol.name)
    adjudicated = apply_adjudications(study, kept, adjudications) if adjudications else None
    own = ((item, judgement) for item in study.items for judgement in kind.automatic(item))
    return StudyResults(
        study=study,
        responses=kept,
        frame=frame,
        adjudicated=frame
        if adjudicated is None
        else _judgement_frame(judged(adjudicated), study, protocol.name),
        automatic=_judgement_frame(own, study, protocol.name),
        protocol=protocol,
        other_responses=others,
        runs=_run_judgements(suite, runs) if runs else None,
    )


def _run_judgements(suite: Suite[Any, Any], runs: Sequence[StoredRun]) -> polars.DataFrame:
    """The judgements of runs, to compare with people's."""
    import polars as pl

    for run in runs:
        if run.suite.name != suite.name:
            raise InputError(
                f"{run.folder} is a run of {run.suite.name}, but the study belongs to {suite.name}."
            )
    frames = [
        judgement_frame(RunJudgements(run), info)
        for run, info in zip(runs, label_comparable_runs(runs), strict=True)
    ]
    return pl.concat(frames, how="diagonal")


def _judgement_frame(
    judged: Iterable[tuple[StudyItem, Judgement]], study: Study, protocol: str
) -> polars.DataFrame:
    """A frame of the judgements, with the model that each item names."""
    import polars as pl

    by_model: dict[str, list[Judgement]] = defaultdict(list)
    for item, judgement in judged:
        by_model[item.fields.get("model", "")].append(judgement)
    frames = [
        judgement_frame(
            judgements, RunInfo(run=study.name, model=model, protocol=protocol, identities={})
        )
        for model, judgements in (by_model or {"": []}).items()
    ]
    return pl.concat(frames, how="diagonal")
