"""What a suite looks like with types: it runs in a test, and `mypy --strict` checks it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

import epicene

PAIRS = [
    {"id": "queen", "before": "The queen saw ", "right": "herself", "wrong": "himself"},
    {"id": "king", "before": "The king saw ", "right": "himself", "wrong": "herself"},
]

# Rows as they are: columns may be anything.
typed_rows = epicene.suite("typed_rows", items=PAIRS, languages=["en"], settings={"samples": 2})


@typed_rows.ask
def ask_both(item: epicene.RowItem, settings: Any) -> Iterator[epicene.Score | epicene.Generate]:
    """A choice and a continuation."""
    yield epicene.choose(item.before, [item.right, item.wrong], name="choice")
    yield epicene.Generate(
        prompt=item.before, samples=settings.samples, choices=(item.right, item.wrong), name="text"
    )


@typed_rows.judge
def judge_both(
    item: epicene.RowItem, answers: tuple[epicene.Scores, epicene.Texts]
) -> dict[str, bool | list[bool]]:
    """Whether the right reflexive is likelier, and whether it comes."""
    scores, texts = answers
    return {
        "choice": scores.best == 0,
        "text": [item.right in text.text for text in texts.texts],
    }


@typed_rows.metric(unit="share")
def certain(frame: pl.DataFrame) -> float:
    """The share of judgements that are right or wrong."""
    return frame.filter(pl.col("outcome") != "undetected").height / frame.height


class Pair(epicene.Item, frozen=True, kw_only=True):
    """Rows that are checked."""

    before: str
    right: str
    wrong: str


typed_items = epicene.suite("typed_items", items=PAIRS, item=Pair, languages=["en"])


@typed_items.ask
def ask(item: Pair) -> epicene.Score:
    """A choice."""
    return epicene.choose(item.before, [item.right, item.wrong], ".")


@typed_items.judge
def judge(item: Pair, answer: epicene.Scores) -> epicene.Judgement:
    """Right if the right reflexive is likelier."""
    return epicene.Judgement(outcome="right" if answer.best == 0 else "wrong", label=item.right)


def measure(folder: Path) -> list[epicene.Run]:
    """Run both suites."""
    definitions: list[epicene.SuiteDefinition] = [typed_rows, typed_items]
    return [
        epicene.run(each, model="random", out=folder / each.name, progress=False)
        for each in definitions
    ]


if __name__ == "__main__":
    for run in measure(Path("runs")):
        print(run.metrics())  # noqa: T201
