"""The templates that a set is made from: their slots, who fills them, and what follows them."""

from __future__ import annotations

import random
from collections import Counter
from functools import lru_cache
from itertools import chain, cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import regex

from epicene.datafiles import read_table
from epicene.errors import InputError, unknown
from epicene.languages.normalise import normalise
from epicene.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

OURS = Path(__file__).parent.parent / "templates.toml"

ANYTHING = "…"
_PARTS = regex.compile(r"<([^<>]+)>|…")
_ARTICLE = regex.compile(r"\b(a)\s+$", regex.IGNORECASE)
# A full stop, with the quotation mark that may stand before or after it.
_END = r"(?:[.!?][\"']?|[\"'][.!?])"


class Argument(Record, frozen=True, kw_only=True):
    """What fills a slot, and the list that it was dealt from."""

    slot: str
    words: str
    kind: str


class WriterWording(Record, frozen=True, kw_only=True):
    """How a chat model is asked: what is in square brackets is filled in."""

    system: str
    user: str
    filling: str


class Templates(Record, frozen=True, kw_only=True):
    """All that templates.toml has, or a file of the user's like it."""

    writer: WriterWording
    contexts: dict[str, str]
    arguments: dict[str, dict[str, tuple[str, ...]]]  # by slot and list
    templates: dict[str, dict[str, tuple[str, ...]]]  # by language and rule

    def of(self, language: str) -> Mapping[str, tuple[str, ...]]:
        """The templates of a language by rule."""
        if language not in self.templates:
            raise unknown("templates for the language", language, self.templates)
        return self.templates[language]

    def deal(self, slot: str, seed: str) -> Iterator[Argument]:
        """Arguments without end, from the slot's lists in turn, each list in a drawn order."""
        # Of Python's generator only `random` is promised to stay the same in later versions.
        draw = random.Random(f"{seed} {slot}").random
        lists = []
        for kind, words in self.arguments[slot].items():
            drawn = sorted(words, key=lambda _: draw())
            lists.append([Argument(slot=slot, words=each, kind=kind) for each in drawn])
        return chain.from_iterable(zip(*map(cycle, lists), strict=True))


class Filled(NamedTuple):
    """A template with the arguments of one sentence."""

    template: str
    arguments: tuple[Argument, ...]

    @property
    def pattern(self) -> regex.Pattern[str]:
        """What a sentence looks like that follows the template."""
        return _pattern(self.template, tuple((each.slot, each.words) for each in self.arguments))

    def is_followed_by(self, sentence: str) -> bool:
        """Whether the sentence has all its words, the arguments, and something for every gap."""
        return bool(self.pattern.fullmatch(normalise(sentence, ("nfc", "quotes"))))


def slots(template: str) -> list[str]:
    """The names of a template's slots, in order."""
    return [found[1] for found in _PARTS.finditer(template) if found[1]]


def fill(decks: Mapping[str, Iterator[Argument]], template: str, count: int) -> list[Filled]:
    """The template with the next arguments, so many times."""
    dealt = [list(islice(decks[slot], count)) for slot in slots(template)]
    return [Filled(template, arguments) for arguments in zip(*dealt, strict=True)] or [
        Filled(template, ())
    ] * count


@lru_cache(maxsize=1024)
def _pattern(template: str, words: tuple[tuple[str, str], ...]) -> regex.Pattern[str]:
    """The template as an expression: capitals do not matter, spaces are of any width."""
    given = dict(words)
    template = template.rstrip(' .!?"')
    pieces, reached = [], 0
    for found in _PARTS.finditer(template):
        literal = template[reached : found.start()]
        if found[1]:
            pieces += [_before_slot(literal), _spaced(given[found[1]])]
        else:
            pieces += [_before_gap(literal), r"\S.*?"]
        reached = found.end()
    pieces.append(_spaced(template[reached:]))
    return regex.compile("".join(pieces) + _END, regex.IGNORECASE)


def _before_slot(text: str) -> str:
    """The words before a slot; their article is the one that the slot needs."""
    article = _ARTICLE.search(text)
    return _spaced(text) if article is None else _spaced(text[: article.start()]) + r"an?\s+"


def _before_gap(text: str) -> str:
    """The words before a gap, where a comma or the like may stand."""
    return _spaced(text) if text == text.rstrip() else _spaced(text.rstrip()) + r"[,;:]?\s+"


def _spaced(text: str) -> str:
    return r"\s+".join(map(regex.escape, regex.split(r"\s+", text)))


def read_templates(path: str) -> Templates:
    """The user's file, or ours; what does not fit together is refused."""
    file = Path(path) if path else OURS
    try:
        found = msgspec.convert(read_table(file), Templates)
    except msgspec.ValidationError as error:
        raise InputError(f"{file} does not fit: {error}.") from None
    for slot, lists in found.arguments.items():
        if not lists or not all(lists.values()):
            raise InputError(f"{file}: the slot <{slot}> has a list without words.")
    for language, rules in found.templates.items():
        for rule, templates in rules.items():
            for template in templates:
                _check(template, found, f"{file}, {language}, {rule}: the template {template!r}")
    return found


def _check(template: str, found: Templates, place: str) -> None:
    for slot, count in Counter(slots(template)).items():
        if slot not in found.arguments:
            raise InputError(f"{place}: {unknown('slot', slot, found.arguments)}")
        if count > 1:
            raise InputError(f"{place} has the slot <{slot}> {count} times; once is all it can.")
    if ANYTHING not in template:
        raise InputError(f"{place} has no {ANYTHING}, so that all its sentences would be alike.")
