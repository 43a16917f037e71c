"""The answers to a study and their results: metrics, tables, figures."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import msgspec

from epicene.app.output import note, print_json
from epicene.app.results import Figure, TabledResults, stored_runs
from epicene.core.errors import pluralise, unknown

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    import polars

    from epicene.app.arguments import RunsLike
    from epicene.app.output import Output
    from epicene.core.records import Estimate, Table
    from epicene.core.records import Figure as FigureRecord
    from epicene.runs.stored_run import StoredRun
    from epicene.studies.analysis.corrections import Corrections
    from epicene.studies.analysis.exclusions import Exclusions
    from epicene.studies.analysis.export_frames import ExportFrame, ExportUnit
    from epicene.studies.analysis.study_summary import AnsweredStudy, StudySummary
    from epicene.studies.collection.folder import StudyFolder
    from epicene.studies.collection.schema_drift import ValidResponses
    from epicene.studies.design.schema import Study

    RecordT = TypeVar("RecordT", Table, FigureRecord)


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
        """The notes on `frame`, which leaves out excluded people only in the rows per item."""
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

    @property
    def study(self) -> AnsweredStudy:
        """The study with these answers, as records."""
        from epicene.studies.analysis.study_summary import AnsweredStudy

        return AnsweredStudy(self._study, self._valid.responses, self._valid.adjudications)

    def corrected(self, runs: RunsLike) -> CorrectedResults:
        """The headlines of runs corrected by people's labels, and people compared with the
        automatic judge.

        Metrics are NAME (corrected), from automatic judgements and labels; NAME (people alone),
        from the labels; NAME (automatic).
        """
        return CorrectedResults(self.study.corrections(stored_runs([runs])), self.notes)

    @property
    def mixed_kinds(self) -> tuple[str, ...]:
        """A note that there are answers that are not about items of the study, if there are."""
        items = {item.id for item in self._study.items}
        others = sum(each.item not in items for each in self._valid.responses)
        if not others:
            return ()
        return (
            f"{others} of {pluralise(len(self), 'row')} are practice, attention checks or "
            "fillers; use --per judgement for a column that says which.",
        )

    def frame(self, per: ExportUnit = "judgement", *, hidden: bool = False) -> polars.DataFrame:
        """The answers for analysis: one row per judgement, item or participant.

        Each row says whether it is about an item, practice, an attention check or a filler
        (`kind`), where it was shown, and whether the person is excluded. `hidden` adds the fields
        that people did not see.
        """
        return self.table(per, hidden=hidden).frame()

    def codebook(self, per: ExportUnit = "judgement", *, hidden: bool = False) -> polars.DataFrame:
        """The name, type, meaning and values of each column of `frame`."""
        return self.table(per, hidden=hidden).codebook()

    def table(self, per: ExportUnit, *, hidden: bool) -> ExportFrame:
        """The rows of `frame` and of `codebook`."""
        from epicene.studies.analysis.export_frames import ExportUnit, export_frame

        if per not in (known := get_args(ExportUnit)):
            raise unknown("unit of rows", per, known)
        out = {
            **dict.fromkeys(self._excluded.named, "named"),
            **dict.fromkeys(self._excluded.failed, "failed attention checks"),
        }
        return export_frame(self._folder, per, hidden=hidden, left_out=out)

    def results(self, runs: RunsLike = ()) -> StudyResults:
        """Agreement between people and with the suite, next to the models in `runs`."""
        return StudyResults(
            self._study,
            self._valid,
            excluded=self._excluded,
            nobody_failed=self._nobody_failed,
            runs=stored_runs([runs]) if runs != () else (),
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
        self._saved: list[Path] = []
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
            nobody_failed,
            unreadable,
            excluded.note,
            self._missing(),
            valid.note,
            self._unread(),
            self.summary.results.ties_note if self.summary else "",
        )

    def _with_exclusions(self, record: RecordT) -> RecordT:
        """The table or figure with a note on who is excluded."""
        if not self._excluded.note:
            return record
        return msgspec.structs.replace(record, notes=(*record.notes, self._excluded.note))

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

    def save_figures(self, folder: Path) -> None:
        """Write all figures as SVG files."""
        self._saved = [self.figure(name).save(folder / f"{name}.svg") for name in self.figures]

    def _print_(self, output: Output) -> int:
        if output.json:
            print_json(self.document(output.tables))
            for sentence in self.notes:
                note(sentence)
        else:
            super()._print_(output)
        for path in self._saved:
            note(f"Written to {path}")
        return 0

    def document(self, names: Sequence[str] = ()) -> dict[str, Any]:
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
            "tables": tables_json(self._select(names)),
        }


def _sentences(*sentences: str) -> tuple[str, ...]:
    return tuple(each for each in sentences if each)
