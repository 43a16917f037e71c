"""When benchmarks/harness.py says that the harness and Epicene agree on a document."""

from __future__ import annotations

import pytest

from harness import Verdict


@pytest.mark.parametrize(
    ("ours", "acc", "tied", "same"),
    [
        ("right", 1.0, 0.0, True),
        ("right", 0.0, 0.0, False),
        ("wrong", 0.0, 0.0, True),
        ("wrong", 1.0, 0.0, False),
        # Of a tie the first text is Epicene's choice in one suite, in others it has none.
        ("right", 0.5, 1.0, True),
        ("wrong", 0.5, 1.0, True),
        ("wrong", 0.0, 1.0, True),
        ("right", 0.0, 1.0, False),
        ("undetected", 0.5, 1.0, True),
        ("undetected", 0.0, 0.0, False),
        ("undetected", 1.0, 0.0, False),
    ],
)
def test_choices(ours: str, acc: float, tied: float, same: bool) -> None:
    assert Verdict("x", ours, {"acc": acc, "tied": tied}).same is same


def test_texts() -> None:
    found = {"right": 0.0, "wrong": 1.0, "undetected": 0.0}
    assert [Verdict("x", ours, found).same for ours in ("right", "wrong", "undetected")] == [
        False, True, False,
    ]  # fmt: skip
