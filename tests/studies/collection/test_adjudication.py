"""Where people differ, what the owner decides, and what becomes of the labels."""

from __future__ import annotations

import csv
import io
import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from threading import Barrier

import msgspec
import pytest

from epicene.core.errors import InputError, RunError
from epicene.core.records import Estimate, Row
from epicene.studies.analysis.study_builder import study_from_data
from epicene.studies.analysis.study_summary import summarise_study
from epicene.studies.collection.adjudication import (
    AdjudicationStore,
    apply_adjudications,
    disagreements,
    why_no_adjudication,
)
from epicene.studies.collection.folder import (
    RESPONSES_FILE,
    StudyFolder,
    create_study_folder,
    open_study_folder,
)
from epicene.studies.collection.sheets import adjudication_sheet
from epicene.studies.design.sampling import SamplingOptions
from epicene.studies.design.schema import (
    Adjudication,
    AnswerValue,
    ChoiceQuestion,
    Response,
    Span,
    Study,
    StudyItem,
)
from epicene.studies.exchange.response_files import ExportFormat, export_responses, responses_sheet
from epicene.suites import DataSource, find_suite
from scripted_people import answer
from study_examples import completion, label_and_rewrite, misgendering, response


def decided(**values: AnswerValue) -> dict[tuple[str, str], Adjudication]:
    """Decisions about the item `k` of the study `completion`, or the one that is named."""
    return {
        ("k", name): Adjudication(study="a-study", item="k", question=name, value=value, by="eve")
        for name, value in values.items()
    }


def open_questions(study: Study, given: list[Response], **values: AnswerValue) -> list[str]:
    return [each.question for each in disagreements(study, given, decided(**values))]


ANN = response("ann", "k", grammatical="yes", plausible="yes")
BOB = response("bob", "k", grammatical="no", error=("case",), plausible="yes")
CYD = response("cyd", "k", grammatical="no", error=("valency", "case"), plausible="yes")


# --- where people differ -----------------------------------------------------------------------


def test_what_people_differ_in_by_hand() -> None:
    study = completion()
    found = disagreements(study, [CYD, BOB, ANN], {})
    assert [(each.item.id, each.question) for each in found] == [
        ("k", "grammatical"),
        ("k", "error"),
    ]
    assert found[0].answers == {"ann": "yes", "bob": "no", "cyd": "no"}
    assert list(found[0].answers) == ["ann", "bob", "cyd"]
    assert found[1].answers == {"bob": ("case",), "cyd": ("valency", "case")}
    assert disagreements(study, [ANN], {}) == []
    assert open_questions(study, [ANN, BOB]) == ["grammatical"]  # one error is no disagreement


def test_blanks_order_and_remarks_are_no_disagreement() -> None:
    study = label_and_rewrite()
    one = response(
        "ann", "s1", label="MB", flags=("hard", "malformed"), other="أنا متعبة", note="!"
    )
    two = response("bob", "s1", label="MB", flags=("malformed", "hard"), other="أنا  متعبة")
    assert disagreements(study, [one, two], {}) == []
    three = msgspec.structs.replace(two, answers=two.answers | {"other": "أنا متعبه"})
    assert [each.question for each in disagreements(study, [one, three], {})] == ["other"]


def test_canonically_equal_texts_are_no_disagreement() -> None:
    study = label_and_rewrite()
    one = response("ann", "s1", label="MB", other="أنا مسافرآ")
    two = response("bob", "s1", label="MB", other="أنا مسافرا\u0653")
    assert disagreements(study, [one, two], {}) == []


def test_there_is_nothing_to_settle_in_what_people_prefer(tmp_path: Path) -> None:
    study = study_from_data(
        find_suite("alternations"), DataSource(), SamplingOptions(per_cell=1), study="choice"
    )
    item = study.items[0].id
    given = [response("ann", item, better="a"), response("bob", item, better="b")]
    assert disagreements(study, given, {}) == []
    assert "there is no right answer" in why_no_adjudication(study)
    with pytest.raises(InputError, match="settles better, which asks for a preference"):
        AdjudicationStore(tmp_path / RESPONSES_FILE, study).adjudicate(item, "better", "a", "eve")
    (better,) = study.questions
    asked = msgspec.structs.replace(
        study, questions=(msgspec.structs.replace(better, preference=False),)
    )
    assert [each.question for each in disagreements(asked, given, {})] == ["better"]
    assert why_no_adjudication(asked) == why_no_adjudication(completion()) == ""


def test_of_several_questions_only_the_preference_has_no_right_answer() -> None:
    study = completion()
    *others, last = study.questions
    assert isinstance(last, ChoiceQuestion)
    taste = msgspec.structs.replace(last, preference=True)
    study = msgspec.structs.replace(study, questions=(*others, taste))
    bob = msgspec.structs.replace(BOB, answers=BOB.answers | {"plausible": "no"})
    assert open_questions(study, [ANN, bob]) == ["grammatical"]
    assert why_no_adjudication(study) == ""


def test_a_decision_in_another_canonical_spelling_is_the_same(tmp_path: Path) -> None:
    study = label_and_rewrite()
    store = AdjudicationStore(tmp_path / RESPONSES_FILE, study)
    first = store.adjudicate("s1", "other", "أنا مسافرآ", "eve")
    store.adjudicate("s1", "other", "أنا مسافرا\u0653", "dan")
    assert store.all() == {("s1", "other"): first}


def test_items_come_in_the_order_of_the_study_and_checks_not_at_all() -> None:
    study = misgendering()
    check = StudyItem(id="c", fields=study.items[0].fields, expected={"label": "correct"})
    study = msgspec.structs.replace(study, checks=(check,))
    given = [
        response(who, item, label=label)
        for item in ("g2", "c", "g1")
        for who, label in (("ann", "correct"), ("bob", "misgendering"))
    ]
    assert [each.item.id for each in disagreements(study, given, {})] == ["g1", "g2"]


def test_what_is_settled_is_asked_no_more_and_asks_what_follows() -> None:
    study = completion()
    every = [ANN, BOB, CYD]
    assert open_questions(study, every, grammatical="no") == ["error"]
    assert open_questions(study, every, grammatical="no", error=("case",)) == []
    assert open_questions(study, every, grammatical="yes") == []  # then there is no error
    both_right = [ANN, msgspec.structs.replace(ANN, participant="dee")]
    (lacking,) = disagreements(study, both_right, decided(grammatical="no"))
    assert (lacking.question, lacking.answers) == ("error", {})
    assert open_questions(study, both_right, grammatical="no", error=("case",)) == []


# --- what labels are taken from ----------------------------------------------------------------


def test_labels_are_taken_as_if_everybody_had_given_the_settled_answers() -> None:
    study = completion()
    found = apply_adjudications(
        study, [ANN, BOB, CYD], decided(grammatical="no", error=("meaning",))
    )
    assert [each.answers for each in found] == [
        {"grammatical": "no", "error": ("meaning",), "plausible": "yes"}
    ] * 3
    assert [each.participant for each in found] == ["ann", "bob", "cyd"]
    found = apply_adjudications(study, [ANN, BOB, CYD], decided(grammatical="yes"))
    assert [each.answers for each in found] == [{"grammatical": "yes", "plausible": "yes"}] * 3


def test_who_was_never_asked_what_follows_has_no_say_in_it() -> None:
    found = apply_adjudications(completion(), [ANN, BOB], decided(grammatical="no"))
    assert found == [BOB]


def test_what_is_not_wholly_settled_stays_as_people_left_it() -> None:
    both = [ANN, msgspec.structs.replace(ANN, participant="dee")]
    assert apply_adjudications(completion(), both, decided(grammatical="no")) == both
    assert apply_adjudications(completion(), both, {}) == both


# --- keeping -----------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> StudyFolder:
    return create_study_folder(tmp_path / "study", misgendering())


def test_a_decision_is_kept_replaced_and_taken_back(folder: StudyFolder) -> None:
    kept = folder.adjudications()
    assert kept.all() == {}
    assert not (folder.path / RESPONSES_FILE).exists()  # looking writes nothing
    assert not kept.reopen("g1", "label")
    before = datetime.now(UTC)
    first = kept.adjudicate("g1", "label", "correct", "eve")
    assert kept.adjudicate("g1", "extraneous", (Span(start=22, end=25, label="noun"),), "eve")
    again = open_study_folder(folder.path).adjudications()
    assert again.all() == kept.all()
    assert again.all()["g1", "label"] == first
    assert first.at is not None
    assert before <= first.at <= datetime.now(UTC)
    kept.adjudicate("g1", "label", "misgendering", "flo")
    assert (kept.all()["g1", "label"].value, kept.all()["g1", "label"].by) == (
        "misgendering",
        "flo",
    )
    assert kept.reopen("g1", "label")
    assert not kept.reopen("g1", "label")
    assert list(kept.all()) == [("g1", "extraneous")]
    assert folder.responses() == []


@pytest.mark.parametrize(
    ("item", "question", "value", "message"),
    [
        ("g1", "label", "corect", "label has no choice 'corect'."),
        ("g1", "label", ("correct",), "label must have a text as its answer, not a list."),
        ("g1", "label", "", "settles label of g1 without an answer."),
        ("g1", "lable", "correct", "there is no question 'lable'; did you mean 'label'?"),
        ("g9", "label", "correct", "there is no item 'g9'"),
        ("g1", "note", "hm", "which is a remark, not an answer."),
        ("g1", "tags", ("loud",), "tags has no choice 'loud'."),
        ("g1", "extraneous", (Span(start=1, end=99, label="noun"),), "marks characters 1 to 99"),
    ],
)
def test_what_nobody_could_answer_cannot_be_settled(
    folder: StudyFolder, item: str, question: str, value: AnswerValue, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        folder.adjudications().adjudicate(item, question, value, "eve")
    assert message in str(caught.value)
    assert folder.adjudications().all() == {}


def test_what_is_not_asked_any_more_cannot_be_settled(tmp_path: Path) -> None:
    kept = AdjudicationStore(tmp_path / RESPONSES_FILE, completion())
    kept.adjudicate("k", "grammatical", "yes", "eve")
    with pytest.raises(InputError, match="which is not asked given the decision on grammatical"):
        kept.adjudicate("k", "error", ("case",), "eve")
    kept.adjudicate("k", "grammatical", "no", "eve")
    kept.adjudicate("k", "error", ("case",), "eve")
    assert len(kept.all()) == 2


@pytest.mark.parametrize("stores", [1, 8])
def test_any_thread_may_decide(stores: int, folder: StudyFolder) -> None:
    """All at once, and first: they create the database."""
    kept = [folder.adjudications() for _ in range(stores)]
    options = ("correct", "misgendering", "no-pronoun", "plural-they")
    decisions = list(product(("g1", "g2"), options))
    together = Barrier(len(decisions))

    def decide(number: int) -> None:
        item, value = decisions[number]
        together.wait()
        kept[number % stores].adjudicate(item, "label", value, f"{value} {item}")

    with ThreadPoolExecutor(len(decisions)) as threads:
        list(threads.map(decide, range(len(decisions))))  # raises what a thread raised
    found = kept[0].all()
    assert set(found) == {("g1", "label"), ("g2", "label")}
    assert all(each.by == f"{each.value} {each.item}" for each in found.values())


def test_a_decision_may_come_before_the_table_of_responses(folder: StudyFolder) -> None:
    """The one who creates the database may not have got further, or may have been killed there."""
    (folder.path / RESPONSES_FILE).touch()
    folder.adjudications().adjudicate("g1", "label", "correct", "eve")
    assert folder.responses() == []
    assert set(folder.adjudications().all()) == {("g1", "label")}


def test_a_database_that_is_none_is_said(folder: StudyFolder) -> None:
    (folder.path / RESPONSES_FILE).write_bytes(b"no database at all, but long enough for one" * 20)
    with pytest.raises(RunError, match="Could not read the responses"):
        folder.adjudications().all()


# --- files -------------------------------------------------------------------------------------


def settled_folder(folder: StudyFolder) -> StudyFolder:
    lines = "participant,item,label\nann,g1,correct\nbob,g1,misgendering\nann,g2,correct\n"
    path = folder.path.parent / "sheet.csv"
    path.write_text(lines, "utf-8")
    folder.import_file(path)
    kept = folder.adjudications()
    kept.adjudicate("g1", "label", "plural-they", "eve")
    kept.adjudicate("g1", "tags", (), "eve")
    kept.adjudicate("g1", "extraneous", (Span(start=22, end=25, label="noun"),), "=flo()")
    return folder


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
def test_adjudications_are_exported_and_imported(folder: StudyFolder, form: ExportFormat) -> None:
    study = settled_folder(folder).study
    settled = folder.adjudications().all().values()
    text = export_responses(study, folder.responses(), settled, form)
    path = folder.path.parent / f"all.{form}"
    path.write_text(text, "utf-8", newline="")
    copy = create_study_folder(folder.path.parent / "copy", study)
    assert copy.import_file(path) == (3, 0, 0, 3)
    assert copy.import_file(path) == (0, 3, 0, 0)
    assert copy.adjudications().all() == folder.adjudications().all()
    assert [each.answers["label"] for each in copy.responses()] == [
        each.answers["label"] for each in folder.responses()
    ]


def test_a_sheet_of_answers_alone_has_no_column_for_decisions(folder: StudyFolder) -> None:
    study = settled_folder(folder).study
    assert "settled by" not in responses_sheet(study, folder.responses())


def test_another_decision_must_be_wanted_and_keeps_out_the_whole_file(folder: StudyFolder) -> None:
    settled_folder(folder)
    path = folder.path.parent / "more.csv"
    path.write_text(
        "participant,item,settled by,label\ncyd,g2,,correct\n,g1,eve,correct\n", "utf-8"
    )
    with pytest.raises(InputError) as caught:
        folder.import_file(path)
    assert str(caught.value) == (
        f"{path}, line 3, settles label of g1 differently from eve's earlier decision; use "
        "--replace to take the new one."
    )
    assert len(folder.responses()) == 3
    assert folder.import_file(path, replace=True) == (1, 0, 0, 1)
    assert folder.adjudications().all()["g1", "label"].value == "correct"


HEAD = "participant,item,settled by,label\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{HEAD},g1,eve,corect", "line 2, settles g1: label has no choice 'corect'."),
        (f"{HEAD},g7,eve,correct", "line 2, settles the item 'g7', which the study does not have."),
        ('{"settled by": "eve", "item": "g1", "answers": 3}', "line 1, does not fit: "),
        ('{"settled by": "eve", "item": "g1", "answers": {"label": 3}}', "line 1, does not fit: "),
        (
            '{"settled by": "eve", "item": "g1", "answers": {"lbl": "correct"}}',
            "there is no question 'lbl'; did you mean 'label'?",
        ),
        (
            '{"settled by": ["eve"], "item": "g1", "answers": {"label": "correct"}}',
            "line 1, does not fit: ",
        ),
        (
            '{"settled by": "eve", "item": "g1", "study": "b", "label": "correct"}',
            "line 1, belongs to the study 'b', but this is 'a-study'.",
        ),
    ],
)
def test_a_wrong_decision_is_refused_with_its_location(
    folder: StudyFolder, text: str, message: str
) -> None:
    path = folder.path.parent / ("bad.jsonl" if text.startswith("{") else "bad.csv")
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as caught:
        folder.import_file(path)
    assert str(caught.value).startswith(f"{path}, line ")
    assert message in str(caught.value)
    assert folder.adjudications().all() == {}


def test_a_sheet_of_disagreements_is_filled_in_and_taken(folder: StudyFolder) -> None:
    path = folder.path.parent / "sheet.csv"
    path.write_text(
        "participant,item,label,tags\nann,g1,correct,\nbob,g1,misgendering,repetition\n"
        "ann,g2,correct,\nbob,g2,no-pronoun,\n",
        "utf-8",
    )
    folder.import_file(path)
    study = folder.study
    sheet = adjudication_sheet(study, disagreements(study, folder.responses(), {}), "eve")
    rows = list(csv.DictReader(io.StringIO(sheet, newline="")))
    assert [(row["item"], row["settled by"]) for row in rows] == [("g1", "eve"), ("g2", "eve")]
    assert rows[0]["said: label"] == "ann: correct | bob: misgendering"
    assert rows[0]["said: tags"] == "ann:  | bob: repetition"
    assert rows[1]["said: tags"] == ""
    assert rows[0]["shown: text"] == study.items[0].fields["text"]
    assert "automatic" not in sheet
    rows[0] |= {"label": "correct", "tags": ";"}
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(text.getvalue(), "utf-8")
    assert folder.import_file(path) == (0, 0, 0, 2)
    settled = folder.adjudications().all()
    assert {about: each.value for about, each in settled.items()} == {
        ("g1", "label"): "correct",
        ("g1", "tags"): (),
    }
    left = disagreements(study, folder.responses(), settled)
    assert [(each.item.id, each.question) for each in left] == [("g2", "label")]


# --- what suites make of it --------------------------------------------------------------------


def cells(row: Row) -> list[float | str | None]:
    return [cell.value if isinstance(cell, Estimate) else cell for cell in row.cells]


def test_a_settled_answer_wins_over_the_majority_and_is_no_rater(tmp_path: Path) -> None:
    drawn = study_from_data(
        find_suite("gramvis"), DataSource(), SamplingOptions(total=4), study="stereotype"
    )
    folder = create_study_folder(tmp_path / "study", drawn)
    question = drawn.questions[0].id
    for name, label in (("ann", "female"), ("bob", "female"), ("cyd", "male")):
        answer(folder, name, lambda _item, label=label: {question: label})  # type: ignore[misc]
    item = drawn.items[0]
    folder.adjudications().adjudicate(item.id, question, "male", "eve")
    before = summarise_study(drawn, folder.responses())
    after = summarise_study(drawn, folder.responses(), adjudications=folder.adjudications().all())
    meaning = item.fields["meaning"]
    for summary, most in ((before, "female"), (after, "male")):
        table = next(each for each in summary.tables if each.name == "meanings")
        (row,) = (each for each in table.rows if each.keys == (meaning,))
        assert cells(row)[:2] == [1, 2] or cells(row)[:2] == [2, 1]  # the votes stay
        assert cells(row)[3] == most
        assert [cells(each)[3] for each in table.rows if each.keys != (meaning,)] == ["female"] * 3
    assert before.metrics["alpha_people"] == after.metrics["alpha_people"]
    assert before.progress == after.progress
    assert after.results.frame.equals(before.results.frame)
    assert before.results.adjudicated is before.results.frame


def test_the_folder_may_be_copied_with_its_decisions(folder: StudyFolder) -> None:
    settled_folder(folder)
    shutil.copytree(folder.path, folder.path.parent / "moved")
    moved = open_study_folder(folder.path.parent / "moved")
    assert moved.adjudications().all() == folder.adjudications().all()
