"""Items assigned to people who label in a spreadsheet, also when some were answered before."""

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
    prior_responses,
    sheet_instructions,
    write_project,
    write_sheets,
)
from epicene.studies.design.answers import choice_ids
from epicene.studies.design.sampling import SamplingOptions
from epicene.studies.design.schema import Response, Study, StudyItem, all_items
from epicene.suites import DataSource, find_suite
from scripted_people import fill_in, respond
from studies.annotate_command import command
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
    assigned = assign_sheets(of_items(judgements), names)
    assert list(assigned) == names
    found = Counter(item.id for hand in assigned.values() for item in hand)
    assert [found[str(number)] for number in range(len(judgements))] == judgements
    for hand in assigned.values():
        assert len({item.id for item in hand}) == len(hand)
    sizes = [len(hand) for hand in assigned.values()]
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
    # As a killed command leaves it: repeated, it writes the rest.
    paths[1].unlink()
    assert write_sheets(study, ["ann", "bob"], tmp_path / "sheets") == paths
    assert paths[1].exists()
    # In use, it is not written over, and nothing else is written.
    paths[1].unlink()
    paths[0].write_text("filled in", "utf-8")
    with pytest.raises(InputError, match=r"ann\.csv already exists"):
        write_sheets(study, ["ann", "bob"], tmp_path / "sheets")
    assert not paths[1].exists()
    assert paths[0].read_text("utf-8") == "filled in"


@pytest.mark.parametrize(
    ("study", "people", "message"),
    [
        (
            of_items([2]),
            ["ann"],
            "The item 0 lacks 2 judgements, but the named people can give only",
        ),
        (of_items([1]), ["ann", "ann"], "The same person is named twice; name each person once."),
        (of_items([1]), ["../ann"], "'../ann' cannot be used as the name of a sheet."),
        (of_items([1]), [""], "'' cannot be used as the name of a sheet."),
        (
            forced_choice(),
            ["ann"],
            "The 2 lists of the study a-study need more people: 40 needed, 1 named",
        ),
        (
            msgspec.structs.replace(alternations(verbs=3), per_person=2),
            ["ann"],
            "has 3 items, but per_person allows at most 2",
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
    assigned = assign_sheets(study, people)
    assert Counter(item.id for hand in assigned.values() for item in hand) == {
        item.id: 2 for item in study.items
    }
    for hand in assigned.values():
        assert len({item.group for item in hand}) == 5
        assert set(Counter(item.condition for item in hand).values()) <= {1, 2}


def test_given_lists_get_as_many_people_as_each_wants() -> None:
    items = [
        StudyItem(id=name, list=name, judgements=wanted, fields={"good": "x", "bad": "y"})
        for name, wanted in (("A", 3), ("B", 1))
    ]
    study = msgspec.structs.replace(forced_choice(), items=tuple(items), lists="given")
    assigned = assign_sheets(study, ["p1", "p2", "p3", "p4", "p5", "p6"])
    # By hand: A lacks most until it has two, then A and B take turns; the last two are over.
    assert [hand[0].id for hand in assigned.values()] == ["A", "A", "A", "B", "A", "B"]


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
    paths = write_project(forced_choice(), tmp_path / "out", "pcibex")
    assert [path.name for path in paths] == ["main.js", "items.csv"]
    assert write_project(forced_choice(), tmp_path / "out", "pcibex") == paths
    paths[0].write_text("changed", "utf-8")
    with pytest.raises(InputError, match=r"main\.js already exists"):
        write_project(forced_choice(), tmp_path / "out", "pcibex")


# --- with earlier responses --------------------------------------------------------------------

PEOPLE = ("ann", "bob", "cem", "dan")


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


def ids(assigned: dict[str, list[StudyItem]]) -> dict[str, list[str]]:
    return {person: [item.id for item in items] for person, items in assigned.items()}


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=12),
    st.sets(st.tuples(st.sampled_from((*PEOPLE, "eve")), st.integers(0, 11)), max_size=20),
)
def test_every_item_is_judged_as_often_as_wanted_and_by_nobody_twice(
    judgements: list[int], done: set[tuple[str, int]]
) -> None:
    study = of_items(judgements)
    before = [judged(who, str(item)) for who, item in done if item < len(judgements)]
    assigned = assign_sheets(study, PEOPLE, prior_responses(study, before))
    given_before = Counter(response.item for response in before)
    dealt = Counter(item.id for items in assigned.values() for item in items)
    for number, wanted in enumerate(judgements):
        assert dealt[str(number)] == max(0, wanted - given_before[str(number)])
    met = {(response.participant, response.item) for response in before}
    assert met.isdisjoint((who, item.id) for who, items in assigned.items() for item in items)


def test_a_judgement_that_is_not_whole_is_asked_of_somebody_else() -> None:
    study = of_items([1])
    half = Response(study="a-study", participant="ann", item="0", answers={"tags": ()})
    assert ids(assign_sheets(study, ["ann", "bob"], prior_responses(study, [half]))) == {
        "ann": [],
        "bob": ["0"],
    }
    with pytest.raises(InputError, match=r"The item 0 lacks 1 judgement, but .* can give only 0;"):
        assign_sheets(study, ["ann"], prior_responses(study, [half]))


def test_who_began_a_list_goes_on_with_it() -> None:
    study = of_lists(1)
    before = prior_responses(study, [judged("bob", "A0"), judged("bob", "f")])
    # A is the first list, and would be the first person's.
    assert ids(assign_sheets(study, ["ann", "bob"], before)) == {
        "ann": ["B0", "B1", "B2"],
        "bob": ["A1", "A2"],
    }
    with pytest.raises(InputError, match=r"2 lists .* need more people: 1 needed, 0 named"):
        assign_sheets(study, ["bob"], before)


def test_who_finished_a_list_takes_nobodys_place() -> None:
    study = of_lists(2)
    before = prior_responses(study, [judged("ann", f"A{number}") for number in range(3)])
    with pytest.raises(InputError, match="need more people: 3 needed, 2 named"):
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
    assert command("sheets", folder.path, "--people=ann,bob", f"--out={tmp_path / 'o'}") == 0
    assert capsys.readouterr().err.splitlines()[2:] == [
        # The practice item is in no sheet anyway.
        "The sheet of ann leaves out 2 items that ann has already answered.",
        "bob has nothing left to do and gets no sheet.",
    ]
    with (tmp_path / "o" / "ann.csv").open(encoding="utf-8-sig", newline="") as file:
        assert sorted(row["item"] for row in csv.DictReader(file)) == ["A1", "A2", "f"]
    assert not (tmp_path / "o" / "bob.csv").exists()
    with pytest.raises(InputError, match="has no items left for the people named"):
        write_sheets(
            study,
            ["bob"],
            tmp_path / "p",
            [judged("ann", f"A{n}") for n in range(3)] + [judged("bob", f"B{n}") for n in range(3)],
        )
    assert not (tmp_path / "p").exists()
