"""`epicene report` writes one page that a browser opens without a complaint."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cli.conftest import Epicene

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def run(epicene: Epicene, seed: int, *more: str) -> str:
    """A run of the tiny suite by a model of its own; the run's folder."""
    command = ("run", "reflexives", f"--model=random:{seed}?label=model-{seed}")
    folder = f"run-{seed}"
    assert epicene(*command, f"--out={folder}", *more).code == 0
    return folder


@pytest.fixture
def opened(chromium: Browser) -> Iterator[Callable[[str], Page]]:
    """Opens a page and holds it to silence."""
    tab = chromium.new_page(viewport={"width": 1200, "height": 900})
    complaints: list[str] = []
    tab.on("console", lambda message: complaints.append(message.text))
    tab.on("pageerror", lambda error: complaints.append(str(error)))

    def open_page(name: str) -> Page:
        tab.goto(Path(name).absolute().as_uri())
        return tab

    yield open_page
    tab.close()
    assert complaints == []


@pytest.mark.browser
def test_a_report_of_two_runs(epicene: Epicene, opened: Callable[[str], Page]) -> None:
    done = epicene("report", run(epicene, 1), run(epicene, 2), "-o", "deep/report.html")
    assert done.code == 0, done.err
    assert "deep/report.html" in done.err
    tab = opened("deep/report.html")
    text = tab.inner_text("body")
    for shown in ("Reflexives", "model-1", "model-2", "Right reflexive", "Protocol epicene"):
        assert shown in text
    assert "What model-1 and model-2 did" in text
    assert tab.locator("svg").count() >= 1
    # Both models are rows of the profile, and every table says how its numbers came about.
    profile = tab.locator(".table", has_text="profile: Headlines of every suite")
    assert profile.locator("tbody th").all_inner_texts() == ["model-1", "model-2"]
    assert "first token: bos" in profile.inner_text()
    section = tab.locator("section", has=tab.get_by_role("heading", name="Reflexives · epicene"))
    captions = section.locator(".table figcaption").all_text_contents()  # drawn or not
    assert len(captions) > 1
    for caption in captions:
        assert "protocol epicene · normalisers: none" in caption
        assert "first token: bos" in caption
        # Of what changed it is in the table, row by row; a detectable difference has none.
        others = ("What changed", "what could have been found")
        assert "undetected of all judgements: model-1" in caption or any(
            other in caption for other in others
        )


@pytest.mark.browser
def test_changes_between_two_runs_are_read_item_by_item(
    epicene: Epicene, opened: Callable[[str], Page]
) -> None:
    folders = [run(epicene, 1), run(epicene, 2)]
    changed = epicene("compare", *folders, "--json", "--items").json["items"]
    epicene("report", *folders)
    tab = opened("report.html")
    tab.locator(".item-viewer").scroll_into_view_if_needed()
    tab.wait_for_selector(".row")
    changes = tab.locator(".changes")
    changes.get_by_label("from").select_option(label="model-1")
    assert "both runs" not in changes.inner_text()
    changes.get_by_label("to").select_option(label="model-2")
    assert f"{len(changed)} have another outcome" in changes.locator("p").inner_text()
    assert tab.locator(".item-viewer > .status").inner_text().startswith(f"{len(changed)} of ")
    kinds = [f"{each['first']} → {each['second']}" for each in changed]
    kind = kinds[0]
    changes.get_by_label("change").select_option(value=kind)
    count = kinds.count(kind)
    assert tab.locator(".item-viewer > .status").inner_text().startswith(f"{count} of ")
    first, second = kind.split(" → ")
    badges = tab.locator(".chosen h4 .badge").all_inner_texts()
    assert [badge.split()[-1] for badge in badges] == [first, second]
    tab.get_by_role("button", name="Show all").click()
    assert "of" not in tab.locator(".item-viewer > .status").inner_text()
    assert tab.locator(".row .badge").count() == tab.locator(".row").count()


def test_one_run_has_no_profile_and_no_ranking(epicene: Epicene) -> None:
    assert epicene("report", run(epicene, 1)).code == 0
    text = Path("report.html").read_text(encoding="utf-8")
    assert "What model-1 did with grammatical gender" in text
    assert "Models side by side" not in text
    assert "no ranking" not in text
    assert "Places by" not in text


def test_many_runs_are_counted_and_put_in_places_only_if_told_apart(epicene: Epicene) -> None:
    folders = [run(epicene, seed) for seed in range(1, 6)]
    assert epicene("report", *folders).code == 0
    text = Path("report.html").read_text(encoding="utf-8")
    assert "What 5 models did with grammatical gender" in text
    # Five models that guess do not differ significantly.
    assert "no two models differ significantly" in text
    assert "Places by" not in text


def test_runs_that_were_not_asked_alike_say_so(epicene: Epicene) -> None:
    folders = [run(epicene, 1), run(epicene, 2, "--limit=3")]
    assert epicene("report", *folders).code == 0
    text = Path("report.html").read_text(encoding="utf-8")
    assert "These runs differ in limit (run-1 none, run-2 3)." in text


def test_runs_of_other_settings_say_which_and_are_not_ranked(epicene: Epicene) -> None:
    folders = [run(epicene, 1), run(epicene, 2, "--set=new_tokens=4")]
    assert epicene("report", *folders).code == 0
    text = Path("report.html").read_text(encoding="utf-8")
    assert "These runs differ in settings (new_tokens: run-1 8, run-2 4)." in text
    assert "These runs differ in settings (new tokens), so their models are not ranked" in text
    assert "new tokens: 8 (model-1), 4 (model-2)" in text
    assert "What changed between every two models" not in text
    assert "no ranking" not in text
    told = epicene("tables", *folders).err
    assert "These runs differ in settings (new_tokens: run-1 8, run-2 4)." in told


def test_each_table_has_the_undetected_rate_of_its_own_judgements(epicene: Epicene) -> None:
    """SGA is of sentences with a gendered term; the other tables are of all of them."""
    asked = ("run", "genform", "--limit=24", "--language=fr")
    for model in ("copy", "random"):
        assert epicene(*asked, f"--model={model}", f"--out={model}").code == 0
    assert epicene("report", "copy", "random").code == 0
    items = epicene("tables", "copy", "--json", "--items").json["items"]
    gendered = sum(item["facets"]["gendered terms"] != "0" for item in items)
    assert 0 < gendered < len(items)
    text = Path("report.html").read_text(encoding="utf-8")
    shown = re.sub(r"<[^>]*>", " ", text)
    told = {
        title: shown.rpartition(f"{title} ")[2].partition("known faults")[0]
        for title in ("places: Places by", "changes: What changed", "scores: Scores by")
    }
    own = f"undetected of these judgements: copy 0.0 % of {gendered}, random 0.0 % of {gendered}"
    assert own in told["places: Places by"]
    assert "undetected" not in told["changes: What changed"]
    n = len(items)
    whole = f"undetected of all judgements: copy 0.0 % of {n}, random 0.0 % of {n}"
    assert whole in told["scores: Scores by"]
    assert "undetected of “gendered terms right (SGA)”: copy 0.0 %" in text


def test_a_report_tells_no_whole_path(epicene: Epicene, tmp_path: Path) -> None:
    folders = []
    for place in ("here", "there"):
        folders.append(str(tmp_path / place / "run"))
        command = ("run", "reflexives", "--model=random", "--limit=2", f"--out={folders[-1]}")
        assert epicene(*command).code == 0
    assert epicene("report", *folders).code == 0
    text = Path("report.html").read_text(encoding="utf-8")
    assert "random (here/run)" in text
    assert "random (there/run)" in text
    assert str(tmp_path) not in text


def test_runs_of_two_protocols_stand_in_sections_of_their_own(epicene: Epicene) -> None:
    folders = [run(epicene, 1), run(epicene, 2, "--protocol=paper")]
    assert epicene("report", *folders).code == 0
    text = Path("report.html").read_text(encoding="utf-8")
    for heading in ("Reflexives · epicene</h2>", "Reflexives · paper</h2>"):
        assert heading in text
    assert "Reflexives (paper): right" in text
    assert "first token: tokenizer-default" in text


def test_a_folder_that_is_no_run_is_said(epicene: Epicene) -> None:
    done = epicene("report", "nowhere")
    assert done.code == 2
    assert "nowhere" in done.err
    assert not Path("report.html").exists()


def test_one_folder_given_twice_is_refused(epicene: Epicene) -> None:
    folder = run(epicene, 1)
    done = epicene("report", folder, folder)
    assert done.code == 2
    assert "given twice" in done.err
