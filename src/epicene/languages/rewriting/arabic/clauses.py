"""Verbs: whose they are, what agrees in them, and what may follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic import fixed, phrases
from epicene.languages.rewriting.arabic.clitics import SUFFIXES
from epicene.languages.rewriting.arabic.findings import VerbForm
from epicene.languages.rewriting.arabic.letters import folded
from epicene.languages.rewriting.arabic.lexicon import verb_list
from epicene.languages.rewriting.arabic.parsing import thing_of
from epicene.languages.rewriting.arabic.scope import Referent

if TYPE_CHECKING:
    from epicene.languages.rewriting.arabic.conjugation import Cell
    from epicene.languages.rewriting.arabic.parsing import VerbParse
    from epicene.languages.rewriting.arabic.state import Walk


def verb(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> int:
    """Read a verb."""
    parse = _pick(walk, at, parses)
    cell = _cell(walk, at, parse, parses)
    subject_at, subject = _subject(walk, at, parse)
    scope = walk.scope
    if cell.person == 3 and not scope_holds(walk, subject):
        scope.third = scope.third if scope.third is not None and subject_at >= 0 else scope.third
    if cell.person != 3:
        scope.third = None
    scope.subject, scope.subject_at, scope.verbal = subject, subject_at, True
    sure = "certain" if cell.person == 2 and cell.gender == "feminine" else "likely"
    walk.add(at, subject, VerbForm(parse, cell), _rule(cell), sure)  # type: ignore[arg-type]
    _object(walk, at, parse)
    _expect(walk, parse, subject)
    return at + 1


def scope_holds(walk: Walk, subject: Referent) -> bool:
    """Whether the subject is whom the relative clause is about."""
    return walk.scope.third is not None and walk.scope.third.who == subject.who


def _rule(cell: Cell) -> str:
    return {1: "verb", 2: f"{cell.tense} of the second person", 3: f"{cell.tense} of the third person"}[cell.person]


def _pick(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> VerbParse:
    """The reading that the words around allow best."""
    reading = walk.reading
    parses = reading.by_vowel(at, parses)
    exact = tuple(parse for parse in parses if parse.exact)
    parses = exact or parses
    parses = _by_particle(walk, at, parses)
    person = _person(walk, at, parses)
    fitting = [parse for parse in parses if parse.cell.person == person]
    mood = reading.mood(at, parses[0])
    for parse in fitting:
        if parse.cell.tense != "imperfect" or parse.cell.mood == mood:
            return parse
    return fitting[0] if fitting else parses[0]


def _by_particle(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> tuple[VerbParse, ...]:
    before = walk.reading.key(at - 1)
    if before in {"لم", "لن", "سوف", "ان", "كي", "لكي", "لا"}:
        kept = tuple(parse for parse in parses if parse.cell.tense == "imperfect")
        return kept or parses
    if before in {"لقد"}:
        kept = tuple(parse for parse in parses if parse.cell.tense == "perfect")
        return kept or parses
    return parses


def _person(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> int:
    persons = {parse.cell.person for parse in parses}
    suffix = parses[0].suffix
    if suffix is not None and len(persons) > 1 and suffix.person != 3:
        persons.discard(suffix.person)
    if len(persons) == 1:
        return persons.pop()
    scope = walk.scope
    if 3 in persons and _has_feminine_subject(walk, at, parses):
        return 3
    held = walk.reading.scope_person(scope)
    if held == 3 and 3 in persons:
        genders = {parse.cell.gender for parse in parses if parse.cell.person == 3}
        holder = scope.third or scope.subject
        if holder is not None and holder.gender in {None, *genders}:
            return 3
    elif held in persons:
        return held  # type: ignore[return-value]
    if 3 in persons and {parse.cell.tense for parse in parses} == {"perfect", "imperative"}:
        return _imperative_or_third(walk, at, persons)
    return next((person for person in walk.reading.prior if person in persons), parses[0].cell.person)


def _imperative_or_third(walk: Walk, at: int, persons: set[int]) -> int:
    if 2 in persons and "listener" in walk.reading.wanted or walk.voice.speaker == "others":
        starts = walk.reading.line.begins(at) or walk.reading.line[at].letters.startswith(("و", "ف"))
        return 2 if starts else 3
    return 3


def _has_feminine_subject(walk: Walk, at: int, parses: tuple[VerbParse, ...]) -> bool:
    """Whether a woman, or something feminine that only she can be, follows the verb."""
    place = _next_noun(walk, at)
    if place < 0:
        return False
    for parse in walk.reading.known_nouns(place):
        if parse.form.gender == "feminine" and parse.lemma.person and not parse.form.nunated and not parse.prefix.letters.startswith("و"):
            return parse.definite or parses[0].suffix is not None
    return False


def _next_noun(walk: Walk, at: int) -> int:
    """The first noun after a verb, over adverbs and prepositions with a pronoun; -1 if none."""
    place = at + 1
    while place < at + 5:
        function = walk.reading.function(place)
        if function is None:
            break
        if not (function.sort == "adverbs" or (function.sort == "prepositions" and function.suffix)):
            return -1
        place += 1
    return place if walk.reading.is_nominal(place) else -1


def _cell(walk: Walk, at: int, parse: VerbParse, parses: tuple[VerbParse, ...]) -> Cell:
    """What the form says here, in the mood that the words before it ask for."""
    cell = parse.cell
    if cell.tense != "imperfect":
        return cell
    moods = {
        one.cell.mood
        for one in parses
        if one.verb == parse.verb and one.cell.person == cell.person and one.cell.gender == cell.gender and one.cell.number == cell.number
    }
    mood = walk.reading.mood(at, parse)
    if mood in moods:
        return cell._replace(mood=mood)
    if mood == "short" and "cut" in moods:
        return cell._replace(mood="cut")
    return cell


def _subject(walk: Walk, at: int, parse: VerbParse) -> tuple[int, Referent]:
    """Where the verb's subject stands (-1: nowhere), and who it is."""
    cell = parse.cell
    if cell.person != 3:
        return -1, walk.person(cell.person, cell.number)
    perfect = folded(parse.verb.perfect)
    if perfect in verb_list("impersonal"):
        return -1, Referent(None)
    if walk.reading.key(at + 1) == "ان" and perfect == "بدا":
        return -1, Referent(None)
    place = _explicit_subject(walk, at, parse)
    if place >= 0:
        return place, phrases.referent_of(walk, place)
    third = walk.scope.third
    if third is not None and _same(third, cell):
        return -1, third
    subject = walk.scope.subject
    if subject is not None and _is_third(walk, subject) and _same(subject, cell):
        return -1, subject
    if walk.topic is not None:
        return -1, walk.topic
    return -1, walk.person(3, cell.number, cell.gender)


def _is_third(walk: Walk, subject: Referent) -> bool:
    return subject.gender is not None


def _same(referent: Referent, cell: Cell) -> bool:
    if referent.gender not in {None, cell.gender}:
        return False
    return referent.number == cell.number


def _explicit_subject(walk: Walk, at: int, parse: VerbParse) -> int:
    place = _next_noun(walk, at)
    if place < 0:
        return -1
    letters = walk.reading.line[place].letters
    if fixed.pair("members", letters):
        return place if fixed.gender_of("members", letters) == parse.cell.gender else -1
    nouns = [one for one in walk.reading.known_nouns(place) if not one.prefix.preposition]
    if nouns and not thing_of(letters):
        noun = nouns[0]
        agrees = noun.form.gender == parse.cell.gender or noun.form.number == "plural"
        marked = noun.form.nunated or noun.form.cases == frozenset({"accusative"})
        indefinite = not noun.definite and not phrases.is_bound(walk, place, noun)
        if not agrees or marked or noun.prefix.letters.startswith(("و", "ف")):
            return -1
        if indefinite and (folded(parse.verb.perfect) in verb_list("copular") or noun.lemma.adjective and not noun.lemma.person):
            return -1
        return place
    gender = phrases._gender(walk, place)
    if gender != parse.cell.gender or letters.endswith("ا"):
        return -1
    return place if folded(parse.verb.perfect) in verb_list("intransitive") else -1


def _object(walk: Walk, at: int, parse: VerbParse) -> None:
    suffix = parse.suffix
    if suffix is None:
        return
    if suffix.person == 2 and suffix.gender is not None:
        walk.add(at, walk.person(2, suffix.number), suffix, "object pronoun")
    elif suffix.person == 3:
        third_person_suffix(walk, at)


def third_person_suffix(walk: Walk, at: int) -> None:
    """The pronoun of the third person at the end of a word, if it means somebody."""
    letters = walk.reading.line[at].letters
    suffix = next(
        (one for one in SUFFIXES if one.person == 3 and one.gender and letters.endswith(one.letters)), None
    )
    if suffix is None or len(letters) - len(suffix.letters) < 1:
        return
    third = walk.scope.third
    if third is not None:
        if third.gender == suffix.gender and third.number == suffix.number:
            walk.add(at, third, suffix, "pronoun of the relative clause", "likely")
        return
    if walk.topic is not None:
        walk.add(at, walk.topic, suffix, "pronoun", "likely")
        return
    walk.add(at, walk.person(3, suffix.number, suffix.gender), suffix, "pronoun", "guess")


def _expect(walk: Walk, parse: VerbParse, subject: Referent) -> None:
    scope = walk.scope
    perfect = folded(parse.verb.perfect)
    suffix = parse.suffix
    if suffix is not None:
        if suffix.person == 3:
            target = scope.third if scope.third and scope.third.gender == suffix.gender else walk.person(3, suffix.number, suffix.gender)
        else:
            target = walk.person(suffix.person, suffix.number)
        scope.expect(target, "role" if perfect in verb_list("role_verbs") else "state", "accusative", "state")
    elif perfect in verb_list("copular"):
        rule = "predicate of ليس" if perfect == "ليس" else "predicate"
        scope.expect(subject, "predicate", "accusative", rule)
    elif perfect in verb_list("role_verbs"):
        scope.expect(subject, "role", "accusative", "role")
    else:
        scope.expect(subject, "state", "accusative", "state")
