"""A study changed after people answered: what no longer fits it is kept and left out."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from epicene.core.errors import InputError
from epicene.studies.analysis.quality import participant_quality, question_agreement
from epicene.studies.analysis.study_summary import IncompatibleStudyError, summarise_study
from epicene.studies.collection.adjudication import AdjudicationStore, disagreements
from epicene.studies.collection.folder import (
    RESPONSES_FILE,
    StudyFolder,
    create_study_folder,
    open_study_folder,
)
from epicene.studies.collection.progress import study_progress
from epicene.studies.collection.schema_drift import valid_responses
from epicene.studies.design.schema import (
    ChoiceQuestion,
    MarksQuestion,
    Option,
    Question,
    Span,
    Study,
    StudyItem,
    TagsQuestion,
)
from epicene.studies.exchange.study_files import study_toml
from epicene.suites.misgendering.protocol import PROTOCOLS
from epicene.suites.misgendering.studies import labels
from studies.annotate_command import command
from studies.suite_studies import drawn
from studies.web.page_visitors import served
from study_examples import completion, misgendering, options, response

MAN = Span(start=22, end=25, label="noun")
OLD = Span(start=18, end=21, label="adjective")


ANSWERS = [
    response(
        "ann", "g1", label="correct", extraneous=(MAN, OLD), tags=("repetition", "wrong-case")
    ),
    response("bob", "g1", label="misgendering", extraneous=(), tags=()),
    response("ann", "g2", label="plural-they", extraneous=(), tags=("wrong-case",)),
]

ANSWERS_BY_ITEM = sorted(ANSWERS, key=lambda each: (each.item, each.participant))


def asking(study: Study, *questions: Question) -> Study:
    return msgspec.structs.replace(study, questions=questions)


def renamed(study: Study) -> Study:
    """`label` is called something else now."""
    first, *others = study.questions
    return asking(study, msgspec.structs.replace(first, id="outcome"), *others)


def removed(study: Study) -> Study:
    return asking(study, *study.questions[1:])


def without_options(study: Study) -> Study:
    """No plural-they, no adjectives, no wrong case."""
    label, marks, tags, note = study.questions
    assert isinstance(label, ChoiceQuestion)
    assert isinstance(marks, MarksQuestion)
    assert isinstance(tags, TagsQuestion)
    return asking(
        study,
        msgspec.structs.replace(label, options=label.options[:3]),
        msgspec.structs.replace(marks, labels=(Option(id="noun"),)),
        msgspec.structs.replace(tags, options=options("repetition")),
        note,
    )


def of_another_kind(study: Study) -> Study:
    """Under old names: words to mark where tags were, tags where words were marked."""
    label, _marks, _tags, note = study.questions
    return asking(
        study,
        label,
        TagsQuestion(id="extraneous", ask={"en": "Which?"}, options=options("noun", "adjective")),
        MarksQuestion(id="tags", ask={"en": "Mark"}, field="text"),
        note,
    )


def without_an_item(study: Study) -> Study:
    return msgspec.structs.replace(study, items=study.items[1:])


def without_the_second(study: Study) -> Study:
    return msgspec.structs.replace(study, items=study.items[:1], shuffle=False)


def without_an_item_but_a_new_one(study: Study) -> Study:
    (item,) = study.items
    return msgspec.structs.replace(study, items=(msgspec.structs.replace(item, id="new"),))


# How many of the nine answers and two decisions fit no more.
CHANGES: list[tuple[Callable[[Study], Study], int]] = [
    (renamed, 3 + 1),
    (removed, 3 + 1),
    (without_options, 1 + 1 + 2 + 1),
    (of_another_kind, 4),
    (without_an_item, 6 + 2),
]


NAMES = [change.__name__ for change, _ in CHANGES]


def answered(path: Path, study: Study) -> StudyFolder:
    """Three responses, and what was decided about two questions."""
    folder = create_study_folder(path, study)
    sheet = path.parent / "given.jsonl"
    sheet.write_bytes(b"\n".join(map(msgspec.json.encode, ANSWERS)))
    folder.import_file(sheet)
    folder.adjudications().adjudicate("g1", "label", "correct", "eve")
    folder.adjudications().adjudicate("g1", "tags", ("wrong-case",), "eve")
    return folder


def changed(folder: StudyFolder, change: Callable[[Study], Study]) -> StudyFolder:
    (folder.path / "study.toml").write_text(study_toml(change(folder.study)), "utf-8")
    return open_study_folder(folder.path)


def test_what_fits_by_hand(tmp_path: Path) -> None:
    folder = answered(tmp_path / "s", misgendering())
    whole = folder.valid_responses()
    assert (whole.responses, whole.drift.left_out, whole.note) == (folder.responses(), 0, "")
    found = changed(folder, without_options).valid_responses()
    assert [each.answers for each in found.responses] == [
        {"label": "correct", "extraneous": (MAN,), "tags": ("repetition",)},
        {"label": "misgendering", "extraneous": (), "tags": ()},
        {"extraneous": ()},
    ]
    assert set(found.adjudications) == {("g1", "label")}
    assert "Not counted, but kept: 5 answers" in found.note
    again = changed(folder, lambda _changed: misgendering())
    assert again.valid_responses() == whole


def test_what_depended_on_an_answer_that_is_gone_goes_with_it() -> None:
    study = completion()
    given = [response("ann", "k", grammatical="no", error=("case",), plausible="yes")]
    assert valid_responses(study, given, {}).responses == given
    first, error, plausible = study.questions
    unsure = msgspec.structs.replace(error, when={"grammatical": ("unsure",)})
    found = valid_responses(asking(study, first, unsure, plausible), given, {})
    assert [each.answers for each in found.responses] == [{"grammatical": "no", "plausible": "yes"}]


def test_nobody_fails_an_attention_check_for_a_question_that_is_gone() -> None:
    (item, *_) = misgendering().items
    check = msgspec.structs.replace(item, id="c", expected={"label": "correct"})
    study = msgspec.structs.replace(misgendering(), checks=(check,))
    given = [
        response("ann", "c", label="correct", note="?"),
        response("bob", "c", label="misgendering", note="!"),
    ]
    assert [each.passed for each in participant_quality(study, given)] == [True, False]
    right = msgspec.structs.replace(check, expected={"outcome": "correct"})
    found = valid_responses(msgspec.structs.replace(renamed(study), checks=(right,)), given, {})
    assert (found.responses, found.drift.left_out) == ([], 4)  # the remarks alone tell nothing
    label, *others, _note = study.questions
    found = valid_responses(asking(study, label, *others), given, {})
    assert found.drift.left_out == 2
    assert [each.passed for each in participant_quality(study, found.responses)] == [True, False]


def test_nobody_differs_about_a_question_whose_answers_are_gone() -> None:
    for change, asked in ((renamed, "outcome"), (without_options, "label")):
        study = change(misgendering())
        found = disagreements(study, valid_responses(study, ANSWERS, {}).responses, {})
        assert {each.item.id for each in found} == {"g1"}
        assert (asked in {each.question for each in found}) == (change is without_options)


def test_a_decision_that_is_gone_is_in_the_way_of_no_other(tmp_path: Path) -> None:
    folder = create_study_folder(tmp_path / "s", completion())
    (first, error, plausible) = completion().questions
    assert isinstance(first, ChoiceQuestion)
    maybe = msgspec.structs.replace(first, options=(*first.options, Option(id="maybe")))
    before = AdjudicationStore(
        folder.path / RESPONSES_FILE, asking(completion(), maybe, error, plausible)
    )
    before.adjudicate("k", "grammatical", "maybe", "eve")
    with pytest.raises(InputError, match="not asked given the decision on grammatical"):
        before.adjudicate("k", "error", ("case",), "eve")
    folder.adjudications().adjudicate("k", "error", ("case",), "eve")
    assert set(folder.valid_responses().adjudications) == {("k", "error")}


def test_the_answer_to_an_item_that_is_gone_cannot_be_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with served(misgendering(), path) as site:
        visitor, page = site.person("ann")
        visitor.answer(visitor.answer(page, label="correct"), label="correct")
    folder = changed(StudyFolder(path, misgendering()), without_the_second)
    with served(folder.study, path) as site:
        visitor, page = site.person("ann")
        assert page.values("data-number")[0] == "1"  # the one before it can
        page = visitor.post(page, "/undo", {"number": "1"})
        assert (page.stage, page.values("data-answered")[0]) == ("item", "1")
    folder = changed(folder, without_an_item_but_a_new_one)
    with served(folder.study, path) as site:
        assert not site.person("ann")[1].has_id("undo-form")


@pytest.mark.parametrize(("change", "left_out"), CHANGES, ids=NAMES)
def test_every_page_and_command_works(
    change: Callable[[Study], Study],
    left_out: int,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = changed(answered(tmp_path / "s", misgendering()), change)
    assert folder.valid_responses().drift.left_out == left_out
    with served(folder.study, folder.path) as site:
        owner, _ = site.owner()
        for address in ("/owner", "/owner/agreement", "/owner/disagreements"):
            page = owner.get(address)
            assert page.has_id("drift-note"), address
            assert f"{left_out} answers" in page.text
        assert owner.get("/owner/items").stage == "owner_items"
        for form in ("csv", "tsv", "jsonl"):
            assert owner.client.get(f"/owner/export.{form}?hidden=true").status_code == 200
    for form in ("csv", "jsonl"):
        assert command("export", folder.path, f"--out={tmp_path / f'all.{form}'}") == 0
        assert f"{left_out} answers" in capsys.readouterr().err
    assert command("adjudicate", folder.path, "--by=eve") == 0
    assert f"{left_out} answers" in capsys.readouterr().err
    if change is not without_an_item:  # the only one that two people judged
        assert command("tables", folder.path, "--json") == 0
        assert f"{left_out} answers" in capsys.readouterr().err
    assert folder.responses() == ANSWERS_BY_ITEM


@pytest.mark.parametrize(
    ("change", "given", "again"),
    [
        (renamed, 0, {"g1", "g2"}),
        (without_options, 2, {"g2"}),
        (removed, 3, set()),
        (of_another_kind, 3, set()),
        (without_an_item, 1, set()),
    ],
)
def test_somebody_else_is_asked_where_the_judgement_is_gone(
    change: Callable[[Study], Study], given: int, again: set[str], tmp_path: Path
) -> None:
    folder = changed(answered(tmp_path / "s", misgendering()), change)
    with served(folder.study, folder.path) as site:
        owner, _ = site.owner()

        def on_the_owners_page() -> int:
            return int(owner.client.get("/api/owner/progress").json()["given"])

        def in_tables() -> int:
            return study_progress(folder.study, folder.valid_responses().responses).given

        assert on_the_owners_page() == in_tables() == given
        assert site.person("ann")[1].stage == "done"  # nobody sees an item twice
        visitor, page = site.person("cem")
        for _ in again:
            page = visitor.answer_all(
                page, {"outcome" if change is renamed else "label": "correct"}
            )
        assert page.stage == "done"
        assert on_the_owners_page() == in_tables() == given + len(again)
    assert {each.item for each in folder.responses() if each.participant == "cem"} == again
    before = changed(folder, lambda _changed: misgendering())
    with served(before.study, before.path) as site:
        assert site.person("dan")[1].stage == "done"  # what is put back counts again


def test_an_export_has_no_column_for_what_is_gone(tmp_path: Path) -> None:
    folder = changed(answered(tmp_path / "s", misgendering()), removed)
    with served(folder.study, folder.path) as site:
        owner, _ = site.owner()
        sheet = owner.client.get("/owner/export.csv").text
        (first, *_) = map(json.loads, owner.client.get("/owner/export.jsonl").text.splitlines())
    rows = list(csv.DictReader(io.StringIO(sheet)))
    assert "label" not in rows[0]
    assert [row["tags"] for row in rows] == [
        "repetition; wrong-case", "", "wrong-case", "wrong-case",
    ]  # fmt: skip
    assert "label" not in first["answers"]


def test_agreement_is_of_what_is_left(tmp_path: Path) -> None:
    folder = changed(answered(tmp_path / "s", misgendering()), without_options)
    found = {
        (each.question, each.option): each
        for each in question_agreement(folder.study, folder.valid_responses().responses)
    }
    assert found["label", ""].items == 1
    assert ("tags", "wrong-case") not in found


# --- studies of a suite --------------------------------------------------------------------------


def of_suite() -> Study:
    item = StudyItem(
        id="g1",
        language="en",
        fields={
            "person": "Kim", "pronouns": "he", "context": "Kim came.", "model": "m",
            "text": "The girl and a boy saw her.", "dataset": "templates", "setting": "pre",
            "pronoun": "he", "sample": "1", "instance": "g1", "cluster": "g1",
            "automatic": "wrong", "first_pronoun": "her", "automatic_extraneous": "yes",
        },
    )  # fmt: skip
    items = (item, msgspec.structs.replace(item, id="g2"))
    return drawn(labels.study(PROTOCOLS["epicene"]), items, "labels")


def test_a_suite_reads_what_it_can_and_says_what_it_cannot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = of_suite()
    outcome, *others = study.questions
    assert isinstance(outcome, ChoiceQuestion)
    more = msgspec.structs.replace(outcome, options=(*outcome.options, Option(id="unsure")))
    study = asking(study, more, *others)
    given = [
        msgspec.structs.replace(each, study=study.name)
        for each in (
            response("ann", "g1", outcome="correct"),
            response("bob", "g1", outcome="misgendering"),
            response("ann", "g2", outcome="unsure"),
        )
    ]
    summary = summarise_study(study, given)
    assert (summary.unread, summary.progress.given) == (1, 2)
    gone = asking(study, msgspec.structs.replace(more, id="verdict"), *others)
    left = valid_responses(gone, given, {})
    assert left.drift.left_out == 3
    folder = create_study_folder(tmp_path / "s", study)
    sheet = tmp_path / "given.jsonl"
    sheet.write_bytes(b"\n".join(map(msgspec.json.encode, given)))
    folder.import_file(sheet)
    assert command("tables", folder.path) == 0
    assert "Not in the suite's own tables: 1 response without an answer" in capsys.readouterr().err
    with pytest.raises(
        IncompatibleStudyError, match=r"outcome has no answer\. Restore the questions"
    ):
        summarise_study(gone, [response("ann", "g1", tags=("repetition",))])
