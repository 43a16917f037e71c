"""Pronoun sets: those we ship, those of a user, and what is wrong with a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from epicene.core.errors import InputError
from epicene.languages import pronouns

SET = """
[[set]]
name = "zie"
nominative = "zie"
accusative = "zim"
dependent = "zir"
independent = "zis"
reflexive = "zieself"
plural_verbs = false
"""


def test_shipped() -> None:
    sets = pronouns.shipped_pronoun_sets()
    assert {"he", "she", "they", "xe"} <= set(sets)
    assert len(sets) >= 8
    assert [each.name for each in sets.values() if each.plural_verbs] == ["they"]
    assert sets["she"].cases("her") == ("accusative", "dependent")
    assert sets["he"].cases("his") == ("dependent", "independent")
    forms = [form for each in sets.values() for form in each.forms]
    assert len(forms) == len(set(forms))


def test_a_set_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(SET)
    known = pronouns.known_pronoun_sets(path)
    assert pronouns.find_pronoun_set("zie", known).form("accusative") == "zim"
    assert set(known) == {*pronouns.shipped_pronoun_sets(), "zie"}


def test_one_of_a_known_name_wins(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(SET.replace('name = "zie"', 'name = "xe"'))
    assert pronouns.known_pronoun_sets(path)["xe"].nominative == "zie"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("[[set", "is not TOML"),
        ("[set]\n", r"no pronoun sets; add a \[\[set\]\]"),
        (SET.replace('accusative = "zim"\n', ""), "set 1, lacks 'accusative'"),
        (SET + 'colour = "red"\n', "set 1, has the unknown field 'colour'; a set has name"),
        (SET + SET, "two pronoun sets named 'zie'"),
        (SET.replace('"zim"', '"Zim"'), "accusative 'Zim'"),
        (SET.replace('"zim"', '"zim zim"'), "must be one word"),
        (SET.replace('"zim"', '""'), "must be one word"),
    ],
)
def test_a_wrong_file(tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(content)
    with pytest.raises(InputError, match=says) as caught:
        pronouns.read_pronoun_sets(path)
    assert str(path) in str(caught.value)


def test_an_unknown_set() -> None:
    with pytest.raises(InputError, match="did you mean 'they'"):
        pronouns.find_pronoun_set("thay")
