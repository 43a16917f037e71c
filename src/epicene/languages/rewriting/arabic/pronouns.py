"""Pronouns of all kinds, and what they open."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic import fixed, nouns, phrases
from epicene.languages.rewriting.arabic.clauses import meant_by, third_person_suffix
from epicene.languages.rewriting.arabic.findings import Finding, Fixed, Noun
from epicene.languages.rewriting.arabic.noun_parsing import thing_of
from epicene.languages.rewriting.arabic.scope import Referent
from epicene.languages.rewriting.arabic.words import ENDS

if TYPE_CHECKING:
    from epicene.languages.rewriting.arabic.clitics import Suffix
    from epicene.languages.rewriting.arabic.conjugation import Number
    from epicene.languages.rewriting.arabic.noun_parsing import NounParse
    from epicene.languages.rewriting.arabic.particles import FunctionParse
    from epicene.languages.rewriting.arabic.state import Walk
    from epicene.languages.rewriting.people import Gender

_NUMBERS: dict[str, Number] = {
    "we": "plural",
    "you all": "plural",
    "you two": "dual",
    "they": "plural",
    "they two": "dual",
}
_MYSELF = frozenset({"نفسي", "ذاتي"})
_I_MEAN = frozenset({"اعني", "واعني", "اقصد", "واقصد"})


def first_or_second(walk: Walk, at: int, function: FunctionParse) -> int:
    """أنا, نحن, أنت and their kin."""
    scope = walk.scope
    person = 1 if function.sort in {"I", "we"} else 2
    referent = walk.person(person, _NUMBERS.get(function.sort, "singular"))
    if function.base == "انتي":
        walk.add(at, referent, Fixed(function.prefix, "you", function.written), "pronoun")
    elif person == 2 and function.sort != "you":
        walk.add(at, referent, Fixed(function.prefix, "pronouns", function.written), "pronoun")
    if function.sort == "you":
        walk.add_vowel(at)
    if walk.topic is not None:
        return at + 1
    scope.third = None
    if scope.subject != referent or function.prefix or not _stresses(walk, at):
        scope.state(referent)
    if function.sort == "we":
        return _specified(walk, at + 1, referent)
    return _companion(walk, at + 1) if function.sort == "I" else at + 1


def _stresses(walk: Walk, at: int) -> bool:
    """كنت أنا, عدت أنا: the pronoun after its verb says nothing new."""
    parses = walk.reading.verbs(at - 1)
    copular = walk.scope.expects == "predicate" and not walk.scope.found
    return any(parse.cell.tense == "perfect" for parse in parses) or (bool(parses) and copular)


def _specified(walk: Walk, at: int, referent: Referent) -> int:
    """نحن المعلمين نعرف: who we are, in the accusative, before what is said of us."""
    reading, scope = walk.reading, walk.scope
    parse = nouns.choose(reading, at, referent)
    if parse is None or not parse.lemma.known:
        return at
    bound = nouns.is_bound(reading, at, parse)
    possessed = bound and (nouns.is_definite(reading, at + 1) or reading.function(at + 1))
    if not parse.prefix.article and not possessed:
        return at
    expected = replace(scope)
    end = phrases.phrase(walk, at, referent, "accusative", "apposition", "likely")
    if reading.line[end].text[:1] in ENDS or end >= len(reading.line):
        walk.findings.drop(range(at, end))
        return at
    if scope.third is None:
        scope.__dict__.update(expected.__dict__)
    return end


def _companion(walk: Walk, at: int) -> int:
    """أنا وزميلتي: what is said of both is dual, and of more plural."""
    parse = _companion_parse(walk, at)
    if parse is None:
        return at
    bound = nouns.is_bound(walk.reading, at, parse)
    number: Number = "dual" if parse.form.number == "singular" else "plural"
    if parse.form.number == "plural" and walk.voice.speaker is not None:
        noun = Noun(parse, "nominative", bound)
        walk.companions.append(Finding(at, walk.voice.speaker, noun, "companions", "guess"))
    elif parse.form.gender == "masculine":
        walk.mixed = True
    walk.scope.subject = walk.scope.target = walk.person(1, number)
    return nouns.skip_noun(walk.reading, at + 1) if bound else at + 1


def _companion_parse(walk: Walk, at: int) -> NounParse | None:
    reading = walk.reading
    if not reading.line[at].letters.startswith("و") or reading.function(at):
        return None
    for parse in reading.known_nouns(at):
        if not parse.prefix.letters.startswith("و") or not parse.lemma.person:
            continue
        if parse.definite or nouns.is_bound(reading, at, parse):
            return parse
    return None


def third(walk: Walk, at: int, function: FunctionParse) -> int:
    """هو, هي and their kin."""
    scope = walk.scope
    if walk.reading.key(at + 1) == "ما" and function.prefix == "و":  # وهو ما حدث
        return at + 1
    gender = fixed.gender_of("pronouns", function.written)
    held = scope.third or scope.subject
    if walk.topic is not None:
        referent = walk.topic
    elif _is_thing(walk, at, gender):
        referent = Referent(None, "singular", gender)
    elif held is not None and held.gender == gender:
        referent = held
    else:
        referent = walk.person(3, _NUMBERS.get(function.sort, "singular"), gender)
    what = Fixed(function.prefix, "pronouns", function.written)
    walk.add(at, referent, what, "pronoun", "likely")
    relative = scope.third
    scope.suspend()
    scope.state(referent)
    scope.third = relative
    return at + 1


def _is_thing(walk: Walk, at: int, gender: Gender | None) -> bool:
    """وهي شركة كبيرة: what follows the pronoun says that it means a thing."""
    reading = walk.reading
    if reading.function(at + 1) is not None:
        return False
    thing = thing_of(reading.line[at + 1].letters)
    if thing is None:  # وهي مدرسة عريقة, but هي مدرسة ماهرة
        known = reading.known_nouns(at + 1)
        joined = reading.line[at].letters.startswith("و")
        return joined and bool(known) and nouns.is_rather_thing(known[0])
    return not thing.prefix.strip("ال") and not thing.suffixed and thing.gender == gender


def suffixed_subject(walk: Walk, at: int, suffix: Suffix) -> int:
    """إنني, لكنك, أنها: the subject at the end of a particle."""
    referent = meant_by(walk, suffix)
    if suffix.person == 3:
        third_person_suffix(walk, at)
    else:
        walk.scope.third = None
        if suffix.gender is not None:
            walk.add(at, referent, suffix, "subject pronoun")
        elif suffix.person == 2:
            walk.add_vowel(at)
    walk.scope.state(referent)
    return at + 1


def demonstrative(walk: Walk, at: int, function: FunctionParse) -> int:
    """هذا أنا, هذا الغريب, and ها أنا ذا."""
    reading, scope = walk.reading, walk.scope
    what = Fixed(function.prefix, "demonstratives", function.written)
    after = reading.function(at + 1)
    points = after is not None and after.sort in {"I", "we"} and not after.prefix
    points = points and function.base not in {"ذا", "ذي"}
    if points or (reading.key(at + 1) == "كنت" and reading.key(at + 2) == "انا"):
        walk.add(at, walk.person(1), what, "demonstrative")
        return at + 1
    if function.base in {"ذا", "ذي"}:
        before = reading.function(at - 1)
        if before is not None and before.sort in {"I", "we"} and scope.subject is not None:
            walk.add(at, scope.subject, what, "demonstrative")
            scope.expect(scope.subject, "predicate", "accusative", "state")
        return at + 1
    if walk.topic is not None and scope.subject is None and after is not None:
        walk.add(at, walk.topic, what, "demonstrative")
        return at + 1
    if after is not None or not nouns.is_definite(reading, at + 1):
        return at + 1
    said = scope.expects == "predicate" and not scope.found and reading.known_nouns(at + 1)
    if said and scope.target is not None and not (scope.verbal and scope.target.who == "others"):
        end = phrases.phrase(walk, at, scope.target, scope.take_case(), scope.rule)
        scope.found = True
        return end
    referent = nouns.referent_of(walk, at + 1)
    if walk.topic is not None and scope.subject is None:
        referent = walk.topic
    opens = scope.subject is None or walk.reading.line.begins(at) or function.prefix == "و"
    end = phrases.phrase(walk, at, referent, "nominative", "noun", "likely")
    if opens and scope.third is None:
        scope.state(referent)
    return end


def relative(walk: Walk, at: int, function: FunctionParse) -> int:
    """الذي with nothing before it that it describes: أنا الذي, الذي … هو أنا."""
    scope = walk.scope
    gender = fixed.gender_of("relatives", function.base)
    plural = function.base in {"الذين", "اللواتي", "اللاتي", "اللائي"}
    meant = None
    if walk.topic is not None and scope.subject is None:
        meant = walk.topic
    elif scope.target is not None and scope.expects == "predicate" and not scope.found:
        meant = scope.target
    what = Fixed(function.prefix, "relatives", function.written)
    walk.add(at, meant, what, "relative pronoun")
    who = meant.who if meant is not None else None
    phrases.open_clause(walk, Referent(who, "plural" if plural else "singular", gender))
    return at + 1


def is_relative_who(walk: Walk, at: int, function: FunctionParse) -> bool:
    """أنا من كتب, آخر من بقي, ممن يعملون: who, with a verb; it opens a clause."""
    scope = walk.scope
    again = scope.third is not None and scope.third.who is not None and function.prefix == "و"
    if function.base == "من" and again and walk.reading.verbs(at + 1):
        return True
    if function.base not in {"من", "ممن"} or scope.target is None or scope.expects != "predicate":
        return False
    if walk.reading.key(at - 1) == "اول":  # أول من قفز is said of anybody
        return False
    place = at + 1
    after = walk.reading.function(place)
    if after is not None and after.sort == "negations":
        place += 1
    for parse in walk.reading.verbs(place):
        cell = parse.cell
        if cell.person == 3 and cell.gender is not None:
            phrases.open_clause(walk, Referent(scope.target.who, cell.number, cell.gender))
            return True
    return False


def topic(walk: Walk, at: int) -> Referent | None:
    """The speaker, where the sentence says that its subject is: هذا الواقف هناك هو أنا."""
    reading = walk.reading
    function = reading.function(at)
    if function is not None and function.sort not in {"demonstratives", "relatives"}:
        return None
    after = reading.function(at + 1)
    if after is not None and after.sort == "I":
        return None
    if function is None and not nouns.is_definite(reading, at):
        return None
    _, end = reading.line.sentence(at)
    for place in range(at + 1, end):
        word, following = reading.line[place].key, reading.function(place + 1)
        is_me = following is not None and following.sort == "I" and not following.prefix
        if is_me and word in {"هو", "هي", "وهو", "وهي", "اي"}:
            return walk.person(1)
        if word in _I_MEAN and reading.line[place + 1].key in _MYSELF:
            return walk.person(1)
    return None
