"""Whom a text speaks to: Lieber Kunde, mein Freund, sehr geehrter Herr Doktor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.german.inflection import determiner
from epicene.rewriting.german.lexicon import words

if TYPE_CHECKING:
    from epicene.rewriting import Confidence
    from epicene.rewriting.german.agreement import Adder
    from epicene.rewriting.german.line import Line
    from epicene.rewriting.german.phrases import Phrase

_TITLES = frozenset({"herr", "herrn", "frau"})


def is_title_word(line: Line, at: int) -> bool:
    """Whether the word is Herr or Frau before another word with a capital."""
    return line[at] in _TITLES and line.is_capital(at) and line.is_capital(at + 1)


def is_title(line: Line, phrase: Phrase) -> bool:
    """Whether the noun is Herr or Frau before a name or another title."""
    at = phrase.noun
    return line[at] in _TITLES and line.is_capital(at + 1) and phrase.determiner_at is None


def add_title(line: Line, phrase: Phrase, adder: Adder) -> None:
    """Herr Müller, Frau Müller; after a preposition Herrn Müller."""
    at = phrase.noun
    masculine = line.tokens[at].text
    if line[at] == "frau":
        masculine = "Herrn" if phrase.preposition else "Herr"
    adder.word(at, masculine, "Frau")
    for index in phrase.adjectives:
        if phrase.cell.case == "nom":
            stem = line[index].removesuffix("er").removesuffix("e")
            adder.word(index, stem + "er", stem + "e")


def vocative(line: Line, phrase: Phrase) -> Confidence | None:
    """How sure it is that somebody is addressed by the phrase; None if not."""
    if phrase.preposition or all(cell.case != "nom" for cell in phrase.cells):
        return None
    lists = words()
    end = phrase.noun + 1
    while line[phrase.noun] in _TITLES and line.is_capital(end):
        end += 1
    before = line[phrase.start - 1]
    opened = phrase.start == 0 or line.is_mark(phrase.start - 1) or before in lists.greetings
    if line[phrase.start - 1] == "und":
        opened = True
    closed = line.is_mark(end) and line[end] not in {"(", "“", '"'}
    bare = phrase.determiner_at is None
    dear = any(line[at].rstrip("er") in lists.dear for at in phrase.adjectives)
    if dear and bare and (opened or before == "sehr") and (closed or phrase.start <= 1):
        return "certain"
    if not opened or not closed:
        return None
    if bare and before in lists.greetings:
        return "certain"
    if bare and before == ",":
        titled = line[phrase.noun] in _TITLES and end > phrase.noun + 1
        return "likely" if titled or line[phrase.start - 2] in lists.before_vocative else None
    if dear and line[phrase.start] in {"mein", "meine"} and line.starts_sentence(phrase.start):
        return "certain"
    mine = not bare and line[phrase.start] in {"mein", "meine", "du", "sie"}
    return "likely" if mine and _is_addressed(line, phrase.start, end) else None


def _is_addressed(line: Line, start: int, end: int) -> bool:
    """Whether what is between marks is addressed to somebody, not an apposition or a list."""
    first, last = line.sentence(start)
    around = {*line.keys[first:start], *line.keys[end:last]}
    return bool(around & words().addressing) or (first == start and last == end)


def add_greetings(line: Line, adder: Adder) -> None:
    """Lieber Robin, sehr geehrter Dr. Kim: the adjective before a name."""
    lists = words()
    for at in range(len(line)):
        if line[at] not in {"lieber", "liebe", "geehrter", "geehrte", "liebster", "liebste"}:
            continue
        opened = line.starts_sentence(at) or line[at - 1] in lists.greetings | {"sehr"}
        end = at + 2 + line.is_capital(at + 2)
        name = line.is_capital(at + 1) and determiner(line[at + 1]) is None
        if at in adder.sites or not opened or not name or line[end] not in {",", "!"}:
            continue
        if line[at + 1] not in lists.not_names:
            stem = line[at].removesuffix("er").removesuffix("e")
            adder.word(at, stem + "er", stem + "e")
