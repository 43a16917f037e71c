"""The pages that say which command produces which table are complete; their commands exist."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest
from cyclopts import CycloptsError

import epicene
from called_commands import Parsed
from called_commands import parse as parse_words
from epicene.runs.sweep_plan import paper_plan, parse_plan

PAGES = Path(__file__).parents[2] / "docs/papers"
# How many tables and figures each paper has
PAPERS = {
    "alternations": (5, 1),
    "apgc": (8, 0),
    "genform": (10, 9),
    "gramvis": (19, 11),
    "misgendering": (14, 17),
}
PLANS = {"alternations": 8, "genform": 15, "gramvis": 3, "misgendering": 6}


def page(name: str) -> str:
    return (PAGES / f"{name}.md").read_text("utf-8")


def commands(text: str) -> list[str]:
    """Every command of a page, in blocks and in cells of tables."""
    blocks = re.findall(r"^```\n(.*?)^```", text, re.M | re.S)
    lines = [line for block in blocks for line in block.splitlines()]
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    found = [*lines, *re.findall(r"`(epicene [^`]+)`", prose)]
    return [line for line in found if line.startswith("epicene ")]


def parse(command: str) -> Parsed:
    """The name of a command and its options, as the real parser reads them."""
    words = shlex.split(command, comments=True)
    return parse_words(words[1 : words.index(">")] if ">" in words else words[1:])


def test_every_paper_has_a_page() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == {*PAPERS, "index"}


@pytest.mark.parametrize("name", PAPERS)
def test_a_page_has_every_table_and_figure_of_its_paper_once(name: str) -> None:
    for kind, count in zip(("Table", "Figure"), PAPERS[name], strict=True):
        numbers = re.findall(rf"^\| {kind} (\d+) \|", page(name), re.M)
        assert [int(number) for number in numbers] == list(range(1, count + 1))


@pytest.mark.parametrize("name", PAPERS)
def test_a_row_has_a_command_or_says_why_there_is_none(name: str) -> None:
    for row in re.findall(r"^\| (?:Table|Figure) \d+ \|.*$", page(name), re.M):
        _, _, command, differs = (cell.strip() for cell in row.strip("|").split(" | "))
        assert command.startswith("`epicene ") or (command == "none" and len(differs) > 10), row


@pytest.mark.parametrize("name", [*PAPERS, "index"])
def test_the_commands_of_a_page_exist(name: str) -> None:
    found = commands(page(name))
    assert len(found) >= 6
    for command in found:
        parse(command)


@pytest.mark.parametrize("name", PAPERS)
def test_the_tables_settings_and_studies_of_the_commands_exist(name: str) -> None:
    about = epicene.suites(name)
    for command in commands(page(name)):
        path, options = parse(command)
        known = set(about["tables"])
        if path == "annotate tables":
            known = {name for study in about["studies"].values() for name in study["tables"]}
        if path in ("tables", "annotate tables"):
            assert set(options.get("table", ())) <= known, command
        assert set(options.get("settings", ())) <= set(about["settings"]), command
        if path == "annotate sample" and "study" in options:
            assert options["study"] in about["studies"], command
        if "protocol" in options and not path.startswith("annotate"):
            assert options["protocol"] in about["protocols"], command


def test_a_command_that_does_not_exist_is_found() -> None:
    for wrong in ("epicene tables RUN --tabel 3", "epicene tabels RUN", "epicene sweep --paper"):
        with pytest.raises((KeyError, CycloptsError)):
            parse(wrong)


@pytest.mark.parametrize("name", PLANS)
def test_the_plan_of_a_paper_names_its_models(name: str) -> None:
    plan = parse_plan(tomllib.loads(paper_plan(name)), Path(f"{name}.toml"))
    named = [model.parsed() for model in plan.models if model.label]
    assert len(named) == PLANS[name]
    assert {suite.name for suite in plan.suites} == {name}
    for model in named:
        assert model.kind in ("hf", "ideogram", "openai", "replicate")
        assert model.kind != "hf" or model.name.count("/") == 1
    assert f"suites/{name}/paper_sweep.toml" in page(name)


def test_the_plan_of_gramvis_has_three_judges() -> None:
    (suite,) = parse_plan(tomllib.loads(paper_plan("gramvis")), Path("gramvis.toml")).suites
    assert len(suite.roles["judges"]) == 3
