"""`epicene export`, from the outside."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import jsonschema
import pytest

from app.conftest import Epicene
from export.export_samples import read_front_matter

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "reference" / "results.schema.json").read_text(
        encoding="utf-8"
    )
)
REFLEXIVES = ("run", "reflexives", "--model=random", "--out=runs/reflexives")
TWO_STAGE = (
    "run", "two-stage", "--model=writer=scripted:w", "--model=reader=scripted:a,scripted:b",
    "--out=runs/two",
)  # fmt: skip


@pytest.fixture
def results(epicene: Epicene) -> Path:
    """The exported results of two suites."""
    assert epicene(*REFLEXIVES).code == 0
    assert epicene(*TWO_STAGE).code == 0
    done = epicene("export", "results", "runs/reflexives", "runs/two", "-o", "out")
    assert (done.code, done.err.splitlines()[-1]) == (
        0, "Written to out",
    )  # fmt: skip
    return Path("out")


def test_results_have_every_table_in_every_form(results: Path, epicene: Epicene) -> None:
    shown = epicene("tables", "runs/reflexives", "--json").json
    part = results / "reflexives-epicene"
    found = json.loads((part / "results.json").read_text(encoding="utf-8"))
    jsonschema.validate(found, SCHEMA)
    ours = {name: found["tables"].pop(name) for name in ("headlines", "profile")}
    assert found == shown
    found["tables"].update(ours)
    for name in found["tables"]:
        assert f"{name}" in (part / "tables" / f"{name}.md").read_text(encoding="utf-8")
        assert "\\toprule" in (part / "tables" / f"{name}.tex").read_text(encoding="utf-8")
        with (part / "tables" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            assert list(csv.DictReader(file))
    files = sorted(path.name for path in (part / "tables").iterdir())
    assert len(files) == 3 * len(found["tables"])


def test_results_have_figures_that_are_pictures(results: Path) -> None:
    folder = results / "reflexives-epicene" / "figures"
    assert (folder / "accuracy.svg").read_text(encoding="utf-8").startswith("<svg ")
    assert (folder / "accuracy.png").read_bytes().startswith(b"\x89PNG\r\n")


def test_the_results_card_says_how_and_on_what(results: Path) -> None:
    text = (results / "README.md").read_text(encoding="utf-8")
    for said in (
        "## Reflexives, protocol epicene",
        "A beginning token stands before every sentence.",
        '| first_token | `"bos"` |',
        "Normalisers: none",
        "| undetected (%) |",
        "95 % intervals",
        "## Citation",
        "pairs.jsonl`, sha256 `",
        "24 items (all), seed 0, state complete",
    ):
        assert said in text, said
    linked = [part.split(">)")[0] for part in text.split("](<")[1:]]
    assert linked
    assert all((results / path).is_file() for path in linked)


def test_results_for_every_eval_ever(epicene: Epicene) -> None:
    assert epicene(*REFLEXIVES).code == 0
    done = epicene(
        "export", "results", "runs/reflexives", "--to", "eee", "-o", "out",
        "--organization", "Us", "--relationship", "third_party",
    )  # fmt: skip
    assert done.code == 0
    (file,) = Path("out/data/reflexives").rglob("*.json")
    source = json.loads(file.read_text(encoding="utf-8"))["source_metadata"]
    assert source["source_organization_name"] == "Us"
    assert source["evaluator_relationship"] == "third_party"


def test_results_want_a_new_folder_and_a_run(epicene: Epicene) -> None:
    Path("full").mkdir()
    Path("full/file").touch()
    assert epicene(*REFLEXIVES).code == 0
    done = epicene("export", "results", "runs/reflexives", "-o", "full")
    assert done.code == 2
    assert "full is not empty" in done.err
    done = epicene("export", "results", "full", "-o", "out")
    assert done.code == 2
    assert "is not a run folder" in done.err
    assert not Path("out").exists()


def test_data_for_datasets(epicene: Epicene) -> None:
    done = epicene("export", "data", "genform", "--to", "hf", "-o", "set", "-l", "fr", "--limit=7")
    assert done.code == 0
    assert "7 items are in set" in done.err
    assert "Warning" not in done.err
    assert read_front_matter(Path("set"))["language"] == ["fr"]


def test_data_of_others_is_warned_of(epicene: Epicene) -> None:
    Path("pairs.jsonl").write_text('{"good": "a b", "bad": "a c"}\n', encoding="utf-8")
    for to in ("hf", "lm-eval"):
        asked = ("export", "data", "alternations", "--to", to, "--data", "pairs.jsonl")
        done = epicene(*asked, "-o", to)
        assert done.code == 0
        assert "Warning: These items come from files that are not Epicene's" in done.err
        assert "Warning" not in epicene(*asked, "-o", f"{to}-mine", "--licence", "CC0-1.0").err
        assert "CC0-1.0" in (Path(f"{to}-mine") / "README.md").read_text(encoding="utf-8")


def test_data_for_the_harness(epicene: Epicene) -> None:
    done = epicene("export", "data", "alternations", "--to", "lm-eval", "-o", "tasks", "--limit=2")
    assert done.code == 0
    assert "epicene_alternations_acceptability_fr: 2 documents" in done.err
    assert (Path("tasks") / "judging.py").is_file()


def test_images_are_no_task_of_the_harness(epicene: Epicene) -> None:
    done = epicene("export", "data", "gramvis", "--to", "lm-eval", "-o", "tasks")
    assert done.code == 2
    assert "the tool has no tasks that draw images" in done.err
    assert not Path("tasks").exists()


def test_mistakes_are_one_sentence(epicene: Epicene) -> None:
    done = epicene("export", "data", "genfrom", "--to", "hf", "-o", "set")
    assert done.code == 2
    assert "did you mean 'genform'?" in done.err
    for options in (("-o", "set"), ("--to", "csv", "-o", "set"), ("--to", "hf")):
        assert epicene("export", "data", "genform", *options).code == 2
