"""What suites expect is what they judge right, and what planted models should measure."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Any

import pytest

from epicene.core.records import Failed
from epicene.models import open_model, parse_spec
from epicene.suites import AnsweredRequest, Answers, DataSource, choose_protocol, find_suite
from epicene.suites.gramvis import suite as gramvis
from epicene.suites.gramvis.ask import draw
from epicene.suites.gramvis.items import GRAMMARS
from epicene.suites.gramvis.metrics import headline_name
from epicene.suites.gramvis.planted import planted_effects
from epicene.suites.gramvis.prompts import prompt_language
from models.model_answers import batch_answers

EVERYTHING = {
    "misgendering": {},
    "genform": {"formats": "generation,probability"},
    "apgc": {"tasks": "identification,rewriting"},
    "alternations": {"formats": "acceptability,cloze,prompt"},
}


STEPS = {
    "misgendering": 97,
    "genform": 11,
    "apgc": 1,
    "alternations": 5,
}  # of items, one in so many


@pytest.mark.parametrize("protocol_name", ["epicene", "paper"])
@pytest.mark.parametrize(("name", "settings"), EVERYTHING.items())
@pytest.mark.parametrize("rate", [0, 1])
def test_what_is_expected_is_judged_right_and_nothing_else_is(
    name: str, settings: dict[str, str], protocol_name: str, rate: int
) -> None:
    protocol = choose_protocol(find_suite(name), protocol_name, settings, None)
    suite = find_suite(name).for_protocol(protocol, ["model"])
    model = open_model(parse_spec(f"planted?rate={rate}"))
    outcomes: Counter[tuple[str, bool]] = Counter()
    for item in islice(suite.read(DataSource(), protocol).items, 0, None, STEPS[name]):
        given: list[AnsweredRequest] = []
        for stage in suite.stages:
            earlier = (each for each in given if each.stage in suite.dependencies_of(stage))
            requests = list(stage.ask(item, Answers(earlier), protocol))
            for request, answer in zip(requests, batch_answers(model, *requests), strict=True):
                assert not isinstance(answer, Failed), answer
                given.append(AnsweredRequest(stage.name, "model", "planted", request.name, answer))
        for judged in suite.judge(item, Answers(given), protocol):
            # SLOR subtracts how common words are, which no order of sums can promise.
            if judged.outcome and "SLOR" not in judged.name:
                asked = judged.facets.get("format") or judged.facets["task"]
                outcomes[asked, judged.outcome == "right"] += 1
    assert {right for _, right in outcomes} == {bool(rate)}
    assert all(count >= 5 for count in outcomes.values())
    expected = {"generation", "probability", "converted"} if name == "misgendering" else {
        each for value in settings.values() for each in value.split(",")
    }  # fmt: skip
    assert {asked for asked, _ in outcomes} == expected


def test_every_prompt_in_a_words_own_language_has_the_noun() -> None:
    """`sketch` reads the noun in the prompt: all that it draws with an effect are those."""
    from epicene.models.sketch import _direction

    protocol: Any = choose_protocol(gramvis, "epicene", {}, None)
    directions: Counter[tuple[str, str, int]] = Counter()
    for item in gramvis.read(DataSource(), protocol).items:
        for request in draw(item, Answers(), protocol):
            native = prompt_language(item.entry, request.name) == item.entry.language
            directions[item.entry.grammar, "own" if native else "other", _direction(request)] += 1  # type: ignore[arg-type]
    assert set(directions) == {
        ("M", "own", 1),
        ("F", "own", -1),
        ("M", "other", 0),
        ("F", "other", 0),
    }


def identities(sketch: str, *judges: str) -> dict[str, Any]:
    found = [open_model(parse_spec(spec)).identity for spec in (sketch, *judges)]
    return {"drawer": found[:1], "judges": found[1:]}


def effects(sketch: str, *judges: str) -> list[float]:
    found = planted_effects(identities(sketch, *judges))
    return [found[headline_name(grammar)] for grammar in GRAMMARS]


JUDGES = tuple(f"sketch-judge:{seed}" for seed in (1, 2, 3))


@pytest.mark.parametrize(
    ("sketch", "judges", "expected"),
    [
        # Judges that never err measure the drawer's own effect.
        ("sketch?effect=0.3&base=0.6&neither=0.2", JUDGES, 0.3),
        # One that is undecided decides the share of no gender.
        ("sketch?effect=0.3", ["sketch-judge?undecided=0.4"], 0.3),
        # One judge who errs: 0.3 × (1 − 2 × 0.1).
        ("sketch?effect=0.3", ["sketch-judge?error=0.1"], 0.24),
        # Of neither 0.1 are called men or women: 0.3 × 0.8 × 0.8 / (0.8 + 0.2 × 0.1).
        ("sketch?effect=0.3&neither=0.2", ["sketch-judge?error=0.1"], 0.3 * 0.8 * 0.8 / 0.82),
        # Two of three err together with 3 × 0.01 × 0.9 + 0.001 = 0.028: 0.3 × (1 − 0.056).
        ("sketch?effect=0.3", [f"{each}?error=0.1" for each in JUDGES], 0.2832),
    ],
)
def test_the_effect_that_judges_leave(sketch: str, judges: list[str], expected: float) -> None:
    assert effects(sketch, *judges) == pytest.approx([expected, expected])


def test_nothing_is_planted_by_other_models() -> None:
    random = open_model(parse_spec("random")).identity
    for others in (
        {"drawer": [random], "judges": identities("sketch", *JUDGES)["judges"]},
        {"drawer": identities("sketch")["drawer"], "judges": [random]},
    ):
        assert planted_effects(others) == {}
