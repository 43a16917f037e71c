"""`epicene demo`: what could be measured is in the report, and what could not be is named there."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from app.conftest import Epicene
from epicene.app import demo
from epicene.app.demo import DemoSuite
from epicene.models import parse_spec
from epicene.runs.preflight import check_roles
from epicene.suites import choose_protocol, find_suite

WORKS = DemoSuite(
    suite="reflexives",
    models=({"model": "random"}, {"model": "random:2?label=other"}),
    limit=4,
    plug_in="epicene run reflexives -m hf:FOLDER",
)
NO_MODEL = DemoSuite(
    suite="apgc",
    models=({"model": "hf:nowhere/to/be/found"},),
    limit=1,
    plug_in="epicene run apgc -m model=hf:FOLDER",
    settings={"tasks": "rewriting"},
)


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets what the demo measures; nothing is fetched."""
    monkeypatch.setattr("epicene.models.embedded.fetch", lambda *_, **__: None)

    def choose(*chosen: DemoSuite) -> None:
        monkeypatch.setattr(demo, "DEMO_SUITES", chosen)

    return choose


def test_the_report_says_what_was_not_measured_and_what_to_plug_in(
    epicene: Epicene, parts: Any
) -> None:
    parts(WORKS, NO_MODEL)
    done = epicene("demo", "-o", "out")
    assert done.code == 1, done.err
    assert done.err.splitlines()[-1] == "The report is in out/report.html"
    assert "Not measured: APGC with hf:nowhere/to/be/found" in done.err
    text = Path("out/report.html").read_text(encoding="utf-8")
    assert "not measured: APGC with hf:nowhere/to/be/found" in text  # on the first screen
    missing = text[text.index(">What was run</h2>") :]
    assert "APGC with hf:nowhere/to/be/found" in missing
    assert "You can use any model of your own" in missing
    assert "epicene run apgc -m model=hf:FOLDER" in missing
    assert "Reflexives" in text


def test_what_was_planted_stands_beside_what_was_measured(epicene: Epicene, parts: Any) -> None:
    drawn = next(part for part in demo.DEMO_SUITES if part.suite == "gramvis")
    rewritten = next(part for part in demo.DEMO_SUITES if part.suite == "apgc")
    parts(replace(drawn, limit=20), replace(rewritten, models=rewritten.models[-1:]), WORKS)
    done = epicene("demo", "--json")
    assert done.code == 0, done.err
    found = done.json["planted"]
    assert found["APGC"]["planted 0.8"]["whole sentence rewritten right"]["planted"]["value"] == 0.8
    effects = found["GramVis"]["sketch 0.3"]
    # Two of three judges err together with 3 × 0.05² × 0.95 + 0.05³ = 0.00725.
    for headline in ("effect of grammar, masculine words", "effect of grammar, feminine words"):
        row = effects[headline]
        assert row["planted"]["value"] == pytest.approx(0.3 * (1 - 2 * 0.00725), abs=1e-4)
        assert row["in the interval"]["value"] in ("yes", "no")
    assert set(found) == {"APGC", "GramVis"}  # guesses plant nothing
    page = Path("demo/report.html").read_text(encoding="utf-8")
    assert ">Positive controls with a known true rate</h4>" in page.replace(' class="no-print"', "")
    shown = epicene("demo")
    assert "Planted and measured values" in shown.out


def test_nothing_measured_is_an_error_that_says_why(epicene: Epicene, parts: Any) -> None:
    parts(NO_MODEL)
    done = epicene("demo")
    assert done.code == 1
    assert "Nothing could be measured" in done.err
    assert "nowhere" in done.err


def test_json_has_every_suite_and_what_is_missing(epicene: Epicene, parts: Any) -> None:
    parts(WORKS, NO_MODEL)
    found = epicene("demo", "--json").json
    assert [each["suite"] for each in found["suites"]] == ["reflexives"]
    assert found["report"] == "demo/report.html"
    (missing,) = found["not measured"]
    assert missing["command"] == NO_MODEL.plug_in


def test_the_demo_has_every_suite_with_settings_that_fit() -> None:
    installed = {point.name for point in entry_points(group="epicene.suites")}
    assert {part.suite for part in demo.DEMO_SUITES} == installed
    for part in demo.DEMO_SUITES:
        suite = find_suite(part.suite)
        protocol = choose_protocol(suite, "epicene", part.settings, None)
        for models in part.models:
            specs = {role: list(map(parse_spec, spec.split(","))) for role, spec in models.items()}
            check_roles(suite.for_protocol(protocol, specs), specs)
