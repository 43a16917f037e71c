"""Alternations: minimal pairs and cloze gaps; Hindi verb frames, gender agreement, any pairs."""

from __future__ import annotations

from pathlib import Path

from epicene.core.records import Fill, Generate, Score
from epicene.suites import Role, Stage, Suite, read_card
from epicene.suites.alternations.ask import ask_gap, ask_prompt, ask_scores
from epicene.suites.alternations.checks import check
from epicene.suites.alternations.construction import construction
from epicene.suites.alternations.data import (
    PUBLISHED_SHA256,
    corpus,
    is_published,
    read,
    stratum,
)
from epicene.suites.alternations.external_answers import read_answer_row
from epicene.suites.alternations.figures import figures
from epicene.suites.alternations.items import Pair
from epicene.suites.alternations.judge import judge, scored_texts
from epicene.suites.alternations.metrics import (
    FORMAT_PAIRS,
    HEADLINE_METRICS,
    all_metrics,
    unused_settings,
)
from epicene.suites.alternations.protocol import ACCEPTABILITY, CLOZE, PROMPT, PROTOCOLS
from epicene.suites.alternations.statistics import statistics
from epicene.suites.alternations.studies import choice, cloze_choice, completions
from epicene.suites.alternations.tables import tables
from epicene.suites.alternations.tables_cloze import TABLED_EVIDENCE
from epicene.suites.wordings import in_wordings, judge_by_wording

suite = Suite(
    name="alternations",
    version="1",
    card=read_card(Path(__file__).parent / "card.toml"),
    item=Pair,
    protocols=PROTOCOLS,
    roles=(Role(name="model", about="scores sentences and fills gaps"),),
    stages=(
        Stage(
            name=ACCEPTABILITY,
            role="model",
            verbs=(Score,),
            ask=ask_scores,
            when=lambda protocol: ACCEPTABILITY in protocol.formats,
        ),
        Stage(
            name=CLOZE,
            role="model",
            verbs=(Fill,),
            ask=ask_gap,
            when=lambda protocol: CLOZE in protocol.formats,
        ),
        Stage(
            name=PROMPT,
            role="model",
            verbs=(Generate,),
            ask=ask_prompt,
            when=lambda protocol: PROMPT in protocol.formats,
        ),
    ),
    read=read,
    judge=judge_by_wording(judge, lambda _, judged: judged.facets["format"] == PROMPT),
    metrics=all_metrics,
    tables=tables,
    figures=figures,
    tabled_evidence=TABLED_EVIDENCE,
    headline_metrics=HEADLINE_METRICS,
    format_tables=("formats",),
    format_pairs=FORMAT_PAIRS,
    stratum=stratum,
    in_wordings=lambda pair, protocol: in_wordings(pair, protocol.wordings if pair.has_gap else 1),
    corpus=corpus,
    corpus_of_languages=True,
    read_answer_row=read_answer_row,
    scored_texts=scored_texts,
    check=check,
    statistics=statistics,
    is_published=is_published,
    published_files=PUBLISHED_SHA256,
    unused_settings=unused_settings,
    construction=construction,
    studies={
        "choice": choice.kind,
        "cloze-choice": cloze_choice.kind,
        "completions": completions.kind,
    },
)
