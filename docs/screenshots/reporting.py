"""The report of a few small runs of small models."""

from __future__ import annotations

import io
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from playwright.sync_api import Page, ViewportSize, expect

from epicene.models import parse_spec
from epicene.runs.config import RunConfig
from epicene.runs.run import run
from epicene.runs.stored_run import read_run
from epicene.show.run_report import write_report
from epicene.suites import choose_protocol, find_suite
from runs.conftest import Silent
from screenshots.camera import Camera, save, side_by_side


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
    Small("misgendering", {"model": ["smollm2"]}, 12, FEW),
    Small("misgendering", {"model": ["random"]}, 12, FEW),
    Small("alternations", {"model": ["smollm2"]}, 30),
    Small("alternations", {"model": ["random"]}, 30),
    Small("genform", {"model": ["rules"]}, 60),
    Small("genform", {"model": ["copy"]}, 60),
    Small("gramvis", SKETCHES, 2, {"size": "256"}),
)
SCREEN: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
PAPER: ViewportSize = {"width": 718, "height": 1040}  # the printed part of A4, in CSS pixels
MARGIN = 38  # of the paper, 10 mm

# Items of a suite, by the address of what is chosen.
ITEMS = {
    "report-items-pair": "alternations-items?model=smollm2&beside=random&language=hi&show=differ",
    "report-items-ar": "genform-items?model=copy&beside=rules&language=ar&show=differ",
    "report-items-hi": "genform-items?model=copy&beside=rules&language=hi&show=differ",
}


def take_the_report(camera: Camera, folder: Path) -> None:
    """The first screen, a suite, items, images; in the dark, on a phone, on paper."""
    if not camera.wants("report"):
        return
    runs = [read_run(_done(folder, each)) for each in RUNS]
    file = folder / "report.html"
    write_report(runs, file)
    with camera.page(width=SCREEN["width"], scale=1) as page:
        page.set_viewport_size(SCREEN)
        _open(page, file, "overview")
        camera.take_window("report-head", page)
        for name, address in ITEMS.items():
            _open(page, file, address)
            expect(page.locator(".page.on .row").first).to_be_visible()
            camera.take(name, page.locator(".page.on .item-viewer"))
        _open(page, file, "gramvis-images")
        camera.take("report-contact-sheet", page.locator(".contact"))
        _open(page, file, "misgendering")
        page.set_viewport_size({"width": SCREEN["width"], "height": 1500})
        camera.take_window("report-suite", page)
        page.emulate_media(color_scheme="dark")
        _open(page, file, "alternations-figures")
        page.set_viewport_size(SCREEN)
        camera.take_window("report-dark", page)
    with camera.page(width=PHONE["width"], scale=1) as page:
        page.set_viewport_size(PHONE)
        sights = []
        for address in ("overview", "misgendering-figures", "genform-items"):
            _open(page, file, address)
            page.wait_for_timeout(500)  # until the items are drawn
            sights.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
        if camera.wants("report-phone"):
            save("report-phone", side_by_side(sights, from_right=False))
    _take_print(camera, file)


def _take_print(camera: Camera, file: Path) -> None:
    """The first sheets of paper."""
    if not camera.wants("report-print"):
        return
    with camera.page(width=PAPER["width"], scale=1) as page:
        page.set_viewport_size(PAPER)
        _open(page, file, "overview")
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        whole = Image.open(io.BytesIO(page.screenshot(full_page=True))).convert("RGB")
    width, height = PAPER["width"], PAPER["height"]
    sheets = []
    for top in (0, height):
        sheet = Image.new("RGB", (width + 2 * MARGIN, height + 2 * MARGIN), "white")
        sheet.paste(whole.crop((0, top, width, top + height)), (MARGIN, MARGIN))
        sheets.append(sheet)
    save("report-print", side_by_side(sheets, from_right=False, across=2))


def _open(page: Page, file: Path, address: str) -> None:
    page.goto("about:blank")
    page.goto(f"{file.as_uri()}#{address}")


def _done(folder: Path, small: Small) -> Path:
    suite = find_suite(small.suite)
    order = RunConfig(
        suite=suite,
        protocol=choose_protocol(suite, "epicene", small.settings, None),
        models={role: [parse_spec(each) for each in specs] for role, specs in small.models.items()},
        limit=small.limit,
        under=folder / "runs",
    )
    made, _ = run(order, Silent())
    return made
