"""Which verbs a run really asks for, and which option runs what a model can do."""

from __future__ import annotations

from pathlib import Path

import pytest

from epicene.models import parse_spec
from epicene.runs.capabilities import asked_verbs, part_names, runnable_parts
from epicene.runs.config import RunConfig
from epicene.runs.items import select_items
from epicene.suites import DataSource, choose_protocol, find_suite

PAIR = '{"good": "She sings.", "bad": "She sing."}\n'
GAP = (
    '{"good": "She sings now.", "bad": "She sing now.", "prefix": "She", "gold": "sings", '
    '"after": "now."}\n'
)


def config_of(
    suite: str, path: Path | None = None, models: str = "random", **settings: str
) -> RunConfig:
    found = find_suite(suite)
    protocol = choose_protocol(found, "epicene", settings, None)
    source = DataSource(path=path)
    specs = {role.name: [parse_spec(models)] for role in found.roles}
    return RunConfig(suite=found, protocol=protocol, models=specs, source=source, limit=3)


def lacking(config: RunConfig, *verbs: str) -> tuple[list[str], str]:
    """What a model with these verbs lacks, and the option that runs what it can do."""
    role = config.suite.roles[0].name
    suite = config.suite.for_protocol(config.protocol, config.models)
    items = list(select_items(config, suite.read(config.source, config.protocol)))
    asked = asked_verbs(suite, config.protocol, items)[role]
    return sorted(asked - set(verbs)), runnable_parts(config, items, role, verbs, config.suite)


def test_only_items_with_a_gap_need_fill(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(PAIR * 1)
    assert lacking(config_of("alternations", pairs), "score") == ([], "--set formats=acceptability")
    pairs.write_text(PAIR + GAP)
    missing, option = lacking(config_of("alternations", pairs), "score", "generate")
    assert (missing, option) == (["fill"], "--set formats=acceptability")


@pytest.mark.parametrize(
    ("suite", "verbs", "missing", "option"),
    [
        ("misgendering", {"generate"}, ["score"], "--set formats=generation"),
        ("misgendering", {"score", "fill"}, ["generate"], "--set formats=probability"),
        ("misgendering", {"look"}, ["generate", "score"], ""),
        # What the run does not ask for is offered only if the model can do nothing else.
        ("genform", {"score"}, ["generate"], "--set formats=probability"),
        ("gramvis", {"look"}, ["draw"], ""),
    ],
)
def test_the_option_that_runs_the_rest(
    suite: str, verbs: set[str], missing: list[str], option: str
) -> None:
    assert lacking(config_of(suite), *verbs) == (missing, option)


def test_one_format_needs_only_its_own_verb() -> None:
    for form, needed in (("generation", "generate"), ("probability", "score")):
        assert lacking(config_of("misgendering", formats=form), needed)[0] == []


def test_the_names_of_parts_come_from_the_settings() -> None:
    protocol = find_suite("apgc").protocols["epicene"]
    assert part_names(protocol, "tasks")[:2] == ("identification", "rewriting")
    assert part_names(protocol, "formats") == ()
