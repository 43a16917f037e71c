"""GramVis: whether a noun's grammatical gender decides who is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from epicene.records import Draw, Look
from epicene.suites import Role, Stage, Suite, read_card
from epicene.suites.gramvis import ask
from epicene.suites.gramvis.construction import construction
from epicene.suites.gramvis.contact import sheets
from epicene.suites.gramvis.counts import Counted
from epicene.suites.gramvis.data import read
from epicene.suites.gramvis.figures import figures
from epicene.suites.gramvis.headlines import HEADLINES
from epicene.suites.gramvis.judge import judge
from epicene.suites.gramvis.people import image
from epicene.suites.gramvis.people.word_studies import CATEGORY, STEREOTYPE, kind_of
from epicene.suites.gramvis.prompted import Prompted, stratum
from epicene.suites.gramvis.protocol import PROTOCOLS, GramvisProtocol
from epicene.suites.gramvis.tables import metrics, tables
from epicene.suites.gramvis.votes import read_votes
from epicene.suites.gramvis.word_checks import check_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.suites import Finding


def check(items: Sequence[Counted | Prompted], _protocol: GramvisProtocol) -> Iterator[Finding]:
    """What is wrong with the words; of counts, whose words are nobody's choice, nothing."""
    # Each word is there once for each template.
    words = [item.entry for item in items if isinstance(item, Prompted) and item.template == 1]
    yield from check_words(words)


suite: Suite[Any, GramvisProtocol] = Suite(
    name="gramvis",
    version="1",
    card=read_card(Path(__file__).parent / "card.toml"),
    item=Prompted,  # counts are scored, never run
    protocols=PROTOCOLS,
    roles=(
        Role(name=ask.DRAWER, about="draws the prompts"),
        Role(name=ask.JUDGES, about="say who is shown; three or more", many=True),
    ),
    stages=(
        Stage(name=ask.DRAW, role=ask.DRAWER, verbs=(Draw,), ask=ask.draw),
        Stage(name=ask.LOOK, role=ask.JUDGES, verbs=(Look,), ask=ask.look, needs=(ask.DRAW,)),
    ),
    read=read,
    judge=judge,
    metrics=metrics,
    tables=tables,
    figures=figures,
    headlines=HEADLINES,
    format_tables=("judges",),
    stratum=stratum,
    check=check,
    read_answers=read_votes,
    holds_outcome=lambda item: isinstance(item, Counted),
    scored_under="paper",
    sheets=sheets,
    construction=construction,
    studies={
        STEREOTYPE: kind_of(STEREOTYPE),
        CATEGORY: kind_of(CATEGORY),
        "image": image.kind,
    },
)
