"""Several named owners of a study: each has a link, and what each did is recorded by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import epicene
from epicene.core.errors import InputError
from epicene.studies.collection.activity import read_activity
from epicene.studies.collection.links import User
from epicene.studies.collection.owners import open_owners
from epicene.studies.collection.participants import delete_participant, open_participants
from studies.web import browser_participant
from studies.web.page_visitors import Page, ServedStudy, Visitor
from studies.web.test_web_owner import judge
from study_examples import misgendering

if TYPE_CHECKING:
    from playwright.sync_api import Page as BrowserPage


def added(site: ServedStudy, *names: str) -> list[tuple[Visitor, Page]]:
    """Owners of these names, who have followed their links."""
    entered = []
    for name in names:
        with open_owners(site.folder) as owners:
            owner = owners.add(name)
        visitor = site.visitor()
        entered.append((visitor, visitor.enter(owner.user)))
    return entered


def sees_progress(visitor: Visitor) -> bool:
    return visitor.client.get("/owner").status_code == 200


def actions(site: ServedStudy) -> list[tuple[str, str, str]]:
    """Who did what to whom, without log-ins, the first first."""
    path = site.database
    return [
        (each.by, each.action, each.about)
        for each in reversed(read_activity(path))
        if each.action != "logged in"
    ]


def test_what_each_owner_does_is_recorded_by_name(site: ServedStudy) -> None:
    judge(site, ann="correct", bob="misgendering")
    (maria, page), (jo, _) = added(site, "maria", "jo")
    csrf = {"csrf": page.chosen["csrf"][0]}
    maria.client.post("/owner/exclude", data=csrf | {"person": "ann", "reason": "did not read"})
    maria.client.post("/owner/state", data=csrf | {"state": "paused"})
    own = {"csrf": jo.get("/owner").chosen["csrf"][0]}
    jo.client.post("/owner/exclude", data=own | {"person": "ann", "readmit": "yes"})
    label = {"item": "g1", "question": "label", "answer.label": "correct"}
    jo.client.post("/owner/adjudicate", data=own | label)
    jo.client.post("/owner/reopen", data=own | label)
    jo.client.post("/owner/adjudicate", data=own | label)
    assert actions(site) == [
        ("owner", "added the owner", "maria"),
        ("owner", "added the owner", "jo"),
        ("maria", "excluded", "ann"),
        ("maria", "paused the study", ""),
        ("jo", "readmitted", "ann"),
        ("jo", "settled", "g1"),
        ("jo", "reopened", "g1"),
        ("jo", "settled", "g1"),
    ]
    assert site.folder.adjudications().all()["g1", "label"].by == "jo"
    assert 'by <span dir="auto">maria</span>' in jo.get("/owner").text
    assert ">jo</td>" in jo.get("/owner/disagreements").text
    shown = jo.get("/owner/activity?by=maria")
    assert shown.values("data-by") == ["maria"] * 3  # with the log-in
    assert read_activity(site.database)[0].by == "jo"


def test_a_revoked_owner_is_out_at_once_and_the_others_stay(site: ServedStudy) -> None:
    (maria, page), (jo, _) = added(site, "maria", "jo")
    with open_owners(site.folder) as owners:
        owners.revoke("maria")
    assert not sees_progress(maria)
    assert (
        maria.client.post("/owner/state", data={"csrf": page.chosen["csrf"][0]}).status_code == 404
    )
    assert sees_progress(jo)
    link = site.signer.path(User("owner", "maria"))
    assert site.visitor().client.get(link).status_code == 404
    with open_owners(site.folder) as owners:
        again = owners.add("maria")
    assert site.signer.path(again.user) != link
    assert site.visitor().client.get(link).status_code == 404
    visitor = site.visitor()
    assert visitor.enter(again.user).stage == "owner_progress"


def test_an_owner_logs_out_everywhere_without_the_others(site: ServedStudy) -> None:
    (maria, page), (jo, _) = added(site, "maria", "jo")
    first, _ = site.owner()
    maria.post(page, "/owner/logout", {"everywhere": "yes"})
    assert [sees_progress(each) for each in (maria, jo, first)] == [False, True, True]


def test_the_first_owner_can_be_revoked_but_not_the_last(site: ServedStudy) -> None:
    first, _ = site.owner()
    with open_owners(site.folder) as owners:
        with pytest.raises(InputError, match="the only owner left"):
            owners.revoke("owner")
        owners.add("maria")
        owners.revoke("owner")
        assert [each.name for each in owners.active()] == ["maria"]
        assert not sees_progress(first)
        assert site.visitor().client.get(site.signer.path(User("owner"))).status_code == 404
        assert "(owner)" not in epicene.annotate.links(site.folder.path)
        owners.add("owner")
    assert "(owner)" in epicene.annotate.links(site.folder.path)


@pytest.mark.parametrize(
    ("name", "problem"),
    [("maria", "already"), ("MARIA", "already"), ("rule", "another name"), (" x", "cannot be")],
)
def test_names_of_owners(site: ServedStudy, name: str, problem: str) -> None:
    with open_owners(site.folder) as owners:
        owners.add("maria")
        with pytest.raises(InputError, match=problem):
            owners.add(name)
        with pytest.raises(InputError, match="no owner"):
            owners.revoke("jo")


def test_a_participant_of_the_same_name_is_somebody_else(site: ServedStudy) -> None:
    ((maria, _),) = added(site, "ann")
    person, page = site.person("ann")
    with open_participants(site.folder) as participants:
        participants.revoke("ann")
    assert sees_progress(maria)
    assert person.client.get("/").status_code == 404
    assert site.visitor().client.get(site.signer.path(User("owner", "ann", "1"))).status_code == 404
    assert page.stage == "item"


def test_links_are_created_and_replaced_on_the_page(site: ServedStudy) -> None:
    ((maria, _),) = added(site, "maria")
    page = maria.post(maria.get("/owner/links"), "/owner/links", {"people": "ann, بسام"})
    assert page.values("data-participant") == ["ann", "بسام"]
    links = [value for value in page.values("value") if "/enter/" in value]
    person = site.visitor()
    assert person.client.get(links[0]).status_code == 200
    assert maria.client.get("/owner/links.csv").content.decode("utf-8-sig").split("\r\n")[1:2] == [
        f"ann,{links[0]}"
    ]
    replaced = maria.post(page, "/owner/links", {"revoke": "ann"})
    assert site.visitor().client.get(links[0]).status_code == 404
    assert person.client.get("/").status_code == 404
    new = [value for value in replaced.values("value") if "/enter/" in value]
    assert new[0] != links[0]
    assert site.visitor().client.get(new[0]).status_code == 200
    assert [each for each in actions(site) if each[0] == "maria"] == [
        ("maria", "invited", "ann"),
        ("maria", "invited", "بسام"),
        ("maria", "revoked the link of", "ann"),
    ]
    refused = maria.post(replaced, "/owner/links", {"revoke": "zoe"}, status=422)
    assert refused.has_id("notice")


def test_owners_are_added_and_revoked_on_the_page(site: ServedStudy) -> None:
    first, page = site.owner()
    page = first.post(first.get("/owner/links"), "/owner/links", {"owner": "maria"})
    assert page.has_id("new-owner")
    (link,) = [value for value in page.values("value") if "/enter/owner" in value]
    assert "/enter/owner" not in first.get("/owner/links").text  # shown only once
    assert site.visitor().client.get(link).status_code == 200
    again = first.post(page, "/owner/links", {"owner": "maria"}, status=422)
    assert "already" in again.text
    page = first.post(page, "/owner/links", {"revoke-owner": "maria"})
    assert page.values("data-owner") == ["owner"]
    assert site.visitor().client.get(link).status_code == 404
    assert first.client.post("/owner/links", data={"owner": "eve"}).status_code == 403


def test_what_is_recorded_about_a_person_goes_with_the_person(site: ServedStudy) -> None:
    ((maria, page),) = added(site, "maria")
    maria.post(page, "/owner/links", {"people": "ann"})
    judge(site, ann="correct")
    csrf = {"csrf": page.chosen["csrf"][0]}
    maria.client.post("/owner/exclude", data=csrf | {"person": "ann", "reason": "as ann asked"})
    assert len(actions(site)) == 3
    delete_participant(site.database, "ann")
    assert actions(site) == [("owner", "added the owner", "maria")]


def test_people_are_filtered(site: ServedStudy) -> None:
    judge(site, ann="correct")
    site.person("bob")
    visitor, _ = site.owner()
    assert visitor.get("/owner?state=working").values("data-participant") == ["bob"]
    assert visitor.get("/owner?q=AN").values("data-participant") == ["ann"]
    assert visitor.get("/owner?q=zoe").values("data-participant") == []


@pytest.mark.browser
def test_progress_updates_itself_and_links_are_copied(
    opened: Callable[..., BrowserPage], tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    from epicene.studies.collection.folder import create_study_folder
    from scripted_people import answer, respond

    folder = create_study_folder(tmp_path / "s", misgendering())
    with browser_participant.served(folder) as house:
        folder.remember_address(house.address)
        page = opened(permissions=["clipboard-read", "clipboard-write"])
        with page.expect_response("**/api/owner/progress"):
            page.goto(house.link(User("owner")))
        expect(page.locator("#totals")).to_have_attribute("data-given", "0")
        page.evaluate("window.sameDocument = true")
        answer(folder, "ann", lambda item: respond(folder.study, item, "ann").answers)
        expect(page.locator("#totals")).to_have_attribute("data-given", "2", timeout=60_000)
        expect(page.locator("#people [data-participant=ann]")).to_be_visible()
        assert page.evaluate("window.sameDocument")
        page.goto(f"{house.address}/owner/links")
        page.get_by_label("New links for").fill("cleo")
        page.get_by_role("button", name="Create").click()
        row = page.locator("[data-participant=cleo]")
        row.get_by_role("button", name="Copy").click()
        expect(row.get_by_role("button", name="Copied")).to_be_visible()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == row.locator(".link").input_value()
        assert copied.startswith(house.address)
