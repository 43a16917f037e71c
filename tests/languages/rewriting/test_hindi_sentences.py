"""Hindi sentences rewritten as a person would, both ways, for each person."""

from __future__ import annotations

from typing import get_args

import pytest

from epicene.core.errors import InputError
from epicene.rewriting import Confidence, find_rewriter
from epicene.rewriting.persons import PERSONS, Gender, Person
from languages.rewriting.hindi_cases import cases, rewritten, turned
from languages.rewriting.person_cases import Case

ALL = [(person, case) for person in PERSONS for case in cases(person)]


def _ids(value: object) -> str:
    return value.masculine if isinstance(value, Case) else str(value)


@pytest.mark.parametrize(("person", "case"), ALL, ids=_ids)
def test_both_ways(person: Person, case: Case) -> None:
    assert turned(case.masculine, person, "feminine") == case.feminine
    assert turned(case.feminine, person, "masculine") == case.masculine


@pytest.mark.parametrize(("person", "case"), ALL, ids=_ids)
def test_who_has_the_gender_already_is_left_alone(person: Person, case: Case) -> None:
    assert turned(case.masculine, person, "masculine") == case.masculine
    assert turned(case.feminine, person, "feminine") == case.feminine


def test_every_change_says_its_rule_and_how_sure_it_is() -> None:
    text = "मैं थक गया था और घर आकर सो गया।"
    changes = rewritten(text, "speaker", "feminine").changes
    assert [change.after for change in changes] == ["गई", "थी", "गई"]
    assert [change.before for change in changes] == [text[c.start : c.end] for c in changes]
    assert [change.sure for change in changes] == ["certain", "certain", "guess"]
    assert all(change.rule and change.sure in get_args(Confidence) for change in changes)


@pytest.mark.parametrize(
    ("text", "speaker", "listener", "others"),
    [
        (
            "मैं थका हूँ, तुम थके हो और वह थका है।",
            "मैं थकी हूँ, तुम थके हो और वह थका है।",
            "मैं थका हूँ, तुम थकी हो और वह थका है।",
            "मैं थका हूँ, तुम थके हो और वह थकी है।",
        ),
        (
            "मैं जानता हूँ कि आप अपने बेटे से मिलने गए थे।",
            "मैं जानती हूँ कि आप अपने बेटे से मिलने गए थे।",
            "मैं जानता हूँ कि आप अपने बेटे से मिलने गई थीं।",
            "मैं जानता हूँ कि आप अपनी बेटी से मिलने गए थे।",
        ),
        (
            "उसने मुझसे कहा, “तुम अच्छे गायक हो, मैं तो अभी नया हूँ।”",
            "उसने मुझसे कहा, “तुम अच्छी गायिका हो, मैं तो अभी नया हूँ।”",
            "उसने मुझसे कहा, “तुम अच्छे गायक हो, मैं तो अभी नया हूँ।”",
            "उसने मुझसे कहा, “तुम अच्छे गायक हो, मैं तो अभी नई हूँ।”",
        ),
    ],
)
def test_only_who_is_named_changes(text: str, speaker: str, listener: str, others: str) -> None:
    wanted: Gender = "feminine"
    assert [turned(text, person, wanted) for person in PERSONS] == [speaker, listener, others]


def test_all_at_once() -> None:
    rewrite = find_rewriter("hi").open({"speaker": "f", "listener": "f", "others": "f"})
    lines = ["मैं थका हूँ, तुम थके हो और वह थका है।", "", "मैं गया।"]
    assert [each.text for each in rewrite(lines)] == [
        "मैं थकी हूँ, तुम थकी हो और वह थकी है।",
        "",
        "मैं गई।",
    ]


def test_somebody_must_be_named() -> None:
    with pytest.raises(InputError, match="--speaker"):
        find_rewriter("hi").open({})


@pytest.mark.parametrize(
    "text",
    [
        "हम कल दिल्ली जा रहे हैं।",  # who else is one of us, nobody knows
        "मैं और मेरा भाई कल गाँव जा रहे हैं।",
        "मैं करता/ती हूँ।",  # both forms are there
        "मैं गया(ई) था/थी।",
    ],
)
def test_left_alone(text: str) -> None:
    assert turned(text, "speaker", "feminine") == text
    assert turned(text, "speaker", "masculine") == text


def test_beside_a_woman_the_verb_follows_the_speaker() -> None:
    text = "मैं और मेरी बहन कल गाँव गए थे।"
    feminine = "मैं और मेरी बहन कल गाँव गई थीं।"
    assert turned(text, "speaker", "feminine") == feminine
    assert turned(feminine, "speaker", "masculine") == text
