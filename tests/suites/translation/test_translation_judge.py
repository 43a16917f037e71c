"""The gender of people in translations: worked cases, and what must never be right."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epicene.core.records import Failed, Text, Texts
from epicene.models import open_model, parse_spec
from epicene.suites import AnsweredRequest, Answers, DataSource
from epicene.suites.translation.ask import TRANSLATION, ask
from epicene.suites.translation.data import read
from epicene.suites.translation.entities import (
    LANGUAGES,
    PRONOUN_LANGUAGES,
    entity_gender,
    known_roles,
    role_key,
)
from epicene.suites.translation.items import Sentence
from epicene.suites.translation.judge import judge, last_part
from epicene.suites.translation.protocol import PROTOCOLS
from models.model_answers import batch_answers
from suites.metric_cases import for_each_case

OURS, PAPER = PROTOCOLS["epicene"], PROTOCOLS["paper"]
SOURCE = "The actor arrived, and she was tired."


def answered(text: str) -> Answers:
    answer = Texts(texts=(Text(text=text),))
    return Answers([AnsweredRequest(TRANSLATION, "model", "m", TRANSLATION, answer)])


@for_each_case("translation", "entities")
def test_the_gender_of_a_person(case: dict[str, Any]) -> None:
    where = case.get("where", 0.0)
    for reading in ("noun", "person"):
        found = entity_gender(
            case["text"],
            case["language"],
            case["entity"],
            where=where,
            with_pronoun=reading == "person",
        )
        assert found.gender == case.get(reading, case["noun"]), (reading, found)


@for_each_case("translation", "references")
def test_the_words_of_references(case: dict[str, Any]) -> None:
    sentence = Sentence(
        id="a",
        language=case["language"],
        source=SOURCE,
        gender="feminine",
        references={"right": case["right"], "wrong": case["wrong"]},
    )
    found = {each.name: each for each in judge(sentence, answered(case["text"]), OURS)}
    ours, published = found.get("gender"), found["gender (as published)"]
    assert (ours.outcome if ours else None) == case["outcome"]
    assert (ours.label if ours else None) == case["label"]
    assert published.outcome == case["published"]
    paper = {each.name: each for each in judge(sentence, answered(case["text"]), PAPER)}
    assert paper["gender"].outcome == case["published"]


@for_each_case("translation", "alternatives")
def test_sources_that_leave_the_gender_open(case: dict[str, Any]) -> None:
    sentence = Sentence(id="a", language="es", source="Someone.", references=case["references"])
    found = list(judge(sentence, answered(case["text"]), OURS))
    assert [each.label for each in found] == case["labels"]
    assert all(each.outcome is None for each in found)


@pytest.mark.parametrize("text", ["", "   ", "???", "Lorem ipsum dolor sit amet."])
@pytest.mark.parametrize("protocol", [OURS, PAPER], ids=lambda each: each.name)
def test_nothing_is_right_by_accident(text: str, protocol: Any) -> None:
    for sentence in read(DataSource(), protocol).items:
        for each in judge(sentence, answered(text), protocol):
            assert each.outcome in (None, "undetected")
            assert each.label is None


@pytest.mark.parametrize("order", [1, -1])
def test_english_is_no_translation(order: int) -> None:
    """`director` is a Spanish word too, and `Pilot` a German one."""
    for sentence in read(DataSource(), OURS).items:
        text = " ".join(sentence.source.split()[::order])
        assert all(each.label is None for each in judge(sentence, answered(text), OURS))


def test_what_is_expected_is_judged_right() -> None:
    for rate in (0, 1):
        model = open_model(parse_spec(f"planted?rate={rate}"))
        outcomes: Counter[str | None] = Counter()
        for sentence in read(DataSource(), OURS).items:
            requests = list(ask(sentence, Answers(), OURS))
            ((_, answer),) = zip(requests, batch_answers(model, *requests), strict=True)
            assert not isinstance(answer, Failed), answer
            given = AnsweredRequest(TRANSLATION, "model", "m", TRANSLATION, answer)
            for each in judge(sentence, Answers([given]), OURS):
                if each.name == "gender" and sentence.gender:
                    outcomes[each.outcome] += 1
        assert outcomes == {("wrong", "right")[rate]: 32 * len(LANGUAGES)}


def test_a_model_is_asked_with_the_context_and_only_the_sentence_is_judged() -> None:
    sentence = Sentence(
        id="a",
        language="es",
        context="She won a prize.",
        source="Weiss was an editor.",
        references={"right": "Weiss era editora.", "wrong": "Weiss era editor."},
        gender="feminine",
    )
    (request,) = ask(sentence, Answers(), OURS)
    assert getattr(request, "text", "") == "She won a prize.\nWeiss was an editor."
    alone = PROTOCOLS["epicene"].__class__(name="epicene", about="", context="none")
    (request,) = ask(sentence, Answers(), alone)
    assert getattr(request, "text", "") == "Weiss was an editor."
    for text in ("El editor ganó.\nWeiss era editora.", "El editor ganó. Weiss era editora."):
        assert last_part(text, sentence) == "Weiss era editora."
        (ours, _) = judge(sentence, answered(text), OURS)
        assert ours.outcome == "right"


def test_people_who_judged_a_translation_judge_the_judge() -> None:
    sentence = Sentence(
        id="a",
        language="fr",
        source="The surgeon said that she slept.",
        entity="surgeon",
        gender="feminine",
        translation="Le chirurgien a dit qu'elle dormait.",
        human="feminine",
    )
    assert list(ask(sentence, Answers(), OURS)) == []
    found = {each.name: each.outcome for each in judge(sentence, Answers(), OURS)}
    assert found == {"judge": "right", "judge (noun)": "wrong"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_names_the_same_roles(language: str) -> None:
    assert list(known_roles(language)) == list(known_roles("es"))
    assert all(known_roles(language).values())
    for nouns in known_roles(language).values():
        assert not any("/" in noun.word or "=" in noun.word for noun in nouns)


def test_the_readings_differ_only_where_pronouns_are_read() -> None:
    text = {"de": "sie", "fr": "elle", "ru": "она", "hi": "वह थी"}
    for language in LANGUAGES:
        noun = next(each for each in known_roles(language)["writer"] if each.gender == "masculine")
        written = f"{noun.word} {text.get(language, 'ella lei ela هي')}"
        found = entity_gender(written, language, "writer", with_pronoun=True).gender
        assert (found == "feminine") == (language in PRONOUN_LANGUAGES and language != "ru")


@given(st.text(max_size=60), st.sampled_from([*LANGUAGES, "nl", "zh"]))
@settings(max_examples=200, deadline=None)
def test_any_text_is_judged(text: str, language: str) -> None:
    """Mixed scripts, controls, combining marks alone: never an error, and never right by itself."""
    person = Sentence(id="a", language=language, source=SOURCE, entity="nurse", gender="feminine")
    pair = msgspec.structs.replace(person, references={"right": "ella", "wrong": "él"})
    for sentence in (person, pair):
        for written in (text, f"nurse {text}", text.join(["", "", ""])):
            for each in judge(sentence, answered(written), OURS):
                assert each.outcome in ("right", "wrong", "undetected")
                assert each.outcome != "right" or each.evidence["found"] or "(" in each.name


def test_roles_are_found_without_their_article() -> None:
    assert role_key("The Construction Worker") == role_key(" a construction worker")
