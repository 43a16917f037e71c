"""Rewrite a text for another person: other pronouns or another gender, with agreement.

A language that can be rewritten names its `Rewriter` in its definition; this package looks it up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Literal, NamedTuple, TypeAlias

from epicene import languages
from epicene.core import registry
from epicene.core.errors import unknown
from epicene.core.records import Record

# certain: the form itself says so; likely: the words around it do; guess: they might as well not.
Confidence: TypeAlias = Literal["certain", "likely", "guess"]


class TextSpan(Record, frozen=True, kw_only=True):
    """Characters [start, end) of a text."""

    start: int
    end: int


class Change(TextSpan, frozen=True, kw_only=True):
    """Characters of a text that were replaced, with the rule and its confidence.

    `whose` says whose gender they show: speaker, listener or others; in English it is the pronoun
    set that they belonged to. It is "" if that is unknown. `probability` is the probability that
    the change is right, from 0 to 1, if it was requested (`rewriting.confidence`).
    """

    before: str
    after: str
    rule: str
    sure: Confidence
    whose: str = ""
    probability: float | None = None


class Rewriting(Record, frozen=True, kw_only=True):
    """A rewritten text and its changes, in order; those in `left_out` were too uncertain to make.

    Words without a neutral form are in `left_out` too, with `after` equal to `before`.
    """

    text: str
    changes: tuple[Change, ...] = ()
    left_out: tuple[Change, ...] = ()


# Lines in, as many rewritings out, in the same order.
Rewrite: TypeAlias = Callable[[Iterable[str]], Iterator[Rewriting]]


class Rewriter(NamedTuple):
    """How a language is rewritten: its options, and the function that opens the rewriter with them.

    `version` changes whenever a result could change, and `packages` names the optional packages in
    use, each with its version: both are part of a rewriting's identity.
    """

    takes: tuple[str, ...]
    open: Callable[[Mapping[str, str]], Rewrite]
    version: str = "1"
    packages: Callable[[], dict[str, str]] = dict


def rewritable_languages() -> list[str]:
    """The codes of all languages that have a rewriter."""
    return [code for code in registry.names("languages") if languages.get(code).rewriter]


def find_rewriter(code: str) -> Rewriter:
    """The rewriter of a language."""
    if code not in (known := rewritable_languages()):
        raise unknown("rewriter for the language", code, known, every=True)
    module, _, name = languages.get(code).rewriter.partition(":")
    rewriter: Rewriter = getattr(import_module(module), name)
    return rewriter
