"""`epicene sweep`: estimate, refusal, all runs, one report, one exit code."""

from __future__ import annotations

import itertools
import json
import re
import sqlite3
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from app.conftest import Epicene
from epicene.core import registry
from epicene.report.sweep import format_duration
from epicene.suites import find_suite
from epicene.suites.alternations.published import PUBLISHED_MODELS
from epicene.suites.genform.published import published
from epicene.suites.misgendering.published import published_figures
from sweep_plans import plan

STARTER = """
[[models]]
spec = "random"
[[models]]
spec = "copy"
[[models]]
spec = "rules"

[[suites]]
name = "misgendering"
limit = 1
[suites.settings]
samples = 1

[[suites]]
name = "apgc"
limit = 2
[suites.settings]
tasks = ["rewriting"]

[[skip]]
model = "random"
suite = "apgc"
"""


def stored(folder: str) -> int:
    """How many answers a run holds."""
    with sqlite3.connect(f"{folder}/answers.sqlite") as db:
        (count,) = db.execute("SELECT count(*) FROM answers WHERE NOT failed").fetchone()
    return int(count)


def test_a_sweep_from_its_estimate_to_its_report(epicene: Epicene) -> None:
    Path("plan.toml").write_text(STARTER)
    estimate = epicene("sweep", "plan.toml", "--dry-run", "--json")
    assert estimate.code == 0, estimate.err
    assert not Path("plan").exists(), "nothing is written by a dry run"
    foreseen = {run["title"]: run for run in estimate.json["runs"]}
    assert {title: (run["state"], run["why"]) for title, run in foreseen.items()} == {
        "misgendering · epicene · random": ("open", ""),
        "apgc · epicene · random": ("skipped", "skipped by the plan"),
        "misgendering · epicene · copy": ("cannot", "needs score"),
        "apgc · epicene · copy": ("open", ""),
        "misgendering · epicene · rules": ("cannot", "needs score"),
        "apgc · epicene · rules": ("open", ""),
    }

    done = epicene("sweep", "plan.toml", "--json")
    assert done.code == 0, done.err
    assert "misgendering · epicene · copy: cannot: needs score" in done.err
    assert "Run 1 of 3: misgendering · epicene · random (" in done.err
    assert "3 runs left: at most" in done.err
    assert done.json == json.loads(Path("plan/sweep.json").read_bytes())
    for run in done.json["runs"]:
        if run["state"] == "complete":
            expected = foreseen[run["title"]]["estimate"]["requests"]
            assert run["answered"] == expected == stored(run["folder"]) > 0
    answered = sum(run["answered"] for run in done.json["runs"])
    assert estimate.json["all"]["requests"] == answered

    page = Path("plan/report.html").read_text(encoding="utf-8")
    assert done.json["report"] == "plan/report.html"
    assert "needs score" in page, "what is not measured stands in the report"


def test_the_same_command_again_has_nothing_to_do(epicene: Epicene) -> None:
    Path("plan.toml").write_text(plan())
    assert epicene("sweep", "plan.toml").code == 0
    again = epicene("sweep", "plan.toml")
    assert again.code == 0, again.err
    assert "0 runs left: 0 requests" in again.err
    assert "Run 1" not in again.err
    assert "The report is in plan/report.html" in again.err


@pytest.mark.parametrize("dry", [True, False])
def test_over_a_limit_nothing_is_asked(epicene: Epicene, dry: bool) -> None:
    Path("plan.toml").write_text(plan(limits="max_requests = 31"))
    done = epicene("sweep", "plan.toml", *["--dry-run"] * dry)
    assert done.code == 2
    assert "32 requests, but max_requests is 31" in done.err
    assert not Path("plan").exists()
    Path("plan.toml").write_text(plan(limits="max_requests = 32"))
    assert epicene("sweep", "plan.toml", *["--dry-run"] * dry).code == 0


def test_the_estimate_is_a_table_that_says_how_it_was_made(epicene: Epicene) -> None:
    Path("plan.toml").write_text(plan(limits="max_hours = 1"))
    done = epicene("sweep", "plan.toml", "--dry-run")
    assert done.code == 0, done.err
    assert "≤ 4 generate, 12 score" in done.out
    assert "≤ 8 generate, 24 score" in done.out
    assert "UTF-8 bytes / 4" in done.out
    assert "unknown" in done.out
    assert "There is no time estimate for 2 runs" in done.err


def test_a_failed_run_is_listed_and_the_report_written(epicene: Epicene) -> None:
    # Nobody has laid this file; the other model's runs are done all the same.
    two = plan("scripted:a", "ngram:lost.txt")
    Path("plan.toml").write_text(two + '[[suites]]\nname = "alternations"\nlimit = 10\n')
    done = epicene("sweep", "plan.toml", "--out", "here")
    assert done.code == 1
    assert "Incomplete: two-stage · epicene · ngram:lost.txt (failed). Cannot read" in done.err
    assert "Repeat the command to resume" in done.err
    states = [run["state"] for run in json.loads(Path("here/sweep.json").read_bytes())["runs"]]
    assert states == ["complete", "cannot", "failed", "failed"]
    assert "lost.txt" in Path("here/report.html").read_text(encoding="utf-8")


def test_where_nothing_is_answered_there_is_no_report(epicene: Epicene) -> None:
    Path("plan.toml").write_text(
        '[[models]]\nspec = "ngram:lost.txt"\n[[suites]]\nname = "genform"\nlimit = 1\n'
    )
    done = epicene("sweep", "plan.toml")
    assert done.code == 1
    assert "There are no answers yet, so no report was written." in done.err


def test_a_strict_plan_refuses_who_cannot(epicene: Epicene) -> None:
    Path("plan.toml").write_text("strict = true\n" + STARTER)
    done = epicene("sweep", "plan.toml")
    assert done.code == 2
    assert "misgendering · epicene · copy cannot be run" in done.err
    assert not Path("plan").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ('data = "none.jsonl"', "none.jsonl"),
        ('languages = ["fr"]', "no items in fr"),
    ],
)
def test_data_that_are_not_there_are_said_with_their_place_before_anything(
    epicene: Epicene, change: str, said: str
) -> None:
    Path("plan.toml").write_text(
        f'[[models]]\nspec = "random"\n[[suites]]\nname = "misgendering"\n{change}\n'
    )
    done = epicene("sweep", "plan.toml")
    assert done.code == 2
    assert f"plan.toml, line 5 ([[suites]] 1, {change.split()[0]}): " in done.err
    assert said in done.err
    assert not Path("plan").exists()


@pytest.mark.parametrize("dry", [True, False])
def test_an_option_that_is_none_keeps_all_runs_from_beginning(epicene: Epicene, dry: bool) -> None:
    far = '[[models]]\nspec = "openai:far"\nbase_url = "127.0.0.1:28000"\n'
    Path("plan.toml").write_text(plan() + far)
    done = epicene("sweep", "plan.toml", *["--dry-run"] * dry)
    assert done.code == 2
    assert "([[models]] 3, base_url): The server's address" in done.err
    assert "--base-url" not in done.err
    assert done.out == ""
    assert not Path("plan").exists()


@pytest.mark.parametrize("pace", [10.0, 0.0])
def test_a_trial_tells_how_long_the_rest_takes_if_it_took_long_enough(
    epicene: Epicene, monkeypatch: pytest.MonkeyPatch, pace: float
) -> None:
    """The clock goes on by so many seconds whenever it is looked at."""
    clock = itertools.count(0.0, pace)
    monkeypatch.setattr("epicene.runs.execute.monotonic", lambda: next(clock))
    # Two batches for each verb, of seven requests and of one.
    Path("plan.toml").write_text(plan(limit=60, reader="scripted:r", limits="max_hours = 1"))
    assert epicene("sweep", "plan.toml", "--limit=20").code == 0
    ahead = epicene("sweep", "plan.toml", "--dry-run", "--json")
    unknown = ahead.json["all"]["runs_of_unknown_time"]
    assert ahead.json["all"]["runs_left"] == 2
    assert (unknown, ahead.json["all"]["seconds"] is None) == ((0, False) if pace else (2, True))
    assert ("no time estimate" in ahead.err) == (not pace)


def test_the_example_can_be_printed_and_estimated(epicene: Epicene) -> None:
    printed = epicene("sweep", "example")
    assert printed.code == 0
    # The slow ones are left to who has time.
    text = printed.out.replace('[[models]]\nspec = "ngram"\n', "")
    Path("mine.toml").write_text(text)
    done = epicene("sweep", "mine.toml", "--dry-run", "--json")
    assert done.code == 0, done.err
    assert {run["state"] for run in done.json["runs"]} == {"open", "cannot", "skipped"}
    assert done.json["all"]["images"] == 3


PAPERS = sorted(
    name
    for name, point in registry.installed("suites").items()
    if files(point.module).joinpath("paper_sweep.toml").is_file()
)


@pytest.mark.parametrize("suite", PAPERS)
def test_the_plan_of_a_paper_is_one_that_can_be_estimated(epicene: Epicene, suite: str) -> None:
    printed = epicene("sweep", "example", "--paper", suite)
    assert printed.code == 0
    content = tomllib.loads(printed.out)
    assert {entry["name"] for entry in content["suites"]} == {suite}
    # Settings, protocols and languages are checked with a model that is always there.
    suites = printed.out[printed.out.index("[[suites]]") :]
    seeds = itertools.count(1)
    suites = re.sub(r'"(hf|replicate):[^"]+"', lambda _: f'"random:{next(seeds)}"', suites)
    if find_suite(suite).paper_material is not None:  # which nobody has here
        suites += '[suites.settings]\nwording = "epicene"\n'
    Path("mine.toml").write_text(f'[[models]]\nspec = "random"\n\n{suites}')
    done = epicene("sweep", "mine.toml", "--limit=1", "--dry-run", "--json")
    assert done.code == 0, done.err
    assert {run["state"] for run in done.json["runs"]} == {"open"}


def test_the_plan_of_genform_has_the_models_of_the_papers_tables(epicene: Epicene) -> None:
    content = tomllib.loads(epicene("sweep", "example", "--paper", "genform").out)
    labels = [model["label"] for model in content["models"] if "label" in model]
    assert labels == list(published().scores["hi"])
    assert len({model["spec"] for model in content["models"]}) == len(labels) + 3


def test_the_plan_of_misgendering_has_the_models_of_the_papers_tables(epicene: Epicene) -> None:
    content = tomllib.loads(epicene("sweep", "example", "--paper", "misgendering").out)
    labels = [model["label"] for model in content["models"]]
    assert labels == list(published_figures()["mcc"]["declared pre"])
    assert {"paper"} == {name for entry in content["suites"] for name in entry["protocols"]}


def test_the_plan_of_alternations_has_the_eight_models_of_the_paper(epicene: Epicene) -> None:
    content = tomllib.loads(epicene("sweep", "example", "--paper", "alternations").out)
    assert [model["label"] for model in content["models"]] == list(PUBLISHED_MODELS)
    assert len({model["spec"] for model in content["models"]}) == 8


def test_a_suite_without_a_plan_is_refused_by_name(epicene: Epicene) -> None:
    done = epicene("sweep", "example", "--paper", "genfrom")
    assert done.code == 2
    assert (
        "There is no plan of the paper of the suite 'genfrom'; did you mean 'genform'?" in done.err
    )


def test_without_a_plan_it_says_how_to_get_one(epicene: Epicene) -> None:
    done = epicene("sweep")
    assert done.code == 2
    assert "--plan is missing" in done.err


def test_another_sweep_in_the_same_folder_is_refused(epicene: Epicene) -> None:
    from filelock import FileLock

    Path("plan.toml").write_text(plan())
    Path("plan").mkdir()
    with FileLock("plan/.lock"):
        done = epicene("sweep", "plan.toml")
    assert done.code == 1
    assert "Another process is using plan" in done.err


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(None, "unknown"), (0, "0 s"), (59.6, "60 s"), (90, "1.5 min"), (5400, "1.5 h"),
     (2 * 86400, "2.0 d")],
)  # fmt: skip
def test_durations_are_read_at_a_glance(seconds: float | None, said: str) -> None:
    assert format_duration(seconds) == said


def test_a_damaged_run_is_repaired_when_the_sweep_is_repeated(epicene: Epicene) -> None:
    Path("plan.toml").write_text(plan())
    assert epicene("sweep", "plan.toml").code == 0
    folder = next(Path("plan/runs").iterdir())
    with sqlite3.connect(folder / "answers.sqlite") as db:
        db.execute("UPDATE answers SET key = x'00'")
    db.close()
    assert epicene("check", str(folder)).code == 1
    again = epicene("sweep", "plan.toml")
    assert again.code == 0, again.err
    assert "was damaged" in again.err
    assert epicene("check", str(folder)).code == 0
