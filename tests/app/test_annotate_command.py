"""`epicene annotate`: from runs to a study, from people's sheets to tables."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import stat
from pathlib import Path

import jsonschema
import pytest

from app.conftest import Epicene
from app.test_bad_input import refused
from app.test_commands import SCHEMA
from epicene.studies.collection.folder import create_study_folder, open_study_folder
from scripted_people import fill_in, respond
from study_examples import misgendering

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
    done = epicene("annotate", "export", study, f"--people={','.join(people)}", "--out=sheets")
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
    only = epicene("annotate", "tables", study, "--only=labels", "--csv").out
    assert {row["table"] for row in csv.DictReader(io.StringIO(only))} == {"labels"}
    assert r"\toprule" in epicene("annotate", "tables", study, "--latex").out
    assert "| model-1 |" in epicene("annotate", "tables", study, "--markdown").out
    done = epicene("annotate", "tables", study, "--only=people", "--figures=drawn")
    assert sorted(path.name for path in Path("drawn").iterdir()) == [
        "17.svg", "6.svg", "7.svg", "8.svg",
    ]  # fmt: skip
    assert "drawn/6.svg" in done.err
    done = epicene("annotate", "tables", study, "--only=peple")
    refused(done, 2, "There is no table 'peple'; did you mean 'people'?")
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
    assert "model-1" not in epicene("annotate", "export", study, "--form=jsonl").out
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
    done = epicene("annotate", "tables", study, "--only=automatic")
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


@pytest.mark.parametrize(
    ("name", "text", "parts"),
    [
        ("a.csv", "participant,item,outcome\nann,ITEM,corect\n", ["line 2,", "'corect'"]),
        ("a.csv", "participant,item,outcome\nann,nothing,correct\n", ["line 2,", "'nothing'"]),
        ("a.csv", "participant,item,outcom\nann,ITEM,correct\n", ["line 2,", "'outcome'?"]),
        ("a.csv", "participant,item\nann,ITEM,correct\n", ["line 2,", "number of columns"]),
        ("a.csv", "participant;item;outcome\nann;ITEM;corect\n", ["line 2,", "'corect'"]),
        ("a.csv", "", ["a.csv contains no answers"]),
        ("a.csv", "participant,item,outcome\n", ["a.csv contains no answers"]),
        ("a.csv", "participant,item,outcome\nann,ITEM,\n", ["a.csv contains no answers"]),
        ("a.jsonl", "", ["a.jsonl contains no answers"]),
        (
            "a.csv",
            "participant,item,outcome,extraneous\nann,ITEM,correct,zebra\n",
            ["line 2,", "marks 'zebra'"],
        ),
        (
            "a.csv",
            "participant,item,outcome,extraneous\nann,ITEM,correct,0-9999\n",
            ["line 2,", "marks characters 0 to 9999"],
        ),
        (
            "a.csv",
            "participant,item,tags\nann,ITEM,repetition\n",
            ["line 2,", "outcome has no answer"],
        ),
        ("a.csv", "item,outcome\nITEM,correct\n", ["line 2,", "does not name the participant"]),
        ("a.jsonl", "{", ["line 1,", "is not JSON"]),
        ("a.jsonl", '{"participant": "ann", "item": "ITEM", "answers": 3}', ["does not fit"]),
        ("a.txt", "x", ["use one of .csv"]),
    ],
)
def test_a_bad_file_is_refused(
    epicene: Epicene, study: Path, name: str, text: str, parts: list[str]
) -> None:
    item = open_study_folder(study).study.items[0].id
    Path(name).write_text(text.replace("ITEM", item), "utf-8")
    refused(epicene("annotate", "import", study, name), 2, name, *parts)
    assert open_study_folder(study).responses() == []


def test_the_papers_draw(epicene: Epicene, runs: list[Path]) -> None:
    command = ("annotate", "sample", *runs, "--protocol=paper", "--out=paper")
    refused(epicene(*command), 2, "the paper draws 5; run with --limit 10 or more")
    refused(epicene(*command, "--per-cell=3"), 2, "5 instances with 5 generations")


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ((), ["Name either run folders or a suite"]),
        (("RUN", "--suite=misgendering"), ["Name either run folders"]),
        (("RUN", "--data=x"), ["require --suite"]),
        (("--suite=misgendering",), ["about answers of models; name the run folders"]),
        (("RUN", "--study=lables"), ["'lables' in the suite misgendering; did you mean 'labels'?"]),
        (
            ("--suite=gramvis",),
            ["The suite gramvis has the studies category, image, stereotype; choose one with"],
        ),
        (("RUN", "--protocol=papr"), ["'papr' in the suite misgendering; did you mean 'paper'?"]),
        (("RUN", "--per-cell=2", "--n=3"), ["not both"]),
        (("RUN", "--per-cell=0"), ["per-cell"]),
        (("RUN", "RUN"), ["given twice"]),
        (("nowhere",), ["nowhere is not a run folder"]),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    epicene: Epicene, runs: list[Path], options: tuple[str, ...], parts: list[str]
) -> None:
    given = [str(runs[0]) if option == "RUN" else option for option in options]
    refused(epicene("annotate", "sample", *given, "--out=study"), 2, *parts)
    assert not Path("study").exists()


def test_other_mistakes(epicene: Epicene, study: Path) -> None:
    refused(epicene("annotate", "tables", "nowhere"), 2, "nowhere is not a study folder")
    refused(epicene("annotate", "export", study, "--people=ann,bob"), 2, "name it with --out")
    refused(epicene("annotate", "export", study, "--to=pcibex"), 2, "name it with --out")
    refused(epicene("annotate", "export", study, "--to=label-studio"), 2, "name it with --out")
    refused(epicene("annotate", "adjudicate", study, "--by= "), 2, "--by must not be empty")
    both = ("--to=pcibex", "--people=2", "--out=s")
    refused(epicene("annotate", "export", study, *both), 2, "Use either --people or --to")
    done = epicene("annotate", "export", study, "--out=answers.csv")
    assert "has no answers yet, so answers.csv has no rows." in done.err
    per = ("--people=2", "--out=s", "--per=item")
    refused(epicene("annotate", "export", study, *per), 2, "export no answers; leave out --per")
    refused(
        epicene("annotate", "export", study, "--to=pcibex", "--out=s"),
        2,
        "something other than a single choice",
    )
    refused(epicene("annotate", "export", study, "--out=x.doc"), 2, "use the extension .csv")
    refused(
        epicene("annotate", "export", study, "--people=ann", "--out=s"),
        2,
        "lacks 2 judgements, but the named people can give only 1; name more",
    )


def test_a_study_with_lists_goes_out_as_sheets_and_as_an_experiment(epicene: Epicene) -> None:
    drawing = ("--suite=alternations", "--study=choice", "--n=8", "--out=study")
    assert epicene("annotate", "sample", *drawing).code == 0
    few = epicene("annotate", "export", "study", "--people=4", "--out=sheets")
    refused(few, 2, "4 lists", "80 needed, 4 named", "judgements in study.toml")
    done = epicene("annotate", "export", "study", "--people=80", "--out=sheets")
    assert done.code == 0
    names = sorted(path.name for path in Path("sheets").iterdir())
    assert names == ["instructions.md", *(f"p{number:02}.csv" for number in range(1, 81))]
    done = epicene("annotate", "export", "study", "--to=pcibex", "--out=experiment")
    assert done.err.split() == ["experiment/main.js", "experiment/items.csv"]
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
    done = epicene("annotate", "export", study, "--to=label-studio", "--out=project")
    assert done.err.split() == [
        "project/config.xml", "project/tasks.json", "project/instructions.html",
    ]  # fmt: skip
    export = ("annotate", "export", study, "--to=label-studio", "--out=project")
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
