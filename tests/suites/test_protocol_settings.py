"""What `--set` takes: the types of settings in words, and errors that say what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from epicene.core import registry
from epicene.core.errors import InputError
from epicene.runs.dataset_builder import parse_build_settings
from epicene.suites import choose_protocol, find_suite
from epicene.suites.gramvis.protocol import GramvisProtocol
from epicene.suites.misgendering.protocol import MisgenderingProtocol
from epicene.suites.protocol_settings import settings_of

SHIPPED = sorted(registry.names("suites"))


@pytest.mark.parametrize(
    ("suite", "setting", "value", "allowed"),
    [
        ("alternations", "measure", "bogus", "one of sum, per token, per word, per character"),
        ("misgendering", "samples", "x", "a whole number of at least 1"),
        ("misgendering", "samples", "0", "a whole number of at least 1"),
        ("misgendering", "top_p", "x", "a number"),
        ("misgendering", "mended", "perhaps", "true or false"),
        ("misgendering", "distractors", "1,two", "whole numbers, separated by commas"),
        (
            "alternations",
            "formats",
            "cloze,bogus",
            "some of acceptability, cloze, prompt, separated by commas",
        ),
    ],
)
def test_a_wrong_value_is_answered_with_what_is_allowed(
    suite: str, setting: str, value: str, allowed: str
) -> None:
    """Version 520b741 said ``Invalid enum value 'bogus' - at `$.measure` ``."""
    with pytest.raises(InputError) as refused:
        choose_protocol(find_suite(suite), "epicene", {setting: value}, None)
    wrong = value.rpartition(",")[2]
    assert str(refused.value) == f"The setting {setting} must be {allowed}, not {wrong!r}."


def test_so_is_one_of_a_construction() -> None:
    construction = find_suite("genform").construction
    assert construction is not None
    with pytest.raises(InputError, match="sentences must be a whole number of at least 1, not 'x'"):
        parse_build_settings(construction, {"sentences": "x"})
    found = parse_build_settings(construction, {"rules": "a,b", "temperature": "0.5"})
    assert found == construction.settings(rules=("a", "b"), temperature=0.5)


def test_values_are_read_as_before() -> None:
    suite = find_suite("misgendering")
    settings = {"samples": "2", "mended": "false", "pronouns": "he,xe", "top_p": "0.5"}
    chosen = choose_protocol(suite, "epicene", settings, 7)
    assert isinstance(chosen, MisgenderingProtocol)
    assert (chosen.samples, chosen.mended, chosen.pronouns) == (2, False, ("he", "xe"))
    assert (chosen.top_p, chosen.seed, chosen.name) == (0.5, 7, "epicene")
    none = choose_protocol(suite, "epicene", {"pronouns": ""}, None)
    assert none == suite.protocols["epicene"]


def test_a_table_comes_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "templates.json"
    file.write_text('{"DE": {"m": ["{noun}"]}}')
    chosen = choose_protocol(find_suite("gramvis"), "epicene", {"templates": str(file)}, None)
    assert isinstance(chosen, GramvisProtocol)
    assert chosen.templates == {"DE": {"m": ("{noun}",)}}
    file.write_text('{"DE": 3}')
    with pytest.raises(InputError, match=r"templates.json is not valid for the setting templates"):
        choose_protocol(find_suite("gramvis"), "epicene", {"templates": str(file)}, None)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_card_explains_every_setting_and_no_other(name: str) -> None:
    suite = find_suite(name)
    found = {each.name: each for each in settings_of(suite)}
    assert set(suite.card.settings) == set(found) - {"seed"}
    for setting in found.values():
        assert setting.about
        assert set(setting.default) == set(suite.protocols)
        assert "typing" not in setting.type
        assert "class" not in setting.type


@pytest.mark.parametrize("name", SHIPPED)
def test_a_card_describes_the_layouts_of_its_data(name: str) -> None:
    layouts = find_suite(name).card.layouts
    assert layouts
    for layout in layouts:
        assert set(layout.required) <= set(layout.columns)


@pytest.mark.parametrize("name", ["alternations", "genform", "apgc"])
def test_the_columns_on_a_card_are_fields_of_an_item(name: str) -> None:
    suite = find_suite(name)
    assert set(suite.card.layouts[0].columns) <= set(suite.item.__struct_fields__)
