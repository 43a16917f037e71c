"""Numbers of the Python API that could be wrong do not look right."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest

import epicene
from epicene.core.errors import EpiceneWarning, InputError

ITEMS = [{"id": str(number), "kind": "a" if number % 2 else "b"} for number in range(10)]


def suite_of(judge: Any, **settings: Any) -> epicene.SuiteDefinition:
    defined = epicene.suite("honest", items=ITEMS, languages=["en"], **settings)

    @defined.ask
    def ask(item: Any) -> epicene.Score:
        return epicene.choose("", ["x", "y"])

    defined.judge(judge)
    return defined


def run(defined: epicene.SuiteDefinition, out: str = "run", model: str = "random") -> epicene.Run:
    return epicene.run(defined, model=model, out=out, progress=False)


def metrics(results: epicene.Run) -> dict[str, tuple[float | None, int]]:
    return {row["metric"]: (row["value"], row["n"]) for row in results.metrics().to_dicts()}


def test_answers_are_not_judged_by_another_version_of_their_suite() -> None:
    old = run(suite_of(lambda _item, _answer: True, version="1"))
    with pytest.raises(InputError, match="run with version 1 of the suite honest, but this is v"):
        epicene.load(old.path, suite=suite_of(lambda _item, _answer: True, version="2"))


def test_judgements_without_a_measure_are_counted_beside_the_others() -> None:
    found = metrics(
        run(suite_of(lambda item, _answer: {"gender": True} if item.kind == "a" else False))
    )
    assert found["accuracy_gender"] == (1.0, 5)
    assert found["accuracy"] == (0.0, 5)


def test_labels_keep_their_shares_beside_undetected_answers() -> None:
    found = metrics(run(suite_of(lambda item, _answer: None if item.id == "0" else "he")))
    assert found["share_he"] == (0.9, 10)
    assert "accuracy" not in found


def test_runs_of_one_model_are_told_apart_everywhere() -> None:
    defined = suite_of(lambda _item, _answer: True)
    both = epicene.tables([run(defined, "one"), run(defined, "two")])
    assert both.items()["model"].unique().len() == 2
    assert set(both.answers()["run"]) == {"one", "two"}


def test_results_that_leave_something_out_warn_wherever_they_are_read() -> None:
    whole = epicene.run("reflexives", model="random", progress=False)
    rows = [
        {"id": row["item"], "name": row["name"], "answer": json.loads(row["answer"])}
        for row in whole.answers(where=pl.col("item") == "king").to_dicts()
    ]
    scored = epicene.score("reflexives", rows)
    for read in (scored.metrics, lambda: scored.table("accuracy")):
        with pytest.warns(EpiceneWarning, match="items have no answer"):
            read()
    assert "items have no answer" in scored._repr_html_()
    with pytest.raises(
        InputError, match="answers the same request of the item 'king' a second time"
    ):
        epicene.score("reflexives", [*rows, rows[0]])


def test_options_that_would_be_ignored_are_refused() -> None:
    with epicene.open_model("random") as model, pytest.raises(InputError, match="--dtype"):
        epicene.run("reflexives", model=model, dtype="float32", progress=False)


def test_functions_that_enclose_other_values_are_other_models() -> None:
    def saying(word: str) -> Any:
        return lambda prompts: [word for _ in prompts]

    models = [epicene.open_model(generate=saying(word), label="c") for word in ("he", "she")]
    assert models[0].identity.digest != models[1].identity.digest
    assert (
        epicene.open_model(generate=saying("he"), label="c").identity.digest
        == models[0].identity.digest
    )
