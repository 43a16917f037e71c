"""How the site is built: pages, links, navigation and the generated reference."""

from __future__ import annotations

import json
import zipfile
from inspect import signature
from pathlib import Path
from typing import Any

import griffe
import pytest

import epicene
from epicene.app.commands import COMMANDS
from website.checks import nav_problems, site_problems
from website.docstrings import ParameterLists, markdown_docstring
from website.llms import llms_text
from website.notebooks import notebook_markdown
from website.reference import cli_markdown, plan_markdown, schema_markdown
from website.staging import stage_pages

RENAMED = {"columns": "--column", "labels": "--label", "settings": "--set"}
ROOT = Path(__file__).parents[2]


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


# --- staging -----------------------------------------------------------------------------------


def staged(tmp_path: Path, page: str) -> str:
    """The page docs/guides/a.md as the site has it, in a small repository."""
    files = {
        "docs/guides/a.md": page,
        "docs/guides/b.md": "# B",
        "docs/lists/words.csv": "word",
        "docs/website/site.css": "",
        "deploy/nginx.conf": "server {}",
        "CONTRIBUTING.md": "# Contributing\n\n[a](docs/guides/a.md)",
        "README.md": "# Readme",
    }
    stage_pages(write(tmp_path / "repository", files), tmp_path / "staged")
    return (tmp_path / "staged/guides/a.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("link", "there"),
    [
        ("b.md#part", "b.md#part"),
        ("../../CONTRIBUTING.md", "../background/contributing.md"),
        ("../../README.md", "../index.md"),
        ("../../deploy/nginx.conf", "../files/deploy/nginx.conf"),
        ("../lists", "../lists.zip"),
        ("missing.md", "missing.md"),
        ("https://example.org/a.md", "https://example.org/a.md"),
    ],
)
def test_links_lead_to_where_the_site_has_their_targets(
    tmp_path: Path, link: str, there: str
) -> None:
    assert staged(tmp_path, f"# A\n\n[text]({link})") == f"# A\n\n[text]({there})"
    if not there.startswith("http") and "missing" not in there and "index" not in there:
        assert (tmp_path / "staged/guides" / there.partition("#")[0]).exists()


def test_pages_of_the_root_are_staged_with_their_links(tmp_path: Path) -> None:
    staged(tmp_path, "# A")
    page = (tmp_path / "staged/background/contributing.md").read_text("utf-8")
    assert "[a](../guides/a.md)" in page


def test_a_folder_is_linked_as_an_archive(tmp_path: Path) -> None:
    staged(tmp_path, "[words](../lists)")
    assert zipfile.ZipFile(tmp_path / "staged/lists.zip").namelist() == ["words.csv"]


def test_code_is_left_alone_and_arabic_gets_its_direction(tmp_path: Path) -> None:
    code = "```\n[x](../../CONTRIBUTING.md) أنا\n```\n`أنا [x](../../README.md)`\n"
    page = staged(tmp_path, f"{code}\nصباح الخير means good morning.")
    assert page.startswith(code)
    assert page.endswith('<span dir="rtl" lang="ar">صباح الخير</span> means good morning.')


def test_a_notebook_becomes_a_page_with_its_outputs(tmp_path: Path) -> None:
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "source": ["# Title"]},
        {
            "cell_type": "code",
            "source": ["1 + 1"],
            "outputs": [
                {"data": {"text/plain": ["2"]}},
                {"data": {"image/svg+xml": ["<svg/>"], "text/plain": ["<Figure>"]}},
                {"data": {"text/html": ["<b>3</b>"], "text/plain": ["3"]}},
            ],
        },
    ]
    notebook = tmp_path / "first.ipynb"
    notebook.write_text(json.dumps({"cells": cells}), "utf-8")
    page = notebook_markdown(notebook, tmp_path / "first")
    assert page.startswith("# Title\n\n[Download this notebook](first.ipynb)")
    assert "```python\n1 + 1\n```\n\n```text\n2\n```" in page
    assert "<b>3</b>" in page
    assert "![The output of this cell](first/1-1.svg)" in page
    assert (tmp_path / "first/1-1.svg").read_text() == "<svg/>"


# --- checks ------------------------------------------------------------------------------------


def test_the_navigation_must_have_every_page_once(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "", "b/c.md": "", "d.md": ""})
    nav = [{"A": "a.md"}, {"B": [{"C": "b/c.md"}, {"D": "d.md"}]}]
    assert nav_problems(nav, tmp_path) == []
    assert nav_problems(nav[:1], tmp_path) == [
        "b/c.md is not in the nav of zensical.toml.",
        "d.md is not in the nav of zensical.toml.",
    ]
    assert nav_problems([*nav, {"A": "a.md"}, {"E": "e.md"}], tmp_path) == [
        "e.md is in the nav and does not exist.",
        "a.md is twice in the nav.",
    ]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ('<a href="b.html#part">', ""),
        ('<a href="b.html#part?filter=x">', ""),
        ('<a href="#here"></a><p id="here">', ""),
        ('<a href="https://example.org/x">', ""),
        ('<img src="data:image/png;base64,AA">', ""),
        ('<a href="c.html">', "a.html links to c.html, which does not exist."),
        ('<a href="b.html#no">', "a.html links to b.html#no, an anchor that does not exist."),
        ('<a href="#no">', "a.html links to #no, an anchor that does not exist."),
        ('<img src="x.png">', "a.html links to x.png, which does not exist."),
        ('<script src="https://cdn.test/x.js">', "a.html loads https://cdn.test/x.js."),
        ('<link rel="stylesheet" href="//cdn.test/x.css">', "a.html loads //cdn.test/x.css."),
        ('<pre class="mermaid">', "a.html loads mermaid."),
    ],
)
def test_links_are_checked_and_nothing_is_loaded_from_elsewhere(
    tmp_path: Path, body: str, problem: str
) -> None:
    write(tmp_path, {"a.html": body, "b.html": '<h2 id="part">'})
    assert site_problems(tmp_path) == ([problem] if problem else [])


def test_fonts_of_style_sheets_are_checked(tmp_path: Path) -> None:
    write(tmp_path, {"x.css": "@font-face { src: url(https://fonts.test/a.woff2) }"})
    assert site_problems(tmp_path) == ["x.css loads from elsewhere."]


# --- generated pages ---------------------------------------------------------------------------


def test_the_reference_has_every_command_and_option() -> None:
    page = cli_markdown()
    for name, command in COMMANDS.items():
        section = page.split(f" epicene {name}\n")[1].split("\n#")[0]
        for option in command.output.split():
            assert f"`--{option.replace('_', '-')}" in section, (name, option)
    run = page.split(" epicene run\n")[1].split("\n#")[0]
    for name in signature(epicene.run).parameters.keys() - {"progress", "suite"}:
        assert RENAMED.get(name, f"--{name.replace('_', '-')}") in run


def test_the_reference_of_plans_has_every_key() -> None:
    plan = plan_markdown()
    for key in ("spec", "base_url", "max_response", "protocols", "why", "max_cost"):
        assert f"| `{key}` |" in plan
    assert "| `own` |" not in plan


@pytest.mark.parametrize("name", ["audit", "results"])
def test_the_table_of_a_schema_has_every_property(name: str) -> None:
    path = ROOT / f"docs/reference/{name}.schema.json"
    page = schema_markdown(path)

    def properties(value: Any) -> set[str]:
        if isinstance(value, list):
            return set().union(*map(properties, value))
        if not isinstance(value, dict):
            return set()
        own = set(value["properties"]) if isinstance(value.get("properties"), dict) else set()
        return own.union(*map(properties, value.values()))

    for each in properties(json.loads(path.read_text("utf-8"))):
        assert f"`{each}`" in page or f".{each}`" in page, each


def test_docstrings_list_their_parameters_and_show_examples_as_code() -> None:
    parameters = "model: a spec, or\n    a model.\nlimit: how many."
    assert markdown_docstring(f"Run it.\n\n>>> run()\n1\n\n{parameters}\n\nNote: this.") == (
        "Run it.\n\n```python\n>>> run()\n1\n```\n\n- **model**: a spec, or\n    a model.\n"
        "- **limit**: how many.\n\nNote: this."
    )


def test_llms_txt_has_the_first_sentence_of_every_page(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "index.md": "# E\n\nIt [measures](a.md) things. And more.",
            "a.md": "# A\n\n```\ncode\n```\n\n| table |\n\nWhat is *it*?\n",
        },
    )
    nav = [{"Home": "index.md"}, {"Guides": [{"A": "a.md"}]}]
    project = {"site_name": "E", "site_description": "About.", "nav": nav}
    assert llms_text(project, tmp_path).splitlines() == [
        "# E", "", "> About.", "", "- [Home](index.html): It measures things.", "",
        "## Guides", "", "- [A](a.html): What is *it*?",
    ]  # fmt: skip


def test_the_fields_of_a_record_become_a_table(tmp_path: Path) -> None:
    module = '''
class Limits(Record):
    """The limits."""

    most: int | None = None  # over all runs
    _own: int = 0

    @property
    def reached(self) -> bool:
        """Whether."""
'''
    write(tmp_path, {"limits.py": module})
    record = griffe.load(
        "limits", search_paths=[tmp_path], extensions=griffe.load_extensions(ParameterLists)
    )["Limits"]
    assert record.docstring.value.splitlines()[-2:] == [
        "|---|---|---|---|",
        "| `most` | `int \\| None` | `None` | over all runs |",
    ]
