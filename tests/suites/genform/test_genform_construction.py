"""From templates to a set of pairs, by scripted models and people, and killed on the way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from epicene.annotate.folder import read_folder
from epicene.cli import guarded
from epicene.cli.app import run_app
from epicene.construct import BuildOrder, WaitingForPeopleError, construct
from epicene.errors import InputError, RunError
from epicene.models import Spec, open_model, parse_spec
from epicene.suites import Source, find_suite
from epicene.suites.genform.pairs import Pair
from runs.conftest import Silent
from suites.genform import scripted_building as scripted
from suites.genform.scripted_building import french

SETTINGS = {"language": "fr", "sentences": "2"}
MODELS = {"writer": "scripted-writer", "translator": "scripted-translator"}


@pytest.fixture(autouse=True)
def _known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scripted.register()
    monkeypatch.setenv("SCRIPTED_LOG", str(tmp_path / "asked.log"))
    monkeypatch.chdir(tmp_path)
    Path("templates.toml").write_text(scripted.TEMPLATES, encoding="utf-8")


def command(folder: Path) -> list[str]:
    settings = {**SETTINGS, "templates": "templates.toml"}
    return [
        "data", "genform", "build", f"--out={folder}",
        *(f"--set={name}={value}" for name, value in settings.items()),
        *(f"--model={role}={spec}" for role, spec in MODELS.items()),
    ]  # fmt: skip


def asked() -> list[str]:
    log = Path("asked.log")
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def killed_while_hanging(folder: Path, at: str) -> None:
    """Run the command in a process of its own until the model hangs, then kill it."""
    before = asked().count("hangs")
    process = subprocess.Popen(
        [sys.executable, scripted.__file__, *command(folder)],
        env={**os.environ, "HANG_AT": at, "OMP_NUM_THREADS": "1"},
        stderr=subprocess.DEVNULL,
    )
    patience = time.monotonic() + 60
    while asked().count("hangs") == before:
        assert process.poll() is None, "it ended before the model hung"
        assert time.monotonic() < patience, "the model was not reached"
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL


def nobody(spec: Spec) -> Any:
    raise AssertionError(f"{spec} is opened again")


def build(folder: Path, executor: Any = nobody) -> list[str]:
    settings = {**SETTINGS, "templates": "templates.toml"}
    models = {role: [parse_spec(spec)] for role, spec in MODELS.items()}
    order = BuildOrder(find_suite("genform"), folder, settings, models)
    return list(construct(order, Silent(), executor))


def waits(folder: Path, step: str, answers: int, executor: Any = nobody) -> None:
    with pytest.raises(WaitingForPeopleError, match=rf"step {step} .* {answers} of {answers} "):
        build(folder, executor)


def people_answer(folder: Path, executor: Any = nobody) -> list[str]:
    """The whole way from the first study to the files."""
    waits(folder, "review", 22, executor)
    study = read_folder(folder / "05-review")
    scripted.answer(study, "ann", scripted.careful_reviewer)
    scripted.answer(study, "bob", scripted.hasty_reviewer)
    disputed = len(settled_sentences(folder))
    waits(folder, "settle-review", disputed)
    scripted.answer(read_folder(folder / "06-settle-review"), "cleo", scripted.third_reviewer)
    remaining = 2 * (11 - sum(row["english"].startswith("Yesterday I sang") for row in sifted(folder)))
    waits(folder, "forms", remaining)
    study = read_folder(folder / "08-forms")
    scripted.answer(study, "bob", scripted.careful_writer)
    scripted.answer(study, "dora", scripted.hasty_writer)
    with pytest.raises(WaitingForPeopleError, match="step settle-forms"):
        build(folder)
    scripted.answer(read_folder(folder / "09-settle-forms"), "ann", scripted.third_writer)
    return build(folder)


def rows(folder: Path, step: str) -> list[dict[str, Any]]:
    text = (folder / f"{step}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def sifted(folder: Path) -> list[dict[str, Any]]:
    return [row for row in rows(folder, "03-sift") if not row["dropped"]]


def settled_sentences(folder: Path) -> list[dict[str, Any]]:
    """Those on which the two reviewers disagree: bakers with a mistake, and who fell."""
    return [
        row
        for row in sifted(folder)
        if "I fell" in row["english"] or ("baker" in row["english"] and "printer" in row["english"])
    ]


def pairs(folder: Path) -> list[Pair]:
    suite = find_suite("genform")
    source = Source(path=folder / "pairs.jsonl")
    return list(suite.read(source, suite.protocols["epicene"]).items)


def test_killed_twice_it_makes_the_same_set(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "killed"
    killed_while_hanging(folder, "write 4")
    assert not (folder / "02-write.jsonl").exists()
    killed_while_hanging(folder, "translate 6")
    assert (folder / "02-write.jsonl").exists()
    assert not (folder / "04-translate.jsonl").exists()
    told = people_answer(folder, open_model)
    assert told[-1] == "9 items, 0 findings." or told[-1].endswith(" 0 findings.")

    # Six prompts and so many translations, each answered once; two were asked when it was killed.
    times = Counter(line for line in asked() if line != "hangs")
    assert sum(line.startswith("write ") for line in times) == 6
    assert sorted(times.values())[-3:] == [1, 2, 2]

    whole = tmp_path / "whole"
    people_answer(whole, open_model)
    for name in ("pairs.jsonl", "card.md", "09-settle-forms.jsonl"):
        assert (folder / name).read_bytes() == (whole / name).read_bytes()
    _loads_checks_and_is_scored(folder, capsys)


def _loads_checks_and_is_scored(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = pairs(folder)
    for pair in made:
        wanted = scripted.gold_of(pair.english)
        assert (pair.masculine, pair.feminine) == wanted
    capsys.readouterr()
    data = str(folder / "pairs.jsonl")
    assert guarded(lambda: run_app(["data", "genform", "check", "-d", data, "--json"])) == 0
    assert json.loads(capsys.readouterr().out) == {"items": len(made), "findings": []}
    lines = [
        {"id": pair.id, "target": target, "text": pair.form(target)}
        for pair in made
        for target in ("masculine", "feminine")
    ]
    # One masculine form where the feminine is wanted: of the marked sentences, one direction.
    spoilt = next(n for n, line in enumerate(lines) if not made[n // 2].is_neutral)
    lines[spoilt + 1]["text"] = lines[spoilt]["text"]
    Path("answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    scored = ["score", "genform", "-d", data, "-a", "answers.jsonl", "--json"]
    assert guarded(lambda: run_app(scored)) == 0
    metrics = json.loads(capsys.readouterr().out)["metrics"]
    marked = sum(not pair.is_neutral for pair in made)
    assert metrics["SGA"]["value"] == pytest.approx(1 - 1 / (2 * marked))
    assert metrics["SGA_masculine"]["value"] == 1
    assert metrics["left_alone"]["value"] == 1
