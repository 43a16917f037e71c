"""Word lists: the TOML files next to a language's modules; each list is a string of words."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

WordSet: TypeAlias = frozenset[str]


@cache
def read_toml(package: str, name: str) -> dict[str, Any]:
    """The content of one file of a package, read once; not to be changed."""
    return tomllib.loads(files(package).joinpath(f"{name}.toml").read_text("utf-8"))


@cache
def read_word_lists(package: str, name: str) -> dict[str, list[str]]:
    """The words of each list of a file, in the order written, by title; not to be changed."""
    return {title: words.split() for title, words in read_toml(package, name).items()}


def word_set(text: str) -> WordSet:
    """The set of words in a list."""
    return frozenset(text.split())


def word_rows(text: str) -> list[tuple[str, ...]]:
    """The words of each line of a list."""
    return [tuple(line.split()) for line in text.strip().splitlines()]
