"""Judge answers that were produced elsewhere, without a model."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from epicene.app.arguments import (
    TEXT,
    Columns,
    Data,
    PathLike,
    Protocol,
    Settings,
    SuiteLike,
    Task,
    data_source,
    protocol_settings,
)
from epicene.app.results import SuiteResults
from epicene.core.errors import InputError

if TYPE_CHECKING:
    from epicene.core.records import Figure, Judgement, Table
    from epicene.results.external_answers import ExternalScores
    from epicene.results.summary import Summary
    from epicene.studies.analysis.study_summary import StudySummary


class Scored(SuiteResults):
    """The results of external answers."""

    def __init__(self, scored: ExternalScores, people: Sequence[StudySummary] = ()) -> None:
        self._scored = scored
        self._people = people

    @property
    def notes(self) -> tuple[str, ...]:
        """What the answers leave out."""
        return self._scored.notes

    @property
    def summary(self) -> Summary:
        """The records behind the metrics and tables."""
        return self._scored.summary

    def _tables(self) -> Sequence[Table]:
        """The suite's tables, then those of people's labels, if there are any."""
        return (*super()._tables(), *(each for made in self._people for each in made.tables))

    @cached_property
    def _drawn(self) -> Sequence[Figure]:
        return (*self.summary.figures, *(each for made in self._people for each in made.figures))

    def _figures(self) -> Sequence[Figure]:
        return self._drawn

    def judgements(self) -> Iterator[tuple[str, Judgement]]:
        """Iterate over every judgement with its model, as records."""
        return self._scored.labelled_judgements()

    def _check_judged(self) -> None:
        """Answers from elsewhere that are all unusable are shown as such."""


def score(
    suite: SuiteLike,
    answers: Annotated[
        str | Path | Iterable[Mapping[str, Any]] | None, TEXT, Parameter(alias="-a", metavar="PATH")
    ] = None,
    *,
    data: Data = None,
    columns: Columns = None,
    protocol: Protocol = "",
    settings: Settings = None,
    task: Task = None,
    split: str | None = None,
    english: PathLike | None = None,
    out: Annotated[str | Path | None, TEXT, Parameter(alias="-o", metavar="RUN")] = None,
    figures: PathLike | None = None,
) -> Scored:
    """Judge a file of answers against a suite's items and print the tables.

    Args:
        suite: The suite, or a file with your own: FILE.py[:NAME].
        answers: The file or folder of answers: in the suite's layout, lm-evaluation-harness
            samples, or an Inspect log. In Python also rows with `id`, `name` (which of the item's
            requests, if it has several) and `text`, `texts` or `answer`. Not needed if the data
            contain outcomes.
        data: Your file or folder (default: the starter set).
        columns: Read Epicene's field OURS from your column THEIRS; may be repeated.
        protocol: `paper` (the authors' procedure) or `epicene` (ours).
        settings: Change a setting of the protocol (`epicene suites SUITE` lists them); may be
            repeated.
        task: Only this task or format, for suites that have several; may be repeated.
        split: The part of the data: train, dev, test …
        english: A file with the English side, if the data lack it: one sentence per line.
        out: Also store the answers of a log as a run, so that you can compare it. Requests that the
            log does not answer are failed requests of that run.
        figures: A folder to write every figure to, as SVG.
    """
    from epicene.core.records import to_json
    from epicene.interop.logs import answers_from_logs
    from epicene.interop.read_logs import log_files, read_logs
    from epicene.results.external_answers import score_external_answers
    from epicene.studies.analysis.study_summary import summarise_labels
    from epicene.suites import choose_protocol, find_suite
    from epicene.suites.paper_material import with_paper_wording

    chosen = find_suite(suite)
    given = protocol_settings(settings, chosen, task=task, split=split, english=english)
    how = choose_protocol(chosen, protocol or chosen.score_protocol, given, None)
    dataset = chosen.read(data_source(data, columns), how)
    logs = log_files(Path(answers)) if isinstance(answers, str | Path) else []
    if out is not None and not logs:
        raise InputError(
            "Only lm-evaluation-harness samples and Inspect logs can be stored as runs (--out)."
        )
    labels: Sequence[StudySummary] = ()
    if answers is None or isinstance(answers, str | Path):
        path = None if answers is None else Path(answers)
        logged = None
        if logs:
            how = with_paper_wording(chosen, how)
            logged = answers_from_logs(chosen, read_logs(logs), dataset, how)
        found = score_external_answers(chosen, how, dataset, path, logged)
        if path and not logs:
            labels = summarise_labels(chosen, path, how)
    else:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "answers.jsonl")
            path.write_bytes(b"".join(to_json(dict(row)) + b"\n" for row in answers))
            found = score_external_answers(chosen, how, dataset, path)
    if out is not None:
        _store_logs(
            found,
            logs,
            suite=chosen,
            protocol=how.name,
            data=data,
            columns=columns,
            settings=given,
            out=out,
        )
    scored = Scored(found, labels)
    if figures is not None:
        for name in scored.figures:
            scored.figure(name).save(Path(figures, f"{name}.svg"))
    return scored


def _store_logs(scored: ExternalScores, logs: Sequence[Path], **options: Any) -> None:
    """Run the suite on the contents of the logs."""
    from epicene.app.open_model import OpenModel
    from epicene.app.run import run
    from epicene.interop.logs import log_model

    run(model=OpenModel(log_model(scored.answered, logs)), progress=False, **options)
