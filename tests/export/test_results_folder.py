"""What leaves the house of runs: every table with what qualifies its numbers."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jsonschema
import pytest
from markdown_it import MarkdownIt

from epicene.export.results_folder import write_results
from epicene.show.table_formats import escape_markdown
from export.reflexives_runs import measured

HOSTILE = "=we_ird & <b>50%</b> |*x*"
SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "reference" / "results.schema.json").read_text(
        encoding="utf-8"
    )
)


def exported(under: Path, *specs: str) -> Path:
    """The folder of an export of runs by these models."""
    write_results([measured(spec, under / "runs") for spec in specs], under / "out")
    return under / "out"


def part(folder: Path) -> Path:
    return folder / "reflexives-epicene"


def lines(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that is right of half the items and lacks the others, and one that is wrong."""
    under = tmp_path_factory.mktemp("two")
    return exported(under, f"gaps?label={quote(HOSTILE)}", "wrong")


JUDGED = "12 of 24 items are judged"


def test_every_table_says_protocol_coverage_and_undetected(two: Path) -> None:
    tables = sorted((part(two) / "tables").glob("*.*"))
    assert len(tables) == 3 * 6
    for path in tables:
        if path.suffix == ".csv":
            continue
        # In LaTeX these are comments.
        shown = escape_markdown if path.suffix == ".md" else str
        found = text(path)
        for said in (
            "Reflexives, protocol epicene · normalisers: none · first token: bos",
            f"Incomplete: {HOSTILE}: {JUDGED}",
        ):
            assert shown(said) in found, (path.name, said)
        if path.stem == "changes":  # it has columns about that
            assert found.count("undetected, ") == 2
        else:
            assert shown("wrong 66.7 % of 72") in found, path.name


def test_in_csv_it_is_columns_of_the_row_s_run(two: Path) -> None:
    for path in (part(two) / "tables").glob("*.csv"):
        for line in lines(path):
            assert line["run protocol"] == "epicene"
            assert line["run suite"] == "reflexives"
            assert "first token: bos" in line["run method"]
    mine, other = lines(part(two) / "tables" / "formats.csv")
    assert (mine["model"], other["model"]) == (f"'{HOSTILE}", "wrong")
    assert [mine[f"run {name}"] for name in ("items", "judged", "requests", "answered")] == [
        *("24", "12", "48", "36"),
    ]
    assert [other[f"run {name}"] for name in ("items", "judged")] == ["24", "24"]
    assert float(other["run undetected"]) == pytest.approx(2 / 3)
    assert float(mine["run undetected"]) == 0


def test_headlines_have_a_line_for_each_run(two: Path) -> None:
    found = lines(part(two) / "tables" / "headlines.csv")
    assert [line["run judged"] for line in found] == ["12", "24"]
    assert found[1]["right"] == "0.0"
    assert "| model |" in text(part(two) / "tables" / "headlines.md")


def test_a_line_about_two_runs_counts_both(two: Path) -> None:
    (line,) = lines(part(two) / "tables" / "changes.csv")
    assert (line["first"], line["second"]) == (f"'{HOSTILE}", "wrong")
    assert (line["run items"], line["run judged"]) == ("48", "36")
    assert float(line["run undetected"]) == pytest.approx(48 / (36 + 72))


def test_results_have_headlines_profile_places_and_changes(two: Path) -> None:
    found = json.loads(text(part(two) / "results.json"))
    jsonschema.validate(found, SCHEMA)
    assert list(found["tables"]) == [
        *("headlines", "profile", "places by right", "changes", "accuracy", "formats"),
    ]
    places = found["tables"]["places by right"]
    assert places[HOSTILE]["place"]["value"] == "1 of 2"
    assert places["wrong"]["better than"]["value"] == "none"
    change = found["tables"]["changes"]["right"][HOSTILE]["wrong"]
    assert change["p (Holm)"]["value"] < 0.01
    assert found["tables"]["headlines"]["wrong"]["right"]["value"] == 0


def test_what_is_not_ranked_says_why(tmp_path: Path) -> None:
    runs = [measured("right", tmp_path), measured("wrong", tmp_path, samples="3")]
    write_results(runs, tmp_path / "out")
    found = json.loads(text(part(tmp_path / "out") / "results.json"))
    jsonschema.validate(found, SCHEMA)
    assert not {"places by right", "changes"} & found["tables"].keys()
    assert found["notes"] == [
        "These runs differ in settings (samples), so their models are neither ranked nor compared."
    ]
    assert found["notes"][0] in text(tmp_path / "out" / "README.md")


def test_labels_are_unlike_across_suites_and_protocols(tmp_path: Path) -> None:
    runs = [measured("right", tmp_path, protocol) for protocol in ("paper", "epicene")]
    write_results(runs, tmp_path / "out")
    tex = [text(path) for path in (tmp_path / "out").rglob("*.tex")]
    labels = [line.strip() for each in tex for line in each.splitlines() if r"\label{" in line]
    assert len(set(labels)) == len(labels) == len(tex) == 2 * 4
    assert r"\label{tab:reflexives-paper-accuracy}" in labels


# --- the card ------------------------------------------------------------------------------


def test_a_label_is_shown_as_it_is_wherever_it_stands(two: Path) -> None:
    card = text(two / "README.md")
    tokens: list[Any] = MarkdownIt("commonmark").enable("table").parse(card)
    inline = [token for token in tokens if token.type == "inline"]
    kinds = {child.type for token in inline for child in token.children or ()}
    assert "html_inline" not in kinds
    assert not {"html_block"} & {token.type for token in tokens}

    def plain(token: Any) -> str:
        return "".join(child.content for child in token.children or ())

    shown = [plain(token) for token in inline if "50%" in plain(token)]
    assert [each for each in shown if HOSTILE not in each] == []
    assert any(each.startswith(HOSTILE) and JUDGED in each for each in shown)
    assert f"{HOSTILE}, wrong: grammatical gender and agreement" in shown
    assert f"{HOSTILE} (model)" in shown
