"""Responses as files: there and back, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from epicene.core.errors import InputError
from epicene.studies.design.schema import Response, Span, Study, all_items, visible_values
from epicene.studies.exchange.response_files import (
    HIDDEN_PREFIX,
    SHOWN_PREFIX,
    ExportFormat,
    empty_sheet,
    export_responses,
    read_responses,
    responses_jsonl,
    responses_sheet,
    same_answers,
)
from scripted_people import respond
from study_examples import STUDIES, completion, image, label_and_rewrite, misgendering


def answered(study: Study) -> list[Response]:
    return [respond(study, item, who) for item in all_items(study) for who in ("ann", "bob")]


def read(path: Path, study: Study, text: str) -> list[Response]:
    path.write_text(text, "utf-8", newline="")
    return [placed.response for placed in read_responses(path, study)]


@pytest.mark.parametrize("make", STUDIES)
@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
@pytest.mark.parametrize("with_hidden", [False, True])
def test_a_sheet_comes_back(
    make: Callable[[], Study], suffix: str, with_hidden: bool, tmp_path: Path
) -> None:
    study = make()
    given = answered(study)
    delimiter = "\t" if suffix == ".tsv" else ","
    text = responses_sheet(study, given, with_hidden=with_hidden, delimiter=delimiter)
    found = read(tmp_path / f"sheet{suffix}", study, text)
    assert len(found) == len(given)
    for one, other in zip(found, given, strict=True):
        assert (one.participant, one.item) == (other.participant, other.item)
        assert same_answers(one, other)


@pytest.mark.parametrize("make", STUDIES)
def test_json_lines_come_back_to_the_last_field(make: Callable[[], Study], tmp_path: Path) -> None:
    study = make()
    given = [
        msgspec.structs.replace(
            each, at=datetime(2026, 7, 1, 12, 30, tzinfo=UTC), seconds=4.25, language="en"
        )
        for each in answered(study)
    ]
    text = responses_jsonl(study, given, with_hidden=True)
    assert read(tmp_path / "all.jsonl", study, text) == given
    timed = read(tmp_path / "all.csv", study, responses_sheet(study, given))
    assert [(each.at, each.seconds) for each in timed] == [(e.at, e.seconds) for e in given]


def test_only_what_is_shown_is_written_for_people() -> None:
    study = misgendering()
    sheets = [
        empty_sheet(study, study.items, "ann"),
        responses_sheet(study, answered(study)),
        responses_jsonl(study, answered(study)),
    ]
    for text in sheets:
        assert f"{SHOWN_PREFIX}text" in text
        assert HIDDEN_PREFIX not in text
        assert "automatic" not in text
    assert f"{HIDDEN_PREFIX}automatic" in responses_sheet(study, answered(study), with_hidden=True)


def test_rows_that_nobody_filled_in_are_passed_over(tmp_path: Path) -> None:
    study = misgendering()
    rows = list(csv.DictReader(io.StringIO(empty_sheet(study, study.items, "ann"), newline="")))
    assert [row["item"] for row in rows] == ["g1", "g2"]
    rows[1] |= {"label": "correct", "extraneous": "ran"}
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    study = msgspec.structs.replace(
        study,
        questions=tuple(
            msgspec.structs.replace(each, labels=()) if each.id == "extraneous" else each
            for each in study.questions
        ),
    )
    (only,) = read(tmp_path / "sheet.csv", study, "\ufeff" + text.getvalue())
    assert only.item == "g2"
    assert only.answers == {"label": "correct", "extraneous": (Span(start=3, end=6),), "tags": ()}


def test_whose_answers_they_are_may_be_said_apart(tmp_path: Path) -> None:
    text = "thing,gender\ni,man\n"
    (found,) = read_responses(
        _written(tmp_path / "a.csv", text), image(), participant="ann", columns={"item": "thing"}
    )
    assert found.response == Response(
        study="a-study", participant="ann", item="i", answers={"gender": "man"}
    )


def test_the_same_row_twice_is_one_response(tmp_path: Path) -> None:
    text = "participant,item,gender\nann,i,man\nann,i,man\n"
    assert len(read(tmp_path / "a.csv", image(), text)) == 1


HEAD = "participant,item,gender\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{HEAD}ann,i,men\n", "a.csv, line 2, gender has no choice 'men'."),
        (
            f"{HEAD}ann,j,man\n",
            "a.csv, line 2, names the item 'j', which the study 'a-study' does not have.",
        ),
        (
            f"{HEAD}ann,,man\n",
            "a.csv, line 2, does not name an item; put its id in the column `item`.",
        ),
        (
            f"{HEAD},i,man\n",
            "a.csv, line 2, does not name the participant; add a column `participant`, or "
            "give the person's name.",
        ),
        (
            "participant,item,gendr\nann,i,man\n",
            "a.csv, line 2, there is no column 'gendr'; did you mean 'gender'?",
        ),
        (
            f"{HEAD}ann,i,man\nann,i,woman\n",
            "a.csv, line 3, answers the item i for ann differently from a.csv, line 2; keep one of "
            "the two.",
        ),
        (
            "participant,item,gender,seconds\nann,i,man,long\n",
            "a.csv, line 2, does not fit: Expected `float | null`, got `str` - at `$.seconds`.",
        ),
        *(
            (
                f"participant,item,gender,seconds\nann,i,man,\nbob,i,man,{seconds}\n",
                f"a.csv, line 3, seconds is {seconds}, but must be a finite number of at least 0.",
            )
            for seconds in ("-5.0", "nan", "inf")
        ),
        (
            f"{HEAD}  ,i,man\n",
            "a.csv, line 2, does not name the participant; add a column `participant`, or "
            "give the person's name.",
        ),
        (
            f"{HEAD}{'n' * 101},i,man\n",
            f"a.csv, line 2, '{'n' * 101}' cannot be the name of a person: use up to 100 "
            "characters, without spaces at the start or end.",
        ),
        (
            "participant,item,gender,study\nann,i,man,other\n",
            "a.csv, line 2, belongs to the study 'other', but this is 'a-study'.",
        ),
        (
            f"{HEAD}ann,i\n",
            "a.csv, line 2, does not have the same number of columns as the first line.",
        ),
    ],
)
def test_a_bad_row_is_refused_with_its_place(text: str, message: str, tmp_path: Path) -> None:
    path = _written(tmp_path / "a.csv", text)
    with pytest.raises(InputError) as caught:
        read_responses(path, image())
    assert str(caught.value) == message.replace("a.csv", str(path))


@pytest.mark.parametrize("value", ["-5", "NaN", "Infinity"])
def test_impossible_times_in_json_are_refused(value: str, tmp_path: Path) -> None:
    row = f'{{"participant": "ann", "item": "i", "gender": "man", "seconds": {value}}}'
    with pytest.raises(InputError, match=r"line 1, seconds is .* must be a finite number"):
        read_responses(_written(tmp_path / "a.jsonl", row), image())


@pytest.mark.parametrize("name", [" ann", "ann\u00a0", "\tann "])
def test_blanks_around_a_name_make_no_second_person(name: str, tmp_path: Path) -> None:
    text = f'{HEAD}ann,i,man\n"{name}",i,man\n'
    assert [each.participant for each in read(tmp_path / "a.csv", image(), text)] == ["ann"]
    row = json.dumps({"item": "i", "gender": "man"})
    (placed,) = read_responses(_written(tmp_path / "a.jsonl", row), image(), participant=name)
    assert placed.response.participant == "ann"


def test_canonically_equal_answers_are_the_same_and_stay_as_they_are(tmp_path: Path) -> None:
    study = label_and_rewrite()
    one, other = "أنا مسافرآ", "أنا مسافرا\u0653"  # a letter with its sign as one and as two
    rows = "".join(
        json.dumps({"participant": "ann", "item": "s1", "label": "MB", "other": text}) + "\n"
        for text in (other, one)
    )
    (found,) = read(tmp_path / "a.jsonl", study, rows)
    assert found.answers["other"] == other
    different = msgspec.structs.replace(found, answers=found.answers | {"other": "أنا مسافر"})
    assert not same_answers(found, different)


@pytest.mark.parametrize("make", STUDIES)
def test_a_study_without_items_is_a_sheet_without_rows(make: Callable[[], Study]) -> None:
    whole = make()
    none = msgspec.structs.replace(whole, practice=(), checks=(), fillers=(), items=())
    writers: tuple[Callable[[Study], str], ...] = (
        lambda study: responses_sheet(study, (), with_hidden=True),
        lambda study: responses_sheet(study, ()),
        lambda study: empty_sheet(study, (), "ann"),
    )
    for write in writers:
        (heads,) = write(none).splitlines()
        assert heads == write(whole).splitlines()[0]
        assert all(
            f"{SHOWN_PREFIX}{name}" in heads for name in visible_values(whole, whole.items[0])
        )
    assert responses_jsonl(none, ()) == ""


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
def test_a_very_long_text_comes_back_in_every_format(form: ExportFormat, tmp_path: Path) -> None:
    study = misgendering()
    given = Response(
        study=study.name,
        participant="ann",
        item="g1",
        answers={"label": "correct", "extraneous": (), "tags": (), "note": "long " * 60_000},
    )
    text = export_responses(study, [given], (), form)
    assert read(tmp_path / f"all.{form}", study, text) == [given]


def test_an_empty_cell_of_a_question_that_was_not_asked_says_nothing(tmp_path: Path) -> None:
    study = completion()  # asks for errors only where the sentence is not grammatical
    (error,) = (question for question in study.questions if question.id == "error")
    optional = msgspec.structs.replace(error, required=False)
    study = msgspec.structs.replace(
        study, questions=(study.questions[0], optional, study.questions[2])
    )
    rows = "participant,item,grammatical,error,plausible\nann,k,yes,,yes\nbob,k,no,,yes\n"
    ann, bob = read(tmp_path / "a.csv", study, rows)
    assert ann.answers == {"grammatical": "yes", "plausible": "yes"}
    assert bob.answers == {"grammatical": "no", "error": (), "plausible": "yes"}


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"label": "MB"}, "other has no answer."),
        ({"label": "BB", "other": "أنا"}, "other should not have been asked."),
        ({"label": 3}, "does not fit: Expected `str | array`, got `int` - at `$.answers[...]`."),
        ({"labl": "BB"}, "there is no question 'labl'; did you mean 'label'?"),
    ],
)
def test_bad_json_answers_are_refused(
    answers: dict[str, object], message: str, tmp_path: Path
) -> None:
    row = {"participant": "ann", "item": "s1", "answers": answers}
    path = _written(tmp_path / "a.jsonl", json.dumps(row))
    with pytest.raises(InputError) as caught:
        read_responses(path, label_and_rewrite())
    assert str(caught.value) == f"{path}, line 1, {message}"


def test_flat_json_may_hold_lists(tmp_path: Path) -> None:
    row: dict[str, object] = {
        "participant": "ann",
        "item": "g1",
        "label": "correct",
        "tags": ["repetition"],
        "extraneous": [{"start": 22, "end": 25, "label": "noun"}],
    }
    (found,) = read(tmp_path / "a.jsonl", misgendering(), json.dumps(row))
    assert found.answers == {
        "label": "correct",
        "tags": ("repetition",),
        "extraneous": (Span(start=22, end=25, label="noun"),),
    }
    row["tags"] = [1]
    path = _written(tmp_path / "b.jsonl", json.dumps(row))
    with pytest.raises(InputError, match="line 1, tags does not fit"):
        read_responses(path, misgendering())


def _written(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path
