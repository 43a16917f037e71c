"""From judgements to figures: what is counted by answers, what by words; rows of one model."""

from __future__ import annotations

import polars as pl
import pytest

from epicene.core.records import Estimate, Identity, Judgement, Table, Text, Texts
from epicene.runs.frames import judgement_frame
from epicene.show.table_formats import as_json
from epicene.stats.tabulate import undetected_share
from epicene.suites import AnsweredRequest, Answers, Results, RunInfo
from epicene.suites.apgc.items import TARGETS
from epicene.suites.apgc.judge import judge
from epicene.suites.apgc.metrics import all_metrics
from epicene.suites.apgc.protocol import PROTOCOLS
from epicene.suites.apgc.tables import tables
from runs.frames import results_of
from suites.apgc.corpus_folder import sentences
from suites.table_cells import values

PROTOCOL = PROTOCOLS["epicene"]


def judged(answers: dict[str, dict[str, str]]) -> list[Judgement]:
    """What is made of answers, by sentence and by request."""
    return [
        judgement
        for sentence in sentences()
        for judgement in judge(
            sentence,
            Answers(
                AnsweredRequest("", "model", "x", name, Texts(texts=(Text(text=text),)))
                for name, text in answers.get(sentence.id, {}).items()
            ),
            PROTOCOL,
        )
    ]


def made(judgements: list[Judgement]) -> dict[str, Table]:
    return {table.name: table for table in tables(results_of(judgements, PROTOCOL))}


# Three sentences of 5, 4 and 3 words: one told right in quotes, one told half right, one not read.
LABELS = {
    "1-0": {"identification": "`B B B B B`"},
    "2-0": {"identification": "B 1M B B"},
    "3-0": {"identification": "no idea"},
}


def test_answers_that_cannot_be_read_are_counted_by_answers() -> None:
    judgements = judged(LABELS)
    results = results_of(judgements, PROTOCOL)
    figures = all_metrics(results)
    assert undetected_share(results.frame).value == pytest.approx(1 / 3)
    assert undetected_share(results.frame).n == 3
    assert figures["identification_undetected"].value == pytest.approx(1 / 3)
    assert figures["identification_cleaned"].value == pytest.approx(1 / 3)
    assert figures["identification_sentence_accuracy"].value == pytest.approx(1 / 3)
    assert figures["identification_accuracy"].value == pytest.approx(8 / 12)
    found = made(judgements)
    whole = values(found["identification by sentence"], "all (macro)")
    assert whole["undetected"] == pytest.approx(1 / 3)
    by_word = values(found["identification by word"], "all (macro)")
    assert by_word["undetected"] == pytest.approx(3 / 12)
    assert by_word["accuracy"] == pytest.approx(8 / 12)


def test_precision_and_recall_by_label() -> None:
    table = made(judged(LABELS))["identification by word"]
    # B: 8 told, all of them true, of 10; 1M was told once and is never true; 1F and 2M never told.
    assert values(table, "B") == {"precision": 1.0, "recall": 0.8, "F1": pytest.approx(16 / 18)}
    assert values(table, "1M") == {"precision": 0.0, "recall": 0.0, "F1": 0.0}
    assert values(table, "1F") == {"precision": 0.0, "recall": 0.0, "F1": 0.0}
    # Over the four labels that occur; 2F does not.
    assert values(table, "all (macro)")["F1"] == pytest.approx(16 / 18 / 4)


TRANSLATIONS = {
    "2-0": {"translation": "أنا متعب اليوم ."},
    "2-1": {"translation": "أنا متعب اليوم ."},
    "3-0": {"translation": ""},
    "3-1": {"translation": ""},
}


def test_table_5_is_keyed_by_group_and_target() -> None:
    table = as_json(made(judged(TRANSLATIONS))["5"])
    assert table["MB FB"]["MM"]["value"] == pytest.approx(100)
    assert table["MB FB"]["FF"]["value"] < 100
    assert table["MB FB"]["undetected"]["value"] == 0
    assert table["BM BF"]["MM"]["value"] == 0
    assert table["BM BF"]["undetected"]["value"] == 1
    assert table["ALL"]["n"]["value"] == 4
    assert table["ALL"]["undetected"]["value"] == 0.5
    published = table["Google Translate 2021: ALL"]["MM"]
    assert (published["value"], published["origin"]) == (13.5, "published")


def test_of_several_models_each_has_its_rows() -> None:
    frames, infos = [], []
    for name in ("one", "two"):
        identities: dict[str, tuple[Identity, ...]] = {
            "model": (Identity(kind="x", label=name, key={}),),
            "translator": (Identity(kind="x", label="t", key={}),),
        }
        info = RunInfo(run=name, model=name, protocol="epicene", identities=identities)
        infos.append(info)
        frames.append(judgement_frame(judged({**TRANSLATIONS, "1-0": {"rewriting MM": ""}}), info))
    results = Results(pl.concat(frames, how="diagonal"), PROTOCOL, tuple(infos))
    found = {table.name: table for table in tables(results)}
    assert {row.keys[0] for row in found["rewriting"].rows} == {"one", "two"}
    assert {row.keys[0] for row in found["5"].rows if row.origin == "run"} == {
        "one, translated by t",
        "two, translated by t",
    }
    assert found["5"].levels == ("model", "sentences")


def test_what_was_published_stands_beside_ours() -> None:
    answers = {
        "2-0": {
            "translation": "أنا متعب اليوم .",
            **{f"post-editing {target}": "أنا متعبة اليوم ." for target in TARGETS},
        }
    }
    table = made(judged(answers))["post-editing"]
    assert values(table, "FF")["before"] == pytest.approx(values(table, "MM")["after"])
    assert values(table, "FF")["after"] == pytest.approx(100)
    published = [row for row in table.rows if row.origin == "published"]
    figures = {
        row.keys[0]: [cell.value for cell in row.cells[:2] if isinstance(cell, Estimate)]
        for row in published
    }
    assert figures == {
        "Google Translate 2021, dev: MM": [13.75, 13.84],
        "Google Translate 2021, dev: FM": [13.30, 13.78],
        "Google Translate 2021, dev: MF": [11.67, 13.41],
        "Google Translate 2021, dev: FF": [11.26, 13.37],
    }
