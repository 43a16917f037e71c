"""The first screen and the height of the pages of a report of twenty models and six suites.

    python benchmarks/report_models.py [MODELS] [FOLDER]     (default 20, and a temporary folder)

The models are `planted` (for GramVis `sketch`), each right at another rate, on a few items of the
starter data. Chromium opens the report on a screen of 1280 × 900 pixels.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from epicene.api.progress import progress_display
from epicene.models import parse_spec
from epicene.runs.config import RunConfig
from epicene.runs.run import run
from epicene.runs.stored_run import read_run
from epicene.show.run_report import write_report
from epicene.suites import choose_protocol, find_suite

SCREEN = {"width": 1280, "height": 900}
TIMES = 5

# Items and settings by suite
SUITES: dict[str, tuple[int, dict[str, str]]] = {
    "misgendering": (12, {"samples": "1", "pronouns": "he,she,they,xe"}),
    "alternations": (30, {}),
    "genform": (30, {}),
    "apgc": (20, {}),
    "translation": (30, {}),
    "gramvis": (2, {"size": "256"}),
}


def main() -> None:
    """Make runs where there are none, write the report, open it."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with tempfile.TemporaryDirectory() as moment:
        folder = Path(sys.argv[2] if len(sys.argv) > 2 else moment).absolute()
        runs = [
            read_run(_made(folder, suite, place, number))
            for suite in SUITES
            for place in range(number)
        ]
        page = folder / "report.html"
        write_report(runs, page)
        print(f"{number} models, {len(SUITES)} suites: {page.stat().st_size / 1e6:.1f} MB")
        measure(page)


def _made(folder: Path, name: str, place: int, number: int) -> Path:
    suite = find_suite(name)
    limit, settings = SUITES[name]
    rate = round((place + 1) / (number + 1), 2)
    models = {"model": [f"planted:{place}?rate={rate}"]}
    if name == "gramvis":
        models = {
            "drawer": [f"sketch:{place}?effect={rate / 2:.2f}"],
            "judges": [f"sketch-judge:{seed}?error=0.1" for seed in (1, 2, 3)],
        }
    order = RunConfig(
        suite=suite,
        protocol=choose_protocol(suite, "epicene", settings, None),
        models={role: [parse_spec(each) for each in specs] for role, specs in models.items()},
        limit=limit,
        out=folder / f"{name}-{place:02}",
    )
    made, _ = run(order, progress_display())
    return made


def measure(page: Path) -> None:
    """Open the report and say when its first screen is there and how tall each page is."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("EPICENE_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for _ in range(TIMES):
            tab = browser.new_page(viewport=SCREEN)  # type: ignore[arg-type]
            tab.goto(page.as_uri(), wait_until="load")
            loaded = tab.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
            first = tab.evaluate(
                "performance.getEntriesByName('first-contentful-paint')[0].startTime"
            )
            print(f"first screen after {first:.0f} ms, loaded after {loaded:.0f} ms")
            tab.close()
        tab = browser.new_page(viewport=SCREEN)  # type: ignore[arg-type]
        tab.goto(page.as_uri())
        for link in tab.locator(".page").evaluate_all("all => all.map((each) => `#${each.id}`)"):
            tab.goto("about:blank")
            tab.goto(page.as_uri() + link)
            height = tab.evaluate("document.documentElement.scrollHeight")
            print(f"{link}: {height} pixels, {height / SCREEN['height']:.2f} screens")
        browser.close()


main()
