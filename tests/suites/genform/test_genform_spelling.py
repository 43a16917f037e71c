"""Spelling variants change no score under `epicene`, and never hide a change of gender."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from epicene.core.records import Judgement, Text, Texts
from epicene.suites import AnsweredRequest, Answers, DataSource
from epicene.suites import genform as package
from epicene.suites.genform.data import STARTER, read
from epicene.suites.genform.gendered_terms import MISSING, TermCounts, reference_of
from epicene.suites.genform.items import Pair
from epicene.suites.genform.judge import judge
from epicene.suites.genform.protocol import PROTOCOLS, GenformProtocol
from epicene.suites.genform.spelling import spelling_kinds
from epicene.suites.genform.words import TOKENISATIONS, tokenise
from suites.metric_cases import read_cases

FILE = read_cases("genform", "spelling")


def identify(case: dict[str, Any]) -> str:
    return str(case.get("note") or f"{case['one']} {case['other']}")


@pytest.mark.parametrize("case", FILE["words"], ids=identify)
def test_words_differ_in_the_kinds_worked_out_by_hand(case: dict[str, Any]) -> None:
    for one, other in itertools.permutations((case["one"], case["other"])):
        assert list(spelling_kinds(one, other, case["language"])) == case["kinds"]


def judged(case: dict[str, Any], protocol: GenformProtocol) -> Judgement:
    pair = Pair(id=case["pair"], **FILE["pairs"][case["pair"]])
    answer = Texts(texts=(Text(text=case["answer"]),))
    name = f"generation {case['target']}"
    answers = Answers([AnsweredRequest("generation", "model", "given", name, answer)])
    (found,) = judge(pair, answers, protocol)
    return found


@pytest.mark.parametrize("case", FILE["answers"], ids=identify)
def test_both_counts_are_those_worked_out_by_hand(case: dict[str, Any]) -> None:
    found = judged(case, PROTOCOLS["epicene"])
    by_words = {"epicene": case["written"], "whitespace": case.get("whitespace", case["written"])}
    for words in TOKENISATIONS:
        assert list(TermCounts.of(found.counts, words)) == by_words[words]
    assert list(TermCounts.of(found.counts, "epicene", ignored=True)) == case["ignored"]
    others = [
        found.counts[name] for name in ("others_changed", "others_changed (spelling ignored)")
    ]
    assert others == case["others_changed"]
    assert found.facets["spelling"] == case["spelling"]
    assert (found.outcome, found.label) == (case["outcome"], case["label"])
    right, _, union = case["ignored"]
    assert found.value == right / union


@pytest.mark.parametrize("case", FILE["answers"], ids=identify)
def test_the_paper_s_protocol_counts_variants_and_reports_them(case: dict[str, Any]) -> None:
    found = judged(case, PROTOCOLS["paper"])
    right, _, union = case.get("whitespace", case["written"])
    assert found.value == right / union
    assert ("spelling" in found.evidence) == (found.counts["spelling variants"] > 0)
    assert (found.outcome == "undetected") == (case["outcome"] == "undetected")


def test_the_report_names_every_variant() -> None:
    found = judged(FILE["answers"][0], PROTOCOLS["epicene"])
    assert found.evidence["spelling"] == (
        "रोज for रोज़ (nukta), बाजार for बाज़ार (nukta), हूं for हूँ (anusvara)"
    )


# --- gender is never taken for spelling --------------------------------------------------------


def gendered_words(pair: Pair) -> Iterator[tuple[str, str]]:
    """The words in which the two forms differ."""
    for words in TOKENISATIONS:
        masculine, feminine = (
            tokenise(form, pair.language, words) for form in (pair.masculine, pair.feminine)
        )
        found = reference_of(masculine, feminine)
        for index in found.gendered:
            if (partner := found.alignment.partners[index]) != MISSING:
                yield masculine[index], feminine[partner]


@pytest.mark.parametrize("language", sorted(file.stem for file in STARTER.glob("*.jsonl")))
def test_no_two_genders_of_the_starter_set_are_one_spelling(language: str) -> None:
    protocol = msgspec.structs.replace(PROTOCOLS["epicene"], language=language)
    pairs = read(DataSource(path=STARTER / f"{language}.jsonl"), protocol).items
    checked = [both for pair in pairs for both in gendered_words(pair)]
    assert len(checked) > 200
    assert [both for both in checked if spelling_kinds(*both, language)] == []


# Words that forms.toml lists in two spellings.
TWO_SPELLINGS = {
    "sœur soeur", "sœurs soeurs", "هن هنّ", "गई गयी", "गए गये", "दिए दिये", "लिए लिये", "किए किये",
    "हुए हुये", "её ее", "неё нее", "нём нем", "шёл шел",
}  # fmt: skip


def test_no_two_forms_of_our_lists_are_one_spelling() -> None:
    file = Path(str(package.__file__)).parent / "forms.toml"
    merged = {
        f"{one} {other}"
        for language, lines in tomllib.loads(file.read_text(encoding="utf-8")).items()
        for line in lines
        for one, other in itertools.combinations(line.split(), 2)
        if spelling_kinds(one, other, language)
    }
    assert merged == TWO_SPELLINGS
