"""The analyser against completions that were labelled by hand before it was run."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from epicene.suites.alternations.construction import build_pairs
from epicene.suites.alternations.hindi_analyser import (
    DIRECT,
    INDIRECT,
    INTRANSITIVE,
    NOT_A_VERB,
    TRANSITIVE,
    VerbAnalysis,
    agrees_with_pair,
    analyse_verb,
)
from epicene.suites.alternations.hindi_verbs import paradigm, verbs
from suites.worked_cases import Case, each_case

COMPLETIONS = [
    json.loads(line)
    for line in (Path(__file__).parent / "cases/completions.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]


def test_accuracy_on_labelled_completions() -> None:
    """Labelled first: 148 of 150 were read rightly when the analyser was first run.

    The two others, गाड़ी and पानी, were taken for forms of गाड़ना and पाना; the list of homographs
    was written after that, so that the figure below is no longer one on unseen words.
    """
    assert len(COMPLETIONS) == 150
    readings = [analyse_verb(row["text"]) for row in COMPLETIONS]
    kinds = sum(
        reading.kind == row["kind"] for reading, row in zip(readings, COMPLETIONS, strict=True)
    )
    whole = sum(
        reading == VerbAnalysis(row["kind"], row["gender"], row["number"], row["aspect"])
        for reading, row in zip(readings, COMPLETIONS, strict=True)
    )
    assert (kinds, whole) == (150, 150)


def test_every_form_of_the_table_is_read_as_what_it_is() -> None:
    kinds = {"intransitive": INTRANSITIVE, "transitive": TRANSITIVE, "ditransitive": TRANSITIVE}
    wrong = set()
    for verb in verbs().values():
        for form in paradigm(verb):
            kind = kinds[verb.valency] if form.stem_kind == "base" else form.stem_kind
            number = "" if form.gender == "f" else form.number
            if analyse_verb(form.text) != VerbAnalysis(kind, form.gender, number, form.aspect):
                wrong.add(form.text)
    # It is far more often the noun, punishment.
    assert wrong == {"सजा"}


@each_case("alternations", "verb_analyses")
def test_analyses(case: Case) -> None:
    features = (case[name] for name in ("kind", "gender", "number", "aspect"))
    assert analyse_verb(case["text"]) == VerbAnalysis(*features)


@given(st.text())
def test_any_text_has_a_reading(text: str) -> None:
    assert analyse_verb(text).kind in {INDIRECT, DIRECT, TRANSITIVE, INTRANSITIVE, NOT_A_VERB}


def test_agreement_with_the_pair() -> None:
    by_auxiliary = {pair.after: pair for seed in range(4) for pair in build_pairs(seed)}
    expected = {
        "था": {"किया"},
        "थे": {"किए"},
        "थी": {"की"},
        "थीं": {"की", "कीं"},
    }
    for auxiliary, forms in expected.items():
        pair = by_auxiliary[auxiliary]
        found = {
            form
            for form in ("किया", "किए", "की", "कीं", "कर", "करना", "मेज़")
            if agrees_with_pair(analyse_verb(form), pair)
        }
        assert found == forms, auxiliary


def test_gold_always_agrees() -> None:
    for pair in build_pairs(0):
        assert analyse_verb(pair.gold).kind == INDIRECT
        assert agrees_with_pair(analyse_verb(pair.gold), pair)
