"""The word alignment against every possible one, and the tokenisation it is based on."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from epicene.languages import tokenisation
from epicene.suites import DataSource
from epicene.suites.genform.data import read
from epicene.suites.genform.gendered_terms import (
    MISSING,
    Alignment,
    align,
    diff_answer,
    format_alignment,
    reference_of,
)
from epicene.suites.genform.items import Pair
from epicene.suites.genform.protocol import PROTOCOLS
from epicene.suites.genform.words import TOKENISATIONS, are_forms, tokenise
from suites.metric_cases import for_each_case

SENTENCES = st.lists(st.sampled_from(["a", "ab", "b", "ba", "c"]), max_size=5).map(tuple)


@cache
def starter() -> tuple[Pair, ...]:
    return tuple(read(DataSource(), PROTOCOLS["epicene"]).items)


def cost(one: tuple[str, ...], other: tuple[str, ...], found: Alignment) -> tuple[int, int, int]:
    """Edits, words replaced, and words replaced by one that begins otherwise."""
    replaced = [
        (one[index], other[partner])
        for index, partner in enumerate(found.partners)
        if partner != MISSING and one[index] != other[partner]
    ]
    missing = found.partners.count(MISSING)
    extra = sum(map(len, found.extra.values()))
    unlike = sum(first[0] != second[0] for first, second in replaced)
    return len(replaced) + missing + extra, len(replaced), unlike


def every_cost(one: tuple[str, ...], other: tuple[str, ...]) -> Iterator[tuple[int, int, int]]:
    """The cost of every alignment, by trying each step from the left."""
    if not one or not other:
        yield len(one) + len(other), 0, 0
        return
    for edits, replaced, unlike in every_cost(one[1:], other[1:]):
        if one[0] == other[0]:
            yield edits, replaced, unlike
        else:
            yield edits + 1, replaced + 1, unlike + (one[0][0] != other[0][0])
    for rest in (every_cost(one[1:], other), every_cost(one, other[1:])):
        for edits, replaced, unlike in rest:
            yield edits + 1, replaced, unlike


@given(SENTENCES, SENTENCES)
@settings(max_examples=150)
def test_no_alignment_is_better(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    assert cost(one, other, align(one, other)) == min(every_cost(one, other))


@given(SENTENCES, SENTENCES)
def test_every_word_is_aligned_once_and_none_cross(
    one: tuple[str, ...], other: tuple[str, ...]
) -> None:
    found = align(one, other)
    assert len(found.partners) == len(one)
    order = []
    for index in range(len(one) + 1):
        order += found.extra.get(index, [])
        if index < len(one) and found.partners[index] != MISSING:
            order.append(found.partners[index])
    assert order == list(range(len(other)))


@for_each_case("genform", "alignments")
def test_ties_are_broken_in_the_documented_order(case: dict[str, Any]) -> None:
    assert align(case["reference"].split(), case["other"].split()).partners == case["partners"]


@given(SENTENCES, SENTENCES, SENTENCES)
def test_counts_keep_their_bounds(
    words: tuple[str, ...], counterfactual: tuple[str, ...], answer: tuple[str, ...]
) -> None:
    reference = reference_of(words, counterfactual)
    assert (reference.terms == 0) == (words == counterfactual)
    found = diff_answer(reference, answer)
    assert 0 <= found.right <= reference.terms
    assert found.right + found.kept <= reference.terms
    assert found.spurious >= 0
    whole = found.right == reference.terms and found.spurious == 0
    assert whole == (answer == words)


@given(SENTENCES, SENTENCES)
def test_a_copy_of_the_other_form_has_nothing_right(
    words: tuple[str, ...], counterfactual: tuple[str, ...]
) -> None:
    reference = reference_of(words, counterfactual)
    found = diff_answer(reference, counterfactual)
    assert found.right == 0
    assert found.kept == reference.terms


@given(SENTENCES, SENTENCES)
def test_an_empty_answer_has_nothing_right(
    words: tuple[str, ...], counterfactual: tuple[str, ...]
) -> None:
    reference = reference_of(words, counterfactual)
    if words:
        assert diff_answer(reference, ()).right == 0


@given(SENTENCES, SENTENCES, SENTENCES)
def test_side_by_side_each_sentence_can_be_read_back(
    words: tuple[str, ...], counterfactual: tuple[str, ...], answer: tuple[str, ...]
) -> None:
    reference = reference_of(words, counterfactual)
    lines = format_alignment(reference, diff_answer(reference, answer), answer)
    columns = [line.split(" ") for line in lines.split("\n") if line]
    columns = [column * 3 if len(column) == 1 else column for column in columns]
    for side, sentence in enumerate((answer, words, counterfactual)):
        assert [column[side] for column in columns if column[side] != "–"] == list(sentence)


def test_tokenising_by_pieces_is_tokenising_the_whole() -> None:
    for pair in starter():
        for text in (pair.masculine, pair.feminine):
            text = text.replace("’", "'")
            spans = tokenisation.words(text, pair.language)
            assert tokenise(text, pair.language, "epicene") == tuple(
                text[s.start : s.end] for s in spans
            )


@for_each_case("genform", "tokenisation")
def test_both_tokenisations(case: dict[str, Any]) -> None:
    for each in TOKENISATIONS:
        assert tokenise(case["text"], case["language"], each) == tuple(case[each].split())


@for_each_case("genform", "word_forms")
def test_two_forms_of_one_word(case: dict[str, Any]) -> None:
    one, other, language = case["one"], case["other"], case["language"]
    assert are_forms(one, other, language) is case["one_word"]
    assert are_forms(other, one, language) is case["one_word"]


def test_the_starter_set_s_gendered_terms_look_like_one_word() -> None:
    for pair in starter():
        man, woman = (
            tokenise(form, pair.language, "epicene") for form in (pair.masculine, pair.feminine)
        )
        reference = reference_of(man, woman)
        for index in reference.gendered:
            partner = reference.alignment.partners[index]
            assert partner == MISSING or are_forms(man[index], woman[partner], pair.language)
