"""The results of stored runs: metrics, tables, figures, judgements and answers."""

from __future__ import annotations

import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.app.arguments import PathLike, RunLike, RunsLike, StudyLike, SuiteLike
from epicene.app.frames import (
    answer_fields,
    estimates_frame,
    judgement_rows,
    rows_frame,
    table_frame,
)
from epicene.app.output import (
    Output,
    note,
    print_json,
    print_line,
    print_list,
    print_tables,
    write_tables,
)
from epicene.app.progress import scoring_progress
from epicene.core.errors import EpiceneWarning, InputError, RunError, unknown

if TYPE_CHECKING:
    import polars

    from epicene.core.records import Estimate, Judgement, Table
    from epicene.core.records import Figure as FigureRecord
    from epicene.results.summary import Summary
    from epicene.runs.manifest import Coverage, Manifest
    from epicene.runs.stored_run import StoredRun
    from epicene.show.provenance import Provenance
    from epicene.studies.analysis.study_summary import AnsweredStudy


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
    def _tables(self) -> Sequence[Table]:
        """All tables."""

    def _first(self) -> Table:
        """The table that a notebook displays."""
        return self._tables()[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the numbers: what they leave out, and how the runs differ."""
        return ()

    def _provenance(self) -> Provenance | None:
        return None

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
        return table_frame(self._select([name])[0])

    def latex(self, *names: str) -> str:
        """These tables as LaTeX, or all."""
        from epicene.show.latex import tables_latex

        self._warn()
        return tables_latex(self._select(names), self._provenance())

    def markdown(self, *names: str) -> str:
        """These tables as Markdown, or all."""
        from epicene.show.table_formats import tables_markdown

        self._warn()
        return tables_markdown(self._select(names), self._provenance())

    def _select(self, names: Sequence[str]) -> list[Table]:
        """The tables with these names, or all; raises if there is no such table."""
        found = {table.name: table for table in self._tables()}
        for name in names:
            if name not in found:
                raise unknown("table", name, found, every=True)
        return [table for name, table in found.items() if not names or name in names]

    def _repr_html_(self) -> str:
        from epicene.show.page import table_html

        table = self._first()
        return table_html(msgspec.structs.replace(table, notes=(*table.notes, *self.notes)))

    def _print_(self, output: Output) -> int:
        """Print the tables and the notes."""
        if output.form in ("csv", "latex", "markdown"):
            write_tables(self._select(output.tables), output.form, self._provenance())
        else:
            print_tables(self._select(output.tables))
            for sentence in self.notes:
                note(sentence)
        return 0


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

    def _first(self) -> Table:
        from epicene.show.results_document import metrics_table

        return metrics_table(self.summary)

    def _tables(self) -> Sequence[Table]:
        return self._first(), *self.summary.tables

    @property
    def figures(self) -> dict[str, str]:
        """The names of all figures, with their titles."""
        return {figure.name: figure.title for figure in self._figures()}

    def _figures(self) -> Sequence[FigureRecord]:
        """The headlines with their intervals, then the suite's own figures."""
        from epicene.show.charts import EmptyChartError
        from epicene.show.page_figures import interval_figure

        own = self.summary.figures
        try:
            return (interval_figure([self.summary]), *own)
        except EmptyChartError:
            return own

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

    def _scored_texts(self) -> Iterable[Mapping[str, Any]]:
        return ()

    def _print_json(self, output: Output) -> None:
        """Print the document of the results, with every judged answer or scored text on request."""
        from epicene.show.results_document import results_document

        headlines = self._first()  # they are in the document without their table
        chosen = [table for table in self._select(output.tables) if table.name != headlines.name]
        document = results_document(self.summary, chosen)
        if not (output.items or output.scores):
            print_json(document)
            return
        out = sys.stdout.buffer
        out.write(msgspec.json.encode(document)[:-1])
        if output.items:
            print_list("items", self._item_fields())
        if output.scores:
            print_list("scores", self._scored_texts())
        out.write(b"}\n")
        out.flush()

    def _item_fields(self) -> Iterator[dict[str, Any]]:
        for model, judgement in self.judgements():
            details = self.summary.suite.item_details(judgement)
            yield {"model": model, **msgspec.to_builtins(judgement), **details}

    def _check_judged(self) -> None:
        """Raise if there is no result at all: a command must not succeed without one."""
        if not len(self.summary.results.frame):
            raise RunError(
                "There are no results: no item has answers to all of its requests. Resume the "
                "run; if it sent no requests, check --limit and the settings (--set)."
            )

    def _print_(self, output: Output) -> int:
        if output.names:
            self._print_names(output)
            return 0
        self._check_judged()
        if not output.json:
            return super()._print_(output)
        self._print_json(output)
        for sentence in self.notes:
            note(sentence)
        return 0

    def _print_names(self, output: Output) -> None:
        if output.json:
            print_json({"tables": self.tables})
            return
        for name, title in self.tables.items():
            print_line(f"{name}: {title}")


class Runs(SuiteResults):
    """Several runs of one suite under one protocol, side by side; from `epicene.tables`.

    Everything is computed from the stored answers, without a model.
    """

    def __init__(self, stored: Sequence[StoredRun], people: AnsweredStudy | None = None) -> None:
        self.stored = tuple(stored)
        self._people = people

    @cached_property
    def summary(self) -> Summary:
        """The records behind the metrics and tables."""
        from epicene.results.summary import summarise

        with scoring_progress():
            summary = summarise(self.stored)
        if self._people is None or not len(summary.results.frame):
            return summary
        from epicene.studies.analysis.study_summary import with_corrections

        return with_corrections(summary, self.stored, self._people)

    @property
    def notes(self) -> tuple[str, ...]:
        """The settings in which the runs differ, what was left out, and which runs are
        incomplete.
        """
        from epicene.results.summary import (
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
        from epicene.results.matching import match_items
        from epicene.results.summary import label_comparable_runs
        from epicene.runs.stored_run import RunJudgements

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
        lists = ({**row, "logprobs": list(row["logprobs"])} for row in self._scored_texts())
        return rows_frame(lists, columns, where)

    def _scored_texts(self) -> Iterable[Mapping[str, Any]]:
        from epicene.results.scored_texts import scored_text_fields

        return scored_text_fields(self.stored)

    def _provenance(self) -> Provenance | None:
        from epicene.show.provenance import provenance_of

        return provenance_of(self.summary, self.stored)

    def _print_(self, output: Output) -> int:
        if not (output.scores and output.form == "csv"):
            return super()._print_(output)
        self._write_scores()
        return 0

    def _write_scores(self) -> None:
        """Write every scored text as a CSV row, one at a time."""
        import csv
        import json

        from epicene.core.data_files import escape_formula

        writer = csv.writer(sys.stdout, lineterminator="\r\n")
        for number, fields in enumerate(self._scored_texts()):
            if not number:
                writer.writerow(fields)
            cells = (
                json.dumps(cell) if isinstance(cell, tuple | bool) else cell
                for cell in fields.values()
            )
            writer.writerow(
                escape_formula(cell) if isinstance(cell, str) else cell for cell in cells
            )

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

    def failures(self) -> list[str]:
        """Why requests failed, one sentence per reason."""
        return [
            f"{count.model} failed in {count.stage}: {reason}"
            for count in self.manifest.counts
            for reason in count.reasons
        ]

    def __repr__(self) -> str:
        """The suite, the model, the folder and the state."""
        state = self.manifest.state
        return f"<Run of {self.suite} on {self.model} in {self.path}: {state}>"

    def _print_(self, output: Output) -> int:
        """Print the headlines, what failed and where the run is."""
        import shlex

        from epicene.runs.costs import cost_sentences

        if output.json:
            self._print_json(output)
        else:
            print_tables([self._first()])
        for sentence in (*self.notes, *self.failures(), *cost_sentences(self.manifest)):
            note(sentence)
        again = shlex.join(["epicene", "tables", str(self.path)])
        note(f"The run is in {self.path}; `{again}` prints all its tables.")
        self._check_judged()
        return 0 if self.manifest.state == "complete" else 1


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


def stored_runs(runs: Iterable[RunsLike]) -> list[StoredRun]:
    """The records of runs, given as runs, their folders, or lists of them."""
    found: list[StoredRun] = []
    for each in runs:
        if isinstance(each, Run | str | Path):
            found.append(stored_run(each))
        else:
            found += each.stored if isinstance(each, Runs) else stored_runs(each)
    if not found:
        raise InputError("Name at least one run.")
    return found


def tables(*runs: RunsLike, people: StudyLike | None = None) -> Runs:
    """Print the tables of one or more runs of a suite under one protocol, side by side.

    In Python, the result has the tables and figures as frames and objects.

    Args:
        runs: Run folders; in Python also runs, or lists of them.
        people: A study in which people labelled answers of these runs; adds the headlines corrected
            by the labels.

    Examples:
        >>> epicene.tables("runs/a", "runs/b").table("accuracy")   # doctest: +SKIP
    """
    return Runs(stored_runs(runs), None if people is None else answered_study(people))


def answered_study(people: StudyLike) -> AnsweredStudy:
    """A study, or its folder, with all answers."""
    from epicene.app.studies import open_study

    return open_study(people).answers().study
