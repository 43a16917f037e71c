"""Texts stay texts on every page of every kind of study, and hidden fields stay hidden."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from epicene.studies.collection.links import User
from epicene.studies.design.schema import LOCALISED_FIELDS, ImagePanel, Study, StudyItem
from studies.web.page_visitors import Fields, Page, ServedStudy, Visitor, served
from study_examples import STUDIES, misgendering, options

SCRIPT = "</p></textarea><script>alert(1)</script><img src=x onerror=alert(2)>\"'`&lt {{ 7 * 7 }}"
SECRET = "not-for-people"


def hostile(study: Study) -> Study:
    """The study with a script in each text and each option's id, and a secret in what is hidden."""
    pictures = {panel.field for panel in study.show if isinstance(panel, ImagePanel)}
    named = {
        option.id
        for question in study.questions
        for option in (*getattr(question, "options", ()), *getattr(question, "labels", ()))
    } | {option.id for screen in study.screening for option in getattr(screen, "options", ())}

    def changed(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            if key in LOCALISED_FIELDS:
                return dict.fromkeys(value, SCRIPT)
            if key == "fields":
                return {
                    name: SECRET
                    if name in study.hidden
                    else text
                    if name in pictures
                    else f"{SCRIPT} {name}"
                    for name, text in value.items()
                }
            return {name: changed(each, name) for name, each in value.items()}
        if isinstance(value, list | tuple):
            return [changed(each, key) for each in value]
        return f"{value}{SCRIPT}" if isinstance(value, str) and value in named else value

    return msgspec.convert(changed(msgspec.to_builtins(study)), Study)


def filled(page: Page) -> Fields:
    """The first way to answer each question, and a script as a remark."""
    answers: dict[str, str | list[str]] = {}
    for name, values in page.fields.items():
        if name.startswith("answer.") and name not in page.chosen:
            answers[name.removeprefix("answer.")] = values[0]
    kinds = dict(zip(page.values("data-question"), page.values("data-kind"), strict=True))
    answers |= {name: [] for name, kind in kinds.items() if kind in ("tags", "marks")}
    return answers | {name: SCRIPT for name, kind in kinds.items() if kind == "note"}


def walk(visitor: Visitor, page: Page) -> Iterator[Page]:
    """Every page from the first to the last."""
    for _ in range(30):
        yield page
        if page.stage == "done":
            return
        if page.stage == "item":
            page = visitor.answer_all(page, filled(page))
        elif page.stage == "screening":
            given = {"answer.native": page.fields["answer.native"][0], "answer.age": "30"}
            page = visitor.post(page, "/screening", given)
        else:
            acts = {"consent": "/consent", "instructions": "/begin", "feedback": "/go-on"}
            page = visitor.post(page, acts[page.stage], {"agree": "yes"})
    raise AssertionError("The study has no end.")


def come_in(site: ServedStudy, name: str) -> tuple[Visitor, Page]:
    if site.folder.study.access.entry == "personal":
        return site.person(name)
    visitor = site.visitor()
    return visitor, visitor.enter(User("open"), f"?PROLIFIC_PID={name}")


OWNERS = ("/owner", "/owner/items", "/owner/agreement", "/owner/disagreements")


def all_pages(study: Study, folder: Path) -> list[Page]:
    with served(study, folder) as site:
        visitor, page = come_in(site, "ann")
        pages = list(walk(visitor, page))
        assert len(site.folder.responses()) >= 1
        owner, _ = site.owner()
        return [*pages, *map(owner.get, OWNERS)]


def elements(pages: list[Page]) -> set[str]:
    return {tag for page in pages for tag, _ in page.attributes}


def attributes(pages: list[Page]) -> set[str]:
    return {name for page in pages for _, given in page.attributes for name in given}


@pytest.mark.parametrize("make", STUDIES, ids=lambda make: str(make.__name__))
def test_nothing_that_is_shown_becomes_part_of_a_page(
    make: Callable[[], Study], tmp_path: Path
) -> None:
    harmless = all_pages(make(), tmp_path / "harmless")
    pages = all_pages(hostile(make()), tmp_path / "hostile")
    # A text with other words may have marks and words to mark where the harmless one has none.
    assert elements(pages) <= elements(harmless) | {"mark"}
    assert attributes(pages) <= attributes(harmless)
    for page in pages:
        scripts = [given["src"] for tag, given in page.attributes if tag == "script"]
        assert all(source.startswith("/static/") for source in scripts)
        images = [given["src"] for tag, given in page.attributes if tag == "img"]
        assert all(source.startswith(("/image/", "/owner/image/")) for source in images)
        assert SECRET not in page.text
        if page.stage == "item":
            inside = page.text.partition("<main")[2]
            assert "alert(1)" in inside
            assert "{{ 7 * 7 }}" in inside


def with_hostile_names() -> Study:
    """Names that come from data: of items, options and what a platform calls people."""
    study = misgendering()

    def renamed(number: int, item: StudyItem) -> StudyItem:
        return msgspec.structs.replace(item, id=f"{SCRIPT}{number}", group=SCRIPT)

    label = msgspec.structs.replace(study.questions[0], id=SCRIPT, options=options(SCRIPT, "b"))
    return msgspec.structs.replace(
        study,
        questions=(label, *study.questions[1:]),
        items=tuple(renamed(number, item) for number, item in enumerate(study.items)),
    )


def test_names_stay_names(tmp_path: Path) -> None:
    harmless = elements(all_pages(misgendering(), tmp_path / "harmless"))
    with served(with_hostile_names(), tmp_path / "s") as site:
        for name, chosen in ((SCRIPT[:100], SCRIPT), ("bob", "b")):
            visitor, page = site.person(name)
            while page.stage == "item":
                page = visitor.answer_all(page, {**filled(page), SCRIPT: chosen})
        owner, page = site.owner()
        pages = [owner.get(address) for address in OWNERS]
        drawn = {"svg", "line", "circle", "polyline", "text", "sup"}
        assert elements(pages) - {"option", "select"} <= harmless | {"textarea", *drawn}
        assert pages[-1].values("data-disagreement") == [SCRIPT]
        settled = {"item": pages[-1].values("data-item")[0], "question": SCRIPT}
        page = owner.post(pages[-1], "/owner/adjudicate", {**settled, f"answer.{SCRIPT}": "b"})
        assert page.values("data-adjudicated") == [SCRIPT]
        assert elements([page]) <= harmless | {"textarea"}
        assert not any(name.startswith("on") for name in attributes([*pages, page]))


FORMULAS = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1+1", "'=1")


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_no_cell_of_an_export_is_a_formula(formula: str, form: str, tmp_path: Path) -> None:
    study = misgendering()
    items = tuple(
        msgspec.structs.replace(
            item, id=f"{formula}{number}", fields=dict.fromkeys(item.fields, formula)
        )
        for number, item in enumerate(study.items)
    )
    name = formula.strip()
    with served(msgspec.structs.replace(study, items=items), tmp_path / "s") as site:
        visitor, page = site.person(name)
        visitor.answer(page, label="correct", note=f"{formula} said")
        owner, _ = site.owner()
        text = owner.client.get(f"/owner/export.{form}?hidden=true").text
    rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=",\t"[form == "tsv"]))
    assert len(rows) == 1
    cells = [cell for row in rows for cell in row.values()]
    assert sum(formula.strip() in cell for cell in cells) >= 5  # who, which, shown, hidden, said
    assert not any(cell.startswith(tuple("=+-@\t\r\n＝＋－＠")) for cell in cells)


def test_strange_signs_come_back_as_they_were(tmp_path: Path) -> None:
    said = "a\x00b \x1b[31m \u202e txet \ufeff 👩‍🦰 \\ ‏ \u2028 end"
    with served(misgendering(), tmp_path / "s") as site:
        visitor, page = site.person()
        visitor.answer(page, label="correct", note=said)
        (response,) = site.folder.responses()
        assert response.answers["note"] == said
        page = visitor.post(visitor.get(), "/undo", {"number": "1"})
        shown = page.chosen["answer.note"][0]
        assert shown.replace("�", "\x00") == said
        owner, _ = site.owner()
        visitor.answer(page, label="correct", note=said)
        for form in ("csv", "tsv", "jsonl"):
            assert owner.client.get(f"/owner/export.{form}").status_code == 200
