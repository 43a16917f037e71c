"""Of the readings of a verb, the one that the words around it allow best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic.letters import DAMMA, FATHA, KASRA, SUKUN
from epicene.languages.rewriting.arabic.lexicon import verb_list
from epicene.languages.rewriting.arabic.moods import mood_of
from epicene.languages.rewriting.arabic.noun_parsing import is_thing
from epicene.languages.rewriting.arabic.subjects import explicit_subject, next_noun
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
    person = _person(walk, at, parses)
    fitting = [parse for parse in parses if parse.cell.person == person] or list(parses)
    if person == 3:
        fitting = _by_gender(walk, fitting)
    mood = mood_of(reading, at, fitting[0])
    asked = [p for p in fitting if p.cell.tense != "imperfect" or p.cell.mood == mood]
    commands = _commands(walk, at)
    ranked = sorted(asked or fitting, key=lambda parse: _rank(parse, commands=commands))
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


def _rank(parse: VerbParse, *, commands: bool) -> tuple[bool, bool, bool]:
    """A command where commands stand; one person before several women; لم تعد of عاد, not عد."""
    verb, cell = parse.verb, parse.cell
    shortened = cell.mood == "short" and verb.simple and verb.shape == "hollow"
    return (
        commands and cell.tense != "imperative",
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


def _person(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> int:
    if parses[0].written.startswith("إ"):  # a command with a hamza too many
        parses = tuple(p for p in parses if p.cell.tense == "imperative") or parses
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
    told = _told_or_commanded(walk, at, parses)
    if told in persons:
        return told
    in_clause = walk.scope.third is not None and _held(walk, parses) == 3
    if 3 in persons and in_clause and not _has_third_as_object(walk, at, parses):
        return 3
    if (
        {1, 2} <= persons
        and walk.reading.evidence.prior[0] != 3
        and _is_statement(walk, at, parses)
    ):
        return 1
    if 3 in persons and len(persons) > 1 and _has_third_as_object(walk, at, parses):
        persons.discard(3)
    if {1, 3} <= persons and _is_masculine_state(walk, at):
        return 1
    if {1, 3} <= persons and walk.reading.evidence.says_i and _is_simple_first(parses):
        return 1
    held = _held(walk, parses)
    if held in persons and not (persons == {1, 2} and walk.reading.opens_clause(at)):
        return held
    return next((person for person in walk.reading.evidence.prior if person in persons), 3)


def _told_or_commanded(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> int:
    """توقف: he stopped, or stop; 0 if the form is not both."""
    told = [p for p in parses if p.cell.tense == "perfect" and p.cell.gender == "masculine"]
    tenses = {parse.cell.tense for parse in parses}
    if not told or "imperative" not in tenses or any(p.cell.person == 1 for p in parses):
        return 0
    if explicit_subject(walk, at, told[0]) >= 0:
        return 3
    if "imperfect" in tenses:
        return 0
    return 2 if _commands(walk, at) else 3


def _is_statement(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> bool:
    """أعلم, أعتقد: what looks like a command, but is what I do; أسرع at the beginning is one."""
    first = [
        parse for parse in parses if parse.cell.person == 1 and parse.cell.tense == "imperfect"
    ]
    if not first or not any(parse.cell.tense == "imperative" for parse in parses):
        return False
    if any(parse.verb.perfect in verb_list("stative") for parse in first):
        return True
    if walk.scope.commands and parses[0].prefix[:1] in {"و", "ف"}:  # تنفس وأغمض عينيك
        return False
    hamza = parses[0].written.startswith("أ")
    return hamza and (any(p.verb.simple for p in first) or not _commands(walk, at))


def _has_third_as_object(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> bool:
    """التي تراها: whom the clause is about is the object, so somebody else is the subject."""
    third = walk.scope.third
    if third is None:
        return False
    suffixes = [parses[0].suffix]
    for place in range(at + 1, at + 4):
        function = walk.reading.function(place)
        suffixes.append(function.suffix if function and function.sort == "prepositions" else None)
    return any(
        one and one.person == 3 and (one.gender, one.number) == (third.gender, third.number)
        for one in suffixes
    )


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


def _is_simple_first(parses: tuple[VerbParse, ...]) -> bool:
    """أعلم: I know, where somebody says I, rather than he informed."""
    return any(
        parse.cell.person == 1 and parse.cell.tense == "imperfect" and parse.verb.simple
        for parse in parses
    )


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
    if not reading.evidence.asks_for("listener") and walk.voice.listener != "speaker":
        return False
    holder = walk.scope.third or walk.scope.subject
    if holder is not None and holder.gender is not None:
        return False
    if holder is not None and holder.who == walk.voice.listener and not walk.scope.verbal:
        return False  # أنت … تعود
    before = reading.line[at].letters[:1]
    return reading.line.begins(at) or before in {"و", "ف"}


def _has_feminine_subject(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> bool:
    """Whether a woman follows the verb who can be its subject."""
    place = next_noun(walk.reading, at)
    copular = parses[0].verb.perfect in verb_list("copular")
    if place < 0 or (copular and walk.reading.evidence.prior[0] == 1):  # أصبحت المدربة
        return False
    return any(
        parse.form.gender == "feminine"
        and parse.lemma.person
        and not parse.form.nunated
        and parse.prefix.letters in {"", "ال"}
        and (parse.definite or parses[0].suffix is not None)
        and not is_thing(parse.lemma.feminine)
        for parse in walk.reading.known_nouns(place)
    )


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
