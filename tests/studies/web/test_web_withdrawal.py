"""Who does not take part, cannot, comes too late or is forgotten, and what is kept of them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
import pytest

from epicene.core.errors import InputError
from epicene.studies.collection import progress
from epicene.studies.collection.folder import RESPONSES_FILE
from epicene.studies.collection.links import User
from epicene.studies.collection.participants import delete_participant, open_participants
from epicene.studies.collection.task_queue import NoTask, Task
from epicene.studies.design.interface_texts import interface_text
from epicene.studies.design.schema import Access, Study
from studies.collection.task_queue_people import (
    LEASE,
    Clock,
    answer,
    check_counts,
    enter,
    small,
    work_of,
)
from studies.collection.task_queue_people import opened as opened_queue
from studies.web.page_visitors import Page, ServedStudy, Visitor, served
from study_examples import forced_choice, misgendering

PLATFORM = "https://example.org"


def come_in(site: ServedStudy, name: str) -> tuple[Visitor, Page]:
    visitor = site.visitor()
    return visitor, visitor.enter(
        User("open"), f"?PROLIFIC_PID={name}", **{"accept-language": "en"}
    )


def of_few(**access: str) -> Study:
    """One item for one person, by the open link, with all that comes before."""
    study = forced_choice()
    return msgspec.structs.replace(
        study,
        items=study.items[:1],
        judgements=1,
        lists="none",
        access=msgspec.convert({**msgspec.to_builtins(study.access), **access}, Access),
    )


def kept_of(site: ServedStudy, name: str) -> list[str]:
    """The tables that have anything of a person."""
    with sqlite3.connect(site.folder.path / RESPONSES_FILE) as db:
        tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        return [
            table
            for table in tables
            for row in db.execute(f"SELECT * FROM {table}")
            if name in map(str, row)
        ]


def on_disk(site: ServedStudy, name: str) -> list[str]:
    """The files of the study that a name is in, SQLite's log among them."""
    files = [each for each in site.folder.path.iterdir() if each.is_file()]
    return [each.name for each in files if name.encode() in each.read_bytes()]


# --- who declines --------------------------------------------------------------------------------


def test_of_who_declines_by_the_open_link_nothing_is_kept(tmp_path: Path) -> None:
    with served(forced_choice(), tmp_path / "s") as site:
        visitor, page = come_in(site, "decl1")
        visitor.post(page, "/language", {"language": "en"})
        declined = visitor.post(page, "/consent", {"agree": "no"})
        assert interface_text("declined", "en") in declined.text
        assert kept_of(site, "decl1") == []
        assert not visitor.client.cookies
        assert site.owner()[1].values("data-participant") == []
        assert not on_disk(site, "decl1")
        assert visitor.client.get("/").status_code == 404
        (again,) = [given["href"] for _, given in declined.attributes if given.get("id") == "again"]
        assert visitor.client.get(again).status_code == 200  # who changes their mind
        assert visitor.get().stage == "consent"
        assert kept_of(site, "decl1") == ["people"]


def test_without_a_platform_who_declines_comes_again_as_somebody_else(tmp_path: Path) -> None:
    study = msgspec.structs.replace(forced_choice(), access=Access(entry="open"))
    with served(study, tmp_path / "s") as site:
        visitor = site.visitor()
        page = visitor.enter(User("open"))
        visitor.post(page, "/consent", {"agree": "no"})
        assert site.owner()[1].values("data-participant") == []
        assert visitor.enter(User("open")).stage == "consent"


def test_who_declines_by_a_personal_link_is_invited_as_before(tmp_path: Path) -> None:
    study = msgspec.structs.replace(forced_choice(), access=Access())
    with served(study, tmp_path / "s") as site:
        with open_participants(site.folder) as participants:
            participants.invite("ann")
        before = progress.participant_progress(site.folder.path / RESPONSES_FILE)
        visitor, page = site.person()
        assert progress.participant_progress(site.folder.path / RESPONSES_FILE) != before
        visitor.post(page, "/consent", {"agree": "no"})
        assert progress.participant_progress(site.folder.path / RESPONSES_FILE) == before
        assert (before[0].state, before[0].seen) == ("invited", None)
        with sqlite3.connect(site.folder.path / RESPONSES_FILE) as db:
            ((language, entered),) = db.execute("SELECT language, entered FROM people")
        assert (language, entered) == ("", None)
        assert site.person()[1].stage == "consent"


def test_who_agreed_in_another_window_has_not_declined(tmp_path: Path) -> None:
    with served(forced_choice(), tmp_path / "s") as site:
        visitor, page = come_in(site, "5f3a")
        visitor.post(page, "/consent", {"agree": "yes"})
        later = visitor.post(page, "/consent", {"agree": "no"})
        assert later.stage == "screening"
        assert kept_of(site, "5f3a") == ["people"]


def test_who_answered_before_consent_was_asked_is_told_what_is_kept(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        visitor, page = site.person()
        visitor.answer(page, label="correct")
    study = msgspec.structs.replace(misgendering(), consent={"en": "I agree."})
    (tmp_path / "s" / "study.toml").unlink()
    with served(study, tmp_path / "s") as site:
        visitor, page = site.person()
        assert page.stage == "consent"
        declined = visitor.post(page, "/consent", {"agree": "no"})
        assert interface_text("declined_later", "en") in declined.text
        assert interface_text("declined", "en") not in declined.text
        assert len(site.folder.responses()) == 1


# --- who is forgotten ----------------------------------------------------------------------------


def test_a_person_is_forgotten_while_the_study_is_served(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        path = site.folder.path / RESPONSES_FILE
        ann, page = site.person("ann")
        second = ann.answer(page, label="correct")
        bob, page = site.person("bob")
        bob.answer(page, label="misgendering")
        site.folder.adjudications().adjudicate("g1", "label", "correct", "owner")
        assert delete_participant(path, "ann") == 1
        assert kept_of(site, "ann") == []
        assert not on_disk(site, '"participant":"ann"')
        assert ann.client.get("/").status_code == 404
        sent = {"number": 2, "revision": 0, "answers": {"label": ["correct"]}}
        assert ann.api(second, "answer", sent).status_code == 404
        assert [each.participant for each in site.folder.responses()] == ["bob"]
        assert len(site.folder.adjudications().all()) == 1
        lists = progress.list_progress(path)
        assert (lists[0].given, lists[0].out) == (1, 0)
        assert bob.get().stage == "item"  # which ann had
        with pytest.raises(InputError, match="no person 'ann'"):
            delete_participant(path, "ann")
        _, page = site.person("ann")  # the link is still one
        assert page.values("data-answered")[0] == "0"
        # What waits in a browser from before is no answer to what is asked now.
        assert page.values("data-storage-key") != second.values("data-storage-key")


def test_what_a_forgotten_person_had_goes_to_others(tmp_path: Path) -> None:
    with opened_queue(small(2, judgements=1), tmp_path / "s") as queue:
        enter(queue, "ann", "bob")
        first = work_of(queue, "ann")
        assert isinstance(first, Task)
        answer(queue, "ann", first)
        assert isinstance(work_of(queue, "ann"), Task)
        assert isinstance(work_of(queue, "bob"), NoTask)
        assert delete_participant(queue.path, "ann") == 1
        check_counts(queue)
        taken = []
        while isinstance(work := work_of(queue, "bob"), Task):
            taken.append(work.item.id)
            answer(queue, "bob", work)
        assert sorted(taken) == ["i0", "i1"]


def test_a_revoked_link_stays_so_whoever_is_forgotten(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        site.person("ann")
        with open_participants(site.folder) as participants:
            participants.revoke("ann")
        assert delete_participant(site.folder.path / RESPONSES_FILE, "ann") == 0
        old = site.signer.token(User("person", "ann"))
        assert site.visitor().client.get(f"/enter/{old}").status_code == 404


def test_who_came_by_a_sheet_alone_is_forgotten_too(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        sheet = tmp_path / "sheet.csv"
        sheet.write_text("participant,item,label\neve,g1,correct\neve,g2,correct\n", "utf-8")
        site.folder.import_file(sheet)
        assert delete_participant(site.folder.path / RESPONSES_FILE, "eve") == 2
        assert site.folder.responses() == []


# --- who cannot take part ------------------------------------------------------------------------


@pytest.mark.parametrize("url", [f"{PLATFORM}/out?cc=S1", ""])
def test_who_is_screened_out_is_sent_back(url: str, tmp_path: Path) -> None:
    with served(of_few(screened_out_url=url), tmp_path / "s") as site:
        visitor, page = come_in(site, "5f3a")
        page = visitor.post(page, "/consent", {"agree": "yes"})
        out = visitor.post(page, "/screening", {"answer.native": "other", "answer.age": "40"})
        assert out.stage == "refused"
        assert out.has_id("send-back") == bool(url)
        assert (url in out.values("href")) == bool(url)
        assert (f'content="20;url={url}"' in out.text) == bool(url)
        assert "C0DE" not in out.text


# --- who comes when all is given out -------------------------------------------------------------


def to_work(visitor: Visitor, page: Page) -> Page:
    page = visitor.post(page, "/consent", {"agree": "yes"})
    page = visitor.post(page, "/screening", {"answer.native": "hindi", "answer.age": "40"})
    return visitor.post(page, "/begin")


def test_who_comes_when_nothing_is_left_is_told_before_anything_else(tmp_path: Path) -> None:
    with served(of_few(full_url=f"{PLATFORM}/full"), tmp_path / "s") as site:
        first, page = come_in(site, "first")
        second, waits = come_in(site, "second")
        assert waits.stage == "consent"
        page = to_work(first, page)
        while page.stage != "done":
            assert page.stage in ("item", "feedback")
            address = "/go-on" if page.stage == "feedback" else "/answer"
            page = first.post(page, address, {"answer.better": "1"})
        waits = second.post(waits, "/consent", {"agree": "yes"})  # too late by now
        assert waits.stage == "full"
        assert f"{PLATFORM}/full" in waits.values("href")
        assert second.client.get("/api/work").json()["stage"] == "full"
        link = f"/enter/{site.signer.token(User('open'))}?PROLIFIC_PID=third"
        third = site.visitor().client.get(link, headers={"accept-language": "en"})
        assert Page(third.text).stage == "full"
        assert interface_text("none_left", "en") in third.text
        assert f'content="20;url={PLATFORM}/full"' in third.text
        assert "set-cookie" not in third.headers
        assert kept_of(site, "third") == []
        assert first.get().stage == "done"  # who did something has the code


def test_without_an_address_one_may_look_again(tmp_path: Path) -> None:
    study = msgspec.structs.replace(of_few(), items=())
    with served(study, tmp_path / "s") as site:
        link = f"/enter/{site.signer.token(User('open'))}?PROLIFIC_PID=5f3a"
        page = Page(site.visitor().client.get(link).text)
        assert page.stage == "full"
        assert page.has_id("look-again")
        assert not page.has_id("send-back")


def test_there_is_room_as_long_as_something_is_free_or_ones_own(tmp_path: Path) -> None:
    clock = Clock()
    with opened_queue(small(1), tmp_path / "s", clock) as queue:
        assert queue.has_task_for("ann")
        enter(queue, "ann")
        work_of(queue, "ann")
        assert queue.has_task_for("ann")
        assert not queue.has_task_for("bob")
        clock.now += LEASE + 1
        assert queue.has_task_for("bob")


# --- a form of another's page --------------------------------------------------------------------


@pytest.mark.parametrize("address", ["/answer", "/undo", "/language", "/go-on"])
def test_a_form_from_before_another_link_was_followed_is_explained(
    address: str, tmp_path: Path
) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        visitor, page = site.person("ann")
        visitor.enter(User("person", "bob"))
        told = visitor.post(page, address, {"answer.label": "correct", "language": "en"}, 403)
        assert told.has_id("other-link")
        assert interface_text("other_link_form", "en").replace("'", "&#39;") in told.text
        assert site.folder.responses() == []
