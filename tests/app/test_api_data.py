"""A suite's data from Python, beside `epicene data`."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import msgspec
import polars as pl
import pytest

import epicene
import scripted_models
import suites.gramvis.scripted_words as scripted
from app.conftest import Epicene
from app.conftest import epicene as command_line
from epicene.core.errors import InputError
from epicene.show.table_formats import tables_json
from epicene.studies.collection.folder import open_study_folder
from epicene.suites.alternations.items import Pair
from scripted_people import answer
from suites.gramvis.test_gramvis_construction import DELA, MODELS, SETTINGS

command = command_line  # the fixture, under a name that the module does not have

SUITES = ["alternations", "apgc", "genform", "gramvis", "misgendering"]


@pytest.mark.parametrize("suite", SUITES)
def test_items_and_tables_are_those_of_the_command(suite: str, command: Epicene) -> None:
    data = epicene.read_data(suite)
    shown = command("data", "show", suite, "--limit=3", "--json").json["items"]
    first = [item for item, _ in zip(data.items(), shown, strict=False)]
    assert json.loads(msgspec.json.encode(first)) == shown
    frame = data.frame()
    assert frame.height == len(data)
    assert epicene.read_data(suite, limit=3).frame().height == 3
    assert frame["id"][:3].to_list() == [each["id"] for each in shown]
    told = command("data", "stats", suite, "--json").json
    assert (data.suite, data.name) == (told["suite"], told["data"])
    assert list(data.tables) == list(told["tables"])
    assert json.loads(msgspec.json.encode(tables_json(data.records()))) == told["tables"]
    counts = dict(data.table("items").select("language", "items").rows())
    assert sum(counts.values()) == len(data)
    assert data.check().columns == ["severity", "place", "message"]
    assert all(path.is_file() for path in data.files)


def test_a_frame_loses_nothing_of_an_item() -> None:
    data = epicene.read_data("alternations")
    given = [dict(item.columns) for item in data.items() if isinstance(item, Pair)]
    assert len({tuple(each) for each in given}) > 1
    rows = data.frame()["columns"].to_list()
    assert [{name: text for name, text in row.items() if text is not None} for row in rows] == given


def test_items_of_your_own_are_checked(command: Epicene) -> None:
    rows = [
        {"id": "a", "sentence_good": "x y", "sentence_bad": "x\x07 z", "lang": "fr"},
        {"id": "b", "sentence_good": "y", "sentence_bad": "z", "lang": "hi"},
    ]
    pl.DataFrame(rows).write_csv("pairs.csv")
    columns = {"good": "sentence_good", "bad": "sentence_bad", "language": "lang"}
    data = epicene.read_data("alternations", "pairs.csv", columns=columns)
    told = command(
        "data", "check", "alternations", "-d", "pairs.csv", "--json",
        *(f"--column={ours}={theirs}" for ours, theirs in columns.items()),
    ).json  # fmt: skip
    findings = data.check().rows(named=True)
    assert told == {"items": 2, "remarks": data.remarks, "findings": findings}
    assert told["findings"]
    only = epicene.read_data("alternations", "pairs.csv", columns=columns, language="hi")
    assert only.frame()["id"].to_list() == ["b"]
    pl.DataFrame([rows[1], rows[1]]).write_csv("twice.csv")
    with pytest.raises(InputError, match="twice"):
        epicene.read_data("alternations", "twice.csv", columns=columns).check()


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(InputError, match="no suite 'genfrom'; did you mean 'genform'"):
        epicene.read_data("genfrom")
    with pytest.raises(InputError, match=r"There is no table 'x'; known: 10, items\."):
        epicene.read_data("gramvis").table("x")
    with pytest.raises(InputError, match=r"There is no file gone\.csv"):
        epicene.read_data("alternations", "gone.csv")
    with pytest.raises(InputError, match="no setting 'x' in the protocol epicene of"):
        epicene.read_data("alternations", settings={"x": 1})


# --- building --------------------------------------------------------------------------------


@pytest.fixture
def words(command: Epicene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripted models of a list of words, and its dictionary."""
    scripted.register()
    monkeypatch.setenv(scripted_models.LOG, str(tmp_path / "asked.log"))
    monkeypatch.setattr(DELA, lambda: None)
    Path("kaikki.jsonl").write_text(scripted.DICTIONARY, encoding="utf-8")


def test_data_is_built_as_by_the_command(
    command: Epicene, words: None, capfd: pytest.CaptureFixture[str]
) -> None:
    roles = {role: specs.split(",") for role, specs in MODELS.items()}

    def build(folder: str, *, progress: bool = False) -> epicene.BuiltData:
        return epicene.build_data(
            "gramvis", out=folder, model=roles, settings=SETTINGS, progress=progress
        )

    waiting = build("by-python")
    assert waiting.waiting.startswith("The step suggest")
    assert len(waiting.steps) == 3
    told = (
        *(f"--set={name}={value}" for name, value in SETTINGS.items()),
        *(f"--model={role}={specs}" for role, specs in MODELS.items()),
    )
    by_command = command("data", "build", "gramvis", "--out=by-command", *told)
    assert by_command.code == 0
    assert by_command.err.splitlines()[-1] == waiting.waiting.replace("by-python", "by-command")
    for folder in ("by-python", "by-command"):
        study = open_study_folder(Path(folder, "04-suggest"))
        for place, name in enumerate(scripted.PEOPLE):
            answer(study, name, partial(scripted.suggests, place))
    done = build("by-python")
    assert (done.path, done.waiting) == (Path("by-python"), "")
    assert command("data", "build", "gramvis", "--out=by-command", *told).code == 0
    for file in Path("by-command").glob("*.jsonl"):
        assert file.read_bytes() == Path("by-python", file.name).read_bytes()
    capfd.readouterr()
    assert all("done before" in step for step in build("by-python", progress=True).steps[:3])
    assert capfd.readouterr().err.splitlines()[0] == build("by-python").steps[0]
    assert capfd.readouterr().err == ""


def test_what_cannot_be_built_is_named(words: None) -> None:
    with pytest.raises(InputError, match="no role 'judge' in this construction; known: "):
        epicene.build_data("gramvis", out="x", model={"judge": "random"})
    with pytest.raises(InputError, match="The suite misgendering cannot build data"):
        epicene.build_data("misgendering", out="x", model={"judge": "random"})
    with pytest.raises(InputError, match="no setting 'x' in this construction"):
        epicene.build_data("gramvis", out="x", settings={"x": 1})
    with pytest.raises(
        InputError, match=r"needs a model in the role proposers; use --model proposers=SPEC"
    ):
        epicene.build_data("gramvis", out="x", settings=SETTINGS, progress=False)
    assert not list(Path().glob("x/02*"))


def test_a_role_is_named_on_the_command_line(command: Epicene) -> None:
    done = command("data", "build", "gramvis", "--out=x", "--model=random")
    assert done.code == 2
    assert "--model must name the model's role, as ROLE=SPEC, not 'random'." in done.err
