"""Misgendering: pronoun fidelity by probability and by generation, and whether the two agree."""

from __future__ import annotations

from pathlib import Path

from epicene.core.records import Generate, Score
from epicene.suites import Role, Stage, Suite, read_card
from epicene.suites.misgendering.ask import (
    ask_contractions,
    ask_converted,
    ask_formats,
    check_packages,
    part_of,
)
from epicene.suites.misgendering.checks import check
from epicene.suites.misgendering.data import corpus, drawn_by, is_published, read, stratum
from epicene.suites.misgendering.external_answers import item_details, read_answers
from epicene.suites.misgendering.figures import figures
from epicene.suites.misgendering.items import Instance
from epicene.suites.misgendering.judge import judge, scored_texts
from epicene.suites.misgendering.metrics import FORMAT_PAIRS, HEADLINE_METRICS, all_metrics
from epicene.suites.misgendering.protocol import PROTOCOLS
from epicene.suites.misgendering.sources import OTHER_SHA256, SHA256
from epicene.suites.misgendering.sources.starter import declares_pronouns, in_declarations
from epicene.suites.misgendering.studies import figures as label_figures
from epicene.suites.misgendering.studies import label_sheets, labels
from epicene.suites.misgendering.studies import tables as label_tables
from epicene.suites.misgendering.tables import tables
from epicene.suites.studies import StudyKind
from epicene.suites.wordings import judge_by_wording

suite = Suite(
    name="misgendering",
    version="1",
    card=read_card(Path(__file__).parent / "card.toml"),
    item=Instance,
    protocols=PROTOCOLS,
    roles=(
        Role(name="model", about="scores texts and continues them"),
        Role(
            name="contractions",
            about="decides whether “he's” means “he is” or “he has” where `paper` changes pronouns "
            "(default: a rule)",
            optional=True,
        ),
    ),
    stages=(
        Stage(name="ask", role="model", verbs=(Score, Generate), ask=ask_formats),
        Stage(
            name="contractions",
            role="contractions",
            verbs=(Score,),
            ask=ask_contractions,
            needs=("ask",),
            when=lambda protocol: protocol.both_formats and not protocol.mended,
        ),
        Stage(
            name="convert",
            role="model",
            verbs=(Score,),
            ask=ask_converted,
            needs=("ask", "contractions"),
            when=lambda protocol: protocol.both_formats,
        ),
    ),
    read=read,
    judge=judge_by_wording(judge, lambda item, _: declares_pronouns(item)),
    part_of=part_of,
    check_packages=check_packages,
    metrics=all_metrics,
    tables=tables,
    figures=figures,
    headline_metrics=HEADLINE_METRICS,
    format_tables=("agreement",),
    format_pairs=FORMAT_PAIRS,
    stratum=stratum,
    in_wordings=lambda item, protocol: in_declarations(item, protocol.wordings),
    drawn_by=drawn_by,
    corpus=corpus,
    read_answers=read_answers,
    item_details=item_details,
    scored_texts=scored_texts,
    check=check,
    is_published=is_published,
    published_files={**SHA256, **OTHER_SHA256},
    studies={
        "labels": StudyKind(
            study=labels.study,
            candidates=labels.candidates,
            sample=labels.draw,
            judge=labels.judge,
            automatic=labels.automatic,
            metrics=label_tables.all_metrics,
            tables=label_tables.tables,
            figures=label_figures.figures,
            read_labels=label_sheets.read_labels,
            checks=labels.checks,
        )
    },
)
