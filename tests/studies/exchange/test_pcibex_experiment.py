"""An experiment for PCIbex: what it shows, whom it lets in, and its results read back."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from epicene.core.errors import InputError
from epicene.studies.design.lists import items_by_list
from epicene.studies.design.schema import Study, all_items
from epicene.studies.exchange.pcibex import experiment_files
from epicene.studies.exchange.response_files import read_responses
from epicene.suites import DataSource
from epicene.suites.alternations import suite
from epicene.suites.alternations.protocol import PROTOCOLS
from scripted_people import respond
from study_examples import STUDIES, completion, forced_choice, image, stereotype, three_way_choice

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

STAND_IN = Path(__file__).with_name("penncontroller_standin.js")
ENTERED = {"native": "hindi", "age": "30"}


def choice_study() -> Study:
    """The forced choice of `alternations` on three verbs, four lists."""
    from epicene.studies.analysis.study_builder import study_from_data
    from epicene.studies.design.sampling import SamplingOptions

    study = study_from_data(suite, DataSource(), SamplingOptions(per_cell=3), study="choice")
    assert len(items_by_list(study)) == 4
    return study


def table(study: Study) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(experiment_files(study)["items.csv"], newline="")))


def page_with(chromium: Browser, study: Study, **parameters: str) -> Page:
    page = chromium.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.add_script_tag(content=STAND_IN.read_text(encoding="utf-8"))
    page.evaluate("given => Object.assign(standIn.parameters, given)", parameters)
    page.add_script_tag(content=experiment_files(study)["main.js"])
    assert faults == []
    return page


def take_part(page: Page, study: Study, counter: int, **more: Any) -> Any:
    person = f"person{counter}"
    answers = {
        item.id: respond(study, item, person).answers[study.questions[0].id]
        for item in all_items(study)
    }
    order = {
        "counter": counter,
        "tables": {"items.csv": table(study)},
        "sender": f"hash{counter}",
        "entered": ENTERED,
        "answers": answers,
        **more,
    }
    return page.evaluate("order => takePart(order)", order)


# --- the circle ------------------------------------------------------------------------------


@pytest.mark.browser
@pytest.mark.parametrize("make", [choice_study, forced_choice, three_way_choice, stereotype])
def test_results_of_the_experiment_are_what_people_answered(
    make: Any, chromium: Browser, tmp_path: Path
) -> None:
    study = make()
    if len(study.questions) > 1:
        study = msgspec.structs.replace(study, questions=study.questions[:1])
    lists = list(items_by_list(study).values())
    # One person a list, and a second on the first one.
    counters = range(len(lists) + 1)
    parameter = study.access.participant_parameter
    lines = []
    for counter in counters:
        given = {parameter: f"person{counter}"} if parameter else {}
        entered = {"native": "Yes / हाँ", "age": "30"} if make is choice_study else ENTERED
        page = page_with(chromium, study, **given)
        lines += take_part(page, study, counter, entered=entered)["lines"]
        page.close()
    path = tmp_path / "results.csv"
    path.write_text("# Results\n" + "\n".join(lines) + "\n", "utf-8")
    found = [placed.response for placed in read_responses(path, study)]
    people = list(dict.fromkeys(response.participant for response in found))
    assert len(people) == len(counters)
    if parameter:
        assert people == [f"person{counter}" for counter in counters]
    for counter, person in zip(counters, people, strict=True):
        answers = {each.item: each.answers for each in found if each.participant == person}
        besides = (*study.practice, *study.fillers, *study.checks)
        wanted = (*besides, *lists[counter % len(lists)])
        assert answers == {
            item.id: respond(study, item, f"person{counter}").answers for item in wanted
        }
    assert all(response.seconds == 1 for response in found)


# --- what it shows and to whom ---------------------------------------------------------------


@pytest.mark.browser
def test_pages_in_order(chromium: Browser) -> None:
    study = forced_choice()
    pages = take_part(page_with(chromium, study), study, 0)["pages"]
    assert [label for label, _ in pages] == [
        "consent", "screening", "instructions", "practice", "item", "filler", "check", "send",
        "end",
    ]  # fmt: skip
    texts = dict(pages)
    assert "मैं सहमत हूँ।" in texts["consent"]
    assert "I agree." in texts["consent"]
    assert "Choose<br>the better one." in texts["instructions"]
    assert "Right" in texts["practice"]
    assert "राम गया" in texts["item"]
    assert "राम गई" in texts["item"]
    assert 'href="https://example.org/done?cc=C0DE"' in texts["end"]


@pytest.mark.browser
@pytest.mark.parametrize(
    ("entered", "allowed"),
    [
        ({"native": "hindi", "age": "18"}, True),
        ({"native": "hindi", "age": "17"}, False),
        ({"native": "hindi", "age": "180"}, True),
        ({"native": "hindi", "age": ""}, False),
        ({"native": "other", "age": "30"}, False),
    ],
)
def test_screening(entered: dict[str, str], allowed: bool, chromium: Browser) -> None:
    study = forced_choice()
    result = take_part(page_with(chromium, study), study, 0, entered=entered)
    assert ("refused" not in result["lines"]) is allowed


@pytest.mark.browser
def test_texts_are_no_markup(chromium: Browser) -> None:
    study = forced_choice()
    items = tuple(
        msgspec.structs.replace(item, fields={"good": "<b>a & b</b>", "bad": 'c", "d'})
        for item in study.items
    )
    study = msgspec.structs.replace(study, items=items, consent={"hi": "<i>", "en": "</script>"})
    texts = dict(take_part(page_with(chromium, study), study, 0)["pages"])
    assert "&lt;b&gt;a &amp; b&lt;/b&gt;" in texts["item"]
    assert 'c", "d' in texts["item"]
    assert "&lt;/script&gt;" in texts["consent"]


def test_nothing_hidden_leaves_the_study() -> None:
    study = choice_study()
    files = experiment_files(study)
    assert list(table(study)[0]) == ["list", "item", "a", "b"]
    content = json.loads(files["main.js"].split("const STUDY = ")[1].split(";\n\n// The")[0])
    for part in ("practice", "filler", "check"):
        allowed = {"item", "a", "b", "feedback"}
        assert all(set(row) <= allowed for row in content[part]), part
    for item in study.items:
        assert item.fields["pair"] not in files["items.csv"]
    paper = PROTOCOLS["paper"]
    published = msgspec.structs.replace(suite.studies["choice"].study(paper), items=tuple(
        msgspec.structs.replace(item, list=item.condition) for item in study.items
    ))  # fmt: skip
    assert {row["list"] for row in table(published)} == {"1", "2", "3", "4"}


def test_table_has_every_list() -> None:
    study = choice_study()
    by_list: dict[str, list[str]] = {}
    for row in table(study):
        by_list.setdefault(row["list"], []).append(row["item"])
    assert by_list == {
        name: [item.id for item in items] for name, items in items_by_list(study).items()
    }


@pytest.mark.parametrize(
    ("study", "message"),
    [
        (completion(), "asks for something other than a single choice"),
        (STUDIES[0](), "asks for something other than a single choice"),
        (image(), "shows more than texts"),
    ],
)
def test_what_the_experiment_cannot_do_is_refused(study: Study, message: str) -> None:
    with pytest.raises(InputError, match=message):
        experiment_files(study)
