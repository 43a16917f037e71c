"""Of which person a form is that can be several: كتبت, تكتب, أكتب, توقف."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic.lexicon import verb_list
from epicene.languages.rewriting.arabic.noun_parsing import is_thing
from epicene.languages.rewriting.arabic.subjects import explicit_subject, next_noun

if TYPE_CHECKING:
    from epicene.languages.rewriting.arabic.state import Walk
    from epicene.languages.rewriting.arabic.verb_parsing import VerbParse


def person_of(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> int:
    """The person that the words around allow best."""
    if parses[0].written.startswith("إ"):  # a command with a hamza too many
        parses = tuple(p for p in parses if p.cell.tense == "imperative") or parses
    persons: set[int] = {parse.cell.person for parse in parses if not _is_reflexive(parse)}
    if len(persons) == 1:
        return persons.pop()
    shown = _shown(walk, at, parses)
    if shown in persons:
        return shown
    if 3 in persons and len(persons) > 1 and _has_third_as_object(walk, at, parses):
        persons.discard(3)
    if {1, 3} <= persons and _says_i(walk, at, parses):
        return 1
    held = _held(walk, parses)
    if held in persons and not (persons == {1, 2} and walk.reading.opens_clause(at)):
        return held
    return next((person for person in walk.reading.evidence.prior if person in persons), 3)


def _is_reflexive(parse: VerbParse) -> bool:
    """I myself, you yourself: not with a suffixed pronoun."""
    suffix = parse.suffix
    return suffix is not None and suffix.person != 3 and suffix.person == parse.cell.person


def _shown(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> int:
    """The person that a word beside the verb or the clause around it shows, 0 if none does."""
    if walk.topic is not None or _has_feminine_subject(walk, at, parses):
        return 3
    told = _told_or_commanded(walk, at, parses)
    if told:
        return told
    if _follows_was(walk, at):
        return 1
    in_clause = walk.scope.third is not None and _held(walk, parses) == 3
    if in_clause and not _has_third_as_object(walk, at, parses):
        return 3
    statement = walk.reading.evidence.prior[0] != 3 and _is_statement(walk, at, parses)
    return 1 if statement else 0


def _says_i(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> bool:
    """Whether what looks like mine or another's is mine."""
    if _is_masculine_state(walk, at):
        return True
    return walk.reading.evidence.says_i and _is_simple_first(parses)


def _follows_was(walk: Walk, at: int) -> bool:
    """كنت أخاف: the verb after mine is mine."""
    before = walk.reading.verbs(at - 1)
    mine = {parse.cell.person for parse in before if parse.verb.perfect == "كان"}
    return bool(mine) and 3 not in mine and walk.scope.subject == walk.person(1)


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
    return 2 if commands(walk, at) else 3


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
    return hamza and (any(p.verb.simple for p in first) or not commands(walk, at))


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


def commands(walk: Walk, at: int) -> bool:
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
