"""A question that is added once people have answered: what they gave is kept, and no judgement."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from epicene.core.errors import InputError
from epicene.studies.analysis.quality import question_agreement
from epicene.studies.collection.folder import (
    RESPONSES_FILE,
    STUDY_FILE,
    StudyFolder,
    create_study_folder,
    open_study_folder,
)
from epicene.studies.collection.progress import study_progress
from epicene.studies.collection.schema_drift import complete_responses, valid_responses
from epicene.studies.design.schema import ChoiceQuestion, MarksQuestion, Study, TagsQuestion
from epicene.studies.exchange.study_files import study_toml
from studies.annotate_command import command
from study_examples import completion, en, misgendering, options, response

SURE = ChoiceQuestion(id="sure", ask=en("Are you sure?"), options=options("yes", "no"))
WHICH = TagsQuestion(id="which", ask=en("Which?"), options=options("a", "b"), required=True)
WORDS = MarksQuestion(id="words", ask=en("Mark"), field="text", required=True)
FORMS = ("csv", "tsv", "jsonl")


def asking_more(study: Study) -> Study:
    return msgspec.structs.replace(study, questions=(*study.questions, SURE, WHICH, WORDS))


@pytest.fixture
def folder(tmp_path: Path) -> StudyFolder:
    """Three judgements, of which one answers what was added."""
    path = tmp_path / "s"
    before = create_study_folder(path, misgendering())
    rows = "participant,item,label,tags\nann,g1,correct,repetition\nbob,g1,correct,\n"
    (tmp_path / "early.csv").write_text(rows, "utf-8")
    before.import_file(tmp_path / "early.csv")
    (path / STUDY_FILE).write_text(study_toml(asking_more(misgendering())), "utf-8")
    (tmp_path / "late.csv").write_text(
        "participant,item,label,sure,which,words\nann,g2,correct,yes,a,He\n", "utf-8"
    )
    after = open_study_folder(path)
    after.import_file(tmp_path / "late.csv")
    return after


def test_the_questions_that_are_not_answered_are_named(
    folder: StudyFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    found = folder.valid_responses()
    assert (found.drift.left_out, found.drift.incomplete) == (0, 2)
    assert found.drift.lacking == {"sure": 2, "which": 2, "words": 2}
    assert found.note == (
        "Counted as missing, but kept: 2 judgements without an answer to a question that "
        "study.toml now asks: sure (2), which (2), words (2)."
    )
    assert study_progress(folder.study, found.responses).given == 1
    # Of what nobody was asked there is no agreement.
    told = {each.question: each for each in question_agreement(folder.study, found.responses)}
    assert {told[name].items for name in ("sure", "which", "words")} == {0}
    assert told["label"].items == 1
    for words in (["tables", "--json"], ["export"], ["adjudicate", "--by=eve"]):
        assert command(words[0], folder.path, *words[1:]) == 0
        assert found.note in capsys.readouterr().err


def test_only_what_is_asked_can_lack_an_answer() -> None:
    first, error, plausible = completion().questions
    study = msgspec.structs.replace(
        completion(),
        questions=(
            first,
            error,
            plausible,
            msgspec.structs.replace(SURE, when={"error": ("case",)}),
        ),
    )
    responses = [
        response("ann", "k", grammatical="yes", plausible="yes"),
        response("bob", "k", grammatical="no", error=("case",), plausible="yes"),
        response("cem", "k", grammatical="no", error=("case",), plausible="yes", sure="no"),
    ]
    found = valid_responses(study, responses, {})
    assert found.drift.lacking == {"sure": 1}
    assert "1 judgement without" in found.note
    whole = complete_responses(study, found.responses)
    assert [each.participant for each in whole] == ["ann", "cem"]


def test_practice_and_checks_are_no_judgements() -> None:
    study = asking_more(misgendering())
    (item, *_) = study.items
    checked = msgspec.structs.replace(study, checks=(msgspec.structs.replace(item, id="c"),))
    assert valid_responses(checked, [response("ann", "c", label="correct")], {}).note == ""


@pytest.mark.parametrize("form", FORMS)
def test_an_export_comes_back_if_it_is_taken_as_it_is(
    folder: StudyFolder, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / f"all.{form}"
    assert command("export", folder.path, f"--out={file}") == 0
    copy = tmp_path / "copy"
    shutil.copytree(folder.path, copy)
    (copy / RESPONSES_FILE).unlink()
    capsys.readouterr()
    assert command("import", copy, file) == 2
    refused = capsys.readouterr().err
    assert "sure has no answer; if study.toml did not ask this" in refused
    assert "accept the file with --incomplete." in refused
    assert open_study_folder(copy).responses() == []
    assert command("import", copy, file, "--incomplete") == 0
    for again in (copy, folder.path):
        capsys.readouterr()
        assert command("import", again, file, "--incomplete") == 0
        assert "0 new answers, 0 replaced, 3 unchanged" in capsys.readouterr().err
    assert open_study_folder(copy).valid_responses().note == folder.valid_responses().note
    exports = [command("export", each, f"--out={each}.{form}") for each in (copy, folder.path)]
    assert exports == [0, 0]
    assert Path(f"{copy}.{form}").read_bytes() == Path(f"{folder.path}.{form}").read_bytes()


def test_nothing_else_is_let_through(folder: StudyFolder, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("participant,item,label,sure\ncem,g1,corect,\n", "utf-8")
    for incomplete in (False, True):
        with pytest.raises(InputError, match=r"has no choice 'corect'\.$"):
            folder.import_file(file, incomplete=incomplete)
    file.write_text("participant,item,label,sure\ncem,g1,correct,\n", "utf-8")
    with pytest.raises(InputError, match="line 2, sure has no answer"):
        folder.import_file(file)
    blank = tmp_path / "a.jsonl"
    given = response("cem", "g1", label="correct", sure="yes", which=(), words=())
    empty = response("dan", "g1")
    blank.write_bytes(b"\n".join(map(msgspec.json.encode, (given, empty))))
    assert folder.import_file(blank, incomplete=True).new == 1
    (kept,) = (each for each in folder.responses() if each.participant == "cem")
    assert kept.answers == {"label": "correct", "sure": "yes"}
