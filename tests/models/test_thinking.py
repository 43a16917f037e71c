"""Thinking is taken out of an answer and counted."""

from __future__ import annotations

import pytest

from epicene.models.output_parsing import strip_thinking


@pytest.mark.parametrize(
    ("text", "shown", "count"),
    [
        ("She was late.", "She was late.", 0),
        (" she", " she", 0),
        ("<think>\nwho?\n</think>\n\nShe was.", "She was.", 4),
        ("<think>\n\n</think>\n\nShe was.", "She was.", 0),
        ("who was it?</think>She was.", "She was.", 11),
        ("<think>and then it was cut", "", 19),
        ("<think>a</think>She <think>bc</think>was.", "She was.", 3),
        ("a < b and <thinking>", "a < b and <thinking>", 0),
    ],
)
def test_without_thinking(text: str, shown: str, count: int) -> None:
    assert strip_thinking(text) == (shown, count)
