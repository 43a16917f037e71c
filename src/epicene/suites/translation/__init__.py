"""Gender in translation: WinoMT, MT-GenEval, GATE, or your own sentences."""

from __future__ import annotations

from pathlib import Path

from epicene.core.records import Translate
from epicene.suites import Role, Stage, Suite, read_card
from epicene.suites.translation.ask import TRANSLATION, ask
from epicene.suites.translation.data import (
    PUBLISHED_SHA256,
    corpus,
    drawn_by,
    is_published,
    read,
    stratum,
)
from epicene.suites.translation.external_answers import read_answers
from epicene.suites.translation.items import Sentence
from epicene.suites.translation.judge import judge
from epicene.suites.translation.metrics import HEADLINE_METRICS, all_metrics
from epicene.suites.translation.protocol import PROTOCOLS
from epicene.suites.translation.studies import translations
from epicene.suites.translation.tables import tables

suite = Suite(
    name="translation",
    version="1",
    card=read_card(Path(__file__).parent / "card.toml"),
    item=Sentence,
    protocols=PROTOCOLS,
    roles=(Role(name="model", about="translates the English sentences"),),
    stages=(Stage(name=TRANSLATION, role="model", verbs=(Translate,), ask=ask),),
    read=read,
    judge=judge,
    metrics=all_metrics,
    tables=tables,
    headline_metrics=HEADLINE_METRICS,
    stratum=stratum,
    drawn_by=drawn_by,
    corpus=corpus,
    read_answers=read_answers,
    is_published=is_published,
    studies={translations.NAME: translations.kind},
    published_files=PUBLISHED_SHA256,
)
