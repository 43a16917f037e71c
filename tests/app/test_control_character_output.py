"""Control characters in data are read as they are, reported, and shown so that they do no harm."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.conftest import Epicene

SIGNS = {"NUL": "\0", "ESC": "\x1b[31m", "no character": "\uffff", "separator": "\u2028"}


def write_pairs(path: Path, sign: str) -> None:
    rows = [
        {"id": str(n), "good": f"She sings {n}.", "bad": f"She sing {n}.", "phenomenon": rule}
        for n, rule in enumerate(["agreement", f"a{sign}b"] * 6)
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


@pytest.mark.parametrize("sign", SIGNS.values(), ids=SIGNS)
def test_a_report_shows_them(epicene: Epicene, sign: str) -> None:
    write_pairs(Path("pairs.jsonl"), sign)
    run = epicene("run", "alternations", "--data=pairs.jsonl", "-m", "random", "--out=run")
    assert run.code == 0, run.err
    report = epicene("report", "run")
    assert report.code == 0, report.err
    page = Path("report.html").read_text(encoding="utf-8")
    assert f"a\\u{ord(sign[0]):04x}" in page
    assert sign[0] not in page
    export = epicene("export", "results", "run", "--out=made")
    assert export.code == 0, export.err


@pytest.mark.parametrize("sign", SIGNS.values(), ids=SIGNS)
def test_a_check_names_the_line_and_the_column(epicene: Epicene, sign: str) -> None:
    write_pairs(Path("pairs.jsonl"), sign)
    shown = f"a\\u{ord(sign[0]):04x}{sign[1:]}b"
    done = epicene("data", "check", "alternations", "--data=pairs.jsonl")
    assert done.code == 0
    message = f"warning: pairs.jsonl, line 2: The column phenomenon has control characters: {shown}"
    assert message in done.out.splitlines()
    assert sign[0] not in epicene("data", "show", "alternations", "--data=pairs.jsonl").out


def test_of_many_the_first_are_listed(epicene: Epicene) -> None:
    rows = (f'{{"id": "{n}", "good": "She\\u0000 {n}", "bad": "He {n}"}}\n' for n in range(50))
    Path("pairs.jsonl").write_text("".join(rows), encoding="utf-8")
    done = epicene("data", "check", "alternations", "--data=pairs.jsonl")
    found = [line for line in done.out.splitlines() if "control characters" in line]
    assert len(found) == 21
    assert found[-1] == "warning: pairs.jsonl: 30 more rows have control characters."


@pytest.mark.parametrize("suite", ["alternations", "misgendering", "genform", "apgc", "gramvis"])
def test_our_own_data_have_none(epicene: Epicene, suite: str) -> None:
    assert "control characters" not in epicene("data", "check", suite).out


@pytest.mark.parametrize("sign", SIGNS.values(), ids=SIGNS)
def test_a_figure_has_labels_with_them(epicene: Epicene, sign: str) -> None:
    """The program that draws figures ended at the first, without a word."""
    rows = (
        {"id": str(n), "language": "fr", "masculine": f"Il {n}.", "feminine": f"Elle {n}."}
        | {"rule": ["agreement", f"a{sign}b"][n % 2]}
        for n in range(12)
    )
    Path("pairs.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    run = epicene("run", "genform", "--data=pairs.jsonl", "-m", "copy", "--out=run")
    assert run.code == 0, run.err
    report = epicene("report", "run")
    assert report.code == 0, report.err
    assert sign[0] not in Path("report.html").read_text(encoding="utf-8")
