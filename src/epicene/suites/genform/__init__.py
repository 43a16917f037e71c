"""GenForm: rewrite a first-person sentence for a speaker of the other gender."""

from __future__ import annotations

from pathlib import Path

from epicene.core.records import Generate, Score, Translate
from epicene.suites import Role, Stage, Suite, read_card
from epicene.suites.genform.ask import (
    GENERATION,
    NEUTRAL,
    PROBABILITY,
    TRANSLATION,
    ask_for_neutral,
    ask_for_scores,
    ask_for_translation,
    ask_to_write,
)
from epicene.suites.genform.checks import check
from epicene.suites.genform.construction import construction
from epicene.suites.genform.data import corpus, is_published, read, stratum
from epicene.suites.genform.external_answers import item_details, read_answers
from epicene.suites.genform.figures import figures
from epicene.suites.genform.items import Pair
from epicene.suites.genform.judge import judge, scored_texts
from epicene.suites.genform.metrics import FORMAT_PAIRS
from epicene.suites.genform.paper_wording import MATERIAL
from epicene.suites.genform.protocol import PROTOCOLS
from epicene.suites.genform.statistics import statistics
from epicene.suites.genform.studies import naturalness, rewritings
from epicene.suites.genform.tables import tables
from epicene.suites.genform.tables_neutral import all_metrics, headline_metrics
from epicene.suites.wordings import in_wordings, judge_by_wording

suite = Suite(
    name="genform",
    version="1",
    card=read_card(Path(__file__).parent / "card.toml"),
    item=Pair,
    protocols=PROTOCOLS,
    roles=(Role(name="model", about="rewrites sentences, scores their forms or translates"),),
    stages=(
        Stage(
            name=GENERATION,
            role="model",
            verbs=(Generate,),
            ask=ask_to_write,
            when=lambda protocol: GENERATION in protocol.formats and bool(protocol.genders),
        ),
        Stage(
            name=NEUTRAL,
            role="model",
            verbs=(Generate,),
            ask=ask_for_neutral,
            when=lambda protocol: protocol.asks_neutral,
        ),
        Stage(
            name=PROBABILITY,
            role="model",
            verbs=(Score,),
            ask=ask_for_scores,
            when=lambda protocol: PROBABILITY in protocol.formats,
        ),
        Stage(
            name=TRANSLATION,
            role="model",
            verbs=(Translate,),
            ask=ask_for_translation,
            when=lambda protocol: TRANSLATION in protocol.formats,
        ),
    ),
    read=read,
    judge=judge_by_wording(judge, lambda _, judged: judged.facets["format"] != TRANSLATION),
    metrics=all_metrics,
    tables=tables,
    figures=figures,
    headline_metrics=headline_metrics,
    format_tables=("agreement",),
    format_pairs=FORMAT_PAIRS,
    stratum=stratum,
    in_wordings=lambda pair, protocol: in_wordings(pair, protocol.wordings),
    corpus=corpus,
    read_answers=read_answers,
    item_details=item_details,
    scored_texts=scored_texts,
    check=check,
    is_published=is_published,
    statistics=statistics,
    construction=construction,
    paper_material=MATERIAL,
    studies={rewritings.NAME: rewritings.kind, naturalness.NAME: naturalness.kind},
)
