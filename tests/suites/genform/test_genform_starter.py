"""Which starter sets a run takes, and that `rules` is known by the same key as before."""

from __future__ import annotations

import pytest

from epicene.core.errors import InputError
from epicene.suites.genform.data import STARTER, _starter_files
from epicene.suites.genform.prompts import prompt_template
from epicene.suites.genform.protocol import PROTOCOLS


def test_the_default_set_has_the_papers_languages() -> None:
    assert [file.stem for file in _starter_files("")] == ["ar", "fr", "hi"]
    assert _starter_files("fr") == _starter_files("")


def test_another_language_is_named_by_the_setting() -> None:
    assert _starter_files("de") == [STARTER / "de.jsonl"]
    with pytest.raises(InputError, match="starter set for the language"):
        _starter_files("zh")


def test_german_has_a_prompt() -> None:
    found = prompt_template("de", PROTOCOLS["epicene"])
    assert found.user.masculine != found.user.feminine
