"""Phrases of a noun for a person: its determiner, its adjectives, and the case of all of them."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.german.inflection import (
    CONTRACTIONS,
    NO_DETERMINER,
    Case,
    Cell,
    Determiner,
    NounReading,
    adjective_ending,
    article_of,
    determiner,
    is_superlative,
    noun_readings,
)
from epicene.rewriting.german.lexicon import ADJECTIVE_SUFFIXES, people, words
from epicene.rewriting.german.line import is_ordinal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.rewriting.german.line import Line

_ENDINGS = ("e", "er", "en", "em", "es")
# gelernt, ausgebildet, verfehlt, vorbestraft
_PARTICIPLE = re.compile(
    r"(?:(?:aus|an|ab|auf|ein|vor|nach|zu|um|weg|mit|los|her|hin|bei|zurück|nieder|fest|hoch|wohl|neu|viel|un)?"
    r"(?:ge|be|ver|zer|ent|er|über|unter))\w{2,}(?:t|en)$"
)
# Before a genitive plural: keiner der Schriftsteller.
_SOME_OF = ("eine", "keine", "jede", "viele", "einige", "beide", "mehrere")
# How far before its adjective a determiner is looked for: der in Berlin lebende Arzt.
_FARTHEST = 6


class Phrase(NamedTuple):
    """A noun for a person and the words before it that agree with it."""

    start: int
    noun: int
    determiner_at: int | None
    determiner: Determiner
    adjectives: tuple[int, ...]
    reading: NounReading
    cells: tuple[Cell, ...]  # those that fit all the words, the likeliest first
    preposition: str

    @property
    def cell(self) -> Cell:
        """The likeliest cell."""
        return self.cells[0]


def is_adjective(word: str) -> bool:
    """Whether an inflected word is an adjective by our list or by its suffix."""
    if word in words().not_adjectives:
        return False
    for ending in ("er", "en", "em", "es", "e"):
        stem = word.removesuffix(ending)
        if stem == word or len(stem) < 2:
            continue
        if stem in words().adjectives | people().ranked or stem.endswith(ADJECTIVE_SUFFIXES):
            return True
        if _PARTICIPLE.match(stem) or is_superlative(stem):
            return True
    return False


def find_phrases(line: Line) -> Iterator[Phrase]:
    """The phrases of all nouns for people, in order; not those that name both genders."""
    read = (read_phrase(line, at) for at in range(len(line)) if line.is_word(at))
    found = [each for each in read if each is not None]
    both = {
        each
        for pair in pairwise(found)
        if _names_both(line, *pair)
        for each in (pair[0].noun, pair[1].noun)
    }
    for each in found:
        slash = "/" in {line[each.noun + 1], line[each.start - 1]}  # der Lehrer/die Lehrerin
        if not slash and each.noun not in both:
            yield each


def _names_both(line: Line, first: Phrase, second: Phrase) -> bool:
    """Schülerinnen und Schüler; Berechtigte oder Berechtigter."""
    if second.start != first.noun + 2 or line[first.noun + 1] not in {"und", "oder", "bzw."}:
        return False
    one, other = first.reading, second.reading
    if one.prefix != other.prefix or one.noun != other.noun:
        return False
    return line[first.noun] != line[second.noun]


def read_phrase(line: Line, at: int) -> Phrase | None:
    """The phrase whose noun is at that place, if it is one for a person."""
    readings = noun_readings(line.tokens[at].text, guess=True)
    if not readings:
        return None
    if not line.is_capital(at):
        readings = tuple(each for each in readings if each.ranked) if _is_headless(line, at) else ()
    elif (line.is_noun(at + 1) and _is_attribute(line, at, readings)) or (
        line.starts_sentence(at) and readings[0].guessed and readings[0].gender == "masculine"
    ):
        return None
    for start, found, adjectives in _beginnings(line, at):
        neuter = found is None and line[start - 1] in {"das", "dieses", "jedes", "jenes"}
        fitting = [
            (reading, cells)
            for reading in readings
            if not (neuter and reading.noun is None)  # das einzige, das …
            if (cells := tuple(_fitting(line, at, reading, start, found, adjectives)))
        ]
        if fitting:
            return _choose(line, at, start, found, adjectives, fitting)
    return None


def _is_attribute(line: Line, at: int, readings: Sequence[NounReading]) -> bool:
    """Whether an adjective is part of a name: die Deutsche Bank; not als Betroffene Einspruch …"""
    if line[at] in people().inhabitants:
        return True
    if line[at - 1] in {"herr", "herrn", "frau"}:
        return False
    if line[at - 1] == "als" and readings[0].prefix.lower() not in words().adjectives:
        return any(each.guessed for each in readings)
    return any(each.noun is None or each.guessed for each in readings)


def _is_headless(line: Line, at: int) -> bool:
    """Whether a small ranked adjective is used as a noun: der einzige, die älteste von uns."""
    following = at + 1
    while line[following] in words().adverbs:
        following += 1
    if (
        line.is_capital(following)
        or is_adjective(line[following])
        or determiner(line[at - 1]) is None
    ):
        return False
    return not any(
        line.is_capital(index) and not line.is_mark(index - 1) for index in (at + 1, at + 2)
    ) or line[at + 1] in {"in", "aus", "von", "unter", "im", "der", "meiner", "unserer"}


Beginning = tuple[int, "int | None", "tuple[int, ...]"]


def _beginnings(line: Line, noun: int) -> Iterator[Beginning]:
    """Where the phrase may begin, its determiner and its adjectives; the likeliest first."""
    adjectives: list[int] = []
    at = noun - 1
    while True:
        if _may_be_adjective(line, at):
            adjectives.insert(0, at)
            at -= 1
        elif adjectives and _joins_adjectives(line, at, adjectives[0]):
            at -= 1 if line[at - 1] != "," else 2
        elif adjectives and line[at] in words().adverbs and not line[at].endswith(("er", "en")):
            at -= 1
        elif line[at].endswith("er") and line.is_noun(at) and determiner(line[at - 1]):
            at -= 1  # der Berliner Arzt
        else:
            break
    if determiner(line[at]) is not None:
        yield at, at, tuple(adjectives)
    sure = [
        index
        for index in adjectives
        if is_adjective(line[index])
        or line[index - 1] == "als"
        or ((line[index].endswith(("er", "em")) and index not in {0}) and not line.is_finite(index))
    ]
    if sure and sure == adjectives[-len(sure) :]:
        yield sure[0], None, tuple(sure)
    for far in range(at - 1, max(-1, at - _FARTHEST), -1):
        if line.is_mark(far):
            break
        if adjectives and determiner(line[far]) is not None:
            yield far, far, tuple(adjectives)
    if not adjectives or not is_adjective(line[adjectives[-1]]):
        yield noun, None, ()


def _may_be_adjective(line: Line, at: int) -> bool:
    word = line[at]
    if is_ordinal(word):
        return True
    if not line.is_word(at) or not word.endswith(_ENDINGS) or len(word) < 3:
        return False
    if word in words().not_adjectives or determiner(word) is not None:
        return False
    if word in {"lieber", "liebe"}:  # bin lieber Lehrer, ich liebe Lehrer
        before = line[at - 1]
        known = determiner(before) is not None or before in words().greetings
        return known or line.starts_sentence(at) or line.is_mark(at - 1)
    if line.is_noun(at):
        return (
            is_adjective(word)
            and line.tokens[at].text[1:].islower()
            and (
                word.removesuffix("er") in people().ranked
                or word.removesuffix("e") in people().ranked
            )
        )
    return not line.is_finite(at) or determiner(line[at - 1]) is not None


def _joins_adjectives(line: Line, at: int, first: int) -> bool:
    """Whether the token joins two adjectives: ein junger, kluger und fleißiger Student."""
    if line[at] not in {"und", "oder", ",", "aber", "sowie"}:
        return False
    if line[at - 1] == ",":
        at -= 1
    ending = line[first][-2:] if line[first][-1:] != "e" else "e"
    return _may_be_adjective(line, at - 1) and line[at - 1].endswith(ending)


def _fitting(
    line: Line,
    noun: int,
    reading: NounReading,
    _start: int,
    found: int | None,
    adjectives: Sequence[int],
) -> Iterator[Cell]:
    """The cells in which the noun, its determiner and its adjectives have their forms."""
    each = determiner(line[found]) if found is not None else NO_DETERMINER
    if each is None:
        return
    for cell in reading.cells:
        concord = reading.concord(reading.gender, cell)
        if each.stem == "ein" and cell.plural:
            continue
        if found is not None and not _has_form(each, line[found], reading, cell):
            continue
        if not reading.fits(line.tokens[noun].text, cell, each.kind):
            continue
        ending = adjective_ending(each.kind, concord, cell.case)
        if all(_ends(line[index], ending) for index in adjectives):
            yield cell


def _has_form(each: Determiner, word: str, reading: NounReading, cell: Cell) -> bool:
    form = each.form(reading.concord(reading.gender, cell), cell.case)
    return form == article_of(word).replace("unsr", "unser") and (
        word not in CONTRACTIONS or cell.case == "dat"
    )


def _ends(word: str, ending: str) -> bool:
    """Whether an adjective has that ending; those that do not inflect have any."""
    if word.endswith(ending) and not (ending == "e" and word.endswith(("er", "en"))):
        return True
    return word in {"lila", "rosa", "prima", "super"} or is_ordinal(word)


def _choose(
    line: Line,
    noun: int,
    start: int,
    found: int | None,
    adjectives: tuple[int, ...],
    fitting: Sequence[tuple[NounReading, tuple[Cell, ...]]],
) -> Phrase:
    """The phrase with the reading and the cell that fit its place best."""
    each = determiner(line[found]) if found is not None else NO_DETERMINER
    preposition = each.preposition if each and each.preposition else line[start - 1]
    if preposition in {"um", "ohne", "statt", "anstatt"} and _ends_with_infinitive(line, noun):
        preposition = ""
    cases = governed(preposition)
    if preposition == "als" and line[start - 2] in {"mir", "dir", "ihm", "ihnen"}:
        preposition, cases = "", ("dat",)
    if not any(cell.case in cases for _, cells in fitting for cell in cells):
        cases = ()  # von Natur aus ein Optimist
    ranked = sorted(
        (
            (_cost(line, start, found, cell, cases), place, reading, cell)
            for place, (reading, cells) in enumerate(fitting)
            for cell in cells
        ),
        key=lambda item: item[:2],
    )
    _, _, reading, _ = ranked[0]
    cells = tuple(cell for _, _, other, cell in ranked if other is reading)
    return Phrase(
        start,
        noun,
        found,
        each or NO_DETERMINER,
        adjectives,
        reading,
        cells,
        preposition if cases else "",
    )


def _ends_with_infinitive(line: Line, noun: int) -> bool:
    """Whether zu follows the noun in its clause: um Arzt zu werden."""
    at = noun + 1
    while line.is_word(at) and line[at] != "zu":
        at += 1
    return line[at] == "zu"


def governed(preposition: str) -> tuple[Case, ...]:
    """The cases that a preposition governs; none if it is not one."""
    lists = words()
    if preposition in lists.accusative:
        return ("acc",)
    if preposition in lists.dative:
        return ("dat",)
    if preposition in lists.two_way:
        return ("acc", "dat")
    return ("gen", "dat") if preposition in lists.genitive else ()


def _cost(line: Line, start: int, found: int | None, cell: Cell, cases: Sequence[Case]) -> int:
    """How badly a cell fits its place."""
    if cases:
        place = cases.index(cell.case) if cell.case in cases else 5
        return 2 * place + (cell.plural if found is not None else not cell.plural)
    if found is not None and line[found] == "der" and line[start - 1].startswith(_SOME_OF):
        return 0 if cell == Cell("gen", plural=True) else 1
    if found is not None and line[found] == "den":  # am Montag den Präsidenten; den Kunden helfen
        first, last = line.sentence(start)
        helped = words().dative_verbs & set(line.keys[first:last])
        return 2 * (cell.case != ("dat" if helped else "acc"))
    after_noun = line.is_noun(start - 1) or line[start - 1] in {"'", "’"}
    order: tuple[Case, ...] = (
        ("gen", "dat", "nom", "acc") if after_noun else ("nom", "acc", "dat", "gen")
    )
    if found is None:
        order = ("nom", "acc", "dat", "gen")
    elif line[found] == "der" and after_noun:
        return order.index(cell.case) * 2
    return order.index(cell.case) * 2 + (1 if cell.plural else 0)
