"""Reflexives: a tiny suite of one stage and two formats, for tests of the machinery."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from epicene.core import registry
from epicene.core.records import Generate, Score
from epicene.suites import Role, Stage, Suite, read_card
from reflexives.ask import ReflexiveProtocol, ask
from reflexives.data import Sentence, read
from reflexives.judge import judge
from reflexives.people import choice
from reflexives.tables import figures, metrics, tables

if TYPE_CHECKING:
    from collections.abc import Iterator


def corpus(item: Sentence) -> Iterator[str]:
    """The sentence as it should be."""
    yield item.texts[0]


suite = Suite(
    name="reflexives",
    version="1",
    card=read_card(Path(__file__).parent / "card.toml"),
    item=Sentence,
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
    roles=(Role(name="model", about="scores and continues sentences"),),
    stages=(Stage(name="ask", role="model", verbs=(Score, Generate), ask=ask),),
    read=read,
    judge=judge,
    metrics=metrics,
    tables=tables,
    figures=figures,
    stratum=lambda item: ("", item.gender),
    corpus=corpus,
    studies={"choice": choice},
)


def register() -> None:
    """Make the suite known in this process."""
    registry.add("suites", suite.name, suite)
