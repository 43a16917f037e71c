"""Reflexives: an example of a suite, with one stage, two formats and a study."""

from __future__ import annotations

from pathlib import Path

from epicene.core import registry
from epicene.core.records import Generate, Score
from epicene.suites import Role, Stage, Suite, read_card
from reflexives.ask import ask
from reflexives.data import corpus, read, stratum
from reflexives.figures import figures
from reflexives.items import Sentence
from reflexives.judge import judge
from reflexives.metrics import all_metrics
from reflexives.protocol import PROTOCOLS
from reflexives.studies.choice import choice
from reflexives.tables import tables

suite = Suite(
    name="reflexives",
    version="1",
    card=read_card(Path(__file__).parent / "card.toml"),
    item=Sentence,
    protocols=PROTOCOLS,
    roles=(Role(name="model", about="scores and continues sentences"),),
    stages=(Stage(name="ask", role="model", verbs=(Score, Generate), ask=ask),),
    read=read,
    judge=judge,
    metrics=all_metrics,
    tables=tables,
    figures=figures,
    stratum=stratum,
    corpus=corpus,
    studies={"choice": choice},
)


def register() -> None:
    """Make the suite known in this process."""
    registry.add("suites", suite.name, suite)
