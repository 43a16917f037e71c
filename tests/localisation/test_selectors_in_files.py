"""Selectors in files: what a file cannot hold, and what it says about its people."""

from __future__ import annotations

from pathlib import Path

import pytest
from fluent.syntax import FluentParser, ast

import epicene
from epicene.api.selecting import SelectedFile

_LE = "{g, select, male {le} female {la} other {le}}"
_CLIENT = "{g, select, male {seul client} female {seule cliente} other {seul client}}"
_SPLIT = f"Tu es {_LE}\n{_CLIENT}."


def _select(path: Path, content: str, **people: str) -> tuple[SelectedFile, str]:
    """What is done with a French file, and what the new one has."""
    path.write_text(content, "utf-8")
    out = path.parent / "new" / path.name
    (done,) = epicene.make_selectors_in_files(path, "fr", out=out, **(people or {"listener": "g"}))
    return done, out.read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.yaml", "fr:\n  a: >-\n    ", "\n"),
        ("a.yaml", "fr:\n  a: |\n    ", "\n"),
        ("a.yaml", "fr:\n  a: ", "\n"),
        ("a.yaml", 'fr:\n  a: "', '"\n'),
        ("a.md", "", "\n"),
        ("a.srt", "1\n00:00:01,000 --> 00:00:02,000\n", "\n"),
    ],
)
def test_words_on_two_lines_have_a_selector_on_each(
    tmp_path: Path, name: str, before: str, after: str
) -> None:
    indent = "    " if name == "a.yaml" else ""
    content = "Tu es le\nseul client.".replace("\n", f"\n{indent}")
    done, text = _select(tmp_path / name, f"{before}{content}{after}")
    assert text == before + _SPLIT.replace("\n", f"\n{indent}") + after
    assert (done.strings, done.left_out) == (1, ())


def test_words_in_two_cues_have_a_selector_in_each(tmp_path: Path) -> None:
    content = "1\n00:00:01,000 --> 00:00:02,000\n{}\n\n2\n00:00:03,000 --> 00:00:04,000\n{}\n"
    _, text = _select(tmp_path / "a.srt", content.format("Tu es le", "seul client."))
    assert text == content.format(f"Tu es {_LE}", f"{_CLIENT}.")


def test_fluent_words_on_two_lines_have_a_selector_on_each(tmp_path: Path) -> None:
    _, text = _select(tmp_path / "a.ftl", "a = Tu es le\n    seul client.\n")
    assert not [each for each in FluentParser().parse(text).body if isinstance(each, ast.Junk)]
    assert (text.count("[female] la"), text.count("[female] seule cliente")) == (1, 1)


def test_strings_that_an_inline_code_cuts_are_left_out(tmp_path: Path) -> None:
    units = ['Tu es pr<g id="1">êt</g>.', 'Tu es le nouve<x id="9"/>au client.', "Tu es prêt."]
    content = (
        '<xliff version="1.2"><file source-language="en" target-language="fr"><body>\n'
        + "\n".join(
            f'<trans-unit id="{at}"><source>a</source><target>{unit}</target></trans-unit>'
            for at, unit in enumerate(units)
        )
        + "\n</body></file></xliff>\n"
    )
    done, text = _select(tmp_path / "a.xlf", content)
    assert (done.strings, [each.line for each in done.left_out]) == (1, [2, 3])
    assert units[0] in text
    assert units[1] in text
    assert "female {prête}" in text


def test_a_word_that_shows_two_people_leaves_its_string_out(tmp_path: Path) -> None:
    content = '{"a": "Tu es p<b>rêt</b>, et je suis prêt.", "b": "Tu es prêt."}'
    done, text = _select(tmp_path / "a.json", content, listener="g", speaker="h")
    assert (done.strings, [each.key for each in done.left_out]) == (1, ["a"])
    assert '"a": "Tu es p<b>rêt</b>, et je suis prêt."' in text


def test_a_text_that_could_not_be_read_back_is_left_out(tmp_path: Path) -> None:
    """YAML without quotes cannot begin with a brace."""
    source, out = tmp_path / "en.yaml", tmp_path / "new.yaml"
    source.write_text("en:\n  a: She left.\n  b: And she left.\n", "utf-8")
    (done,) = epicene.make_selectors_in_files(source, others="g", out=out)
    assert (done.strings, [each.key for each in done.left_out]) == (1, ["a"])
    assert out.read_text("utf-8").startswith("en:\n  a: She left.\n  b: And {g, select")
