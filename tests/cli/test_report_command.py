"""`epicene report` writes one page that a browser opens without a complaint."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cli.conftest import Epicene

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.mark.browser
def test_a_report_of_two_runs(epicene: Epicene, chromium: Browser) -> None:
    for seed in (1, 2):
        command = ("run", "reflexives", f"--model=random:{seed}?label=model-{seed}")
        assert epicene(*command, f"--out=run-{seed}").code == 0
    done = epicene("report", "run-1", "run-2", "-o", "deep/report.html")
    assert done.code == 0, done.err
    assert "deep/report.html" in done.err
    page = chromium.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(Path("deep/report.html").absolute().as_uri())
    text = page.inner_text("body")
    for shown in ("Reflexives", "model-1", "model-2", "Right reflexive", "Protocol epicene"):
        assert shown in text
    assert page.locator("svg").count() >= 1
    assert not complaints
    page.close()
