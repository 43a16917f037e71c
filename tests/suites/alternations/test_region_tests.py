"""SyntaxGym items: the surprisal of regions, and what is judged and shown."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import msgspec
import pytest

from epicene.core.errors import InputError
from epicene.core.records import Score, Scores, TextScore
from epicene.suites import AnsweredRequest, Answers, DataSource
from epicene.suites.alternations.ask import ask_scores
from epicene.suites.alternations.data import read
from epicene.suites.alternations.items import Condition, Pair, Region, RegionMetric, RegionTest
from epicene.suites.alternations.judge import judge, scored_texts
from epicene.suites.alternations.protocol import PROTOCOLS
from epicene.suites.alternations.regions import holds, region_scores, surprisals

OURS = PROTOCOLS["epicene"]
BIT = math.log(2)


def condition(name: str, *texts: str) -> Condition:
    regions = (Region(number=number, text=text) for number, text in enumerate(texts, start=1))
    return Condition(name=name, regions=tuple(regions))


def scored(text: str, *tokens: str, bits: float = 1.0) -> TextScore:
    """The tokens of a text, the first of `bits`, each of the others of one more than the last."""
    assert "".join(tokens) == text
    starts = [sum(map(len, tokens[:index])) for index in range(len(tokens))]
    return TextScore(
        logprobs=tuple(-(bits + index) * BIT for index in range(len(tokens))),
        starts=tuple(starts),
        ends=tuple(start + len(token) for start, token in zip(starts, tokens, strict=True)),
        words=len(text.split()),
        characters=len(text),
    )


def region_test(formula: str, *conditions: Condition, metric: RegionMetric = "sum") -> RegionTest:
    return RegionTest(conditions=conditions, formula=formula, metric=metric)


@pytest.mark.parametrize(
    ("tokens", "numbers"),
    [
        (("The", " que", "en", " knows", " hers", "elf", "."), (3, 1, 3)),  # space before the word
        (("The ", "que", "en ", "knows ", "hers", "elf", "."), (3, 1, 3)),  # after it
        (("The", " ", "queen", " ", "knows", " ", "herself."), (3, 2, 2)),  # alone
    ],
)
def test_a_token_goes_with_the_region_of_its_first_letter(
    tokens: tuple[str, ...], numbers: tuple[int, ...]
) -> None:
    made = condition("x", "The queen", "", "knows", "herself.")
    parts = region_scores(made, scored(made.sentence, *tokens))
    assert {number: part.tokens for number, part in parts.items()} == dict(
        zip((1, 3, 4), numbers, strict=True)
    )


def test_surprisals_are_in_bits_and_by_every_metric() -> None:
    made = condition("x", "a b c", "", "d")
    scores = Scores(texts=(scored("a b c d", "a", " b", " c", " d"),), method="causal")
    expected = {"sum": 6, "mean": 2, "median": 2, "range": 2, "max": 3, "min": 1}
    metrics: tuple[RegionMetric, ...] = ("sum", "mean", "median", "range", "max", "min")
    for metric in metrics:
        found = surprisals(region_test("(1;%x%) > 0", made, metric=metric), scores)
        assert found["x", 1] == pytest.approx(expected[metric])
        assert found["x", 2] == 0
        assert found["x", 3] == pytest.approx(0 if metric == "range" else 4)


def test_a_region_without_a_score_decides_nothing() -> None:
    made = condition("x", "a", "b")
    score = msgspec.structs.replace(scored("a b", "a", " b"), logprobs=(None, -1.0))
    scores = Scores(texts=(score,), method="causal")
    for formula, held in (("(1;%x%) < 9", None), ("(*;%x%) < 9", None), ("(2;%x%) < 9", True)):
        test = region_test(formula, made)
        assert holds(test, surprisals(test, scores)) is held


# --- from the file to the judgement ----------------------------------------------------------


def gym_suite(**changes: Any) -> dict[str, Any]:
    """A suite of our own with two items, two conditions and two predictions."""

    def regions(*texts: str) -> list[dict[str, Any]]:
        return [{"region_number": n, "content": text} for n, text in enumerate(texts, start=1)]

    return {
        "meta": {"name": "own_reflexives", "metric": "sum", "author": "us"},
        "region_meta": {"1": "subject", "2": "gap", "3": "verb", "4": "reflexive"},
        "predictions": [
            {"type": "formula", "formula": "(4;%fits%) < (4;%other%)"},
            {"type": "formula", "formula": "[(1;%fits%) = (1;%other%)] & [(3;%fits%) > 1]"},
        ],
        "items": [
            {
                "item_number": number,
                "conditions": [
                    {"condition_name": "fits", "regions": regions(who, "", "sees", right)},
                    {"condition_name": "other", "regions": regions(who, "", "sees", wrong)},
                ],
            }
            for number, who, right, wrong in (
                (1, "The queen", "herself", "himself"),
                (2, "The king", "himself", "herself"),
            )
        ],
        **changes,
    }


def items_of(tmp_path: Path, **changes: Any) -> list[Pair]:
    path = tmp_path / "reflexives.json"
    path.write_text(json.dumps(gym_suite(**changes)), "utf-8")
    return list(read(DataSource(path=path), OURS).items)


def test_an_item_for_each_prediction(tmp_path: Path) -> None:
    items = items_of(tmp_path)
    assert [item.id for item in items] == ["1-1", "1-2", "2-1", "2-2"]
    assert [item.cluster for item in items] == ["1", "1", "2", "2"]
    assert {item.phenomenon for item in items} == {"own_reflexives"}
    assert [item.columns for item in items[:2]] == [{"prediction": "1"}, {"prediction": "2"}]
    (request,) = ask_scores(items[0], Answers(), OURS)
    assert isinstance(request, Score)
    assert request.texts == ("The queen sees herself", "The queen sees himself")
    # Stored and read again, it is the same.
    assert msgspec.json.decode(msgspec.json.encode(items[0]), type=Pair) == items[0]


def test_formulas_among_the_remarks_of_a_suite(tmp_path: Path) -> None:
    meta = {"name": "x", "string_predictions": ["(4;%fits%) < (4;%other%)"]}
    items = items_of(tmp_path, predictions=[], meta=meta)
    assert [item.id for item in items] == ["1", "2"]
    assert [item.columns for item in items] == [{}, {}]


def answered(*texts: TextScore) -> Answers:
    scores = Scores(texts=texts, method="causal")
    return Answers(
        [AnsweredRequest("acceptability", "model", "m", "acceptability within-word", scores)]
    )


def test_a_judgement_for_each_prediction(tmp_path: Path) -> None:
    first, second, *_ = items_of(tmp_path)
    fits = scored("The queen sees herself", "The", " queen", " sees", " her", "self")  # 1 2 3 4 5
    other = scored("The queen sees himself", "The", " queen", " sees", " himself")  # 1 2 3 4
    (judgement,) = judge(first, answered(fits, other), OURS)
    assert (judgement.name, judgement.outcome) == ("acceptability", "wrong")  # 9 bits and 4
    assert judgement.counts == {"credit": 0.0}
    assert judgement.facets["prediction"] == "1"
    assert judgement.evidence["fits"] == "The queen [3.00] sees [3.00] herself [9.00]"
    assert judgement.evidence["prediction"] == "(4;%fits%) < (4;%other%)"
    (judgement,) = judge(second, answered(fits, other), OURS)
    assert (judgement.outcome, judgement.counts) == ("right", {"credit": 1.0})
    texts = list(scored_texts(first, answered(fits, other), OURS))
    assert [each.candidate for each in texts] == [
        "fits/1", "fits/3", "fits/4", "other/1", "other/3", "other/4",
    ]  # fmt: skip
    assert texts[2].text == "herself"
    assert texts[2].score.sum == pytest.approx(-9 * BIT)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"predictions": []}, "has no predictions"),
        ({"predictions": [{"formula": "(4;%fits%) <"}]}, "item 1, has the prediction .* missing"),
        ({"predictions": [{"formula": "(4;%fit%) < 1"}]}, "lacks the condition 'fit' .* fits, oth"),
        (
            {"predictions": [{"formula": "(9;%fits%) < 1"}]},
            "lacks region 9 in its condition 'fits'",
        ),
        ({"meta": {"metric": "mode"}}, "is not a SyntaxGym suite: Invalid enum value 'mode'"),
        ({"items": [{"conditions": []}]}, "is not a SyntaxGym suite: .*item_number"),
    ],
)
def test_suites_that_are_refused(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        items_of(tmp_path, **changes)


@pytest.mark.parametrize(
    ("regions", "message"),
    [
        ([], "no text in its condition 'x'"),
        ([{"region_number": 1, "content": " "}], "no text in its condition 'x'"),
        ([{"region_number": 1, "content": "a"}] * 2, "one of its regions twice"),
    ],
)
def test_conditions_that_are_refused(
    regions: list[dict[str, Any]], message: str, tmp_path: Path
) -> None:
    item = {"item_number": 1, "conditions": [{"condition_name": "x", "regions": regions}]}
    with pytest.raises(InputError, match=message):
        items_of(tmp_path, items=[item])
