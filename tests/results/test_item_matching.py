"""Judgements are paired where items are the same, and models beside the measured one are said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import two_stage
from epicene.core import registry
from epicene.core.errors import InputError, RunError
from epicene.core.records import Judgement
from epicene.results.compare import compare_agreement, compare_runs
from epicene.results.matching import match_items
from epicene.results.summary import differing_run_settings, summarise
from epicene.runs.stored_run import StoredRun, read_run
from epicene.show.run_tables import runs_table
from epicene.suites import Answers, DataSource
from reflexives import STARTER
from runs.conftest import Runner, run_suite


def ran(out: Path, data: Path | None = None, model: str = "random") -> StoredRun:
    return run_suite("reflexives", out, model, source=DataSource(path=data))


def rewritten(path: Path, changed: int) -> Path:
    """The starter set with another sentence under so many of its ids."""
    lines = [json.loads(line) for line in STARTER.read_text(encoding="utf-8").splitlines()]
    for line in lines[:changed]:
        line["before"] = f"Yesterday, {line['before']}"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def test_another_sentence_under_the_same_id_is_not_paired(tmp_path: Path) -> None:
    first = ran(tmp_path / "one")
    second = ran(tmp_path / "two", rewritten(tmp_path / "other.jsonl", 5), "random:1")
    found = compare_runs(first, second)
    assert found.shared == 3 * (24 - 5)
    (sentence,) = [each for each in found.notes if "the same item" in each]
    assert sentence.startswith("5 ids do not mean the same item")
    for each in (first, second):
        assert each.manifest.settings.files[0].sha256[:8] in sentence
        assert str(each.folder) in sentence
    assert compare_agreement(first, second).shared == sum(
        1 for each in found_pairs(first, second) if "undetected" not in each
    )


def found_pairs(first: StoredRun, second: StoredRun) -> list[tuple[str, str]]:
    """The outcomes of judgements that both have, by item and name, of unchanged items."""
    frame = summarise([first, second]).results.frame.with_columns(
        pl.col("item", "name", "outcome").cast(pl.String)
    )
    one, other = frame.partition_by("run", maintain_order=True)
    both = one.join(other, on=["item", "name"], suffix="_2")
    return both.select("outcome", "outcome_2").rows()


def test_one_id_that_is_not_the_same_is_one(tmp_path: Path) -> None:
    first = ran(tmp_path / "one")
    second = ran(tmp_path / "two", rewritten(tmp_path / "other.jsonl", 1), "random:1")
    (sentence,) = match_items([first, second]).sentences(["one", "two"])
    assert sentence.startswith("1 id does not mean the same item in all of these runs")


def test_the_same_sentences_in_another_file_are_paired(tmp_path: Path) -> None:
    copied = rewritten(tmp_path / "copied.jsonl", 0)
    copied.write_text(copied.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    first, second = ran(tmp_path / "one"), ran(tmp_path / "two", copied)
    assert first.manifest.settings.files != second.manifest.settings.files
    found = compare_runs(first, second)
    assert found.shared == 3 * 24
    assert match_items([first, second]).mismatched == 0
    files = [each.manifest.settings.files[0].sha256[:8] for each in (first, second)]
    assert found.notes == (
        "These runs differ in data (one pairs.jsonl, two copied.jsonl), "
        f"files (one pairs.jsonl {files[0]}, two copied.jsonl {files[1]}).",
    )


def test_runs_of_other_sentences_altogether_are_refused(tmp_path: Path) -> None:
    first = ran(tmp_path / "one")
    second = ran(tmp_path / "two", rewritten(tmp_path / "other.jsonl", 24))
    with pytest.raises(InputError, match=r"share no judged item.*24 ids do not mean the same item"):
        compare_runs(first, second)
    with pytest.raises(InputError, match=r"share no item with an outcome.*24 ids do not mean"):
        compare_agreement(first, second)


def test_a_summary_tells_them_apart_too(tmp_path: Path) -> None:
    first = ran(tmp_path / "one")
    second = ran(tmp_path / "two", rewritten(tmp_path / "other.jsonl", 5), "random:1")
    frame = summarise([first, second]).results.frame
    assert frame["item"].n_unique() == 24 + 5
    assert frame.group_by("item").agg(pl.col("model").n_unique())["model"].sum() == 2 * 24


def test_both_runs_say_how_much_is_undetected(tmp_path: Path) -> None:
    first, second = ran(tmp_path / "one", model="random"), ran(tmp_path / "two", model="ngram")
    found = compare_runs(first, second)
    alone = [summarise([each]).undetected for each in (first, second)]
    assert alone[0] != alone[1]
    assert [run.undetected for run in found.runs] == alone
    (table,) = [each for each in found.tables if each.name == "undetected"]
    assert [row.cells[0] for row in table.rows] == alone
    assert found.undetected.n == sum(each.n for each in alone)


def test_agreement_says_how_much_of_what_it_compares_is_undetected(tmp_path: Path) -> None:
    first = ran(tmp_path / "one", model="ngram")
    second = ran(tmp_path / "two", rewritten(tmp_path / "other.jsonl", 5), "ngram")
    whole, part = compare_agreement(first, first), compare_agreement(first, second)
    assert [run.undetected.n for run in whole.runs] == [whole.runs[0].undetected.n] * 2
    assert whole.runs[0].undetected == summarise([first]).undetected
    lost = whole.runs[0].undetected.n * 5 // 24
    assert [run.undetected.n for run in part.runs] == [whole.runs[0].undetected.n - lost] * 2


def twice(
    item: two_stage.Opening, answers: Answers, protocol: two_stage.TwoStages
) -> Iterator[Judgement]:
    """Every judgement, and the first of them again."""
    made = list(two_stage.judge(item, answers, protocol))
    yield from (*made, made[0])


def test_a_suite_that_names_two_judgements_alike(do_run: Runner, tmp_path: Path) -> None:
    runs = [read_run(do_run(out=tmp_path / name)[0]) for name in ("one", "two")]
    suite = replace(two_stage.suite, judge=twice)
    registry.add("suites", suite.name, suite)
    runs = [replace(each, suite=suite) for each in runs]
    message = "The suite two-stage gives two judgements of the item 'opening-0' the name 'read 0 by"
    for pairing in (compare_runs, compare_agreement):
        with pytest.raises(RunError, match=message):
            pairing(runs[0], runs[1])


def test_other_judges_are_reported(do_run: Runner, tmp_path: Path) -> None:
    one, _ = do_run(out=tmp_path / "one", readers=("scripted:a", "scripted:b"))
    swapped, _ = do_run(out=tmp_path / "swapped", readers=("scripted:b", "scripted:a"))
    other, _ = do_run(out=tmp_path / "other", readers=("scripted:a", "scripted:c?label=scripted-b"))
    written, _ = do_run(out=tmp_path / "written", writer="scripted:v")
    one_run, other_run = read_run(one), read_run(other)
    assert differing_run_settings([one_run, read_run(swapped)]) == []
    assert differing_run_settings([one_run, read_run(written)]) == []
    digests = [each.manifest.models["reader"][1].digest.hex()[:8] for each in (one_run, other_run)]
    a = one_run.manifest.models["reader"][0].digest.hex()[:8]
    assert differing_run_settings([one_run, other_run]) == [
        f"reader (scripted-a {a}, scripted-b {digests[0]} against "
        f"scripted-a {a}, scripted-b {digests[1]})"
    ]
    (sentence,) = compare_runs(one_run, other_run).notes
    assert "These runs differ in reader (" in sentence
    summary = summarise([one_run, other_run])
    table = runs_table([summary], [[one_run, other_run]])
    roles = [column.name for column in table.columns].index("other roles")
    assert [row.cells[roles] for row in table.rows] == [
        f"reader: scripted-a {a}, scripted-b {digest}" for digest in digests
    ]
