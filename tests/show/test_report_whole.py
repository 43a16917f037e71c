"""A report of real runs of all suites: every page, unfolded, against WCAG 2.1 AA."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from axe import violations
from epicene.models import parse_spec
from epicene.runs.config import RunConfig
from epicene.runs.run import run
from epicene.runs.stored_run import read_run
from epicene.show.run_report import write_report
from epicene.suites import choose_protocol, find_suite
from runs.conftest import Silent

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

# Items and settings by suite
SUITES: dict[str, tuple[int, dict[str, str]]] = {
    "misgendering": (8, {"samples": "1", "pronouns": "he,they"}),
    "alternations": (12, {}),
    "genform": (12, {}),
    "apgc": (8, {}),
    "translation": (12, {}),
    "gramvis": (1, {"size": "256"}),
}
RATES = (0.3, 0.5)
SCREEN = 900
# Unfolds the page and waits until what is unpacked near the screen is there. Only this page and the
# first rows of each table stay, because axe-core is slow on tens of thousands of elements.
UNFOLD = """
async () => {
  for (const page of document.querySelectorAll(".page:not(.on)")) page.remove();
  for (const body of document.querySelectorAll(".page.on tbody")) {
    for (const row of [...body.rows].slice(3)) row.remove();
  }
  for (const fold of document.querySelectorAll(".page.on details")) fold.open = true;
  for (let top = 0; top < document.documentElement.scrollHeight; top += innerHeight) {
    scrollTo(0, top);
    await new Promise((go) => setTimeout(go, 40));
  }
  scrollTo(0, 0);
}
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    # Not by the registry, to which other tests of the session may have added a suite.
    assert set(SUITES) == set(entry_points(group="epicene.suites").names)
    runs = [read_run(_made(folder, name, rate)) for name in SUITES for rate in RATES]
    write_report(runs, folder / "report.html", notes="# Why\n\nBecause.")
    return folder / "report.html"


def _made(folder: Path, name: str, rate: float) -> Path:
    suite = find_suite(name)
    limit, settings = SUITES[name]
    models = {"model": [f"planted?rate={rate}"]}
    if name == "gramvis":
        models = {"drawer": [f"sketch?effect={rate}"], "judges": ["sketch-judge:1?error=0.1"]}
    made, _ = run(
        RunConfig(
            suite=suite,
            protocol=choose_protocol(suite, "epicene", settings, None),
            models={role: [parse_spec(each) for each in specs] for role, specs in models.items()},
            limit=limit,
            out=folder / f"{name}-{rate}",
        ),
        Silent(),
    )
    return made


def test_no_page_violates_wcag(report: Path, chromium: Browser) -> None:
    context = chromium.new_context(viewport={"width": 1280, "height": SCREEN})
    tab = context.new_page()
    troubles: list[str] = []
    tab.on("console", lambda message: troubles.append(message.text))
    tab.on("pageerror", lambda error: troubles.append(str(error)))
    tab.goto(report.as_uri())
    pages = tab.locator(".page").evaluate_all("all => all.map((each) => each.id)")
    assert len(pages) == len(SUITES) + 2
    wrong = {}
    for page in pages:
        tab.goto("about:blank")
        tab.goto(f"{report.as_uri()}#{page}")
        tab.wait_for_selector(f"#{page}.on")
        height = tab.evaluate("document.documentElement.scrollHeight")
        assert height <= 3 * SCREEN, (page, height)
        assert tab.evaluate("document.documentElement.scrollWidth") == 1280, page
        tab.evaluate(UNFOLD)
        if tab.locator(f"#{page} .item-viewer").count():
            tab.wait_for_selector(f"#{page} .row")
        wrong[page] = violations(tab)
    context.close()
    assert {page: found for page, found in wrong.items() if found} == {}
    assert troubles == []
