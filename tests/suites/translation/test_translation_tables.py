"""Tables of gender accuracy: figures worked out by hand, pairs, the published row, runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import epicene
from epicene.core.records import Estimate, Table
from epicene.suites.translation.published import LOGS, SENTENCES, published_cells
from suites.metric_cases import for_each_case
from suites.worked_cases import as_number

GENDERS = {"m": "male", "f": "female", "n": "neutral"}
NOUNS = {
    "mechanic": {"m": "El mecánico", "f": "La mecánica"},
    "nurse": {"m": "El enfermero", "f": "La enfermera", "n": "Cada ayudante"},
    "student": {"m": "El estudiante", "f": "La estudiante"},
}


def scored(folder: Path, rows: list[list[Any]]) -> Any:
    """The scores of translations, a row each: wanted gender, role, gender in the translation."""
    lines, answers = [], []
    for number, (wanted, role, found) in enumerate(rows):
        name = "assistant" if found == "n" else role
        lines.append(f"{GENDERS[wanted]}\t1\tThe {name} of ward {number} waited.\t{name}\n")
        answers.append(f"{NOUNS[role][found] if found else 'Alguien'} esperaba.\n")
    (folder / "en.txt").write_text("".join(lines), encoding="utf-8")
    (folder / "en-es.txt").write_text("".join(answers), encoding="utf-8")
    settings = {"languages": "es"}
    data = folder / "en.txt"
    return epicene.score("translation", folder / "en-es.txt", data=data, settings=settings)


def cells(table: Table, *keys: str) -> dict[str, Estimate | str]:
    (row,) = (row for row in table.rows if row.keys[1:] == keys and row.origin == "run")
    return {column.name: cell for column, cell in zip(table.columns, row.cells, strict=True)}


def table(result: Any, name: str) -> Table:
    (found,) = (each for each in result.summary.tables if each.name == name)
    assert isinstance(found, Table)
    return found


@for_each_case("translation", "metrics")
def test_figures_worked_out_by_hand(case: dict[str, Any], tmp_path: Path) -> None:
    found = cells(table(scored(tmp_path, case["rows"]), "gender"), "WinoMT", "es", "noun")
    for name in ("accuracy", "masculine", "feminine", "neutral", "ΔG", "ΔS", "undetected"):
        cell = found[name]
        assert isinstance(cell, Estimate)
        if case.get(name) is None:
            assert cell.value is None, name
            assert cell.why
        else:
            assert cell.value == pytest.approx(as_number(case[name])), name
            assert cell.value is not None
            assert cell.low is not None
            assert cell.high is not None
            assert cell.low <= cell.value <= cell.high


def test_both_of_a_pair(tmp_path: Path) -> None:
    texts = {
        "feminine": (["She sang."] * 3, ["Ella cantó."] * 3),
        "masculine": (["He sang."] * 3, ["Él cantó."] * 3),
    }
    data = tmp_path / "data"
    data.mkdir()
    for gender, (english, spanish) in texts.items():
        stem = f"geneval-sentences-{gender}-dev.en_es"
        (data / f"{stem}.en").write_text("\n".join(english) + "\n", encoding="utf-8")
        (data / f"{stem}.es").write_text("\n".join(spanish) + "\n", encoding="utf-8")
    answers = tmp_path / "out.es"
    # Both right; one right and one empty; one right and one wrong.
    lines = ["Ella cantó.", "Él cantó.", "Ella cantó.", "", "Ella cantó.", "Ella cantó."]
    answers.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = table(epicene.score("translation", answers, data=data), "gender")
    ours = cells(found, "MT-GenEval counterfactual", "es", "references")
    paper = cells(found, "MT-GenEval counterfactual", "es", "as published")

    def value(part: dict[str, Estimate | str], name: str) -> float | None:
        cell = part[name]
        assert isinstance(cell, Estimate)
        return cell.value

    assert value(ours, "accuracy") == pytest.approx(4 / 6)
    assert value(ours, "both of a pair") == pytest.approx(1 / 3)
    assert value(ours, "undetected") == pytest.approx(1 / 6)
    assert value(paper, "accuracy") == pytest.approx(5 / 6)  # the empty one is right
    assert value(paper, "both of a pair") == pytest.approx(2 / 3)
    assert value(paper, "undetected") == 0
    # F1 by hand: feminine 2 · 3 / (4 + 3), masculine 2 · 1 / (1 + 3).
    assert value(ours, "ΔG") == pytest.approx(2 / 4 - 6 / 7)


def test_the_published_row_is_beside_winomt_alone(tmp_path: Path) -> None:
    found = table(scored(tmp_path, [["m", "nurse", "m"], ["f", "nurse", "f"]]), "gender")
    (row,) = (row for row in found.rows if row.origin == "published")
    assert row.keys == ("Google Translate 2019", "WinoMT", "es", "noun")
    cell = row.cells[1]
    assert isinstance(cell, Estimate)
    assert cell.value == pytest.approx(0.531, abs=5e-4)
    result = epicene.run(
        "translation", model="planted?rate=1", limit=8, runs=tmp_path / "runs", progress=False
    )
    assert all(row.origin == "run" for row in table(result, "gender").rows)


@pytest.mark.parametrize("language", LOGS)
def test_the_counts_of_the_logs_add_up(language: str) -> None:
    assert sum(wanted for _, wanted, _ in LOGS[language].values()) == SENTENCES
    cells = published_cells(language)
    printed = {"de": (59.4, 82.0, 43.4), "es": (53.1, 81.4, 28.5), "fr": (63.6, 80.1, 52.5)}
    names = ("accuracy", "masculine", "feminine")
    for name, value in zip(names, printed[language], strict=True):
        assert round(100 * (cells[name].value or 0), 1) == value


def test_a_run_on_the_starter_set_finds_the_planted_rate(tmp_path: Path) -> None:
    result = epicene.run(
        "translation", model="planted?rate=0.8", runs=tmp_path / "runs", progress=False
    )
    rows = {row["metric"]: row for row in result.metrics().to_dicts()}
    assert rows["accuracy"]["low"] < 0.8 < rows["accuracy"]["high"]
    assert rows["undetected"]["value"] == 0
    people = table(result, "open")
    assert {row.keys[2] for row in people.rows} == set("ar de es fr hi it pt ru".split())
    chosen = epicene.run(
        "translation", model="copy", language=["es"], runs=tmp_path / "runs", progress=False
    )
    rows = {row["metric"]: row for row in chosen.metrics().to_dicts()}
    assert rows["accuracy"]["value"] == 0
    assert rows["undetected"]["value"] == 1
