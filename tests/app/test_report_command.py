"""`epicene report` writes one page that a browser opens without a complaint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.conftest import Epicene

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def run(epicene: Epicene, seed: int, *more: str) -> str:
    """A run of the tiny suite by a model of its own; the run's folder."""
    command = ("run", "reflexives", f"--model=random:{seed}?label=model-{seed}")
    folder = f"run-{seed}"
    assert epicene(*command, f"--out={folder}", *more).code == 0
    return folder


@pytest.fixture
def opened(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Opens a page and holds it to silence."""
    tab = chromium.new_page(viewport={"width": 1200, "height": 900})
    complaints: list[str] = []
    tab.on("console", lambda message: complaints.append(message.text))
    tab.on("pageerror", lambda error: complaints.append(str(error)))

    def open_page(name: str, address: str = "") -> Page:
        tab.goto(f"{Path(name).absolute().as_uri()}{address}")
        return tab

    yield open_page
    tab.close()
    assert complaints == []


@pytest.mark.browser
def test_a_report_of_two_runs(epicene: Epicene, opened: Callable[..., Page]) -> None:
    done = epicene("report", run(epicene, 1), run(epicene, 2), "-o", "deep/report.html")
    assert done.code == 0, done.err
    assert "deep/report.html" in done.err
    tab = opened("deep/report.html")
    text = tab.inner_text("body")
    for shown in ("model-1 and model-2 on Reflexives", "2 runs", "only controls were run"):
        assert shown in text
    assert tab.locator(".card [aria-roledescription=point]").count() == 2
    # Both models are rows of the profile, which says how its numbers came about.
    profile = tab.locator("#overview-table-1")
    profile.locator("summary").click()
    assert profile.locator("tbody th").all_inner_texts() == ["model-1", "model-2"]
    assert "first token: bos" in profile.inner_text()
    tab.get_by_role("link", name="Reflexives", exact=True).first.click()
    assert "model-1 and model-2" not in tab.inner_text("body")  # one page at a time
    assert tab.locator("summary", has_text="Right reflexive").count() >= 1
    tab.get_by_text("How these numbers were computed").click()
    method = tab.locator("#reflexives-method + details").inner_text()
    assert "protocol epicene · normalisers: none" in method
    assert "first token: bos" in method
    assert "Undetected of all judgements: model-1" in method


@pytest.mark.browser
def test_items_on_which_runs_differ_are_those_of_compare(
    epicene: Epicene, opened: Callable[..., Page]
) -> None:
    folders = [run(epicene, 1), run(epicene, 2)]
    changed = epicene("compare", *folders, "--json", "--items").json["items"]
    mains = {each["item"] for each in changed if "(" not in each["name"]}
    epicene("report", *folders)
    tab = opened("report.html", "#reflexives-items?show=differ")
    tab.wait_for_selector(".row")
    assert tab.locator(".item-viewer > .status").inner_text().startswith(f"{len(mains)} of ")
    badges = tab.locator(".chosen .answered .badge").all_inner_texts()
    assert len(set(badges)) > 1


def test_one_run_has_no_profile_and_no_ranking(epicene: Epicene) -> None:
    assert epicene("report", run(epicene, 1)).code == 0
    text = Path("report.html").read_text(encoding="utf-8")
    assert ">model-1 on Reflexives</h1>" in text
    assert "Headlines of all suites" not in text
    assert "no ranking" not in text
    assert "Ranks by" not in text


def test_many_runs_are_counted_and_put_in_places_only_if_told_apart(epicene: Epicene) -> None:
    folders = [run(epicene, seed) for seed in range(1, 6)]
    assert epicene("report", *folders).code == 0
    text = Path("report.html").read_text(encoding="utf-8")
    assert ">model-1, model-2, model-3, model-4 and model-5 on Reflexives</h1>" in text
    # Five models that guess do not differ significantly.
    assert "only controls were run: 5 models" in text
    assert "do not differ significantly" not in text  # no letters
    assert "Ranks by" not in text


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
    assert "These runs differ in settings (new tokens), so their models are neither ranked" in text
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
    of = f"copy 0.0 % of {gendered}, random 0.0 % of {gendered}"
    n = len(items)
    whole = f"Undetected of all judgements: copy 0.0 % of {n}, random 0.0 % of {n}"
    method = text.partition('id="genform-method"')[2].partition("</details>")[0]
    assert whole in method
    assert f"undetected of “gendered terms right (SGA)”: {of}" in text


def test_title_and_notes_are_the_authors(epicene: Epicene) -> None:
    folder = run(epicene, 1)
    Path("notes.md").write_text(
        "# Why\n\nWe asked **twice**. <script>alert(1)</script>\n\n"
        "![x](http://example.org/x.png) [bad](javascript:alert(1)) [good](https://example.org)\n",
        encoding="utf-8",
    )
    assert epicene("report", folder, "--title=A <b>study</b>", "--notes=notes.md").code == 0
    text = Path("report.html").read_text(encoding="utf-8")
    assert "A &lt;b&gt;study&lt;/b&gt;</h1>" in text
    assert "<h2>Why</h2>" in text
    assert "We asked <strong>twice</strong>. &lt;script&gt;" in text
    assert "<img" not in text
    assert 'href="javascript' not in text
    assert '<a href="https://example.org">good</a>' in text
    lost = epicene("report", folder, "--notes=lost.md")
    assert lost.code == 2
    assert "lost.md" in lost.err


def test_the_page_is_opened_in_a_browser(epicene: Epicene, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    def keep(address: str) -> bool:
        shown.append(address)
        return True

    monkeypatch.setattr("webbrowser.open", keep)
    assert epicene("report", run(epicene, 1), "--open").code == 0
    assert shown == [Path("report.html").absolute().as_uri()]


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
