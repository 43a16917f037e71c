"""`epicene annotate serve` and `links`: the pages where people judge, and the ways in."""

from __future__ import annotations

import ipaddress
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, TypeAlias

import regex
import typer

from epicene.cli.annotate_options import StudyPath, names_in
from epicene.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.annotate.folder import StudyFolder

PORT = 8765
_LAST = 65535
_ROOT = regex.compile(
    r"(?P<root>https?://(?:\[[\da-f:.]+\]|[\w.-]+)(?::(?P<port>\d{1,5}))?)/?", regex.IGNORECASE
)

People: TypeAlias = Annotated[
    str,
    typer.Option(metavar="A,B,…", help="Who gets a personal link, besides those who have one."),
]
Url: TypeAlias = Annotated[
    str,
    typer.Option(
        "--url",
        metavar="URL",
        help="Where people reach the pages, https://HOST, if not by --host and --port.",
    ),
]


def serve(
    study: StudyPath,
    people: People = "",
    host: Annotated[
        str, typer.Option(help="The address to listen on; this machine alone, unless said.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=_LAST, help="0 takes any that is free.")] = PORT,
    url: Url = "",
    lease: Annotated[
        float,
        typer.Option(min=1, metavar="MINUTES", help="How long an item waits for its answer."),
    ] = 30,
) -> None:
    """Serve the pages where people judge, until stopped; prints the links."""
    from epicene.annotate.folder import STUDY, read_folder
    from epicene.annotate.pictures import check_pictures
    from epicene.cli.output import note
    from epicene.studies.checks import offered_faults
    from epicene.studies.responses import sentence

    folder = read_folder(study)
    check_pictures(folder)
    for fault in offered_faults(folder.study):
        note(f"{study / STUDY}: {sentence(fault)}")
    url = _address(url) if url else ""
    try:
        from epicene.annotate.pages.server import serve as serve_pages
    except ImportError as error:
        raise InputError(
            f"The pages want the package {error.name}; get it with "
            "`pip install 'epicene[annotate]'`."
        ) from None

    def ready(taken: int) -> None:
        shown = f"[{host}]" if ":" in host else host
        address = url or f"http://{shown}:{taken}"
        folder.remember_address(address)
        _print_links(folder, names_in(people), address)
        if not _is_loopback(host):
            note(
                f"Listening on {host}: everybody who reaches this machine can try. Links and "
                "answers travel in the clear unless a proxy with HTTPS stands before it."
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
        ready=ready,
    )
    note("Stopped. All answers are kept; the same command goes on, and the links stay the same.")


def links(
    study: StudyPath,
    people: People = "",
    url: Url = "",
    revoke: Annotated[
        str,
        typer.Option(
            metavar="A,B,…",
            help="Whose links stop working, at once; who had a personal one gets a new one.",
        ),
    ] = "",
) -> None:
    """Print the links of a study: the owner's, the open one, everybody's own."""
    from epicene.annotate.folder import read_folder
    from epicene.cli.output import note

    folder = read_folder(study)
    said = _address(url) if url else ""
    last = folder.address()
    _revoke(folder, names_in(revoke))
    address = said or last or f"http://127.0.0.1:{PORT}"
    _print_links(folder, names_in(people), address)
    if not said:
        why = "where the study was last served" if last else "as the study was not served yet"
        note(f"The links lead to {address}, {why}; --url names another address.")


def _address(url: str) -> str:
    """The address that links begin with; the pages stand at the root of a host."""
    found = _ROOT.fullmatch(url)
    if not found or int(found["port"] or 0) > _LAST:
        raise InputError(
            f"{url!r} cannot be the address of the pages: that is http:// or https://, a host, "
            "perhaps its port, and nothing after it."
        )
    return found["root"].lower()


def _revoke(folder: StudyFolder, people: Sequence[str]) -> None:
    from epicene.annotate.reception import opened
    from epicene.cli.output import note

    with opened(folder) as reception:
        reception.revoke(*people)
    for name in people:
        note(f"The link of {name} works no more; answers given by it are kept.")


def _print_links(folder: StudyFolder, people: Iterable[str], url: str) -> None:
    for who, link in _links(folder, people, url):
        sys.stdout.write(f"{who}\t{link}\n")
    sys.stdout.flush()


def _links(folder: StudyFolder, people: Iterable[str], url: str) -> Iterator[tuple[str, str]]:
    """Who comes in by which link; those who are named now are remembered."""
    from epicene.annotate.reception import opened
    from epicene.annotate.tokens import Pass, read_keys
    from epicene.studies.participants import check_name

    keys = read_keys(folder.path)

    def link(entrant: Pass) -> str:
        return f"{url}/enter/{keys.token(entrant)}"

    names = [check_name(name) for name in people]
    with opened(folder) as reception:
        for name in names:
            reception.invite(name)
        invited = {name: reception.issue(name) for name in reception.invited()}
    for name in names:
        if name not in invited:
            raise InputError(
                f"Somebody entered by the open link as {name} already; "
                "give the person another name."
            )
    yield "(owner)", link(Pass("owner"))
    access = folder.study.access
    if access.entry == "open":
        query = access.participant_parameter and f"?{access.participant_parameter}=…"
        yield "(open)", link(Pass("open")) + query
    for name, issue in invited.items():
        yield name, link(Pass("person", name, issue))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
