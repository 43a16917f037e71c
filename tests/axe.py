"""Check a page in the browser against WCAG 2.1 AA with axe-core."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]


def violations(tab: Page) -> list[str]:
    """What is wrong with the page as it is shown now, and where."""
    tab.evaluate((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    found = tab.evaluate(
        "rules => axe.run({ runOnly: rules, resultTypes: ['violations'] })", _RULES
    )
    return [
        f"{each['id']}: {node['html'][:200]} {node['failureSummary'][:300]}"
        for each in found["violations"]
        for node in each["nodes"]
    ]
