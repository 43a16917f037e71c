"""`planted` is right at its rate; what a request expects changes no key and no other model."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

import epicene
from epicene.core.errors import InputError
from epicene.core.records import (
    Answer,
    Completions,
    Expected,
    Failed,
    Fill,
    Generate,
    Identity,
    Score,
    Scores,
    Texts,
    answer_keys,
    digest,
    to_json,
)
from epicene.models import Model, open_model, parse_spec
from models.model_answers import answers, batch_answers

if TYPE_CHECKING:
    from pathlib import Path

    from epicene.core.records import Request

NUMBER = 2000
EXPECTED = Expected(right="right answer", wrong=("wrong", "quite another wrong answer"))


def planted(spec: str = "planted?rate=0.7") -> Model:
    return open_model(parse_spec(spec))


def score(item: str) -> Score:
    texts = ("wrong", "right answer", "quite another wrong answer")
    return Score(item=item, texts=texts, language="en", expected=EXPECTED)


def generate(item: str, **target: str) -> Generate:
    return Generate(item=item, prompt="?", target=target, expected=EXPECTED)


def share(hits: list[bool], expected: float) -> None:
    """Within four standard errors of what is expected."""
    error = math.sqrt(expected * (1 - expected) / len(hits))
    assert abs(sum(hits) / len(hits) - expected) < 4 * error


def written(model: Model, *requests: Request) -> list[str]:
    found = batch_answers(model, *requests)
    return [each.texts[0].text for each in found if isinstance(each, Texts)]


def test_the_right_text_is_likeliest_at_the_rate_by_every_measure() -> None:
    found = batch_answers(planted(), *(score(str(n)) for n in range(NUMBER)))
    best: list[tuple[int, ...]] = []
    for each in found:
        assert isinstance(each, Scores)
        by_sum = [text.sum for text in each.texts]
        by_token = [text.sum / text.tokens for text in each.texts]
        by_character = [text.sum / text.characters for text in each.texts]
        best.append(tuple(kind.index(max(kind)) for kind in (by_sum, by_token, by_character)))
    assert all(len(set(choice)) == 1 for choice in best)
    share([choice[0] == 1 for choice in best], 0.7)
    # The wrong ones share the rest evenly.
    share([choice[0] == 2 for choice in best], 0.15)


def test_gaps_and_continuations_are_right_at_the_rate() -> None:
    model = planted()
    filled = batch_answers(
        model, *(Fill(item=str(n), before="a ", expected=EXPECTED) for n in range(NUMBER))
    )
    first = [each.completions[0].text for each in filled if isinstance(each, Completions)]
    share([text == "right answer" for text in first], 0.7)
    texts = written(model, *(generate(str(n)) for n in range(NUMBER)))
    share([text == "right answer" for text in texts], 0.7)
    # Samples of one request are drawn one by one.
    (many,) = answers(model, replace(generate("many"), samples=NUMBER))
    assert isinstance(many, Texts)
    share([text.text == "right answer" for text in many.texts], 0.7)


@pytest.mark.parametrize(("gender", "rate"), [("masculine", 0.8), ("feminine", 0.6), ("", 0.7)])
def test_a_gap_parts_the_genders_and_keeps_their_mean(gender: str, rate: float) -> None:
    target = {"speaker": gender} if gender else {}
    requests = [generate(str(n), **target) for n in range(NUMBER)]
    texts = written(planted("planted?rate=0.7&gap=0.2"), *requests)
    share([text == "right answer" for text in texts], rate)


def test_answers_depend_on_seed_and_request_alone() -> None:
    requests = [generate(str(n)) for n in range(40)]
    model = planted()
    assert written(model, *requests) == written(model, *reversed(requests))[::-1]
    assert written(planted("planted:1?rate=0.7"), *requests) != written(model, *requests)


@pytest.mark.parametrize(
    "request_", [score("i"), generate("i"), Fill(item="i", before="a b ", expected=EXPECTED)]
)
def test_what_is_expected_changes_no_key_and_no_other_answer(
    request_: Score | Generate | Fill,
) -> None:
    plain = replace(request_, expected=UNSET)
    other = replace(request_, expected=Expected(right="x", wrong=("y",)))
    who = Identity(kind="k", label="k", key={})
    key = answer_keys(who)
    for each in (request_, other):
        assert key(each) == key(plain)
        assert digest(each) == digest(plain)
    assert b"expected" not in to_json(plain)
    guess = open_model(parse_spec("random"))

    def guessed(asked: Score | Generate | Fill) -> Answer:
        source = {"source": "one two three four"} if isinstance(asked, Generate) else {}
        return answers(guess, replace(asked, **source))[0]

    assert guessed(request_) == guessed(plain) == guessed(other)
    assert not isinstance(guessed(plain), Failed)


def test_a_request_that_expects_nothing_is_not_answered() -> None:
    (answer,) = answers(planted(), Generate(item="i", prompt="?", choices=("a", "b")))
    assert answer == Failed(reason="the request does not say what is right and what is wrong")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("planted?rate=1.2", "must be from 0 to 1, not '1.2'"),
        ("planted?rate=often", "not 'often'"),
        ("planted?rate=0.9&gap=0.3", "must be from -0.2 to 0.2"),
        ("planted:x", "The seed in planted:x must be a whole number"),
        ("planted?rat=0.5", "no model option 'rat'; did you mean 'rate'"),
        ("random?rate=0.5", "no model option 'rate'"),
        ("planted?dtype=float16", "does not take dtype; it takes gap, label, rate"),
        ("planted?own=1", "no model option 'own'"),
    ],
)
def test_a_spec_that_means_nothing_is_refused(spec: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        open_model(parse_spec(spec))


def test_the_largest_gap_that_fits_is_taken() -> None:
    assert planted("planted?rate=0.9&gap=0.2").identity.about["gap"] == 0.2


def test_the_label_tells_what_is_planted() -> None:
    assert planted("planted").identity.label == "planted 0.8"
    assert planted("planted:3?rate=0.6&gap=0.1").identity.label == "planted:3 0.6 gap 0.1"
    assert planted("planted?label=mine").identity.label == "mine"
    keys = [planted(f"planted?rate={rate}").identity.digest for rate in ("0.8", "0.80", "0.7")]
    assert keys[0] == keys[1] != keys[2]


def test_a_suite_of_your_own_finds_the_rate_again(tmp_path: Path) -> None:
    numbers = epicene.suite("numbers", items=[{"id": str(n), "n": n} for n in range(400)])

    @numbers.ask
    def ask(item: Any) -> Generate:
        wanted = epicene.Expected(right=str(item.n), wrong=["none"])  # type: ignore[arg-type]
        return epicene.Generate(prompt="Which number?", expected=wanted)

    @numbers.judge
    def judge(item: Any, answer: Texts) -> bool:
        return answer.only == str(item.n)

    run = epicene.run(numbers, model="planted?rate=0.9", out=tmp_path / "run", progress=False)
    found = run.summary.metrics["accuracy"]
    assert found.low is not None
    assert found.high is not None
    assert 0.85 < found.low <= 0.9 <= found.high
