"""Human studies: sample one, have people answer it, and tabulate their answers."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, TypeAlias, cast, get_args

from cyclopts import Parameter

from epicene.app.arguments import (
    TEXTS,
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
from epicene.app.output import note, print_json, print_line
from epicene.app.results import stored_runs
from epicene.app.session import session
from epicene.app.studies import Study, open_study
from epicene.core.errors import InputError, RunError, as_sentence, pluralise, unknown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from epicene.app.output import Output
    from epicene.app.study_results import StudyResults
    from epicene.runs.stored_run import StoredRun
    from epicene.studies.collection.folder import StudyFolder
    from epicene.studies.design.sampling import SamplingOptions
    from epicene.studies.exchange.response_files import ExportFormat
    from epicene.studies.exchange.table_files import TableFormat

# Several names: in Python a list, on the command line a,b or the option repeated.
Names: TypeAlias = Annotated[str | Iterable[str], TEXTS, Parameter(metavar="A,B,…")]
Folder: TypeAlias = Annotated[str | Path, Parameter(alias="-o", metavar="FOLDER")]
OutOption: TypeAlias = Annotated[str | Path | None, Parameter(alias="-o", metavar="PATH")]


def _names(given: str | Iterable[str]) -> list[str]:
    """The names, which may be separated by commas."""
    return [name.strip() for each in texts_of(given) for name in each.split(",") if name.strip()]


# --- sample, new, check --------------------------------------------------------------------------


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
        show=tuple(_names(show)),
        options=tuple(_names(options)),
        between=tuple(_names(between)),
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


# --- sheets, projects and answers from elsewhere -------------------------------------------------


class Sheets(NamedTuple):
    """The files for people to fill in, and notes about people with fewer items or none."""

    paths: list[Path]
    notes: list[str]

    def _print_(self, _output: Output) -> None:
        for sentence in (*map(str, self.paths), *self.notes):
            note(sentence)


def sheets(
    study: StudyLike,
    *,
    people: Annotated[int | str | Iterable[str], TEXTS, Parameter(metavar="A,B,…|N")],
    out: Folder,
) -> Sheets:
    """Write one empty sheet per person, to fill in and import.

    Args:
        study: The study's folder.
        people: Their names, or how many they are.
        out: The folder to write to.
    """
    from epicene.studies.collection.images import export_images
    from epicene.studies.collection.sheets import write_sheets
    from epicene.studies.design.checks import check_participant_name

    given = _names(str(people) if isinstance(people, int) else people)
    if len(given) == 1 and given[0].isdecimal():
        digits, count = len(given[0]), int(given[0])
        names = [f"p{number:0{digits}}" for number in range(1, count + 1)]
    else:
        names = [check_participant_name(name) for name in given]
    folder = open_study(study).folder
    responses = folder.responses()
    ready = export_images(folder, Path(out))
    paths = write_sheets(ready, names, Path(out), responses, folder.exclusions())
    own = {item.id for item in (*ready.items, *ready.fillers, *ready.checks)}
    answered = Counter(each.participant for each in responses if each.item in own)
    return Sheets(paths, [*_reduced_work(names, {path.stem for path in paths}, answered)])


def _reduced_work(
    names: Sequence[str], sheets: Collection[str], answered: Mapping[str, int]
) -> Iterator[str]:
    """Sentences about people who have less to do, or nothing, because of earlier answers."""
    for name in names:
        if name not in sheets:
            yield f"{name} has nothing left to do and gets no sheet."
        elif answered[name]:
            done = pluralise(answered[name], "item")
            yield f"The sheet of {name} leaves out {done} that {name} has already answered."


def project(study: StudyLike, *, to: Literal["pcibex", "label-studio"], out: Folder) -> list[Path]:
    """Write a study as a project for another program.

    Args:
        study: The study's folder.
        to: The program.
        out: The folder to write to.
    """
    from epicene.studies.collection.images import export_images
    from epicene.studies.collection.sheets import TargetProgram, write_project

    if to not in (known := get_args(TargetProgram)):
        raise unknown("program", to, known)
    return write_project(export_images(open_study(study).folder, Path(out)), Path(out), to)


class Imported(NamedTuple):
    """How many answers a file had that are new, replace others, or were there already."""

    new: int
    replaced: int
    same: int
    adjudications: int = 0

    def _print_(self, _output: Output) -> None:
        note(
            f"{pluralise(self.new, 'new answer')}, {self.replaced} replaced, {self.same} unchanged."
        )
        if self.adjudications:
            were = "was" if self.adjudications == 1 else "were"
            note(f"{pluralise(self.adjudications, 'answer')} {were} settled by adjudication.")


def import_answers(
    study: StudyLike,
    file: Annotated[str | Path, Parameter(name="FILE")],
    *,
    participant: str = "",
    columns: Columns = None,
    replace: bool = False,
    incomplete: bool = False,
    format: Literal["auto", "pcibex", "label-studio"] = "auto",
) -> Imported:
    """Import answers collected outside Epicene: the whole file, or nothing if it has an error.

    Args:
        study: The study's folder.
        file: CSV, TSV or JSONL, PCIbex results, or a JSON export of Label Studio.
        participant: The person who gave the answers, if the file does not name them.
        columns: The file's columns with Epicene's fields.
        replace: Replace a person's earlier answers.
        incomplete: Accept responses that lack questions added later.
        format: The file's format (default: detected from its content).
    """
    from epicene.studies.exchange.response_files import ResponseFormat

    if format not in (known := get_args(ResponseFormat)):
        raise unknown("layout of answers", format, known)
    counts = open_study(study).folder.import_file(
        Path(file),
        participant=participant,
        columns=dict(columns or {}),
        replace=replace,
        incomplete=incomplete,
        layout=format,
    )
    return Imported(counts.new, counts.replaced, counts.same, counts.adjudications)


# --- the pages -----------------------------------------------------------------------------------

_PORT = 8765
_BASE_URL = re.compile(
    r"(?P<root>https?://(?:\[[\da-f:.]+\]|[\w.-]+)(?::(?P<port>\d{1,5}))?)/?", re.IGNORECASE
)


class Links(dict[str, str]):
    """The links of a study by whose they are: the owner, everyone (open), or a person's name."""

    def _print_(self, output: Output) -> None:
        if output.json:
            print_json(self)
            return
        for who, link in self.items():
            print_line(f"{who}\t{link}")


def links(study: StudyLike, *, people: Names = (), url: str = "", revoke: Names = ()) -> Links:
    """List the links of a study: the owner's, the open link and the personal links.

    Args:
        study: The study's folder.
        people: The people to invite with a personal link, in addition to those who have one.
        url: The address of the pages (default: where the study was last served).
        revoke: Revoke these people's links at once; they get new ones, and answers are kept.
    """
    from epicene.studies.collection.participants import open_participants

    folder = open_study(study).folder
    address = _base_url(url) if url else folder.address()
    with open_participants(folder) as participants:
        participants.revoke(*_names(revoke))
    if not address:
        address = f"http://127.0.0.1:{_PORT}"
        note(f"The links point to {address}, because the study has not been served yet.")
    return _links(folder, _names(people), address)


def _links(folder: StudyFolder, people: Iterable[str], address: str) -> Links:
    """The link of everyone, after inviting `people`."""
    from epicene.studies.collection.links import User, load_signer
    from epicene.studies.collection.owners import open_owners
    from epicene.studies.collection.participants import open_participants

    signer = load_signer(folder.path)
    with open_participants(folder) as participants:
        participants.invite(*people)
        invited = {name: participants.issue(name) for name in participants.invited()}
    with open_owners(folder) as owners:
        first = owners.find("")
    found = Links()
    if first is not None:  # and its link is not revoked
        found["(owner)"] = address + signer.path(first.user)
    access = folder.study.access
    if access.entry == "open":
        found["(open)"] = address + signer.open_path(access.participant_parameter)
    for name, issue in invited.items():
        found[name] = address + signer.path(User("person", name, issue))
    return found


def _base_url(url: str) -> str:
    """The base address of links, checked: the pages must be at the root of a host."""
    found = _BASE_URL.fullmatch(url)
    if not found or int(found["port"] or 0) > 65535:
        raise InputError(
            f"{url!r} cannot be the address of the pages: use http:// or https://, a host and "
            "optionally a port, with nothing after it."
        )
    return found["root"].lower()


def serve(
    study: StudyLike,
    *,
    people: Names = (),
    host: str = "127.0.0.1",
    port: int = _PORT,
    url: str = "",
    no_links: bool = False,
    ready: Annotated[Callable[[Links], None] | None, Parameter(parse=False)] = None,
) -> None:
    """Serve the pages on which people answer until you stop the command, and print the links.

    Args:
        study: The study's folder.
        people: The people to invite with a personal link, in addition to those who have one.
        host: The address to listen on (default: this machine only).
        port: The port to listen on; 0 picks a free one.
        url: The public address of the pages, https://HOST (default: `--host` and `--port`).
        no_links: Do not print the links. They are secrets, so do not print them where output is
            logged.
        ready: A function that is called with the links once the pages are served (default: print
            them).
    """
    from epicene.studies.collection.folder import STUDY_FILE
    from epicene.studies.collection.images import check_images
    from epicene.studies.design.checks import launch_problems

    opened = open_study(study)
    folder = opened.folder
    for fault in launch_problems(folder.study):
        problem = f"{folder.path / STUDY_FILE}: {as_sentence(fault)}"
        if not len(opened.answers()):  # a study that is under way is not stopped for it
            raise InputError(problem)
        note(problem)
    check_images(folder)
    public = _base_url(url) if url else ""
    serve_pages = _server()

    def listening(actual_port: int) -> None:
        address = public or _local_address(host, actual_port)
        folder.remember_address(address)
        found = _links(folder, _names(people), address)
        if ready is not None:
            ready(found)
        elif not no_links:
            for who, link in found.items():
                print_line(f"{who}\t{link}")
            sys.stdout.flush()
        for sentence in _serving_notes(host, folder.study.access.closes):
            note(sentence)

    serve_pages(
        folder,
        host=host,
        port=port,
        secure=public.startswith("https://"),
        proxied=bool(public),
        ready=listening,
    )
    note("Stopped. All answers are stored; repeat the command to resume, with the same links.")


def _serving_notes(host: str, closes: datetime | None) -> Iterator[str]:
    if not (host == "localhost" or host == "::1" or host.startswith("127.")):
        yield (
            f"Listening on {host}: anyone who can reach this machine can try to connect. Links and "
            "answers are sent unencrypted unless an HTTPS proxy is in front of this server."
        )
    if closes is not None:
        has = "closed" if closes <= datetime.now(UTC) else "closes"
        yield f"The study {has} on {closes.astimezone(UTC):%Y-%m-%d at %H:%M} UTC."
    yield "Serving until stopped (Ctrl-C)."


def preview(
    study: StudyLike,
    *,
    host: str = "127.0.0.1",
    port: int = _PORT,
    ready: Annotated[Callable[[str], None], Parameter(parse=False)] = print_line,
) -> None:
    """Serve every page as participants see it, until you stop the command; nothing is stored.

    Args:
        study: The study's folder.
        host: The address to listen on (default: this machine only).
        port: The port to listen on; 0 picks a free one.
        ready: A function that is called with the link once the pages are served (default: print
            it).
    """
    import tempfile

    import msgspec

    from epicene.studies.collection.folder import create_study_folder
    from epicene.studies.collection.images import check_images
    from epicene.studies.collection.links import User, load_signer
    from epicene.studies.collection.participants import open_participants

    folder = open_study(study).folder
    check_images(folder)
    serve_pages = _server()
    access = msgspec.structs.replace(folder.study.access, closes=None)
    with tempfile.TemporaryDirectory(prefix="epicene-preview-") as temporary:
        copied = create_study_folder(
            Path(temporary) / "study", msgspec.structs.replace(folder.study, access=access)
        )
        _copy_images(folder.path, copied.path)
        with open_participants(copied) as participants:
            participants.invite("preview")
        token = load_signer(copied.path).token(User("person", "preview"))

        def listening(actual_port: int) -> None:
            ready(f"{_local_address(host, actual_port)}/enter/{token}")
            sys.stdout.flush()
            note("All pages are listed at /preview of the same address. Press Ctrl-C to stop.")

        serve_pages(
            copied,
            host=host,
            port=port,
            secure=False,
            proxied=False,
            ready=listening,
            preview=True,
        )
    note("Stopped. Nothing was stored.")


def _copy_images(source: Path, target: Path) -> None:
    import shutil

    for path in source.iterdir():
        if path.is_dir():
            shutil.copytree(path, target / path.name, dirs_exist_ok=True)
        elif path.suffix.lower() in (".png", ".jpg", ".jpeg", ".webp"):
            shutil.copy(path, target / path.name)


def _local_address(host: str, port: int) -> str:
    """The address of the pages without a public one."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _server() -> Callable[..., None]:
    """The function that serves the pages; raises if it cannot be used here."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        raise InputError(
            "A notebook cannot serve the pages; run `epicene annotate serve STUDY` in a terminal."
        )
    try:
        from epicene.studies.web.server import serve as serve_pages
    except ImportError as error:
        raise InputError(
            f"The pages need the package {error.name}; install it with "
            "`pip install 'epicene[study]'`."
        ) from None
    return serve_pages


# --- people --------------------------------------------------------------------------------------


class Excluded(dict[str, str]):
    """The people who are excluded, with the reasons."""

    def _print_(self, _output: Output) -> None:
        for name, why in self.items():
            note(f"Excluded: {name} ({why}).")
        note(f"Total excluded: {len(self)}.")


def exclude(
    study: StudyLike,
    *people: Annotated[str, Parameter(name="PERSON")],
    reason: str = "",
    rule: bool = False,
    readmit: bool = False,
) -> Excluded:
    """Exclude people: their answers are kept but do not count, and their items go to others.

    Returns everyone who is excluded, with the reasons.

    Args:
        study: The study's folder.
        people: The people to exclude.
        reason: The reason, which is shown in tables and exports.
        rule: Instead of naming people, apply the rule in study.toml to everyone, including people
            who left early and imported answers.
        readmit: Instead of excluding these people, count their answers again; from then on, the
            rule does not apply to them.
    """
    from epicene.studies.collection.activity import OWNER
    from epicene.studies.collection.exclusion import (
        apply_rule,
        exclude_participant,
        readmit_participant,
    )

    opened = open_study(study)
    if rule == bool(people) or (readmit and not people):
        raise InputError("Name people, or use --rule, but not both; --readmit requires names.")
    if rule:
        apply_rule(opened.folder)
    for person in people:
        if readmit:
            readmit_participant(opened.folder, person)
        else:
            exclude_participant(opened.folder, person, reason, OWNER)
    return Excluded(opened.excluded)


def forget(study: StudyLike, person: Annotated[str, Parameter(name="PERSON")]) -> None:
    """Permanently delete a person who withdrew, with all their answers.

    Files exported earlier are unchanged.

    Args:
        study: The study's folder.
        person: The person who withdrew.
    """
    from epicene.studies.collection.folder import RESPONSES_FILE
    from epicene.studies.collection.participants import delete_participant

    folder = open_study(study).folder
    if not session.get().yes:
        count = sum(response.participant == person for response in folder.responses())
        _confirm(f"{person}, with {pluralise(count, 'answer')}")
    deleted = delete_participant(folder.path / RESPONSES_FILE, person)
    note(
        f"Deleted {person}, with {pluralise(deleted, 'answer')}. Files exported earlier are "
        "unchanged."
    )


def _confirm(what: str) -> None:
    """Ask at the terminal for confirmation; raise without it."""
    if not sys.stdin.isatty():
        raise InputError(
            f"This would delete {what}, and there is no terminal to ask for confirmation; use "
            "--yes."
        )
    sys.stderr.write(f"Permanently delete {what}? [y/N]: ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise RunError("Nothing was deleted.")


# --- results -------------------------------------------------------------------------------------


class AdjudicationSheet(NamedTuple):
    """A sheet of disagreements as CSV, with the number of answers and items it covers."""

    text: str
    answers: int
    items: int
    note: str  # which answers are left out or incomplete; "" if none
    out: Path | None

    def _print_(self, _output: Output) -> None:
        if self.out is None:
            sys.stdout.write(self.text)
        about = f"{pluralise(self.answers, 'answer')} about {pluralise(self.items, 'item')}"
        note(f"To decide: {about}.")
        if self.note:
            note(self.note)


def adjudicate(study: StudyLike, *, by: str, out: OutOption = None) -> AdjudicationSheet:
    """Write a sheet of the disagreements; fill it in, and import it with `annotate import`.

    Args:
        study: The study's folder.
        by: Who decides.
        out: The file to write (default: standard output).
    """
    from epicene.core.files import write_atomically
    from epicene.studies.collection.adjudication import disagreements, why_no_adjudication
    from epicene.studies.collection.sheets import adjudication_sheet

    if not by.strip():
        raise InputError("--by must not be empty; name the person who decides.")
    folder = open_study(study).folder
    if why := why_no_adjudication(folder.study):
        raise InputError(why)
    valid = folder.valid_responses()
    found = disagreements(folder.study, valid.responses, valid.adjudications)
    text = adjudication_sheet(folder.study, found, by)
    path = None if out is None else Path(out).expanduser()
    if path is not None:
        write_atomically(path, text.encode(), private=True)
    items = len({each.item.id for each in found})
    return AdjudicationSheet(text, len(found), items, valid.note, path)


class ExportedAnswers(NamedTuple):
    """The content of a file of answers, and notes on what it leaves out."""

    content: bytes
    notes: tuple[str, ...]
    out: Path | None

    def _print_(self, _output: Output) -> None:
        if self.out is None:
            sys.stdout.buffer.write(self.content)
            sys.stdout.flush()
        for sentence in self.notes:
            note(sentence)


def export(
    study: StudyLike,
    *,
    out: OutOption = None,
    per: Literal["judgement", "item", "participant"] | None = None,
    hidden: bool = False,
    codebook: bool = False,
    without: Annotated[str | Iterable[str], TEXTS, Parameter(metavar="NAME")] = (),
    passed: bool = False,
) -> ExportedAnswers:
    """Export all answers: in a file that `annotate import` reads back, or for analysis.

    Args:
        study: The study's folder.
        out: The file to write, by its extension as .csv, .tsv or .jsonl; for analysis also .xlsx or
            .parquet (default: CSV on standard output).
        per: For analysis: one row per judgement (the default for .xlsx and .parquet), item or
            participant, with kind, list, position, on-screen order, flags and exclusions.
        hidden: Include hidden fields; do not give the file to active annotators.
        codebook: With `--per`: write a description of its columns instead.
        without: Leave out this person's answers; may be repeated.
        passed: Leave out the answers of people who failed the attention checks.
    """
    from epicene.core.files import write_atomically
    from epicene.studies.exchange.response_files import export_responses
    from epicene.studies.exchange.table_files import table_bytes

    answers = open_study(study).answers(without=without, passed=passed)
    path = None if out is None else Path(out).expanduser()
    form: TableFormat = "csv" if path is None else _table_format(path)
    if per is not None or form in ("xlsx", "parquet"):
        per = per or "judgement"
        table = answers.table(per, hidden=hidden)
        content = table_bytes(
            table.codebook() if codebook else table.frame(), table.codebook(), form
        )
        notes = answers.table_notes(per)
    elif codebook:
        raise InputError("--codebook requires --per.")
    else:
        given = answers.study
        content = export_responses(
            given.study,
            given.responses,
            (given.adjudications or {}).values(),
            cast("ExportFormat", form),
            with_hidden=hidden,
        ).encode()
        notes = (*answers.notes, *answers.mixed_kinds)
    if path is not None:
        write_atomically(path, content, private=True)
        if not len(answers):
            notes = (*notes, f"The study has no answers yet, so {path} has no rows.")
    return ExportedAnswers(content, notes, path)


def _table_format(path: Path) -> TableFormat:
    from epicene.studies.exchange.table_files import TableFormat

    ending = path.suffix.lower().removeprefix(".")
    known: dict[str, TableFormat] = {each: each for each in get_args(TableFormat)}
    if ending not in known:
        raise InputError(
            f"The format of {path} is not clear from its name; use the extension "
            f".{', .'.join(known)}."
        )
    return known[ending]


def tables(
    study: StudyLike,
    *,
    runs: Annotated[RunsLike, Parameter(name="--run")] = (),
    figures: Annotated[str | Path | None, Parameter(metavar="FOLDER")] = None,
    without: Annotated[str | Iterable[str], TEXTS, Parameter(metavar="NAME")] = (),
    passed: bool = False,
) -> StudyResults:
    """Print the results of a study: agreement between people, and of people with the suite.

    Args:
        study: The study's folder.
        runs: A run to compare with people; repeat for several.
        figures: A folder to write the figures to, as SVG.
        without: Leave out this person's answers; may be repeated.
        passed: Leave out the answers of people who failed the attention checks.
    """
    answers = open_study(study).answers(without=without, passed=passed)
    results = answers.results(runs)
    if figures is not None:
        results.save_figures(Path(figures).expanduser())
    return results
