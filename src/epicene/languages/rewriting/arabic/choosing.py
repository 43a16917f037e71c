"""Of the readings of a verb, the one that the words around it allow best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic.letters import folded
from epicene.languages.rewriting.arabic.lexicon import verb_list
from epicene.languages.rewriting.arabic.subjects import next_noun

if TYPE_CHECKING:
    from epicene.languages.rewriting.arabic.conjugation import Cell
    from epicene.languages.rewriting.arabic.parsing import VerbParse
    from epicene.languages.rewriting.arabic.state import Walk

_BEFORE_IMPERFECT = frozenset("لم لن سوف ان كي لكي لا".split())


def pick(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> list[VerbParse]:
    """The readings that the words around allow best, the best first; all of one cell."""
    reading = walk.reading
    parses = reading.by_vowel(at, parses)
    parses = tuple(parse for parse in parses if parse.exact) or parses
    if any(parse.suffix is None for parse in parses):  # وجدنا: we found, not he found us
        parses = tuple(p for p in parses if p.suffix is None or p.suffix.letters != "نا")
    parses = _by_particle(walk, at, parses)
    person = _person(walk, at, parses)
    fitting = [parse for parse in parses if parse.cell.person == person] or list(parses)
    mood = reading.mood(at, fitting[0])
    asked = [p for p in fitting if p.cell.tense != "imperfect" or p.cell.mood == mood]
    best = (asked or fitting)[0]
    return [best, *(p for p in asked if p.cell == best.cell and p != best)]


def _by_particle(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> tuple[VerbParse, ...]:
    before = walk.reading.key(at - 1)
    tense = {"لقد": "perfect"}.get(before, "imperfect" if before in _BEFORE_IMPERFECT else "")
    return tuple(parse for parse in parses if parse.cell.tense == tense) or parses


def _person(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> int:
    persons: set[int] = {
        parse.cell.person
        for parse in parses
        if parse.suffix is None
        or parse.suffix.person == 3
        or parse.suffix.person != parse.cell.person
    }
    if len(persons) == 1:
        return persons.pop()
    if 3 in persons and _has_feminine_subject(walk, at, parses):
        return 3
    if walk.topic is not None and 3 in persons:
        return 3
    if {parse.cell.tense for parse in parses} == {"perfect", "imperative"}:
        return 2 if _commands(walk, at) else 3
    if 3 in persons and len(persons) > 1 and _has_third_as_object(walk, parses):
        persons.discard(3)
    if {1, 3} <= persons and _is_masculine_state(walk, at):
        return 1
    held = _held(walk, parses)
    if held in persons:
        return held
    return next((person for person in walk.reading.prior if person in persons), 3)


def _has_third_as_object(walk: Walk, parses: tuple[VerbParse, ...]) -> bool:
    """التي تراها: whom the clause is about is the object, so somebody else is the subject."""
    third, suffix = walk.scope.third, parses[0].suffix
    if third is None or suffix is None:
        return False
    return suffix.person == 3 and (suffix.gender, suffix.number) == (third.gender, third.number)


def _held(walk: Walk, parses: tuple[VerbParse, ...]) -> int:
    """The person of the subject that the clause has already, 0 if that decides nothing."""
    scope = walk.scope
    holder = scope.third or scope.subject
    if holder is None or (holder.who is None and holder.gender is None):
        return 0
    if holder.gender is None:
        persons = {walk.voice.speaker: 1, walk.voice.listener: 2}
        return persons.get(holder.who, 0)
    genders = {parse.cell.gender for parse in parses if parse.cell.person == 3}
    return 3 if holder.gender in genders else 0


def _is_masculine_state(walk: Walk, at: int) -> bool:
    """خرجت مطمئنًا: said by a man, not of a woman."""
    for place in range(at + 1, at + 7):
        if walk.reading.line[place].is_mark or walk.reading.verbs(place):
            return False
        for parse in walk.reading.known_nouns(place):
            if parse.form.nunated and parse.form.gender == "masculine" and parse.lemma.adjective:
                before = walk.reading.line[place - 1].letters
                return not before.endswith("ا") or place - 1 == at
    return False


def _commands(walk: Walk, at: int) -> bool:
    """Whether a form that may be a command or a report stands where commands do."""
    reading = walk.reading
    if "listener" not in reading.wanted and walk.voice.listener != "speaker":
        return False
    before = reading.line[at].letters[:1]
    return reading.line.begins(at) or before in {"و", "ف"}


def _has_feminine_subject(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> bool:
    """Whether a woman follows the verb who can be its subject."""
    place = next_noun(walk.reading, at)
    copular = folded(parses[0].verb.perfect) in verb_list("copular")
    if place < 0 or (copular and walk.reading.prior[0] == 1):  # أصبحت المدربة
        return False
    return any(
        parse.form.gender == "feminine"
        and parse.lemma.person
        and not parse.form.nunated
        and parse.prefix.letters in {"", "ال"}
        and (parse.definite or parses[0].suffix is not None)
        for parse in walk.reading.known_nouns(place)
    )


def cell_here(walk: Walk, at: int, parse: VerbParse, parses: tuple[VerbParse, ...]) -> Cell:
    """What the form says here, in the mood that the words before it ask for."""
    cell = parse.cell
    if cell.tense != "imperfect":
        return cell
    mood = walk.reading.mood(at, parse)
    moods = {
        one.cell.mood
        for one in parses
        if one.verb == parse.verb and one.cell._replace(mood="full") == cell._replace(mood="full")
    }
    return cell._replace(mood=mood) if mood in moods else cell
