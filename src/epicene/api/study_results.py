"""The answers to a study and their results: metrics, tables, figures."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, get_args

import msgspec

from epicene.api.results import Figure, TabledResults, tabulate
from epicene.api.wording import keyword_errors
from epicene.core.errors import InputError, pluralise, unknown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import polars

    from epicene.api.results import PathLike, RunLike
    from epicene.core.records import Estimate, Table
    from epicene.core.records import Figure as FigureRecord
    from epicene.runs.stored_run import StoredRun
    from epicene.studies.analysis.corrections import Corrections
    from epicene.studies.analysis.exclusions import Exclusions
    from epicene.studies.analysis.export_frames import ExportFrame, ExportUnit
    from epicene.studies.analysis.study_summary import AnsweredStudy, StudySummary
    from epicene.studies.collection.folder import StudyFolder
    from epicene.studies.collection.schema_drift import ValidResponses
    from epicene.studies.design.schema import Question, Study
    from epicene.studies.exchange.table_files import TableFormat

    RecordT = TypeVar("RecordT", Table, FigureRecord)

ExportFormat: TypeAlias = Literal["csv", "tsv", "jsonl"]
_FORMATS: dict[str, ExportFormat] = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl"}


PILOT_NOTE = "This is a pilot: its answers are not results of the study."


class StudyAnswers:
    """People's answers to a study that fit its current version, without those of excluded people.

    `Study.answers` returns them.
    """

    def __init__(
        self, folder: StudyFolder, *, without: Collection[str] = (), passed: bool = False
    ) -> None:
        from epicene.studies.analysis.exclusions import Exclusions, exclude_participants

        self._study = folder.study
        self._folder = folder
        self._valid = folder.valid_responses()
        stored = {name: each.reason for name, each in folder.exclusions().items()}
        self._excluded = Exclusions(stored=stored)
        self._nobody_failed = ""
        if without or passed:
            self._excluded = exclude_participants(
                self._study, self._valid.responses, without, failed=passed, stored=stored
            )
            self._valid = folder.valid_responses(without=self._excluded.participants)
            if passed and not self._excluded.failed:
                also = "else " if without else ""
                self._nobody_failed = f"Nobody {also}failed the attention checks."

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on people who are left out, and on answers that no longer fit the study."""
        return _sentences(self._nobody_failed, self._excluded.note, self._valid.note)

    def table_notes(self, per: ExportUnit) -> tuple[str, ...]:
        """The notes on the table of `write_table`, which leaves out excluded people only in the
        rows per item.
        """
        if per == "item":
            return self.notes
        return _sentences(self._nobody_failed, self._excluded.marked_note, self._valid.note)

    def __len__(self) -> int:
        """The number of responses, each about one item."""
        return len(self._valid.responses)

    def __repr__(self) -> str:
        """The number of responses and of people, and the notes."""
        people = len({each.participant for each in self._valid.responses})
        found = f"{pluralise(len(self), 'response')} of {people} people to {self._study.name}"
        return f"<{' '.join((f'{found}.', *self.notes))}>"

    @keyword_errors
    def frame(self, *, hidden: bool = False) -> polars.DataFrame:
        """One row per response: participant, item, what was shown, one answer per question, and the
        time.

        Tags are lists of texts; marks are lists of start, end and label. `hidden` adds the fields
        that people did not see.
        """
        import polars as pl

        from epicene.studies.design.schema import all_items
        from epicene.studies.exchange.response_files import context_columns, context_headers

        items = {item.id: item for item in all_items(self._study)}
        schema: dict[str, Any] = {
            "participant": pl.String,
            "item": pl.String,
            **dict.fromkeys(context_headers(self._study, with_hidden=hidden), pl.String),
            **{question.id: _answer_type(question) for question in self._study.questions},
            "at": pl.Datetime("us", "UTC"),
            "seconds": pl.Float64,
            "language": pl.String,
        }
        rows = [
            {
                **msgspec.structs.asdict(each),
                **context_columns(self._study, items[each.item], with_hidden=hidden),
                **msgspec.to_builtins(each.answers),
            }
            for each in self._valid.responses
        ]
        columns = {name: [row.get(name) for row in rows] for name in schema}
        return pl.DataFrame(columns, schema=schema)

    @keyword_errors
    def adjudications(self) -> polars.DataFrame:
        """One row per decision on a disagreement: item, question, value, by, at."""
        import polars as pl

        from epicene.studies.exchange.sheet_cells import answer_to_cell

        rows = [
            (each.item, each.question, answer_to_cell(each.value), each.by, each.at)
            for each in self._valid.adjudications.values()
        ]
        names = dict.fromkeys(("item", "question", "value", "by"), pl.String)
        return pl.DataFrame(rows, schema={**names, "at": pl.Datetime("us", "UTC")}, orient="row")

    @keyword_errors
    def export(
        self,
        out: PathLike | None = None,
        *,
        form: ExportFormat | None = None,
        hidden: bool = False,
    ) -> str:
        """The answers and adjudications as csv, tsv or jsonl, also written to the file `out`.

        Do not give a file with `hidden` fields to people who are still answering.
        """
        from epicene.core.files import write_atomically
        from epicene.studies.exchange.response_files import export_responses

        chosen = form or _format_of(out)
        if chosen not in (known := get_args(ExportFormat)):
            raise unknown("form", chosen, known)
        text = export_responses(
            self._study,
            self._valid.responses,
            self._valid.adjudications.values(),
            chosen,
            with_hidden=hidden,
        )
        if out is not None:
            write_atomically(Path(out), text.encode(), private=True)
        return text

    @property
    def study(self) -> AnsweredStudy:
        """The study with these answers, as records."""
        from epicene.studies.analysis.study_summary import AnsweredStudy

        return AnsweredStudy(self._study, self._valid.responses, self._valid.adjudications)

    @keyword_errors
    def corrected(self, runs: RunLike | Iterable[RunLike]) -> CorrectedResults:
        """The headlines of runs corrected by people's labels, and people compared with the
        automatic judge.

        Metrics are NAME (corrected), from automatic judgements and labels; NAME (people alone),
        from the labels; NAME (automatic).
        """
        return CorrectedResults(self.study.corrections(tabulate(runs).stored), self.notes)

    @property
    def mixed_kinds(self) -> tuple[str, ...]:
        """A note that `export` has rows that are not about items of the study, if it has any."""
        items = {item.id for item in self._study.items}
        others = sum(each.item not in items for each in self._valid.responses)
        if not others:
            return ()
        return (
            f"{others} of {pluralise(len(self), 'row')} are practice, attention checks or "
            "fillers; use --per judgement for a column that says which.",
        )

    @keyword_errors
    def table(self, per: ExportUnit = "judgement", *, hidden: bool = False) -> polars.DataFrame:
        """The answers for analysis: one row per judgement, item or participant.

        Unlike `frame`, each row says whether it is about an item, practice, an attention check or a
        filler (`kind`), where it was shown, and whether the person is excluded.
        """
        return self._table(per, hidden=hidden).frame()

    @keyword_errors
    def codebook(self, per: ExportUnit = "judgement", *, hidden: bool = False) -> polars.DataFrame:
        """The name, type, meaning and values of each column of `table`."""
        return self._table(per, hidden=hidden).codebook()

    def _table(self, per: ExportUnit, *, hidden: bool) -> ExportFrame:
        from epicene.studies.analysis.export_frames import ExportUnit, export_frame

        if per not in (known := get_args(ExportUnit)):
            raise unknown("unit of rows", per, known)
        out = {
            **dict.fromkeys(self._excluded.named, "named"),
            **dict.fromkeys(self._excluded.failed, "failed attention checks"),
        }
        return export_frame(self._folder, per, hidden=hidden, left_out=out)

    @keyword_errors
    def write_table(
        self,
        out: PathLike,
        per: ExportUnit = "judgement",
        *,
        form: TableFormat | None = None,
        hidden: bool = False,
        bom: bool = False,
        codebook: bool = False,
    ) -> None:
        """Write `table`, or its `codebook`, as csv, tsv, jsonl, xlsx or parquet.

        bom: start a CSV or TSV file with a byte order mark, so that Excel reads it as UTF-8.
        """
        from epicene.core.files import write_atomically

        content = self.table_bytes(
            per, form=form or _table_format(out), hidden=hidden, bom=bom, codebook=codebook
        )
        write_atomically(Path(out), content, private=True)

    def table_bytes(
        self,
        per: ExportUnit = "judgement",
        *,
        form: TableFormat = "csv",
        hidden: bool = False,
        bom: bool = False,
        codebook: bool = False,
    ) -> bytes:
        """The content of the file that `write_table` writes."""
        from epicene.studies.exchange.table_files import TableFormat, table_bytes

        if form not in (known := get_args(TableFormat)):
            raise unknown("form", form, known)
        made = self._table(per, hidden=hidden)
        frame = made.codebook() if codebook else made.frame()
        return table_bytes(frame, made.codebook(), form, bom=bom)

    @keyword_errors
    def results(self, runs: RunLike | Iterable[RunLike] = ()) -> StudyResults:
        """Agreement between people and with the suite, next to the models in `runs`."""
        return StudyResults(
            self._study,
            self._valid,
            excluded=self._excluded,
            nobody_failed=self._nobody_failed,
            runs=tabulate(runs).stored,
        )


class CorrectedResults(TabledResults):
    """Headlines of runs corrected by people's labels; from `StudyAnswers.corrected`."""

    def __init__(self, records: Corrections, notes: Sequence[str]) -> None:
        self.records = records
        self._notes = tuple(notes)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on people who are left out, and on answers that no longer fit the study."""
        return self._notes

    def _estimates(self) -> Mapping[str, Estimate]:
        return self.records.metrics

    def _tables(self) -> Sequence[Table]:
        return self.records.tables


def _table_format(out: PathLike) -> TableFormat:
    from epicene.studies.exchange.table_files import TableFormat

    ending = Path(out).suffix.lower().removeprefix(".")
    known: dict[str, TableFormat] = {each: each for each in get_args(TableFormat)}
    if ending not in known:
        raise InputError(
            f"The format of {out} is not clear from its name; use the extension "
            f".{', .'.join(known)}."
        )
    return known[ending]


def _format_of(out: PathLike | None) -> ExportFormat:
    if out is None:
        return "csv"
    ending = Path(out).suffix.lower()
    if ending not in _FORMATS:
        raise InputError(
            f"The format of {out} is not clear from its name; use the extension .csv, .tsv or "
            ".jsonl."
        )
    return _FORMATS[ending]


def _answer_type(question: Question) -> Any:
    """The polars type of the answers to a question."""
    import polars as pl

    from epicene.studies.design.schema import MarksQuestion, TagsQuestion

    if isinstance(question, TagsQuestion):
        return pl.List(pl.String)
    if isinstance(question, MarksQuestion):
        return pl.List(pl.Struct({"start": pl.Int64, "end": pl.Int64, "label": pl.String}))
    return pl.String


class StudyResults(TabledResults):
    """The results of a study: those of its suite, and the quality of the answers.

    The frames are made from `records` and `summary`; `summary` is None if no suite judges the
    answers.
    """

    def __init__(
        self,
        study: Study,
        valid: ValidResponses,
        *,
        excluded: Exclusions,
        nobody_failed: str,
        runs: Sequence[StoredRun],
    ) -> None:
        from epicene.studies.analysis.quality_tables import quality_tables
        from epicene.studies.analysis.study_summary import IncompatibleStudyError, summarise_study
        from epicene.studies.collection.progress import study_progress

        self._study, self._excluded = study, excluded
        self.progress = study_progress(study, valid.responses)
        self.summary: StudySummary | None = None
        quality = quality_tables(study, valid.responses)
        unreadable = ""
        # A study written by hand has only the general tables.
        if study.drawn is not None or runs or not quality:
            try:
                self.summary = summarise_study(study, valid.responses, runs, valid.adjudications)
            except IncompatibleStudyError as error:
                if not quality:
                    raise
                unreadable = str(error)
        made = (*(self.summary.tables if self.summary else ()), *quality)
        self.records: tuple[Table, ...] = tuple(map(self._with_exclusions, made))
        self._notes = _sentences(
            PILOT_NOTE if study.pilot else "",
            nobody_failed,
            unreadable,
            excluded.note,
            self._missing(),
            valid.note,
            self._unread(),
            self.summary.results.ties_note if self.summary else "",
        )

    def _with_exclusions(self, record: RecordT) -> RecordT:
        """The table or figure with notes on who is excluded, and on whether this is a pilot."""
        added: tuple[str, ...] = _sentences(
            PILOT_NOTE if self._study.pilot else "", self._excluded.note
        )
        if not added:
            return record
        return msgspec.structs.replace(record, notes=(*record.notes, *added))

    def _missing(self) -> str:
        given, wanted = self.progress.given, self.progress.wanted
        return f"{given} of {wanted} judgements have been given so far." if given < wanted else ""

    def _unread(self) -> str:
        if self.summary is None or not self.summary.unread:
            return ""
        return (
            f"Not in the suite's own tables: {pluralise(self.summary.unread, 'response')} without "
            "an answer to the suite's own questions, because study.toml was changed."
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What the results leave out."""
        return self._notes

    def _estimates(self) -> Mapping[str, Estimate]:
        return {} if self.summary is None else self.summary.metrics

    def _tables(self) -> Sequence[Table]:
        return self.records

    def select(self, names: Collection[str] = ()) -> list[Table]:
        """The records of the tables with these names; all tables if none is named."""
        for name in names:
            if name not in self.tables:
                raise unknown("table", name, self.tables)
        return [table for table in self.records if table.name in names or not names]

    @cached_property
    def _figures(self) -> dict[str, FigureRecord]:
        from epicene.studies.analysis.study_summary import not_drawn_by_a_suite

        if self._study.drawn is None:
            raise not_drawn_by_a_suite(self._study)
        made = self.summary.figures if self.summary else ()
        return {figure.name: self._with_exclusions(figure) for figure in made}

    @property
    def figures(self) -> dict[str, str]:
        """The names of all figures, with their titles."""
        return {name: figure.title for name, figure in self._figures.items()}

    def figure(self, name: str) -> Figure:
        """One figure, which a notebook displays and `.save("x.svg")` writes."""
        if name not in self._figures:
            raise unknown("figure", name, self._figures, every=True)
        return Figure(self._figures[name])

    def document(self, names: Collection[str] = ()) -> dict[str, Any]:
        """The results as the command line writes them with --json, with these tables or all
        tables.
        """
        from epicene.core.records import Estimate
        from epicene.show.table_formats import estimate_json, tables_json

        nobody = Estimate(value=None, why="no suite judges the answers")
        summary, drawn = self.summary, self._study.drawn
        left_out = len(self._excluded.participants)
        return {
            "suite": self._study.suite,
            "protocol": "" if summary is None else summary.results.protocol.name,
            "data": drawn.data if drawn else "",
            "study": {
                **msgspec.to_builtins(self.progress),
                **({"left_out": left_out} if left_out else {}),
            },
            "metrics": {name: estimate_json(each) for name, each in self._estimates().items()},
            "undetected": estimate_json(nobody if summary is None else summary.undetected),
            "tables": tables_json(self.select(names)),
        }


def _sentences(*sentences: str) -> tuple[str, ...]:
    return tuple(each for each in sentences if each)
