"""The paper's prompts, found in its text; spelling variants against corpora of gendered pairs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import epicene
from epicene.suites.genform.gendered_terms import MISSING, reference_of
from epicene.suites.genform.spelling import spelling_kinds
from epicene.suites.genform.words import tokenise

pytestmark = pytest.mark.published(
    "morphogen/prompt.json, apgc/v2.1, mt-geneval/dev; the paper as papers/morphogen.txt beside it",
    "MORPHOGEN, APGC and MT-GenEval",
)


def test_the_prompts_of_the_appendix_are_found(published_data: Path, tmp_path: Path) -> None:
    paper = published_data.parent / "papers/morphogen.txt"
    if not paper.is_file():
        pytest.skip(f"needs the text of the paper as {paper}")
    epicene.extract_wording("genform", paper, out=tmp_path)
    found, known = (
        json.loads((folder / "morphogen/prompt.json").read_bytes())
        for folder in (tmp_path, published_data)
    )
    assert found == {name: text for name, text in known.items() if name != "note"}
    writer = json.loads((tmp_path / "morphogen/generation.json").read_bytes())
    assert writer["user"].count("\n") == 5  # a heading and four instructions


def gendered_words(one: Path, other: Path, language: str) -> Iterator[tuple[str, str]]:
    """The words in which two files of sentences differ, line by line."""
    lines = (path.read_text(encoding="utf-8").splitlines() for path in (one, other))
    for first, second in zip(*lines, strict=True):
        words, others = (tokenise(text, language, "epicene") for text in (first, second))
        found = reference_of(words, others)
        for index in found.gendered:
            if (partner := found.alignment.partners[index]) != MISSING:
                yield words[index], others[partner]


# The pairs that differ in spelling only in the corpora themselves.
SPELT_TWICE = {
    "ar": {("أٌلغي", "ألغي")},
    "pt": {("crianças", "Crianças"), ("dia", "Dia")},
}


@pytest.mark.parametrize("language", ["ar", "de", "es", "fr", "hi", "it", "pt", "ru"])
def test_no_two_genders_of_mt_geneval_are_one_spelling(published_data: Path, language: str) -> None:
    masculine, feminine = (
        published_data / f"mt-geneval/dev/geneval-sentences-{gender}-dev.en_{language}.{language}"
        for gender in ("masculine", "feminine")
    )
    pairs = set(gendered_words(masculine, feminine, language))
    assert len(pairs) > 400
    merged = {pair for pair in pairs if spelling_kinds(*pair, language)}
    assert merged == SPELT_TWICE.get(language, set())


def test_no_two_genders_of_apgc_are_one_spelling(published_data: Path) -> None:
    folder = published_data / "apgc/v2.1"
    pairs = set()
    for one, other in (("MM", "FF"), ("MM", "FM"), ("MM", "MF"), ("FM", "FF"), ("MF", "FF")):
        files = [folder / f"dev.ar.{form}.tokens" for form in (one, other)]
        pairs |= set(gendered_words(files[0], files[1], "ar"))
    assert len(pairs) > 1000
    merged = {pair for pair in pairs if spelling_kinds(*pair, "ar")}
    assert merged == {
        ("الم", "ألم"), ("انت", "أنت"), ("أحدا", "احدا"), ("اعدت", "أعدت"), ("ان", "أن"),
    }  # fmt: skip
