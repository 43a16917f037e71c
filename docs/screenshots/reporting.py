"""The report of a few small runs of models that need no download."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Page, expect

from epicene.models import parse_spec
from epicene.report.run_report import write_report
from epicene.runs.config import RunConfig
from epicene.runs.run import run
from epicene.runs.stored_run import read_run
from epicene.suites import choose_protocol, find_suite
from runs.conftest import Silent
from screenshots.camera import Camera


class Small(NamedTuple):
    """A run of a few items."""

    suite: str
    models: dict[str, list[str]]
    limit: int
    settings: dict[str, str] = {}


SKETCHES = {
    "drawer": ["sketch?effect=0.4"],
    "judges": [f"sketch-judge:{seed}?error=0.1" for seed in (1, 2, 3)],
}
FEW = {"samples": "1", "pronouns": "he,she,they,xe"}
RUNS = (
    Small("genform", {"model": ["rules"]}, 60),
    Small("genform", {"model": ["copy"]}, 60),
    Small("misgendering", {"model": ["ngram"]}, 12, FEW),
    Small("misgendering", {"model": ["random"]}, 12, FEW),
    Small("gramvis", SKETCHES, 2, {"size": "256"}),
)


class Scene(NamedTuple):
    """Items of a suite, in the order of the report, filtered; and which of them is open."""

    section: int
    filters: dict[str, str]
    row: int = 0


EVIDENCE = {
    "report-items-ar": Scene(0, {"language": "ar", "outcome": "wrong", "model": "copy"}, 2),
    "report-items-hi": Scene(0, {"language": "hi", "outcome": "wrong", "model": "copy"}, 1),
    "report-items-en": Scene(1, {"outcome": "wrong"}, 1),
}


def take_the_report(camera: Camera, folder: Path) -> None:
    """Its head, a table, items in three languages, a contact sheet."""
    if not camera.wants("report"):
        return
    runs = [read_run(_done(folder, each)) for each in RUNS]
    file = folder / "report.html"
    write_report(runs, file)
    with camera.page(width=1000, scale=1) as page:
        page.set_viewport_size({"width": 1000, "height": 1180})
        page.goto(file.as_uri())
        camera.take_window("report-head", page)
        camera.take("report-table", page.locator(".table:has(tr.published)").first)
        for name, scene in EVIDENCE.items():
            _take_items(camera, page, name, scene)
        page.locator(".contact").scroll_into_view_if_needed()
        camera.take("report-contact-sheet", page.locator(".sheet").first)


def _take_items(camera: Camera, page: Page, name: str, scene: Scene) -> None:
    viewer = page.locator(".item-viewer").nth(scene.section)
    viewer.scroll_into_view_if_needed()
    expect(viewer.locator(".row").first).to_be_visible()
    for facet, value in scene.filters.items():
        option = viewer.locator(f"select[name={facet}] option").filter(has_text=value).first
        viewer.locator(f"select[name={facet}]").select_option(option.get_attribute("value"))
    viewer.locator(".row").nth(scene.row).click()
    camera.take(name, viewer)


def _done(folder: Path, small: Small) -> Path:
    suite = find_suite(small.suite)
    order = RunConfig(
        suite=suite,
        protocol=choose_protocol(suite, "epicene", small.settings, None),
        models={role: [parse_spec(each) for each in specs] for role, specs in small.models.items()},
        limit=small.limit,
        under=folder / "runs",
        command="make screenshots",
    )
    made, _ = run(order, Silent())
    return made
