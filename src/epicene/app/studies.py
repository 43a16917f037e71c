"""A study in its folder: its progress, people's answers, and what they correct."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from cyclopts import Parameter

from epicene.app.arguments import TEXTS, texts_of
from epicene.app.output import note
from epicene.core.errors import pluralise

if TYPE_CHECKING:
    from epicene.app.arguments import RunsLike, StudyLike
    from epicene.app.output import Output
    from epicene.app.study_results import CorrectedResults, StudyAnswers, StudyResults
    from epicene.studies.collection.folder import StudyFolder
    from epicene.studies.collection.progress import StudyProgress

# Several names: in Python a list, on the command line a,b or the option repeated.
Names: TypeAlias = Annotated[str | Iterable[str], TEXTS, Parameter(metavar="A,B,…")]
Folder: TypeAlias = Annotated[str | Path, Parameter(alias="-o", metavar="FOLDER")]


class Study:
    """A study in its folder; `epicene.annotate` has the functions that work on it.

    >>> import epicene
    >>> _ = epicene.annotate.sample(suite="alternations", study="choice", n=4, out="pairs")
    >>> study = epicene.Study("pairs")
    >>> study.progress().wanted
    80
    >>> len(study.answers())
    0
    """

    def __init__(self, path: str | Path) -> None:
        from epicene.studies.collection.folder import open_study_folder

        self.folder: StudyFolder = open_study_folder(Path(path).expanduser())

    @property
    def path(self) -> Path:
        """The study's folder."""
        return self.folder.path

    @property
    def name(self) -> str:
        """The name of the study."""
        return self.folder.study.name

    @property
    def suite(self) -> str:
        """The suite that it belongs to."""
        return self.folder.study.suite

    def __repr__(self) -> str:
        """The name and the folder."""
        return f"<Study {self.name} in {self.path}>"

    def progress(self) -> StudyProgress:
        """The number of items, of judgements wanted and given, and of people who gave them.

        Practice, attention checks and fillers are not counted.
        """
        from epicene.studies.collection.progress import study_progress

        return study_progress(self.folder.study, self.folder.valid_responses().responses)

    def answers(self, *, without: str | Iterable[str] = (), passed: bool = False) -> StudyAnswers:
        """People's answers, as frames or results.

        Args:
            without: Leave out these people's answers.
            passed: Leave out the answers of people who failed the attention checks.
        """
        from epicene.app.study_results import StudyAnswers

        return StudyAnswers(self.folder, without=texts_of(without), passed=passed)

    def results(self, runs: RunsLike = ()) -> StudyResults:
        """Agreement between people and with the suite, next to the models in `runs`."""
        return self.answers().results(runs)

    def corrected(self, runs: RunsLike) -> CorrectedResults:
        """The headlines of runs corrected by people's labels; see `StudyAnswers.corrected`."""
        return self.answers().corrected(runs)

    @property
    def excluded(self) -> dict[str, str]:
        """The people who are excluded, with the reasons."""
        return {name: each.reason for name, each in self.folder.exclusions().items()}

    @property
    def shortfall(self) -> int:
        """How many items are missing for the requested precision: a cell has at most one item
        per unit, such as one answer to a prompt.
        """
        drawn = self.folder.study.drawn
        return sum(
            max(0, each.wanted - each.sampled)
            for each in (drawn.cells if drawn else ())
            if each.wanted is not None
        )

    def _print_(self, _output: Output) -> None:
        progress = self.progress()
        if self.shortfall:
            note(
                f"{pluralise(self.shortfall, 'item')} fewer than needed: some cells have too few "
                "answers to different prompts, so the intervals will be wider."
            )
        note(
            f"{pluralise(progress.items, 'item')}, {pluralise(progress.wanted, 'judgement')} "
            f"needed. The study is in {self.path}."
        )


def open_study(study: StudyLike) -> Study:
    """The study, or the one in that folder."""
    return study if isinstance(study, Study) else Study(study)


def names_of(given: str | Iterable[str]) -> list[str]:
    """The names, which may be separated by commas."""
    return [name.strip() for each in texts_of(given) for name in each.split(",") if name.strip()]
