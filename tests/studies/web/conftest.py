"""Fixtures of the tests of the web app."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from studies.web.page_visitors import ServedStudy, served
from study_examples import misgendering

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture
def site(tmp_path: Path) -> Iterator[ServedStudy]:
    """A small study that is being served in this process."""
    with served(misgendering(), tmp_path / "s") as site:
        yield site


@pytest.fixture
def opened(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """Opens a page in a window of its own, and holds it to silence: no error of any kind."""
    contexts = []
    troubles: list[str] = []

    def open_page(**settings: object) -> Page:
        context = chromium.new_context(**{"locale": "en", **settings})  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert troubles == []
