"""Items dealt out to people who label in a spreadsheet."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.annotate.sheets import deal, instructions, write_sheets
from epicene.errors import InputError
from epicene.studies import Study, StudyItem
from epicene.studies.responses import choices
from study_examples import STUDIES, forced_choice, misgendering


def of_items(judgements: list[int]) -> Study:
    items = tuple(
        StudyItem(id=str(number), language="en", fields={"text": "He ran."}, judgements=wanted)
        for number, wanted in enumerate(judgements)
    )
    return msgspec.structs.replace(misgendering(), items=items)


@given(st.lists(st.integers(0, 3), max_size=40), st.integers(3, 6))
def test_every_item_gets_its_people_and_all_have_as_much_to_do(
    judgements: list[int], people: int
) -> None:
    names = [f"p{number}" for number in range(people)]
    hands = deal(of_items(judgements), names)
    assert list(hands) == names
    found = Counter(item.id for hand in hands.values() for item in hand)
    assert [found[str(number)] for number in range(len(judgements))] == judgements
    for hand in hands.values():
        assert len({item.id for item in hand}) == len(hand)
    sizes = [len(hand) for hand in hands.values()]
    assert max(sizes) - min(sizes) <= 1


def test_sheets_are_written_once(tmp_path: Path) -> None:
    study = of_items([2, 1, 1])
    paths = write_sheets(study, ["ann", "bob"], tmp_path / "sheets")
    assert [path.name for path in paths] == ["ann.csv", "bob.csv", "instructions.md"]
    with paths[0].open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["item"] for row in rows] == ["0", "1"]
    assert {row["participant"] for row in rows} == {"ann"}
    assert paths[0].read_bytes().startswith(b"\xef\xbb\xbf")
    paths[1].unlink()
    with pytest.raises(InputError, match=r"ann\.csv is there already"):
        write_sheets(study, ["ann", "bob"], tmp_path / "sheets")
    assert not paths[1].exists()


@pytest.mark.parametrize(
    ("study", "people", "message"),
    [
        (of_items([2]), ["ann"], "The item 0 is for 2 people, and only 1 are named."),
        (of_items([1]), ["ann", "ann"], "One person was named twice."),
        (of_items([1]), ["../ann"], "'../ann' cannot be the name of a person's sheet."),
        (of_items([1]), [""], "'' cannot be the name of a person's sheet."),
        (forced_choice(), ["ann"], "one of several versions"),
    ],
)
def test_what_cannot_be_dealt_is_refused(
    study: Study, people: list[str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        write_sheets(study, people, tmp_path / "sheets")
    assert message in str(caught.value)
    assert not (tmp_path / "sheets").exists()


@pytest.mark.parametrize("make", STUDIES)
def test_the_instructions_name_every_question_and_choice(make: Callable[[], Study]) -> None:
    study = make()
    text = instructions(study)
    for question in study.questions:
        assert f"## {question.id}" in text
        for words in question.ask.values():
            assert words in text
        for name in choices(question):
            assert f"`{name}`" in text
    for each in (*study.title.values(), *study.instructions.values()):
        assert each in text
