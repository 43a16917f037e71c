"""Read a passage from its first word to its last and collect the sites: function words, people
addressed, nouns and verbs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from epicene.rewriting.arabic import lexicon, nouns, phrases, pronouns
from epicene.rewriting.arabic.analysis import FunctionParse
from epicene.rewriting.arabic.clauses import (
    compared_person,
    implied_subject,
    inverted_subject,
    is_expected_predicate,
    is_impersonal_phrase,
    read_possessive,
    read_third_person_suffix,
    read_verb,
    suffix_referent,
)
from epicene.rewriting.arabic.context import Context, Referent
from epicene.rewriting.arabic.disambiguation import PassageAnalysis
from epicene.rewriting.arabic.sites import FixedTarget

if TYPE_CHECKING:
    from collections.abc import Mapping

    from epicene.rewriting.arabic.line import Line
    from epicene.rewriting.arabic.sites import Sites
    from epicene.rewriting.arabic.spelling import Suffix
    from epicene.rewriting.persons import TargetGenders
    from epicene.rewriting.quotations import Passage

_TERMS_OF_ADDRESS = frozenset("عزيز حبيب سيد بني".split())
_TITLES_OF_ADDRESS = frozenset("سيد دكتور أستاذ معلم".split())


def read_vocative(walk: Context, at: int, function: FunctionParse) -> int:
    """يا, أيها and whoever follows."""
    referent = walk.person(2)
    if function.base != "يا":
        walk.add(
            at, referent, FixedTarget(function.prefix, "vocatives", function.written), "vocative"
        )
    after = walk.reading.function(at + 1)
    if after is not None and after.sort == "vocatives":
        return at + 1
    known = walk.reading.known_nouns(at + 1)
    if function.base != "يا":
        known = known or walk.reading.nouns(at + 1)
    if not known:
        return at + 2
    number = known[0].form.number
    held = replace(walk.scope)
    called = referent._replace(number=number)
    end = phrases.read_phrase(walk, at + 1, called, "nominative", "vocative", "certain")
    walk.scope.__dict__.update(held.__dict__)
    return end


def is_addressed(walk: Context, at: int) -> bool:
    """صديقي، …: somebody of mine who stands alone between marks, or a title before a name."""
    reading = walk.reading
    begins = reading.line.after_mark(at)
    for parse in reading.known_nouns(at):
        if parse.prefix.letters:
            continue
        mine = parse.suffix is not None and parse.suffix.letters == "ي"
        if mine and reading.line.is_mark(at + 1) and begins:
            return True
        if (
            mine
            and parse.lemma.masculine in _TERMS_OF_ADDRESS
            and (begins or reading.line.is_mark(at + 1))
        ):
            return not reading.is_preposition(at - 1)
        if (
            begins
            and parse.lemma.masculine in _TITLES_OF_ADDRESS
            and reading.line.token(at + 1).text == "("
        ):
            return True
    return False


def read_addressed(walk: Context, at: int) -> int:
    """Whoever is called so is the listener."""
    held = replace(walk.scope)
    end = phrases.read_phrase(walk, at, walk.person(2), "nominative", "vocative", "likely")
    walk.scope.__dict__.update(held.__dict__)
    return end


_Handler: TypeAlias = Callable[[Context, int, FunctionParse], int]

_PREPOSITIONS_OF_HAVING = frozenset("ل لدي عند".split())
_QUANTITY_NOUNS = frozenset("الاف مئات عشرات ملايين مجموعه كبار صغار اوائل اواخر".split())


def read_function_word(walk: Context, at: int, function: FunctionParse) -> int:
    """Read a function word; the place after it, and after what belongs to it."""
    if function.suffix is not None and function.sort in {"inna", "role_markers"}:
        return _read_suffixed_particle(walk, at, function)
    step = _HANDLERS.get(function.sort)
    return step(walk, at, function) if step is not None else at + 1


def _read_suffixed_particle(walk: Context, at: int, function: FunctionParse) -> int:
    """إنني, بصفتي: whom the pronoun means has something said of them."""
    suffix = function.suffix
    assert suffix is not None
    if function.sort == "inna":
        return pronouns.read_suffixed_subject(walk, at, suffix)
    read_third_person_suffix(walk, at)
    walk.scope.expect(suffix_referent(walk, suffix), "predicate", "accusative", "role")
    return at + 1


def _read_transparent(walk: Context, at: int, function: FunctionParse) -> int:
    """غير قادر, سوى ممرض, أول محام: what agrees is the next word."""
    scope = walk.scope
    if scope.expects is None:
        return at + 1
    end = pronouns.read_first_of(walk, at, function)
    if end:
        return end
    if function.base in {"كل", "بعض", "اي"}:
        return at + 1
    if function.base != "الا":
        scope.next_case = "genitive"
    scope.expects = "predicate" if scope.expects != "state" else "role"
    return at + 1


def _read_subordinator(walk: Context, at: int, function: FunctionParse) -> int:
    if not pronouns.opens_relative_with_who(walk, at, function):
        walk.scope.suspend()
        walk.scope.end_clause()
    return at + 1


def _read_clause_particle(walk: Context, at: int, function: FunctionParse) -> int:
    """أن السماء, لكن الطبيب: a noun follows that is its subject; لكن may only join adjectives."""
    scope = walk.scope
    joins = function.base == "لكن" and is_expected_predicate(walk, at + 1)
    if joins and not nouns.is_definite(walk.reading, at + 1):
        parse = nouns.choose_noun(walk.reading, at + 1, scope.target)
        if parse is not None and not nouns.is_bound(walk.reading, at + 1, parse):
            return at + 1
    scope.suspend()
    scope.end_clause()
    if walk.reading.is_nominal(at + 1):
        scope.subject = None
    return at + 1


def _read_preposition(walk: Context, at: int, function: FunctionParse) -> int:
    if function.suffix is not None:
        return _read_prepositional_object(walk, at, function, function.suffix)
    if pronouns.opens_relative_with_who(walk, at, function):
        return at + 1
    reading = walk.reading
    place = at + 1
    if function.base == "من" and is_impersonal_phrase(walk, place):
        return place + 1
    following = reading.function(place)
    if following is not None and following.sort == "transparent":
        place += 1
        following = reading.function(place)
    if following is not None and following.sort == "demonstratives":
        if not nouns.is_definite(reading, place + 1):
            return place + 1
    elif following is not None or reading.line.is_mark(place):
        return place
    elif reading.verbs(place):
        return _read_whoever(walk, place, function)
    if reading.line[place] in _QUANTITY_NOUNS and reading.known_nouns(place + 1):
        place += 1  # واحد من آلاف المتظاهرين
    read_possessive(walk, place)
    referent = pronouns.member_referent(walk, place, function)
    return phrases.read_phrase(walk, place, referent, "genitive", "noun", "likely")


def _read_prepositional_object(
    walk: Context, at: int, function: FunctionParse, suffix: Suffix
) -> int:
    """لكم, إليه, عنك; and ولي ولد, where what I have follows."""
    after = walk.reading.nouns(at + 1)
    if (
        function.base in _PREPOSITIONS_OF_HAVING
        and after
        and not (after[0].definite or after[0].form.nunated)
    ):
        walk.scope.end_clause()
    if suffix.person == 2 and suffix.gender is not None:
        walk.add(at, walk.person(2, "plural"), suffix, "object pronoun")
    elif suffix.person == 2:
        walk.add_vowel(at)
    elif suffix.person == 3:
        read_third_person_suffix(walk, at)
    return at + 1


def _read_whoever(walk: Context, at: int, function: FunctionParse) -> int:
    """إلى من يخبرني: whoever it is, nobody who was named."""
    if function.base == "من":
        walk.scope.third = walk.scope.subject = Referent(None, "singular", "masculine")
    return at


_HANDLERS: Mapping[str, _Handler] = {
    **dict.fromkeys(("I", "we", "you", "you all", "you two"), pronouns.read_first_or_second),
    **dict.fromkeys(("he", "they", "they two"), pronouns.read_third),
    "prepositions": _read_preposition,
    "demonstratives": pronouns.read_demonstrative,
    "relatives": pronouns.read_relative,
    "transparent": _read_transparent,
    "vocatives": read_vocative,
    "inna": _read_clause_particle,
    "subordinators": _read_subordinator,
}

_ALL_OF_US = frozenset({"كلنا", "جميعنا", "فكلنا", "وكلنا"})


def find_sites(passage: Passage[Line], wanted: TargetGenders) -> Sites:
    """All that agrees with somebody."""
    line, voice = passage.line, passage.interlocutors
    walk = Context(PassageAnalysis(line, voice, wanted), voice)
    at = 0
    walk.topic = pronouns.speaker_as_topic(walk, at)
    while at < len(line):
        if line.is_word(at):
            at = max(_read_word(walk, at), at + 1)
            continue
        at += 1
        if line.ends_sentence(at - 1):
            walk.end_sentence()
            walk.topic = pronouns.speaker_as_topic(walk, at)
        else:
            _read_pause(walk, at, resumes=line[at - 1] == ":")
    walk.end_sentence()
    return walk.findings


def _read_pause(walk: Context, at: int, *, resumes: bool) -> None:
    """After a comma: a clause about a thing is over, and one set in between may be."""
    scope = walk.scope
    if scope.third is not None and scope.third.who is None:
        scope.third = None
    if scope.suspended is None:
        return
    while (function := walk.reading.function(at)) and function.sort in {
        "negations",
        "coordinators",
    }:
        at += 1
    resumed = replace(walk, scope=replace(scope.suspended))
    if walk.reading.function(at) is not None or not is_expected_predicate(resumed, at):
        return
    accusative = scope.case == "nominative" and nouns.is_nunated(walk.reading, at)
    if resumes or accusative or not is_expected_predicate(walk, at):
        scope.resume()


def _read_word(walk: Context, at: int) -> int:
    function = walk.reading.function(at)
    if function is not None:
        return read_function_word(walk, at, function)
    parses = walk.reading.verbs(at)
    if parses and not (walk.scope.expects == "predicate" and is_expected_predicate(walk, at)):
        return read_verb(walk, at, parses)
    end = _read_nominal(walk, at)
    walk.scope.next_case = None  # غير means the next word alone
    return end


def _read_nominal(walk: Context, at: int) -> int:
    scope = walk.scope
    if lexicon.group_member(walk.reading.line.letters(at)) is not None:
        return pronouns.read_member(walk, at)
    read_possessive(walk, at)
    if at == scope.subject_at:
        return phrases.read_phrase(walk, at, scope.subject, "nominative", "subject", "likely")
    if walk.reading.line[at] in _ALL_OF_US:
        if walk.reading.line.after_mark(at):
            scope.state(walk.person(1, "plural"))
        return at + 1
    asked = inverted_subject(walk, at)
    if asked is None and is_expected_predicate(walk, at):
        end = phrases.read_phrase(walk, at, scope.target, scope.take_case(), scope.rule)
        scope.found = True
        scope.found_definite = nouns.is_definite(walk.reading, end - 1)
        return end
    if is_addressed(walk, at):
        return read_addressed(walk, at)
    asked = asked or implied_subject(walk, at) or compared_person(walk, at)
    if asked is not None:
        return phrases.read_phrase(walk, at, asked, "nominative", "predicate", "likely")
    return _read_unexpected_phrase(walk, at)


def _read_unexpected_phrase(walk: Context, at: int) -> int:
    """A phrase that nothing asked for: a new subject, or an object."""
    scope = walk.scope
    referent = nouns.noun_referent(walk, at)
    if walk.topic is not None and scope.subject is None:
        referent = walk.topic
    opens = scope.subject is None or _opens_clause(walk, at)
    expected = (scope.target, scope.expects, scope.case, scope.rule, scope.found)
    held = scope.third
    end = phrases.read_phrase(walk, at, referent, "nominative", "noun", "likely")
    if scope.third is not held:  # the phrase opened a clause about itself
        return end
    if opens:
        scope.state(referent)
    elif referent.who in {"speaker", "listener"}:  # واحد منا ينتظر
        scope.third = scope.subject = referent
    else:
        scope.target, scope.expects, scope.case, scope.rule, scope.found = expected
        myself = walk.reading.line[at].startswith(("نفس", "انفس"))
        if scope.finds and not myself and nouns.is_definite(walk.reading, at):
            scope.target, scope.finds = referent, False
    return end


def _opens_clause(walk: Context, at: int) -> bool:
    """Whether a definite noun begins a new clause: ، وأبي ممرض."""
    if not nouns.is_definite(walk.reading, at):
        return False
    letters = walk.reading.line.letters(at)
    joined = letters.startswith("و") and not walk.reading.is_thing(at)
    return walk.reading.line.after_mark(at) or (joined and not walk.scope.verbal)
