"""What was answered before sheets are dealt: nobody gets it again, nothing is judged too often."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.cli import run_with_exit_code
from epicene.cli.app import run_app
from epicene.core.errors import InputError
from epicene.studies.collection.folder import create_study_folder
from epicene.studies.collection.sheets import assign_sheets, prior_responses, write_sheets
from epicene.studies.design.schema import Response, Study, StudyItem
from study_examples import forced_choice, misgendering

PEOPLE = ("ann", "bob", "cem", "dan")


def of_items(*judgements: int) -> Study:
    items = tuple(
        StudyItem(id=str(number), language="en", fields={"text": "He ran."}, judgements=wanted)
        for number, wanted in enumerate(judgements)
    )
    return msgspec.structs.replace(misgendering(), items=items)


def of_lists(judgements: int) -> Study:
    """Two lists of three items each, with a filler and a check for everybody."""
    items = [
        StudyItem(id=f"{name}{number}", list=name, fields={"good": "x", "bad": "y"})
        for name in "AB"
        for number in range(3)
    ]
    return msgspec.structs.replace(
        forced_choice(), items=tuple(items), lists="given", judgements=judgements, per_person=3
    )


def judged(who: str, item: str) -> Response:
    name, answer = ("better", "good") if item[0] in "ABcf" else ("label", "correct")
    return Response(study="a-study", participant=who, item=item, answers={name: answer})


def ids(hands: dict[str, list[StudyItem]]) -> dict[str, list[str]]:
    return {person: [item.id for item in items] for person, items in hands.items()}


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=12),
    st.sets(st.tuples(st.sampled_from((*PEOPLE, "eve")), st.integers(0, 11)), max_size=20),
)
def test_every_item_is_judged_as_often_as_wanted_and_by_nobody_twice(
    judgements: list[int], done: set[tuple[str, int]]
) -> None:
    study = of_items(*judgements)
    before = [judged(who, str(item)) for who, item in done if item < len(judgements)]
    hands = assign_sheets(study, PEOPLE, prior_responses(study, before))
    given_before = Counter(response.item for response in before)
    dealt = Counter(item.id for items in hands.values() for item in items)
    for number, wanted in enumerate(judgements):
        assert dealt[str(number)] == max(0, wanted - given_before[str(number)])
    met = {(response.participant, response.item) for response in before}
    assert met.isdisjoint((who, item.id) for who, items in hands.items() for item in items)


def test_a_judgement_that_is_not_whole_is_asked_of_somebody_else() -> None:
    study = of_items(1)
    half = Response(study="a-study", participant="ann", item="0", answers={"tags": ()})
    assert ids(assign_sheets(study, ["ann", "bob"], prior_responses(study, [half]))) == {
        "ann": [],
        "bob": ["0"],
    }
    with pytest.raises(InputError, match=r"The item 0 lacks 1 judgement, and .* can give 0;"):
        assign_sheets(study, ["ann"], prior_responses(study, [half]))


def test_who_began_a_list_goes_on_with_it() -> None:
    study = of_lists(1)
    before = prior_responses(study, [judged("bob", "A0"), judged("bob", "f")])
    # A is the first list, and would be the first person's.
    assert ids(assign_sheets(study, ["ann", "bob"], before)) == {
        "ann": ["B0", "B1", "B2"],
        "bob": ["A1", "A2"],
    }
    with pytest.raises(InputError, match=r"2 lists .* lack people: 1 wanted, 0 at hand"):
        assign_sheets(study, ["bob"], before)


def test_who_finished_a_list_takes_nobodys_place() -> None:
    study = of_lists(2)
    before = prior_responses(study, [judged("ann", f"A{number}") for number in range(3)])
    with pytest.raises(InputError, match="lack people: 3 wanted, 2 at hand"):
        assign_sheets(study, ["ann", "bob", "cem"], before)
    assert ids(assign_sheets(study, PEOPLE, before)) == {
        "ann": [],
        "bob": ["B0", "B1", "B2"],
        "cem": ["A0", "A1", "A2"],
        "dan": ["B0", "B1", "B2"],
    }


def test_what_somebody_left_of_a_list_goes_to_another() -> None:
    study = of_lists(1)
    before = prior_responses(study, [judged("eve", "A0")])
    assert ids(assign_sheets(study, ["ann", "bob"], before)) == {
        "ann": ["A1", "A2"],
        "bob": ["B0", "B1", "B2"],
    }


def test_a_sheet_has_what_is_left_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = of_lists(1)
    folder = create_study_folder(tmp_path / "s", study)
    done = [("ann", "A0"), ("ann", "c"), ("ann", "x"), *(("bob", f"B{n}") for n in range(3))]
    rows = "".join(f"{who},{item},good\n" for who, item in done)
    (tmp_path / "done.csv").write_text("participant,item,better\n" + rows, "utf-8")
    folder.import_file(tmp_path / "done.csv")
    words = ["annotate", "export", str(folder.path), "--people=ann,bob", f"--out={tmp_path / 'o'}"]
    assert run_with_exit_code(lambda: run_app(words)) == 0
    assert capsys.readouterr().err.splitlines()[2:] == [
        # The practice item is in no sheet anyway.
        "The sheet of ann leaves out 2 items that ann has answered already.",
        "There is nothing to do for bob, who gets no sheet.",
    ]
    with (tmp_path / "o" / "ann.csv").open(encoding="utf-8-sig", newline="") as file:
        assert sorted(row["item"] for row in csv.DictReader(file)) == ["A1", "A2", "f"]
    assert not (tmp_path / "o" / "bob.csv").exists()
    with pytest.raises(InputError, match="has nothing left to do for those who are named"):
        write_sheets(
            study,
            ["bob"],
            tmp_path / "p",
            [judged("ann", f"A{n}") for n in range(3)] + [judged("bob", f"B{n}") for n in range(3)],
        )
    assert not (tmp_path / "p").exists()
