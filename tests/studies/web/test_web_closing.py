"""A study that closes, and a link that is revoked: who is still let in, and what is still taken."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from starlette.types import Message

from epicene.core.errors import InputError
from epicene.core.records import to_json
from epicene.studies.collection.folder import STUDY_FILE, create_study_folder, open_study_folder
from epicene.studies.collection.links import LinkSigner, User
from epicene.studies.collection.participants import (
    GRACE_SECONDS,
    StudyClosedError,
    open_participants,
)
from epicene.studies.collection.task_queue import Task, TaskQueue
from epicene.studies.design.schema import Study
from epicene.studies.exchange.study_files import read_study, study_toml
from studies.annotate_command import command
from studies.web.page_visitors import Page, ServedStudy, served
from study_examples import forced_choice, misgendering

HOUR = timedelta(hours=1)


def closing(study: Study, closes: datetime | None) -> Study:
    return msgspec.structs.replace(
        study, access=msgspec.structs.replace(study.access, closes=closes)
    )


@contextmanager
def reopened(folder: Path, ago: timedelta) -> Iterator[ServedStudy]:
    """The study again, closed for so long."""
    study = closing(open_study_folder(folder).study, datetime.now(UTC) - ago)
    (folder / STUDY_FILE).write_text(study_toml(study), "utf-8")
    with served(study, folder) as site:
        yield site


# --- the file ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-12-31", datetime(2027, 1, 1, tzinfo=UTC)),  # its last day
        ("9999-12-31", datetime.max.replace(tzinfo=UTC)),  # the last of all
        ("2026-12-31T18:00:00+01:00", datetime(2026, 12, 31, 17, tzinfo=UTC)),
        ("2026-12-31 17:00:00Z", datetime(2026, 12, 31, 17, tzinfo=UTC)),
        ('"2026-12-31T17:00:00Z"', datetime(2026, 12, 31, 17, tzinfo=UTC)),
    ],
)
def test_when_a_study_closes_is_read_and_written(
    written: str, meant: datetime, tmp_path: Path
) -> None:
    path = tmp_path / "study.toml"
    path.write_text(f"{study_toml(misgendering())}\n[access]\ncloses = {written}\n", "utf-8")
    study = read_study(path)
    assert study.access.closes == meant
    for name, text in (("again.toml", study_toml(study)), ("again.json", to_json(study).decode())):
        (tmp_path / name).write_text(text, "utf-8")
        assert read_study(tmp_path / name) == study
    assert "closes" not in study_toml(misgendering())


@pytest.mark.parametrize("written", ["2026-12-31T18:00:00", "18:00:00", '"soon"', "7"])
def test_a_moment_without_a_zone_is_refused(written: str, tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(f"{study_toml(misgendering())}\n[access]\ncloses = {written}\n", "utf-8")
    with pytest.raises(InputError, match=r"access\.closes"):
        read_study(path)


# --- at the queue ---------------------------------------------------------------------------------


def test_after_closing_nothing_is_assigned_and_answers_are_accepted_for_a_day(
    tmp_path: Path,
) -> None:
    now = [datetime(2026, 12, 31, 16, 59, tzinfo=UTC).timestamp()]
    closes = datetime(2026, 12, 31, 17, tzinfo=UTC)
    folder = create_study_folder(tmp_path / "s", closing(misgendering(), closes))
    queue = TaskQueue(folder, clock=lambda: now[0])
    queue.participants.enter("ann", "personal")
    first = queue.current_state("ann").work
    assert isinstance(first, Task)
    queue.answer("ann", first.number, first.revision, {"label": "correct"})
    second = queue.current_state("ann").work
    assert isinstance(second, Task)
    now[0] = closes.timestamp()
    assert queue.participants.get("ann").stage == "closed"
    assert not queue.undo("ann", first.number)  # it could not be given anew for long
    now[0] += GRACE_SECONDS - 1
    sent = "ann", second.number, second.revision, {"label": "correct"}
    assert queue.answer(*sent) == "saved"
    now[0] += 1
    with pytest.raises(StudyClosedError):
        queue.answer(*sent)
    queue.close()
    assert len(folder.responses()) == 2


# --- on the pages --------------------------------------------------------------------------------


def body(page: Page) -> dict[str, object]:
    (number,), (revision,) = page.values("data-number"), page.values("data-revision")
    return {"number": int(number), "revision": int(revision), "answers": {"label": ["correct"]}}


def test_an_open_page_is_still_taken_for_a_day_and_nothing_new_is_given(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        _, page = site.person("ann")
        site.person("bob")
    with reopened(tmp_path / "s", HOUR) as site:
        ann, closed = site.person("ann")  # who came before comes in, to send what is left
        assert (closed.stage, closed.has_id("closed")) == ("closed", True)
        assert closed.values("data-storage-key")
        reply = ann.api(page, "answer", body(page)).json()
        assert (reply["status"], reply["work"]["stage"]) == ("saved", "closed")
        assert ann.api(page, "undo", {"number": 1}).json()["status"] == "nothing"
        assert ann.get("/instructions").stage == "closed"
        stranger = site.visitor().client.get(f"/enter/{site.signer.token(User('person', 'cem'))}")
        assert "This study is closed" in stranger.text
        assert "set-cookie" not in stranger.headers
        owner, board = site.owner()
        assert board.values("data-participant") == ["ann", "bob"]
        assert owner.client.get("/owner/export.csv").status_code == 200
    with reopened(tmp_path / "s", 25 * HOUR) as site:
        bob, closed = site.person("bob")
        csrf = closed.values("data-csrf")[0]
        headers = {"X-CSRF-Token": csrf}
        late = bob.client.post("/api/answer", json=body(page), headers=headers)
        assert (late.status_code, late.json()) == (410, {"detail": "This study is closed."})
        form = {"csrf": csrf, "number": "1", "revision": "0", "answer.label": "correct"}
        refused = bob.client.post("/answer", data=form)
        assert (refused.status_code, Page(refused.text).stage) == (410, "closed")
        assert [each.participant for each in site.folder.responses()] == ["ann"]


def test_a_study_that_closes_later_is_open(tmp_path: Path) -> None:
    with served(closing(misgendering(), datetime.now(UTC) + HOUR), tmp_path / "s") as site:
        visitor, page = site.person()
        assert visitor.answer(page, label="correct").stage == "item"


@pytest.mark.parametrize(
    ("language", "words"),
    [("hi", "यह अध्ययन बंद हो चुका है"), ("en", "This study is closed")],
)
def test_the_open_link_says_so_in_the_persons_language(
    language: str, words: str, tmp_path: Path
) -> None:
    with served(closing(forced_choice(), datetime.now(UTC) - HOUR), tmp_path / "s") as site:
        link = f"/enter/{site.signer.token(User('open'))}?PROLIFIC_PID=5f3a"
        reply = site.visitor().client.get(link, headers={"accept-language": language})
        assert words in reply.text
        assert "C0DE" not in reply.text
        _, board = site.owner()
        assert board.values("data-participant") == []


def test_who_did_something_by_the_open_link_still_finds_the_code(tmp_path: Path) -> None:
    with served(forced_choice(), tmp_path / "s") as site:
        visitor = site.visitor()
        page = visitor.enter(User("open"), "?PROLIFIC_PID=5f3a")
        page = visitor.post(page, "/consent", {"agree": "yes"})
        page = visitor.post(page, "/screening", {"answer.native": "hindi", "answer.age": "40"})
        page = visitor.post(page, "/begin")
        while page.stage != "done":
            address = "/go-on" if page.stage == "feedback" else "/answer"
            page = visitor.post(page, address, {"answer.better": "1"})
    with reopened(tmp_path / "s", 48 * HOUR) as site:
        page = site.visitor().enter(User("open"), "?PROLIFIC_PID=5f3a")
        assert page.stage == "closed"
        assert page.has_id("completion-code")
        assert "https://example.org/done?cc=C0DE" in page.values("href")


# --- links that are revoked ----------------------------------------------------------------------


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """Tokens by who has them."""
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    return {who: link.partition("/enter/")[2] for who, link in lines}


@pytest.fixture
def links(capsys: pytest.CaptureFixture[str]) -> Callable[..., dict[str, str]]:
    def links(folder: Path, *words: str) -> dict[str, str]:
        assert command("links", folder, *words) == 0
        return printed(capsys)

    return links


def test_a_revoked_link_stops_at_once_and_the_new_one_goes_on(
    links: Callable[..., dict[str, str]], tmp_path: Path
) -> None:
    folder = tmp_path / "s"
    with served(misgendering(), folder) as site:
        before = links(folder, "--people=ann,bob")
        ann, page = site.person("ann")
        bob, _ = site.person("bob")
        ann.answer(page, label="correct")
        after = links(folder, "--revoke=ann")  # while people work
        assert {who for who in before if before[who] != after[who]} == {"ann"}
        for address in ("/", "/api/work", "/image/x"):
            assert ann.client.get(address).status_code == 404
        assert ann.client.post("/answer", data={}).status_code == 404
        assert ann.client.get(f"/enter/{before['ann']}").status_code == 404
        assert bob.get().stage == "item"
        again = site.visitor()
        assert again.client.get(f"/enter/{after['ann']}").status_code == 200
        page = again.get()
        assert page.values("data-answered")[0] == "1"  # the same person
        assert links(folder) == after
        third = links(folder, "--revoke=ann")
        assert third["ann"] not in (before["ann"], after["ann"])
        assert again.client.get("/").status_code == 404
        assert site.visitor().client.get(f"/enter/{third['ann']}").status_code == 200
        assert len(site.folder.responses()) == 1


@pytest.mark.parametrize("address", ["/api/answer", "/answer"])
def test_a_request_that_was_on_its_way_is_not_heard_either(address: str, tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        ann, page = site.person("ann")
        sent: list[Message] = []
        csrf = page.values("data-csrf")[0]
        scope = {
            "type": "http", "method": "POST", "path": address, "query_string": b"",
            "scheme": "http", "server": ("127.0.0.1", 80), "headers": [
                (b"cookie", "; ".join(f"{k}={v}" for k, v in ann.client.cookies.items()).encode()),
                (b"x-csrf-token", csrf.encode()),
                (b"content-type", b"application/json"),
            ],
        }  # fmt: skip
        form = f"csrf={csrf}&number=1&revision=0&answer.label=correct".encode()
        whole = form if address == "/answer" else json.dumps(body(page)).encode()

        async def receive() -> Message:
            with open_participants(site.folder) as participants:  # while the body comes
                participants.revoke("ann")
            return {"type": "http.request", "body": whole, "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        asyncio.run(site.app(scope, receive, send))
        assert sent[0]["status"] == 404
        assert site.folder.responses() == []


def test_who_came_by_the_open_link_is_out_when_revoked(
    links: Callable[..., dict[str, str]], tmp_path: Path
) -> None:
    with served(forced_choice(), tmp_path / "s") as site:
        visitor = site.visitor()
        visitor.enter(User("open"), "?PROLIFIC_PID=5f3a")
        links(tmp_path / "s", "--revoke=5f3a")
        assert visitor.client.get("/").status_code == 404
        link = f"/enter/{site.signer.token(User('open'))}?PROLIFIC_PID="
        assert site.visitor().client.get(f"{link}5f3a").status_code == 404
        assert site.visitor().client.get(f"{link}6b1c").status_code == 200


def test_nobody_unknown_is_revoked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    create_study_folder(tmp_path / "s", misgendering())
    assert command("links", tmp_path / "s", "--people=ann") == 0
    assert command("links", tmp_path / "s", "--revoke=anne") == 2
    assert "There is no person 'anne'; did you mean 'ann'?" in capsys.readouterr().err
    with open_participants(open_study_folder(tmp_path / "s")) as participants:
        with pytest.raises(InputError):
            participants.revoke("ann", "anne")
        assert participants.issue("ann") == ""  # all or none


def test_a_pass_is_written_in_one_way() -> None:
    keys = LinkSigner(b"a secret that has thirty-two byt")
    first, second = (keys.token(User("person", "ann", issue)) for issue in ("", "1"))
    assert (first.count("."), second.count(".")) == (2, 3)
    assert keys.read(second) == User("person", "ann", "1")
    role, name, issue, signature = second.split(".")
    for forged in (
        f"{role}.{name}.2.{signature}",
        f"{role}.{name}.{signature}",
        f"{role}.{name}..{first.split('.')[2]}",
        f"{role}.{name}.{issue}.{first.split('.')[2]}",
        f"{second}.",
        f"{second}.{signature}",
    ):
        assert keys.read(forged) is None
