"""Judging answers, and the counts of BLEU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from epicene.core.records import Judgement, Text, Texts
from epicene.suites import AnsweredRequest, Answers
from epicene.suites.apgc.ask import ask_labels, ask_post_editing, ask_rewriting
from epicene.suites.apgc.bleu import bleu, bleu_counts
from epicene.suites.apgc.judge import judge, read_labels, sentence_label, words_in_place
from epicene.suites.apgc.protocol import PROTOCOLS, ApgcProtocol
from epicene.suites.apgc.statistics import is_reinflection
from suites.apgc.corpus_folder import sentences
from suites.metric_cases import for_each_case

BOTH = next(each for each in sentences() if each.label == "MF")


def judged(protocol: ApgcProtocol, **texts: str) -> dict[str, Judgement]:
    answers = Answers(
        AnsweredRequest("", "model", "x", name.replace("_", " "), Texts(texts=(Text(text=text),)))
        for name, text in texts.items()
    )
    return {each.name: each for each in judge(BOTH, answers, protocol)}


# --- rewriting -----------------------------------------------------------------------------


@for_each_case("apgc", "rewriting")
def test_rewriting(case: dict[str, Any]) -> None:
    found = judged(PROTOCOLS["epicene"], rewriting_FM=case["answer"])["rewriting FM"]
    assert found.outcome == case["outcome"]
    for name in ("correct", "proposed", "gold"):
        assert found.counts[name] == case[name]


def test_wrappers_around_a_sentence_are_removed_and_counted() -> None:
    answer = "الجملة المعدلة: «أنا فخورة بك يا ابني»"
    found = judged(PROTOCOLS["epicene"], rewriting_FM=answer)["rewriting FM"]
    assert (found.outcome, found.facets["cleaned"]) == ("right", "label+quotes")
    assert found.value == 1
    raw = judged(replace(PROTOCOLS["epicene"], clean=False), rewriting_FM=answer)["rewriting FM"]
    assert (raw.outcome, raw.facets["cleaned"]) == ("wrong", "no")


def test_only_the_paper_folds_ta_marbuta() -> None:
    answer = "انا فخوره بك يا ابني"
    assert judged(PROTOCOLS["paper"], rewriting_FM=answer)["rewriting FM"].outcome == "right"
    assert judged(PROTOCOLS["epicene"], rewriting_FM=answer)["rewriting FM"].outcome == "wrong"


def test_the_last_word_matches_only_a_last_word() -> None:
    assert words_in_place("a b c", "a b c") == 1
    assert words_in_place("a b c d", "a b c") == pytest.approx(2 / 3)
    assert words_in_place("a  b", "a b") == pytest.approx(1 / 2)


# --- identification ------------------------------------------------------------------------


@for_each_case("apgc", "label_answers")
def test_labels_are_read_strictly_once_wrappers_are_removed(case: dict[str, Any]) -> None:
    answer, cleaned = case["answer"], case["cleaned"]
    found = judged(PROTOCOLS["epicene"], identification=answer)
    whole = found["identification"]
    if cleaned is None:
        assert read_labels(answer, 5) is None
        assert (whole.outcome, whole.value) == ("undetected", 0)
        assert {each.label for each in found.values()} == {None}
    else:
        assert (whole.outcome, whole.facets["cleaned"]) == ("right", cleaned)
    as_it_came = replace(PROTOCOLS["epicene"], clean=False)
    raw = judged(as_it_came, identification=answer)["identification"]
    assert raw.outcome == ("right" if cleaned == "no" else "undetected")
    assert raw.facets["cleaned"] == "no"


def test_labels_word_by_word() -> None:
    found = judged(PROTOCOLS["epicene"], identification="B 1F B B 2F")
    assert found["identification"].outcome == "wrong"
    assert found["identification"].label == "FF"
    assert found["identification"].value == 0.8
    words = [each for each in found.values() if each.facets["unit"] == "word"]
    assert [each.label for each in words] == ["B", "1F", "B", "B", "2F"]
    assert [each.facets["truth"] for each in words] == ["B", "1M", "B", "B", "2F"]
    # What could not be read is counted by answers, not by words.
    assert {each.outcome for each in words} == {None}


def test_what_word_labels_say_of_a_sentence() -> None:
    assert sentence_label(["B", "1M", "2F", "1M", "1F"]) == "MF"
    assert sentence_label(["B", "B"]) == "BB"


# --- translation ---------------------------------------------------------------------------

TRANSLATION = ApgcProtocol(name="x", about="", tasks=("translation",))


@for_each_case("apgc", "translated_words")
def test_the_gender_of_translated_words(case: dict[str, Any]) -> None:
    sentence = replace(BOTH, english="I am proud of you, my child.")
    answer = Texts(texts=(Text(text=case["answer"]),))
    answers = Answers([AnsweredRequest("", "translator", "x", "translation", answer)])
    words = [each for each in judge(sentence, answers, TRANSLATION) if " word " in each.name]
    assert [each.label for each in words] == case["labels"]


def test_without_a_translator_no_translation_is_judged() -> None:
    """Neither an empty one, where there is English, nor the one that came with the data."""
    for sentence in (replace(BOTH, english="I am proud."), replace(BOTH, translation="أنا فخور")):
        assert list(judge(sentence, Answers(), PROTOCOLS["epicene"])) == []


WORDS = st.lists(st.sampled_from(["a", "b", "c", "d.", "e,"]), max_size=8).map(" ".join)


@settings(max_examples=150)
@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=4))
def test_bleu_is_sacrebleus(rows: list[tuple[str, str, str]]) -> None:
    outputs, *references = (list(column) for column in zip(*rows, strict=True))
    counts = np.array([bleu_counts(row[0], row[1:]) for row in rows])
    expected = sacrebleu.corpus_bleu(outputs, references).score
    assert bleu(counts.sum(axis=0)[None])[0] == pytest.approx(expected)


# --- requests ------------------------------------------------------------------------------


def test_both_wordings_name_both_people_and_hold_the_sentence() -> None:
    for wording, people in (("ar", ("امرأة", "رجل")), ("en", ("a woman", "a man"))):
        protocol = ApgcProtocol(name="x", about="", wording=wording)  # type: ignore[arg-type]
        asked = {each.name: each for each in ask_rewriting(BOTH, Answers(), protocol)}
        request = asked["rewriting FM"]
        text = request.prompt[-1].content  # type: ignore[union-attr]
        assert BOTH.text in text
        assert text.index(people[0]) < text.index(people[1])
        assert request.target == {"speaker": "feminine", "listener": "masculine"}  # type: ignore[union-attr]
        (labels,) = ask_labels(BOTH, Answers(), protocol)
        assert "5" in labels.prompt[-1].content  # type: ignore[union-attr]


def test_post_editing_works_on_the_answer_or_on_what_came_with_the_data() -> None:
    protocol = PROTOCOLS["epicene"]
    answered = Answers(
        [AnsweredRequest("", "translator", "x", "translation", Texts(texts=(Text(text="نعم"),)))]
    )
    assert [each.source for each in ask_post_editing(BOTH, answered, protocol)] == ["نعم"] * 4  # type: ignore[union-attr]
    with_data = replace(BOTH, translation="لا")
    assert [each.source for each in ask_post_editing(with_data, Answers(), protocol)] == ["لا"] * 4  # type: ignore[union-attr]
    assert list(ask_post_editing(BOTH, Answers(), protocol)) == []


@for_each_case("apgc", "reinflection")
def test_the_same_word_or_another(case: dict[str, Any]) -> None:
    assert is_reinflection(case["masculine"], case["feminine"]) is case["one_word"]
    assert is_reinflection(case["feminine"], case["masculine"]) is case["one_word"]
