"""The pages in a real browser, by keyboard alone: every kind of study, from the link to the end."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec
import pytest
from playwright.sync_api import expect

from epicene.studies.analysis.study_summary import summarise_study
from epicene.studies.collection.folder import create_study_folder
from epicene.studies.collection.links import User
from epicene.studies.design.schema import AnswerValue, MarksQuestion, Span, Study, StudyItem
from studies.annotate_command import command
from studies.suite_studies import ITEMS, KINDS, continuations, forms_in
from studies.web.browser_participant import (
    Given,
    KeyboardParticipant,
    Served,
    decided,
    is_scripted,
    served,
)
from studies.web.served_process import running
from study_examples import misgendering

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


def given(answers: Given) -> dict[str, frozenset[str | Span] | str]:
    """Answers without what was left empty; in which order tags were ticked does not matter."""

    def comparable(answer: AnswerValue) -> frozenset[str | Span] | str:
        return answer if isinstance(answer, str) else frozenset(answer)

    return {name: comparable(answer) for name, answer in answers.items() if answer}


def work_through(person: KeyboardParticipant, name: str) -> dict[str, Given]:
    """Everything to the end, with one answer taken back and changed, and one reload."""
    meant: dict[str, Given] = {}
    person.come_in()
    while (stage := person.stage) != "done":
        if stage == "feedback":
            number = person.page.locator("[name=number]").last.get_attribute("value")
            person.page.keyboard.press("Enter")
            person.page.locator(f'#go-on-form [name=number][value="{number}"]').wait_for(
                state="detached"
            )
            is_scripted(person.page)
            continue
        item = person.item()
        meant[item.id] = decided(person.study, item, name)
        done = len(meant) - len(person.study.practice)
        if done == 5:
            change_mind(person, meant)
        if done == 6:
            assert fits_a_phone(person.page)
        if done == 7:
            reload_half_way(person, item, meant[item.id])
        person.answer(item, meant[item.id])
    return meant


def change_mind(person: KeyboardParticipant, meant: dict[str, Given]) -> None:
    """Take the last answer back, find it as it was, and give another."""
    *_, (last, before), _ = meant.items()
    here = person.look()
    person.page.keyboard.press("u")
    person.gone(here)
    item, seen = person.item(), person.look()
    assert item.id == last
    chosen = {
        name: frozenset(option["value"] for option in offered if option["chosen"])
        for name, offered in seen["offered"].items()
    }
    for name, answer in given(before).items():
        if name in seen["written"]:
            assert seen["written"][name] == answer
        elif isinstance(answer, str):
            assert chosen[name]
        elif any(isinstance(each, Span) for each in answer):
            assert len(seen["marked"]) == len(answer)
        else:
            assert chosen[name] == answer
    meant[last] = decided(person.study, item, "somebody of another mind")
    person.answer(item, meant[last])


def reload_half_way(person: KeyboardParticipant, item: StudyItem, answers: Given) -> None:
    """What was filled in but not sent is there after a reload."""
    before = person.fill_in(item, answers)
    person.page.reload()
    is_scripted(person.page)
    after = person.look()
    for name in ("number", "revision", "texts", "asked", "offered", "written", "marked"):
        assert after[name] == before[name], name


def fits_a_phone(page: Page) -> bool:
    """Whether nothing has to be scrolled sideways on a small screen."""
    whole = page.viewport_size
    assert whole is not None
    page.set_viewport_size({"width": 360, "height": 640})
    wide: int = page.evaluate("document.documentElement.scrollWidth")
    page.set_viewport_size(whole)
    return wide <= 360


@pytest.mark.parametrize("name", KINDS)
def test_ten_items_of_each_kind_by_keyboard(
    name: str, opened: Callable[..., Page], tmp_path: Path
) -> None:
    kind = KINDS[name]
    study = kind.study(tmp_path / "study")
    with served(create_study_folder(tmp_path / "study", study)) as site:
        person = site.person(opened(), "ann")
        meant = work_through(person, "ann")
        open_ = study.access.entry == "open"
        assert person.page.locator("#completion-code").count() == open_
        kept = site.folder.responses()
        export = exported(site, opened(), tmp_path / "export.csv")
    aside = len(study.practice) + len(study.checks) + len(study.fillers)
    assert len(meant) == len(kept) == ITEMS + aside
    assert {each.item: given(each.answers) for each in kept} == {
        item: given(answers) for item, answers in meant.items()
    }
    again = create_study_folder(tmp_path / "again", study)
    again.import_file(export)
    assert {each.item: each.answers for each in again.responses()} == {
        each.item: each.answers for each in kept
    }
    items = {item.id for item in study.items}
    of_items = [each for each in again.responses() if each.item in items]
    assert kind.read(study, of_items) > 0


def exported(site: Served, page: Page, sheet: Path) -> Path:
    """All answers, as the owner's page hands them out."""
    page.goto(site.link(User("owner")))
    sheet.write_bytes(page.request.get(f"{site.address}/owner/export.csv").body())
    return sheet


# --- the owner -----------------------------------------------------------------------------------


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until it is there."""
    for _ in range(300):
        page.keyboard.press("Tab")
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"Tab does not reach {selector}")


def differing(study: Study, *people: str) -> set[tuple[str, str]]:
    """The items and questions that people answer differently."""
    found = set()
    for item in study.items:
        said = [given(decided(study, item, name)) for name in people]
        for question in study.questions:
            answers = {each.get(question.id) for each in said}
            if question.id not in ("notes", "remark") and len(answers) > 1:
                found.add((item.id, question.id))
    return found


def test_the_owner_settles_and_exports_by_keyboard(
    opened: Callable[..., Page], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = continuations(tmp_path)
    study = msgspec.structs.replace(study, items=study.items[:3], practice=(), judgements=2)
    folder = create_study_folder(tmp_path / "study", study)
    with served(folder) as site:
        for name in ("ann", "bob"):
            work_through(site.person(opened(), name), name)
        page = opened()
        page.goto(site.link(User("owner")))
        expect(page.locator("#totals")).to_have_attribute("data-given", "6")
        assert fits_a_phone(page)
        differ = differing(study, "ann", "bob")
        assert len(differ) > 3
        tab_to(page, "a[href='/owner/disagreements']")
        page.keyboard.press("Enter")
        expect(page.locator("#left")).to_have_attribute("data-left", str(len(differ)))
        assert fits_a_phone(page)
        for left in range(len(differ) - 1, len(differ) - 4, -1):
            settle_first(page)
            expect(page.locator("#left")).to_have_attribute("data-left", str(left))
        settled = folder.adjudications().all()
        assert set(settled) < differ
        assert {each.by for each in settled.values()} == {"owner"}
        assert len(settled) == 3
        tab_to(page, "a[href='/owner/agreement']")
        page.keyboard.press("Enter")
        expect(page.locator("#agreement tr[data-question=outcome]")).to_have_count(1)
        assert fits_a_phone(page)
        sheets = [download(page, form, tmp_path) for form in ("csv", "jsonl")]
    before = summarise_study(study, folder.responses(), adjudications=settled).tables
    for sheet in sheets:
        again = create_study_folder(tmp_path / f"again {sheet.suffix}", study)
        again.import_file(sheet)
        assert {each: of.value for each, of in again.adjudications().all().items()} == {
            each: of.value for each, of in settled.items()
        }
        after = summarise_study(study, again.responses(), adjudications=again.adjudications().all())
        assert after.tables == before
    assert command("tables", folder.path) == 0
    assert "Agreement of people with the automatic labels" in capsys.readouterr().out


def settle_first(page: Page) -> None:
    """Decide the first question on the page otherwise than is proposed there."""
    form = page.locator("form.adjudication").first
    kind = form.locator(".question").get_attribute("data-kind")
    tab_to(page, "form.adjudication:first-of-type .question input")
    page.keyboard.press("ArrowDown" if kind == "choice" else "Space")
    page.keyboard.press("Enter")


def download(page: Page, form: str, folder: Path) -> Path:
    if page.locator("#downloads").get_attribute("open") is None:
        tab_to(page, "#downloads > summary")
        page.keyboard.press("Enter")
    tab_to(page, f"#export-{form}")
    with page.expect_download() as coming:
        page.keyboard.press("Enter")
    path = folder / f"export.{form}"
    coming.value.save_as(path)
    return path


# --- a network and a server that come and go -----------------------------------------------------


def test_an_answer_given_without_a_network_arrives_once(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    study = KINDS["stereotype"].study(tmp_path)
    with served(create_study_folder(tmp_path / "study", study)) as site:
        page = opened()
        person = site.person(page, "ann")
        person.come_in()
        item = person.item()
        answers = decided(study, item, "ann")
        page.context.set_offline(True)
        before = person.fill_in(item, answers)
        for _ in range(3):
            page.keyboard.press("Enter")
        expect(page.locator("#status.wrong")).to_contain_text("Not saved yet")
        assert site.folder.responses() == []
        page.context.set_offline(False)
        person.gone(before)
        expect(page.locator("#status")).to_have_text("Saved.")
        (kept,) = site.folder.responses()
        assert (kept.item, given(kept.answers)) == (item.id, given(answers))


def test_an_answer_outlives_a_killed_server_and_a_reload(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    study = msgspec.structs.replace(KINDS["category"].study(tmp_path), practice=())
    folder = create_study_folder(tmp_path / "study", study)
    page = opened()
    with running(folder.path, "ann") as server:
        link = server.links["ann"]
        page.goto(link)
        person = KeyboardParticipant(page, study)
        person.come_in()
        meant = {}
        for _ in range(2):
            item = person.item()
            meant[item.id] = decided(study, item, "ann")
            person.answer(item, meant[item.id])
        server.stop(signal.SIGKILL)
    item = person.item()
    meant[item.id] = decided(study, item, "ann")
    person.fill_in(item, meant[item.id])
    page.keyboard.press("Enter")
    expect(page.locator("#status.wrong")).to_contain_text("Not saved yet")
    with running(folder.path, "ann", int(urlsplit(link).port or 0)):
        page.goto(link)  # a page that was closed and opened again has what was not sent
        expect(page.locator("#progress")).to_have_attribute("data-answered", "3")
        assert {each.item: given(each.answers) for each in folder.responses()} == {
            name: given(answers) for name, answers in meant.items()
        }


# --- right to left -------------------------------------------------------------------------------


def test_an_arabic_page_runs_from_right_to_left(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    study = forms_in("ar").study(tmp_path)
    with served(create_study_folder(tmp_path / "study", study)) as site:
        page = opened()
        person = site.person(page, "ann")
        expect(page.locator("html")).to_have_attribute("dir", "ltr")
        tab_to(page, "[data-language=ar]")
        page.keyboard.press("Enter")
        expect(page.locator("html")).to_have_attribute("dir", "rtl")
        person.come_in()
        ways = page.locator(".panel .text").evaluate_all(
            "(all) => all.map((text) => [text.lang, getComputedStyle(text).direction])"
        )
        assert ways == [["en", "ltr"], ["ar", "rtl"]]
        edges = page.locator(".option").evaluate_all(
            "(all) => all.map((option) => Math.round(option.getBoundingClientRect().right))"
        )
        frame = page.locator("#item").bounding_box()
        assert frame is not None
        assert edges[0] == max(edges)  # the first stands rightmost
        assert edges[0] > frame["x"] + 0.9 * frame["width"]
        page.keyboard.press("1")
        page.keyboard.press("ArrowDown")
        area = page.locator("#text-masculine")
        expect(area).to_be_focused()
        expect(area).to_have_css("direction", "rtl")
        page.keyboard.press("Control+Home")
        page.keyboard.press("ArrowLeft")  # on, in a text from right to left
        assert area.evaluate("(area) => area.selectionStart") == 1
        page.keyboard.press("ArrowRight")
        assert area.evaluate("(area) => area.selectionStart") == 0


def test_words_are_walked_the_way_the_text_runs(
    opened: Callable[..., Page], tmp_path: Path
) -> None:
    study = misgendering()
    text = "هذه جملة من خمس كلمات"
    mark = MarksQuestion(id="extraneous", ask={"en": "Mark"}, field="text")
    item = StudyItem(id="g", language="ar", fields=study.items[0].fields | {"text": text})
    study = msgspec.structs.replace(study, questions=(study.questions[0], mark), items=(item,))
    folder = create_study_folder(tmp_path / "study", study)
    with served(folder) as site:
        person = site.person(opened(), "ann")
        person.come_in()
        for key in ("1", "ArrowLeft", "ArrowLeft", "ArrowRight", "Space", "Enter"):
            person.page.keyboard.press(key)
        person.page.locator("#done").wait_for()
    (kept,) = folder.responses()
    assert kept.answers == {"label": "correct", "extraneous": (Span(start=4, end=8),)}
    assert text[4:8] == "جملة"
