"""Runs of which nothing came are in the report, by what they lack."""

from __future__ import annotations

from pathlib import Path

import pytest

from epicene.core import registry
from epicene.core.records import Failed, Identity
from epicene.models import Model, ModelOptions, parse_spec
from epicene.models.simple_model import SimpleModel
from epicene.runs.config import RunConfig
from epicene.runs.run import run
from epicene.runs.stored_run import read_run
from epicene.show.run_report import write_report
from epicene.suites import choose_protocol, find_suite
from runs.conftest import Silent

VERBS = ("score", "fill", "generate", "translate", "draw", "look")


def open_mute(name: str, _options: ModelOptions) -> Model:
    identity = Identity(kind="mute", label=f"mute-{name}", key={"name": name})
    return SimpleModel(
        identity, dict.fromkeys(VERBS, lambda _request: Failed(reason="the line is cut"))
    )


@pytest.mark.parametrize("name", sorted(registry.names("suites")))
def test_nothing_was_answered(name: str, tmp_path: Path) -> None:
    registry.add("models", "mute", open_mute)
    suite = find_suite(name)
    protocol = choose_protocol(suite, "epicene", {}, None)
    roles = suite.for_protocol(protocol, [role.name for role in suite.roles]).roles
    runs = []
    for label in "ab":
        order = RunConfig(
            suite=suite,
            protocol=protocol,
            models={role.name: [parse_spec(f"mute:{label}")] for role in roles},
            limit=2,
            under=tmp_path,
        )
        folder, manifest = run(order, Silent())
        assert manifest.state == "incomplete"
        runs.append(read_run(folder))
    for shown in (runs[:1], runs):
        write_report(shown, tmp_path / "report.html")
        text = (tmp_path / "report.html").read_text(encoding="utf-8")
        for each in shown:
            told = f"{each.info.model} is incomplete: 0 of {each.manifest.items} items are judged"
            assert told in text
