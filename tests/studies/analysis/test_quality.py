"""How people did and how far they agree: numbers by hand, and the same by other ways."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import pytest

import study_examples
from epicene.core.records import Estimate
from epicene.stats.agreement import cohen, fleiss, krippendorff, raw_agreement
from epicene.studies.analysis import quality
from epicene.studies.analysis.quality import QuestionAgreement
from epicene.studies.analysis.quality_tables import quality_tables
from epicene.studies.design.schema import AnswerValue, Response, Span, Study, StudyItem
from scripted_people import respond
from study_examples import (
    completion,
    forced_choice,
    label_and_rewrite,
    misgendering,
    response,
    stereotype,
)


def of(study: Study, *ids: str, fields: dict[str, str] | None = None) -> Study:
    """The study with items of these ids; a and b of `a1`, `a2` and so on are groups."""
    like = study.items[0]
    items = tuple(
        StudyItem(id=name, group=name[0], language="en", fields=fields or like.fields)
        for name in ids
    )
    return msgspec.structs.replace(study, items=items)


def found(study: Study, given: Sequence[Response]) -> dict[tuple[str, str], QuestionAgreement]:
    return {(each.question, each.option): each for each in quality.question_agreement(study, given)}


# --- each person -------------------------------------------------------------------------------


def checked(number: int) -> Study:
    study = forced_choice()
    checks = tuple(
        StudyItem(id=f"c{each}", fields=study.checks[0].fields, expected={"better": "good"})
        for each in range(number)
    )
    return msgspec.structs.replace(study, checks=checks)


def test_each_person_by_hand() -> None:
    study = checked(4)
    given = [
        response("bob", "p1a", 2.0, better="good"),
        response("bob", "p1b", 9.0, better="bad"),
        response("bob", "f", 100.0, better="bad"),
        response("bob", "x", better="good"),
        *(response("bob", f"c{each}", 50.0, better="good") for each in range(3)),
        response("bob", "c3", better="bad"),
        response("ann", "p1a", better="good"),
        response("cyd", "c0", better="good"),
        response("cyd", "c1", better="bad"),
    ]
    ann, bob, cyd = quality.participant_quality(study, given)
    assert (ann.participant, ann.items, ann.checks_seen) == ("ann", 1, 0)
    assert (ann.median_seconds, ann.passed) == (None, None)
    assert (bob.items, bob.checks_seen, bob.checks_right) == (2, 4, 3)
    assert (bob.median_seconds, bob.passed) == (5.5, True)  # 3 of 4 is just enough
    assert (cyd.items, cyd.checks_seen, cyd.checks_right, cyd.passed) == (0, 2, 1, False)
    assert quality.participant_quality(study, given, passing=0.5)[2].passed
    assert quality.participant_quality(study, ()) == ()


def test_a_check_of_tags_does_not_depend_on_their_order() -> None:
    study = completion()
    check = StudyItem(
        id="c",
        fields=study.items[0].fields,
        expected={"grammatical": "no", "error": ("case", "valency")},
    )
    study = msgspec.structs.replace(study, checks=(check,))
    right = response("ann", "c", grammatical="no", error=("valency", "case"), plausible="yes")
    wrong = response("bob", "c", grammatical="no", error=("valency",), plausible="yes")
    ann, bob = quality.participant_quality(study, [right, wrong])
    assert (ann.checks_right, bob.checks_right) == (1, 0)


# --- agreement ---------------------------------------------------------------------------------


def test_two_people_by_hand() -> None:
    ids = [f"{'ab'[n % 2]}{n}" for n in range(10)]
    study = of(stereotype(), *ids)
    first = dict(zip(ids, "mmmmffffff", strict=True))
    second = dict(zip(ids, "mmmfffffmf", strict=True))
    names = {"m": "male", "f": "female"}
    given = [
        response(who, item, gender=names[labels[item]], category="power")
        for who, labels in (("ann", first), ("bob", second))
        for item in ids
    ]
    gender = found(study, given)["gender", ""]
    assert (gender.items, gender.people) == (10, 2)
    assert gender.raw.value == pytest.approx(0.8)
    # Both say m four times of ten: chance is .16 + .36.
    assert gender.cohen.value == pytest.approx((0.8 - 0.52) / 0.48)
    # Of 20 labels 8 are m: chance is the same, and α corrects for drawing without replacement.
    assert gender.fleiss.value == pytest.approx((0.8 - 0.52) / 0.48)
    assert gender.krippendorff.value == pytest.approx(1 - 4 * 19 / (2 * 8 * 12))
    for each in (gender.raw, gender.cohen, gender.fleiss, gender.krippendorff):
        assert each.low is not None
        assert each.high is not None
        assert each.low < each.value < each.high  # type: ignore[operator]
    category = found(study, given)["category", ""]
    assert category.raw.value == 1
    assert category.krippendorff.value is None
    assert "only one label" in category.krippendorff.why


def test_the_numbers_are_those_of_the_statistics_with_items_in_groups() -> None:
    ids = [f"{'abcdef'[n % 6]}{n}" for n in range(40)]
    study = of(stereotype(), *ids)
    people = ("ann", "bob", "cyd")
    given = [respond(study, item, who) for who in people for item in study.items]
    by = {(each.item, each.participant): each.answers["gender"] for each in given}
    gender = found(study, given)["gender", ""]
    ratings = [[by[item, who] for who in people] for item in ids]
    groups = [item[0] for item in ids]
    assert gender.fleiss == fleiss(ratings, groups)
    assert gender.krippendorff == krippendorff(ratings, groups)
    pairs = [(one, two, item) for item in ids for one, two in combinations(people, 2)]
    first = [by[item, one] for one, _, item in pairs]
    second = [by[item, two] for _, two, item in pairs]
    in_groups = [item[0] for _, _, item in pairs]
    assert gender.raw == raw_agreement(first, second, in_groups)
    # Of three people every pair counts in both orders, and still as one pair.
    either_way = cohen([*first, *second], [*second, *first], in_groups * 2)
    assert gender.cohen == msgspec.structs.replace(either_way, n=len(pairs))
    assert (gender.items, gender.people) == (40, 3)


@pytest.mark.parametrize("make", [stereotype, misgendering, completion, label_and_rewrite])
@pytest.mark.parametrize(
    "people", [("ann", "bob"), ("ann", "bob", "cyd"), ("ann", "bob", "cyd", "dan")]
)
def test_what_people_are_called_changes_no_figure(
    make: Callable[[], Study], people: tuple[str, ...]
) -> None:
    study = of(make(), *(f"{'abcd'[n % 4]}{n}" for n in range(12)))
    given = [respond(study, item, who) for who in people for item in study.items]
    turned = dict(zip(people, reversed(people), strict=True))
    renamed = [
        msgspec.structs.replace(each, participant=turned[each.participant]) for each in given
    ]
    assert found(study, renamed) == found(study, given)


WORKED = json.loads(Path(__file__).with_name("agreement_cases.json").read_text("utf-8"))


@pytest.mark.parametrize("case", WORKED, ids=lambda case: case["about"][:50])
def test_agreement_worked_out_by_hand(case: dict[str, Any]) -> None:
    study = of(getattr(study_examples, case["study"])(), *case["items"], fields=case.get("fields"))
    practice = of(study, *case.get("practice", ())).items
    study = msgspec.structs.replace(study, practice=practice)
    given = [
        msgspec.structs.replace(
            response(who, item), answers=msgspec.convert(answers, dict[str, AnswerValue])
        )
        for item, by_person in case["answers"].items()
        for who, answers in by_person.items()
    ]
    agreement = {
        f"{name}: {option}" if option else name: each
        for (name, option), each in found(study, given).items()
    }
    grown = {each.question: each.points for each in quality.agreement_over_time(study, given)}
    for name, expected in case["expected"].items():
        if expected is None:
            assert name not in agreement
            continue
        each = agreement[name]
        undefined = {each.raw.why, each.krippendorff.why}
        made = {
            "items": each.items,
            "people": each.people,
            "n": each.raw.n,
            "raw": each.raw.value,
            "krippendorff": each.krippendorff.value,
            "grown": grown[name][-1].agreement.value if grown.get(name) else None,
        }
        assert any(expected.get("why", "") in why for why in undefined)
        assert {key: made[key] for key in expected if key != "why"} == pytest.approx(
            {key: value for key, value in expected.items() if key != "why"}
        )


def test_very_many_pairs_leave_out_only_cohen(monkeypatch: pytest.MonkeyPatch) -> None:
    study = of(stereotype(), *[f"a{n}" for n in range(4)])
    given = [respond(study, item, who) for who in "stuv" for item in study.items]
    before = found(study, given)["gender", ""]
    monkeypatch.setattr(quality, "_MAX_PAIRS", 4 * 6 - 1)
    after = found(study, given)["gender", ""]
    assert before.cohen.value is not None
    assert after.cohen.value is None
    assert "24 pairs" in after.cohen.why
    assert (after.raw, after.fleiss, after.krippendorff) == (
        before.raw, before.fleiss, before.krippendorff,
    )  # fmt: skip


# --- growth ------------------------------------------------------------------------------------


def answers(pairs: str) -> list[Response]:
    """`mf` is what ann and bob say of one item, an hour apart."""
    names = {"m": "male", "f": "female", "n": "neither"}
    return [
        response(who, f"a{number}", at=2 * number + place, gender=names[label], category="power")
        for number, pair in enumerate(pairs.split())
        for place, (who, label) in enumerate(zip(("ann", "bob"), pair, strict=True))
    ]


def test_growth_ends_where_agreement_is() -> None:
    given = answers("mm ff mm ff mf fm mm ff mf nn")
    study = of(stereotype(), *[f"a{n}" for n in range(10)])
    gender, category = quality.agreement_over_time(
        study, random.Random(1).sample(given, 20), points=5
    )
    assert gender.measure == "krippendorff"
    assert [point.responses for point in gender.points] == [4, 8, 12, 16, 20]
    assert [point.at for point in gender.points] == [given[n - 1].at for n in (4, 8, 12, 16, 20)]
    for point in gender.points:
        so_far = found(study, given[: point.responses])["gender", ""].krippendorff
        assert point.agreement.value == pytest.approx(so_far.value)
    assert gender.points[0].agreement.value == 1.0
    assert [point.agreement.value for point in category.points] == [None] * 5


def test_growth_of_what_has_no_chance_is_raw() -> None:
    study = of(misgendering(), "a1", "b1", "c1")
    mark = (Span(start=0, end=3, label="noun"),)
    given = [
        response(who, item, at=hour, label="correct", extraneous=marks, tags=tags)
        for hour, (who, item, marks, tags) in enumerate(
            [
                ("ann", "a1", mark, ("repetition",)),
                ("bob", "a1", mark, ()),
                ("ann", "b1", (), ()),
                ("bob", "b1", mark, ()),
                ("ann", "c1", (), ("wrong-case",)),
                ("bob", "c1", (), ("wrong-case",)),
            ]
        )
    ]
    label, marks, tags = quality.agreement_over_time(study, given, points=3)
    assert (label.measure, marks.measure, tags.measure) == ("krippendorff", "raw", "raw")
    assert [point.agreement.value for point in marks.points] == pytest.approx([1, 1 / 2, 2 / 3])
    assert [point.agreement.value for point in tags.points] == pytest.approx([0, 1 / 2, 2 / 3])
    assert marks.points[-1].agreement.n == 3
    assert tags.points[-1].agreement == found(study, given)["tags", ""].raw


def test_what_came_without_a_time_was_there_first() -> None:
    study = of(stereotype(), *[f"a{n}" for n in range(4)])
    given = answers("mm ff mf mm")
    given = [msgspec.structs.replace(each, at=None) for each in given[:4]] + given[4:]
    gender, _ = quality.agreement_over_time(study, given[4:] + given[:4], points=2)
    assert [point.responses for point in gender.points] == [6, 8]
    untimed = [msgspec.structs.replace(each, at=None) for each in given]
    gender, _ = quality.agreement_over_time(study, untimed, points=2)
    assert [(point.responses, point.at) for point in gender.points] == [(8, None)]
    assert quality.agreement_over_time(study, ())[0].points == ()


def test_growth_of_very_many_responses_looks_fewer_times() -> None:
    study = of(misgendering(), *[f"a{n}" for n in range(5000)])
    given = [
        response(who, item.id, at=number, label="correct" if number % 3 else "misgendering")
        for number, item in enumerate(study.items)
        for who in ("ann", "bob")
    ]
    grown = quality.agreement_over_time(study, given)
    assert all(2 <= len(each.points) < 12 for each in grown)
    assert grown[0].points[-1].responses == 10_000


# --- tables ------------------------------------------------------------------------------------


def test_the_tables_show_what_there_is() -> None:
    study = checked(2)
    given = [
        response("ann", "p1a", 3.0, better="good"),
        response("ann", "c0", better="good"),
        response("bob", "c0", better="bad"),
    ]
    (quality_table,) = quality_tables(study, given)
    ann, bob = quality_table.rows
    assert ann.keys == ("ann",)
    assert ann.cells[-1] == "yes"
    assert isinstance(ann.cells[3], Estimate)
    assert ann.cells[3].value == 3.0
    assert bob.cells[-1] == "no"
    untimed = [response(who, "p1a", better="good") for who in ("ann", "bob")]
    (questions,) = quality_tables(study, untimed)
    assert [row.keys for row in questions.rows] == [("better", "all")]
    assert quality_tables(study, untimed[:1]) == ()
