"""The words that the rules know, from the lists beside this file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from epicene.languages.rewriting.french import conjugation
from epicene.languages.rewriting.french.conjugation import Form, Model

Words = frozenset[str]


def read(name: str) -> dict[str, Any]:
    """One of the files beside this one."""
    text = files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def words(text: str) -> Words:
    """The words of a list."""
    return frozenset(text.split())


def rows(text: str) -> list[tuple[str, ...]]:
    """The words of each line of a list."""
    return [tuple(line.split()) for line in text.strip().splitlines()]


class Verbs:
    """Finite forms, infinitives and participles, and what each verb does with people."""

    def __init__(self) -> None:
        lists = read("verbs")
        models = [Model(**each) for each in lists.pop("model")]
        regular = {name: lists.pop(name).split() for name in ("first_group", "second_group")}
        self.kinds: Mapping[str, Words] = {name: words(text) for name, text in lists.items()}
        self.participles: dict[str, list[str]] = {}
        self.finite: dict[str, list[Form]] = {}
        for infinitive, participle in self._all_participles(models, regular):
            self.participles.setdefault(participle, []).append(infinitive)
        self.infinitives = frozenset(
            infinitive for found in self.participles.values() for infinitive in found
        )
        for form, which in self._all_forms(models, regular):
            known = self.finite.setdefault(form, [])
            if which not in known:
                known.append(which)

    @staticmethod
    def _all_participles(
        models: Iterable[Model], regular: Mapping[str, list[str]]
    ) -> Iterator[tuple[str, str]]:
        for model in models:
            yield from model.participles()
        for infinitive in regular["first_group"]:
            yield infinitive, infinitive.removesuffix("er") + "é"
        for infinitive in regular["second_group"]:
            yield infinitive, infinitive.removesuffix("r")

    @staticmethod
    def _all_forms(
        models: Iterable[Model], regular: Mapping[str, list[str]]
    ) -> Iterator[tuple[str, Form]]:
        for model in models:
            yield from model.forms()
        for infinitive in regular["first_group"]:
            yield from conjugation.first_group(infinitive)
        for infinitive in regular["second_group"]:
            yield from conjugation.second_group(infinitive)

    def is_kind(self, kind: str, infinitives: Iterable[str]) -> bool:
        """Whether one of the infinitives is in the list of that name."""
        return not self.kinds[kind].isdisjoint(infinitives)


@cache
def verbs() -> Verbs:
    """The verbs, read once."""
    return Verbs()
