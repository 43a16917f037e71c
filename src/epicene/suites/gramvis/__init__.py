"""GramVis: whether a noun's grammatical gender decides who is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from epicene.suites import Suite, read_card
from epicene.suites.gramvis.counts import Counted
from epicene.suites.gramvis.data import read
from epicene.suites.gramvis.figures import figures
from epicene.suites.gramvis.judge import judge
from epicene.suites.gramvis.protocol import PROTOCOLS, GramvisProtocol
from epicene.suites.gramvis.tables import metrics, tables
from epicene.suites.gramvis.votes import read_votes

suite: Suite[Any, GramvisProtocol] = Suite(
    name="gramvis",
    version="1",
    card=read_card(Path(__file__).parent / "card.toml"),
    item=Counted,
    protocols=PROTOCOLS,
    roles=(),
    stages=(),
    read=read,
    judge=judge,
    metrics=metrics,
    tables=tables,
    figures=figures,
    read_answers=read_votes,
    holds_outcome=lambda item: isinstance(item, Counted),
    scored_under="paper",
)
