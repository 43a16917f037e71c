"""`epicene suites SUITE`: all that one needs to know before a run; and help that stands alone."""

from __future__ import annotations

import ast
from pathlib import Path

from app.conftest import Epicene

SOURCE = Path(__file__).parents[2] / "src" / "epicene"


def test_one_suite_is_shown_with_settings_roles_and_layouts(epicene: Epicene) -> None:
    shown = " ".join(epicene("suites", "alternations").out.split())
    for part in (
        "measure: one of sum, per token, per word, per character; default: sum.",
        "first_token: one of bos, tokenizer-default, none; default: tokenizer-default (paper), bos",
        "formats: some of acceptability, cloze, prompt, separated by commas; default: accept",
        "model: scores sentences and fills gaps. Verbs: fill, generate, score.",
        "cloze: asks the model to fill",
        "good (required): The acceptable sentence",
        "phenomena, columns, measures",
        "Known issues of the published version",
    ):
        assert part in shown
    assert epicene("suites", "alternation").code == 2
    shown = " ".join(epicene("suites", "misgendering").out.split())
    assert "pronouns: names, separated by commas. Which pronoun sets to use. Default: all." in shown
    assert "pronoun_file: a text; default: none." in shown


def test_the_settings_are_in_json(epicene: Epicene) -> None:
    one = epicene("suites", "misgendering", "--json").json
    assert epicene("suites", "--json").json["misgendering"] == one
    assert one["settings"]["measure"]["allowed"] == [
        "sum",
        "per token",
        "per word",
        "per character",
    ]
    assert one["settings"]["measure"]["default"] == {"paper": "per token", "epicene": "sum"}
    assert one["settings"]["samples"]["type"] == "a whole number of at least 1"
    assert one["settings"]["mended"]["allowed"] == ["true", "false"]
    assert one["settings"]["pronouns"]["about"]
    assert one["roles"] == {"model": ["generate", "score"], "contractions": ["score"]}
    needs = ["ask", "contractions"]
    assert one["stages"][2] == {"name": "convert", "role": "model", "needs": needs}
    assert "template" in one["layouts"][0]["columns"]


def test_no_message_points_to_a_page_that_is_not_installed() -> None:
    """The pages in docs/ are not in the wheel."""
    found = []
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        documented = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)
            and node.body
            and isinstance(node.body[0], ast.Expr)
        }
        found += [
            f"{path.name}: {node.value}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and "docs/" in node.value
            and id(node) not in documented
        ]
    assert found == []


def test_help_says_how_models_are_named(epicene: Epicene) -> None:
    shown = epicene("models").out
    assert "hf:FOLDER_OR_ID" in shown
    assert "epicene suites SUITE" in " ".join(epicene("--help").out.split())
