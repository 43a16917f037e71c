"""Noun phrases: a head, its possessor, its adjectives, and the relative clause it opens."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.arabic import inflection, lexicon, nouns
from epicene.rewriting.arabic.analysis import analyse_noun, analyse_thing
from epicene.rewriting.arabic.clauses import read_possessive as clitics
from epicene.rewriting.arabic.context import Referent
from epicene.rewriting.arabic.disambiguation import ADJECTIVAL_ADVERBS
from epicene.rewriting.arabic.sites import FixedTarget, NounTarget

if TYPE_CHECKING:
    from epicene.rewriting import Confidence
    from epicene.rewriting.arabic.analysis import FunctionParse, NounParse
    from epicene.rewriting.arabic.context import Context
    from epicene.rewriting.arabic.inflection import Case
    from epicene.rewriting.persons import Gender

# Of a person and their thing, rather the thing: طاهية وجبات سريعة.
_ADJECTIVES_OF_THINGS = frozenset("سريع خفيف لذيذ مختلف متنوع ثقيل".split())


def read_phrase(
    walk: Context,
    at: int,
    referent: Referent | None,
    case: Case,
    rule: str,
    sure: Confidence = "certain",
) -> int:
    """Read a phrase that means the referent from its head on; the place after it."""
    reading = walk.reading
    function = reading.function(at)
    if function is not None and function.sort == "demonstratives":
        what = FixedTarget(function.prefix, "demonstratives", function.written)
        walk.add(at, referent, what, rule, sure)
        return read_phrase(walk, at + 1, referent, case, rule, sure)
    clitics(walk, at)
    counted = nouns.read_numeral(reading, at)
    if counted is not None:
        for place, what in counted.words:
            walk.add(place, referent, what, rule, sure)
        if counted.noun < 0:
            return counted.end
        at, case = counted.noun, counted.case
        referent = referent and referent._replace(number=counted.number)
    elative = nouns.elative_target(reading, at)
    if elative is not None:
        walk.add(at, referent, elative, rule, sure)
        ten = reading.line.letters(at + 1)
        if lexicon.fixed_pair("tens", ten):  # الحادي عشر
            walk.add(at + 1, referent, FixedTarget("", "tens", ten), rule, sure)
        return at + 1
    parse = nouns.choose_noun(reading, at, referent) or nouns.choose_noun(reading, at, None)
    nobody = referent is None or referent.who is None
    if parse is not None and nobody and not parse.lemma.known:
        return skip_thing_phrase(walk, at)
    if parse is None or analyse_thing(reading.line.letters(at)) is not None:
        return skip_thing_phrase(walk, at)
    return _read_person_phrase(walk, at, parse, referent, case, rule, sure)


def _read_person_phrase(
    walk: Context,
    at: int,
    parse: NounParse,
    referent: Referent | None,
    case: Case,
    rule: str,
    sure: Confidence,
) -> int:
    reading = walk.reading
    if parse.prefix.preposition:
        case = "genitive"
    if not parse.lemma.known:
        sure = "guess"
    takes_object = parse.lemma.governing and rule == "state"  # جلست منتظرًا النتائج
    bound = nouns.is_bound(reading, at, parse) and not takes_object
    walk.add(at, referent, NounTarget(parse, case, bound), rule, sure)
    end = at + 1
    definite = parse.definite
    possessor: Gender | None = None
    if bound:
        definite = definite or nouns.is_definite(reading, end) or bool(reading.function(end))
        possessor = nouns.noun_gender(reading, end)
        end = _read_possessor(walk, end)
    grammatical = parse.lemma.is_invariable and not parse.lemma.adjective  # شخص is masculine
    who = referent.who if referent and not grammatical else None
    head = Referent(who, parse.form.number, parse.form.gender)
    end = _read_attributes(walk, end, head, case, definite=definite, possessor=possessor)
    return _read_relative_clause(walk, end, head, definite=definite, person=parse.lemma.person)


def skip_thing_phrase(walk: Context, at: int) -> int:
    """Skip a phrase about a thing, with what belongs to it."""
    reading = walk.reading
    definite = nouns.is_definite(reading, at) or nouns.ends_in_pronoun(reading, at)
    end = at + 1
    possessor: Gender | None = None
    if not definite and not nouns.is_nunated(reading, at) and nouns.possessor_follows(reading, end):
        possessor = nouns.noun_gender(reading, end)
        start, end = end, _read_possessor(walk, end)
        definite = any(nouns.is_definite(reading, place) for place in range(start, end))
    head = Referent(None, "singular", nouns.noun_gender(reading, at))
    if possessor or not nouns.is_nunated(reading, end) or _may_be_nunated(walk, at):
        end = _read_attributes(
            walk, end, head, "nominative", definite=definite, possessor=possessor
        )
    return _read_relative_clause(walk, end, head, definite=definite)


def _read_possessor(walk: Context, at: int) -> int:
    """Read a possessor, which may be somebody too; the place after it."""
    reading = walk.reading
    place = at
    function = reading.function(place)
    if function is not None and function.sort == "demonstratives":
        place += 1
    known = reading.known_nouns(place)
    if known and known[0].lemma.person and analyse_thing(reading.line.letters(place)) is None:
        clitics(walk, place)
        form = known[0].form
        thing = Referent(None, form.number, form.gender)
        referent = thing if nouns.is_rather_thing(known[0]) else walk.named(known[0])
        return read_phrase(walk, at, referent, "genitive", "noun", "likely")
    end = nouns.skip_noun(reading, at)
    for skipped in range(at, end):
        clitics(walk, skipped)
    return end


def _may_be_nunated(walk: Context, at: int) -> bool:
    """Whether an adjective with nunation can go with the thing: not in غياب طويل محملًا."""
    return walk.reading.line.letters(at).endswith(("ا", "ة", "اء", "ى"))


class _Head(NamedTuple):
    """What adjectives may go with: a noun in its case, definite or not, and its possessor."""

    referent: Referent
    case: Case
    definite: bool
    possessor: Gender | None


def _read_attributes(
    walk: Context,
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
            after = _read_function_attribute(walk, end, function, head, first=end == at)
        else:
            after = _read_adjective(walk, end, head)
        if after == end:
            return end
        end = after


def _read_function_attribute(
    walk: Context, at: int, function: FunctionParse, head: _Head, *, first: bool
) -> int:
    """صديقكم هذا, رجل غير سعيد, طباخًا جيدًا: attributes that are or begin with function words."""
    if function.sort == "adverbs" and first and not head.definite:
        adjective = _adverb_as_adjective(walk, at, head.referent)
        if adjective is not None:
            walk.add(at, head.referent, NounTarget(adjective, head.case), "attribute", "likely")
            return at + 1
    if function.base == "غير" and not function.prefix:
        parse = _attribute_parse(walk, at + 1, head.referent, definite=head.definite)
        if parse is not None:
            walk.add(at + 1, head.referent, NounTarget(parse, "genitive"), "attribute")
            return at + 2
    if head.definite and _read_demonstrative_after(walk, at, function, head.referent):
        return at + 1
    return at


def _read_adjective(walk: Context, at: int, head: _Head) -> int:
    """An adjective; a possessor of the head's gender may be what it goes with."""
    reading, referent = walk.reading, head.referent
    elative = _elative_attribute(walk, at, referent)
    if elative is not None and head.definite:
        walk.add(at, referent, elative, "attribute")
        return at + 1
    parse = _attribute_parse(walk, at, referent, definite=head.definite)
    if parse is None:
        return at + 1 if _is_possessors(walk, at, head) else at
    free = referent.who is None and head.possessor is None
    if free and parse.form.nunated and not reading.line.letters(at - 1).endswith("ا"):
        return at
    shared = head.possessor == referent.gender
    if shared and parse.lemma.masculine in _ADJECTIVES_OF_THINGS:
        return at + 1
    bound = nouns.is_bound(reading, at, parse)
    sure: Confidence = "guess" if shared or not parse.lemma.known else "certain"
    walk.add(at, referent, NounTarget(parse, head.case, bound), "attribute", sure)
    return _read_possessor(walk, at + 1) if bound else at + 1


def _is_possessors(walk: Context, at: int, head: _Head) -> bool:
    """Whether an adjective goes with the possessor alone: سبعينات القرن السابع."""
    if head.possessor in {None, head.referent.gender}:
        return False
    thing = Referent(None, "singular", head.possessor)
    return _attribute_parse(walk, at, thing, definite=head.definite) is not None


def _adverb_as_adjective(walk: Context, at: int, head: Referent) -> NounParse | None:
    """طباخًا جيدًا: what is an adverb elsewhere, right after a noun in the accusative."""
    if walk.reading.line[at] not in ADJECTIVAL_ADVERBS - {"جدا"}:
        return None
    if not nouns.is_nunated(walk.reading, at - 1) or not walk.reading.known_nouns(at - 1):
        return None
    for parse in analyse_noun(walk.reading.line.letters(at)):
        if parse.lemma.known and parse.form.nunated and parse.form.number == head.number:
            return parse if parse.lemma.adjective else None
    return None


def _read_demonstrative_after(
    walk: Context, at: int, function: FunctionParse, head: Referent
) -> bool:
    """صديقكم هذا: a demonstrative after its noun."""
    if function.sort != "demonstratives" or function.prefix:
        return False
    if lexicon.fixed_gender("demonstratives", function.base) != head.gender:
        return False
    if nouns.is_definite(walk.reading, at + 1):
        return False
    walk.add(at, head, FixedTarget("", "demonstratives", function.written), "attribute")
    return True


def _elative_attribute(walk: Context, at: int, head: Referent) -> FixedTarget | None:
    found = nouns.elative_target(walk.reading, at)
    if found is None or found.prefix != "ال" or head.number != "singular":
        return None
    return found if lexicon.fixed_gender("elatives", found.word) == head.gender else None


def _attribute_parse(walk: Context, at: int, head: Referent, *, definite: bool) -> NounParse | None:
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
    return nisba or inflection.is_adjective_shape(lemma.masculine)


def _read_relative_clause(
    walk: Context, at: int, head: Referent, *, definite: bool, person: bool = False
) -> int:
    """Open the relative clause of a head."""
    reading = walk.reading
    function = reading.function(at)
    if function is not None and function.sort == "relatives":
        if lexicon.fixed_gender("relatives", function.base) != head.gender:
            return at
        what = FixedTarget(function.prefix, "relatives", function.written)
        walk.add(at, head, what, "relative pronoun")
        open_relative_clause(walk, head)
        return at + 1
    if not definite and _opens_bare_relative(walk, at, head, person=person):
        open_relative_clause(walk, head)
    return at


def _opens_bare_relative(walk: Context, at: int, head: Referent, *, person: bool) -> bool:
    """خياط لا يعرف, عمال لهم حق: a clause about an indefinite head, without a relative."""
    function = walk.reading.function(at)
    if function is not None and function.sort == "prepositions":
        return _says_what_head_has(walk, at, function, head)
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


def _says_what_head_has(walk: Context, at: int, function: FunctionParse, head: Referent) -> bool:
    """عمال لهم حق, فتى في يده وردة: what the head has, with a pronoun for it."""
    if function.suffix:
        suffix = function.suffix
        same = suffix.gender == head.gender and suffix.number == head.number
        return same and function.base == "ل" and walk.reading.is_nominal(at + 1)
    letters = walk.reading.line.letters(at + 1)
    ending = {"masculine": "ه", "feminine": "ها"}.get(head.gender or "", "")
    thing = analyse_thing(letters)
    has = thing is not None and thing.suffixed and letters.endswith(ending)
    return has and head.number == "singular" and walk.reading.is_nominal(at + 2)


def open_relative_clause(walk: Context, head: Referent) -> None:
    """The third person is the head from here on."""
    scope = walk.scope
    scope.end_clause()
    scope.third = scope.subject = head
    scope.verbal = True
