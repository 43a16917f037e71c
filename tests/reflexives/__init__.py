"""Reflexives: an example of a suite in one file, with two formats; `choice.py` adds a study."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import epicene
from epicene.core import registry
from epicene.core.records import Figure, FirstToken, Table
from epicene.languages.tokenisation import words
from epicene.show import charts
from epicene.stats.tabulate import accuracy_table
from epicene.suites import Protocol, Results, read_card
from reflexives.choice import choice

STARTER = Path(__file__).parent / "starter" / "pairs.jsonl"


class Sentence(epicene.Item, frozen=True, kw_only=True):
    """The text before the reflexive, the reflexive that agrees, and the text after it."""

    before: str
    reflexive: Literal["himself", "herself"]
    after: str
    gender: Literal["masculine", "feminine"]
    language: str = "en"

    @property
    def texts(self) -> tuple[str, str]:
        """The sentence as it should be, then with the other reflexive."""
        other = {"himself": "herself", "herself": "himself"}[self.reflexive]
        return (self.before + self.reflexive + self.after, self.before + other + self.after)


class ReflexiveProtocol(Protocol, frozen=True, kw_only=True):
    """The settings of a reflexives protocol."""

    first_token: FirstToken = "bos"
    samples: int = 2
    new_tokens: int = 8


def tables(results: Results[Any]) -> Iterator[Table]:
    """By format, then by gender within each."""
    notes = ("A generation without a reflexive is undetected, and not right.",)
    yield accuracy_table(
        results.frame,
        name="accuracy",
        title="Right reflexive, by gender of the subject",
        rows=("model", "measure"),
        columns="gender",
        notes=notes,
    )
    yield accuracy_table(
        results.frame,
        name="formats",
        title="Right reflexive, by format",
        rows=("model",),
        columns="measure",
        notes=notes,
    )


def figures(results: Results[Any]) -> Iterator[Figure]:
    """Accuracy of each model by format."""
    rows = [
        {"model": row.keys[0], "format": row.keys[1], "accuracy": row.cells[0]}
        for row in next(iter(tables(results))).rows
    ]
    title = "Right reflexive, by model and format"
    yield charts.bars(
        "accuracy", title, rows, x="model", y="accuracy", color="format", unit="share"
    )


reflexives = epicene.suite(
    "reflexives",
    items=STARTER,
    item=Sentence,
    languages=["en"],
    facets=["gender"],
    protocols={
        "paper": ReflexiveProtocol(
            name="paper",
            about="The tokenizer decides what stands before the first token.",
            first_token="tokenizer-default",
        ),
        "epicene": ReflexiveProtocol(
            name="epicene", about="A beginning token stands before every sentence."
        ),
    },
    card=read_card(Path(__file__).with_name("card.toml")),
    tables=tables,
    figures=figures,
    headline_metrics=(),  # all outcomes together
    corpus=lambda item: item.texts[:1],
    studies={"choice": choice},
)


@reflexives.ask
def ask(item: Sentence, settings: ReflexiveProtocol) -> Iterator[epicene.Score | epicene.Generate]:
    """Score the pair; continue the sentence up to the reflexive."""
    yield epicene.Score(name="probability", texts=item.texts, first_token=settings.first_token)
    yield epicene.Generate(
        name="generation",
        prompt=item.before.rstrip(),
        samples=settings.samples,
        decoding=epicene.Decoding(
            max_new_tokens=settings.new_tokens, temperature=1.0, top_p=0.95, seed=settings.seed
        ),
        source=item.before,
        choices=("himself", "herself"),
    )


@reflexives.judge
def judge(item: Sentence, answers: tuple[epicene.Scores, epicene.Texts]) -> dict[str, Any]:
    """By probability the likelier sentence wins; by generation the first reflexive counts."""
    scores, texts = answers
    found = [first_reflexive(text.text) for text in texts.texts]
    return {
        "probability": scores.best == 0,
        "generation": [None if each is None else each == item.reflexive for each in found],
    }


def first_reflexive(text: str) -> str | None:
    """The first himself or herself of a text."""
    for start, end, _ in words(text, "en"):
        if text[start:end].lower() in ("himself", "herself"):
            return text[start:end].lower()
    return None


suite = replace(reflexives.suite, file=None)  # as if a package had brought it


def register() -> None:
    """Make the suite known in this process."""
    registry.add("suites", suite.name, suite)
