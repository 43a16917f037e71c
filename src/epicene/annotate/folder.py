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
from epicene.studies.checks import check_study
from epicene.studies.files import read_study, study_toml
from epicene.studies.response_files import read_responses
from epicene.studies.settled_files import read_settled

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from epicene.studies import Question, Response, Study
    from epicene.studies.response_files import Layout

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

    def fitting(self) -> Fitting:
        """The responses and settled answers that fit the study as it is now."""
        return fitting(self.study, self.responses(), self.settlements().all())

    def settlements(self) -> Settlements:
        """What the owner decided where people differ."""
        return Settlements(self.path / RESPONSES, self.study)

    def take(
        self,
        file: Path,
        *,
        participant: str = "",
        columns: Mapping[str, str] | None = None,
        replace: bool = False,
        layout: Layout = "auto",
    ) -> Added:
        """Keep the responses and settled answers in a file, all or none."""
        found = read_responses(
            file, self.study, participant=participant, columns=columns, layout=layout
        )
        decisions = read_settled(file, self.study, columns=columns, layout=layout)
        with closing(ResponseStore(self.path / RESPONSES)) as store, store.writing() as db:
            added = store.put(found, replace=replace)
            settled = self.settlements().put(db, decisions, replace=replace)
        return added._replace(settled=settled)


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
