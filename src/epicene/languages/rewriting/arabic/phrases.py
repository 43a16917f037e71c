"""Noun phrases: a head, its possessor, its adjectives, and the relative clause it opens."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.rewriting.arabic import fixed, guessing, nouns, numerals
from epicene.languages.rewriting.arabic.clauses import possessive as clitics
from epicene.languages.rewriting.arabic.findings import Fixed, Noun
from epicene.languages.rewriting.arabic.noun_parsing import noun_parses, thing_of
from epicene.languages.rewriting.arabic.reading import ADJECTIVAL_ADVERBS
from epicene.languages.rewriting.arabic.scope import Referent

if TYPE_CHECKING:
    from epicene.languages.rewriting import Sureness
    from epicene.languages.rewriting.arabic.declension import Case
    from epicene.languages.rewriting.arabic.noun_parsing import NounParse
    from epicene.languages.rewriting.arabic.particles import FunctionParse
    from epicene.languages.rewriting.arabic.state import Walk
    from epicene.languages.rewriting.people import Gender


# Of a person and their thing, rather the thing: طاهية وجبات سريعة.
_OF_THINGS = frozenset("سريع خفيف لذيذ مختلف متنوع ثقيل".split())


def phrase(
    walk: Walk,
    at: int,
    referent: Referent | None,
    case: Case,
    rule: str,
    sure: Sureness = "certain",
) -> int:
    """Read a phrase that means the referent from its head on; the place after it."""
    reading = walk.reading
    function = reading.function(at)
    if function is not None and function.sort == "demonstratives":
        what = Fixed(function.prefix, "demonstratives", function.written)
        walk.add(at, referent, what, rule, sure)
        return phrase(walk, at + 1, referent, case, rule, sure)
    clitics(walk, at)
    counted = numerals.counted(reading, at)
    if counted is not None:
        for place, what in counted.words:
            walk.add(place, referent, what, rule, sure)
        if counted.noun < 0:
            return counted.end
        at, case = counted.noun, counted.case
        referent = referent and referent._replace(number=counted.number)
    elative = nouns.elative(reading, at)
    if elative is not None:
        walk.add(at, referent, elative, rule, sure)
        ten = reading.line[at + 1].letters
        if fixed.pair("tens", ten):  # الحادي عشر
            walk.add(at + 1, referent, Fixed("", "tens", ten), rule, sure)
        return at + 1
    parse = nouns.choose(reading, at, referent) or nouns.choose(reading, at, None)
    nobody = referent is None or referent.who is None
    if parse is not None and nobody and not parse.lemma.known:
        return thing_phrase(walk, at)
    if parse is None or thing_of(reading.line[at].letters) is not None:
        return thing_phrase(walk, at)
    return _person_phrase(walk, at, parse, referent, case, rule, sure)


def _person_phrase(
    walk: Walk,
    at: int,
    parse: NounParse,
    referent: Referent | None,
    case: Case,
    rule: str,
    sure: Sureness,
) -> int:
    reading = walk.reading
    if parse.prefix.preposition:
        case = "genitive"
    if not parse.lemma.known:
        sure = "guess"
    takes_object = parse.lemma.governing and rule == "state"  # جلست منتظرًا النتائج
    bound = nouns.is_bound(reading, at, parse) and not takes_object
    walk.add(at, referent, Noun(parse, case, bound), rule, sure)
    end = at + 1
    definite = parse.definite
    possessor: Gender | None = None
    if bound:
        definite = definite or nouns.is_definite(reading, end) or bool(reading.function(end))
        possessor = nouns.gender_at(reading, end)
        end = _possessor(walk, end)
    grammatical = parse.lemma.is_invariable and not parse.lemma.adjective  # شخص is masculine
    who = referent.who if referent and not grammatical else None
    head = Referent(who, parse.form.number, parse.form.gender)
    end = _attributes(walk, end, head, case, definite=definite, possessor=possessor)
    return _clause_after(walk, end, head, definite=definite, person=parse.lemma.person)


def thing_phrase(walk: Walk, at: int) -> int:
    """Skip a phrase about a thing, with what belongs to it."""
    reading = walk.reading
    definite = nouns.is_definite(reading, at) or nouns.ends_in_pronoun(reading, at)
    end = at + 1
    possessor: Gender | None = None
    if not definite and not nouns.is_nunated(reading, at) and nouns.possessor_follows(reading, end):
        possessor = nouns.gender_at(reading, end)
        start, end = end, _possessor(walk, end)
        definite = any(nouns.is_definite(reading, place) for place in range(start, end))
    head = Referent(None, "singular", nouns.gender_at(reading, at))
    if possessor or not nouns.is_nunated(reading, end) or _may_be_nunated(walk, at):
        end = _attributes(walk, end, head, "nominative", definite=definite, possessor=possessor)
    return _clause_after(walk, end, head, definite=definite)


def _possessor(walk: Walk, at: int) -> int:
    """Read a possessor, which may be somebody too; the place after it."""
    reading = walk.reading
    place = at
    function = reading.function(place)
    if function is not None and function.sort == "demonstratives":
        place += 1
    known = reading.known_nouns(place)
    if known and known[0].lemma.person and thing_of(reading.line[place].letters) is None:
        clitics(walk, place)
        form = known[0].form
        thing = Referent(None, form.number, form.gender)
        referent = thing if nouns.is_rather_thing(known[0]) else walk.named(known[0])
        return phrase(walk, at, referent, "genitive", "noun", "likely")
    end = nouns.skip_noun(reading, at)
    for skipped in range(at, end):
        clitics(walk, skipped)
    return end


def _may_be_nunated(walk: Walk, at: int) -> bool:
    """Whether an adjective with nunation can go with the thing: not in غياب طويل محملًا."""
    return walk.reading.line[at].letters.endswith(("ا", "ة", "اء", "ى"))


class _Head(NamedTuple):
    """What adjectives may go with: a noun in its case, definite or not, and its possessor."""

    referent: Referent
    case: Case
    definite: bool
    possessor: Gender | None


def _attributes(
    walk: Walk,
    at: int,
    referent: Referent,
    case: Case,
    *,
    definite: bool,
    possessor: Gender | None,
) -> int:
    """Read the adjectives of a head; the place after them."""
    head = _Head(referent, case, definite, possessor)
    end = at
    while True:
        function = walk.reading.function(end)
        if function is not None:
            after = _function_attribute(walk, end, function, head, first=end == at)
        else:
            after = _adjective(walk, end, head)
        if after == end:
            return end
        end = after


def _function_attribute(
    walk: Walk, at: int, function: FunctionParse, head: _Head, *, first: bool
) -> int:
    """صديقكم هذا, رجل غير سعيد, طباخًا جيدًا: attributes that are or begin with function words."""
    if function.sort == "adverbs" and first and not head.definite:
        adjective = _adverbial(walk, at, head.referent)
        if adjective is not None:
            walk.add(at, head.referent, Noun(adjective, head.case), "attribute", "likely")
            return at + 1
    if function.base == "غير" and not function.prefix:
        parse = _attribute(walk, at + 1, head.referent, definite=head.definite)
        if parse is not None:
            walk.add(at + 1, head.referent, Noun(parse, "genitive"), "attribute")
            return at + 2
    if head.definite and _points_back(walk, at, function, head.referent):
        return at + 1
    return at


def _adjective(walk: Walk, at: int, head: _Head) -> int:
    """An adjective; a possessor of the head's gender may be what it goes with."""
    reading, referent = walk.reading, head.referent
    elative = _elative(walk, at, referent)
    if elative is not None and head.definite:
        walk.add(at, referent, elative, "attribute")
        return at + 1
    parse = _attribute(walk, at, referent, definite=head.definite)
    if parse is None:
        return at + 1 if _is_possessors(walk, at, head) else at
    free = referent.who is None and head.possessor is None
    if free and parse.form.nunated and not reading.line[at - 1].letters.endswith("ا"):
        return at
    shared = head.possessor == referent.gender
    if shared and parse.lemma.masculine in _OF_THINGS:
        return at + 1
    bound = nouns.is_bound(reading, at, parse)
    sure: Sureness = "guess" if shared or not parse.lemma.known else "certain"
    walk.add(at, referent, Noun(parse, head.case, bound), "attribute", sure)
    return _possessor(walk, at + 1) if bound else at + 1


def _is_possessors(walk: Walk, at: int, head: _Head) -> bool:
    """Whether an adjective goes with the possessor alone: سبعينات القرن السابع."""
    if head.possessor in {None, head.referent.gender}:
        return False
    thing = Referent(None, "singular", head.possessor)
    return _attribute(walk, at, thing, definite=head.definite) is not None


def _adverbial(walk: Walk, at: int, head: Referent) -> NounParse | None:
    """طباخًا جيدًا: what is an adverb elsewhere, right after a noun in the accusative."""
    if walk.reading.line[at].key not in ADJECTIVAL_ADVERBS - {"جدا"}:
        return None
    if not nouns.is_nunated(walk.reading, at - 1) or not walk.reading.known_nouns(at - 1):
        return None
    for parse in noun_parses(walk.reading.line[at].letters):
        if parse.lemma.known and parse.form.nunated and parse.form.number == head.number:
            return parse if parse.lemma.adjective else None
    return None


def _points_back(walk: Walk, at: int, function: FunctionParse, head: Referent) -> bool:
    """صديقكم هذا: a demonstrative after its noun."""
    if function.sort != "demonstratives" or function.prefix:
        return False
    if fixed.gender_of("demonstratives", function.base) != head.gender:
        return False
    if nouns.is_definite(walk.reading, at + 1):
        return False
    walk.add(at, head, Fixed("", "demonstratives", function.written), "attribute")
    return True


def _elative(walk: Walk, at: int, head: Referent) -> Fixed | None:
    found = nouns.elative(walk.reading, at)
    if found is None or found.prefix != "ال" or head.number != "singular":
        return None
    return found if fixed.gender_of("elatives", found.word) == head.gender else None


def _attribute(walk: Walk, at: int, head: Referent, *, definite: bool) -> NounParse | None:
    """The adjective that goes with a head, if one stands there."""
    if walk.reading.verbs(at):
        return None
    for parse in walk.reading.nouns(at):
        if parse.prefix.letters != ("ال" if definite else "") or parse.suffix:
            continue
        if parse.form.number != head.number or head.gender not in {None, parse.form.gender}:
            continue
        if _can_describe(parse, head):
            return parse
        if parse.lemma.person and definite and head.who is not None:
            return parse
    return None


def _can_describe(parse: NounParse, head: Referent) -> bool:
    """Whether a word can be an adjective of the head; of a person, also by its looks."""
    lemma = parse.lemma
    if head.who is None:
        return lemma.adjective or (parse.prefix.article and lemma.can_describe)
    if lemma.known:
        return lemma.can_describe
    nisba = parse.prefix.article and lemma.masculine.endswith("ي")
    return nisba or guessing.is_adjective_shape(lemma.masculine)


def _clause_after(
    walk: Walk, at: int, head: Referent, *, definite: bool, person: bool = False
) -> int:
    """Open the relative clause of a head."""
    reading = walk.reading
    function = reading.function(at)
    if function is not None and function.sort == "relatives":
        if fixed.gender_of("relatives", function.base) != head.gender:
            return at
        what = Fixed(function.prefix, "relatives", function.written)
        walk.add(at, head, what, "relative pronoun")
        open_clause(walk, head)
        return at + 1
    if not definite and _describes(walk, at, head, person=person):
        open_clause(walk, head)
    return at


def _describes(walk: Walk, at: int, head: Referent, *, person: bool) -> bool:
    """خياط لا يعرف, عمال لهم حق: a clause about an indefinite head, without a relative."""
    function = walk.reading.function(at)
    if function is not None and function.sort == "prepositions":
        return _has(walk, at, function, head)
    place = at
    if function is not None and function.sort == "negations":
        place += 1
    if head.who is None and place == at:
        return False
    first = [parse.cell for parse in walk.reading.verbs(place) if parse.cell.person == 1]
    if first and (not person or any(cell.tense == "imperfect" for cell in first)):
        return False  # مهندس أعمل
    return any(
        parse.cell.person == 3
        and parse.cell.gender == head.gender
        and parse.cell.number == head.number
        and not parse.prefix
        for parse in walk.reading.verbs(place)
    )


def _has(walk: Walk, at: int, function: FunctionParse, head: Referent) -> bool:
    """عمال لهم حق, فتى في يده وردة: what the head has, with a pronoun for it."""
    if function.suffix:
        suffix = function.suffix
        same = suffix.gender == head.gender and suffix.number == head.number
        return same and function.base == "ل" and walk.reading.is_nominal(at + 1)
    letters = walk.reading.line[at + 1].letters
    ending = {"masculine": "ه", "feminine": "ها"}.get(head.gender or "", "")
    thing = thing_of(letters)
    has = thing is not None and thing.suffixed and letters.endswith(ending)
    return has and head.number == "singular" and walk.reading.is_nominal(at + 2)


def open_clause(walk: Walk, head: Referent) -> None:
    """The third person is the head from here on."""
    scope = walk.scope
    scope.end_clause()
    scope.third = scope.subject = head
    scope.verbal = True
