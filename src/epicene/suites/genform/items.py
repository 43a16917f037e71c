"""The item, a sentence in its masculine and feminine form, and the rule types it may exemplify."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from epicene.core.records import Item, Record

# A direction is named by its target gender; the source is the other form.
Gender: TypeAlias = Literal["masculine", "feminine"]
TARGETS: tuple[Gender, ...] = ("masculine", "feminine")


class Pair(Item, frozen=True, kw_only=True):
    """A first-person sentence in both forms, with its English and the rule it exemplifies.

    Both directions of a pair are one group.
    """

    language: str
    masculine: str
    feminine: str
    rule: str = ""
    english: str = ""

    def form(self, gender: Gender) -> str:
        """The sentence as a speaker of that gender would say it."""
        return self.masculine if gender == "masculine" else self.feminine

    @property
    def is_neutral(self) -> bool:
        """Whether both forms are the same."""
        return self.masculine == self.feminine


def other_gender(gender: Gender) -> Gender:
    """The other of the two genders."""
    return "feminine" if gender == "masculine" else "masculine"


class Rule(Record, frozen=True, kw_only=True):
    """A grammatical rule. `marks` says whether sentences with it usually show gender."""

    family: str
    cell: str
    marks: Literal["yes", "no", "some"]
    about: str


class Rules(Record, frozen=True, kw_only=True):
    """All rule types, by language and name, and the titles of the families."""

    families: dict[str, str]
    languages: dict[str, dict[str, Rule]]


@cache
def all_rules() -> Rules:
    """The rule types as rules.toml has them."""
    text = (Path(__file__).parent / "rules.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    return msgspec.convert({"families": content.pop("families"), "languages": content}, Rules)


def rules_of(language: str) -> dict[str, Rule]:
    """The rule types of a language by name, in the order of rules.toml; none if it has none."""
    return all_rules().languages.get(language, {})


@cache
def family_of(language: str, rule: str) -> str:
    """The title of the rule's family; empty if the rule is not one of the paper's."""
    found = rules_of(language).get(rule)
    return all_rules().families[found.family] if found else ""


def pair_facets(pair: Pair) -> dict[str, str]:
    """The facets of a pair's judgements: its rule and the rule's family."""
    named = {"rule": pair.rule, "family": family_of(pair.language, pair.rule)}
    return {name: value for name, value in named.items() if value}
