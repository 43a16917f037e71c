"""Judging pairs and gaps: against scores and completions made by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import pytest

from epicene.core.records import (
    Completion,
    Completions,
    Fill,
    Generate,
    Judgement,
    Score,
    Scores,
    Text,
    Texts,
    TextScore,
)
from epicene.suites import AnsweredRequest, Answers
from epicene.suites.alternations import unigrams
from epicene.suites.alternations.ask import ask_gap, ask_prompt, ask_scores
from epicene.suites.alternations.items import Pair
from epicene.suites.alternations.judge import BY_VERB, WITH_AFTER, first_word, judge, rankings
from epicene.suites.alternations.protocol import PROTOCOLS, AlternationsProtocol
from epicene.suites.answers import LIKELIHOOD_MEASURES
from suites.worked_cases import Case, each_case

OURS = PROTOCOLS["epicene"]
PAIR = Pair(
    id="sv-kat",
    group="kat",
    language="hi",
    good="माँ ने अर्जुन से लकड़ी कटवाई थी",
    bad="माँ ने अर्जुन से लकड़ी कटी थी",
    phenomenon="SV",
    columns={"class": "unaccusative"},
    prefix="माँ ने अर्जुन से लकड़ी",
    gold="कटवाई",
    after="थी",
)


def score(logprobs: Sequence[float | None], words: int = 2, characters: int = 10) -> TextScore:
    offsets = tuple(range(len(logprobs)))
    return TextScore(
        logprobs=tuple(logprobs), starts=offsets, ends=offsets, words=words, characters=characters
    )


def judged(
    *given: tuple[str, Scores | Completions | Texts],
    pair: Pair = PAIR,
    protocol: AlternationsProtocol = OURS,
) -> dict[str, Judgement]:
    """The judgements by name."""
    answers = Answers(
        AnsweredRequest("stage", "model", "m", name, answer) for name, answer in given
    )
    made = list(judge(pair, answers, protocol))
    assert len({each.name for each in made}) == len(made)
    return {each.name: each for each in made}


def by_scores(good: TextScore, bad: TextScore, pair: Pair = PAIR) -> dict[str, Judgement]:
    scores = Scores(texts=(good, bad), method="causal")
    return judged(("acceptability within-word", scores), pair=pair)


# --- acceptability ----------------------------------------------------------------------------


@each_case("alternations", "acceptability")
def test_every_measure(case: Case) -> None:
    found = by_scores(score(**case["good"]), score(**case["bad"]))
    for measure in set(LIKELIHOOD_MEASURES) & set(case):
        outcome, value, credit = case[measure]
        name = "acceptability"
        judgement = found[name if measure == "sum" else f"{name} ({measure}, within-word)"]
        assert (judgement.outcome, judgement.counts["credit"]) == (outcome, credit), measure
        assert judgement.value == pytest.approx(value), measure


def test_one_judgement_is_the_main_one_and_all_have_the_columns() -> None:
    found = by_scores(score([-1.0]), score([-2.0]))
    assert [each.facets["main"] for each in found.values()].count("yes") == 1
    assert {each.facets["class"] for each in found.values()} == {"unaccusative"}
    assert {each.group for each in found.values()} == {"kat"}


def test_the_measure_of_the_protocol_goes_by_the_bare_name() -> None:
    per_word = msgspec.structs.replace(OURS, measure="per word")
    scores = Scores(texts=(score([-4.0], words=4), score([-3.0], words=2)), method="causal")
    found = judged(("acceptability within-word", scores), protocol=per_word)
    assert found["acceptability"].facets["measure"] == "per word"
    assert found["acceptability"].outcome == "right"
    assert found["acceptability (sum, within-word)"].outcome == "wrong"


def test_every_way_of_masking_is_judged_by_every_measure() -> None:
    maskings = ("original", "within-word", "whole-word")
    protocol = msgspec.structs.replace(OURS, maskings=maskings)
    asked = list(ask_scores(PAIR, Answers(), protocol))
    assert [request.masking for request in asked if isinstance(request, Score)] == list(maskings)
    given = [
        (f"acceptability {masking}", Scores(texts=(score([-1.0]), score([-2.0])), method=masking))
        for masking in maskings
    ]
    found = judged(*given, protocol=protocol)
    assert len(found) == 3 * 5  # four measures and SLOR
    assert found["acceptability"].facets["method"] == "original"
    assert found["acceptability (sum, whole-word)"].facets["method"] == "whole-word"


def test_the_authors_way_follows_the_tokenizer() -> None:
    for protocol, boundaries, first in (
        (PROTOCOLS["paper"], "tokenizer", "tokenizer-default"),
        (OURS, "epicene", "bos"),
    ):
        (request,) = ask_scores(PAIR, Answers(), protocol)
        assert isinstance(request, Score)
        assert (request.boundaries, request.first_token) == (boundaries, first)
        assert request.texts == (PAIR.good, PAIR.bad)


# --- SLOR -------------------------------------------------------------------------------------


def test_slor_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    frequencies = {"she": 1e-2, "sleeps": 1e-4, "sleep": 1e-3}
    monkeypatch.setattr(unigrams, "has_frequencies", lambda language: language == "en")
    monkeypatch.setattr(
        unigrams, "log_frequency", lambda word, _language: math.log(frequencies[word.casefold()])
    )
    pair = Pair(id="1", language="en", good="She sleeps.", bad="She sleep.")
    # The bad sentence is likelier, but less so than its commoner word alone explains.
    found = by_scores(score([-5.0, -6.0]), score([-5.0, -5.0]), pair=pair)
    slor = found["acceptability (SLOR, within-word)"]
    good = (-11.0 - math.log(1e-2) - math.log(1e-4)) / 2
    bad = (-10.0 - math.log(1e-2) - math.log(1e-3)) / 2
    assert slor.value == pytest.approx(good - bad)
    assert slor.value == pytest.approx((-1 + math.log(10)) / 2)
    assert (found["acceptability"].outcome, slor.outcome) == ("wrong", "right")


def test_slor_of_a_language_without_frequencies_is_left_out() -> None:
    pytest.importorskip("wordfreq")
    for language in ("", "tlh"):
        assert not unigrams.slor(("a", score([-1.0])), ("b", score([-1.0])), language)
    pair = Pair(id="1", good="a b", bad="a c")
    assert not any("SLOR" in name for name in by_scores(score([-1.0]), score([-2.0]), pair=pair))


def test_an_unlisted_word_is_half_as_frequent_as_the_rarest_listed() -> None:
    wordfreq = pytest.importorskip("wordfreq")
    assert unigrams.log_frequency("से", "hi") == math.log(wordfreq.word_frequency("से", "hi"))
    listed = [wordfreq.word_frequency(word, "hi") for word in wordfreq.get_frequency_list("hi")[-1]]
    rarest = min(frequency for frequency in listed if frequency)
    unlisted = unigrams.log_frequency("कखगघङचछ", "hi")
    assert unlisted == pytest.approx(math.log(rarest / 2), abs=0.02)


# --- gaps -------------------------------------------------------------------------------------


def test_the_gap_begins_a_new_word() -> None:
    (request,) = ask_gap(PAIR, Answers(), OURS)
    assert isinstance(request, Fill)
    assert (request.before, request.after) == ("माँ ने अर्जुन से लकड़ी ", " थी")
    assert (request.max_tokens, request.top, request.choices) == (4, 10, ())
    assert not list(ask_gap(msgspec.structs.replace(PAIR, prefix=""), Answers(), OURS))
    assert not list(ask_gap(msgspec.structs.replace(PAIR, phenomenon="DV"), Answers(), OURS))


def test_the_prompt_shows_the_gap_in_the_sentences_language() -> None:
    (request,) = ask_prompt(PAIR, Answers(), OURS)
    assert isinstance(request, Generate)
    assert not isinstance(request.prompt, str)
    system, user = request.prompt
    assert "क्रिया" in system.content
    assert user.content == "माँ ने अर्जुन से लकड़ी ____ थी"
    assert request.choices == ("कटवाई", "कटी")


def completion(
    text: str, logprob: float, with_after: float | None = None, tokens: int = 1
) -> Completion:
    return Completion(text=text, logprob=logprob, with_after=with_after, tokens=tokens)


def test_the_two_rankings_of_a_causal_model() -> None:
    found = (
        completion("काटी", -1.0, -9.0),
        completion("कटवाई", -3.0, -4.0, tokens=3),
        completion(" काटी", -2.0, -8.0),
    )
    assert rankings(found, 10) == {BY_VERB: ["काटी", "कटवाई"], WITH_AFTER: ["कटवाई", "काटी"]}
    assert rankings(found, 1) == {BY_VERB: ["काटी"], WITH_AFTER: ["कटवाई"]}
    made = judged(("cloze", Completions(completions=found, method="causal")))
    assert set(made) == {"cloze", f"cloze ({BY_VERB})"}
    best = made["cloze"]
    assert best.facets["ranking"] == WITH_AFTER
    assert (best.outcome, best.label) == ("right", "indirect causative")
    assert best.value == pytest.approx(1 / 2)  # of both completions
    assert best.counts == {"is_verb": 1.0, "agrees": 1.0, "gold_first": 1.0, "gold_among": 1.0}
    other = made[f"cloze ({BY_VERB})"]
    assert (other.outcome, other.label) == ("wrong", "direct causative")
    assert other.counts == {"is_verb": 1.0, "agrees": 1.0, "gold_first": 0.0, "gold_among": 1.0}


@each_case("alternations", "gap_fillers")
def test_right_is_a_va_causative_that_agrees(case: Case) -> None:
    masked = Completions(completions=(completion(case["filler"], -1.0),), method="masked")
    found = judged(("cloze", masked))["cloze"]
    assert (found.outcome, found.counts["agrees"]) == (case["outcome"], case["agrees"])
    assert found.facets["ranking"] == BY_VERB


def test_the_expected_verb_in_another_encoding_is_the_expected_verb() -> None:
    pair = msgspec.structs.replace(PAIR, gold="उ\u095cवाई")
    spelt = Completions(completions=(completion("उ\u0921\u093cवाई", -1.0),), method="masked")
    assert judged(("cloze", spelt), pair=pair)["cloze"].counts["gold_first"] == 1.0


def test_an_empty_answer_is_undetected() -> None:
    found = judged(("cloze", Completions(completions=(), method="masked")))["cloze"]
    assert (found.outcome, found.value, found.label) == ("undetected", None, "not a verb")


def test_a_chat_models_first_word_is_its_answer() -> None:
    for text, word in (
        ("**कटवाई**", "कटवाई"),
        ("“कटवाई” सही है।", "कटवाई"),
        ("\n- कटवाया", "कटवाया"),
        ("…", ""),
    ):
        assert first_word(text, "hi") == word
        found = judged(("prompt", Texts(texts=(Text(text=text),))))["prompt"]
        assert found.evidence["completions"] == word
        assert found.evidence["answer"] == " ".join(f"{PAIR.prefix} {word} {PAIR.after}".split())
        assert found.facets["format"] == "prompt"
