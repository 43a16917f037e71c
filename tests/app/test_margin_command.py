"""`epicene compare --margin`: exit codes, outputs, folders of runs and wrong input."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import epicene as api
from app.conftest import Epicene
from run_folders import edit_manifest

HEADLINE = "gendered terms right (SGA)"
GENFORM = "genform (epicene)"
JUDGES = "judges=random:1,random:2,random:3"


@pytest.fixture
def runs(epicene: Epicene) -> Epicene:
    """Runs of genform: `rules` is good, `copy` bad, `again` is rules once more."""
    for name, model in (("rules", "rules"), ("copy", "copy"), ("again", "rules?label=again")):
        done = epicene("run", "genform", "-m", model, "-l", "fr", "--limit=40", f"--out={name}")
        assert done.code == 0, done.err
    return epicene


def test_outcomes_and_exit_codes(runs: Epicene) -> None:
    failed = runs("compare", "rules", "copy", "--margin=0.02")
    assert failed.code == 1
    told = f"FAIL: copy against rules: worse by more than 2 points: “{HEADLINE}”."
    assert failed.out.startswith(told)
    passed = runs("compare", "copy", "rules", "--margin=0.02", "--json")
    assert passed.code == 0
    assert passed.json["outcome"] == "pass"
    row = passed.json["tables"]["margin"][GENFORM][HEADLINE]
    compared = runs("compare", "copy", "rules", "--json").json["tables"]["changes"][HEADLINE]
    assert row["change"] == compared["difference"]
    # Where nothing differs, the number of groups alone decides: too few for two points.
    undecided = runs("compare", "rules", "again", "--margin=0.02")
    assert undecided.code == 3
    assert undecided.out.startswith(
        f"UNDECIDED: again against rules: a loss of 2 points or more is not excluded: “{HEADLINE}”."
    )
    assert "groups of items (there are 31) would decide it in 80 % of cases" in undecided.err
    assert runs("compare", "rules", "again", "--margin=0.2").code == 0


def test_markdown_escapes_every_label(runs: Epicene) -> None:
    label = "rules?label=<b>[x](http://y)"
    runs("run", "genform", "-m", label, "-l", "fr", "--limit=40", "--out=odd")
    told = runs("compare", "odd", "again", "--margin=0.9", "--markdown").out
    escaped = r"again against \<b\>\[x\](http://y)"
    assert told.startswith(f"**PASS: {escaped}: no headline is worse by 90 points or more.**\n")
    assert f"**margin: {escaped}, with a margin of 90 points**" in told
    assert f"| {GENFORM} | {HEADLINE} | pass |" in told
    note = runs("compare", "odd", "again", "--margin=0.02", "--markdown").out.splitlines()[-1]
    assert note.startswith(f"- “{HEADLINE}” of {GENFORM}: if the true change is the one measured")
    same = runs("compare", "odd", "odd", "--margin=0.9", "--markdown").out
    assert same.startswith("**PASS: the new against the old: no headline")


def test_a_smaller_run_does_not_pass(runs: Epicene) -> None:
    runs("run", "genform", "-m", "rules?label=few", "-l", "fr", "--limit=20", "--out=few")
    few = runs("compare", "rules", "few", "--margin=0.9")
    assert few.code == 3
    assert "of the old run's judgements are in the new run (a pass needs 95 %)" in few.err
    assert runs("compare", "few", "rules", "--margin=0.9").code == 0


def test_folders_are_matched_by_suite(runs: Epicene) -> None:
    for side, source in (("old", "rules"), ("new", "copy")):
        shutil.copytree(source, f"{side}/terms")
        runs("run", "alternations", "-m", "random", "--limit=20", f"--out={side}/pairs")
    found = runs("compare", "old", "new", "--margin=0.2", "--json")
    assert found.code == 1
    rows = found.json["tables"]["margin"]
    assert list(rows) == ["alternations (epicene)", GENFORM]
    assert rows[GENFORM][HEADLINE]["outcome"]["value"] == "fail"
    assert f"“{HEADLINE}” of {GENFORM}" in found.json["sentence"]
    shutil.rmtree("new/pairs")
    lacking = runs("compare", "old", "new", "--margin=0.2")
    assert lacking.code == 2
    assert "old/pairs is a run of alternations under the protocol epicene, which the new runs" in (
        lacking.err
    )
    shutil.copytree("again", "old/again")
    assert "are both runs of genform" in runs("compare", "old", "new", "--margin=0.2").err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("rules", "copy", "--margin=5"), "must be between 0 and 1, not 5; write 0.05 for 5 %."),
        (("rules", "copy", "--margin=-1"), "--margin must be between 0 and 1, not -1."),
        (("rules", "missing", "--margin=0.1"), "missing is not a run folder"),
        (("rules", "hindi", "--margin=0.1"), "share no"),
        (("rules", "other", "--margin=0.1"), "only runs of the same suite can be compared"),
        (("rules", "damaged", "--margin=0.1"), "damaged"),
        (("copy", "set", "--margin=0.1"), "--margin compares models under the same method."),
        (("drawn", "drawn", "--margin=0.1"), "none of its values is better than another"),
        (("rules", "copy", "--margin=0.1", "--agreement"), "--margin cannot be combined with"),
        (("rules", "copy", "--margin=0.1", "--json", "--markdown"), "Choose one of --json"),
        (("rules", "copy", "--margin=0.1", "--json", "--items"), "--items lists what changed"),
    ],
)
def test_wrong_input_is_no_failure_of_the_model(
    runs: Epicene, arguments: tuple[str, ...], told: str
) -> None:
    if "hindi" in arguments:
        runs("run", "genform", "-m", "copy", "-l", "hi", "--limit=5", "--out=hindi")
    if "other" in arguments:
        runs("run", "alternations", "-m", "random", "--limit=2", "--out=other")
    if "drawn" in arguments:
        runs("run", "gramvis", "-m", "drawer=sketch", "-m", JUDGES, "--limit=1", "--out=drawn")
    if "damaged" in arguments:
        shutil.copytree("copy", "damaged")
        with Path("damaged", "answers.sqlite").open("r+b") as file:
            file.truncate(20_000)
    if "set" in arguments:
        shutil.copytree("copy", "set")
        edit_manifest(Path("set"), lambda each: each["settings"]["protocol"].update(new_tokens=7))
    done = runs("compare", *arguments)
    assert (done.code, done.out) == (2, "")
    assert told in done.err


def test_from_python(runs: Epicene) -> None:
    found = api.compare("rules", api.load("copy"), margin=0.1)
    assert found.outcome == "fail"
    assert found.table("margin")["outcome"].to_list() == ["fail"]
    assert found.metrics()["metric"].to_list() == [f"{GENFORM}/{HEADLINE}"]
