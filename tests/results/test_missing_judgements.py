"""What items without an answer would have been judged on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from epicene.core import registry
from epicene.results.matching import match_items
from epicene.results.missing import expected_judgements, missing_judgements
from epicene.results.model_ranking import rank
from epicene.results.summary import summarise
from epicene.runs.frames import judgement_frame
from epicene.runs.stored_run import RunJudgements, StoredRun, read_run
from epicene.show.model_comparison import compare_models
from epicene.suites import Results, find_suite
from epicene.suites.headline_metrics import headline_metrics_of
from runs.conftest import Runner, run_suite

Keys = list[tuple[str, ...]]


@pytest.mark.parametrize("protocol", ["paper", "epicene"])
@pytest.mark.parametrize("name", sorted(registry.names("suites")))
def test_the_keys_are_those_of_a_run_that_answers_everything(
    name: str, protocol: str, tmp_path: Path
) -> None:
    """Under every headline of every suite, by the answers of `random`."""
    ours = {"wording": "epicene"} if find_suite(name).paper_material else {}
    done = run_suite(name, tmp_path / "run", protocol=protocol, settings=ours, limit=12)
    assert done.manifest.state == "complete"
    assert list(RunJudgements(done).lacking()) == []
    real = judgement_frame(RunJudgements(done), done.info)
    judgements = (
        each
        for item, _ in RunJudgements(done).answered()
        for each in expected_judgements(done, item)
    )
    assumed = judgement_frame(judgements, done.info)
    headlines = headline_metrics_of(done.suite, Results(real, done.protocol, (done.info,)))
    ranked = [each.item_scores for each in headlines if each.item_scores is not None]
    for figures in ranked:
        wanted, found = (
            figures(Results(frame, done.protocol, (done.info,))) for frame in (real, assumed)
        )
        assert keys(found) == keys(wanted)
    assert not ranked or any(
        len(figures(Results(real, done.protocol, (done.info,)))) for figures in ranked
    )


def keys(frame: pl.DataFrame) -> Keys:
    return sorted(frame.select(pl.col("item", "name", "group").cast(pl.String)).rows())


def two(do_run: Runner, tmp_path: Path, writer: str) -> list[StoredRun]:
    """Two runs whose readers never fail, by writers of one name, which fail at the same items."""
    folders = [
        do_run(writer=writer, readers=(f"scripted:{reader}?label=reader",), out=tmp_path / reader)[
            0
        ]
        for reader in ("a", "b")
    ]
    return [read_run(folder) for folder in folders]


def test_what_fails_in_every_run_is_still_asked(do_run: Runner, tmp_path: Path) -> None:
    whole = two(do_run, tmp_path / "whole", "scripted:w")
    broken = two(do_run, tmp_path / "broken", "scripted:w-failing")
    lost = [{item.id for item in RunJudgements(each).lacking()} for each in broken]
    assert lost[0] == lost[1] != set()

    (headline,) = headline_metrics_of(whole[0].suite, summarise(whole).results)
    assert headline.item_scores is not None
    found, of_whole = (
        rank(
            headline.item_scores(results), [info.model for info in results.runs], suite="two-stage"
        )
        for results in (asked_of(broken), asked_of(whole))
    )
    assert found.judgements == of_whole.judgements == 60 * 3
    assert found.shared == 3 * (60 - len(lost[0]))
    assert all(each.lacking == 3 * len(lost[0]) for each in found.models)

    compared = compare_models(summarise(broken), broken)
    notes = [" ".join(table.notes) for _, table in compared.rankings]
    assert compared.rankings or compared.reasons
    for note in (*notes, *compared.reasons):
        assert f"{found.shared} of 180 scores are in all runs" in note


def asked_of(runs: list[StoredRun]) -> Results[Any]:
    """All judgements, and those that nobody has."""
    results = summarise(runs).results
    lacking = missing_judgements(runs, match_items(runs))
    return replace(results, frame=pl.concat([results.frame, lacking], how="diagonal"))


@pytest.mark.parametrize("name", ["alternations", "apgc", "genform", "misgendering"])
def test_half_a_run_is_asked_as_much_as_a_whole_one(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is missing makes up for what is not there, in the frame that headlines see."""
    done = run_suite(name, tmp_path / "run", limit=4)
    items = [item for item, _ in RunJudgements(done).answered()]
    whole = [summarise([done]).results]
    half = {item.id for item in items[::2]}
    judged = [each for each in RunJudgements(done) if each.item in half]
    monkeypatch.setattr(RunJudgements, "lacking", lambda _: (i for i in items if i.id not in half))
    lacking = missing_judgements([done], match_items([done]))
    frame = pl.concat([judgement_frame(judged, done.info), lacking], how="diagonal")
    for headline in headline_metrics_of(done.suite, whole[0]):
        if headline.item_scores is not None:
            before, after = (
                rank(headline.item_scores(results), [done.info.model], suite=name)
                for results in (*whole, Results(frame, done.protocol, (done.info,)))
            )
            assert before.judgements == before.shared == after.judgements
            assert after.shared + after.models[0].lacking == after.judgements
