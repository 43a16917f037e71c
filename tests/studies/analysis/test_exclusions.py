"""People whom the owner leaves out of the results: by name, or for the attention checks."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import msgspec
import pytest

from epicene.core.errors import InputError
from epicene.studies.analysis.exclusions import Exclusions, exclude_participants
from epicene.studies.collection.folder import STUDY_FILE, StudyFolder, create_study_folder
from epicene.studies.design.schema import Response, Study, StudyItem
from epicene.studies.exchange.study_files import study_toml
from studies.annotate_command import command
from study_examples import misgendering

# ann and bob agree and pass, cem differs and fails, dan saw no check.
LABELS = {"ann": "correct", "bob": "correct", "cem": "misgendering", "dan": "correct"}
CHECKED = {"ann": "correct", "bob": "correct", "cem": "no-pronoun"}


def checked() -> Study:
    (item, *_) = misgendering().items
    check = msgspec.structs.replace(item, id="check", expected={"label": "correct"})
    return msgspec.structs.replace(misgendering(), checks=(check,), judgements=4)


@pytest.fixture
def folder(tmp_path: Path) -> StudyFolder:
    made = create_study_folder(tmp_path / "s", checked())
    rows = [f"{who},{item},{label}" for who, label in LABELS.items() for item in ("g1", "g2")]
    rows += [f"{who},check,{label}" for who, label in CHECKED.items()]
    sheet = tmp_path / "all.csv"
    sheet.write_text("\n".join(["participant,item,label", *rows]), "utf-8")
    made.import_file(sheet)
    return made


@pytest.mark.parametrize(
    ("options", "out", "note", "raw"),
    [
        ([], set(), "", 0.5),  # of the six pairs of an item, three agree
        (["--without=cem"], {"cem"}, "Left out: cem (named).", 1),
        (["--passed"], {"cem"}, "Left out: cem (failed the attention checks).", 1),
        (
            ["--passed", "--without=dan", "--without=bob"],
            {"bob", "cem", "dan"},
            "Left out: bob, dan (named); cem (failed the attention checks).",
            None,
        ),
        (["--passed", "--without=cem"], {"cem"}, "Left out: cem (named).", 1),
    ],
)
def test_tables_and_exports_are_without_them(
    folder: StudyFolder,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    out: set[str],
    note: str,
    raw: float | None,
) -> None:
    assert command("tables", folder.path, *options, "--json") == 0
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert note in printed.err
    assert ("Left out" in printed.err) == bool(out)
    assert document["study"]["people"] == 4 - len(out)
    assert document["study"].get("left_out", 0) == len(out)
    assert document["study"]["given"] == 2 * (4 - len(out))
    assert set(document["tables"]["quality"]) == set(LABELS) - out
    questions = document["tables"].get("questions")
    assert (questions["label"]["all"]["agreement"]["value"] if questions else None) == raw
    assert command("tables", folder.path, *options) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.count(note) == len(document["tables"]) if note else "Left out" not in shown
    assert command("export", folder.path, *options) == 0
    exported = capsys.readouterr()
    people = {row["participant"] for row in csv.DictReader(io.StringIO(exported.out))}
    assert people == set(LABELS) - out
    assert note in exported.err


def test_nobody_left_out_is_said(folder: StudyFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("tables", folder.path, "--passed", "--without=cem") == 0
    assert "Nobody else failed the attention checks." in capsys.readouterr().err
    (folder.path / STUDY_FILE).write_text(study_toml(misgendering()), "utf-8")
    assert command("tables", folder.path, "--passed") == 0
    assert "Nobody failed the attention checks." in capsys.readouterr().err
    assert len(folder.responses()) == 11  # whatever is left out is kept


def test_those_who_cannot_be_left_out(
    folder: StudyFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("tables", folder.path, "--without=anne") == 2
    assert "There is no person with answers 'anne'; did you mean 'ann'?" in capsys.readouterr().err
    everybody = [f"--without={name}" for name in LABELS]
    assert command("tables", folder.path, *everybody) == 2
    assert "No answers remain. Left out: ann, bob, cem, dan" in capsys.readouterr().err


def test_a_note_does_not_list_a_crowd() -> None:
    items = [StudyItem(id="c", fields={"text": "x"}, expected={"label": "correct"})]
    study = msgspec.structs.replace(misgendering(), checks=tuple(items))
    names = [f"p{number:02}" for number in range(12)]
    responses = [
        Response(study="a-study", participant=name, item="c", answers={"label": "misgendering"})
        for name in names
    ]
    with pytest.raises(InputError, match=r"12 people \(failed the attention checks\)\.$"):
        exclude_participants(study, responses, (), failed=True)
    assert exclude_participants(study, responses, names[:2], failed=False) == Exclusions(
        ("p00", "p01"), ()
    )
    assert exclude_participants(study, [], ["ann"], failed=True).participants == {"ann"}
