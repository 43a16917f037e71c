"""The target neutral: what is asked, how answers are judged, and what the reference models get."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import epicene
from epicene.core.data_files import read_records
from epicene.core.errors import InputError
from epicene.core.records import Expected, Generate, Text, Texts
from epicene.suites import AnsweredRequest, Answers, DataSource, choose_protocol, find_suite
from epicene.suites.genform.ask import ask_for_neutral, ask_to_write
from epicene.suites.genform.data import STARTER, read
from epicene.suites.genform.items import TARGETS, Gender, Pair
from epicene.suites.genform.judge import judge
from epicene.suites.genform.judge_neutral import score_neutral
from epicene.suites.genform.neutral_words import (
    are_articles,
    both_forms,
    gendered_blocks,
    neutral_languages,
    words_of,
)
from epicene.suites.genform.protocol import PROTOCOLS, GenformProtocol
from suites.metric_cases import for_each_case, read_cases

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = read_cases("genform", "neutral")["pairs"]
LANGUAGES = ("de", "es", "fr", "it")
STARTERS = {
    code: [
        pair
        for pair in read_records(STARTER / f"{code}.jsonl", Pair)
        if pair.masculine != pair.feminine
    ]
    for code in LANGUAGES
}


def chosen(**settings_: str) -> GenformProtocol:
    protocol = choose_protocol(find_suite("genform"), "epicene", settings_, None)
    assert isinstance(protocol, GenformProtocol)
    return protocol


def asked(pair: Pair, protocol: GenformProtocol) -> list[Generate]:
    return [r for r in ask_for_neutral(pair, Answers(), protocol) if isinstance(r, Generate)]


@for_each_case("genform", "neutral")
def test_judgements_are_those_worked_out_by_hand(case: dict[str, Any]) -> None:
    pair = Pair(id=case["pair"], **PAIRS[case["pair"]])
    name = f"neutral {case['source']}"
    answer = Texts(texts=(Text(text=case["answer"]),))
    answers = Answers([AnsweredRequest("neutral", "model", "given", name, answer)])
    (found,) = judge(pair, answers, chosen(targets="neutral"))
    score = score_neutral(pair, case["source"], case["answer"])
    assert (found.name, found.outcome, found.label) == (name, case["outcome"], case["label"])
    assert list(score.left) == case.get("left", [])
    assert list(score.others) == case.get("others", [])
    assert found.counts["gender left"] == len(score.left)
    assert found.value == score.overlap
    if "overlap" in case:
        assert found.value == pytest.approx(case["overlap"], abs=1e-4)
    if case["outcome"] == "right" and score.terms:
        assert found.value == 1


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_copies_and_sentences_without_the_gendered_words_are_never_right(
    data: st.DataObject,
) -> None:
    code = data.draw(st.sampled_from(LANGUAGES))
    pair = data.draw(st.sampled_from(STARTERS[code]))
    source: Gender = data.draw(st.sampled_from(TARGETS))
    given_words = words_of(pair.form(source), code).words
    blocks = gendered_blocks(
        words_of(pair.masculine, code).words, words_of(pair.feminine, code).words
    )
    gone = {
        index
        for block in blocks
        for each in (block.masculine if source == "masculine" else block.feminine,)
        for index in range(each.start, each.stop)
    }
    without = " ".join(word for index, word in enumerate(given_words) if index not in gone)
    assert score_neutral(pair, source, pair.masculine).outcome == "wrong"
    assert score_neutral(pair, source, pair.feminine).outcome == "wrong"
    if not are_articles((given_words[index] for index in gone), code):  # sono artista
        assert score_neutral(pair, source, without).outcome != "right"
    assert score_neutral(pair, source, both_forms(pair))[:2] == ("right", "pair")


@pytest.mark.parametrize("code", LANGUAGES)
def test_both_forms_are_asked_and_the_expected_answer_is_right(code: str) -> None:
    for pair in STARTERS[code][::15]:
        requests = asked(pair, chosen(targets="neutral"))
        assert [each.name for each in requests] == ["neutral masculine", "neutral feminine"]
        for request, source in zip(requests, TARGETS, strict=True):
            assert request.source == pair.form(source)
            assert request.target == {"speaker": "neutral"}
            assert isinstance(request.expected, Expected)
            assert score_neutral(pair, source, request.expected.right).outcome == "right"
            assert len(request.choices) == 3
            for wrong in request.expected.wrong:
                assert score_neutral(pair, source, wrong).outcome == "wrong"


def test_the_default_targets_ask_nothing_new() -> None:
    pair = STARTERS["fr"][0]
    both = [request.name for request in ask_to_write(pair, Answers(), PROTOCOLS["epicene"])]
    assert both == ["generation masculine", "generation feminine"]


def test_one_gender_alone_can_be_asked() -> None:
    protocol = chosen(targets="feminine")
    names = [each.name for each in ask_to_write(STARTERS["fr"][0], Answers(), protocol)]
    assert names == ["generation feminine"]


def test_a_style_is_part_of_the_prompt_and_of_the_target() -> None:
    pair = STARTERS["de"][0]
    plain = asked(pair, chosen(targets="neutral"))[0]
    star = asked(pair, chosen(targets="neutral", style="star"))[0]
    assert star.target == {"speaker": "neutral", "style": "star"}
    assert "Genderstern" in str(star.prompt)
    assert "Genderstern" not in str(plain.prompt)
    with pytest.raises(InputError, match="schwa"):
        asked(pair, chosen(targets="neutral", style="schwa"))


def test_a_sentence_without_gender_is_asked_once() -> None:
    pair = Pair(id="1", language="de", masculine="Ich bin müde.", feminine="Ich bin müde.")
    assert len(asked(pair, chosen(targets="neutral"))) == 1


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"style": "star"}, "requires --set targets=neutral"),
        ({"targets": "neutral", "formats": "probability"}, "must have generation"),
        ({"targets": "neutral", "wordings": "2"}, "one wording"),
    ],
)
def test_settings_without_effect_are_refused(wanted: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        chosen(**wanted)


def test_languages_without_neutral_forms_are_not_asked() -> None:
    only = read(DataSource(), chosen(targets="neutral"))
    assert {pair.language for pair in only.items} == {*LANGUAGES} == {*neutral_languages()} - {"en"}
    mixed = read(DataSource(), chosen(targets="masculine,feminine,neutral"))
    assert any("Arabic, Hindi" in remark for remark in mixed.remarks)
    with pytest.raises(InputError, match="no neutral forms in Russian"):
        read(DataSource(), chosen(targets="neutral", language="ru"))


@pytest.mark.parametrize(
    ("model", "low", "high"),
    [("copy", 0, 0), ("random", 0.2, 0.45), ("planted?rate=0.75", 0.6, 0.9), ("rules", 0.8, 1)],
)
def test_reference_models_get_what_they_should(
    model: str, low: float, high: float, tmp_path: Path
) -> None:
    run = epicene.run(
        "genform",
        model,
        settings={"targets": "neutral", "language": "de", "style": "star"},
        limit=60,
        out=tmp_path / "run",
        progress=False,
    )
    found = {row["metric"]: row["value"] for row in run.metrics().to_dicts()}
    assert low <= found["neutral"] <= high
    assert found["neutral_undetected"] == 0
    assert "SGA" not in found
    assert set(run.tables) == {"headlines", "neutral", "neutral forms", "neutral rules"}
