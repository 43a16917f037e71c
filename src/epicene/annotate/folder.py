"""The folder of a study: what is asked in `study.toml`, what was answered in a database."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from epicene.annotate.adjudication import Settlements
from epicene.annotate.fitting import Fitting, fitting
from epicene.annotate.store import Added, ResponseStore
from epicene.errors import InputError
from epicene.runs.files import write_whole
from epicene.studies import Option
from epicene.studies.checks import check_study, offered_faults
from epicene.studies.files import read_study, study_toml
from epicene.studies.response_files import read_responses
from epicene.studies.responses import sentence
from epicene.studies.settled_files import read_settled

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from epicene.studies import AnswerValue, Question, Response, Study
    from epicene.studies.response_files import Layout, Placed

    Reading = Callable[[Study], list[Placed]]

STUDY = "study.toml"
RESPONSES = "responses.sqlite"


@dataclass(frozen=True)
class StudyFolder:
    """A study and where its responses are."""

    path: Path
    study: Study

    def responses(self) -> list[Response]:
        """All responses there are."""
        if not (self.path / RESPONSES).exists():
            return []
        with closing(ResponseStore(self.path / RESPONSES)) as store:
            return store.all()

    def fitting(self, without: Collection[str] = ()) -> Fitting:
        """The responses and settled answers that fit the study as it is now, but some people's."""
        responses = [each for each in self.responses() if each.participant not in without]
        return fitting(self.study, responses, self.settlements().all())

    def settlements(self) -> Settlements:
        """What the owner decided where people differ."""
        return Settlements(self.path / RESPONSES, self.study)

    def address(self) -> str:
        """Where people last reached its pages; empty if it was never served."""
        if not (self.path / RESPONSES).exists():
            return ""
        with closing(ResponseStore(self.path / RESPONSES)) as store:
            return store.address()

    def remember_address(self, address: str) -> None:
        """Where people reach its pages from now on."""
        with closing(ResponseStore(self.path / RESPONSES)) as store:
            store.remember_address(address)

    def take(
        self,
        file: Path,
        *,
        participant: str = "",
        columns: Mapping[str, str] | None = None,
        replace: bool = False,
        incomplete: bool = False,
        layout: Layout = "auto",
    ) -> Added:
        """Keep the responses and settled answers in a file, all or none.

        Each must answer all that is asked, unless it may be `incomplete`: given before the study
        asked so much.
        """

        def read(study: Study) -> list[Placed]:
            return read_responses(
                file, study, participant=participant, columns=columns, layout=layout
            )

        found = (_read_as_given if incomplete else _read_whole)(read, self.study)
        decisions = read_settled(file, self.study, columns=columns, layout=layout)
        if not found and not decisions:
            raise InputError(f"{file} has no answers; nothing was filled in.")
        with closing(ResponseStore(self.path / RESPONSES)) as store, store.writing() as db:
            added = store.put(found, replace=replace)
            settled = self.settlements().put(db, decisions, replace=replace)
        return added._replace(settled=settled)


def _read_whole(read: Reading, study: Study) -> list[Placed]:
    """The responses, if each answers all that is asked."""
    try:
        return read(study)
    except InputError as error:
        try:
            _read_as_given(read, study)
        except InputError:
            raise error from None
        raise InputError(
            f"{str(error).removesuffix('.')}; if study.toml did not ask that when it was answered, "
            "--incomplete takes the file as it is."
        ) from None


def _read_as_given(read: Reading, study: Study) -> list[Placed]:
    """The responses, whatever they leave unanswered."""
    optional = tuple(msgspec.structs.replace(each, required=False) for each in study.questions)
    required = {question.id for question in study.questions if question.required}
    found = []
    for placed in read(msgspec.structs.replace(study, questions=optional)):
        answers = {
            name: answer
            for name, answer in placed.response.answers.items()
            if name not in required or not _is_blank(answer)
        }
        if answers:
            response = msgspec.structs.replace(placed.response, answers=answers)
            found.append(placed._replace(response=response))
    return found


def _is_blank(answer: AnswerValue) -> bool:
    return not (answer.strip() if isinstance(answer, str) else answer)


def create_folder(path: Path, study: Study) -> StudyFolder:
    """A new folder for a study; one that asks the same already is left as its owner has it."""
    check_study(study, f"The study {study.name}")
    if (path / STUDY).exists():
        found = read_folder(path)
        if _asked(found.study) != _asked(study):
            raise InputError(
                f"{path} holds another study, to which people may have answered; name another "
                "folder with --out."
            )
        return found
    for fault in offered_faults(study):
        raise InputError(f"The study {study.name}: {sentence(fault)}")
    write_whole(path / STUDY, study_toml(study).encode())
    return StudyFolder(path, study)


def _asked(study: Study) -> tuple[object, ...]:
    """What answers depend on; texts, languages, checks and access are the owner's to edit."""
    questions = tuple(map(_without_words, study.questions))
    return study.name, study.suite, study.judgements, study.drawn, study.items, questions


def _without_words(question: Question) -> Question:
    options = {
        name: tuple(Option(id=each.id) for each in getattr(question, name))
        for name in ("options", "labels")
        if hasattr(question, name)
    }
    return msgspec.structs.replace(question, ask={}, hint={}, **options)


def read_folder(path: Path) -> StudyFolder:
    """Open a study folder."""
    if not (path / STUDY).is_file():
        raise InputError(
            f"{path} is not a study folder: it has no {STUDY}; `epicene annotate sample` makes one."
        )
    return StudyFolder(path, read_study(path / STUDY))
