"""Which option a key chooses, on keyboards of other layouts and other scripts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from epicene.studies.collection.folder import create_study_folder
from epicene.studies.collection.links import User
from epicene.studies.design.schema import ChoiceQuestion
from studies.web.browser_participant import is_scripted, served
from study_examples import stereotype

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


def press(page: Page, key: str, code: str) -> None:
    """A key as a keyboard of another layout sends it."""
    page.evaluate(
        "([key, code]) => document.body.dispatchEvent("
        "new KeyboardEvent('keydown', { key, code, bubbles: true, cancelable: true }))",
        [key, code],
    )


@pytest.mark.parametrize(
    ("key", "code", "chosen"),
    [
        ("a", "KeyA", "power"),
        ("a", "KeyQ", "power"),  # AZERTY
        ("q", "KeyA", "traits"),  # AZERTY
        ("A", "KeyQ", "power"),
        ("x", "KeyA", None),  # no option's sign, at the place of one
        ("u", "KeyF", None),  # Dvorak
        ("ش", "KeyA", "power"),  # Arabic
        ("ض", "KeyQ", "traits"),
        ("ो", "KeyA", "power"),  # Hindi
        ("ौ", "KeyQ", "traits"),
        ("&", "Digit1", "status"),  # AZERTY's digits
        ("١", "Digit1", "status"),
        ("2", "Digit1", None),
    ],
)
def test_a_key_is_taken_by_its_sign_unless_it_writes_another_script(
    key: str, code: str, chosen: str | None, opened: Callable[..., Page], tmp_path: Path
) -> None:
    study = stereotype()
    question = study.questions[1]
    assert isinstance(question, ChoiceQuestion)
    signs = {"power": "a", "traits": "q", "status": "1"}
    options = tuple(
        msgspec.structs.replace(option, key=signs[option.id]) for option in question.options
    )
    study = msgspec.structs.replace(
        study, questions=(msgspec.structs.replace(question, options=options),)
    )
    with served(create_study_folder(tmp_path / "study", study)) as site:
        page = opened()
        page.goto(site.link(User("person", "ann")))
        is_scripted(page)
        press(page, key, code)
        ticked = page.locator("input:checked").evaluate_all("(all) => all.map((one) => one.value)")
        assert ticked == ([] if chosen is None else [chosen])
