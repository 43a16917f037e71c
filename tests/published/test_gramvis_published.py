"""Every number that GRAMVIS prints, from its published counts: 1,687 without the SE column.

`gramvis_printed.json` holds the figures as printed, stars apart. All but seven follow from the
counts; those seven are listed here and must differ exactly as they do.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from epicene.core.records import Judgement
from epicene.show.table_formats import tables_json
from epicene.suites import Answers, DataSource
from epicene.suites.gramvis import suite
from epicene.suites.gramvis.data import is_published_counts, read, read_counts
from epicene.suites.gramvis.items import LabelCounts
from epicene.suites.gramvis.metrics import all_metrics
from epicene.suites.gramvis.protocol import PROTOCOLS
from epicene.suites.gramvis.tables import tables
from runs.frames import results_of

pytestmark = pytest.mark.published(
    "the counts of GRAMVIS in gramvis/ClassifiedData_rows.csv",
    "the repository on the card of the suite gramvis",
)

PRINTED = json.loads((Path(__file__).parent / "gramvis_printed.json").read_text("utf-8"))

# Printed, and what the counts give.
DIFFERENT = {
    ("3", "RU ideogram M", "gendered_m"): ("0.58", "0.57"),  # 0.575 exactly
    ("3", "IT flux F", "gendered_f"): ("0.11", "0.10"),
    ("3", "DE dalle3 M", "gendered_m_stars"): ("**", "***"),
    ("3", "IT flux F", "gendered_f_stars"): ("*", ""),
    ("13", "IT flux F", "gendered_f_stars"): ("*", ""),
    ("13", "IT dalle3 F", "gendered_f_stars"): ("*", ""),
    ("11", "RU ideogram M", "rep"): (".58", ".57"),
}


class Printed(NamedTuple):
    table: str
    row: str
    column: str
    text: str

    @property
    def key(self) -> tuple[str, str, str]:
        return self.table, self.row, self.column


def printed() -> list[Printed]:
    return [
        Printed(name, row, column, text)
        for name, table in PRINTED.items()
        for row, texts in table["rows"].items()
        for column, text in zip(table["columns"], texts, strict=True)
        if text is not None and column != "se"
    ]


def judgements(path: Path) -> list[Judgement]:
    protocol = PROTOCOLS["paper"]
    items = read(DataSource(path=path), protocol).items
    return [made for item in items for made in suite.judge(item, Answers(), protocol)]


@cache
def made(path: Path) -> dict[str, Any]:
    return tables_json(tables(results_of(judgements(path), PROTOCOLS["paper"])))


def shown(cell: dict[str, Any], as_printed: Printed) -> str:
    """A number in the form in which the paper prints it."""
    if as_printed.column.endswith("_stars"):
        return str(cell.get("mark", ""))
    value, text = cell["value"], as_printed.text
    if as_printed.column.endswith("_p") and value < 0.001:
        return "<.001"
    decimals = len(match[1]) if (match := re.search(r"\.(\d+)", text)) else 0
    if text.endswith("%") and as_printed.column.endswith("significant"):
        value *= 100
    sign = "+" if re.search("effect|minus", as_printed.column) else ""
    number = f"{value:{sign}.{decimals}f}" + text.lstrip("+-<.0123456789")
    return re.sub(r"^([+-]?)0\.", r"\1.", number) if re.match(r"[+-]?\.", text) else number


@pytest.fixture
def counts(published_data: Path) -> Path:
    return published_data / "gramvis" / "ClassifiedData_rows.csv"


def test_every_printed_number_but_seven_follows_from_the_counts(counts: Path) -> None:
    document = made(counts)
    differ = {}
    for each in printed():
        language, model, grammar = each.row.split()
        ours = shown(document[each.table][language][model][grammar][each.column], each)
        if ours != each.text:
            differ[each.key] = (each.text, ours)
    assert len(printed()) == 1687
    assert differ == DIFFERENT


@pytest.mark.parametrize(("way", "low", "high"), [("M", 0.0147, 0.0245), ("F", 0.0130, 0.0200)])
def test_our_standard_error_is_clustered_by_word(
    counts: Path, way: str, low: float, high: float
) -> None:
    """Larger than if the models' images of one word were apart, and smaller than thrice that."""
    assert low < made(counts)["11"]["aggregate"]["all"][way]["se"]["value"] < high


def test_the_file_is_known_and_holds_what_the_paper_says(counts: Path) -> None:
    assert is_published_counts(counts)
    items = read_counts(counts)
    assert len(items) == 1800
    assert sum(item.male + item.female + item.neither for item in items) == 28_752
    assert not any(item.error for item in items)
    assert total(items, "english") == (4432, 5132, 33)
    assert total(items, "chinese") == (5508, 3843, 230)
    assert total(items, "gendered") == (6110, 2984, 480)


def total(items: list[LabelCounts], condition: str) -> tuple[int, int, int]:
    chosen = [item for item in items if item.condition == condition]
    return (
        sum(item.male for item in chosen),
        sum(item.female for item in chosen),
        sum(item.neither for item in chosen),
    )


# Statements of the running text: what is printed, and what the counts give.
def test_the_running_text(counts: Path) -> None:
    found = made(counts)
    effects = found["14"]
    every = found["11"]["aggregate"]["all"]
    assert round(100 * every["M"]["english_effect"]["value"], 1) == 51.0
    assert round(100 * every["F"]["english_effect"]["value"], 1) == 3.0
    assert round(100 * every["F"]["chinese_effect"]["value"], 1) == 17.6  # printed 18.0
    masculine = {
        (code, model): effects[code][model]["M"]["gendered_minus_english_m"]["value"]
        for code in effects
        for model in effects[code]
    }
    feminine = effects["RU"]["flux"]["F"], effects["IT"]["flux"]["F"]
    assert round(min(masculine.values()), 1) == 20.2  # printed 13.0
    assert round(max(masculine.values()), 1) == 75.5
    assert round(masculine["DE", "ideogram"], 1) == 70.2  # printed range ends at 60.7
    assert [round(row["gendered_minus_english_f"]["value"], 1) for row in feminine] == [-8.7, -9.7]
    assert round(effects["DE"]["dalle3"]["F"]["gendered_minus_chinese_f"]["value"], 1) == 3.6


def test_one_rule_has_intervals_and_stays_near(counts: Path) -> None:

    protocol = PROTOCOLS["epicene"]
    items = read(DataSource(path=counts), protocol).items
    results = results_of(
        (each for item in items for each in suite.judge(item, Answers(), protocol)), protocol
    )
    found = all_metrics(results)
    masculine, feminine = found["english_effect_M"], found["english_effect_F"]
    assert masculine.value == pytest.approx(0.5117, abs=5e-4)
    assert (masculine.low or 0) > 0.4
    assert (feminine.low or 0) < 0 < (feminine.high or 0)
