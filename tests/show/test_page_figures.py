"""The report's own figures, and the headlines as a table and a figure for Python users."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from epicene.core.records import Estimate
from epicene.models import parse_spec
from epicene.results.summary import Summary, summarise
from epicene.runs.config import RunConfig
from epicene.runs.run import run
from epicene.runs.stored_run import read_run
from epicene.show import charts
from epicene.show.comparisons import comparisons_of, p_text
from epicene.show.contrasts import agreement_of
from epicene.show.figures import svg
from epicene.show.findings import findings_of
from epicene.show.model_comparison import compare_models
from epicene.show.page_figures import (
    CONTROLS,
    agreement_figure,
    interval_figure,
    is_control,
    styles_of,
)
from epicene.show.results_document import metrics_table
from epicene.suites import choose_protocol, find_suite
from runs.conftest import Silent
from show.report_samples import own_figures


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory) -> Summary:
    suite = find_suite("misgendering")
    settings = {"samples": "1", "pronouns": "he,they"}
    runs = []
    for spec in ("planted?rate=0.9", "random"):
        folder, _ = run(
            RunConfig(
                suite=suite,
                protocol=choose_protocol(suite, "epicene", settings, None),
                models={"model": [parse_spec(spec)]},
                limit=8,
                under=tmp_path_factory.mktemp("runs"),
            ),
            Silent(),
        )
        runs.append(read_run(folder))
    return summarise(runs)


def test_the_headlines_are_a_row_for_each_model_by_their_readable_names(summary: Summary) -> None:
    table = metrics_table(summary)
    names = ["right pronoun by probability", "right pronoun by generation", "undetected"]
    assert [column.name for column in table.columns] == names
    assert [row.keys for row in table.rows] == [(one.info.model,) for one in summary.runs]
    keys = ("accuracy_probability", "accuracy_generation")
    for row, one in zip(table.rows, summary.runs, strict=True):
        assert row.cells == (*(one.metrics[key] for key in keys), one.undetected)


def test_the_interval_figure_holds_the_numbers_of_the_table(summary: Summary) -> None:
    figure = interval_figure([summary])
    panels = figure.spec["concat"]
    table = metrics_table(summary)
    assert len(panels) == 2
    for panel, place in zip(panels, range(2), strict=True):
        cells = [row.cells[place] for row in table.rows]
        drawn = [(row["value"], row["low"], row["high"]) for row in panel["data"]["values"]]
        assert drawn == [
            (cell.value, cell.low, cell.high) for cell in cells if isinstance(cell, Estimate)
        ]
    text = svg(figure)
    assert "Right pronoun by probability" in text
    assert text.count("random (control)") >= 2


def test_a_figure_of_nothing_is_refused() -> None:
    with pytest.raises(charts.EmptyChartError):
        interval_figure([])


@pytest.mark.parametrize("figure", own_figures("m"), ids=lambda each: each.name)
def test_every_own_figure_is_valid_vega_lite(figure: object) -> None:
    altair = pytest.importorskip("altair")
    drawn = figure.figure  # type: ignore[attr-defined]
    altair.Chart.from_dict(drawn.spec)
    assert svg(drawn).startswith("<svg")


def test_bars_of_two_formats_add_up_to_the_instances(summary: Summary) -> None:
    agreement = agreement_of(summary)
    assert agreement is not None
    rows = agreement_figure(agreement, "t").figure.spec["data"]["values"]
    for model, conflict in agreement.conflicts.items():
        counts = [row["instances"] for row in rows if row["model"] == model]
        assert sum(counts) == conflict.n
        assert counts[1] + counts[2] == round((conflict.value or 0.0) * conflict.n)


def test_controls_are_grey_and_hollow_and_models_are_not(summary: Summary) -> None:
    assert all(is_control(one.info) for one in summary.runs)
    assert {"planted", "sketch", "sketch-judge", "ngram", "random", "copy", "rules"} <= set(
        CONTROLS
    )
    styles = styles_of([("a", "", False), ("r", "", True), ("b", "", False)])
    assert styles["r"].colour == charts.GREY
    assert styles["r"].control
    assert len({styles["a"].colour, styles["b"].colour, charts.GREY}) == 3


def test_the_sentence_and_the_table_of_one_report_agree(summary: Summary) -> None:
    """From real runs: the p-value of the verdict is the one that the table prints."""
    run_of_it: Any = SimpleNamespace(protocol=summary.protocol)
    comparison = compare_models(summary, [run_of_it for _ in summary.runs])
    assert comparison.changes is not None
    found = findings_of(comparison, comparisons_of(comparison), {}, (), None)
    row = comparison.changes.rows[0]
    names = [column.name for column in comparison.changes.columns]
    p = row.cells[names.index("p (Holm)")]
    assert isinstance(p, Estimate)
    assert p.value is not None
    assert f"(p {p_text(p.value)})" in found[0].text
    assert ("not significantly" in found[0].text) == (p.value >= 0.05)
