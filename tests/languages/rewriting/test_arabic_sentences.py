"""Arabic sentences rewritten as a person would, both ways, for each person."""

from __future__ import annotations

from typing import get_args

import pytest

from epicene.core.errors import InputError
from epicene.rewriting import Confidence, find_rewriter
from epicene.rewriting.persons import PERSONS, Person
from languages.rewriting.arabic_cases import cases, rewritten, turned
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
    text = "أنا الطبيب الذي عالجكم، وأنا مستغفل."
    changes = rewritten(text, "speaker", "feminine").changes
    assert [change.after for change in changes] == ["الطبيبة", "التي", "عالجتكم", "مستغفلة"]
    assert [change.before for change in changes] == [text[c.start : c.end] for c in changes]
    assert [change.sure for change in changes] == ["certain", "certain", "likely", "guess"]
    assert all(change.rule and change.sure in get_args(Confidence) for change in changes)


@pytest.mark.parametrize(
    ("text", "speaker", "listener", "others"),
    [
        (
            "أنا متعب، وأنت متعب، وهو متعب.",
            "أنا متعبة، وأنت متعب، وهو متعب.",
            "أنا متعب، وأنت متعبة، وهو متعب.",
            "أنا متعب، وأنت متعب، وهي متعبة.",
        ),
        (
            "أعلم أنك مشغول وأن المدير غاضب، لكنني خائف.",
            "أعلم أنك مشغول وأن المدير غاضب، لكنني خائفة.",
            "أعلم أنك مشغولة وأن المدير غاضب، لكنني خائف.",
            "أعلم أنك مشغول وأن المديرة غاضبة، لكنني خائف.",
        ),
        (
            "قال لي: «أنت كاتب جيد، وأنا مجرد قارئ.»",
            "قال لي: «أنت كاتبة جيدة، وأنا مجرد قارئ.»",
            "قال لي: «أنت كاتب جيد، وأنا مجرد قارئ.»",
            "قالت لي: «أنت كاتب جيد، وأنا مجرد قارئة.»",
        ),
    ],
)
def test_only_the_person_named_is_turned(
    text: str, speaker: str, listener: str, others: str
) -> None:
    assert turned(text, "speaker", "feminine") == speaker
    assert turned(text, "listener", "feminine") == listener
    assert turned(text, "others", "feminine") == others


@pytest.mark.parametrize(
    ("masculine", "feminine"),
    [
        ("هم مهندسون.", "هن مهندسات."),
        ("وصل العمال الذين تعرفهم.", "وصلت العاملات اللواتي تعرفهن."),
        ("تحدث المعلمون إلى طلابهم.", "تحدثت المعلمات إلى طالباتهن."),
    ],
)
def test_a_masculine_plural_of_others_stays_since_it_may_mean_women(
    masculine: str, feminine: str
) -> None:
    assert turned(masculine, "others", "feminine") == masculine
    assert turned(feminine, "others", "masculine") == masculine


def test_ladies_are_gentlemen_only_when_they_are_addressed() -> None:
    assert turned("فازت ببطولة السيدات.", "others", "masculine") == "فاز ببطولة الرجال."
    assert turned("سيداتي، مرحبًا بكن.", "listener", "masculine") == "سادتي، مرحبًا بكم."


def test_several_people_at_once() -> None:
    (answer,) = find_rewriter("ar").open({"speaker": "f", "listener": "f"})(
        ["أنا متأكد أنك تعرف الطريق."]
    )
    assert answer.text == "أنا متأكدة أنك تعرفين الطريق."


def test_somebody_must_be_named() -> None:
    with pytest.raises(InputError, match="Nobody is named"):
        find_rewriter("ar").open({})


# What cannot be told apart, and how it is taken.
@pytest.mark.parametrize(
    ("text", "person", "feminine"),
    [
        ("كتبت رسالة وأنا جالس.", "speaker", "كتبت رسالة وأنا جالسة."),
        ("توقف!", "listener", "توقفي!"),
        ("توقف القطار.", "listener", "توقف القطار."),
        ("لا تعرف شيئًا.", "listener", "لا تعرفين شيئًا."),
        ("لا تكتب شيئًا.", "listener", "لا تكتبي شيئًا."),
        ("ظهر في ثلاثة أفلام.", "others", "ظهرت في ثلاثة أفلام."),
    ],
)
def test_what_can_be_read_two_ways(text: str, person: Person, feminine: str) -> None:
    assert turned(text, person, "feminine") == feminine
