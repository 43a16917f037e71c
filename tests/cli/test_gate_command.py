"""`epicene gate`: exit codes, outputs, baselines of results, nights and wrong input."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest
import yaml

import epicene as api
from cli.conftest import Epicene
from run_folders import edit_manifest

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "reference" / "gate.schema.json").read_text("utf-8")
)
HEADLINE = "gendered terms right (SGA)"


@pytest.fixture
def runs(epicene: Epicene) -> Epicene:
    """Runs of genform: `rules` is good, `copy` bad, `again` is rules once more."""
    for name, model in (("rules", "rules"), ("copy", "copy"), ("again", "rules?label=again")):
        done = epicene("run", "genform", "-m", model, "-l", "fr", "--limit=20", f"--out={name}")
        assert done.code == 0, done.err
    return epicene


def test_exit_codes_and_outputs(runs: Epicene) -> None:
    failed = runs("gate", "copy", "-b", "rules", "-o", "g.md", "-o", "g.xml", "-o", "g.json")
    assert failed.code == 1
    assert failed.out.startswith(f"FAIL: copy against rules on genform: “{HEADLINE}”: it is worse")
    assert Path("g.md").read_text("utf-8").startswith("**FAIL: copy against rules on genform")
    document = json.loads(Path("g.json").read_bytes())
    jsonschema.validate(document, SCHEMA)
    assert document["headlines"][HEADLINE]["outcome"] == "fail"
    (suite,) = ET.parse("g.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    (problem,) = suite.findall("testcase/failure")
    assert problem.get("message") == "it is worse by more than 5 points"

    passed = runs("gate", "rules", "-b", "copy", "--json")
    assert passed.code == 0
    jsonschema.validate(passed.json, SCHEMA)
    assert passed.json["outcome"] == "pass"

    # Where nothing differs, the number of groups alone decides: too few for half a point.
    Path("strict.toml").write_text("margin = 0.005")
    open_ = runs("gate", "again", "-b", "rules", "--policy", "strict.toml", "-o", "u.xml")
    assert open_.code == 3
    assert open_.out.startswith("UNDECIDED")
    assert "groups of items (there are" in open_.err
    (suite,) = ET.parse("u.xml").getroot()
    assert suite.get("errors") == "1"
    told = runs("gate", "again", "-b", "rules", "--policy", "strict.toml", "--markdown")
    assert told.code == 3
    assert "| undecided |" in told.out


def test_a_file_of_results_is_a_baseline_of_independent_answers(runs: Epicene) -> None:
    runs("export", "results", "rules", "-o", "exported")
    (file,) = Path("exported").rglob("results.json")
    failed = runs("gate", "copy", "-b", file, "--json")
    assert failed.code == 1
    jsonschema.validate(failed.json, SCHEMA)
    verdict = failed.json["headlines"][HEADLINE]
    assert (verdict["paired"], verdict["groups"]) == (False, None)
    assert "compare item by item, which gives narrower intervals" in failed.json["notes"][0]
    paired = runs("gate", "copy", "-b", "rules", "--json").json["headlines"][HEADLINE]
    assert verdict["baseline"] == paired["baseline"]

    Path("tables.json").write_text(runs("tables", "rules", "--json").out)
    without = runs("gate", "copy", "-b", "tables.json")
    assert without.code == 2
    assert "`epicene export results RUN` writes a file with all headlines" in without.err
    Path("two.json").write_text(runs("tables", "rules", "copy", "--json").out)
    assert "contains the results of 2 runs" in runs("gate", "copy", "-b", "two.json").err
    Path("policy.toml").write_text(f'[headlines."{HEADLINE}"]\ngate = false\n[headlines.SGA]\n')
    by_metric = runs("gate", "copy", "-b", "tables.json", "--policy", "policy.toml", "--json")
    assert (by_metric.code, list(by_metric.json["headlines"])) == (1, ["SGA"])


def test_a_smaller_run_does_not_pass_against_a_file_of_results(runs: Epicene) -> None:
    """Which judgements the file has is not known, but how many."""
    runs("export", "results", "rules", "-o", "exported")
    (file,) = Path("exported").rglob("results.json")
    runs("run", "genform", "-m", "rules?label=few", "-l", "fr", "--limit=5", "--out=few")
    Path("policy.toml").write_text("margin = 0.9\n")
    few = runs("gate", "few", "-b", file, "--policy", "policy.toml")
    assert few.code == 3
    assert "the new run has only 20.0% as many judgements as the baseline" in few.out
    assert runs("gate", "again", "-b", file, "--policy", "policy.toml").code == 0
    runs("export", "results", "few", "-o", "small")
    (small,) = Path("small").rglob("results.json")
    more = runs("gate", "again", "-b", small, "--json").json
    assert f"more judgements than the baseline for “{HEADLINE}”" in " ".join(more["notes"])
    document = json.loads(small.read_bytes())
    small.write_text(json.dumps({**document, "data": "other.csv"}))
    other = runs("gate", "again", "-b", small, "--json").json
    assert "used the data 'other.csv'" in " ".join(other["notes"])


def test_an_interval_over_few_groups_is_marked(runs: Epicene) -> None:
    for name in ("one", "two"):
        run = ("run", "genform", "-m", f"rules?label={name}", "-l", "fr", "--limit=8")
        assert runs(*run, f"--out={name}").code == 0
    written = runs("gate", "one", "-b", "two", "--json", "-o", "g.xml", "-o", "g.md")
    jsonschema.validate(written.json, SCHEMA)
    headline = written.json["headlines"][HEADLINE]
    assert headline["change"]["groups"] == headline["groups"] < 20
    assert "0.0 [-" in Path("g.md").read_text("utf-8")
    assert "]‡ |" in Path("g.md").read_text("utf-8")
    assert f"on only {headline['groups']}.0 effective groups" in Path("g.xml").read_text("utf-8")


@pytest.mark.parametrize(
    ("margin", "told"),
    [
        ("5", "margins are shares, so write 0.05 for 5 points"),
        ("1.0", "no loss can exceed"),
        ("-0.05", "policy.toml, margin: Expected `float` > 0"),
        ("inf", "policy.toml, margin: Expected `float` <="),
        ("nan", "policy.toml, margin: Expected"),
    ],
)
def test_margins_that_decide_nothing_are_refused(runs: Epicene, margin: str, told: str) -> None:
    Path("policy.toml").write_text(f"margin = {margin}\n")
    done = runs("gate", "copy", "-b", "rules", "--policy", "policy.toml")
    assert (done.code, done.out) == (2, "")
    assert told in done.err


def test_a_damaged_run_is_wrong_input_and_no_failure_of_the_model(runs: Epicene) -> None:
    shutil.copytree("copy", "damaged")
    with Path("damaged", "answers.sqlite").open("r+b") as file:
        file.truncate(20_000)
    done = runs("gate", "damaged", "-b", "rules")
    assert (done.code, done.out) == (2, "")
    assert "damaged" in done.err
    Path("cut.json").write_text('{"suite": "genform", "runs": [{"model"')
    done = runs("gate", "copy", "-b", "cut.json")
    assert (done.code, done.out) == (2, "")
    assert "cut.json is not JSON" in done.err


def test_limits(runs: Epicene) -> None:
    Path("policy.toml").write_text("max_undetected = 0.0\n")
    checked = runs("gate", "again", "-b", "rules", "--policy", "policy.toml", "--json").json
    assert checked["checks"]["undetected"]["outcome"] == "pass"
    assert checked["checks"]["coverage"] == {
        "outcome": "pass",
        "value": 1.0,
        "limit": 0.95,
        "why": "",
    }
    runs("run", "genform", "-m", "rules?label=few", "-l", "fr", "--limit=5", "--out=few")
    few = runs("gate", "few", "-b", "rules")
    assert few.code == 3
    assert "of the baseline's judgements are in the new run" in few.out


def test_better_may_be_lower(runs: Epicene) -> None:
    Path("policy.toml").write_text(f'[headlines."{HEADLINE}"]\nbetter = "lower"\n')
    assert runs("gate", "copy", "-b", "rules", "--policy", "policy.toml").code == 0
    assert runs("gate", "rules", "-b", "copy", "--policy", "policy.toml").code == 1


def test_nights_are_counted(runs: Epicene) -> None:
    first = runs("gate", "again", "-b", "rules", "--nights", "n.json", "--json").json
    assert first["night"] == {"number": 1, "nights": 100, "alpha": 0.0005}
    jsonschema.validate(first, SCHEMA)
    second = runs("gate", "copy", "-b", "rules", "--nights", "n.json")
    assert second.code == 1
    assert "Night 2 of 100" in second.out
    assert "Night 1 of 100" in runs("gate", "again", "-b", "rules", "--nights", "n.json").out
    assert len(json.loads(Path("n.json").read_bytes())["done"]) == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("rules", "-b", "missing"), "missing is not a run folder"),
        (("rules", "-b", "missing.json"), "There is no file missing.json."),
        (
            ("rules", "-b", "copy", "-o", "x.txt"),
            "A gate can be written as .md, .xml (JUnit) or .json",
        ),
        (("rules", "-b", "copy", "--json", "--markdown"), "Choose one of --json and --markdown."),
        (("rules", "-b", "copy", "--policy", "no.toml"), "no.toml"),
        (("rules",), "Missing option '--baseline'"),
    ],
)
def test_wrong_input(runs: Epicene, arguments: tuple[str, ...], told: str) -> None:
    done = runs("gate", *arguments)
    assert done.code == 2
    assert told in done.err


def test_unlike_runs_and_unknown_headlines_are_refused(runs: Epicene) -> None:
    Path("policy.toml").write_text("[headlines.SGAA]\n")
    done = runs("gate", "rules", "-b", "copy", "--policy", "policy.toml")
    assert done.code == 2
    assert "There is no headline or metric 'SGAA'; known: CGA" in done.err
    assert HEADLINE in done.err
    runs("run", "alternations", "-m", "random", "--limit=2", "--out=other")
    assert "only runs of the same suite" in runs("gate", "rules", "-b", "other").err
    edit_manifest(Path("copy"), lambda fields: fields["settings"]["protocol"].update(new_tokens=7))
    done = runs("gate", "copy", "-b", "rules")
    assert done.code == 2
    assert "new_tokens" in done.err
    assert "under the same method" in done.err


def test_runs_on_different_items_are_refused(runs: Epicene) -> None:
    done = runs("run", "genform", "-m", "copy", "-l", "hi", "--limit=5", "--out=hindi")
    assert done.code == 0, done.err
    done = runs("gate", "hindi", "-b", "rules")
    assert done.code == 2
    assert "share no judgements, so there is nothing to compare" in done.err
    assert "languages (rules fr, hindi hi)" in done.err


@pytest.mark.parametrize(("new", "code"), [("copy", 1), ("again", 0)])
def test_the_documented_job_lets_undecided_through_and_failures_not(
    runs: Epicene, new: str, code: int
) -> None:
    """The steps of docs/guides/gate.md, run by a shell as GitHub does (bash -e)."""
    page = (Path(__file__).parents[2] / "docs" / "guides" / "gate.md").read_text("utf-8")
    job = yaml.safe_load(page.partition("```yaml\n")[2].partition("```")[0])["jobs"]["gate"]
    (step,) = [each for each in job["steps"] if each.get("name") == "Gate"]
    shutil.copytree(new, "runs/new")
    shutil.copytree("rules", "baseline")
    Path("gate.toml").write_text("margin = 0.005\n")  # too few groups: equal models are undecided
    places = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-c", step["run"]],
        env={**os.environ, "PATH": places, "GITHUB_STEP_SUMMARY": "summary.md"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert ("::warning::The gate is undecided." in done.stdout) == (code == 0)
    assert Path("summary.md").read_bytes() == Path("gate.md").read_bytes()
    assert {"gate.xml", "gate.json"} <= {path.name for path in Path().iterdir()}


def test_from_python(runs: Epicene, tmp_path: Path) -> None:
    found = api.gate("copy", "rules", policy={"margin": 0.1})
    assert (found.outcome, found.passed) == ("fail", False)
    assert found.headlines[HEADLINE].outcome == "fail"
    assert found.table("gate")["outcome"].to_list() == ["fail"]
    assert found.metrics()["metric"].to_list() == [HEADLINE]
    assert found.write(tmp_path / "gate.md").read_text("utf-8").startswith("**FAIL")
    assert repr(found).startswith("<Gate FAIL: copy against rules")
    with pytest.raises(api.InputError, match=r"The policy: there is no key 'margi'"):
        api.gate("copy", "rules", policy={"margi": 1})
