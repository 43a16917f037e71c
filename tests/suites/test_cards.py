"""Every suite's card keeps its word: what it names comes out, and not empty.

Each suite is run twice, by two `random` models in every role, on a part of its starter set; each
table and figure that its card names must come out as JSON, HTML and SVG. A new suite is walked
without a change here.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from epicene import registry
from epicene.languages import get
from epicene.models import parse_spec
from epicene.report.figures import svg
from epicene.report.page import table_html
from epicene.report.plain import as_json, tables_csv, tables_latex, tables_markdown
from epicene.report.terminal import rich_table
from epicene.runs.results import read_run
from epicene.runs.run import Order, run
from epicene.runs.summary import Summary, summarise
from epicene.suites import choose_protocol, find_suite
from runs.conftest import Silent

SHIPPED = sorted(registry.names("suites"))
LIMIT = 110  # enough for an agreement of some pronouns to be defined


@pytest.fixture(scope="module", params=SHIPPED)
def walked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Summary:
    """A suite, run by two models."""
    suite = find_suite(request.param)
    under = tmp_path_factory.mktemp(suite.name)
    folders = []
    for seed in (1, 2):
        order = Order(
            suite=suite,
            protocol=choose_protocol(suite, "epicene", {}, None),
            models={
                role.name: [parse_spec(f"random:{seed}?label=model-{seed}")] for role in suite.roles
            },
            limit=LIMIT,
            under=under,
        )
        folder, manifest = run(order, Silent())
        assert manifest.state == "complete"
        folders.append(folder)
    return summarise([read_run(folder) for folder in folders])


def numbers(branch: Any) -> list[Any]:
    """All values in a table's JSON."""
    if not isinstance(branch, dict):
        return []
    if "value" in branch:
        return [branch["value"]]
    return [value for each in branch.values() for value in numbers(each)]


def test_every_table_on_the_card_comes_out(walked: Summary) -> None:
    made = {table.name: table for table in walked.tables}
    assert set(walked.suite.card.tables) == set(made)
    for table in made.values():
        assert numbers(as_json(table)), table.name
        ours = [cell for row in table.rows if row.origin == "run" for cell in row.cells]
        assert any(isinstance(cell, str) or cell.value is not None for cell in ours), table.name
        html = table_html(table)
        Console(file=io.StringIO()).print(rich_table(table))
        assert html.count("<tr") > len(table.rows)
        assert table.title in html.replace("&#39;", "'")


def test_the_tables_come_out_in_every_form(walked: Summary) -> None:
    for write in (tables_csv, tables_latex, tables_markdown):
        text = write(walked.tables)
        assert "model-1" in text
        assert "model-2" in text


def test_every_figure_on_the_card_comes_out(walked: Summary) -> None:
    made = {figure.name: figure for figure in walked.figures}
    assert set(walked.suite.card.figures) == set(made)
    for figure in made.values():
        drawn = svg(figure)
        assert drawn.startswith("<svg")
        assert drawn.count("<path") > 2, figure.name


def test_metrics_have_intervals(walked: Summary) -> None:
    assert walked.metrics
    for name, estimate in walked.metrics.items():
        assert estimate.value is not None or estimate.why, name
        if estimate.low is not None and estimate.value is not None:
            assert estimate.high is not None
            assert estimate.low <= estimate.value <= estimate.high, name
    assert any(estimate.low is not None for estimate in walked.metrics.values())


@pytest.mark.parametrize("name", SHIPPED)
def test_a_card_says_what_a_person_must_know(name: str) -> None:
    suite = find_suite(name)
    assert {"paper", "epicene"} <= set(suite.protocols)
    for protocol_name, protocol in suite.protocols.items():
        assert protocol.name == protocol_name
        assert protocol.about
    for code in suite.card.languages:
        assert get(code).code == code
    assert suite.card.chance
    assert suite.card.source
    assert all(suite.verbs_of(role.name) for role in suite.roles)
    folder = Path(__file__).parents[2] / "src" / "epicene" / "suites" / name
    for file in ("card.toml", "data.py", "ask.py", "judge.py", "tables.py", "starter"):
        assert (folder / file).exists(), file
