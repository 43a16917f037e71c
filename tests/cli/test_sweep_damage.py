"""A sweep whose disk is full, or one of whose runs is damaged, still says all that it can."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Epicene
from epicene.core.errors import RunError
from epicene.core.files import write_atomically
from sweep_plans import plan

FULL = "No space left on device"


def damage(folder: Path, table: str) -> None:
    """Overwrite the root page of a table."""
    path = folder / "answers.sqlite"
    with sqlite3.connect(path) as db:
        (root,) = db.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)
        ).fetchone()
        (size,) = db.execute("PRAGMA page_size").fetchone()
    db.close()
    data = bytearray(path.read_bytes())
    data[(root - 1) * size : root * size] = b"\xff" * size
    path.write_bytes(data)


@pytest.mark.parametrize("table", ["items", "answers"])
def test_a_damaged_run_fails_and_the_others_are_reported(epicene: Epicene, table: str) -> None:
    Path("plan.toml").write_text(plan("scripted:a", "scripted:b", "scripted:c"))
    assert epicene("sweep", "plan.toml").code == 0
    whole = json.loads(Path("plan/sweep.json").read_bytes())["runs"]
    damage(Path(whole[1]["folder"]), table)

    done = epicene("sweep", "plan.toml", "--json")
    assert done.code == 1
    assert [run["state"] for run in done.json["runs"]] == ["complete", "failed", "complete"]
    assert "is damaged" in done.json["runs"][1]["why"]
    assert [run["answered"] for run in done.json["runs"]] == [
        whole[0]["answered"], 0, whole[2]["answered"],
    ]  # fmt: skip
    assert done.json == json.loads(Path("plan/sweep.json").read_bytes())
    assert done.json["report"] == "plan/report.html"
    assert "Incomplete: two-stage · epicene · scripted:b (failed). The database" in done.err
    page = Path("plan/report.html").read_text(encoding="utf-8")
    assert "scripted-a" in page
    assert "scripted-c" in page
    assert "failed: The database" in page, "what is not measured stands in the report"


def test_where_all_are_damaged_there_is_a_table_and_no_report(epicene: Epicene) -> None:
    Path("plan.toml").write_text(plan())
    assert epicene("sweep", "plan.toml").code == 0
    for folder in Path("plan/runs").iterdir():
        damage(folder, "items")
    done = epicene("sweep", "plan.toml")
    assert done.code == 1
    assert done.out.count("failed") >= 2
    assert json.loads(Path("plan/sweep.json").read_bytes())["report"] == ""


# --- a full disk -------------------------------------------------------------------------------


def full_after(times: int) -> Callable[[Path, bytes], None]:
    """Writes so many times, and never again."""
    left = iter(range(times))

    def write(path: Path, data: bytes) -> None:
        if next(left, None) is None:
            raise RunError(f"Could not write {path}: {FULL}.")
        write_atomically(path, data)

    return write


@pytest.mark.parametrize(
    ("written", "states"),
    [
        (0, ["open", "open"]),
        (1, ["complete", "open"]),
        (2, ["complete", "complete"]),
    ],
)
@pytest.mark.parametrize("as_json", [True, False])
def test_how_far_it_came_is_shown_where_it_cannot_be_written(
    epicene: Epicene,
    monkeypatch: pytest.MonkeyPatch,
    written: int,
    states: list[str],
    as_json: bool,
) -> None:
    Path("plan.toml").write_text(plan())
    with monkeypatch.context() as patch:
        patch.setattr("epicene.runs.sweep.runner.write_atomically", full_after(written))
        done = epicene("sweep", "plan.toml", *["--json"] * as_json)
    assert done.code == 1
    assert done.err.strip().splitlines()[-1] == f"Could not write plan/sweep.json: {FULL}."
    assert "No report was written" not in done.err
    if as_json:
        assert [run["state"] for run in done.json["runs"]] == states
    else:
        assert done.out.count("complete") == states.count("complete")
        assert done.out.count(" open ") == states.count("open")
    assert epicene("sweep", "plan.toml").code == 0, "with room again it resumes"


def test_a_report_that_cannot_be_written_leaves_the_table(
    epicene: Epicene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("epicene.show.run_report.write_atomically", full_after(0))
    Path("plan.toml").write_text(plan())
    done = epicene("sweep", "plan.toml")
    assert done.code == 1
    assert done.out.count("complete") == 2
    assert done.err.strip().endswith(f"Could not write plan/report.html: {FULL}.")


def test_stopped_by_hand_on_a_full_disk_it_is_the_hand_that_is_said(
    epicene: Epicene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("epicene.runs.sweep.runner.write_atomically", full_after(1))
    monkeypatch.setattr("epicene.runs.sweep.runner.run", stopped)
    Path("plan.toml").write_text(plan())
    done = epicene("sweep", "plan.toml")
    assert done.code == 1
    assert "Stopped." in done.err
    assert FULL not in done.err
