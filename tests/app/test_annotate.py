"""`epicene.annotate` and `epicene annotate`: from runs to a study, from people to tables."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import re
import shutil
import stat
import sys
from pathlib import Path

import jsonschema
import msgspec
import pytest

import epicene as api
from app.conftest import Done, Epicene, refused
from epicene.core.errors import EpiceneWarning, InputError
from epicene.studies.collection.folder import create_study_folder, open_study_folder
from scripted_people import fill_in, respond
from studies.exchange.test_pcibex_results import two_people
from studies.web.served_process import running
from study_examples import forced_choice, image, misgendering

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs/reference/results.schema.json").read_text("utf-8")
)

RUN = ("--set=pronouns=he,xe", "--set=samples=2", "--limit=8")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("made")


@pytest.fixture
def runs(epicene: Epicene, made: Path) -> list[Path]:
    """Two runs, made once."""
    folders = [made / f"run-{seed}" for seed in (1, 2)]
    for seed, folder in enumerate(folders, start=1):
        if not folder.exists():
            model = f"--model=random:{seed}?label=model-{seed}"
            assert epicene("run", "misgendering", model, *RUN, f"--out={folder}").code == 0
    return folders


@pytest.fixture
def study(epicene: Epicene, runs: list[Path]) -> Path:
    done = epicene("annotate", "sample", *runs, "--per-cell=2", "--twice=12", "--out=study")
    assert done.code == 0, done.err
    # Two models, two pronouns, pre and post of two datasets and open contexts.
    assert done.err == "40 items, 52 judgements needed. The study is in study.\n"
    return Path("study")


def hand_in(epicene: Epicene, study: Path, *people: str) -> None:
    """All people get a sheet, fill it in, and hand it in."""
    done = epicene("annotate", "sheets", study, f"--people={','.join(people)}", "--out=sheets")
    assert done.code == 0, done.err
    whole = open_study_folder(study).study
    for person in people:
        path = Path("sheets") / f"{person}.csv"
        given = [respond(whole, item, person) for item in whole.items]
        path.write_text(fill_in(path.read_text("utf-8"), given), "utf-8")
        assert epicene("annotate", "import", study, path).code == 0


def test_from_runs_to_tables(epicene: Epicene, study: Path) -> None:
    hand_in(epicene, study, "ann", "bob")
    shown = epicene("annotate", "tables", study, "--json")
    jsonschema.validate(shown.json, SCHEMA)
    # Two people who answer at random are divided, and no label is drawn.
    assert re.fullmatch(r"Left out because of ties: \d+ labels; .*\n", shown.err)
    assert shown.json["study"] == {
        "name": "misgendering-labels", "items": 40, "wanted": 52, "given": 52, "people": 2,
    }  # fmt: skip
    tables = shown.json["tables"]
    assert set(tables) == {
        "people", "automatic", "confusion", "labels", "8", "9", "questions",
    }  # fmt: skip
    assert (
        tables["questions"]["outcome"]["all"]["agreement"]["value"]
        == (tables["people"]["outcome"]["all"]["all"]["agreement"]["value"])
    )
    whole = open_study_folder(study).study
    answers = {
        (item.id, person): respond(whole, item, person).answers["outcome"]
        for item in whole.items
        for person in ("ann", "bob")
    }
    both = [item.id for item in whole.items if item.judgements == 2]
    same = [answers[item, "ann"] == answers[item, "bob"] for item in both]
    found = tables["people"]["outcome"]["all"]
    assert found["all"]["agreement"]["value"] == pytest.approx(sum(same) / len(same))
    assert found["the paper"]["agreement"] == {
        "value": 0.96, "low": None, "high": None, "n": 200, "origin": "published",
    }  # fmt: skip
    divided = [
        len({answers[item, person] == "misgendering" for person in ("ann", "bob")}) == 2
        for item in both
    ]
    compared = tables["automatic"]["misgendering"]["all"]["all"]["agreement"]["n"]
    assert compared == 40 - sum(divided)
    assert set(tables["automatic"]["misgendering"]["model"]) == {"model-1", "model-2"}


def test_tables_in_every_form(epicene: Epicene, study: Path) -> None:
    hand_in(epicene, study, "ann", "bob")
    assert "Agreement of people with each other" in epicene("annotate", "tables", study).out
    only = epicene("annotate", "tables", study, "--table=labels", "--csv").out
    assert {row["table"] for row in csv.DictReader(io.StringIO(only))} == {"labels"}
    assert r"\toprule" in epicene("annotate", "tables", study, "--latex").out
    assert "| model-1 |" in epicene("annotate", "tables", study, "--markdown").out
    done = epicene("annotate", "tables", study, "--table=people", "--figures=drawn")
    assert sorted(path.name for path in Path("drawn").iterdir()) == [
        "17.svg", "6.svg", "7.svg", "8.svg",
    ]  # fmt: skip
    assert "drawn/6.svg" in done.err
    done = epicene("annotate", "tables", study, "--table=peple")
    refused(done, 2, "There is no table 'peple'; known: ")
    refused(epicene("annotate", "tables", study, "--csv", "--json"), 2, "Choose one of")


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
def test_what_is_exported_can_be_imported(epicene: Epicene, study: Path, form: str) -> None:
    hand_in(epicene, study, "ann", "bob")
    shutil.copytree(study, "copy")
    (Path("copy") / "responses.sqlite").unlink()
    assert epicene("annotate", "export", study, f"--out=all.{form}").code == 0
    assert stat.S_IMODE(Path(f"all.{form}").stat().st_mode) == 0o600
    done = epicene("annotate", "import", "copy", f"all.{form}")
    assert done.err == "52 new answers, 0 replaced, 0 unchanged.\n"
    again = epicene("annotate", "import", study, f"all.{form}")
    assert again.err == "0 new answers, 0 replaced, 52 unchanged.\n"
    first, second = (epicene("annotate", "export", each).out for each in (study, "copy"))
    assert first == second
    tables = [epicene("annotate", "tables", each, "--json").json for each in (study, "copy")]
    assert tables[0] == tables[1]


def test_what_is_hidden_leaves_only_when_asked_for(epicene: Epicene, study: Path) -> None:
    hand_in(epicene, study, "ann", "bob")
    for path in Path("sheets").iterdir():
        assert "model-1" not in path.read_text("utf-8")
    assert "model-1" not in epicene("annotate", "export", study).out
    rows = csv.DictReader(io.StringIO(epicene("annotate", "export", study, "--hidden").out))
    assert {row["hidden: model"] for row in rows} == {"model-1", "model-2"}


def test_the_same_command_draws_the_same_study(
    epicene: Epicene, study: Path, runs: list[Path]
) -> None:
    before = (study / "study.toml").read_bytes()
    command = ("annotate", "sample", *runs, "--per-cell=2", "--twice=12")
    assert epicene(*command, "--out=study").code == 0
    assert epicene(*command, "--out=other").code == 0
    assert Path("other/study.toml").read_bytes() == before
    refused(epicene(*command, "--seed=2", "--out=study"), 2, "study contains a different study")
    assert (study / "study.toml").read_bytes() == before


def test_a_study_half_done_says_so(epicene: Epicene, study: Path) -> None:
    refused(epicene("annotate", "tables", study), 2, "Nobody has answered")
    item = open_study_folder(study).study.items[0].id
    Path("one.csv").write_text(f"item,outcome\n{item},correct\n", "utf-8")
    command = ("annotate", "import", study, "one.csv", "--participant=ann")
    assert epicene(*command).err == "1 new answer, 0 replaced, 0 unchanged.\n"
    assert epicene(*command).err == "0 new answers, 0 replaced, 1 unchanged.\n"
    done = epicene("annotate", "tables", study, "--table=automatic")
    assert done.code == 0
    assert "1 of 52 judgements have been given so far." in done.err


def test_a_changed_answer_must_be_wanted(epicene: Epicene, study: Path) -> None:
    item = open_study_folder(study).study.items[0].id
    Path("a.csv").write_text(f"participant,item,outcome\nann,{item},correct\n", "utf-8")
    Path("b.csv").write_text(f"participant,item,outcome\nann,{item},no-pronoun\n", "utf-8")
    assert epicene("annotate", "import", study, "a.csv").code == 0
    done = epicene("annotate", "import", study, "b.csv")
    refused(done, 2, "b.csv, line 2,", "differently from ann's earlier answer", "--replace")
    done = epicene("annotate", "import", study, "b.csv", "--replace")
    assert done.err == "0 new answers, 1 replaced, 0 unchanged.\n"


def test_a_spreadsheet_that_separates_by_semicolons_is_read(epicene: Epicene, study: Path) -> None:
    """As one saves what it opened where a comma stands before decimals."""
    item = open_study_folder(study).study.items[0]
    path = Path("ann.csv")
    text = item.fields["text"].replace('"', '""')
    path.write_text(
        "\ufeffparticipant;item;shown: text;outcome;tags;seconds\r\n"
        f'ann;{item.id};"{text}";correct;"repetition; wrong-case";3,4\r\n',
        "utf-8",
    )
    done = epicene("annotate", "import", study, path)
    assert done.err.startswith("1 new answer,"), done.err
    (response,) = open_study_folder(study).responses()
    assert response.answers["outcome"] == "correct"
    assert response.answers["tags"] == ("repetition", "wrong-case")
    assert response.seconds == 3.4


def test_the_papers_draw(epicene: Epicene, runs: list[Path]) -> None:
    command = ("annotate", "sample", *runs, "--protocol=paper", "--out=paper")
    refused(epicene(*command), 2, "the paper draws 5; run with --limit 10 or more")
    refused(epicene(*command, "--per-cell=3"), 2, "5 instances with 5 generations")


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("sample --out=s", ["Name either run folders or a suite"]),
        ("sample RUN --suite=misgendering --out=s", ["Name either run folders"]),
        ("sample RUN --data=x --out=s", ["require --suite"]),
        ("sample --suite=misgendering --out=s", ["about answers of models; name the run folders"]),
        ("sample RUN --study=lables --out=s", ["'lables' in the suite misgendering; did you mean"]),
        ("sample --suite=gramvis --out=s", ["has the studies category, image, stereotype; choose"]),
        ("sample RUN --protocol=papr --out=s", ["'papr' in the suite misgendering; did you mean"]),
        ("sample RUN --per-cell=2 --n=3 --out=s", ["not both"]),
        ("sample RUN --per-cell=0 --out=s", ["--per-cell must be at least 1"]),
        ("sample RUN RUN --out=s", ["given twice"]),
        ("sample nowhere --out=s", ["nowhere is not a run folder"]),
        ("tables nowhere", ["nowhere is not a study folder"]),
        ("tables study", ["Nobody has answered"]),
        ("sheets study --people=ann", ["--out"]),
        ("sheets study --people=ann --out=s", ["lacks 2 judgements, but the named people can"]),
        ("sheets study --people=a/b --out=s", ["cannot be used as the name of a sheet"]),
        ("project study --to=pcibex --out=s", ["something other than a single choice"]),
        ("project study --to=jspsych --out=s", ["jspsych"]),
        ("adjudicate study --by=", ["--by must not be empty"]),
        ("export study --out=x.doc", ["use the extension .csv"]),
        ("export study --codebook", ["--codebook requires --per"]),
        ("exclude study", ["Name people, or use --rule"]),
        ("exclude study ann --reason=x", ["no person 'ann'"]),
        ("forget study ann --yes", ["no person 'ann'"]),
        ("links study --revoke=ann", ["'ann'"]),
        ("links study --url=x.org", ["cannot be the address of the pages"]),
        ("links study --url=https://x.org/sub", ["cannot be the address of the pages"]),
        ("serve study --url=https://x.org:70000", ["cannot be the address of the pages"]),
    ],
)
def test_what_is_wrong_gets_a_sentence(
    epicene: Epicene, runs: list[Path], study: Path, words: str, parts: list[str]
) -> None:
    given = [str(runs[0]) if word == "RUN" else word for word in words.split()]
    refused(epicene("annotate", *given), 2, *parts)
    assert not Path("s").exists()


def test_a_study_with_lists_goes_out_as_sheets_and_as_an_experiment(epicene: Epicene) -> None:
    drawing = ("--suite=alternations", "--study=choice", "--n=8", "--out=study")
    assert epicene("annotate", "sample", *drawing).code == 0
    few = epicene("annotate", "sheets", "study", "--people=4", "--out=sheets")
    refused(few, 2, "4 lists", "80 needed, 4 named", "judgements in study.toml")
    done = epicene("annotate", "sheets", "study", "--people=80", "--out=sheets")
    assert done.code == 0
    names = sorted(path.name for path in Path("sheets").iterdir())
    assert names == ["instructions.md", *(f"p{number:02}.csv" for number in range(1, 81))]
    done = epicene("annotate", "project", "study", "--to=pcibex", "--out=experiment")
    assert done.err.split()[2::3] == ["experiment/main.js", "experiment/items.csv"]
    preferred = epicene("annotate", "adjudicate", "study", "--by=eve")
    refused(preferred, 2, "there is no right answer")


def test_a_study_of_data(epicene: Epicene) -> None:
    done = epicene("annotate", "sample", "--suite=reflexives", "--n=6", "--out=study")
    assert done.err == "6 items, 18 judgements needed. The study is in study.\n"
    whole = open_study_folder(Path("study")).study
    lines = [
        json.dumps({"participant": who, "item": item.id, "better": "good"})
        for item in whole.items
        for who in ("ann", "bob", "cyd")
    ]
    Path("all.jsonl").write_text("\n".join(lines), "utf-8")
    assert epicene("annotate", "import", "study", "all.jsonl").code == 0
    shown = epicene("annotate", "tables", "study", "--json").json
    jsonschema.validate(shown, SCHEMA)
    assert shown["tables"]["people"]["all"]["all"]["agreement"]["value"] == 1
    assert shown["study"]["people"] == 3


def test_disagreements_are_settled_in_a_sheet(epicene: Epicene, study: Path) -> None:
    hand_in(epicene, study, "ann", "bob")
    done = epicene("annotate", "adjudicate", study, "--by=eve", "--out=differ.csv")
    assert done.code == 0, done.err
    with Path("differ.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    differ = [row for row in rows if row["said: outcome"]]
    assert 0 < len(differ) < 12
    for row in differ:
        row["outcome"] = "plural-they"
    with Path("settled.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    before = epicene("annotate", "tables", study, "--json").json["tables"]
    done = epicene("annotate", "import", study, "settled.csv")
    assert done.err.splitlines()[1] == f"{len(differ)} answers were settled by adjudication."
    after = epicene("annotate", "tables", study, "--json").json["tables"]
    assert after["people"] == before["people"]
    assert after["questions"] == before["questions"]
    assert after["labels"] != before["labels"]
    again = epicene("annotate", "adjudicate", study, "--by=eve").out
    assert not any(row.get("said: outcome") for row in csv.DictReader(io.StringIO(again)))
    # What is exported holds what was settled, and a copy of the study takes it in.
    shutil.copytree(study, "copy")
    (Path("copy") / "responses.sqlite").unlink()
    assert epicene("annotate", "export", study, "--out=all.csv").code == 0
    assert epicene("annotate", "import", "copy", "all.csv").code == 0
    assert epicene("annotate", "tables", "copy", "--json").json["tables"] == after


def test_a_project_for_label_studio_goes_out_and_its_export_comes_in(
    epicene: Epicene, study: Path
) -> None:
    done = epicene("annotate", "project", study, "--to=label-studio", "--out=project")
    assert done.err.split()[2::3] == [
        "project/config.xml", "project/tasks.json", "project/instructions.html",
    ]  # fmt: skip
    export = ("annotate", "project", study, "--to=label-studio", "--out=project")
    assert epicene(*export).code == 0, "the same files may be written again"
    config = Path("project/config.xml")
    written = config.read_bytes()
    config.write_bytes(written + b" ")
    refused(epicene(*export), 2, "config.xml already exists")
    config.write_bytes(written)
    tasks = json.loads(Path("project/tasks.json").read_text("utf-8"))
    assert "model-1" not in Path("project/tasks.json").read_text("utf-8")
    chosen = {"from_name": "outcome", "value": {"choices": ["correct"]}}
    for task in tasks:
        task["annotations"] = [{"completed_by": 1, "result": [chosen], "lead_time": 2.5}]
    marked = {"start": 0, "end": 2, "text": tasks[0]["data"]["text"][:2], "labels": ["marked"]}
    tasks[0]["annotations"][0]["result"].append({"from_name": "extraneous", "value": marked})
    Path("export.json").write_text(json.dumps(tasks), "utf-8")
    done = epicene("annotate", "import", study, "export.json", "--format=label-studio")
    assert done.err == "40 new answers, 0 replaced, 0 unchanged.\n"
    shown = epicene("annotate", "tables", study, "--json").json
    jsonschema.validate(shown, SCHEMA)
    assert shown["tables"]["quality"]["1"]["seconds (median)"]["value"] == 2.5


def test_a_study_written_by_hand_has_the_tables_of_any_study(epicene: Epicene) -> None:
    create_study_folder(Path("study"), misgendering())
    refused(epicene("annotate", "tables", "study"), 2, "was not sampled by a suite")
    rows = "participant,item,label\nann,g1,correct\nbob,g1,correct\nann,g2,misgendering\n"
    Path("all.csv").write_text(rows, "utf-8")
    assert epicene("annotate", "import", "study", "all.csv").code == 0
    done = epicene("annotate", "tables", "study", "--json")
    jsonschema.validate(done.json, SCHEMA)
    assert set(done.json["tables"]) == {"questions"}
    assert done.json["tables"]["questions"]["label"]["all"]["agreement"]["value"] == 1
    assert done.json["study"]["given"] == 3
    assert done.err == ""
    assert "Agreement on each question" in epicene("annotate", "tables", "study").out
    done = epicene("annotate", "tables", "study", "--figures=drawn")
    refused(done, 2, "was not sampled by a suite")


# --- from Python ---------------------------------------------------------------------------------


def test_python_has_the_same_study_answers_and_results(epicene: Epicene, study: Path) -> None:
    hand_in(epicene, study, "ann", "bob")
    opened = api.Study(study)
    assert (opened.name, opened.suite) == ("misgendering-labels", "misgendering")
    assert repr(opened) == "<Study misgendering-labels in study>"
    answers = opened.answers(without="bob")
    assert answers.notes == ("Left out: bob (named).",)
    frame = answers.frame()
    assert set(frame.filter(frame["excluded"] == "")["participant"]) == {"ann"}
    assert answers.codebook()["name"].to_list() == frame.columns
    with pytest.raises(InputError, match="no unit of rows 'person'"):
        answers.frame("person")  # type: ignore[arg-type]
    told = epicene("annotate", "tables", study, "--json").json
    results = opened.results()
    assert json.loads(msgspec.json.encode(results.document())) == told
    assert set(results.tables) == set(told["tables"])
    with pytest.warns(EpiceneWarning):
        values = dict(results.metrics().select("metric", "value").iter_rows())
    assert values == {name: each["value"] for name, each in told["metrics"].items()}
    assert results.figure("6").svg().startswith("<svg")
    with pytest.raises(InputError, match="There is no figure 'nope'"):
        results.figure("nope")
    exported = api.annotate.export(study, without="bob")
    assert exported.content.decode() == epicene("annotate", "export", study, "--without=bob").out


# --- the pages -----------------------------------------------------------------------------------


@pytest.fixture
def served(epicene: Epicene) -> Path:  # in whose empty folder it lies
    create_study_folder(Path("study"), misgendering())
    return Path("study")


def addresses(done: Done) -> set[str]:
    assert done.code == 0, done.err
    return {line.split("\t")[1].partition("/enter/")[0] for line in done.out.splitlines()}


def test_links_lead_to_where_the_study_was_last_served(epicene: Epicene, served: Path) -> None:
    done = epicene("annotate", "links", served, "--people=ann")
    assert addresses(done) == {"http://127.0.0.1:8765"}
    assert "because the study has not been served yet" in done.err
    with running(served, "ann") as server:
        served_at = server.links["ann"].partition("/enter/")[0]
        done = epicene("annotate", "links", served, "--revoke=ann")
        assert addresses(done) == {served_at} != {"http://127.0.0.1:8765"}
    assert api.annotate.links(served)["ann"] not in server.links.values()
    done = epicene("annotate", "links", served, "--url=HTTPS://X.org:8443/")
    assert addresses(done) == {"https://x.org:8443"}
    assert addresses(epicene("annotate", "links", served)) == {served_at}


def test_pictures_that_are_none_and_notebooks_are_refused(epicene: Epicene) -> None:
    study = image()
    item = study.items[0]
    broken = msgspec.structs.replace(item, fields=item.fields | {"picture": "care"})
    create_study_folder(Path("pictures"), msgspec.structs.replace(study, items=(broken,)))
    for words in (("serve", "pictures"), ("sheets", "pictures", "--people=2", "--out=o")):
        refused(epicene("annotate", *words), 2, f"The item {item.id} has no image in picture")
    create_study_folder(Path("study"), misgendering())

    async def cell() -> None:
        api.annotate.serve("study")

    with pytest.raises(InputError, match="`epicene annotate serve STUDY` in a terminal"):
        asyncio.run(cell())


# --- people who withdraw -------------------------------------------------------------------------


class Terminal(io.StringIO):
    """Somebody who types."""

    def isatty(self) -> bool:
        return True


def test_who_withdraws_is_deleted_but_not_unasked(
    epicene: Epicene, served: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("all.csv").write_text(
        "participant,item,label\nann,g1,correct\nann,g2,correct\nbob,g1,misgendering\n", "utf-8"
    )
    assert epicene("annotate", "import", served, "all.csv").code == 0

    def people() -> set[str]:
        return {response.participant for response in open_study_folder(served).responses()}

    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    done = epicene("annotate", "forget", served, "ann")
    refused(done, 2, "This would delete ann, with 2 answers", "use --yes")
    for typed, code, left in (("n\n", 1, {"ann", "bob"}), ("y\n", 0, {"bob"})):
        monkeypatch.setattr(sys, "stdin", Terminal(typed))
        done = epicene("annotate", "forget", served, "ann")
        assert done.code == code
        assert "Permanently delete ann, with 2 answers?" in done.err
        assert people() == left
    assert b"ann" not in (served / "responses.sqlite").read_bytes()
    assert epicene("annotate", "links", served, "--people=dan").code == 0
    assert "dan, with 0 answers." in epicene("annotate", "forget", served, "dan", "-y").err
    assert "dan" not in epicene("annotate", "links", served).out


def test_results_of_pcibex_come_in(epicene: Epicene, tmp_path: Path) -> None:
    create_study_folder(tmp_path / "study", forced_choice())
    path = two_people().write(tmp_path / "results.csv")
    done = epicene("annotate", "import", "study", path)
    assert done.err == "6 new answers, 0 replaced, 0 unchanged.\n"
    again = epicene("annotate", "import", "study", path, "--format=pcibex")
    assert again.err == "0 new answers, 0 replaced, 6 unchanged.\n"
    (tmp_path / "sheet.csv").write_text("participant,item,better\nann,p1a,good\n", "utf-8")
    done = epicene("annotate", "import", "study", "sheet.csv", "--format=pcibex")
    refused(done, 2, "has no comments before it")
