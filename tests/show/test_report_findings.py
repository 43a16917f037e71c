"""Sentences of the first screen: only what intervals and tests support."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from epicene.core.records import Estimate
from epicene.runs.model_ranking import RankedModel, Ranking
from epicene.runs.summary import RunSummary, Summary
from epicene.show.contrasts import Agreement, contrasts_of
from epicene.show.findings import Finding, best_findings, findings_of, warnings_of
from epicene.show.model_comparison import ModelComparison
from epicene.show.model_profiles import headline_results
from epicene.stats.ranking import RankRange
from epicene.suites import Results, RunInfo, find_suite
from show.report_samples import contrast_of, estimate, headline_of


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


def told(
    estimates: dict[str, Estimate], better: dict[str, tuple[str, ...]] | None = None, **more: object
) -> list[Finding]:
    """The findings of one headline; `better` are the models that each is better than."""
    ranks = {}
    if better is not None:
        ranked = tuple(
            RankedModel(model, RankRange(1, 1), "a", better.get(model, ()), 0)
            for model in estimates
        )
        ranks["right"] = Ranking(ranked, 10, 10)
    comparison = ModelComparison((headline_of(estimates),), (), None, None, (), ranks=ranks)
    given: dict[str, Any] = {"chances": {}, "contrasts": (), "agreement": None, **more}
    return list(findings_of(comparison, **given))


THREE = {"a": estimate(0.57, 0.1), "b": estimate(0.3, 0.1), "c": estimate(0.2, 0.1)}


def test_a_model_is_said_to_be_better_only_after_a_test() -> None:
    (finding,) = told(THREE, {"a": ("b", "c")})
    assert plain(finding.text) == "a 57 % [47, 67], significantly more than b (30 %) and c (20 %)."
    assert finding.sure
    assert finding.table == "places"
    (finding,) = told(THREE, {})
    assert finding.text == "no two models differ significantly."
    assert not finding.sure
    (finding,) = told(THREE, {"a": ("c",)})
    assert plain(finding.text).endswith("more than c (20 %), not significantly more than b (30 %).")


def test_without_a_comparison_numbers_are_only_listed() -> None:
    (finding,) = told({"a": estimate(0.57, 0.1)})
    assert plain(finding.text) == "a 57 % [47, 67]."
    assert not finding.sure


def test_what_nobody_measured_is_not_compared() -> None:
    unknown = Estimate(value=None, why="nothing was judged")
    (finding,) = told({"a": unknown, "b": unknown}, {}, chances={"right": 0.5})
    assert (finding.value, finding.text, finding.sure) == ("–", "not measured.", False)
    (finding,) = told({"a": unknown, "b": estimate(0.4)}, {})
    assert plain(finding.text) == "b 40 % [37, 43]."


def test_a_baseline_is_spoken_of_last() -> None:
    (finding,) = told(THREE, {"a": ("b", "c"), "b": ("c",)}, baselines={"a"})
    assert finding.text.startswith("b ")


@pytest.mark.parametrize(
    ("chance", "said"),
    [
        (0.25, "Above chance (25 %): a; not clearly different from chance (25 %): b and c."),
        (0.45, "Above chance (45 %): a; below chance (45 %): b and c."),
        (0.9, "Below chance (90 %): a, b and c."),
    ],
)
def test_above_chance_is_the_whole_interval(chance: float, said: str) -> None:
    (finding,) = told(THREE, {}, chances={"right": chance})
    assert plain(finding.text).endswith(said)
    assert finding.sure


def test_a_gap_is_said_only_where_it_is_significant() -> None:
    cells = {("a", "he"): estimate(0.8), ("a", "they"): estimate(0.2)}
    gap = "a has 80 % [77, 83] for he and 20 % [17, 23] for they"
    for p, text in ((0.01, gap), (0.2, "no significant difference for a.")):
        (_, finding) = told({"a": estimate(0.5)}, contrasts=[contrast_of(cells, p, "pronoun")])
        assert plain(finding.text).startswith(text)
        assert finding.sure == (p < 0.05)
        assert finding.table == "right by pronoun"


def test_a_single_comparison_is_not_corrected() -> None:
    cells = {("a", "he"): estimate(0.8), ("a", "they"): estimate(0.2)}
    contrast = contrast_of(cells, 0.01, "pronoun")
    for tests, ending in ((1, "(p = .010)."), (6, "(p = .010, corrected for 6 comparisons).")):
        (_, finding) = told({"a": estimate(0.5)}, contrasts=[replace(contrast, tests=tests)])
        assert plain(finding.text).endswith(ending)


def test_two_formats_are_told_with_intervals_and_counts() -> None:
    agreement = Agreement("probability", "generation", "t", {}, {"a": estimate(0.35, 0.1, 40)})
    (_, finding) = told({"a": estimate(0.5)}, agreement=agreement)
    assert plain(finding.text) == "the two disagree on 35 % [25, 45] of 40 instances for a."
    assert finding.about == "Probability and generation"


def test_a_card_prefers_what_is_sure_and_keeps_the_order() -> None:
    made = [
        Finding(value=str(n), about="", text=str(n), table="", sure=n % 2 == 1) for n in range(8)
    ]
    assert [each.value for each in best_findings(made, 3)] == ["1", "3", "5"]
    assert [each.value for each in best_findings(made[:4], 3)] == ["0", "1", "3"]


def summary_of(rows: list[dict[str, object]]) -> Summary:
    frame = pl.DataFrame(rows, infer_schema_length=None)
    suite = find_suite("alternations")
    models = list(dict.fromkeys(str(row["model"]) for row in rows))
    infos = tuple(
        RunInfo(run=model, model=model, protocol="epicene", identities={}) for model in models
    )
    protocol = suite.protocols["epicene"]
    runs = tuple(
        RunSummary(info=info, data="", metrics={}, undetected=Estimate(value=0.0, n=1))
        for info in infos
    )
    return Summary(
        suite=suite,
        protocol=protocol,
        runs=runs,
        undetected=Estimate(value=0.0),
        results=Results(frame, protocol, infos),
    )


def judged(model: str, item: int, gender: str, right: bool) -> dict[str, object]:
    return {
        "run": model, "model": model, "item": f"{item}", "group": f"{item}", "language": "hi",
        "name": "acceptability", "outcome": "right" if right else "wrong", "label": None,
        "format": "acceptability", "main": "yes", "measure": "sum", "method": "causal",
        "controller gender": gender, "phenomenon": "one", "credit": 1.0 if right else 0.0,
    }  # fmt: skip


def gap_of(masculine: int, feminine: int, of: int) -> tuple[float, bool]:
    rows = [judged("m", n, "masculine", n < masculine) for n in range(of)]
    rows += [judged("m", of + n, "feminine", n < feminine) for n in range(of)]
    summary = summary_of(rows)
    (contrast,) = contrasts_of(summary, list(headline_results(summary)))
    assert contrast.values == ("masculine", "feminine")
    assert contrast.cells["m", "masculine"].value == masculine / of
    gap = contrast.gaps["m"]
    assert (gap.high, gap.low) == ("masculine", "feminine")
    return gap.p, gap.significant


def test_contrasts_test_the_difference_within_a_model() -> None:
    assert gap_of(36, 12, 40)[1]
    assert not gap_of(22, 18, 40)[1]


def test_a_few_items_show_no_gap_however_wide_it_is() -> None:
    """All right against all wrong leaves nothing to estimate a spread from."""
    p, significant = gap_of(4, 0, 4)
    assert p == 0.125
    assert not significant
    assert gap_of(10, 0, 10)[1]


def test_equal_figures_are_no_gap() -> None:
    rows = [judged("m", n, gender, n % 2 == 0) for n in range(10) for gender in ("a", "b")]
    for place, row in enumerate(rows):
        row["item"] = row["group"] = str(place)
    summary = summary_of(rows)
    (contrast,) = contrasts_of(summary, list(headline_results(summary)))
    assert contrast.gaps == {}


def test_warnings_stand_beside_the_numbers() -> None:
    rows = [judged("m", n, "masculine", n % 2 == 0) for n in range(10)]
    for row in rows[:2]:
        row["outcome"] = "undetected"
    summary = summary_of(rows)
    comparison = ModelComparison(tuple(headline_results(summary)), (), None, None, ())
    found = [plain(each) for each in warnings_of(summary, comparison)]
    assert found[0].startswith("No usable answer (acceptable sentence likelier): 20 % [")
    assert found[1].startswith("‡ Based on fewer than 20 effective groups")
