"""`epicene annotate …`: sample, serve, links, import, adjudicate, forget."""

from __future__ import annotations

import ipaddress
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import regex
import typer

from epicene.cli import annotate_output
from epicene.cli.annotate_output import StudyPath, note_left_out, split_names, write_output
from epicene.cli.options import Columns, key_value_pairs
from epicene.core.errors import InputError, as_sentence, pluralise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.studies.collection.folder import StudyFolder


def forget(
    study: StudyPath,
    person: Annotated[str, typer.Argument(metavar="PERSON", help="Who withdraws.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Delete without asking.")] = False,
) -> None:
    """Delete a person who withdraws, with all that they answered, for good."""
    from epicene.cli.output import note
    from epicene.studies.collection.folder import RESPONSES_FILE, open_study_folder
    from epicene.studies.collection.participants import delete_participant

    folder = open_study_folder(study)
    count = sum(response.participant == person for response in folder.responses())
    if not yes and not _confirm(f"{person}, with {pluralise(count, 'answer')}"):
        note("Nothing was deleted.")
        return
    deleted = delete_participant(folder.path / RESPONSES_FILE, person)
    note(
        f"Deleted {person}, with {pluralise(deleted, 'answer')}. Whatever was exported before is "
        "as it was."
    )


def _confirm(what: str) -> bool:
    """Ask at the terminal for confirmation."""
    if not sys.stdin.isatty():
        raise InputError(
            f"This would delete {what}, and there is no terminal to confirm it at; give --yes."
        )
    return typer.confirm(f"Delete {what}, for good?", err=True)


PORT = 8765
_MAX_PORT = 65535
_BASE_URL = regex.compile(
    r"(?P<root>https?://(?:\[[\da-f:.]+\]|[\w.-]+)(?::(?P<port>\d{1,5}))?)/?", regex.IGNORECASE
)

PeopleOption: TypeAlias = Annotated[
    str,
    typer.Option(metavar="A,B,…", help="Who gets a personal link, besides those who have one."),
]
UrlOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--url",
        metavar="URL",
        help="The address of the pages, https://HOST, if it is not --host and --port.",
    ),
]


def serve(
    study: StudyPath,
    people: PeopleOption = "",
    host: Annotated[
        str, typer.Option(help="The address to listen on (default: this machine only).")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=_MAX_PORT, help="0 takes any free port.")] = PORT,
    url: UrlOption = "",
    lease: Annotated[
        float,
        typer.Option(min=1, metavar="MINUTES", help="How long an item waits for its answer."),
    ] = 30,
) -> None:
    """Serve the pages where people judge, until stopped; prints the links."""
    from epicene.cli.output import note
    from epicene.studies.collection.folder import STUDY_FILE, open_study_folder
    from epicene.studies.collection.images import check_images
    from epicene.studies.design.checks import launch_problems

    folder = open_study_folder(study)
    check_images(folder)
    for fault in launch_problems(folder.study):
        note(f"{study / STUDY_FILE}: {as_sentence(fault)}")
    url = _base_url(url) if url else ""
    try:
        from epicene.studies.web.server import serve as serve_pages
    except ImportError as error:
        raise InputError(
            f"The pages need the package {error.name}; install it with "
            "`pip install 'epicene[annotate]'`."
        ) from None

    def ready(actual_port: int) -> None:
        shown = f"[{host}]" if ":" in host else host
        address = url or f"http://{shown}:{actual_port}"
        folder.remember_address(address)
        _print_links(folder, split_names(people), address)
        if not _is_loopback(host):
            note(
                f"Listening on {host}: everybody who reaches this machine can try. Links and "
                "answers are sent unencrypted unless an HTTPS proxy is in front of it."
            )
        if (closes := folder.study.access.closes) is not None:
            has = "closed" if closes <= datetime.now(UTC) else "closes"
            note(f"The study {has} on {closes.astimezone(UTC):%Y-%m-%d at %H:%M} UTC.")
        note("Serving until stopped (Ctrl-C).")

    serve_pages(
        folder,
        host=host,
        port=port,
        lease=60 * lease,
        secure=url.startswith("https://"),
        proxied=bool(url),
        ready=ready,
    )
    note("Stopped. All answers are kept; repeat the command to resume, with the same links.")


def links(
    study: StudyPath,
    people: PeopleOption = "",
    url: UrlOption = "",
    revoke: Annotated[
        str,
        typer.Option(
            metavar="A,B,…",
            help="Revoke these people's links at once; personal links are reissued.",
        ),
    ] = "",
) -> None:
    """Print the links of a study: the owner's, the open one and personal ones."""
    from epicene.cli.output import note
    from epicene.studies.collection.folder import open_study_folder

    folder = open_study_folder(study)
    wanted = _base_url(url) if url else ""
    last = folder.address()
    _revoke(folder, split_names(revoke))
    address = wanted or last or f"http://127.0.0.1:{PORT}"
    _print_links(folder, split_names(people), address)
    if not wanted:
        why = "where the study was last served" if last else "as the study was not served yet"
        note(f"The links lead to {address}, {why}; --url names another address.")


def _base_url(url: str) -> str:
    """The base address of links, checked; the pages are at the root of a host."""
    found = _BASE_URL.fullmatch(url)
    if not found or int(found["port"] or 0) > _MAX_PORT:
        raise InputError(
            f"{url!r} cannot be the address of the pages: that is http:// or https://, a host, "
            "perhaps its port, and nothing after it."
        )
    return found["root"].lower()


def _revoke(folder: StudyFolder, people: Sequence[str]) -> None:
    from epicene.cli.output import note
    from epicene.studies.collection.participants import open_participants

    with open_participants(folder) as participants:
        participants.revoke(*people)
    for name in people:
        note(f"The link of {name} no longer works; answers given with it are kept.")


def _print_links(folder: StudyFolder, people: Iterable[str], url: str) -> None:
    for who, link in _links(folder, people, url):
        sys.stdout.write(f"{who}\t{link}\n")
    sys.stdout.flush()


def _links(folder: StudyFolder, people: Iterable[str], url: str) -> Iterator[tuple[str, str]]:
    """The name and link of everybody, after inviting the `people`."""
    from epicene.studies.collection.links import User, load_signer
    from epicene.studies.collection.participants import open_participants
    from epicene.studies.design.checks import check_participant_name

    signer = load_signer(folder.path)

    def link(user: User) -> str:
        return f"{url}/enter/{signer.token(user)}"

    names = [check_participant_name(name) for name in people]
    with open_participants(folder) as participants:
        for name in names:
            participants.invite(name)
        invited = {name: participants.issue(name) for name in participants.invited()}
    for name in names:
        if name not in invited:
            raise InputError(
                f"Somebody entered by the open link as {name} already; "
                "give the person another name."
            )
    yield "(owner)", link(User("owner"))
    access = folder.study.access
    if access.entry == "open":
        query = access.participant_parameter and f"?{access.participant_parameter}=…"
        yield "(open)", link(User("open")) + query
    for name, issue in invited.items():
        yield name, link(User("person", name, issue))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


app = typer.Typer(help="Draw a human study, take in people's answers, and tabulate them.")


@app.command()
def sample(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[RUN…]", help="The run folders whose answers people will judge."),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FOLDER", help="The study's folder.")
    ] = Path("study"),
    study: Annotated[
        str, typer.Option("--study", help="Which of the suite's studies, if it has several.")
    ] = "",
    suite: Annotated[
        str, typer.Option("--suite", help="For studies of data: the suite, instead of runs.")
    ] = "",
    data: Annotated[
        Path | None, typer.Option("--data", "-d", help="With --suite: your file or folder.")
    ] = None,
    column: Columns = None,
    language: Annotated[
        list[str] | None, typer.Option("--language", "-l", help="With --suite: only these.")
    ] = None,
    per_cell: Annotated[
        int | None, typer.Option(min=1, help="How many items of each cell of the design.")
    ] = None,
    n: Annotated[
        int | None, typer.Option("--n", min=1, help="How many items in all, spread over the cells.")
    ] = None,
    twice: Annotated[
        int | None,
        typer.Option(min=0, help="How many of them two people judge (default: 200)."),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Another draw.")] = None,
    protocol: Annotated[
        str,
        typer.Option(
            "--protocol",
            "-p",
            help="How items are drawn: paper or epicene (default: as in the runs).",
        ),
    ] = "",
) -> None:
    """Draw a study from what models answered in runs, or from a suite's data."""
    from epicene.cli.output import note
    from epicene.runs.stored_run import read_run
    from epicene.studies.analysis.study_builder import study_from_data, study_from_runs
    from epicene.studies.collection.folder import create_study_folder
    from epicene.studies.collection.images import copy_images
    from epicene.studies.collection.progress import study_progress
    from epicene.studies.design.sampling import SamplingOptions
    from epicene.suites import DataSource, find_suite

    wanted = SamplingOptions(per_cell=per_cell, total=n, twice=twice, seed=seed)
    if bool(runs) == bool(suite):
        raise InputError("Name run folders, or a suite with --suite: one of the two.")
    if runs:
        if data is not None or column or language:
            raise InputError("--data, --column and --language go with --suite, not with runs.")
        drawn = study_from_runs(
            [read_run(folder) for folder in runs], wanted, study=study, protocol=protocol
        )
    else:
        drawn = study_from_data(
            find_suite(suite),
            DataSource(path=data, columns=key_value_pairs(column, "--column")),
            wanted,
            study=study,
            protocol=protocol or "epicene",
            languages=tuple(language or ()),
        )
    create_study_folder(out, drawn)
    copy_images(drawn, runs or (), out)
    progress = study_progress(drawn, ())
    note(
        f"{pluralise(progress.items, 'item')}, {pluralise(progress.wanted, 'judgement')} wanted. "
        f"The study is in {out}."
    )


@app.command("import")
def import_(
    study: StudyPath,
    file: Annotated[
        Path,
        typer.Argument(
            help="Answers as CSV, TSV or JSONL, results of PCIbex, a JSON export of Label Studio."
        ),
    ],
    participant: Annotated[
        str, typer.Option("--participant", help="Whose they are, if the file does not say.")
    ] = "",
    column: Columns = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace a person's earlier answers.")
    ] = False,
    incomplete: Annotated[
        bool,
        typer.Option("--incomplete", help="Accept responses that lack questions added later."),
    ] = False,
    layout: Annotated[
        Literal["auto", "pcibex", "label-studio"],
        typer.Option("--format", help="The file's format (default: detected from its content)."),
    ] = "auto",
) -> None:
    """Import answers given elsewhere: the whole file, or nothing if it has an error."""
    from epicene.cli.output import note
    from epicene.studies.collection.folder import open_study_folder

    counts = open_study_folder(study).import_file(
        file,
        participant=participant,
        columns=key_value_pairs(column, "--column"),
        replace=replace,
        incomplete=incomplete,
        layout=layout,
    )
    was = {1: "was"}
    note(
        f"{pluralise(counts.new, 'new answer')}, {counts.replaced} in place of others, "
        f"{counts.same} {was.get(counts.same, 'were')} there already."
    )
    if decided := counts.adjudications:
        note(f"{pluralise(decided, 'answer')} {was.get(decided, 'were')} settled.")


@app.command()
def adjudicate(
    study: StudyPath,
    by: Annotated[str, typer.Option("--by", help="Who decides.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The file to write (default: standard output)."),
    ] = None,
) -> None:
    """Write a sheet of the disagreements; `import` reads the decisions from it."""
    from epicene.cli.output import note
    from epicene.studies.collection.adjudication import disagreements, why_no_adjudication
    from epicene.studies.collection.folder import open_study_folder
    from epicene.studies.collection.sheets import adjudication_sheet

    if not by.strip():
        raise InputError("--by is empty; say who decides.")
    folder = open_study_folder(study)
    if why := why_no_adjudication(folder.study):
        raise InputError(why)
    valid = folder.valid_responses()
    found = disagreements(folder.study, valid.responses, valid.adjudications)
    write_output(adjudication_sheet(folder.study, found, by), out)
    items = len({each.item.id for each in found})
    note(f"To be settled: {pluralise(len(found), 'answer')} about {pluralise(items, 'item')}.")
    note_left_out(valid)


app.command("export")(annotate_output.export)
app.command("tables")(annotate_output.tables)
app.command("serve")(serve)
app.command("links")(links)
app.command("forget")(forget)
