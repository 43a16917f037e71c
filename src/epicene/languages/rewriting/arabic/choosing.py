"""Of the readings of a verb, the one that the words around it allow best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic.letters import DAMMA, FATHA, KASRA, SUKUN
from epicene.languages.rewriting.arabic.lexicon import verb_list
from epicene.languages.rewriting.arabic.moods import mood_of
from epicene.languages.rewriting.arabic.persons import commands, person_of
from epicene.languages.rewriting.arabic.words import ending_vowel

if TYPE_CHECKING:
    from epicene.languages.rewriting.arabic.conjugation import Cell
    from epicene.languages.rewriting.arabic.state import Walk
    from epicene.languages.rewriting.arabic.verb_parsing import VerbParse

# The vowel of كتبتُ, كتبتَ, كتبتِ, كتبتْ.
_PERSONS = {DAMMA: 1, FATHA: 2, KASRA: 2, SUKUN: 3}
_BEFORE_IMPERFECT = frozenset("لم لن سوف ان كي لكي لا".split())


def pick(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> list[VerbParse]:
    """The readings that the words around allow best, the best first; all of one cell."""
    reading = walk.reading
    parses = _by_vowel(walk, at, parses)
    parses = tuple(p for p in parses if p.exact or _may_lack_hamza(walk, p)) or parses
    if any(parse.suffix is None for parse in parses):  # وجدنا: we found, not he found us
        parses = tuple(p for p in parses if p.suffix is None or p.suffix.letters != "نا")
    parses = _by_mood(walk, at, parses)
    parses = _by_prefix(walk, at, parses)
    parses = _by_particle(walk, at, parses)
    person = person_of(walk, at, parses)
    fitting = [parse for parse in parses if parse.cell.person == person] or list(parses)
    if person == 3:
        fitting = _by_gender(walk, fitting)
    mood = mood_of(reading, at, fitting[0])
    asked = [p for p in fitting if p.cell.tense != "imperfect" or p.cell.mood == mood]
    commanded = commands(walk, at)
    ranked = sorted(asked or fitting, key=lambda parse: _rank(parse, commanded=commanded))
    best = ranked[0]
    return [best, *(p for p in asked if p.cell == best.cell and p != best)]


def _may_lack_hamza(walk: Walk, parse: VerbParse) -> bool:
    """اعرف for أعرف: the first person, where the line leaves hamzas out, or knows or thinks."""
    if parse.cell.person != 1 or not parse.written.startswith("ا"):
        return False
    stative = parse.verb.perfect in verb_list("stative")
    return walk.reading.evidence.drops_hamza or stative


def _by_vowel(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> tuple[VerbParse, ...]:
    """The readings that the vowel on a final ت allows."""
    word = walk.reading.line[at]
    if not word.letters.endswith("ت"):
        return parses
    person = _PERSONS.get(ending_vowel(word))
    return tuple(parse for parse in parses if parse.cell.person == person) or parses


def _by_gender(walk: Walk, parses: list[VerbParse]) -> list[VerbParse]:
    """تلقى: he received or she meets, as the third person is in the rest of the clause."""
    if len({parse.cell.gender for parse in parses}) == 1:
        return parses
    holder = walk.scope.third or walk.scope.subject
    gender = holder.gender if holder is not None else None
    gender = gender or walk.reading.evidence.third_gender
    if gender is None:
        return sorted(parses, key=lambda parse: parse.cell.tense != "perfect")
    return [parse for parse in parses if parse.cell.gender == gender] or parses


def _rank(parse: VerbParse, *, commanded: bool) -> tuple[bool, bool, bool]:
    """A command where commands stand; one person before several women; لم تعد of عاد, not عد."""
    verb, cell = parse.verb, parse.cell
    shortened = cell.mood == "short" and verb.simple and verb.shape == "hollow"
    return (
        commanded and cell.tense != "imperative",
        cell.number == "plural",
        cell.mood == "short" and not shortened,
    )


def _by_mood(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> tuple[VerbParse, ...]:
    """A shortened form with an object only where the jussive is asked for: لم ترني, أن تكوني."""
    if len({parse.suffix for parse in parses}) == 1:
        return parses
    plain = tuple(parse for parse in parses if parse.suffix is None)
    if plain and mood_of(walk.reading, at, parses[0]) == "short":
        rare = all(parse.verb.shape == "doubled" and parse.verb.simple for parse in plain)
        return tuple(p for p in parses if p.suffix is not None) if rare else plain
    return tuple(p for p in parses if p.suffix is None or p.cell.mood != "short") or parses


def _by_prefix(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> tuple[VerbParse, ...]:
    """أستطيع is no question: the أ of one opens a clause, and the sentence ends in its mark."""
    plain = tuple(parse for parse in parses if not parse.prefix.startswith("أ"))
    if not plain or len(plain) == len(parses):
        return parses
    asked = tuple(parse for parse in parses if parse.prefix == "أ")
    asks = (
        walk.reading.evidence.asks(at)
        and walk.reading.opens_clause(at)
        and walk.reading.evidence.prior[0] == 2
    )
    return asked if asked and asks else plain


def _by_particle(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> tuple[VerbParse, ...]:
    before = walk.reading.key(at - 1)
    tense = {"لقد": "perfect"}.get(before, "imperfect" if before in _BEFORE_IMPERFECT else "")
    return tuple(parse for parse in parses if parse.cell.tense == tense) or parses


def cell_here(walk: Walk, at: int, parse: VerbParse, parses: tuple[VerbParse, ...]) -> Cell:
    """What the form says here, in the mood that the words before it ask for."""
    cell = parse.cell
    if cell.tense != "imperfect":
        return cell
    mood = mood_of(walk.reading, at, parse)
    moods = {
        one.cell.mood
        for one in parses
        if one.verb == parse.verb and one.cell._replace(mood="full") == cell._replace(mood="full")
    }
    return cell._replace(mood=mood) if mood in moods else cell
