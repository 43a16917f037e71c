"""Read results: of a stored run, of external answers, of two runs compared; write a report."""

from __future__ import annotations

import tempfile
import warnings
from abc import ABC, abstractmethod
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from epicene.api.arguments import data_source
from epicene.api.frames import (
    answer_fields,
    estimates_frame,
    judgement_rows,
    rows_frame,
    table_frame,
)
from epicene.api.progress import scoring_progress
from epicene.api.wording import keyword_errors
from epicene.core.errors import EpiceneWarning, InputError, unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import polars

    from epicene.api.studies import Study
    from epicene.core.records import Estimate, Judgement, Table
    from epicene.core.records import Figure as FigureRecord
    from epicene.runs.compare import Comparison as RunComparison
    from epicene.runs.external_answers import ExternalScores
    from epicene.runs.manifest import Manifest
    from epicene.runs.stored_run import Coverage, StoredRun
    from epicene.runs.summary import Summary
    from epicene.studies.analysis.study_summary import AnsweredStudy, StudySummary
    from epicene.suites import DataSource, Suite, SuiteLike

PathLike: TypeAlias = str | Path
StudyLike: TypeAlias = "Study | str | Path"


class Figure:
    """A figure, which a notebook displays.

    >>> run.figure("accuracy").save("accuracy.svg")   # doctest: +SKIP
    """

    def __init__(self, record: FigureRecord) -> None:
        self._record = record

    @property
    def name(self) -> str:
        """The name that the paper or the suite gives it."""
        return self._record.name

    @property
    def title(self) -> str:
        """What it shows."""
        return self._record.title

    @property
    def spec(self) -> dict[str, Any]:
        """The Vega-Lite specification with its data."""
        return self._record.spec

    def svg(self) -> str:
        """The figure as SVG."""
        from epicene.show.figures import svg

        return svg(self._record)

    def save(self, path: PathLike) -> Path:
        """Write the figure as SVG, PNG or JSON (its specification), depending on the file's
        extension.
        """
        from epicene.core.files import write_atomically
        from epicene.core.records import to_json
        from epicene.show.figures import png

        path = Path(path)
        match path.suffix.lower():
            case ".svg":
                data = self.svg().encode()
            case ".png":
                data = png(self.svg())
            case ".json":
                data = to_json(self.spec)
            case _:
                raise InputError(
                    f"A figure can be written as .svg, .png or .json, not as {path.name}."
                )
        write_atomically(path, data)
        return path

    def __repr__(self) -> str:
        """The name and the title."""
        return f"<Figure {self.name}: {self.title}>"

    def _repr_svg_(self) -> str:
        return self.svg()


class TabledResults(ABC):
    """Results with metrics and tables, which a notebook displays."""

    @abstractmethod
    def _estimates(self) -> Mapping[str, Estimate]: ...

    @abstractmethod
    def _tables(self) -> Sequence[Table]: ...

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the numbers: what they leave out, and how the runs differ."""
        return ()

    def _warn(self) -> None:
        """Emit the notes as warnings: a number that does not cover all the data must not look as
        if it did.
        """
        for sentence in self.notes:
            warnings.warn(sentence, EpiceneWarning, stacklevel=3)

    def metrics(self) -> polars.DataFrame:
        """The headline results: metric, value, low, high (the 95 % interval), n, why.

        `why` says why a number is missing or has no interval.
        """
        self._warn()
        return estimates_frame(self._estimates())

    @property
    def tables(self) -> dict[str, str]:
        """The names of all tables, with their titles."""
        return {table.name: table.title for table in self._tables()}

    def table(self, name: str) -> polars.DataFrame:
        """One table: its keys, `origin` (run or published), then its columns.

        A column NAME of numbers is followed by NAME low, NAME high, NAME n and NAME why. Numbers
        are not rounded; shares are between 0 and 1.
        """
        self._warn()
        for table in self._tables():
            if table.name == name:
                return table_frame(table)
        raise unknown("table", name, self.tables, every=True)

    def _headline_table(self) -> Table:
        return self._tables()[0]

    def _repr_html_(self) -> str:
        from epicene.show.page import table_html

        table = self._headline_table()
        return table_html(msgspec.structs.replace(table, notes=(*table.notes, *self.notes)))


class SuiteResults(TabledResults):
    """Results of one suite: metrics, tables and figures."""

    @property
    @abstractmethod
    def summary(self) -> Summary:
        """The records behind the metrics and tables."""

    @abstractmethod
    def judgements(self) -> Iterator[tuple[str, Judgement]]:
        """Iterate over every judgement with its model, as records."""

    def _estimates(self) -> Mapping[str, Estimate]:
        return {**self.summary.metrics, "undetected": self.summary.undetected}

    def _tables(self) -> Sequence[Table]:
        return self.summary.tables

    def _headline_table(self) -> Table:
        from epicene.show.results_document import metrics_table

        return metrics_table(self.summary)

    @property
    def figures(self) -> dict[str, str]:
        """The names of all figures, with their titles."""
        return {figure.name: figure.title for figure in self._figures()}

    def _figures(self) -> tuple[FigureRecord, ...]:
        return self.summary.figures

    def figure(self, name: str) -> Figure:
        """One figure, which a notebook displays and `.save("x.svg")` writes."""
        self._warn()
        found = {figure.name: figure for figure in self._figures()}
        if name not in found:
            raise unknown("figure", name, found, every=True)
        return Figure(found[name])

    def items(
        self, columns: Sequence[str] | None = None, where: polars.Expr | None = None
    ) -> polars.DataFrame:
        """One row per judgement: what was judged, how, its facets, counts and evidence.

        Judgements are read one by one; only the rows for which `where` is true are kept, with these
        `columns`.
        """
        return rows_frame(judgement_rows(self.judgements()), columns, where)


class Runs(SuiteResults):
    """Several runs of one suite under one protocol, side by side; from `epicene.tabulate`.

    Everything is computed from the stored answers, without a model.
    """

    def __init__(
        self,
        stored: Sequence[StoredRun],
        people: AnsweredStudy | None = None,
        *,
        crossed: str = "",
        draws: bool = False,
    ) -> None:
        self.stored = tuple(stored)
        self._people, self._crossed, self._draws = people, crossed, draws
        self._read: tuple[object, Summary] | None = None

    @property
    def summary(self) -> Summary:
        """The records behind the metrics and tables; recomputed if a run was resumed in the
        meantime.
        """
        from epicene.runs.store import STORE_FILE
        from epicene.runs.stored_run import read_run
        from epicene.runs.summary import summarise

        files = [(run.folder / STORE_FILE).stat() for run in self.stored]
        state = [(file.st_mtime_ns, file.st_size) for file in files]
        if self._read is None or self._read[0] != state:
            if self._read is not None:
                self.stored = tuple(read_run(run.folder, run.suite) for run in self.stored)
            with scoring_progress():
                self._read = state, self._with_requested(summarise(self.stored))
        return self._read[1]

    def _with_requested(self, summary: Summary) -> Summary:
        """Add the tables that are computed on request."""
        if not len(summary.results.frame):
            return summary
        tables: list[Table] = []
        if self._people is not None:
            from epicene.studies.analysis.study_summary import with_corrections

            summary = with_corrections(summary, self.stored, self._people)
        if self._crossed:
            from epicene.runs.crossed_designs import crossed_table

            tables.append(crossed_table(summary, self.stored, self._crossed))
        if self._draws:
            from epicene.runs.random_draws import draws_table

            tables.append(draws_table(summary, self.stored))
        return replace(summary, requested=(*summary.requested, *tables))

    @keyword_errors
    def metrics(self, people: StudyLike | None = None) -> polars.DataFrame:
        """The headline results: metric, value, low, high (the 95 % interval), n, why.

        `why` says why a number is missing or has no interval. With `people`, a study in which
        people labelled answers of these runs, there are also the corrected headlines: NAME
        (corrected), from automatic judgements and labels; NAME (people alone), from the labels;
        NAME (automatic).
        """
        if people is not None:
            return Runs(self.stored, _answered_study(people)).metrics()
        return super().metrics()

    @property
    def notes(self) -> tuple[str, ...]:
        """The settings in which the runs differ, what was left out, and which runs are
        incomplete.
        """
        from epicene.runs.summary import (
            data_notes,
            incomplete_run_sentences,
            settings_diff_sentences,
        )

        return (
            *data_notes(self.stored),
            *settings_diff_sentences(self.stored),
            *incomplete_run_sentences(self.summary.runs),
        )

    def judgements(self) -> Iterator[tuple[str, Judgement]]:
        """Iterate over every judgement with its model, as records."""
        from epicene.runs.stored_run import RunJudgements, match_items
        from epicene.runs.summary import label_comparable_runs

        same = match_items(self.stored)
        for index, (run, info) in enumerate(
            zip(self.stored, label_comparable_runs(self.stored), strict=True)
        ):
            for judgement in same.matched(index, RunJudgements(run)):
                yield info.model, judgement

    def answers(
        self, columns: Sequence[str] | None = None, where: polars.Expr | None = None
    ) -> polars.DataFrame:
        """One row per stored answer, failed ones too: run, item, stage, role, model, name, kind,
        texts, failed (the reason), answer (all of it, as JSON)."""
        from epicene.runs.stored_run import stored_answers

        rows = (
            {
                "run": run.folder.name,
                "item": item.id,
                "stage": given.stage,
                "role": given.role,
                "model": given.model,
                "name": given.name,
                **answer_fields(given.answer),
            }
            for run in self.stored
            for item, given in stored_answers(run)
        )
        return rows_frame(rows, columns, where)

    def scores(
        self, columns: Sequence[str] | None = None, where: polars.Expr | None = None
    ) -> polars.DataFrame:
        """One row per scored text, such as each pronoun or each sentence of a pair: its
        candidate, whether that is the right one, its log-probability, and the log-probability of
        every token.
        """
        from epicene.runs.scored_texts import scored_text_fields

        rows = scored_text_fields(self.stored)
        lists = ({**row, "logprobs": list(row["logprobs"])} for row in rows)
        return rows_frame(lists, columns, where)

    def __repr__(self) -> str:
        """The folders."""
        return f"<Runs {', '.join(str(run.folder) for run in self.stored)}>"


class Run(Runs):
    """A run folder that was read; returned by `epicene.run` and `epicene.load`.

    Everything is computed from the stored answers, without a model.
    """

    def __init__(self, stored: StoredRun) -> None:
        super().__init__((stored,))

    @property
    def path(self) -> Path:
        """The run's folder."""
        return self.stored[0].folder

    @property
    def manifest(self) -> Manifest:
        """What was run, on what, and how each session went."""
        return self.stored[0].manifest

    @property
    def suite(self) -> str:
        """The name of the suite."""
        return self.stored[0].suite.name

    @property
    def model(self) -> str:
        """The label of the measured model."""
        return self.stored[0].info.model

    @property
    def coverage(self) -> Coverage:
        """The number of judged items, answers and requests."""
        coverage = self.summary.runs[0].coverage
        assert coverage is not None
        return coverage

    @property
    def complete(self) -> bool:
        """Whether every request was answered and every item was judged."""
        return self.coverage.whole

    def __repr__(self) -> str:
        """The suite, the model, the folder and the state."""
        state = self.manifest.state
        return f"<Run of {self.suite} on {self.model} in {self.path}: {state}>"


RunLike: TypeAlias = Run | str | Path


@keyword_errors
def load(path: PathLike, *, suite: SuiteLike | None = None) -> Run:
    """Read a run folder.

    `suite` is needed only if the run's suite is not installed: pass the suite itself, or its file,
    `my_suite.py:name`.

    >>> epicene.load("runs/my-run").metrics()   # doctest: +SKIP
    """
    from epicene.runs.stored_run import read_run
    from epicene.suites import find_suite

    return Run(read_run(Path(path), None if suite is None else find_suite(suite)))


def stored_run(run: RunLike) -> StoredRun:
    """The records of a run, given as a run or as its folder."""
    return (run if isinstance(run, Run) else load(run)).stored[0]


def _stored_runs(runs: RunLike | Iterable[RunLike]) -> list[StoredRun]:
    return [stored_run(run) for run in ([runs] if isinstance(runs, Run | str | Path) else runs)]


@keyword_errors
def tabulate(
    runs: RunLike | Iterable[RunLike],
    *,
    people: StudyLike | None = None,
    crossed: str = "",
    draws: bool = False,
) -> Runs:
    """The results of several runs of one suite under one protocol, side by side.

    people: a study in which people labelled answers of these runs; adds the headlines corrected by
        the labels.
    crossed: a field of the items or a facet, such as "name"; adds the table `crossed`, whose
        intervals are over groups and over the values of that field or facet.
    draws: add the table `draws`, which reports one model over its samples and runs.

    >>> epicene.tabulate(["runs/a", "runs/b"]).table("accuracy")   # doctest: +SKIP
    """
    answered = None if people is None else _answered_study(people)
    return Runs(_stored_runs(runs), answered, crossed=crossed, draws=draws)


def _answered_study(people: StudyLike) -> AnsweredStudy:
    """A study, or its folder, with all answers."""
    from epicene.api.studies import load_study

    study = load_study(people) if isinstance(people, str | Path) else people
    return study.answers().study


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

    @property
    def records(self) -> tuple[Table, ...]:
        """The suite's tables, then those of people's labels, if there are any."""
        return (*self.summary.tables, *(each for made in self._people for each in made.tables))

    def _tables(self) -> Sequence[Table]:
        return self.records

    @cached_property
    def _drawn(self) -> tuple[FigureRecord, ...]:
        return (*self.summary.figures, *(each for made in self._people for each in made.figures))

    def _figures(self) -> tuple[FigureRecord, ...]:
        return self._drawn

    def judgements(self) -> Iterator[tuple[str, Judgement]]:
        """Iterate over every judgement with its model, as records."""
        return self._scored.labelled_judgements()


@keyword_errors
def score(
    suite: SuiteLike,
    answers: PathLike | Iterable[Mapping[str, Any]] | None = None,
    *,
    data: PathLike | None = None,
    columns: Mapping[str, str] | None = None,
    protocol: str = "",
    settings: Mapping[str, Any] | None = None,
    out: PathLike | None = None,
) -> Scored:
    """Judge external answers, without a model.

    `answers` is a file in a layout that the suite reads; lm-evaluation-harness samples or an
    Inspect log, or a folder with them; or rows with `id`, `name` (which of the item's requests, if
    it has several) and `text`, `texts` or `answer`. Without answers, the data must contain
    outcomes.

    With `out`, the answers of a log are also stored in that folder as a run, which you can pass to
    `compare`, `report` and `gate`. Requests that the log does not answer are failed requests of
    that run.
    """
    from epicene.runs.external_answers import score_external_answers
    from epicene.runs.logs import log_files
    from epicene.studies.analysis.study_summary import summarise_labels
    from epicene.suites import choose_protocol, find_suite

    chosen = find_suite(suite)
    how = choose_protocol(chosen, protocol or chosen.score_protocol, settings or {}, None)
    source = data_source(data, columns)
    dataset = chosen.read(source, how)
    if answers is None or isinstance(answers, str | Path):
        path = None if answers is None else Path(answers)
        scored = score_external_answers(chosen, how, dataset, path)
        logs = [] if path is None else log_files(path)
        if out is not None:
            _store_logs(scored, logs, chosen, source, how.name, settings, Path(out))
        return Scored(scored, summarise_labels(chosen, path, how) if path and not logs else [])
    if out is not None:
        raise InputError(_ONLY_LOGS)
    from epicene.core.records import to_json

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "answers.jsonl")
        path.write_bytes(b"".join(to_json(dict(row)) + b"\n" for row in answers))
        return Scored(score_external_answers(chosen, how, dataset, path))


_ONLY_LOGS = "Only lm-evaluation-harness samples and Inspect logs can be stored as runs (--out)."


def _store_logs(
    scored: ExternalScores,
    logs: Sequence[Path],
    suite: Suite[Any, Any],
    source: DataSource,
    protocol: str,
    settings: Mapping[str, Any] | None,
    out: Path,
) -> None:
    """Run the suite on the contents of the logs."""
    from epicene.api.open_model import OpenModel
    from epicene.api.running import run
    from epicene.runs.logs.log_model import log_model

    if not logs:
        raise InputError(_ONLY_LOGS)
    run(
        suite,
        OpenModel(log_model(scored.answered, logs)),
        protocol=protocol,
        data=source.path,
        columns=source.columns,
        settings=settings,
        out=out,
        progress=False,
    )


class Comparison(TabledResults):
    """Two runs compared item by item; differences are second minus first."""

    def __init__(self, result: RunComparison) -> None:
        self.result = result

    @property
    def notes(self) -> tuple[str, ...]:
        """How the two runs differ besides the model, and what is missing."""
        from epicene.runs.summary import incomplete_run_sentences

        return (*self.result.notes, *incomplete_run_sentences(self.result.runs))

    def changed(self) -> polars.DataFrame:
        """The judgements whose outcome differs, one row each."""
        return rows_frame(self.result.changed)

    def _estimates(self) -> Mapping[str, Estimate]:
        return self.result.metrics

    def _tables(self) -> Sequence[Table]:
        return self.result.tables


@keyword_errors
def compare(
    first: RunLike,
    second: RunLike,
    *,
    agreement: bool = False,
    names: tuple[str, str] | None = None,
    crossed: str = "",
) -> Comparison:
    """Compare two runs of one suite on the judgements they share, with paired tests.

    With `agreement`, measure how far the two runs agree instead (raw agreement, Matthews
    correlation, Cohen's kappa); `names` are then the two judgements to pair, such as
    ("probability", "pre 1"). `crossed` adds the table `crossed`, with intervals over groups and
    over a field of the items or a facet, such as "name".
    """
    from epicene.runs.compare import compare_agreement, compare_runs

    if names and not agreement:
        raise InputError("`names` requires `agreement`.")
    if crossed and agreement:
        raise InputError("`crossed` reports differences; it cannot be combined with `agreement`.")
    runs = stored_run(first), stored_run(second)
    with scoring_progress():
        if agreement:
            found = compare_agreement(*runs, names=names)
        else:
            found = compare_runs(*runs, crossed=crossed)
    return Comparison(found)


@keyword_errors
def report(
    runs: RunLike | Iterable[RunLike],
    path: PathLike = "report.html",
    *,
    pictures: float = 12.0,
    title: str = "",
    notes: str = "",
    people: StudyLike | Iterable[StudyLike] = (),
) -> Path:
    """Write one self-contained HTML page about runs.

    pictures: the maximum size of all thumbnails, in MB.
    title: the title of the page (default: the names of the models and suites).
    notes: your own text for the first screen, in Markdown without HTML or images.
    people: studies whose labels are used to correct the headlines of the runs.

    >>> epicene.report(["runs/a", "runs/b"], "report.html")   # doctest: +SKIP
    """
    from epicene.api.studies import Study
    from epicene.show.run_report import write_report

    studies = [people] if isinstance(people, Study | str | Path) else list(people)
    with scoring_progress():
        write_report(
            _stored_runs(runs),
            Path(path),
            pictures,
            people=[*map(_answered_study, studies)],
            title=title,
            notes=notes,
        )
    return Path(path)
