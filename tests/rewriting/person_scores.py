"""How well a language is rewritten, by the metrics of genform, and the pairs to measure it on."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from epicene.core.data_files import read_rows
from epicene.rewriting import find_rewriter
from epicene.rewriting.persons import GENDERS, Gender, Person, other_gender
from epicene.suites.genform.data import STARTER
from epicene.suites.genform.gendered_terms import diff_answer, reference_of
from epicene.suites.genform.words import tokenise

Pairs = list[dict[Gender, str]]
MT_GENEVAL = pytest.mark.published(
    "mt-geneval/dev", "https://github.com/amazon-science/machine-translation-gender-eval"
)


class Scores(NamedTuple):
    """SGA, CGA, and the share of neutral sentences left alone (1 if there are none)."""

    sga: float
    cga: float
    left_alone: float


def scores(language: str, pairs: Pairs, person: Person, target: Gender) -> Scores:
    """The paper's metrics, by our segmenter."""
    answers = find_rewriter(language).open({person: target})(
        pair[other_gender(target)] for pair in pairs
    )
    shares, right, terms, alone = [], 0, 0, []
    for pair, answer in zip(pairs, answers, strict=True):
        source, wanted = pair[other_gender(target)], pair[target]
        reference = reference_of(
            *(tokenise(text, language, "epicene") for text in (wanted, source))
        )
        if reference.terms == 0:
            alone.append(answer.text == source)
            continue
        found = diff_answer(reference, tokenise(answer.text, language, "epicene")).right
        shares.append(found / reference.terms)
        right, terms = right + found, terms + reference.terms
    left_alone = sum(alone) / len(alone) if alone else 1.0
    return Scores(sum(shares) / len(shares), right / terms, left_alone)


def starter_pairs(language: str) -> Pairs:
    """The pairs of our starter set."""
    rows = read_rows(STARTER / f"{language}.jsonl")
    return [{gender: row.values[gender] for gender in GENDERS} for row in rows]


def mt_geneval_pairs(published_data: Path, language: str) -> Pairs:
    """The 1,200 pairs of MT-GenEval's development set."""
    name = f"geneval-sentences-{{}}-dev.en_{language}.{language}"
    folder = published_data / "mt-geneval" / "dev"
    sides = ((folder / name.format(each)).read_text("utf-8").splitlines() for each in GENDERS)
    pairs: Pairs = [dict(zip(GENDERS, line, strict=True)) for line in zip(*sides, strict=True)]
    assert len(pairs) == 1200
    return pairs
