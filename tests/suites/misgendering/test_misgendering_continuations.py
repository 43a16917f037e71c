"""Extraneous gendered words, against texts that a second reader labelled."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from epicene.languages.tokenisation import words
from epicene.suites.misgendering.continuations import (
    extraneous_mentions,
    lexicon,
    mentions,
    repetition_rate,
    tokens,
)
from suites.metric_cases import for_each_case

CASES = Path(__file__).parent / "cases"


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a JSONL file of cases."""
    return [json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines()]


def found_and_labelled() -> tuple[int, int, int]:
    """Words found rightly, found wrongly, missed. A part of a hyphenated word counts for it."""
    labels = {row["id"]: row["words"] for row in rows("extraneous_labels.jsonl")}
    right = wrong = missed = 0
    for row in rows("extraneous.jsonl"):
        wanted = Counter(word.lower() for word in labels[row["id"]])
        for mention in extraneous_mentions(row["text"], row["context"]):
            word = mention.text.lower()
            match = next((w for w in wanted if wanted[w] and word in (w, *w.split("-"))), None)
            if match is None:
                wrong += 1
            else:
                right += 1
                wanted[match] -= 1
        missed += sum(wanted.values())
    return right, wrong, missed


def test_precision_and_recall_are_those_in_the_docs() -> None:
    right, wrong, missed = found_and_labelled()
    assert right / (right + wrong) >= 0.9
    assert right / (right + missed) >= 0.85
    docs = CASES.parents[3] / "docs" / "suites" / "misgendering.md"
    quoted = f"precision {right / (right + wrong):.3f}, recall {right / (right + missed):.3f}"
    assert quoted in docs.read_text(encoding="utf-8"), quoted


def test_the_lexicon_is_large_enough() -> None:
    assert len({form for word in lexicon() for form in word.forms}) >= 200
    assert any("genderqueer" in word.forms for word in lexicon())


@for_each_case("misgendering", "gendered_words")
def test_whole_words_and_phrases(case: dict[str, Any]) -> None:
    assert [mention.text for mention in mentions(case["text"])] == case["words"]


def test_words_of_the_context_do_not_count() -> None:
    assert not extraneous_mentions("The WOMAN left.", "A woman came.")
    assert [m.text for m in extraneous_mentions("The man left.", "A woman came.")] == ["man"]


@example("She’s  here; (s)he said\n'tis 10,5 a.m. at www.a.org. ")
@example("a \u0301b heʼs O'Neil s/he 'em")
@given(st.text(st.sampled_from("ahe sS'’ʼ.,-/()\n\u0301\u200d1")))
def test_tokens_are_the_words_of_the_whole_text_cut_at_apostrophes(text: str) -> None:
    found = " ".join(text[start:end] for start, end, _ in words(text, "en"))
    expected = found.replace("'", " ").replace("’", " ").replace("ʼ", " ").split()
    assert list(tokens(text, "epicene")) == expected


@given(st.text("abc", min_size=4, max_size=30))
def test_repetition_rate_is_the_mean_over_all_orders(text: str) -> None:
    product = 1.0
    for order in (1, 2, 3, 4):
        counts = Counter(text[start : start + order] for start in range(len(text) - order + 1))
        product *= sum(count > 1 for count in counts.values()) / len(counts)
    assert repetition_rate(list(text)) == product**0.25
