"""Alternations: minimal pairs and gaps; Hindi verb frames, gender agreement, any pairs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from epicene.records import Fill, Generate, Score
from epicene.suites import Role, Stage, Suite, read_card
from epicene.suites.alternations import acceptability, cloze
from epicene.suites.alternations.checks import check
from epicene.suites.alternations.construction import construction
from epicene.suites.alternations.data import corpus, read, stratum
from epicene.suites.alternations.figures import figures
from epicene.suites.alternations.pairs import Pair
from epicene.suites.alternations.protocol import PROTOCOLS
from epicene.suites.alternations.tables import metrics, tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.records import Judgement
    from epicene.suites import Answers
    from epicene.suites.alternations.protocol import AlternationsProtocol


def judge(pair: Pair, answers: Answers, protocol: AlternationsProtocol) -> Iterator[Judgement]:
    """The likelier sentence, and what fills the gap."""
    yield from acceptability.judge(pair, answers, protocol)
    yield from cloze.judge(pair, answers, protocol)


suite = Suite(
    name="alternations",
    version="1",
    card=read_card(Path(__file__).parent / "card.toml"),
    item=Pair,
    protocols=PROTOCOLS,
    roles=(Role(name="model", about="scores sentences and fills gaps"),),
    stages=(
        Stage(
            name="acceptability",
            role="model",
            verbs=(Score,),
            ask=acceptability.ask,
            when=lambda protocol: "acceptability" in protocol.formats,
        ),
        Stage(
            name="cloze",
            role="model",
            verbs=(Fill,),
            ask=cloze.ask_fill,
            when=lambda protocol: "cloze" in protocol.formats,
        ),
        Stage(
            name="prompt",
            role="model",
            verbs=(Generate,),
            ask=cloze.ask_prompt,
            when=lambda protocol: "prompt" in protocol.formats,
        ),
    ),
    read=read,
    judge=judge,
    metrics=metrics,
    tables=tables,
    figures=figures,
    stratum=stratum,
    corpus=corpus,
    check=check,
    construction=construction,
)
