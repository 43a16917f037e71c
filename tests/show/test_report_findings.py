"""Sentences of the first screen: only what intervals and tests support."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import permutations
from typing import Any

import polars as pl
import pytest

from epicene.core.records import Column, Estimate, Row, Table
from epicene.results.model_ranking import RankedModel, Ranking
from epicene.results.summary import RunSummary, Summary
from epicene.show.comparisons import comparisons_of, letters_of
from epicene.show.contrasts import Agreement, contrasts_of
from epicene.show.findings import Finding, findings_of, warnings_of
from epicene.show.model_comparison import ModelComparison
from epicene.show.model_profiles import headline_results
from epicene.stats.ranking import RankRange
from epicene.suites import Results, RunInfo, find_suite
from show.report_samples import contrast_of, estimate, headline_of


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


def changes_table(*rows: tuple[str, str, float, float]) -> Table:
    """A table of differences: first model, second, second minus first, p."""
    return Table(
        name="changes",
        title="",
        levels=("headline", "first", "second"),
        columns=(Column(name="difference"), Column(name="p (Holm)", unit="p")),
        rows=tuple(
            Row(
                keys=("right", first, second),
                cells=(Estimate(value=difference), Estimate(value=p)),
            )
            for first, second, difference, p in rows
        ),
    )


def compared(
    estimates: dict[str, Estimate],
    changes: Table | None = None,
    better: dict[str, tuple[str, ...]] | None = None,
) -> ModelComparison:
    """Models by one headline; `better` are the models that each is better than, in places."""
    ranks = {}
    if better is not None:
        ranked = tuple(
            RankedModel(model, RankRange(1, 1), "a", better.get(model, ()), 0)
            for model in estimates
        )
        ranks["right"] = Ranking(ranked, 10, 10)
    return ModelComparison((headline_of(estimates),), (), changes, None, (), ranks=ranks)


def told(comparison: ModelComparison, **more: object) -> list[Finding]:
    given: dict[str, Any] = {"chances": {}, "contrasts": (), "agreement": None, **more}
    return list(findings_of(comparison, comparisons_of(comparison), **given))


def alone(**more: object) -> list[Finding]:
    return told(compared({"a": estimate(0.5)}), **more)


THREE = {"a": estimate(0.57, 0.1), "b": estimate(0.3, 0.1), "c": estimate(0.2, 0.1)}


# --- the verdict ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("difference", "p", "said", "sure"),
    [
        (-0.27, 0.01, "significantly better than b 30 % [20, 40] (p = .010).", True),
        (-0.27, 0.0001, "significantly better than b 30 % [20, 40] (p < .001).", True),
        (-0.27, 0.211, "not significantly better than b 30 % [20, 40] (p = .211).", False),
        (
            0.05,
            0.01,
            "but on the items that both have, b 30 % [20, 40] is significantly better (p = .010).",
            True,
        ),
    ],
)
def test_the_verdict_is_what_the_table_of_differences_says(
    difference: float, p: float, said: str, sure: bool
) -> None:
    (finding,) = told(compared(THREE, changes_table(("a", "b", difference, p))))
    assert plain(finding.text) == f"a 57 % [47, 67], {said}"
    assert (finding.sure, finding.table) == (sure, "changes")
    assert plain(finding.value) == "57 %"


def test_no_verdict_contradicts_the_table_whatever_its_numbers_are() -> None:
    """The words and the p-value of the sentence, against the row that they are read from."""
    for names in permutations("abc"):
        for p in (0.0004, 0.0496, 0.05, 0.211, 1.0):
            estimates = dict(zip(names, (estimate(0.6), estimate(0.5), estimate(0.4)), strict=True))
            best, second, third = names
            rows = ((second, best, 0.1, p), (third, best, 0.2, p), (second, third, -0.1, p))
            (finding,) = told(compared(estimates, changes_table(*rows)))
            text = plain(finding.text)
            assert text.startswith(f"{best} 60 %")
            assert f"better than {second} 50 %" in text
            assert ("not significantly" not in text) == (p < 0.05)
            printed = re.search(r"\(p ([<=]) (\.\d+|1\.000)\)", text)
            assert printed is not None
            if printed[1] == "=":
                assert abs(float(printed[2]) - p) <= 0.0005
            else:
                assert p < 0.001


def test_with_many_models_the_verdict_is_what_the_places_say() -> None:
    (finding,) = told(compared(THREE, better={"a": ("b", "c")}))
    assert plain(finding.text) == "a 57 % [47, 67], significantly better than b 30 % [20, 40]."
    assert finding.table == "places"
    (finding,) = told(compared(THREE, better={"a": ("c",)}))
    assert "not significantly better than b" in finding.text


def test_what_was_not_tested_is_said_not_to_be() -> None:
    (finding,) = told(compared(THREE))
    assert "the two were not tested against each other" in finding.text
    assert (finding.sure, finding.table) == (False, "metrics")
    same = {"a": estimate(0.5), "b": estimate(0.5)}
    (finding,) = told(compared(same, changes_table(("a", "b", 0.0, 1.0))))
    assert plain(finding.text).endswith("have the same value.")


def test_a_control_is_never_best_and_no_sentence_compares_it() -> None:
    changes = changes_table(("a", "b", -0.27, 0.01), ("b", "c", -0.1, 0.2))
    (finding,) = told(compared(THREE, changes), controls={"a"})
    assert plain(finding.text).startswith("b 30 % [20, 40], not significantly better than c 20 %")
    assert plain(finding.value) == "30 %"
    (finding,) = told(compared(THREE, changes), controls={"a", "b"}, chances={"right": 0.05})
    assert plain(finding.text) == "c 20 % [10, 30]. Above chance (5 %)."
    (finding,) = told(compared(THREE, changes), controls={"a", "b", "c"}, chances={"right": 0.05})
    assert plain(finding.text).startswith("only controls were run: a 57 %")
    assert (finding.value, finding.sure) == ("–", False)


def test_what_nobody_measured_is_not_compared() -> None:
    unknown = Estimate(value=None, why="nothing was judged")
    (finding,) = told(compared({"a": unknown, "b": unknown}), chances={"right": 0.5})
    assert (finding.value, finding.text, finding.sure) == ("–", "not measured.", False)
    (finding,) = told(compared({"a": unknown, "b": estimate(0.4)}))
    assert plain(finding.text) == "b 40 % [37, 43]."


@pytest.mark.parametrize(
    ("chance", "said", "sure"),
    [
        (0.25, "Above chance (25 %): a; not clearly different from chance (25 %): b and c.", True),
        (0.45, "Above chance (45 %): a; below chance (45 %): b and c.", True),
        (0.9, "Below chance (90 %): a, b and c.", True),
    ],
)
def test_above_chance_is_the_whole_interval(chance: float, said: str, sure: bool) -> None:
    (finding,) = told(compared(THREE), chances={"right": chance})
    assert plain(finding.text).endswith(said)
    assert finding.sure == sure


def test_letters_are_those_of_the_same_test() -> None:
    rows = [("a", "b", -0.3, 0.01), ("a", "c", -0.4, 0.01), ("b", "c", -0.1, 0.5)]
    found = comparisons_of(compared(THREE, changes_table(*rows)))
    assert letters_of(found, "right", ["a", "b", "c"]) == {"a": "a", "b": "b", "c": "b"}
    assert letters_of(found, "right", ["b", "c"]) == {}  # no two differ
    assert letters_of(found, "right", ["a", "other"]) == {}  # not compared
    assert letters_of(found, "another", ["a", "b"]) == {}


# --- within models -------------------------------------------------------------------------


def test_a_gap_is_said_only_where_it_is_significant() -> None:
    cells = {("a", "he"): estimate(0.8), ("a", "they"): estimate(0.2)}
    gap = "a has 80 % [77, 83] for he and 20 % [17, 23] for they"
    for p, text in ((0.01, gap), (0.2, "no significant difference for a.")):
        (_, finding) = alone(contrasts=[contrast_of(cells, p, "pronoun")])
        assert plain(finding.text).startswith(text)
        assert finding.sure == (p < 0.05)
        assert finding.table == "right by pronoun"


def test_a_single_comparison_is_not_corrected() -> None:
    cells = {("a", "he"): estimate(0.8), ("a", "they"): estimate(0.2)}
    contrast = contrast_of(cells, 0.01, "pronoun")
    for tests, ending in ((1, "(p = .010)."), (6, "(p = .010, corrected for 6 comparisons).")):
        (_, finding) = alone(contrasts=[replace(contrast, tests=tests)])
        assert plain(finding.text).endswith(ending)


def test_two_formats_are_told_with_intervals_and_counts() -> None:
    agreement = Agreement("probability", "generation", "t", {}, {"a": estimate(0.35, 0.1, 40)})
    (_, finding) = alone(agreement=agreement)
    assert plain(finding.text) == "the two disagree on 35 % [25, 45] of 40 instances for a."
    assert finding.about == "Probability and generation"


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
    assert found[1].startswith("‡ Fewer than 20 effective groups")
