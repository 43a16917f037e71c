"""The pages on which people answer, and the links to them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from epicene.app.arguments import StudyLike
from epicene.app.output import note, print_json, print_line
from epicene.app.studies import Names, names_of, open_study
from epicene.core.errors import InputError, as_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.app.output import Output
    from epicene.studies.collection.folder import StudyFolder

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
        participants.revoke(*names_of(revoke))
    if not address:
        address = f"http://127.0.0.1:{_PORT}"
        note(f"The links point to {address}, because the study has not been served yet.")
    return _links(folder, names_of(people), address)


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
        found = _links(folder, names_of(people), address)
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
