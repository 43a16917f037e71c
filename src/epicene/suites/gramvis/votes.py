"""Votes made elsewhere: one line per image and judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene.datafiles import read_rows
from epicene.errors import InputError
from epicene.records import Choice, Item
from epicene.suites import Answers, Given
from epicene.suites.gramvis.counts import word_group
from epicene.suites.gramvis.names import (
    Where,
    category_of,
    condition_of,
    grammar_of,
    language_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from epicene.datafiles import Line
    from epicene.suites import Dataset
    from epicene.suites.gramvis.protocol import GramvisProtocol

LOOK = "look"
JUDGE = "judge"
_NAMED = ("language", "model", "grammar", "category", "word", "condition")
_FIELDS = (*_NAMED, "template", "shot", "judge")


class Picture(Item, frozen=True, kw_only=True):
    """One image of a word: by which model, under which condition, of which template and shot."""

    drawer: str
    grammar: str
    category: str
    word: str
    condition: str
    template: str
    shot: str


def read_votes(
    path: Path, _dataset: Dataset, _protocol: GramvisProtocol
) -> Iterator[tuple[Picture, Answers]]:
    """Each image with the votes on it; every line has `_FIELDS` and `choice`, text or null."""
    votes: dict[tuple[str, ...], dict[str, Choice]] = {}
    known: dict[tuple[str, ...], Where] = {}
    for line in read_rows(path):
        *image, judge = _key(line)
        *words, template, shot = image
        named = tuple(words)
        if named not in known:
            known[named] = _where(named, line.place)
        cast = votes.setdefault((*known[named], template, shot), {})
        if judge in cast:
            raise InputError(f"{line.place} has a second vote of {judge!r} on the same image.")
        cast[judge] = _choice(line)
    for key, cast in votes.items():
        yield (
            _picture(key),
            Answers(Given(LOOK, JUDGE, judge, "", choice) for judge, choice in cast.items()),
        )


def _key(line: Line) -> list[str]:
    values = line.values
    try:
        found = [values[field] for field in _FIELDS]
    except KeyError as error:
        raise InputError(f"{line.place} lacks the field {error}.") from None
    if not all(isinstance(value, str | int) and value != "" for value in found):
        raise InputError(f"{line.place} has an empty field, or one that is no word or number.")
    return [str(value) for value in found]


def _where(named: tuple[str, ...], place: str) -> Where:
    language, model, grammar, category, word, condition = named
    return Where(
        language_of(language, place),
        model,
        grammar_of(grammar, place),
        category_of(category, place),
        word,
        condition_of(condition, place),
    )


def _picture(key: tuple[str, ...]) -> Picture:
    language, drawer, grammar, category, word, condition, template, shot = key
    return Picture(
        id="/".join(key),
        group=word_group(language, word),
        language=language.lower(),
        drawer=drawer,
        grammar=grammar,
        category=category,
        word=word,
        condition=condition,
        template=template,
        shot=shot,
    )


def _choice(line: Line) -> Choice:
    """The judge's words; what label they are is the protocol's business."""
    value: Any = line.values.get("choice", "")
    if value is not None and not isinstance(value, str):
        raise InputError(f"{line.place} has a choice that is no text.")
    return Choice(choice=None, text=value or "")
