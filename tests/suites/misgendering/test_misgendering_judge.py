"""Judging: likelihood, the first pronoun, repetition, expected disagreement."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from epicene.core.records import Judgement, Score, Scores, Text, Texts, TextScore
from epicene.rewriting.english import pipelines
from epicene.suites import AnsweredRequest, Answers, DataSource
from epicene.suites.misgendering import ask
from epicene.suites.misgendering.ask import ask_formats
from epicene.suites.misgendering.continuations import find_pronouns, repetition_rate
from epicene.suites.misgendering.data import read
from epicene.suites.misgendering.items import PUBLISHED_SETS, Candidate, Instance, candidate_forms
from epicene.suites.misgendering.judge import judge
from epicene.suites.misgendering.protocol import PROTOCOLS
from suites.metric_cases import for_each_case

SETS = PUBLISHED_SETS["misgendered"]
ITEM = Instance(
    id="1",
    dataset="misgendered",
    pronoun="xe",
    before="Kim laughed. ",
    after=" left.",
    case="nominative",
    candidates=candidate_forms(SETS, "nominative", capital=True),
    sets=SETS,
)


def scored(item: Instance, rows: list[list[float]]) -> Scores:
    """Scores whose gap is spelt by all tokens but the first and the last."""
    texts = []
    for candidate, logprobs in zip(item.candidates, rows, strict=True):
        start, end = len(item.before), len(item.before) + len(candidate.form)
        inner = len(logprobs) - 2
        cuts = [start + round((end - start) * n / inner) for n in range(inner + 1)]
        length = len(item.filled(candidate))
        texts.append(
            TextScore(
                logprobs=tuple(logprobs),
                starts=(0, *cuts[:-1], end),
                ends=(start, *cuts[1:], length),
                words=4,
                characters=length,
            )
        )
    return Scores(texts=tuple(texts), method="causal")


def judged(protocol: str, answer: Scores | Texts, name: str) -> list[Judgement]:
    """What is made of one answer."""
    answers = Answers([AnsweredRequest("ask", "model", "m", name, answer)])
    return list(judge(ITEM, answers, PROTOCOLS[protocol]))


@pytest.mark.parametrize("pronouns", [("he", "they"), ("ze", "he", "she", "they", "xe")])
def test_the_authors_rules_convert_into_their_own_sets_alone(
    pronouns: tuple[str, ...],
) -> None:
    if not pipelines.installed():
        reason = f"needs a spaCy pipeline; get it with `{pipelines.GET_ONE}`"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    protocol = PROTOCOLS["paper"]
    mine = read(DataSource(), msgspec.structs.replace(protocol, pronouns=pronouns)).items
    opened = {each.pronoun: each for each in mine if not each.is_template}
    assert set(opened) == set(pronouns)
    made = {
        name: [each.pronoun for each in ask.converted_candidates(item, "He left early.", protocol)]
        for name, item in opened.items()
    }
    four = ["they", "he", "she", "xe"]
    whole = set(four) <= set(pronouns)
    assert made == {name: four if whole and name in four else [] for name in pronouns}


def test_the_sum_and_the_mean_choose_differently() -> None:
    # xe takes three tokens: worst by sum, best per token.
    rows = [[-1.0, -2.0, -1.0], [-1.0, -3.0, -1.0], [-1.0, -4.0, -1.0], [-1.0, -1.2, -1.2, -1.0]]
    by_name = {j.name: j for j in judged("paper", scored(ITEM, rows), "probability")}
    assert by_name["probability"].outcome == "right"
    assert by_name["probability"].label == "xe"
    assert by_name["probability (sum)"].label == "he"
    ours = {j.name: j for j in judged("epicene", scored(ITEM, rows), "probability")}
    assert ours["probability"].outcome == "wrong"
    assert ours["probability (per token)"].outcome == "right"


def test_ties_go_to_the_first() -> None:
    rows = [[-1.0, -2.0, -1.0]] * 4
    (first, *_) = judged("paper", scored(ITEM, rows), "probability")
    assert first.label == "he"


@for_each_case("misgendering", "first_pronoun")
def test_the_first_pronoun_decides(case: dict[str, Any]) -> None:
    (judgement,) = judged("epicene", Texts(texts=(Text(text=case["text"]),)), "pre")
    assert (judgement.outcome, judgement.label) == (case["outcome"], case["label"])
    assert judgement.facets["wrong_later"] == case["wrong_later"]


def test_extraneous_words_are_shown_in_context() -> None:
    text = "Xe was a woman, and no man’s sister."
    (judgement,) = judged("epicene", Texts(texts=(Text(text=text),)), "pre")
    assert judgement.facets["extraneous"] == "yes"
    assert judgement.evidence["extraneous words"] == "Xe was a [woman], and no [man]’s [sister]."
    (plain,) = judged("epicene", Texts(texts=(Text(text="Xe slept."),)), "pre")
    assert plain.facets["extraneous"] == "no"
    assert "extraneous words" not in plain.evidence


@for_each_case("misgendering", "pronouns")
def test_odd_spellings(case: dict[str, Any]) -> None:
    for tokeniser in ("epicene", "spacy"):
        assert find_pronouns(case["text"], SETS, tokeniser).set == case[tokeniser]


def test_a_megabyte_of_text() -> None:
    text = "Nothing of the kind stands here. " * 32_000 + "Xyr turn."
    assert len(text) > 1_000_000
    for tokeniser in ("epicene", "spacy"):
        assert find_pronouns(text, SETS, tokeniser).set == "xe"


@for_each_case("misgendering", "repetition_rate")
def test_repetition_rate(case: dict[str, Any]) -> None:
    assert repetition_rate(case["tokens"].split()) == pytest.approx(case["rate"])


def test_what_is_asked_of_a_template() -> None:
    requests = {
        request.name: request for request in ask_formats(ITEM, Answers(), PROTOCOLS["paper"])
    }
    assert list(requests) == ["probability", "pre", "post", "next pre", "next post"]
    assert isinstance(requests["probability"], Score)
    assert requests["probability"].texts[3] == "Kim laughed. Xe left."
    assert requests["pre"].prompt == "Kim laughed. "  # type: ignore[union-attr]
    assert requests["post"].prompt == "Kim laughed. Xe left."  # type: ignore[union-attr]
    ours = {request.name: request for request in ask_formats(ITEM, Answers(), PROTOCOLS["epicene"])}
    assert ours["pre"].prompt == "Kim laughed."  # type: ignore[union-attr]


def test_distractors_are_judged_by_probability_only() -> None:
    item = msgspec.structs.replace(ITEM, distractors=2)
    assert [request.name for request in ask_formats(item, Answers(), PROTOCOLS["epicene"])] == [
        "probability"
    ]


def test_the_starter_set() -> None:
    instances = list(read(DataSource(), PROTOCOLS["epicene"]).items)
    by_pronoun: dict[str, list[Instance]] = {}
    for each in instances:
        by_pronoun.setdefault(each.pronoun, []).append(each)
    assert {"he", "she", "they", "xe"} < set(by_pronoun)
    assert len(by_pronoun) >= 8
    for mine in by_pronoun.values():
        assert len([each for each in mine if each.is_template]) >= 200
        assert len([each for each in mine if not each.is_template]) >= 40
    assert len({each.id for each in instances}) == len(instances)
    assert not any("{" in each.before + each.after for each in instances)
    for each in instances:
        if each.is_template:
            assert isinstance(each.gold, Candidate)
            assert "  " not in each.filled(each.gold)


def test_a_set_of_the_users_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        '[[set]]\nname = "zie"\ntype = "neo"\nnominative = "zie"\naccusative = "zim"\n'
        'dependent = "zir"\nindependent = "zis"\nreflexive = "zieself"\nplural_verbs = false\n'
    )
    protocol = msgspec.structs.replace(
        PROTOCOLS["epicene"], pronoun_file=str(path), pronouns=("he", "zie")
    )
    dataset = read(DataSource(), protocol)
    assert path in dataset.files
    mine = [each for each in dataset.items if each.pronoun == "zie"]
    assert any(each.gold.form == "zim" for each in mine if each.is_template)


OPEN_ITEM = Instance(
    id="2", dataset="tango", pronoun="she", before="Kim is a singer.", sets=PUBLISHED_SETS["tango"]
)


@for_each_case("misgendering", "conversion")
def test_a_generation_becomes_a_minimal_contrast_set(case: dict[str, Any]) -> None:
    found = ask.converted_candidates(OPEN_ITEM, case["text"], PROTOCOLS["epicene"])
    assert {each.pronoun: each.form for each in found} == case["candidates"]


def test_a_converted_generation_is_judged() -> None:
    answer = Texts(texts=(Text(text=" She sings."), Text(text=" Kim sings.")))
    asked = Answers([AnsweredRequest("ask", "model", "m", "open", answer)])
    requests = list(ask.ask_converted(OPEN_ITEM, asked, PROTOCOLS["epicene"]))
    assert [request.name for request in requests] == ["converted 1", "next open"]
    request = requests[0]
    assert isinstance(request, Score)
    scores = Scores(
        texts=tuple(
            TextScore(logprobs=(-1.0 - n,), starts=(0,), ends=(1,), words=1, characters=1)
            for n, _ in enumerate(request.texts)
        ),
        method="causal",
    )
    answers = Answers([*asked, AnsweredRequest("convert", "model", "m", "converted 1", scores)])
    (converted,) = [j for j in judge(OPEN_ITEM, answers, PROTOCOLS["epicene"]) if "conv" in j.name]
    assert (converted.outcome, converted.label) == ("wrong", "he")
