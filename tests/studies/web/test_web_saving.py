"""Answers are saved once: sent twice, from two windows, after going back, in whatever order."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from epicene.studies.collection.links import User
from epicene.studies.design.schema import Access
from studies.web.page_visitors import Page, ServedStudy, Visitor, served
from study_examples import forced_choice, misgendering, stereotype


def body(page: Page, label: str, **more: object) -> dict[str, object]:
    (number,) = page.values("data-number")[-1:]
    (revision,) = page.values("data-revision")
    answers = {"label": [label], "extraneous": [], "tags": [], "note": []}
    return {"number": int(number), "revision": int(revision), "answers": answers, **more}


def labels(site: ServedStudy) -> list[object]:
    return [response.answers["label"] for response in site.folder.responses()]


def test_the_same_form_twice_is_one_answer(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        visitor, page = site.person()
        visitor.answer(page, label="correct")
        visitor.answer(page, label="correct")
        assert labels(site) == ["correct"]


def test_the_same_request_twice_is_one_answer(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        visitor, page = site.person()
        first = visitor.api(page, "answer", body(page, "correct", seconds=0.1))
        again = visitor.api(page, "answer", body(page, "correct", seconds=0.1))
        assert (first.json()["status"], again.json()["status"]) == ("saved", "repeated")
        assert first.json()["work"]["number"] == again.json()["work"]["number"] == 2
        assert labels(site) == ["correct"]
        assert 'data-number="2"' in again.json()["work"]["page"]


def test_another_answer_from_an_old_page_does_not_replace_the_first(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        visitor, page = site.person()
        visitor.answer(page, label="correct")
        told = visitor.answer(page, status=409, label="misgendering")
        assert told.has_id("notice")
        assert visitor.api(page, "answer", body(page, "misgendering")).status_code == 409
        assert labels(site) == ["correct"]


def test_undo_by_the_form_and_by_the_script(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        visitor, page = site.person()
        assert not page.has_id("undo")
        second = visitor.answer(page, label="misgendering", note="was too quick")
        assert second.has_id("undo")
        back = visitor.post(second, "/undo", {"number": "1"})
        assert labels(site) == []
        assert back.values("data-number")[-1] == "1"
        assert back.values("data-revision") == ["2"]
        assert back.chosen["answer.label"] == ["misgendering"]
        assert back.chosen["answer.note"] == ["was too quick"]
        visitor.answer(back, label="correct")
        assert labels(site) == ["correct"]
        undone = visitor.api(page, "undo", {"number": 1}).json()
        assert (undone["status"], undone["work"]["number"]) == ("undone", 1)
        again = visitor.api(page, "undo", {"number": 1}).json()
        assert (again["status"], again["work"]["number"]) == ("nothing", 1)
        assert labels(site) == []


def test_a_reload_shows_the_same_item(tmp_path: Path) -> None:
    with served(stereotype(), tmp_path / "s") as site:
        visitor, page = site.person()
        assert visitor.get().fields == page.fields
        work = visitor.client.get("/api/work").json()
        assert (work["stage"], work["number"], work["revision"]) == ("item", 1, 0)


def test_a_server_that_died_goes_on_where_it_was(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        visitor, page = site.person()
        visitor.answer(page, label="correct")
    with served(misgendering(), tmp_path / "s") as again:
        visitor, later = again.person()
        assert later.values("data-number")[-1] == "2"
        visitor.answer(page, label="correct")  # sent again, as nobody heard that it was saved
        assert labels(again) == ["correct"]


def test_progress_and_the_end(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        visitor, page = site.person()
        for answered in ("0", "1"):
            assert page.values("data-answered")[0] == answered
            page = visitor.answer(page, label="correct")
        assert page.stage == "done"
        assert page.has_id("look-again")
        assert not page.has_id("completion-code")
        assert visitor.get().stage == "done"


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({}, "nothing answered"),
        ({"label": ["wrong"]}, "no such option"),
        ({"label": ["correct", "misgendering"]}, "two options"),
        ({"label": ["correct"], "extraneous": ["0-999:noun"]}, "beyond the text"),
        ({"label": ["correct"], "extraneous": ["0-3:verb"]}, "no such name"),
        ({"label": ["correct"], "extraneous": ["x"]}, "no place"),
        ({"label": ["correct"], "tags": ["repetition", "repetition"]}, "twice"),
        ({"label": ["correct"], "unknown": ["1"]}, "no such question"),
        ({"label": ["correct"], "note": ["x" * 10_001]}, "too long"),
    ],
)
def test_wrong_answers_are_refused(
    answers: dict[str, list[str]], reason: str, tmp_path: Path
) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        visitor, page = site.person()
        reply = visitor.api(page, "answer", {"number": 1, "revision": 0, "answers": answers})
        assert reply.status_code == 422, reason
        assert isinstance(reply.json()["detail"], str)
        assert site.folder.responses() == []


def test_time_is_what_the_page_says_if_it_can_be_so(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        visitor, page = site.person()
        visitor.api(page, "answer", body(page, "correct", seconds=3.4))
        (response,) = site.folder.responses()
        assert response.seconds == 3.4
        assert response.language == "en"
        assert response.at is not None
        page = visitor.get()
        visitor.api(page, "answer", body(page, "correct", seconds=1e9))
        assert all(0 <= (each.seconds or 0) < 60 for each in site.folder.responses())


# --- before the first item -----------------------------------------------------------------------


def come_in(
    site: ServedStudy, query: str = "?PROLIFIC_PID=5f3a", **headers: str
) -> tuple[Visitor, Page]:
    visitor = site.visitor()
    return visitor, visitor.enter(User("open"), query, **headers)


def test_consent_screening_instructions_and_the_way_back(tmp_path: Path) -> None:
    with served(forced_choice(), tmp_path / "s") as site:
        visitor, page = come_in(site, **{"accept-language": "en-GB,hi;q=0.5"})
        assert page.stage == "consent"
        assert "I agree." in page.text
        page = visitor.post(page, "/consent", {"agree": "yes"})
        assert page.stage == "screening"
        incomplete = visitor.post(page, "/screening", {"answer.native": "hindi"}, 422)
        assert incomplete.values("class").count("error") == 1
        page = visitor.post(page, "/screening", {"answer.native": "hindi", "answer.age": "१८"})
        assert page.stage == "instructions"
        page = visitor.post(page, "/begin")
        while page.stage != "done":
            address = "/go-on" if page.stage == "feedback" else "/answer"
            page = visitor.post(page, address, {"answer.better": "1"})
        assert "C0DE" in page.text
        assert "https://example.org/done?cc=C0DE" in page.values("href")
        assert not page.has_id("undo")
        (csrf,) = page.values("data-csrf")
        visitor.post(page, "/undo", {"number": "2", "csrf": csrf})
        assert visitor.get().stage == "done"
        assert len(site.folder.responses()) == 4
        _, page = come_in(site)
        assert page.stage == "done"  # the same id again, and no second turn


@pytest.mark.parametrize(
    "given",
    [
        {"answer.native": "other", "answer.age": "40"},
        {"answer.native": "hindi", "answer.age": "17"},
    ],
)
def test_who_is_screened_out_is_told_so_and_stays_out(
    given: dict[str, str], tmp_path: Path
) -> None:
    with served(forced_choice(), tmp_path / "s") as site:
        visitor, page = come_in(site)
        page = visitor.post(page, "/consent", {"agree": "yes"})
        out = visitor.post(page, "/screening", given)
        assert out.has_id("refused")
        again = visitor.post(page, "/screening", {"answer.native": "hindi", "answer.age": "40"})
        assert again.has_id("refused")
        assert visitor.client.get("/api/work").json()["stage"] == "refused"
        assert site.folder.responses() == []


def test_the_language_of_the_pages_can_be_changed(tmp_path: Path) -> None:
    with served(forced_choice(), tmp_path / "s") as site:
        visitor, page = come_in(site, **{"accept-language": "de"})
        assert page.values("lang")[0] == "hi"  # the study's first
        assert "मैं सहमत हूँ।" in page.text
        page = visitor.post(page, "/language", {"language": "en"})
        assert page.values("lang")[0] == "en"
        assert "I agree." in page.text
        visitor.post(page, "/language", {"language": "fr"}, 422)


def test_an_open_link_wants_the_platforms_id(tmp_path: Path) -> None:
    with served(forced_choice(), tmp_path / "s") as site:
        visitor = site.visitor()
        link = f"/enter/{site.signer.token(User('open'))}"
        for query in ("", "?PROLIFIC_PID=", "?PROLIFIC_PID=%3Cscript%3E", "?OTHER=5f3a"):
            reply = visitor.client.get(link + query)
            assert reply.status_code == 400
            assert "set-cookie" not in reply.headers


def test_an_open_link_without_a_platform_gives_ids_of_its_own(tmp_path: Path) -> None:
    study = msgspec.structs.replace(
        forced_choice(), access=Access(entry="open", completion_code="C0DE")
    )
    with served(study, tmp_path / "s") as site:
        visitor, page = come_in(site, "")
        visitor.post(page, "/consent", {"agree": "yes"})
        assert visitor.enter(User("open")).stage == "screening"  # the same browser again
        assert come_in(site, "")[1].stage == "consent"  # another one
        owner, _ = site.owner()
        people = owner.get("/owner").values("data-participant")
        assert len(set(people)) == 2
        assert all(name.startswith("p-") for name in people)


def test_the_open_link_is_no_way_into_a_personal_seat(tmp_path: Path) -> None:
    with served(forced_choice(), tmp_path / "s") as site:
        site.person("ann")
        reply = site.visitor().client.get(
            f"/enter/{site.signer.token(User('open'))}?PROLIFIC_PID=ann"
        )
        assert reply.status_code == 404


def test_a_study_with_personal_links_has_no_open_one(tmp_path: Path) -> None:
    with served(misgendering(), tmp_path / "s") as site:
        reply = site.visitor().client.get(f"/enter/{site.signer.token(User('open'))}")
        assert reply.status_code == 404
