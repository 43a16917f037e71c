"""What makes runs differ besides the model is said with the value that each run has."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import msgspec

from epicene.results.summary import differing_run_settings, settings_diff_sentences
from epicene.runs.stored_run import StoredRun
from epicene.suites import find_suite
from runs.conftest import run_suite


def ran(out: Path, protocol: str = "epicene", limit: int | None = 2, **settings: str) -> StoredRun:
    return run_suite("reflexives", out, protocol=protocol, settings=settings, limit=limit)


def test_a_differing_setting_is_shown_with_every_run_s_value(tmp_path: Path) -> None:
    runs = [ran(tmp_path / "long"), ran(tmp_path / "short", new_tokens="4")]
    assert differing_run_settings(runs) == ["settings (new_tokens: long 8, short 4)"]
    assert list(settings_diff_sentences(runs)) == [
        "These runs differ in settings (new_tokens: long 8, short 4)."
    ]
    assert (
        list(settings_diff_sentences(runs[:1]))
        == list(settings_diff_sentences([runs[0], runs[0]]))
        == []
    )


def test_several_settings_and_what_else_was_asked(tmp_path: Path) -> None:
    runs = [
        ran(tmp_path / "a" / "run"),
        ran(tmp_path / "b" / "run", "paper", None, samples="3", seed="7"),
    ]
    assert differing_run_settings(runs) == [
        "limit (a/run 2, b/run none)",
        "protocol (a/run epicene, b/run paper)",
        "settings (seed: a/run 0, b/run 7; first_token: a/run bos, b/run tokenizer-default; "
        "samples: a/run 2, b/run 3)",
    ]


def test_of_many_runs_those_alike_are_counted(tmp_path: Path) -> None:
    runs = [ran(tmp_path / f"r{n}") for n in range(6)]
    other = ran(tmp_path / "other", new_tokens="4")
    (difference,) = differing_run_settings([*runs[:2], other])
    assert difference == "settings (new_tokens: r0 8, r1 8, other 4)"
    (difference,) = differing_run_settings([*runs, other])
    assert difference == "settings (new_tokens: 6 runs 8, other 4)"


def test_a_long_value_is_shown_by_its_hash(tmp_path: Path) -> None:
    done = ran(tmp_path / "run")
    chosen = find_suite("genform").protocols["epicene"]
    runs = [
        replace(
            done, protocol=msgspec.structs.replace(chosen, prompt=prompt), folder=tmp_path / name
        )
        for name, prompt in (("one", {"system": "wording " * 40}), ("two", {"system": "x"}))
    ]
    (difference,) = differing_run_settings([replace(each, name=each.folder.name) for each in runs])
    assert re.fullmatch(r"settings \(prompt: one #[0-9a-f]{8}, two system=x\)", difference)
