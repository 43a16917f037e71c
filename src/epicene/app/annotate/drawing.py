"""Sample a study, create one of your own, and check it before it starts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

from cyclopts import Parameter

from epicene.app.arguments import (
    Columns,
    Data,
    Language,
    RunsLike,
    StudyLike,
    SuiteLike,
    at_least,
    data_source,
    texts_of,
)
from epicene.app.output import note
from epicene.app.results import stored_runs
from epicene.app.studies import Folder, Names, Study, names_of, open_study
from epicene.core.errors import InputError, as_sentence, pluralise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.app.output import Output
    from epicene.runs.stored_run import StoredRun
    from epicene.studies.design.sampling import SamplingOptions


def sample(
    *runs: RunsLike,
    out: Folder = "study",
    study: str = "",
    suite: SuiteLike | None = None,
    data: Data = None,
    columns: Columns = None,
    language: Language = None,
    per_cell: int | None = None,
    n: int | None = None,
    twice: int | None = None,
    seed: int | None = None,
    protocol: str = "",
    precision: float | None = None,
    pilot: StudyLike | None = None,
    accuracy: float | None = None,
    uncertain_first: bool = False,
) -> Study:
    """Sample a study from models' answers in runs, or from a suite's data.

    Args:
        runs: The runs whose answers people will judge.
        out: The study's folder. A folder that already contains the same study is opened.
        study: The study to sample, if the suite has several.
        suite: For studies of data: the suite to sample from, instead of runs.
        data: With `--suite`: your file or folder.
        columns: With `--suite`: the columns of your file.
        language: Only items in this language; may be repeated.
        per_cell: Items per cell of the design.
        n: Items in total, distributed over the cells.
        twice: Items that two people judge (default: 200).
        seed: Another number draws another sample.
        protocol: How items are drawn: paper or epicene (default: as in the runs).
        precision: The half-width of the interval of each corrected headline, e.g. 0.03: as many
            items are drawn as this needs.
        pilot: An earlier study of these runs that people have answered; cells whose labels vary
            more in it get more items.
        accuracy: With `--precision` and without `--pilot`: the share of automatic judgements that
            are right (default: no assumption).
        uncertain_first: Draw more of the answers whose automatic judgement is uncertain.

    Examples:
        >>> study = epicene.annotate.sample(suite="alternations", study="choice", n=4, out="pairs")
        >>> study.progress().wanted
        80
    """
    from epicene.studies.analysis.study_builder import study_from_data, study_from_runs
    from epicene.studies.collection.folder import create_study_folder
    from epicene.studies.collection.images import copy_images
    from epicene.studies.design.sampling import SamplingOptions
    from epicene.suites import find_suite

    at_least(1, per_cell=per_cell, n=n)
    at_least(0, twice=twice)
    if bool(runs) == (suite is not None):
        raise InputError("Name either run folders or a suite with --suite.")
    wanted = SamplingOptions(
        per_cell=per_cell,
        total=n,
        twice=twice,
        seed=seed,
        precision=precision,
        uncertain_first=uncertain_first,
    )
    languages = texts_of(language)
    spread = precision is not None or pilot is not None or uncertain_first
    stored = stored_runs(runs) if runs else []
    if suite is None:
        if data is not None or columns:
            raise InputError(
                "--data and --column require --suite, and cannot be combined with runs."
            )
        if spread:
            wanted = _allocate(stored, study, wanted, pilot, accuracy, languages)
        elif accuracy is not None:
            raise InputError("--accuracy requires --precision.")
        drawn = study_from_runs(stored, wanted, study=study, protocol=protocol, languages=languages)
    elif spread or accuracy is not None:
        raise InputError(
            "--precision, --pilot, --accuracy and --uncertain-first apply only to studies of runs."
        )
    else:
        drawn = study_from_data(
            find_suite(suite),
            data_source(data, columns),
            wanted,
            study=study,
            protocol=protocol or "epicene",
            languages=languages,
        )
    folder = create_study_folder(Path(out).expanduser(), drawn)
    assert drawn.drawn is not None
    kind = (find_suite(suite) if suite else stored[0].suite).studies[drawn.drawn.kind]
    copy_images(drawn, [run.folder for run in stored], folder.path, kind.pictures)
    made = Study(folder.path)
    if n is not None and not made.shortfall and made.progress().items < n:
        note(f"--n is {n}, but only {pluralise(made.progress().items, 'item')} can be drawn.")
    return made


def _allocate(
    runs: Sequence[StoredRun],
    study: str,
    wanted: SamplingOptions,
    pilot: StudyLike | None,
    accuracy: float | None,
    languages: tuple[str, ...],
) -> SamplingOptions:
    """The options with the number of items for each cell."""
    from epicene.studies.analysis.label_needs import allocate_labels
    from epicene.studies.analysis.study_builder import study_kind_of_runs

    if wanted.precision is not None and not 0 < wanted.precision < 0.5:
        raise InputError(
            "--precision must be between 0 and 0.5, e.g. 0.03 for 3 percentage points either way."
        )
    if accuracy is not None and not 0.5 < accuracy < 1:
        raise InputError("--accuracy must be between 0.5 and 1, e.g. 0.9.")
    if accuracy is not None and pilot is not None:
        raise InputError(
            "--accuracy cannot be combined with --pilot, which shows how often the judgement is "
            "right."
        )
    labelled = None if pilot is None else open_study(pilot).answers().study
    name = study_kind_of_runs(runs[0].suite, study, runs[0].protocol)
    return allocate_labels(
        runs, name, wanted, pilot=labelled, accuracy=accuracy, languages=languages
    )


def new(
    items: Annotated[str | Path, Parameter(name="FILE")],
    out: Folder = "study",
    *,
    ask: str,
    show: Names = (),
    options: Names = (),
    between: Names = (),
    draft: str = "",
    name: str = "",
    title: str = "",
    language: Annotated[str, Parameter(alias="-l", metavar="CODE")] = "en",
    judgements: int = 2,
) -> Study:
    """Create your own study from a file with one row per item, without a suite.

    The columns id, kind (item, practice, check, filler), group, condition, list, language,
    judgements, expected and feedback describe the item, if present; all other columns are its
    texts. The study.toml that it writes can be edited: add instructions, consent and more.

    Args:
        items: CSV, TSV, JSON, JSONL or Parquet.
        out: The study's folder.
        ask: The question.
        show: The columns that people see (default: the first text); all others are hidden.
        options: The answers that people choose from.
        between: Instead of `--options`: the columns whose texts people choose from.
        draft: Instead of `--options`: the column with the draft that people edit.
        name: The study's name (default: the folder's name).
        title: The title of the pages (default: the question).
        language: The language of the pages and items.
        judgements: The number of people who judge each item.
    """
    from epicene.studies.collection.folder import create_study_folder
    from epicene.studies.design.new_study import NewStudy, study_from_file

    at_least(1, judgements=judgements)
    folder = Path(out).expanduser()
    wanted = NewStudy(
        name=name or re.sub(r"[^a-z0-9]+", "-", folder.resolve().name.lower()).strip("-"),
        title=title or ask,
        ask=ask,
        show=tuple(names_of(show)),
        options=tuple(names_of(options)),
        between=tuple(names_of(between)),
        draft=draft,
        language=language,
        judgements=judgements,
    )
    return Study(create_study_folder(folder, study_from_file(Path(items), wanted)).path)


class StudyCheck(NamedTuple):
    """A study's problems, which must be fixed, and what may be missing from it."""

    problems: list[str]
    advice: list[str]

    def _print_(self, _output: Output) -> None:
        for sentence in self.advice:
            note(f"Advice: {sentence}")
        for sentence in self.problems:
            note(f"Problem: {sentence}")
        if self.problems:
            raise InputError(f"The study has {pluralise(len(self.problems), 'problem')}.")
        note("The study can start.")


def check(study: Annotated[str | Path, Parameter()]) -> StudyCheck:
    """List all problems of a study at once, and what may be missing from it.

    Args:
        study: A study's folder, or a study.toml.
    """
    from epicene.studies.collection.folder import STUDY_FILE, open_study_folder
    from epicene.studies.collection.images import check_images
    from epicene.studies.design.checks import launch_advice, launch_problems, study_problems
    from epicene.studies.exchange.study_files import parse_study

    path = Path(study).expanduser()
    parsed = parse_study(path / STUDY_FILE if path.is_dir() else path)
    problems = [as_sentence(each) for each in (*study_problems(parsed), *launch_problems(parsed))]
    if not problems and path.is_dir():
        try:
            check_images(open_study_folder(path))
        except InputError as error:
            problems.append(str(error))
    return StudyCheck(problems, [as_sentence(each) for each in launch_advice(parsed)])
