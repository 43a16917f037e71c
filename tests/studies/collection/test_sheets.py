"""Items dealt out to people who label in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epicene.core.errors import InputError
from epicene.studies.analysis.study_builder import study_from_data
from epicene.studies.collection.folder import create_study_folder
from epicene.studies.collection.sheets import (
    assign_sheets,
    sheet_instructions,
    write_pcibex_experiment,
    write_sheets,
)
from epicene.studies.design.answers import choice_ids
from epicene.studies.design.sampling import SamplingOptions
from epicene.studies.design.schema import Study, StudyItem, all_items
from epicene.suites import DataSource, find_suite
from scripted_people import fill_in, respond
from study_examples import STUDIES, forced_choice, misgendering


def of_items(judgements: list[int]) -> Study:
    items = tuple(
        StudyItem(id=str(number), language="en", fields={"text": "He ran."}, judgements=wanted)
        for number, wanted in enumerate(judgements)
    )
    return msgspec.structs.replace(misgendering(), items=items)


def alternations(verbs: int, judgements: int = 1) -> Study:
    """The forced choice of `alternations`: four versions of each verb, on four lists."""
    drawn = study_from_data(
        find_suite("alternations"), DataSource(), SamplingOptions(per_cell=verbs), study="choice"
    )
    return msgspec.structs.replace(drawn, judgements=judgements)


@given(st.lists(st.integers(0, 3), max_size=40), st.integers(3, 6))
def test_every_item_gets_its_people_and_all_have_as_much_to_do(
    judgements: list[int], people: int
) -> None:
    names = [f"p{number}" for number in range(people)]
    hands = assign_sheets(of_items(judgements), names)
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
    assert sorted(row["item"] for row in rows) == ["0", "1"]
    assert {row["participant"] for row in rows} == {"ann"}
    assert paths[0].read_bytes().startswith(b"\xef\xbb\xbf")
    paths[1].unlink()
    with pytest.raises(InputError, match=r"ann\.csv is there already"):
        write_sheets(study, ["ann", "bob"], tmp_path / "sheets")
    assert not paths[1].exists()


@pytest.mark.parametrize(
    ("study", "people", "message"),
    [
        (of_items([2]), ["ann"], "The item 0 lacks 2 judgements, and the people named can give 1;"),
        (of_items([1]), ["ann", "ann"], "One person was named twice."),
        (of_items([1]), ["../ann"], "'../ann' cannot be the name of a person's sheet."),
        (of_items([1]), [""], "'' cannot be the name of a person's sheet."),
        (
            forced_choice(),
            ["ann"],
            "The 2 lists of the study a-study lack people: 40 wanted, 1 at hand",
        ),
        (
            msgspec.structs.replace(alternations(verbs=3), per_person=2),
            ["ann"],
            "has 3 items, and a person gets at most 2",
        ),
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
    text = sheet_instructions(study)
    for question in study.questions:
        assert f"## {question.id}" in text
        for words in question.ask.values():
            assert words in text
        for name in choice_ids(question):
            assert f"`{name}`" in text
    every = (study.title, study.consent, study.instructions)
    for each in (text for words in every for text in words.values()):
        assert each in text
    for item in study.practice:
        assert all(words in text for words in item.feedback.values())


# --- studies with lists ------------------------------------------------------------------------


def test_everybody_gets_a_list_and_every_item_its_people() -> None:
    study = alternations(verbs=5, judgements=2)
    people = [f"p{number}" for number in range(8)]
    hands = assign_sheets(study, people)
    assert Counter(item.id for hand in hands.values() for item in hand) == {
        item.id: 2 for item in study.items
    }
    for hand in hands.values():
        assert len({item.group for item in hand}) == 5
        assert set(Counter(item.condition for item in hand).values()) <= {1, 2}


def test_given_lists_get_as_many_people_as_each_wants() -> None:
    items = [
        StudyItem(id=name, list=name, judgements=wanted, fields={"good": "x", "bad": "y"})
        for name, wanted in (("A", 3), ("B", 1))
    ]
    study = msgspec.structs.replace(forced_choice(), items=tuple(items), lists="given")
    hands = assign_sheets(study, ["p1", "p2", "p3", "p4", "p5", "p6"])
    # By hand: A lacks most until it has two, then A and B take turns; the last two are over.
    assert [hand[0].id for hand in hands.values()] == ["A", "A", "A", "B", "A", "B"]


def test_sheets_of_lists_are_filled_in_and_come_back(tmp_path: Path) -> None:
    folder = create_study_folder(tmp_path / "study", alternations(verbs=3))
    study = folder.study
    people = ["p1", "p2", "p3", "p4"]
    besides = {item.id for item in (*study.fillers, *study.checks)}
    practice = {item.id for item in study.practice}
    orders = []
    for path in write_sheets(study, people, tmp_path / "sheets")[:-1]:
        sheet = path.read_text("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(sheet, newline="")))
        orders.append([row["item"] for row in rows if row["item"] in besides])
        assert practice.isdisjoint(row["item"] for row in rows)
        assert "variant" not in sheet
        assert "good" not in sheet
        items = {item.id: item for item in all_items(study)}
        answers = [respond(study, items[row["item"]], path.stem) for row in rows]
        path.write_text(fill_in(sheet, answers), "utf-8")
        assert folder.import_file(path).new == len(rows)
    assert len(set(map(tuple, orders))) == 4
    given = Counter(response.item for response in folder.responses())
    assert given == {
        **{item.id: 1 for item in study.items},
        **{item.id: 4 for item in (*study.fillers, *study.checks)},
    }


def test_an_experiment_is_written_once(tmp_path: Path) -> None:
    paths = write_pcibex_experiment(forced_choice(), tmp_path / "out")
    assert [path.name for path in paths] == ["main.js", "items.csv"]
    with pytest.raises(InputError, match=r"main\.js is there already"):
        write_pcibex_experiment(forced_choice(), tmp_path / "out")
