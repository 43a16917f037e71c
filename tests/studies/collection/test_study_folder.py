"""A study's folder: what is answered is kept once, all of a file or nothing."""

from __future__ import annotations

import os
import sqlite3
import stat
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from epicene.core.errors import InputError, RunError
from epicene.studies.collection.database import ResponseStore
from epicene.studies.collection.folder import (
    RESPONSES_FILE,
    SAMPLE_FILE,
    STUDY_FILE,
    StudyFolder,
    create_study_folder,
    open_study_folder,
)
from epicene.studies.design.schema import Access, SampledCell, SamplingRecord
from epicene.studies.exchange.study_files import study_toml
from study_examples import image, misgendering

HEAD = "participant,item,label\n"


@pytest.fixture
def folder(tmp_path: Path) -> StudyFolder:
    return create_study_folder(tmp_path / "study", misgendering())


def sheet(folder: StudyFolder, text: str) -> Path:
    path = folder.path.parent / "sheet.csv"
    path.write_text(HEAD + text, "utf-8")
    return path


def labels(folder: StudyFolder) -> dict[tuple[str, str], object]:
    return {(each.item, each.participant): each.answers["label"] for each in folder.responses()}


def test_a_sample_comes_back_and_the_study_file_is_as_before(tmp_path: Path) -> None:
    cells = (SampledCell(cell=("a",), size=10, sampled=2),)
    plain = msgspec.structs.replace(
        misgendering(), drawn=SamplingRecord(kind="labels", protocol="epicene")
    )
    assert plain.drawn is not None
    sampled = msgspec.structs.replace(
        plain,
        drawn=msgspec.structs.replace(plain.drawn, cells=cells),
        items=tuple(
            msgspec.structs.replace(item, cell=("a",), inclusion=0.2) for item in plain.items
        ),
    )
    made = create_study_folder(tmp_path / "sampled", sampled)
    assert open_study_folder(made.path).study == sampled
    assert (made.path / STUDY_FILE).read_text("utf-8") == study_toml(plain)
    # The same study again, as versions without probabilities sampled it.
    assert create_study_folder(made.path, plain).study == sampled
    (made.path / SAMPLE_FILE).unlink()
    assert open_study_folder(made.path).study == plain
    (made.path / SAMPLE_FILE).write_text("{}", "utf-8")
    with pytest.raises(InputError, match=r"sample\.json does not fit"):
        open_study_folder(made.path)


def test_a_folder_comes_back(folder: StudyFolder) -> None:
    assert open_study_folder(folder.path) == folder
    assert folder.responses() == []
    assert [path.name for path in folder.path.iterdir()] == [STUDY_FILE]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_the_owner_can_read_what_people_answered(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        folder = create_study_folder(tmp_path / "study", misgendering())
        folder.import_file(sheet(folder, "ann,g1,correct\n"))
        assert (mode(folder.path), mode(folder.path / RESPONSES_FILE)) == (0o700, 0o600)
        (folder.path / RESPONSES_FILE).chmod(0o644)  # as a copy may be
        store = ResponseStore(folder.path / RESPONSES_FILE)
        store.remember_address("http://localhost")
        files = list(folder.path.glob(f"{RESPONSES_FILE}*"))
        assert len(files) == 3
        assert {mode(path) for path in files} == {0o600}
        store.close()
    finally:
        os.umask(before)


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "study" / RESPONSES_FILE
    path.parent.mkdir()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE responses (id, text)")
    db.close()
    before = path.read_bytes()
    with pytest.raises(InputError, match="a database of another program"):
        create_study_folder(path.parent, misgendering())
    assert not (path.parent / STUDY_FILE).exists()
    (path.parent / STUDY_FILE).write_text(study_toml(misgendering()), "utf-8")
    folder = open_study_folder(path.parent)
    for use in (folder.responses, folder.adjudications().all, folder.address):
        with pytest.raises(InputError, match="a database of another program"):
            use()
    assert path.read_bytes() == before


def test_the_same_study_may_be_made_again_and_another_may_not(folder: StudyFolder) -> None:
    before = (folder.path / STUDY_FILE).stat().st_mtime_ns
    create_study_folder(folder.path, misgendering())
    assert (folder.path / STUDY_FILE).stat().st_mtime_ns == before
    with pytest.raises(InputError, match="contains a different study"):
        create_study_folder(folder.path, image())
    with pytest.raises(InputError, match="judgements is 0"):
        create_study_folder(folder.path / "new", msgspec.structs.replace(image(), judgements=0))
    assert not (folder.path / "new").exists()


def test_what_the_owner_wrote_into_a_study_stays(folder: StudyFolder) -> None:
    study = misgendering()
    worded = msgspec.structs.replace(
        study,
        title={"en": "Which pronouns?"},
        consent={"en": "I agree."},
        access=Access(closes=datetime(2027, 1, 1, tzinfo=UTC)),
        questions=tuple(
            msgspec.structs.replace(each, ask={"en": f"Another: {each.id}?"})
            for each in study.questions
        ),
    )
    (folder.path / STUDY_FILE).write_text(study_toml(worded), "utf-8")
    assert create_study_folder(folder.path, study).study == worded
    assert open_study_folder(folder.path).study == worded


@pytest.mark.parametrize("part", ["items", "questions", "judgements"])
def test_what_answers_depend_on_is_another_study(folder: StudyFolder, part: str) -> None:
    study = misgendering()
    changed = study.judgements + 1 if part == "judgements" else getattr(study, part)[:-1]
    (folder.path / STUDY_FILE).write_text(
        study_toml(msgspec.structs.replace(study, **{part: changed})), "utf-8"
    )
    with pytest.raises(InputError, match="contains a different study"):
        create_study_folder(folder.path, study)


def test_a_file_taken_again_changes_nothing(folder: StudyFolder) -> None:
    path = sheet(folder, "ann,g1,correct\nbob,g1,misgendering\nann,g2,no-pronoun\n")
    assert folder.import_file(path) == (3, 0, 0, 0)
    before = folder.responses()
    assert folder.import_file(path) == (0, 3, 0, 0)
    assert folder.responses() == before
    assert folder.import_file(sheet(folder, "ann,g1,correct\nbob,g2,correct\n")) == (1, 1, 0, 0)
    assert labels(folder) == {
        ("g1", "ann"): "correct",
        ("g1", "bob"): "misgendering",
        ("g2", "ann"): "no-pronoun",
        ("g2", "bob"): "correct",
    }


def test_another_answer_is_taken_only_if_it_may_replace(folder: StudyFolder) -> None:
    folder.import_file(sheet(folder, "ann,g1,correct\n"))
    path = sheet(folder, "ann,g2,correct\nann,g1,misgendering\n")
    with pytest.raises(InputError) as caught:
        folder.import_file(path)
    assert str(caught.value) == (
        f"{path}, line 3, answers the item g1 differently from ann's earlier answer; use "
        "--replace to take the new one."
    )
    assert labels(folder) == {("g1", "ann"): "correct"}
    assert folder.import_file(path, replace=True) == (1, 0, 1, 0)
    assert labels(folder) == {("g1", "ann"): "misgendering", ("g2", "ann"): "correct"}


def test_a_bad_row_keeps_out_the_whole_file(folder: StudyFolder) -> None:
    with pytest.raises(InputError, match="line 3, label has no choice 'corect'"):
        folder.import_file(sheet(folder, "ann,g1,correct\nann,g2,corect\n"))
    assert folder.responses() == []


def test_what_is_no_study_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is not a study folder: it has no study\.toml"):
        open_study_folder(tmp_path)


def test_a_database_that_cannot_be_used_is_said(folder: StudyFolder) -> None:
    path = folder.path / RESPONSES_FILE
    path.write_bytes(b"no database at all, but some text that is long enough to look like one" * 9)
    with pytest.raises(RunError, match=r"the responses in .*responses\.sqlite: file is not a data"):
        folder.responses()
    path.unlink()
    ResponseStore(path).close()
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(InputError, match="another version of Epicene"):
        folder.responses()


def test_a_study_of_an_earlier_version_has_no_address_yet(folder: StudyFolder) -> None:
    folder.import_file(sheet(folder, "ann,g1,correct\n"))
    db = sqlite3.connect(folder.path / RESPONSES_FILE)
    db.execute("DROP TABLE served")
    db.close()
    assert folder.address() == ""
    folder.remember_address("https://x.org")
    assert (folder.address(), len(folder.responses())) == ("https://x.org", 1)


def test_a_failure_after_the_answers_keeps_out_the_answers_too(folder: StudyFolder) -> None:
    folder.adjudications().adjudicate("g2", "label", "correct", "eve")
    db = sqlite3.connect(folder.path / RESPONSES_FILE)
    db.execute(
        "CREATE TRIGGER broken BEFORE INSERT ON settlements"
        " BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
    )
    db.close()
    path = folder.path.parent / "both.csv"
    path.write_text(
        "participant,item,label,settled by\nann,g1,correct,\nbob,g1,misgendering,\n"
        ",g1,correct,eve\n",
        "utf-8",
    )
    with pytest.raises(RunError, match="the disk is full"):
        folder.import_file(path)
    assert folder.responses() == []
    assert set(folder.adjudications().all()) == {("g2", "label")}
    db = sqlite3.connect(folder.path / RESPONSES_FILE)
    db.execute("DROP TRIGGER broken")
    db.close()
    assert folder.import_file(path) == (2, 0, 0, 1)


def test_a_decision_that_is_refused_keeps_out_the_answers_too(folder: StudyFolder) -> None:
    folder.adjudications().adjudicate("g1", "label", "correct", "eve")
    path = folder.path.parent / "both.csv"
    path.write_text(
        "participant,item,label,settled by\nann,g1,correct,\n,g1,misgendering,eve\n", "utf-8"
    )
    with pytest.raises(InputError, match="line 3, settles label of g1 differently"):
        folder.import_file(path)
    assert folder.responses() == []
