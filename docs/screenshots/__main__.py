"""The pictures of docs/images: the pages for people and the report, in a real Chromium.

    make screenshots      (or: PYTHONPATH=tests:docs python -m screenshots [NAME …])

Studies are those that the suites make of their starter data, runs those of models that need no
download. A NAME makes only the pictures that begin with it. Fonts for Arabic, Devanagari and
Chinese must be there.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

from screenshots.camera import Camera
from screenshots.recruiting import take_the_way_through
from screenshots.reporting import take_the_report
from screenshots.studies import take_items, take_owner

SCENES = (take_the_way_through, take_items, take_owner, take_the_report)


def main() -> None:
    """Take all pictures, or those named."""
    chromium = os.environ.get("EPICENE_CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        raise SystemExit("Pictures want Chromium: install it, or name it in EPICENE_CHROMIUM.")
    with sync_playwright() as playwright, TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        camera = Camera(browser, sys.argv[1:])
        for scene in SCENES:
            scene(camera, Path(folder))
        browser.close()


main()
