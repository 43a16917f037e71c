"""The rule types of the paper's Tables 3–7, with their family and their cell of Table 2."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from epicene.records import Record


class Rule(Record, frozen=True, kw_only=True):
    """What a sentence is an example of. `marks` says if such sentences usually show gender."""

    family: str
    cell: str
    marks: Literal["yes", "no", "some"]
    about: str


class Rules(Record, frozen=True, kw_only=True):
    """All rule types, by language and name, and the titles of the families."""

    families: dict[str, str]
    fr: dict[str, Rule]
    ar: dict[str, Rule]
    hi: dict[str, Rule]


@cache
def all_rules() -> Rules:
    """The rule types as rules.toml has them."""
    text = (Path(__file__).parent / "rules.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Rules)


def rules_of(language: str) -> dict[str, Rule]:
    """The rule types of a language by name, in the paper's order; none of a further language."""
    rules = all_rules()
    return {"fr": rules.fr, "ar": rules.ar, "hi": rules.hi}.get(language, {})


@cache
def family_of(language: str, rule: str) -> str:
    """The family's title, or nothing where the rule is not one of the paper's."""
    found = rules_of(language).get(rule)
    return all_rules().families[found.family] if found else ""
