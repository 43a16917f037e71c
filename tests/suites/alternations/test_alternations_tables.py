"""Tables of pairs and gaps: intervals by closed form, breakdowns, the paper's own numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
import pytest

from epicene.core.records import (
    Completion,
    Completions,
    Identity,
    Judgement,
    Scores,
    Table,
    TextScore,
)
from epicene.runs.frames import judgement_frame
from epicene.show.table_formats import as_json
from epicene.stats.intervals import wilson
from epicene.stats.tabulate import rows_where
from epicene.suites import AnsweredRequest, Answers, Results, RunInfo
from epicene.suites.alternations.figures import figures
from epicene.suites.alternations.items import VALENCY_CLASSES, VARIANTS, Pair
from epicene.suites.alternations.judge import judge
from epicene.suites.alternations.metrics import (
    accuracy,
    all_metrics,
    main_scores,
    model_type,
    paired_formats,
)
from epicene.suites.alternations.protocol import PROTOCOLS, AlternationsProtocol
from epicene.suites.alternations.published import (
    PEOPLE_ACCURACY,
    PUBLISHED_MODELS,
    TABLE_2,
    TABLE_5,
    VERBS_PER_VALENCY,
)
from epicene.suites.alternations.tables import tables
from epicene.suites.alternations.tables_cloze import TABLED_EVIDENCE
from suites.table_cells import cells
from suites.worked_cases import Case, as_number, each_case

OURS = PROTOCOLS["epicene"]


def pair(number: int, phenomenon: str = "p", **more: Any) -> Pair:
    fields = {"language": "", "group": f"v{number}", **more}
    return Pair(
        id=f"{phenomenon}-{number}",
        good=f"good {number}",
        bad=f"bad {number}",
        phenomenon=phenomenon,
        **fields,
    )


def judged(
    given: Iterable[tuple[Pair, float]],
    method: str = "causal",
    protocol: AlternationsProtocol = OURS,
) -> Iterator[Judgement]:
    """Judgements of pairs whose sums differ by so much."""
    for item, margin in given:
        texts = tuple(
            TextScore(logprobs=(value,), starts=(0,), ends=(1,), words=1, characters=1)
            for value in (margin, 0.0)
        )
        scores = Scores(texts=texts, method=method)
        given_ = AnsweredRequest("acceptability", "model", "m", "acceptability within-word", scores)
        yield from judge(item, Answers([given_]), protocol)


def results(
    judgements: Mapping[str, Iterable[Judgement]],
    parameters: float | None = None,
    protocol: AlternationsProtocol = OURS,
) -> Results[Any]:
    """The results of runs, by model."""
    import polars as pl

    infos = tuple(
        RunInfo(
            run=model,
            model=model,
            protocol="epicene",
            identities={
                "model": (
                    Identity(kind="hf", label=model, key={}, about={"parameters": parameters}),
                )
            },
        )
        for model in judgements
    )
    frames = [judgement_frame(judgements[info.model], info, TABLED_EVIDENCE) for info in infos]
    return Results(pl.concat(frames, how="diagonal"), protocol, infos)


def table(found: Results[Any], name: str) -> Table:
    return next(each for each in tables(found) if each.name == name)


# --- any pairs --------------------------------------------------------------------------------


GAP = Pair(
    id="sv-kat",
    language="hi",
    good="माँ ने अर्जुन से लकड़ी कटवाई थी",
    bad="माँ ने अर्जुन से लकड़ी कटी थी",
    phenomenon="SV",
    prefix="माँ ने अर्जुन से लकड़ी",
    gold="कटवाई",
    after="थी",
)


def judged_fillers(fillers: Iterable[str]) -> Iterator[Judgement]:
    """Judgements of the gap, filled with each of these words."""
    for index, text in enumerate(fillers):
        filled = Completion(text=text, logprob=-1.0, tokens=1)
        answer = Completions(completions=(filled,), method="masked")
        item = msgspec.structs.replace(GAP, id=f"sv-{index}")
        yield from judge(item, Answers([AnsweredRequest("s", "model", "m", "cloze", answer)]), OURS)


@each_case("alternations", "metrics")
def test_metrics_worked_out_by_hand(case: Case) -> None:
    margins = [
        (pair(index, phenomenon), margin)
        for phenomenon, each in case.get("margins", {}).items()
        for index, margin in enumerate(each)
    ]
    judgements = [*judged(margins), *judged_fillers(case.get("fillers", ()))]
    found = {name: each.value for name, each in all_metrics(results({"m": judgements})).items()}
    assert found == pytest.approx({key: as_number(each) for key, each in case["metrics"].items()})


def test_accuracy_has_wilsons_interval_and_a_tie_is_half() -> None:
    margins = [1.0] * 6 + [-1.0] * 3 + [0.0]
    found = results({"m": judged((pair(n), margin) for n, margin in enumerate(margins))})
    frame = main_scores(found)
    assert accuracy(frame) == wilson(6.5, 10)
    # Wilson's interval by its formula, for 6.5 of 10 at 95 %.
    z, n, p = 1.959963984540054, 10, 0.65
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5
    assert accuracy(frame).low == pytest.approx(centre - half)
    assert accuracy(frame).high == pytest.approx(centre + half)
    assert all_metrics(found)["accuracy"] == wilson(6.5, 10)
    row = cells(table(found, "phenomena"), "m", "p")
    assert row["pairs"].value == 10
    assert row["ties"].value == pytest.approx(0.1)
    assert row["margin"].value == pytest.approx(sum(margins) / 10)


def test_under_paper_a_tie_earns_nothing() -> None:
    """The sentence with the greater score wins; of two that are equal neither is greater."""
    margins = [(pair(0, "DV"), 1.0), (pair(1, "DV"), 0.0), (pair(2, "DV"), 0.0)]
    for protocol, expected, note in (
        (OURS, 2 / 3, "counts half"),
        (PROTOCOLS["paper"], 1 / 3, "scores 0, as in the paper"),
    ):
        found = results({"m": judged(margins, protocol=protocol)}, protocol=protocol)
        assert all_metrics(found)["accuracy"].value == pytest.approx(expected)
        assert all_metrics(found)["ties"].value == pytest.approx(2 / 3)
        assert note in table(found, "2").notes[0]


def test_table_4_has_the_papers_models_with_tokens() -> None:
    found = table(results({"m": judged([(pair(0, "DV"), 1.0)])}, parameters=5e6), "4")
    rows = {row.keys: row.cells for row in found.rows}
    assert rows["causal", "", "m"][0] == "not stated"
    assert cells(found, "causal", "", "m")["parameters (millions)"].value == 5
    assert rows["masked", "monolingual", "HindBERT"][0] == "1.8B"
    assert rows["causal", "multilingual", "mGPT 1.3b"][0] == "46B & 442B"
    assert len(rows) == 9


def test_variants_of_one_verb_are_not_independent() -> None:
    def four(share: float) -> Iterator[tuple[Pair, float]]:
        for number in range(20):
            for variant in VARIANTS:
                yield pair(number, variant), 1.0 if number < 20 * share else -1.0

    whole = accuracy(main_scores(results({"m": judged(four(0.5))})))
    one = wilson(10, 20)
    assert whole.value == one.value == 0.5
    assert whole.n == 80
    assert whole.low is not None
    assert one.low is not None
    # All four variants of a verb stand or fall together, so eighty pairs tell no more than twenty.
    assert whole.low <= one.low + 1e-9


def test_every_column_is_broken_down_by() -> None:
    given = [
        (pair(n, columns={"length": "long" if n < 3 else "short", "word": f"w{n}"}), margin)
        for n, margin in enumerate([1.0, 1.0, -1.0, -1.0, 0.0])
    ]
    found = results({"a": judged(given), "b": judged((item, 1.0) for item, _ in given)})
    by_column = table(found, "columns")
    assert cells(by_column, "length", "a", "long")["accuracy"].value == pytest.approx(2 / 3)
    assert cells(by_column, "length", "a", "short")["accuracy"].value == pytest.approx(1 / 4)
    assert cells(by_column, "length", "b", "short")["accuracy"].value == 1
    assert cells(by_column, "word", "a", "w4")["ties"].value == 1
    many = [(pair(n, columns={"word": f"w{n}"}), 1.0) for n in range(41)]
    assert "columns" not in {each.name for each in tables(results({"a": judged(many)}))}


def test_pairs_that_are_not_hindi_have_none_of_the_papers_tables() -> None:
    found = results({"m": judged([(pair(1), 1.0)])})
    assert {each.name for each in tables(found)} == {"phenomena", "measures"}
    assert not list(figures(found))


def test_a_causal_model_counts_once_however_it_should_have_masked() -> None:
    given = [(pair(n), 1.0) for n in range(3)]
    protocol = msgspec.structs.replace(OURS, maskings=("within-word", "original"))
    texts = tuple(
        TextScore(logprobs=(value,), starts=(0,), ends=(1,), words=1, characters=1)
        for value in (1.0, 0.0)
    )
    scores = Scores(texts=texts, method="causal")
    made = [
        judgement
        for item, _ in given
        for judgement in judge(
            item,
            Answers(
                AnsweredRequest("acceptability", "model", "m", f"acceptability {masking}", scores)
                for masking in protocol.maskings
            ),
            protocol,
        )
    ]
    by_measure = table(results({"m": made}), "measures")
    assert cells(by_measure, "m", "causal", "all")["sum"] == wilson(3, 3)
    assert cells(by_measure, "m", "causal", "p")["per word"] == wilson(3, 3)


# --- the paper's tables -----------------------------------------------------------------------


def frames(right: int) -> list[tuple[Pair, float]]:
    """Three verbs, one of each class, in four variants; the first so many pairs are right."""
    made = [
        pair(number, variant, columns={"valency": valency})
        for variant in VARIANTS
        for number, valency in enumerate(VALENCY_CLASSES)
    ]
    return [(item, 1.0 if place < right else -1.0) for place, item in enumerate(made)]


def test_table_2_groups_runs_with_the_papers_models() -> None:
    masked = "within-word (epicene words)"
    found = results(
        {"mine": judged(frames(4), method=masked), "other": judged(frames(0))}, parameters=245e6
    )
    assert (model_type(found, "mine"), model_type(found, "other")) == ("masked", "causal")
    second = table(found, "2")
    assert [row.keys for row in second.rows] == [
        ("masked", "multilingual", "MuRIL"),
        ("masked", "multilingual", "XLM-R base"),
        ("masked", "multilingual", "IndicBERT v2"),
        ("masked", "multilingual", "XLM-R large"),
        ("masked", "monolingual", "HindBERT"),
        ("masked", "", "mine"),
        ("causal", "multilingual", "BLOOM 560m"),
        ("causal", "multilingual", "BLOOM 1.1b"),
        ("causal", "multilingual", "mGPT 1.3b"),
        ("causal", "", "other"),
        ("people", "", "people"),
    ]
    mine = cells(second, "masked", "", "mine")
    assert mine["parameters (millions)"].value == pytest.approx(245)
    assert mine["DV"].value == 1
    assert mine["SV"].value == pytest.approx(1 / 3)
    hindbert = cells(second, "masked", "monolingual", "HindBERT")
    assert [hindbert[name].value for name in VARIANTS] == pytest.approx(
        [0.982, 0.839, 0.839, 0.911]
    )
    assert hindbert["parameters (millions)"].value is None
    people = cells(second, "people", "", "people")
    assert [people[name].value for name in VARIANTS] == pytest.approx([0.99, 0.909, 0.964, 0.997])


def test_table_5_is_by_class_and_has_the_papers_rows() -> None:
    found = results({"mine": judged(frames(5))})
    fifth = table(found, "5")
    mine = cells(fifth, "mine", "SV")
    assert [mine[name].value for name in VALENCY_CLASSES] == [1, 1, 0]
    assert cells(fifth, "IndicBERT v2", "No Case(E)")["transitive"].value == pytest.approx(0.5652)
    assert sum(row.origin == "published" for row in fifth.rows) == 8 * 4
    assert as_json(fifth)["mine"]["DV"]["ditransitive"]["value"] == 1


def test_the_published_tables_contradict_each_other_where_the_card_says_so() -> None:
    """Every class has a whole number of right verbs; together they must make up Table 2."""
    wrong = set()
    for model, by_variant in TABLE_5.items():
        for variant, printed, per_cent in zip(VARIANTS, TABLE_2[model], by_variant, strict=True):
            counts = [
                round(share * verbs / 100)
                for share, verbs in zip(per_cent, VERBS_PER_VALENCY.values(), strict=True)
            ]
            for share, count, verbs in zip(
                per_cent, counts, VERBS_PER_VALENCY.values(), strict=True
            ):
                assert 100 * count / verbs == pytest.approx(share, abs=0.06)
            if 100 * sum(counts) / 56 != pytest.approx(printed, abs=0.06):
                wrong.add((model, variant))
    assert wrong == {("mGPT 1.3b", "SV"), ("BLOOM 1.1b", "SV")}
    causal = [name for name, model in PUBLISHED_MODELS.items() if model.type == "causal"]
    assert len(causal) == 3
    for name in causal:
        _, same_verb, _, no_instrument = TABLE_5[name]
        assert same_verb == no_instrument
    assert (TABLE_2["mGPT 1.3b"][1], TABLE_2["BLOOM 1.1b"][1]) == (21.4, 58.9)
    masked = [name for name, model in PUBLISHED_MODELS.items() if model.type == "masked"]
    assert all(TABLE_5[name][1] != TABLE_5[name][3] for name in masked)
    assert sum(VERBS_PER_VALENCY.values()) == 56
    assert PEOPLE_ACCURACY == (99.0, 90.9, 96.4, 99.7)


def test_the_size_curve_has_a_line_per_family_and_the_runs_models() -> None:
    found = results({"mine": judged(frames(4))}, parameters=360e6)
    by_size = next(figure for figure in figures(found) if figure.name == "size")
    values = by_size.spec["data"]["values"]
    lines = {value["color"] for value in values}
    assert "XLM-R (masked, published)" in lines
    assert "causal (run)" in lines
    assert not any("HindBERT" in line for line in lines)  # its size is not known
    mine = [value for value in values if value["color"] == "causal (run)"]
    assert {value["x"] for value in mine} == {360e6}
    assert {value["facet"] for value in mine} == set(VARIANTS)
    *_, left_out, few = by_size.notes
    assert left_out == "Left out because their size is unknown: HindBERT."
    assert few.endswith("whose coverage may be below the nominal level: 4 of 32.")
    unsized = results({"mine": judged(frames(4))})
    by_size = next(figure for figure in figures(unsized) if figure.name == "size")
    assert by_size.notes[-1] == "Left out because their size is unknown: mine, HindBERT."


# --- the two formats --------------------------------------------------------------------------


def gap(number: int, variant: str, outcome: Any) -> Judgement:
    return Judgement(
        item=f"{variant}-{number}",
        group=f"v{number}",
        name="cloze",
        outcome=outcome,
        label="indirect causative" if outcome == "right" else "transitive",
        counts={"is_verb": 1.0, "agrees": 1.0, "gold_first": 0.0, "gold_among": 0.0},
        facets={"format": "cloze", "ranking": "by the verb", "main": "yes", "phenomenon": variant},
    )


def test_acceptability_against_cloze_on_the_same_verbs() -> None:
    # Ten verbs: acceptability right for eight, cloze for three of those and one other.
    margins = [1.0] * 8 + [-1.0, -1.0]
    filled = ["right"] * 3 + ["wrong"] * 4 + ["undetected", "right", "wrong"]
    scored_ = [
        (pair(n, variant), margin) for variant in ("DV", "SV") for n, margin in enumerate(margins)
    ]
    found = results(
        {"m": [*judged(scored_), *(gap(n, "SV", each) for n, each in enumerate(filled))]}
    )
    formats = table(found, "formats")
    for variant in ("SV", "DV"):  # DV is set against the gap of SV
        row = cells(formats, "cloze", "m", variant)
        assert row["pairs"].value == 10
        assert row["acceptability"] == wilson(8, 10)
        assert row["cloze"] == wilson(4, 10)
        assert row["acceptability minus cloze"].value == pytest.approx(0.4)
        assert row["agreement"].value == pytest.approx(4 / 10)
        # Matthews by hand: both 3, only the first 5, only the second 1, neither 1.
        assert row["MCC"].value == pytest.approx((3 * 1 - 5 * 1) / (8 * 2 * 4 * 6) ** 0.5)
        for name in ("agreement", "acceptability minus cloze"):
            low, high = row[name].low, row[name].high
            assert low is not None
            assert high is not None
            assert low < row[name].value < high  # type: ignore[operator]
    assert cells(formats, "cloze", "m", "all")["pairs"].value == 20
    together = paired_formats(found, "m", "cloze")
    assert len(rows_where(together, phenomenon="DV")) == 10


def test_table_3_sets_the_fillers_of_two_models_side_by_side() -> None:
    two = results({"a": judged_fillers(["खरीदी"]), "b": judged_fillers(["कटवाई"])})
    found = table(two, "3")
    (row,) = found.rows
    assert row.keys == ("माँ ने अर्जुन से लकड़ी … थी", "कटवाई")
    assert [column.name for column in found.columns] == ["a", "b"]
    assert row.cells == ("खरीदी (transitive)", "कटवाई (indirect causative)")
    alone = results({"a": judged_fillers(["खरीदी"])})
    assert "3" not in {each.name for each in tables(alone)}


def test_ties_are_left_out_of_the_agreement() -> None:
    scored_ = [(pair(0, "SV"), 0.0), (pair(1, "SV"), 1.0)]
    found = results({"m": [*judged(scored_), gap(0, "SV", "right"), gap(1, "SV", "right")]})
    assert cells(table(found, "formats"), "cloze", "m", "SV")["pairs"].value == 1


def test_what_fills_the_gap_is_counted_by_kind() -> None:
    gaps = [gap(n, "SV", "right") for n in range(3)] + [gap(3, "No Case(E)", "wrong")]
    found = results({"m": gaps})
    kinds = table(found, "cloze")
    row = cells(kinds, "cloze", "m", "by the verb", "all")
    assert row["indirect causative"] == wilson(3, 4)
    assert row["transitive"] == wilson(1, 4)
    assert row["agreement errors"].value == 0
    assert cells(kinds, "cloze", "m", "by the verb", "SV")["gaps"].value == 3
    assert "formats" not in {each.name for each in tables(found)}
    assert all_metrics(found)["cloze indirect causatives"] == wilson(3, 4)
