"""A study folder: `study.toml`, its sample in `sample.json`, the responses in a database."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from epicene.core.data_files import read_text
from epicene.core.errors import InputError, RunError, as_sentence
from epicene.core.files import write_atomically
from epicene.core.records import Record, to_json
from epicene.core.sqlite import check_ours
from epicene.studies.collection.adjudication import AdjudicationStore
from epicene.studies.collection.database import (
    RESPONSE_TABLES,
    Exclusion,
    ImportCounts,
    ResponseStore,
    explain_errors,
)
from epicene.studies.collection.schema_drift import ValidResponses, valid_responses
from epicene.studies.design.checks import check_study, launch_problems
from epicene.studies.design.schema import Option, SampledCell, TextQuestion
from epicene.studies.exchange.response_files import read_adjudications, read_responses
from epicene.studies.exchange.study_files import read_study, study_toml

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from epicene.studies.design.schema import AnswerValue, Question, Response, Study
    from epicene.studies.exchange.response_files import LocatedResponse, ResponseFormat

    ResponseReader = Callable[[Study], list[LocatedResponse]]

STUDY_FILE = "study.toml"
SAMPLE_FILE = "sample.json"
RESPONSES_FILE = "responses.sqlite"


@dataclass(frozen=True)
class StudyFolder:
    """A study and the folder with its responses."""

    path: Path
    study: Study

    def responses(self) -> list[Response]:
        """All responses."""
        if not (self.path / RESPONSES_FILE).exists():
            return []
        with self._open_store() as store:
            return store.all()

    def exclusions(self) -> dict[str, Exclusion]:
        """The excluded participants, with the reasons."""
        if not (self.path / RESPONSES_FILE).exists():
            return {}
        with self._open_store() as store:
            return store.exclusions()

    def valid_responses(
        self, without: Collection[str] = (), *, with_excluded: bool = False
    ) -> ValidResponses:
        """The responses and adjudications that fit the study.

        Those of excluded participants are left out, and those of participants in `without`.
        """
        out = {*without, *(() if with_excluded else self.exclusions())}
        responses = [each for each in self.responses() if each.participant not in out]
        return valid_responses(self.study, responses, self.adjudications().all())

    def adjudications(self) -> AdjudicationStore:
        """The store of the owner's decisions."""
        return AdjudicationStore(self.path / RESPONSES_FILE, self.study)

    def address(self) -> str:
        """The address at which the study was last served; empty if it never was."""
        if not (self.path / RESPONSES_FILE).exists():
            return ""
        with self._open_store() as store:
            return store.address()

    def remember_address(self, address: str) -> None:
        """Store the address at which the study is served."""
        with self._open_store() as store:
            store.remember_address(address)

    def _open_store(self) -> closing[ResponseStore]:
        return closing(ResponseStore(self.path / RESPONSES_FILE))

    def import_file(
        self,
        file: Path,
        *,
        participant: str = "",
        columns: Mapping[str, str] | None = None,
        replace: bool = False,
        incomplete: bool = False,
        layout: ResponseFormat = "auto",
    ) -> ImportCounts:
        """Import the responses and adjudications in a file, all or none.

        Each response must be complete unless `incomplete` allows those from before the study asked
        as much.
        """

        def read(study: Study) -> list[LocatedResponse]:
            return read_responses(
                file, study, participant=participant, columns=columns, layout=layout
            )

        found = (_read_incomplete if incomplete else _read_complete)(read, self.study)
        decisions = read_adjudications(file, self.study, columns=columns, layout=layout)
        if not found and not decisions:
            raise InputError(f"{file} contains no answers.")
        with self._open_store() as store, store.writing() as db:
            counts = store.put(found, replace=replace)
            adjudications = self.adjudications().put(db, decisions, replace=replace)
        return counts._replace(adjudications=adjudications)


def _read_complete(read: ResponseReader, study: Study) -> list[LocatedResponse]:
    """Read the responses; suggest --incomplete if only completeness is the problem."""
    try:
        return read(study)
    except InputError as error:
        try:
            _read_incomplete(read, study)
        except InputError:
            raise error from None
        raise InputError(
            f"{str(error).removesuffix('.')}; if study.toml did not ask this question when the "
            "file was filled in, accept the file with --incomplete."
        ) from None


def _read_incomplete(read: ResponseReader, study: Study) -> list[LocatedResponse]:
    """Read the responses as if every question were optional."""
    optional = tuple(msgspec.structs.replace(each, required=False) for each in study.questions)
    required = {question.id for question in study.questions if question.required}
    found = []
    for located in read(msgspec.structs.replace(study, questions=optional)):
        answers = {
            name: answer
            for name, answer in located.response.answers.items()
            if name not in required or not _is_blank(answer)
        }
        if answers:
            response = msgspec.structs.replace(located.response, answers=answers)
            found.append(located._replace(response=response))
    return found


def _is_blank(answer: AnswerValue) -> bool:
    return not (answer.strip() if isinstance(answer, str) else answer)


def create_study_folder(path: Path, study: Study) -> StudyFolder:
    """Create the folder of a study; an existing one with the same items and questions is kept."""
    check_study(study, f"The study {study.name}")
    if (path / STUDY_FILE).exists():
        found = open_study_folder(path)
        if _fixed_parts(found.study) != _fixed_parts(study):
            raise InputError(
                f"{path} contains a different study, which may have answers; choose another "
                "folder with --out."
            )
        return found
    for fault in launch_problems(study):
        raise InputError(f"The study {study.name}: {as_sentence(fault)}")
    with explain_errors(path / RESPONSES_FILE):
        check_ours(path / RESPONSES_FILE, RESPONSE_TABLES)
    make_private_folder(path)
    if study.drawn is not None and study.drawn.cells:
        write_atomically(path / SAMPLE_FILE, to_json(_Sample.of(study)) + b"\n")
    write_atomically(path / STUDY_FILE, study_toml(_without_sample(study)).encode())
    return StudyFolder(path, study)


class _SampledItem(Record, frozen=True):
    cell: tuple[str, ...]
    inclusion: float | None


class _Sample(Record, frozen=True):
    """The sizes of the cells, and of each item its cell and the probability of being sampled."""

    cells: tuple[SampledCell, ...]
    items: dict[str, _SampledItem]

    @classmethod
    def of(cls, study: Study) -> _Sample:
        assert study.drawn is not None
        items = {item.id: _SampledItem(item.cell, item.inclusion) for item in study.items}
        return cls(study.drawn.cells, items)


def _without_sample(study: Study) -> Study:
    """The study as its file has it."""
    return msgspec.structs.replace(
        study,
        drawn=study.drawn and msgspec.structs.replace(study.drawn, cells=()),
        items=tuple(msgspec.structs.replace(item, cell=(), inclusion=None) for item in study.items),
    )


def _with_sample(study: Study, file: Path) -> Study:
    """The study with what its sample file says, if there is one."""
    if study.drawn is None or not file.is_file():
        return study
    try:
        sample = msgspec.json.decode(read_text(file), type=_Sample)
    except msgspec.DecodeError as error:
        raise InputError(f"{file} does not fit: {error}.") from None
    items = tuple(
        msgspec.structs.replace(item, cell=found.cell, inclusion=found.inclusion)
        if (found := sample.items.get(item.id))
        else item
        for item in study.items
    )
    drawn = msgspec.structs.replace(study.drawn, cells=sample.cells)
    return msgspec.structs.replace(study, drawn=drawn, items=items)


def make_private_folder(path: Path) -> None:
    """Create a folder that only its owner can open; one that is there stays as it is."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise RunError(f"Could not use the folder {path}: {error.strerror or error}.") from error


def _fixed_parts(study: Study) -> tuple[object, ...]:
    """The parts that responses depend on; the owner may edit the others."""
    questions = tuple(map(_without_texts, study.questions))
    plain = _without_sample(study)
    return plain.name, plain.suite, plain.judgements, plain.drawn, plain.items, questions


def _without_texts(question: Question) -> Question:
    options = {
        name: tuple(Option(id=each.id) for each in getattr(question, name))
        for name in ("options", "labels")
        if hasattr(question, name)
    }
    stricter = {"changed": False} if isinstance(question, TextQuestion) else {}
    return msgspec.structs.replace(question, ask={}, hint={}, **options, **stricter)


def open_study_folder(path: Path) -> StudyFolder:
    """Open a study folder."""
    if not (path / STUDY_FILE).is_file():
        raise InputError(
            f"{path} is not a study folder: it has no {STUDY_FILE}; create one with `epicene "
            "annotate sample`."
        )
    return StudyFolder(path, _with_sample(read_study(path / STUDY_FILE), path / SAMPLE_FILE))
