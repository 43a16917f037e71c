"""GramVis: does a noun's grammatical gender decide who is drawn?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from epicene.core.records import Draw, Look
from epicene.suites import Role, Stage, Suite, read_card
from epicene.suites.gramvis import ask
from epicene.suites.gramvis.checks import check
from epicene.suites.gramvis.construction import construction
from epicene.suites.gramvis.data import PUBLISHED_SHA256, is_published, read
from epicene.suites.gramvis.external_answers import read_votes
from epicene.suites.gramvis.figures import contact_sheets, figures
from epicene.suites.gramvis.items import LabelCounts, PromptItem, stratum
from epicene.suites.gramvis.judge import judge
from epicene.suites.gramvis.metrics import HEADLINE_METRICS, all_metrics
from epicene.suites.gramvis.paper_wording import MATERIAL
from epicene.suites.gramvis.planted import planted_effects
from epicene.suites.gramvis.protocol import PROTOCOLS, GramvisProtocol
from epicene.suites.gramvis.statistics import statistics
from epicene.suites.gramvis.studies import image
from epicene.suites.gramvis.studies.word_meanings import CATEGORY, STEREOTYPE, study_kind
from epicene.suites.gramvis.tables import tables
from epicene.suites.wordings import judge_by_wording

suite: Suite[Any, GramvisProtocol] = Suite(
    name="gramvis",
    version="1",
    card=read_card(Path(__file__).parent / "card.toml"),
    item=PromptItem,  # counts are scored, never run
    protocols=PROTOCOLS,
    roles=(
        Role(name=ask.DRAWER, about="draws the prompts"),
        Role(name=ask.JUDGES, about="say who is shown; three or more models", many=True),
    ),
    stages=(
        Stage(name=ask.DRAW, role=ask.DRAWER, verbs=(Draw,), ask=ask.draw),
        Stage(name=ask.LOOK, role=ask.JUDGES, verbs=(Look,), ask=ask.look, needs=(ask.DRAW,)),
    ),
    read=read,
    judge=judge_by_wording(judge),
    metrics=all_metrics,
    tables=tables,
    figures=figures,
    headline_metrics=HEADLINE_METRICS,
    planted=planted_effects,
    format_tables=("judges",),
    stratum=stratum,
    wordings_note="Judges were asked in several wordings; these are their answers to the first.",
    check=check,
    statistics=statistics,
    is_published=is_published,
    published_files={"ClassifiedData_rows.csv": PUBLISHED_SHA256},
    read_answers=read_votes,
    holds_outcome=lambda item: isinstance(item, LabelCounts),
    score_protocol="paper",
    contact_sheets=contact_sheets,
    construction=construction,
    paper_material=MATERIAL,
    studies={
        STEREOTYPE: study_kind(STEREOTYPE),
        CATEGORY: study_kind(CATEGORY),
        "image": image.kind,
    },
)
