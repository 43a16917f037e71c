"""What would act on a terminal or a page is shown; what languages are spelt with stays."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.core.control_characters import escape_controls


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\u001b[31mred"),
        ("\x1b]0;title\x07", "\\u001b]0;title\\u0007"),
        ("\x9b2J\x00\x7f\r", "\\u009b2J\\u0000\\u007f\\u000d"),
        ("\u202egnp.exe\u2066x\u2069", "\\u202egnp.exe\\u2066x\\u2069"),
        ("a\u2028b\uffff\ufdd0", "a\\u2028b\\uffff\\ufdd0"),
        ("\ud800", "\\ud800"),
    ],
)
def test_what_acts_on_a_terminal_is_shown(text: str, shown: str) -> None:
    assert escape_controls(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "जाती हूँ\n",
        "क\u200dष क\u200cष",
        "نمی\u200cدانم",
        "هي\u200f!\u200e \u061c",
        "🤷🏽\u200d♀️",
        "é\t",
        "\ufeffx",
    ],
)
def test_what_languages_are_spelt_with_stays(text: str) -> None:
    assert escape_controls(text) == text


@given(st.text())
def test_escaping_a_json_document_does_not_change_what_it_says(text: str) -> None:
    document = json.dumps({"text": text}, ensure_ascii=False)
    assert json.loads(escape_controls(document)) == {"text": text}
