"""Readable names of metrics: every metric of a suite has one, and shares are in per cent."""

from __future__ import annotations

import pytest

from epicene.core.records import Column, Estimate, Row, Table
from epicene.show.metric_labels import is_share, metric_label
from epicene.show.run_report import in_model_order
from epicene.suites import find_suite


@pytest.mark.parametrize(
    ("suite", "name", "label", "share"),
    [
        ("misgendering", "accuracy_generation", "right pronoun by generation", True),
        (
            "misgendering",
            "accuracy_declared_pre",
            "right pronoun, declared pronouns, text ends before the pronoun",
            True,
        ),
        (
            "misgendering",
            "mcc_open",
            "correlation of probability and generation (MCC), open contexts",
            False,
        ),
        ("alternations", "accuracy SV", "acceptable sentence more likely: SV", True),
        ("alternations", "cloze agreement errors", "verbs that do not agree, in the gap", True),
        (
            "genform",
            "CGA_feminine",
            "gendered terms right, all counted alike (CGA), for a woman",
            True,
        ),
        ("apgc", "translation_BLEU_MM", "BLEU of translations against MM", False),
        ("gramvis", "rep_F", "images that show the noun's gender, feminine nouns", True),
        (
            "gramvis",
            "english_effect_M",
            "effect of grammar against English, masculine nouns",
            False,
        ),
        ("translation", "WinoMT es ΔG", "F1 of men minus F1 of women (ΔG), WinoMT es", False),
        ("gramvis", "chinese_neither", "neither a man nor a woman, Chinese prompts", True),
    ],
)
def test_a_metric_has_a_readable_name(suite: str, name: str, label: str, share: bool) -> None:
    card = find_suite(suite).card
    assert metric_label(name, card.metrics) == label
    assert is_share(name, card) == share


def test_a_metric_without_a_label_is_shown_by_its_key() -> None:
    assert metric_label("mean_of_words", {}) == "mean of words"


def test_rows_come_in_the_order_of_the_models_and_published_ones_after_them() -> None:
    def row(*keys: str, origin: str = "run") -> Row:
        return Row(keys=keys, cells=(Estimate(value=0.5),), origin=origin)  # type: ignore[arg-type]

    table = Table(
        name="t",
        title="t",
        levels=("setting", "model"),
        columns=(Column(name="x"),),
        rows=(
            row("pre", "paper's", origin="published"),
            row("pre", "a"),
            row("pre", "b"),
            row("post", "a"),
            row("post", "b"),
        ),
    )
    ordered = [each.keys for each in in_model_order(table, ["b", "a"]).rows]
    assert ordered == [("pre", "b"), ("pre", "a"), ("pre", "paper's"), ("post", "b"), ("post", "a")]
