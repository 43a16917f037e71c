"""Long work shows itself: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import time

import pytest
from epicene.api import progress


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What time it is."""
    now = [0.0]
    monkeypatch.setattr("epicene.app.progress.time.monotonic", lambda: now[0])
    return now


def test_elsewhere_a_line_every_ten_seconds_and_after_a_minute_every_minute(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = progress.ProgressLines()
    lines.start("ask · model", 1000, 100)
    for _ in range(30):  # one answer every ten seconds, for five minutes
        clock[0] += 10
        lines.advance(1, 0)
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "ask · model: 100 of 1000"
    assert said[1] == "ask · model: 101 of 1000, 0.1/s, 150 min left"
    assert len(said) == 1 + 6 + 4
    lines.advance(870, 3)
    lines.finish()
    last = capsys.readouterr().err
    assert last.startswith("ask · model: 1000 of 1000")
    assert "3 failed" in last
    assert "left" not in last


def test_slow_models_are_counted_by_the_minute(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = progress.ProgressLines()
    lines.start("ask · model", 4, 0)
    for seconds in (30, 60):
        clock[0] += seconds
        lines.advance(seconds // 30, 0)
    said = capsys.readouterr().err.splitlines()
    assert said[1] == "ask · model: 1 of 4, 2/min, 2 min left"
    assert said[2] == "ask · model: 3 of 4, 2/min, less than 1 min left"


def test_lines_come_although_no_answer_does(
    clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model is being loaded, or its first batch takes long."""
    said: list[str] = []
    monkeypatch.setattr(progress, "_TICK", 0.01)
    monkeypatch.setattr(progress, "note", said.append)
    lines = progress.ProgressLines()
    for title, total, expected in (
        ("loading model", 0, "loading model: 12 s"),
        ("ask · model", 50, "ask · model: 0 of 50, 12 s"),
    ):
        lines.start(title, total, 0)
        clock[0] += 12
        patience = time.perf_counter() + 60
        while expected not in said:
            assert time.perf_counter() < patience, said
            time.sleep(0.01)
        lines.finish()
    before = list(said)
    clock[0] += 100
    time.sleep(0.1)
    assert said == before, "nothing is said after the end"


def test_on_a_terminal_a_bar_with_rate_and_time_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("epicene.app.progress.sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    bar = progress.progress_display()
    assert isinstance(bar, progress.ProgressBar)
    bar.start("ask · model", 10, 2)
    bar.advance(8, 1)
    bar.finish()
    shown = capsys.readouterr()
    assert "10/10" in shown.err
    assert "1 failed" in shown.err
    assert shown.out == ""
