"""APGC: speaker and listener in Arabic; identification, rewriting and bias in translation."""

from __future__ import annotations

from pathlib import Path

from epicene.core.records import Generate, Translate
from epicene.suites import Role, Stage, Suite, read_card
from epicene.suites.apgc.ask import (
    IDENTIFICATION,
    REWRITING,
    ask_labels,
    ask_post_editing,
    ask_rewriting,
    ask_translation,
)
from epicene.suites.apgc.construction import construction
from epicene.suites.apgc.data import (
    PUBLISHED_FILES,
    corpus,
    is_published,
    read,
    stratum,
    tagging_data,
)
from epicene.suites.apgc.external_answers import read_answers
from epicene.suites.apgc.items import Sentence
from epicene.suites.apgc.judge import judge
from epicene.suites.apgc.metrics import SUM_SCORES, all_metrics, headline_metrics
from epicene.suites.apgc.protocol import PROTOCOLS
from epicene.suites.apgc.statistics import statistics
from epicene.suites.apgc.studies import rewritings
from epicene.suites.apgc.tables import tables
from epicene.suites.wordings import in_wordings, judge_by_wording

suite = Suite(
    name="apgc",
    version="1",
    card=read_card(Path(__file__).parent / "card.toml"),
    item=Sentence,
    protocols=PROTOCOLS,
    roles=(
        Role(name="model", about="labels words and rewrites sentences", optional=True),
        Role(name="translator", about="translates the English side", optional=True),
    ),
    stages=(
        Stage(
            name="identification",
            role="model",
            verbs=(Generate,),
            ask=ask_labels,
            when=lambda protocol: "identification" in protocol.tasks,
        ),
        Stage(
            name="rewriting",
            role="model",
            verbs=(Generate,),
            ask=ask_rewriting,
            when=lambda protocol: "rewriting" in protocol.tasks,
        ),
        Stage(
            name="translation",
            role="translator",
            verbs=(Translate,),
            ask=ask_translation,
            when=lambda protocol: bool({"translation", "post-editing"} & set(protocol.tasks)),
        ),
        Stage(
            name="post-editing",
            role="model",
            verbs=(Generate,),
            ask=ask_post_editing,
            needs=("translation",),
            when=lambda protocol: "post-editing" in protocol.tasks,
        ),
    ),
    read=read,
    judge=judge_by_wording(
        judge, lambda _, judged: judged.facets["task"] in (IDENTIFICATION, REWRITING)
    ),
    metrics=all_metrics,
    tables=tables,
    headline_metrics=headline_metrics,
    sum_scores=SUM_SCORES,
    stratum=stratum,
    in_wordings=lambda sentence, protocol: in_wordings(sentence, protocol.wordings),
    corpus=corpus,
    read_answers=read_answers,
    score_protocol="paper",
    is_published=is_published,
    published_files=PUBLISHED_FILES,
    statistics=statistics,
    tagging_data=tagging_data,
    construction=construction,
    studies={"rewritings": rewritings.kind},
)
