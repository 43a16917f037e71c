"""The commands, from the outside."""

from __future__ import annotations

import csv
import io
import json
from importlib.metadata import EntryPoint
from pathlib import Path

import jsonschema
import pytest

from app.conftest import Epicene
from epicene.core import registry
from epicene.models import Model, ModelOptions, faces, kind_info, model_kind
from epicene.models import embedded as language

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "reference" / "results.schema.json").read_text(
        encoding="utf-8"
    )
)
TWO_STAGE = (
    "run", "two-stage", "--model=writer=scripted:w", "--model=reader=scripted:a,scripted:b",
)  # fmt: skip


def test_suites_are_listed(epicene: Epicene) -> None:
    assert "two-stage" in epicene("suites").out
    (shown,) = (
        row for row in epicene("suites", "--json").json["rows"] if row["suite"] == "two-stage"
    )
    assert shown["verbs"] == "writer: generate; reader: score"
    one = epicene("suites", "two-stage", "--json").json
    assert one["roles"] == {"writer": ["generate"], "reader": ["score"]}
    shown = " ".join(epicene("suites", "alternations").out.split())
    for part in (
        "measure: one of sum, per token, per word, per character; default: sum.",
        "model: scores sentences and fills gaps. Verbs: fill, generate, score.",
        "good (required): The acceptable sentence",
        "Known issues of the published version",
    ):
        assert part in shown


def test_models_are_listed(epicene: Epicene) -> None:
    rows = epicene("models", "--json").json["rows"]
    assert {"hf", "openai", "copy", "random", "ngram"} <= {row["kind"] for row in rows}
    assert {"smollm2", "gemma3-270m"} <= {row["kind"] for row in rows if row["embedded"]}
    assert "smollm2" in epicene("models").out


def test_a_run_prints_tables_and_where_it_is(epicene: Epicene) -> None:
    done = epicene(*TWO_STAGE)
    assert done.code == 0
    assert "undetected (%)" in done.out
    assert "Readers" not in done.out
    assert "Readers" in epicene("tables", next(Path("runs").iterdir())).out
    assert "The run is in runs/two-stage-epicene-scripted-w-" in done.err


def test_json_is_one_document_that_fits_the_schema(epicene: Epicene) -> None:
    done = epicene(*TWO_STAGE, "--json", "--items", "--out=one")
    jsonschema.validate(done.json, SCHEMA)
    assert len(done.json["items"]) == 60 * 3 * 2
    assert done.json["metrics"]["accuracy"]["n"] == 60 * 3 * 2
    assert set(done.json["tables"]) == {"1", "2"}
    again = epicene("tables", "one", "--json")
    jsonschema.validate(again.json, SCHEMA)
    assert again.json == {k: v for k, v in done.json.items() if k != "items"}


def test_the_schema_refuses_what_is_not_a_result() -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"suite": "x"}, SCHEMA)


def test_tables_of_two_runs_in_every_form(epicene: Epicene) -> None:
    epicene(*TWO_STAGE, "--out=one")
    epicene(*TWO_STAGE[:2], "--model=writer=scripted:v", TWO_STAGE[3], "--out=two")
    shown = epicene("tables", "one", "two", "--json").json
    jsonschema.validate(shown, SCHEMA)
    assert set(shown["tables"]["1"]) == {"scripted-w", "scripted-v"}
    assert "scripted-v/accuracy" in shown["metrics"]
    rows = list(csv.DictReader(io.StringIO(epicene("tables", "one", "two", "--csv").out)))
    assert {row["model"] for row in rows if row["table"] == "1"} == {"scripted-w", "scripted-v"}
    assert r"\toprule" in epicene("tables", "one", "--latex").out
    assert "| scripted-w |" in epicene("tables", "one", "--markdown").out
    assert epicene("tables", "one", "--csv", "--latex").code == 2
    # What qualifies the numbers goes with them, in each form.
    for form in ("--latex", "--markdown"):
        printed = epicene("tables", "one", "two", form).out
        assert printed.count("protocol epicene · normalisers: none") == 1 + len(shown["tables"])
        assert "items are judged in every run." in printed
    assert {row["run protocol"] for row in rows} == {"epicene"}
    assert {row["table"] for row in rows} == {"headlines", *shown["tables"]}


def test_runs_of_one_label_are_told_apart(epicene: Epicene) -> None:
    epicene(*TWO_STAGE, "--out=one")
    epicene(*TWO_STAGE, "--seed=5", "--out=two")
    shown = epicene("tables", "one", "two", "--json").json
    assert set(shown["tables"]["1"]) == {"scripted-w (one)", "scripted-w (two)"}


def test_compare(epicene: Epicene) -> None:
    epicene(*TWO_STAGE, "--out=one")
    epicene(*TWO_STAGE[:2], "--model=writer=scripted:v", TWO_STAGE[3], "--out=two")
    done = epicene("compare", "one", "two", "--json", "--items")
    jsonschema.validate(done.json, SCHEMA)
    difference = done.json["metrics"]["difference_all"]
    figures = [
        epicene("tables", run, "--json").json["metrics"]["accuracy"]["value"]
        for run in ("one", "two")
    ]
    assert difference["value"] == pytest.approx(figures[1] - figures[0])
    moved = done.json["items"]
    gained = sum(item["second"] == "right" for item in moved)
    lost = sum(item["first"] == "right" for item in moved)
    assert (gained - lost) / 360 == pytest.approx(difference["value"])
    same = epicene("compare", "one", "one", "--json").json
    assert same["metrics"]["difference_all"]["value"] == 0
    assert same["tables"]["difference"]["all"]["p"]["value"] == 1
    assert list(done.json["tables"]) == ["changes", "detectable", "difference", "undetected"]
    assert done.json["metrics"]["change_right"] == difference


def test_agreement_of_two_formats_of_one_run(epicene: Epicene) -> None:
    epicene("run", "reflexives", "-m", "random", "-o", "run")
    names = "--names=probability,generation 1"
    done = epicene("compare", "run", "run", "--agreement", names, "--json")
    jsonschema.validate(done.json, SCHEMA)
    key = "probability / generation 1"
    outcomes: dict[str, dict[str, str]] = {}
    for entry in epicene("tables", "run", "--json", "--items").json["items"]:
        outcomes.setdefault(entry["item"], {})[entry["name"]] = entry["outcome"]
    same = [each["probability"] == each["generation 1"] for each in outcomes.values()]
    assert done.json["metrics"][f"agreement_{key}"]["value"] == pytest.approx(sum(same) / len(same))
    whole = epicene("compare", "run", "run", "--agreement", "--json").json
    assert whole["metrics"]["mcc_probability"]["value"] == 1
    assert epicene("compare", "run", "run", "--agreement", "--names=probability").code == 2
    done = epicene("compare", "run", "run", "--agreement", "--names=probabilty,generation 1")
    assert "did you mean 'probability'?" in done.err


def test_score_judges_answers_made_elsewhere(epicene: Epicene, tmp_path: Path) -> None:
    given = tmp_path / "given.jsonl"
    lines = []
    for name, right, other in (("king", "himself", "herself"), ("queen", "herself", "himself")):
        scored = [
            {"logprobs": [value], "starts": [0], "ends": [1], "words": 1, "characters": 1}
            for value in (-1.0, -2.0)
        ]
        lines.append(
            {
                "id": name,
                "name": "probability",
                "answer": {"kind": "scores", "texts": scored, "method": "elsewhere"},
            }
        )
        lines.append({"id": name, "name": "generation", "texts": [f" {right}", f" {other}", ""]})
    given.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    done = epicene("score", "reflexives", "--answers", given, "--json", "--items")
    assert done.code == 0, done.err
    jsonschema.validate(done.json, SCHEMA)
    assert done.json["metrics"]["accuracy_probability"]["value"] == 1
    assert done.json["metrics"]["accuracy_generation"]["value"] == pytest.approx(1 / 3)
    assert done.json["undetected"]["value"] == pytest.approx(2 / 8)
    assert "22 items have no answer" in done.err


def test_several_suites_have_a_run_each(epicene: Epicene) -> None:
    done = epicene("run", "reflexives", "alternations", "-m", "random", "--limit", "2")
    assert done.code == 0, done.err
    assert {path.name.partition("-")[0] for path in Path("runs").iterdir()} == {
        "reflexives",
        "alternations",
    }
    assert done.out.index("Reflexives") < done.out.index("Alternations")


def test_a_dry_run_shows_every_suite_and_a_limit_of_cost_is_for_one(epicene: Epicene) -> None:
    suites = ("run", "alternations", "genform", "-m", "random", "--limit=1")
    shown = epicene(*suites, "--dry-run")
    assert shown.code == 0
    assert "alternations, protocol epicene" in shown.err
    assert "genform, protocol epicene" in shown.err
    refused = epicene(*suites, "--max-cost=1")
    assert refused.code == 2
    assert "--max-cost limits one suite" in refused.err


def test_data_show_check_stats(epicene: Epicene) -> None:
    assert (
        epicene("data", "show", "reflexives", "--limit=2", "--json").json["items"][0]["id"]
        == "king"
    )
    assert epicene("data", "check", "reflexives").code == 0
    shown = epicene("data", "stats", "reflexives", "--json").json
    assert shown["tables"]["items"]["en"]["items"]["value"] == 24
    assert epicene("data", "build", "reflexives", "--out=x").code == 2


def test_options_have_twins_in_the_environment(
    epicene: Epicene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPICENE_MODEL", "random")
    monkeypatch.setenv("EPICENE_LIMIT", "4")
    monkeypatch.setenv("EPICENE_OUT", "by-environment")
    done = epicene("run", "reflexives", "--json")
    assert done.code == 0, done.err
    assert done.json["runs"][0]["model"].startswith("random")
    assert done.json["metrics"]["accuracy_probability"]["n"] == 4
    assert Path("by-environment/manifest.json").exists()


def test_an_incomplete_run_exits_with_1(epicene: Epicene) -> None:
    done = epicene(*TWO_STAGE[:2], "--model=writer=scripted:w-failing", TWO_STAGE[3])
    assert done.code == 1
    assert "told to fail" in done.err
    assert "items are judged" in done.err


def test_kinds_of_other_packages_are_described(
    epicene: Epicene, monkeypatch: pytest.MonkeyPatch
) -> None:
    @model_kind(about="asks an oracle", usage="oracle:NAME")
    def opener(_name: str, _options: ModelOptions) -> Model:
        raise AssertionError("only listed")

    absent = EntryPoint("absent", "delphi:open", "epicene.models")
    installed = {**registry.installed("models"), "absent": absent}
    monkeypatch.setattr(registry, "installed", lambda _: installed)
    monkeypatch.setattr(registry, "_added", {("models", "oracle"): opener})
    monkeypatch.setenv("COLUMNS", "200")
    lines = (line for line in epicene("models").out.splitlines() if "│" in line)
    shown = {line.split("│")[1].strip(): line for line in lines}
    assert "oracle:NAME" in shown["oracle"]
    assert "asks an oracle" in shown["oracle"]
    assert "The model 'absent' needs a package" in shown["absent"]


def test_every_kind_says_what_it_is() -> None:
    ours = [name for name, each in registry.installed("models").items() if "epicene" in each.value]
    embedded = {each.name for each in (*language.status(), *faces.status())}
    assert len(ours) > len(embedded)
    assert all(kind_info(kind).about for kind in set(ours) - embedded)
