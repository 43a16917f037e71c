"""Studies from Python, beside `epicene annotate`."""

from __future__ import annotations

import asyncio
import json
import threading
import urllib.request
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import polars as pl
import pytest

import epicene
from app.conftest import Epicene
from app.conftest import epicene as command_line
from epicene.core.errors import EpiceneWarning, InputError
from epicene.core.records import to_json
from epicene.studies.collection.folder import create_study_folder, open_study_folder
from epicene.studies.collection.sheets import TargetProgram
from epicene.studies.exchange.response_files import EMPTY_LIST
from scripted_people import answer, fill_in, respond
from study_examples import forced_choice, label_and_rewrite, misgendering

command = command_line  # the fixture, under a name that the module does not have


@pytest.fixture
def study(command: Epicene) -> epicene.Study:
    """A study of two items that two people have answered."""
    create_study_folder(Path("study"), misgendering())
    for name in ("ann", "bob"):
        answer_all(Path("study"), name)
    return epicene.load_study("study")


@pytest.fixture
def labels(command: Epicene) -> epicene.Study:
    """A study drawn from two runs, in which nobody has answered."""
    runs = [
        epicene.run(
            "misgendering",
            model=f"random:{seed}?label=model-{seed}",
            settings={"pronouns": ["he", "xe"], "samples": 2},
            limit=4,
            out=f"run-{seed}",
            progress=False,
        )
        for seed in (1, 2)
    ]
    return epicene.sample_study([runs[0], "run-2"], "labels", per_cell=1, twice=3)


def answer_all(path: Path, name: str) -> None:
    folder = open_study_folder(path)
    answer(folder, name, lambda item: respond(folder.study, item, name).answers)


# --- drawing ---------------------------------------------------------------------------------


def test_a_study_of_data_is_drawn_as_by_the_command(command: Epicene) -> None:
    told = ("--suite=alternations", "--study=choice", "--n=6", "--seed=3", "--language=hi")
    assert command("annotate", "sample", *told, "--out=by-command").code == 0
    made = epicene.sample_study(
        suite="alternations", study="choice", n=6, seed=3, language="hi", out="by-python"
    )
    assert (made.suite, made.name) == ("alternations", "alternations-choice")
    assert made.progress().items == 4  # in whole groups of four
    files = [Path(folder, "study.toml").read_bytes() for folder in ("by-command", "by-python")]
    assert files[0] == files[1]


def test_a_study_of_runs_is_drawn_as_by_the_command(
    command: Epicene, labels: epicene.Study
) -> None:
    told = ("--per-cell=1", "--twice=3", "--out=by-command")
    assert command("annotate", "sample", "run-1", "run-2", *told).code == 0
    files = [Path(folder, "study.toml").read_bytes() for folder in ("by-command", labels.path)]
    assert files[0] == files[1]


def test_runs_or_a_suite() -> None:
    with pytest.raises(InputError, match=r"^Name either run folders or a suite with suite="):
        epicene.sample_study()
    with pytest.raises(InputError, match=r"^study is not a study folder"):
        epicene.load_study("study")


# --- answers ---------------------------------------------------------------------------------


def test_answers_are_a_frame_with_a_column_per_question(command: Epicene) -> None:
    folder = create_study_folder(Path("study"), label_and_rewrite())
    empty = epicene.load_study("study").answers()
    answer_all(Path("study"), "ann")
    found = epicene.load_study("study").answers()
    assert (len(empty), len(found)) == (0, len(folder.study.items))
    frame = found.frame()
    assert frame.schema == empty.frame().schema
    assert frame.schema["flags"] == pl.List(pl.String)
    for row in frame.iter_rows(named=True):
        (item,) = [each for each in folder.study.items if each.id == row["item"]]
        given = respond(folder.study, item, "ann").answers
        assert {name: row[name] for name in given} == json.loads(msgspec.json.encode(given))
        assert row["shown: text"] == item.fields["text"]
    hidden = set(found.frame(hidden=True).columns) - set(frame.columns)
    assert hidden == {f"hidden: {name}" for name in folder.study.hidden}


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
def test_answers_are_exported_as_by_the_command(
    command: Epicene, study: epicene.Study, form: str
) -> None:
    done = command("annotate", "export", "study", f"--form={form}", "--hidden", "--without=bob")
    found = study.answers(without="bob")
    assert found.export(f"answers.{form}", hidden=True) == done.out
    assert Path(f"answers.{form}").read_bytes().decode() == done.out
    assert Path(f"answers.{form}").stat().st_mode & 0o077 == 0
    assert found.notes == ("Left out: bob (named).",)
    assert done.err == "Left out: bob (named).\n"
    with pytest.raises(InputError, match=r"use the extension \.csv, \.tsv or \.jsonl"):
        found.export("answers.xlsx")
    with pytest.raises(InputError, match="no form 'xml'; known: csv, jsonl, tsv"):
        found.export(form="xml")  # type: ignore[arg-type]


def test_sheets_are_written_filled_in_and_imported(study: epicene.Study) -> None:
    study.forget("bob")
    sheets = study.write_sheets(["cay"], "sheets")
    assert [path.name for path in sheets.paths] == ["cay.csv", "instructions.md"]
    path = Path("sheets/cay.csv")
    whole = open_study_folder(study.path).study
    given = [respond(whole, item, "cay") for item in whole.items]
    path.write_text(fill_in(path.read_text("utf-8"), given), "utf-8")
    counts = study.import_answers(path)
    assert (counts.new, counts.same) == (1, 0)  # ann has judged the other item, once wanted
    assert study.import_answers(path).same == 1
    with pytest.raises(InputError, match="no layout of answers 'pcbex'; did you mean 'pcibex'"):
        study.import_answers(path, layout="pcbex")  # type: ignore[arg-type]
    changed = [respond(whole, item, "dan") for item in whole.items]
    others = [msgspec.structs.replace(each, participant="cay") for each in changed]
    path.write_text(fill_in(path.read_text("utf-8"), others), "utf-8")
    with pytest.raises(InputError, match="; use replace=True to take the new one"):
        study.import_answers(path)
    assert study.import_answers(path, replace=True).replaced > 0


def test_people_may_be_numbered_and_told_what_is_left(study: epicene.Study) -> None:
    study.forget("bob")
    study.forget("ann")
    assert [path.stem for path in study.write_sheets(2, "a").paths] == ["p1", "p2", "instructions"]
    answer_all(study.path, "ann")
    (note,) = study.write_sheets(["ann", "bob"], "b").notes
    assert note == "ann has nothing left to do and gets no sheet."
    with pytest.raises(InputError, match="cannot be the name of a person"):
        study.write_sheets([" x"], "c")
    assert not Path("c").exists()


@pytest.mark.parametrize("to", ["pcibex", "label-studio"])
def test_projects_are_written_as_by_the_command(command: Epicene, to: TargetProgram) -> None:
    create_study_folder(Path("study"), forced_choice())
    study = epicene.load_study("study")
    assert command("annotate", "export", "study", f"--to={to}", "--out=by-command").code == 0
    paths = study.write_project(to, "by-python")
    assert paths
    for path in paths:
        twin = Path("by-command", path.relative_to("by-python"))
        assert path.read_bytes() == twin.read_bytes()
    with pytest.raises(InputError, match="no program 'jspsych'"):
        study.write_project("jspsych", "other")  # type: ignore[arg-type]


def test_disagreements_are_decided(command: Epicene, study: epicene.Study) -> None:
    by_command = command("annotate", "adjudicate", "study", "--by=eve")
    sheet = study.adjudicate("eve", "sheet.csv")
    assert sheet.text == by_command.out == Path("sheet.csv").read_bytes().decode()
    assert f"{sheet.answers} answers about {sheet.items} items" in by_command.err
    assert sheet.answers >= sheet.items > 0
    with pytest.raises(InputError, match=r"^by= must not be empty; name the person who decides\.$"):
        study.adjudicate(" ")
    rows = pl.read_csv(Path("sheet.csv"), infer_schema=False)
    asked = [name for name in rows.columns if f"said: {name}" in rows.columns]
    first = [
        pl.col(f"said: {name}")
        .str.extract(r"^ann: (.*?) \| bob")
        .replace("", EMPTY_LIST)
        .alias(name)
        for name in asked
    ]
    rows.with_columns(first).write_csv("sheet.csv")
    assert study.import_answers("sheet.csv").adjudications == sheet.answers
    decided = study.answers().adjudications()
    assert decided.height == sheet.answers
    assert set(decided["by"]) == {"eve"}
    assert study.adjudicate("eve").answers == 0


# --- results ---------------------------------------------------------------------------------


def test_results_are_those_of_the_command(command: Epicene, labels: epicene.Study) -> None:
    folder = open_study_folder(labels.path)
    for name, wanted in (("ann", folder.study.items[1:]), ("bob", folder.study.items[1:3])):
        given = [to_json(respond(folder.study, item, name)) for item in wanted]
        Path("rows.jsonl").write_bytes(b"\n".join(given))
        labels.import_answers("rows.jsonl")
    told = command("annotate", "tables", "labels", "--json", "--figures=figures", "--run=run-1")
    results = labels.answers().results("run-1")
    assert json.loads(msgspec.json.encode(results.document())) == told.json
    assert set(results.tables) == set(told.json["tables"])
    figures = sorted(Path("figures").iterdir())
    shown = told.err.splitlines()
    assert shown == [*(f"figures/{name}.svg" for name in results.figures), *results.notes]
    for path in figures:
        assert results.figure(path.stem).svg() == path.read_text("utf-8")
    with pytest.warns(EpiceneWarning, match=r"\d+ of \d+ judgements have been given so far"):
        metrics = results.metrics()
    values = {row["metric"]: row["value"] for row in metrics.iter_rows(named=True)}
    assert values == {name: each["value"] for name, each in told.json["metrics"].items()}
    one = next(iter(results.tables))
    assert list(results.document([one])["tables"]) == [one]
    with pytest.raises(InputError, match="There is no table 'nope'"):
        results.document(["nope"])
    with pytest.raises(InputError, match="There is no table 'nope'"):
        results.table("nope")
    with pytest.raises(InputError, match="There is no figure 'nope'"):
        results.figure("nope")


def test_a_study_written_by_hand_has_general_tables_and_no_figures(study: epicene.Study) -> None:
    results = study.answers().results()
    assert results.summary is None
    assert "questions" in results.tables
    assert results.table("questions").height
    assert results.metrics().is_empty()
    with pytest.raises(InputError, match="was not sampled by a suite"):
        _ = results.figures


def test_who_failed_is_left_out_and_named(command: Epicene) -> None:
    whole = misgendering()
    check = msgspec.structs.replace(whole.items[0], id="check", expected={"label": "correct"})
    folder = create_study_folder(Path("study"), msgspec.structs.replace(whole, checks=(check,)))

    def give(name: str, label: str) -> None:
        items = ("check", *(item.id for item in folder.study.items))
        rows = [{"participant": name, "item": item, "answers": {"label": label}} for item in items]
        Path("rows.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
        epicene.load_study("study").import_answers("rows.jsonl")

    give("ann", "correct")
    give("bob", "no-pronoun")
    found = epicene.load_study("study").answers(passed=True)
    assert found.notes == ("Left out: bob (failed the attention checks).",)
    assert set(found.frame()["participant"]) == {"ann"}
    assert "Left out: bob" in repr(found)
    again = epicene.load_study("study").answers(without=["bob"], passed=True)
    assert again.notes == ("Nobody else failed the attention checks.", "Left out: bob (named).")
    results = found.results()
    assert all(table.notes[-1] == found.notes[0] for table in results.records)
    assert results.document()["study"]["left_out"] == 1
    with pytest.raises(InputError, match="No answers remain"):
        epicene.load_study("study").answers(without=["ann", "bob"])


# --- links and pages -------------------------------------------------------------------------


def test_links_are_those_of_the_command(command: Epicene, study: epicene.Study) -> None:
    links = study.links("cay", "https://x.org/")
    printed = command("annotate", "links", "study", "--url=https://x.org").out
    assert [line.split("\t") for line in printed.splitlines()] == [
        list(row) for row in links.rows()
    ]
    assert links["who"].to_list() == ["(owner)", "cay"]
    study.revoke("cay")
    again = study.links(url="https://x.org")
    assert again.row(0) == links.row(0)
    assert again.row(1) != links.row(1)
    assert study.links()["link"][0].startswith("http://127.0.0.1:8765/")
    with pytest.raises(InputError, match="cannot be the address of the pages"):
        study.links(url="x.org")
    with pytest.raises(InputError, match="no person 'zoe'"):
        study.revoke("zoe")


def test_forgetting_a_person_deletes_their_answers(study: epicene.Study) -> None:
    before = study.progress()
    count = study.count_answers("bob")
    assert study.forget("bob") == count > 0
    after = study.progress()
    assert (before.people, after.people) == (2, 1)
    assert before.given - after.given == count
    with pytest.raises(InputError, match="no person 'bob'"):
        study.forget("bob")


def test_pages_are_served_and_their_links_given(
    study: epicene.Study, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The server stops once a page was seen; `ready` gets the links, or they are printed."""
    from epicene.studies.web import server

    seen: list[int] = []

    def run(self: server._Server, sockets: object) -> None:
        thread = threading.Thread(target=original, args=(self, sockets))
        thread.start()
        with urllib.request.urlopen(study.links(["cay"]).row(1)[1]) as page:
            seen.append(page.status)
        self.should_exit = True
        thread.join()

    original = server._Server.run
    monkeypatch.setattr(server._Server, "run", run)
    monkeypatch.setattr(server._Server, "capture_signals", threading.Lock)
    given: list[pl.DataFrame] = []
    study.serve(["cay"], port=0, ready=given.append)
    assert given[0]["who"].to_list() == ["(owner)", "cay"]
    assert seen == [200]
    assert study.served_before
    assert given[0]["link"][1].startswith(study.address)
    assert capfd.readouterr().out == ""
    study.serve(port=0)
    assert capfd.readouterr().out.startswith("(owner)\thttp://127.0.0.1:")


def test_a_notebook_is_told_to_serve_from_a_terminal(study: epicene.Study) -> None:
    async def cell() -> None:
        study.serve()

    with pytest.raises(InputError, match=r"`epicene annotate serve STUDY` in a terminal"):
        asyncio.run(cell())


def test_a_study_says_when_it_closes_and_what_is_wrong_with_it(command: Epicene) -> None:
    whole = label_and_rewrite()
    closes = datetime(2030, 1, 1, tzinfo=UTC)
    access = msgspec.structs.replace(whole.access, closes=closes)
    create_study_folder(Path("study"), msgspec.structs.replace(whole, access=access))
    found = epicene.load_study("study")
    assert found.closes == closes
    assert found.problems() == []
    file = Path("study/study.toml")
    file.write_text(file.read_text("utf-8").replace('key = "1"', 'key = "u"'), "utf-8")
    problems = epicene.load_study("study").problems()
    assert problems
    assert problems[0].startswith("study/study.toml: questions[0] (label) has the key 'u'")
    assert repr(found) == "<Study a-study in study>"
