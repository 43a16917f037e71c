"""Extraneous gendered words: those a continuation brings in and its context did not have."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import regex

from epicene.datafiles import read_text
from epicene.records import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

FILE = Path(__file__).parent / "starter" / "lexicon.toml"


class Word(Record, frozen=True, kw_only=True):
    """A word that says a person's gender. lexicon.toml explains the fields."""

    forms: tuple[str, ...]
    gender: str
    kind: str
    cased: bool = False
    unless: tuple[str, ...] = ()
    ambiguous: bool = False
    why: str = ""


class Mention(NamedTuple):
    """A gendered word in a text."""

    start: int
    end: int
    text: str
    gender: str


def extraneous(text: str, context: str) -> list[Mention]:
    """The gendered words of a text, apart from those already in its context."""
    before = {mention.text.lower() for mention in mentions(context)}
    return [mention for mention in mentions(text) if mention.text.lower() not in before]


def marked(text: str, found: Sequence[Mention]) -> str:
    """The text with those words in brackets."""
    parts, reached = [], 0
    for mention in found:
        parts += [text[reached : mention.start], f"[{text[mention.start : mention.end]}]"]
        reached = mention.end
    return "".join([*parts, text[reached:]])


def mentions(text: str, *, ambiguous: bool = False) -> list[Mention]:
    """The gendered words of a text, in order; the ambiguous ones only if asked for.

    A word inside a phrase in which it says no person's gender ("maiden voyage") is left out.
    """
    pattern, owners = _index()
    text = text.replace("’", "'")
    found = []
    for match in pattern.finditer(text):
        for word in owners[match[0].lower()]:
            fits = not word.cased or match[0] in word.forms
            if fits and (ambiguous or not word.ambiguous) and not _excused(word, match, text):
                found.append(Mention(match.start(), match.end(), match[0], word.gender))
                break
    return found


def _excused(word: Word, match: regex.Match[str], text: str) -> bool:
    return any(
        phrase.start() <= match.start() and match.end() <= phrase.end()
        for pattern in _phrases(word)
        for phrase in pattern.finditer(text)
    )


@cache
def lexicon() -> tuple[Word, ...]:
    """All words, as the file has them."""
    return msgspec.convert(tomllib.loads(read_text(FILE))["word"], tuple[Word, ...])


@cache
def _index() -> tuple[regex.Pattern[str], dict[str, list[Word]]]:
    """One pattern for all forms, the longest first, and the words that a form may be of."""
    owners: dict[str, list[Word]] = {}
    for word in lexicon():
        for form in word.forms:
            owners.setdefault(form.lower(), []).append(word)
    return _whole("|".join(regex.escape(form) for form in sorted(owners, key=len)[::-1])), owners


@cache
def _phrases(word: Word) -> tuple[regex.Pattern[str], ...]:
    return tuple(_whole(regex.escape(phrase)) for phrase in word.unless)


def _whole(pattern: str) -> regex.Pattern[str]:
    """A pattern that matches whole words only, in any case."""
    letter = r"[\p{L}\p{M}\p{N}]"
    return regex.compile(rf"(?<!{letter})(?:{pattern})(?!{letter})", regex.IGNORECASE)
