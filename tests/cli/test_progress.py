"""Long work shows itself: a bar on a terminal, a line a minute elsewhere."""

from __future__ import annotations

import pytest

from epicene.cli import progress


def test_elsewhere_a_line_a_minute(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr("epicene.cli.progress.time.monotonic", lambda: now[0])
    lines = progress.ProgressLines()
    lines.start("ask · model", 1000, 100)
    for _ in range(30):  # one answer every ten seconds, for five minutes
        now[0] += 10
        lines.advance(1, 0)
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 5
    assert said[0] == "ask · model: 106 of 1000, 0.1/s, 149 min left"
    lines.advance(870, 3)
    lines.finish()
    last = capsys.readouterr().err
    assert last.startswith("ask · model: 1000 of 1000")
    assert "3 failed" in last


def test_on_a_terminal_a_bar_with_rate_and_time_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("epicene.cli.progress.sys.stderr.isatty", lambda: True)
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
