"""Human studies: sample one, serve it, import answers, adjudicate disagreements."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, get_args

from epicene.app.arguments import data_source, texts_of
from epicene.app.results import tables as tabulate
from epicene.api.study_results import CorrectedResults, StudyAnswers
from epicene.api.wording import keyword_errors
from epicene.core.errors import InputError, as_sentence, pluralise, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    import polars

    from epicene.app.arguments import PathLike
    from epicene.app.results import RunLike
    from epicene.runs.stored_run import StoredRun
    from epicene.studies.collection.database import ImportCounts
    from epicene.studies.collection.folder import StudyFolder
    from epicene.studies.collection.progress import StudyProgress
    from epicene.studies.collection.sheets import TargetProgram
    from epicene.studies.design.sampling import SamplingOptions
    from epicene.studies.exchange.response_files import ResponseFormat
    from epicene.suites import SuiteLike

PORT = 8765
MAX_PORT = 65535
_BASE_URL = re.compile(
    r"(?P<root>https?://(?:\[[\da-f:.]+\]|[\w.-]+)(?::(?P<port>\d{1,5}))?)/?", re.IGNORECASE
)


class AdjudicationSheet(NamedTuple):
    """A sheet of disagreements as CSV, with the number of answers and items it covers."""

    text: str
    answers: int
    items: int
    note: str  # which answers are left out or incomplete; "" if none


class StudyCheck(NamedTuple):
    """A study's problems, which must be fixed, and what may be missing from it."""

    problems: list[str]
    advice: list[str]


class Sheets(NamedTuple):
    """The files for people to fill in, and notes about people with fewer items or none."""

    paths: list[Path]
    notes: list[str]


@keyword_errors
def sample_study(
    runs: RunLike | Iterable[RunLike] = (),
    out: PathLike = "study",
    *,
    study: str = "",
    suite: SuiteLike | None = None,
    data: PathLike | None = None,
    columns: Mapping[str, str] | None = None,
    language: str | Sequence[str] | None = None,
    per_cell: int | None = None,
    n: int | None = None,
    twice: int | None = None,
    seed: int | None = None,
    protocol: str = "",
    precision: float | None = None,
    pilot: PathLike | Study | None = None,
    accuracy: float | None = None,
    uncertain_first: bool = False,
) -> Study:
    """Sample a study from models' answers in runs, or from a suite's data.

    runs: the runs whose answers people will judge; or
    suite: for studies of data, the suite, with `data` and `columns` as in `run`.
    language: only items in this language, or in these.
    out: the study's folder. A folder that already contains the same study is opened.
    study: the study to sample, if the suite has several.
    per_cell: items per cell of the design; n: items in total.
    twice: items that two people judge (default: 200).
    seed: the random seed of the draw.
    protocol: how items are drawn, paper or epicene (default: as in the runs).
    precision: the approximate half-width of the interval of each corrected headline, e.g. 0.03; as
        many items are drawn as this needs.
    pilot: an earlier study of these runs that people have answered; cells whose labels vary more in
        it get more items.
    accuracy: the share of automatic judgements that are right, if there is no pilot (default: no
        assumption).
    uncertain_first: draw more of the answers whose automatic judgement is uncertain.

    >>> import epicene
    >>> study = epicene.sample_study(suite="alternations", study="choice", n=4, out="pairs")
    >>> study.progress().wanted
    80
    """
    from epicene.studies.analysis.study_builder import study_from_data, study_from_runs
    from epicene.studies.collection.folder import create_study_folder
    from epicene.studies.collection.images import copy_images
    from epicene.studies.design.sampling import SamplingOptions
    from epicene.suites import find_suite

    stored = tabulate(runs).stored
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
    if bool(stored) == bool(suite):
        raise InputError("Name either run folders or a suite with --suite.")
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
    folder = create_study_folder(Path(out), drawn)
    assert drawn.drawn is not None
    kind = (find_suite(suite) if suite else stored[0].suite).studies[drawn.drawn.kind]
    copy_images(drawn, [run.folder for run in stored], folder.path, kind.pictures)
    return Study(folder)


def _allocate(
    runs: Sequence[StoredRun],
    study: str,
    wanted: SamplingOptions,
    pilot: PathLike | Study | None,
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
    labelled = None
    if pilot is not None:
        labelled = (pilot if isinstance(pilot, Study) else load_study(pilot)).answers().study
    name = study_kind_of_runs(runs[0].suite, study, runs[0].protocol)
    return allocate_labels(
        runs, name, wanted, pilot=labelled, accuracy=accuracy, languages=languages
    )


@keyword_errors
def new_study(
    items: PathLike,
    out: PathLike = "study",
    *,
    ask: str,
    show: str | Iterable[str] = (),
    options: Iterable[str] = (),
    between: Iterable[str] = (),
    draft: str = "",
    name: str = "",
    title: str = "",
    language: str = "en",
    judgements: int = 2,
) -> Study:
    """Create your own study from a file with one row per item, without a suite.

    items: CSV, TSV, JSON, JSONL or Parquet. The columns id, kind (item, practice, check, filler),
        group, condition, list, language, judgements, expected and feedback describe the item, if
        present; all other columns are its texts.
    ask: the question. `options` are the answers to choose from, or `between` the columns whose
        texts people choose from. Without either, people write a text, starting from the column
        `draft`.
    show: the columns that people see (default: the first text); all others are hidden.
    judgements: how many people judge each item.

    You can edit the study.toml that it writes: docs/reference/study_toml.md lists all fields.
    """
    from epicene.studies.collection.folder import create_study_folder
    from epicene.studies.design.new_study import NewStudy, study_from_file

    chosen = name or re.sub(r"[^a-z0-9]+", "-", Path(out).resolve().name.lower()).strip("-")
    wanted = NewStudy(
        name=chosen,
        title=title or ask,
        ask=ask,
        show=tuple(_names(show)),
        options=tuple(options),
        between=tuple(between),
        draft=draft,
        language=language,
        judgements=judgements,
    )
    return Study(create_study_folder(Path(out), study_from_file(Path(items), wanted)))


@keyword_errors
def check_study_file(path: PathLike) -> StudyCheck:
    """Return the problems of a study's folder or file, and what may be missing from it.

    Unlike `load_study`, it lists all problems at once.
    """
    from epicene.studies.collection.folder import STUDY_FILE
    from epicene.studies.design.checks import launch_advice, launch_problems, study_problems
    from epicene.studies.exchange.study_files import parse_study

    chosen = Path(path) / STUDY_FILE if Path(path).is_dir() else Path(path)
    study = parse_study(chosen)
    problems = [as_sentence(each) for each in (*study_problems(study), *launch_problems(study))]
    if not problems and Path(path).is_dir():
        from epicene.studies.collection.folder import open_study_folder
        from epicene.studies.collection.images import check_images

        try:
            check_images(open_study_folder(Path(path)))
        except InputError as error:
            problems.append(str(error))
    return StudyCheck(problems, [as_sentence(each) for each in launch_advice(study)])


@keyword_errors
def load_study(path: PathLike) -> Study:
    """Open a study's folder.

    >>> import epicene
    >>> _ = epicene.sample_study(suite="alternations", study="choice", n=4, out="pairs")
    >>> study = epicene.load_study("pairs")
    >>> study.answers().frame().columns
    ['participant', 'item', 'shown: a', 'shown: b', 'better', 'at', 'seconds', 'language']
    >>> study.links(people=["ann"])["who"].to_list()
    ['(owner)', 'ann']
    """
    from epicene.studies.collection.folder import open_study_folder

    return Study(open_study_folder(Path(path)))


class Study:
    """A study in its folder. Get one from `epicene.sample_study` or `epicene.load_study`."""

    def __init__(self, folder: StudyFolder) -> None:
        self._folder = folder

    @property
    def path(self) -> Path:
        """The study's folder."""
        return self._folder.path

    @property
    def name(self) -> str:
        """The name of the study."""
        return self._folder.study.name

    @property
    def suite(self) -> str:
        """The suite that it belongs to."""
        return self._folder.study.suite

    @property
    def closes(self) -> datetime | None:
        """When the study stops accepting answers, if it does."""
        return self._folder.study.access.closes

    @property
    def shortfall(self) -> int:
        """How many items are missing for the requested precision: a cell has at most one item
        per unit, such as one answer to a prompt.
        """
        drawn = self._folder.study.drawn
        return sum(
            max(0, each.wanted - each.sampled)
            for each in (drawn.cells if drawn else ())
            if each.wanted is not None
        )

    def __repr__(self) -> str:
        """The name and the folder."""
        return f"<Study {self.name} in {self.path}>"

    @keyword_errors
    def progress(self) -> StudyProgress:
        """The number of items, of judgements wanted and given, and of people who gave them.

        Practice, attention checks and fillers are not counted.
        """
        from epicene.studies.collection.progress import study_progress

        return study_progress(self._folder.study, self._folder.valid_responses().responses)

    @keyword_errors
    def problems(self) -> list[str]:
        """Problems that people would run into on the pages, such as a key with two functions."""
        from epicene.studies.collection.folder import STUDY_FILE
        from epicene.studies.design.checks import launch_problems

        file = self.path / STUDY_FILE
        return [f"{file}: {as_sentence(fault)}" for fault in launch_problems(self._folder.study)]

    @keyword_errors
    def answers(self, *, without: str | Iterable[str] = (), passed: bool = False) -> StudyAnswers:
        """People's answers: as a frame, a file, or results.

        without: leave out these people's answers.
        passed: leave out the answers of people who failed the attention checks.
        """
        return StudyAnswers(self._folder, without=_names(without), passed=passed)

    @keyword_errors
    def corrected(self, runs: RunLike | Iterable[RunLike]) -> CorrectedResults:
        """The headlines of runs corrected by people's labels; see `StudyAnswers.corrected`."""
        return self.answers().corrected(runs)

    @keyword_errors
    def import_answers(
        self,
        file: PathLike,
        *,
        participant: str = "",
        columns: Mapping[str, str] | None = None,
        replace: bool = False,
        incomplete: bool = False,
        layout: ResponseFormat = "auto",
    ) -> ImportCounts:
        """Import answers collected outside Epicene: the whole file, or nothing if it has an error.

        file: CSV, TSV or JSONL, PCIbex results, or a JSON export of Label Studio.
        participant: the person who gave the answers, if the file does not say.
        columns: maps Epicene's fields to the file's columns.
        replace: replace a person's earlier answers.
        incomplete: accept responses that lack questions added later.
        layout: pcibex or label-studio (default: detected from the content).
        """
        from epicene.studies.exchange.response_files import ResponseFormat

        if layout not in (known := get_args(ResponseFormat)):
            raise unknown("layout of answers", layout, known)
        return self._folder.import_file(
            Path(file),
            participant=participant,
            columns=dict(columns or {}),
            replace=replace,
            incomplete=incomplete,
            layout=layout,
        )

    @keyword_errors
    def adjudicate(self, by: str, out: PathLike | None = None) -> AdjudicationSheet:
        """A sheet of the disagreements for the person `by` to decide; `import_answers` reads it
        back.
        """
        from epicene.studies.collection.adjudication import disagreements, why_no_adjudication
        from epicene.studies.collection.sheets import adjudication_sheet

        if not by.strip():
            raise InputError("--by must not be empty; name the person who decides.")
        study = self._folder.study
        if why := why_no_adjudication(study):
            raise InputError(why)
        valid = self._folder.valid_responses()
        found = disagreements(study, valid.responses, valid.adjudications)
        text = adjudication_sheet(study, found, by)
        if out is not None:
            from epicene.core.files import write_atomically

            write_atomically(Path(out), text.encode(), private=True)
        items = len({each.item.id for each in found})
        return AdjudicationSheet(text, len(found), items, valid.note)

    @keyword_errors
    def write_sheets(self, people: int | str | Iterable[str], out: PathLike) -> Sheets:
        """Write one empty sheet per person, named or numbered, to the folder `out`."""
        from epicene.studies.collection.images import export_images
        from epicene.studies.collection.sheets import write_sheets
        from epicene.studies.design.checks import check_participant_name

        if isinstance(people, int):
            names = [f"p{number:0{len(str(people))}}" for number in range(1, people + 1)]
        else:
            names = [check_participant_name(name) for name in _names(people)]
        study = export_images(self._folder, Path(out))
        responses = self._folder.responses()
        paths = write_sheets(study, names, Path(out), responses, self._folder.exclusions())
        own = {item.id for item in (*study.items, *study.fillers, *study.checks)}
        answered = Counter(each.participant for each in responses if each.item in own)
        return Sheets(paths, [*_reduced_work(names, {path.stem for path in paths}, answered)])

    @keyword_errors
    def write_project(self, to: TargetProgram, out: PathLike) -> list[Path]:
        """Write the study as a project for another program, pcibex or label-studio."""
        from epicene.studies.collection.images import export_images
        from epicene.studies.collection.sheets import TargetProgram, write_project

        if to not in (known := get_args(TargetProgram)):
            raise unknown("program", to, known)
        return write_project(export_images(self._folder, Path(out)), Path(out), to)

    @keyword_errors
    def links(self, people: str | Iterable[str] = (), url: str = "") -> polars.DataFrame:
        """The links of a study: `who` (the owner, everyone, or a person's name) and `link`.

        people: the people to invite with a personal link, in addition to those who have one.
        url: the address of the pages (default: where the study was last served).
        """
        return _links_frame(self._folder, people, base_url(url) if url else self.address)

    @keyword_errors
    def owners(
        self,
        add: str | Iterable[str] = (),
        *,
        revoke: str | Iterable[str] = (),
        url: str = "",
    ) -> polars.DataFrame:
        """The owners of the study, `who` and `link`; what each does is recorded under their name.

        The first one, `owner`, has no name of their own and exists from the start.

        add: the people to add as owners; a revoked owner gets a new link.
        revoke: the owners whose links and sessions end at once; the record of what they did is
            kept.
        url: the address of the pages (default: where the study was last served).
        """
        import polars as pl

        from epicene.studies.collection.links import load_signer
        from epicene.studies.collection.owners import open_owners

        signer, address = load_signer(self.path), base_url(url) if url else self.address
        with open_owners(self._folder) as owners:
            for name in _names(add):
                owners.add(name)
            for name in _names(revoke):
                owners.revoke(name)
            rows = [(each.name, address + signer.path(each.user)) for each in owners.active()]
        return pl.DataFrame(rows, schema={"who": pl.String, "link": pl.String}, orient="row")

    @keyword_errors
    def activity(self) -> polars.DataFrame:
        """What the owners did, latest first: `at`, `by`, `action`, `about`, `detail`."""
        import polars as pl

        from epicene.studies.collection.activity import read_activity
        from epicene.studies.collection.folder import RESPONSES_FILE

        text = ("by", "action", "about", "detail")
        return pl.DataFrame(
            read_activity(self.path / RESPONSES_FILE),
            schema={"at": pl.Datetime("us", "UTC")} | dict.fromkeys(text, pl.String()),
            orient="row",
        )

    @property
    def address(self) -> str:
        """The address of the pages where the study was last served."""
        return self._folder.address() or f"http://127.0.0.1:{PORT}"

    @property
    def served_before(self) -> bool:
        """Whether the study has ever been served."""
        return bool(self._folder.address())

    @keyword_errors
    def revoke(self, *people: str, by: str = "owner") -> None:
        """Revoke these people's links at once; their answers are kept.

        by: the person who decides.
        """
        from epicene.studies.collection.participants import open_participants

        with open_participants(self._folder) as participants:
            participants.revoke(*people, by=by)

    @keyword_errors
    def serve(
        self,
        people: str | Iterable[str] = (),
        *,
        host: str = "127.0.0.1",
        port: int = PORT,
        url: str = "",
        lease: float = 30,
        ready: Callable[[polars.DataFrame], None] | None = None,
    ) -> None:
        """Serve the annotation pages until stopped (Ctrl-C).

        people: the people to invite with a personal link, in addition to those who have one.
        host, port: where to listen; port 0 picks a free port.
        url: the public address of the pages, https://HOST (default: `host` and `port`).
        lease: how many minutes an item stays reserved for the person it was shown to.
        ready: a function that is called with the links once the pages are served (default: print
            them).
        """
        from epicene.studies.collection.images import check_images

        check_images(self._folder)
        url = base_url(url) if url else ""
        serve_pages = _server()
        names = _names(people)

        def listening(actual_port: int) -> None:
            address = url or _local_address(host, actual_port)
            self._folder.remember_address(address)
            (ready or print_links)(_links_frame(self._folder, names, address))

        serve_pages(
            self._folder,
            host=host,
            port=port,
            lease=60 * lease,
            secure=url.startswith("https://"),
            proxied=bool(url),
            ready=listening,
        )

    @keyword_errors
    def exclude(self, *people: str, reason: str, by: str = "owner") -> None:
        """Exclude these people: keep their answers without counting them, and give their items to
        others.

        reason: the reason, which is shown in tables and exports. by: the person who decides.
        """
        from epicene.studies.collection.exclusion import exclude_participant

        for person in people:
            exclude_participant(self._folder, person, reason, by)

    @keyword_errors
    def readmit(self, *people: str, by: str = "owner") -> None:
        """Count excluded people's answers again; from then on, the rule in study.toml does not
        apply to them.

        by: the person who decides.
        """
        from epicene.studies.collection.exclusion import readmit_participant

        for person in people:
            readmit_participant(self._folder, person, by)

    @keyword_errors
    def apply_rule(self) -> dict[str, str]:
        """Exclude everyone to whom the rule in study.toml applies, finished or not, with reasons.

        The pages apply the rule when a person finishes; this is for people who left earlier, and
        for imported answers.
        """
        from epicene.studies.collection.exclusion import apply_rule

        return apply_rule(self._folder)

    @property
    def excluded(self) -> dict[str, str]:
        """The people who are excluded, with the reasons."""
        return {name: each.reason for name, each in self._folder.exclusions().items()}

    @keyword_errors
    def backup(self, out: PathLike) -> int:
        """Write the whole study to a .tar.gz file, even while it is being served; return its size.

        Keep the file safe: it contains the answers and the secret that the links are made from.
        """
        from epicene.studies.collection.backup import back_up

        return back_up(self._folder, Path(out))

    @keyword_errors
    def pilot(self, out: PathLike, n: int = 10) -> Study:
        """Create a pilot of the study with about `n` items, in a separate folder.

        Its answers never mix with those of the study, and its pages and tables say that it is a
        pilot.
        """
        from epicene.studies.collection.folder import create_study_folder
        from epicene.studies.design.new_study import pilot_of

        made = create_study_folder(Path(out), pilot_of(self._folder.study, n))
        self._copy_images(made.path)
        return Study(made)

    def _copy_images(self, to: Path) -> None:
        import shutil

        for source in self.path.iterdir():
            if source.is_dir():
                shutil.copytree(source, to / source.name, dirs_exist_ok=True)
            elif source.suffix.lower() in (".png", ".jpg", ".jpeg", ".webp"):
                shutil.copy(source, to / source.name)

    @keyword_errors
    def preview(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = PORT,
        ready: Callable[[str], None] | None = None,
    ) -> None:
        """Serve every page as participants see it, until stopped (Ctrl-C); nothing is stored.

        ready: a function that is called with the link once the pages are served (default: print
            it).
        """
        import tempfile

        import msgspec

        from epicene.studies.collection.folder import create_study_folder
        from epicene.studies.collection.images import check_images
        from epicene.studies.collection.links import User, load_signer
        from epicene.studies.collection.participants import open_participants

        check_images(self._folder)
        serve_pages = _server()
        access = msgspec.structs.replace(self._folder.study.access, closes=None)
        study = msgspec.structs.replace(self._folder.study, access=access)
        with tempfile.TemporaryDirectory(prefix="epicene-preview-") as temporary:
            copied = create_study_folder(Path(temporary) / "study", study)
            self._copy_images(copied.path)
            with open_participants(copied) as participants:
                participants.invite("preview")
            token = load_signer(copied.path).token(User("person", "preview"))

            def listening(actual_port: int) -> None:
                (ready or print)(f"{_local_address(host, actual_port)}/enter/{token}")

            serve_pages(
                copied,
                host=host,
                port=port,
                lease=1800.0,
                secure=False,
                proxied=False,
                ready=listening,
                preview=True,
            )

    @keyword_errors
    def count_answers(self, person: str) -> int:
        """How many items a person has answered."""
        return sum(response.participant == person for response in self._folder.responses())

    @keyword_errors
    def forget(self, person: str) -> int:
        """Permanently delete a person who withdrew, with all their answers.

        Returns the number of deleted answers. Files exported earlier are unchanged.
        """
        from epicene.studies.collection.folder import RESPONSES_FILE
        from epicene.studies.collection.participants import delete_participant

        return delete_participant(self.path / RESPONSES_FILE, person)


@keyword_errors
def restore_study(file: PathLike, out: PathLike) -> Study:
    """Restore a backup written by `Study.backup` into a new folder; the links work as before."""
    from epicene.studies.collection.backup import restore

    return Study(restore(Path(file), Path(out)))


@keyword_errors
def serve_studies(
    studies: Sequence[Study],
    urls: Sequence[str],
    *,
    host: str = "127.0.0.1",
    port: int = PORT,
    lease: float = 30,
    ready: Callable[[list[polars.DataFrame]], None] | None = None,
) -> None:
    """Serve several studies in one process, each at its own host name, until stopped.

    urls: the address of each study, all with https:// or all with http://.
    """
    from epicene.studies.collection.images import check_images

    addresses = [base_url(url) for url in urls]
    if len(addresses) != len(studies) or len(set(addresses)) < len(addresses):
        raise InputError(
            f"{len(studies)} studies need {len(studies)} different addresses in --url, but there "
            f"are {len(set(addresses))}."
        )
    if len({address.partition("://")[0] for address in addresses}) > 1:
        raise InputError("--url has both http:// and https://; use one of them for all studies.")
    for study in studies:
        check_images(study._folder)
    _server()
    from epicene.studies.web.server import serve_several

    def listening(_port: int) -> None:
        made = []
        for study, address in zip(studies, addresses, strict=True):
            study._folder.remember_address(address)
            made.append(study.links(url=address))
        for links in made if ready is None else ():
            print_links(links)
        if ready is not None:
            ready(made)

    serve_several(
        {
            address.partition("://")[2]: study._folder
            for study, address in zip(studies, addresses, strict=True)
        },
        host=host,
        port=port,
        lease=60 * lease,
        secure=addresses[0].startswith("https://"),
        ready=listening,
    )


def base_url(url: str) -> str:
    """The base address of links, checked: the pages must be at the root of a host."""
    found = _BASE_URL.fullmatch(url)
    if not found or int(found["port"] or 0) > MAX_PORT:
        raise InputError(
            f"{url!r} cannot be the address of the pages: use http:// or https://, a host and "
            "optionally a port, with nothing after it."
        )
    return found["root"].lower()


def _local_address(host: str, port: int) -> str:
    """The address of the pages without a public one."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def print_links(links: polars.DataFrame) -> None:
    """Print the links, one per line."""
    for who, link in links.iter_rows():
        sys.stdout.write(f"{who}\t{link}\n")
    sys.stdout.flush()


def _names(people: str | Iterable[str]) -> list[str]:
    return [people] if isinstance(people, str) else list(people)


def _links_frame(folder: StudyFolder, people: str | Iterable[str], url: str) -> polars.DataFrame:
    import polars as pl

    rows = list(_links(folder, _names(people), url))
    return pl.DataFrame(rows, schema={"who": pl.String, "link": pl.String}, orient="row")


def _links(folder: StudyFolder, people: Iterable[str], url: str) -> Iterator[tuple[str, str]]:
    """The name and link of everyone, after inviting `people`."""
    from epicene.studies.collection.links import User, load_signer
    from epicene.studies.collection.owners import open_owners
    from epicene.studies.collection.participants import open_participants

    signer = load_signer(folder.path)
    with open_participants(folder) as participants:
        participants.invite(*people)
        invited = {name: participants.issue(name) for name in participants.invited()}
    with open_owners(folder) as owners:
        first = owners.find("")
    if first is not None:  # and its link is not revoked
        yield "(owner)", url + signer.path(first.user)
    access = folder.study.access
    if access.entry == "open":
        yield "(open)", url + signer.open_path(access.participant_parameter)
    for name, issue in invited.items():
        yield name, url + signer.path(User("person", name, issue))


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
        from epicene.studies.web.server import serve
    except ImportError as error:
        raise InputError(
            f"The pages need the package {error.name}; install it with "
            "`pip install 'epicene[study]'`."
        ) from None
    return serve


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
