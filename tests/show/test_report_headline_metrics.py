"""Models side by side: headlines, sizes, places and changes, of judgements without runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import msgspec
import polars as pl

import reflexives
from epicene.core.records import LEARNT, Estimate, Identity, Judgement
from epicene.results.summary import RunSummary, Summary
from epicene.runs.frames import judgement_frame
from epicene.show.model_comparison import (
    MAX_COMPARED_MODELS,
    ModelComparison,
    compare_models,
)
from epicene.show.model_profiles import (
    headline_results,
    profile_table,
    with_distinct_labels,
)
from epicene.show.provenance import undetected_line
from epicene.stats.tabulate import undetected_share
from epicene.suites import Results, RunInfo
from epicene.suites.headline_metrics import accuracy_metric


def judgements(outcomes: str, language: str = "en") -> list[Judgement]:
    """`+` is right, `-` wrong, `?` undetected, one letter an item; a dot is no item."""
    names = {"+": "right", "-": "wrong", "?": "undetected"}
    return [
        Judgement(item=f"{language}-{n:02}", name="answer", language=language, outcome=names[sign])  # type: ignore[arg-type]
        for n, sign in enumerate(outcomes)
        if sign != "."
    ]


Runs = dict[str, list[Judgement]]


def summary_of(**runs: list[Judgement]) -> Summary:
    return summary_of_sized(runs, {})


def summary_of_sized(runs: Runs, sizes: dict[str, int]) -> Summary:
    frames, told = [], []
    for model, given in runs.items():
        identity = Identity(
            kind="hf",
            label=model,
            key={},
            about={"parameters": sizes.get(model), "family": "llama"},
        )
        info = RunInfo(
            run=f"run-{model}", model=model, protocol="epicene", identities={"model": (identity,)}
        )
        frames.append(judgement_frame(given, info))
        told.append(
            RunSummary(
                info=info, data="starter", metrics={}, undetected=undetected_share(frames[-1])
            )
        )
    frame = pl.concat(frames, how="diagonal")
    protocol = reflexives.suite.protocols["epicene"]
    infos = tuple(run.info for run in told)
    return Summary(
        suite=reflexives.suite,
        protocol=protocol,
        runs=tuple(told),
        undetected=undetected_share(frame),
        results=Results(frame, protocol, infos),
    )


def test_headlines_by_language_and_model() -> None:
    summary = summary_of(
        small=judgements("++--") + judgements("+--?", "fr"),
        large=judgements("++++"),
    )
    found = list(headline_results(summary))
    assert [entry.title for entry in found] == ["right", "right · en", "right · fr"]
    assert found[0].estimates["small"].value == 3 / 8
    assert found[2].estimates["small"].value == 1 / 4
    assert found[2].undetected["small"].value == 1 / 4
    assert found[2].estimates["large"].value is None
    table = profile_table([summary], found, ["first token: bos"])
    assert [row.keys for row in table.rows] == [("small",), ("large",)]
    cell = table.rows[1].cells[2]
    assert isinstance(cell, Estimate)
    assert cell.why
    assert table.notes[0].endswith(": first token: bos.")
    told = undetected_line(summary.runs)
    assert told == "undetected of all judgements: small 12.5 % of 8, large 0.0 % of 4"


def test_a_headline_of_one_language_has_no_column_for_it() -> None:
    """Though the suite's other judgements have more."""
    french = judgements("++-", "fr")
    gaps = [msgspec.structs.replace(each, name="gap") for each in judgements("+-", "hi")]
    summary = summary_of(one=[*french, *judgements("+-"), *gaps])

    def named(*names: str) -> Callable[[Results[Any]], pl.DataFrame]:
        return lambda results: results.frame.filter(pl.col("name").cast(pl.String).is_in(names))

    headlines = (accuracy_metric("pairs", named("answer")), accuracy_metric("gaps", named("gap")))
    summary = replace(summary, suite=replace(summary.suite, headline_metrics=headlines))
    titles = [entry.title for entry in headline_results(summary)]
    assert titles == ["pairs", "pairs · en", "pairs · fr", "gaps"]


def test_a_model_that_was_not_run_on_a_suite_has_a_dash_with_that_reason() -> None:
    first, second = summary_of(small=judgements("+-")), summary_of(large=judgements("++"))
    found = [*headline_results(first), *headline_results(second)]
    table = profile_table([first, second], [found[0]], ["", ""])
    cells = [row.cells[0] for row in table.rows]
    assert isinstance(cells[1], Estimate)
    assert cells[1].why == "this model was not run on this suite under this protocol"


def named(summary: Summary, **identity: object) -> Summary:
    """The summary of one run, by a model with that key and that about."""
    (run,) = summary.runs
    changed = msgspec.structs.replace(run.info.identities["model"][0], **identity)
    info = msgspec.structs.replace(run.info, identities={"model": (changed,)})
    return replace(summary, runs=(replace(run, info=info),))


def rows_of(*summaries: Summary) -> list[str]:
    told, entries = with_distinct_labels(
        summaries, [list(headline_results(each)) for each in summaries]
    )
    found = [
        replace(entry, title=f"{place} {entry.title}")
        for place, part in enumerate(entries)
        for entry in part
    ]
    table = profile_table(told, found, [""] * len(told))
    for row in table.rows:
        assert any(isinstance(cell, Estimate) and cell.value is not None for cell in row.cells)
    return [row.keys[0] for row in table.rows]


def test_two_models_of_one_label_have_two_rows() -> None:
    one, other = (
        named(summary_of(small=judgements("+-")), key={"weights": weights}) for weights in "ab"
    )
    digests = [each.runs[0].info.identities["model"][0].digest.hex()[:8] for each in (one, other)]
    assert digests[0] != digests[1]
    assert rows_of(one, other) == [f"small ({digest})" for digest in digests]
    assert rows_of(one, one) == ["small"]


def test_a_model_that_learns_from_each_suite_has_one_row() -> None:
    one, other, newer = (
        named(
            summary_of(ngram=judgements("+-")),
            key={"training": text, "order": "5", "version": version},
            about={LEARNT: "training folds"},
        )
        for text, version in (("a", "1"), ("b", "1"), ("b", "2"))
    )
    assert rows_of(one, other) == ["ngram"]
    assert len(rows_of(one, newer)) == 2


def compared(summary: Summary) -> ModelComparison:
    """The models of a summary, as if each had a run of its protocol."""
    run: Any = SimpleNamespace(protocol=summary.protocol)
    return compare_models(summary, [run for _ in summary.runs])


def test_places_are_given_where_models_are_told_apart() -> None:
    summary = summary_of(bad=judgements("-" * 12), good=judgements("+" * 12))
    ((_, table),) = compared(summary).rankings
    assert [(row.keys[0], row.cells[0], row.cells[1], row.cells[3]) for row in table.rows] == [
        ("good", "1 of 2", "a", "bad"),
        ("bad", "2 of 2", "b", "none"),
    ]


def test_what_a_run_lacks_is_said_beside_its_place() -> None:
    runs = {
        "good": judgements("+" * 20),
        "bad": judgements("-" * 20),
        "cut": judgements("+" * 5 + "." * 15),
    }
    summary = summary_of(**runs)
    ((_, table),) = compared(summary).rankings
    assert [column.name for column in table.columns][-1] == "judgements lacking"
    by_model = {row.keys[0]: row.cells for row in table.rows}
    assert by_model["cut"][0] == "1 to 3 of 3"
    assert by_model["cut"][-1] == Estimate(value=15)
    # Right on all it has, it stands not before the one that is right on everything.
    assert [row.keys[0] for row in table.rows] == ["good", "cut", "bad"]


def test_models_that_are_not_told_apart_get_a_sentence() -> None:
    summary = summary_of(one=judgements("+-+-"), other=judgements("-+-+"))
    (sentence,) = compared(summary).reasons
    assert "no ranking" in sentence
    assert "4 scores" in sentence


def test_changes_of_every_pair_up_to_a_number() -> None:
    summary = summary_of(first=judgements("++--"), second=judgements("+-++"))
    table = compared(summary).changes
    assert table is not None
    (row,) = table.rows
    assert row.keys == ("right", "first", "second")
    values = [cell.value for cell in row.cells if isinstance(cell, Estimate)]
    p = values[1]
    assert p is not None
    assert p > 0.4
    assert values == [0.25, p, p, 2, 1, 4, 0, 0]
    unclear = summary_of(first=judgements("++--"), second=judgements("+-??"))
    told = compared(unclear).changes
    assert told is not None
    rates = dict(zip([column.name for column in told.columns], told.rows[0].cells, strict=True))
    shown = [rates[f"undetected, {which}"] for which in ("first", "second")]
    assert [each.value for each in shown if isinstance(each, Estimate)] == [0, 1 / 2]
    many = summary_of(**{f"m{n}": judgements("+-") for n in range(MAX_COMPARED_MODELS + 1)})
    assert compared(many).changes is None
    alone = compared(summary_of(one=judgements("+-")))
    assert alone.changes is None
    assert not alone.rankings
    assert not alone.reasons
