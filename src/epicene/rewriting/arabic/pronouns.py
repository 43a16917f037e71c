"""Pronouns and members of groups (أحدنا, أول الواصلين): whom they mean, and what they open."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from epicene.rewriting.arabic import lexicon, nouns, phrases
from epicene.rewriting.arabic.analysis import analyse_thing
from epicene.rewriting.arabic.clauses import read_third_person_suffix, suffix_referent
from epicene.rewriting.arabic.context import Referent
from epicene.rewriting.arabic.sites import FixedTarget, NounTarget, Site

if TYPE_CHECKING:
    from epicene.rewriting.arabic.analysis import FunctionParse, NounParse
    from epicene.rewriting.arabic.conjugation import Number
    from epicene.rewriting.arabic.context import Context
    from epicene.rewriting.arabic.spelling import Suffix
    from epicene.rewriting.persons import Gender

_PRONOUN_NUMBERS: dict[str, Number] = {
    "we": "plural",
    "you all": "plural",
    "you two": "dual",
    "they": "plural",
    "they two": "dual",
}
_MYSELF = frozenset({"نفسي", "ذاتي"})
_I_MEAN = frozenset({"اعني", "واعني", "اقصد", "واقصد"})


def read_first_or_second(walk: Context, at: int, function: FunctionParse) -> int:
    """أنا, نحن, أنت and their kin."""
    scope = walk.scope
    person = 1 if function.sort in {"I", "we"} else 2
    referent = walk.person(person, _PRONOUN_NUMBERS.get(function.sort, "singular"))
    if function.base == "انتي":
        walk.add(at, referent, FixedTarget(function.prefix, "you", function.written), "pronoun")
    elif person == 2 and function.sort != "you":
        walk.add(
            at, referent, FixedTarget(function.prefix, "pronouns", function.written), "pronoun"
        )
    if function.sort == "you":
        walk.add_vowel(at)
    if walk.topic is not None:
        return at + 1
    scope.third = None
    if scope.subject != referent or function.prefix or not _stresses(walk, at):
        scope.state(referent)
    if function.sort == "we":
        return _read_specification(walk, at + 1, referent)
    return _read_companion(walk, at + 1) if function.sort == "I" else at + 1


def _stresses(walk: Context, at: int) -> bool:
    """كنت أنا, عدت أنا: the pronoun after its verb says nothing new."""
    parses = walk.reading.verbs(at - 1)
    copular = walk.scope.expects == "predicate" and not walk.scope.found
    return any(parse.cell.tense == "perfect" for parse in parses) or (bool(parses) and copular)


def _read_specification(walk: Context, at: int, referent: Referent) -> int:
    """نحن المعلمين نعرف: who we are, in the accusative, before what is said of us."""
    reading, scope = walk.reading, walk.scope
    parse = nouns.choose_noun(reading, at, referent)
    if parse is None or not parse.lemma.known:
        return at
    bound = nouns.is_bound(reading, at, parse)
    possessed = bound and (nouns.is_definite(reading, at + 1) or reading.function(at + 1))
    if not parse.prefix.article and not possessed:
        return at
    expected = replace(scope)
    end = phrases.read_phrase(walk, at, referent, "accusative", "apposition", "likely")
    if reading.line.ends_sentence(end) or end >= len(reading.line):
        for place in range(at, end):
            walk.findings.drop(place)
        return at
    if scope.third is None:
        scope.__dict__.update(expected.__dict__)
    return end


def _read_companion(walk: Context, at: int) -> int:
    """أنا وزميلتي: what is said of both is dual, and of more plural."""
    parse = _companion_parse(walk, at)
    if parse is None:
        return at
    bound = nouns.is_bound(walk.reading, at, parse)
    number: Number = "dual" if parse.form.number == "singular" else "plural"
    if parse.form.number == "plural" and walk.voice.speaker is not None:
        noun = NounTarget(parse, "nominative", bound)
        walk.companions.append(Site(at, walk.voice.speaker, noun, "companions", "guess"))
    elif parse.form.gender == "masculine":
        walk.mixed = True
    walk.scope.subject = walk.scope.target = walk.person(1, number)
    return nouns.skip_noun(walk.reading, at + 1) if bound else at + 1


def _companion_parse(walk: Context, at: int) -> NounParse | None:
    reading = walk.reading
    if not reading.line.letters(at).startswith("و") or reading.function(at):
        return None
    for parse in reading.known_nouns(at):
        if not parse.prefix.letters.startswith("و") or not parse.lemma.person:
            continue
        if parse.definite or nouns.is_bound(reading, at, parse):
            return parse
    return None


def read_third(walk: Context, at: int, function: FunctionParse) -> int:
    """هو, هي and their kin."""
    scope = walk.scope
    if walk.reading.key(at + 1) == "ما" and function.prefix == "و":  # وهو ما حدث
        return at + 1
    gender = lexicon.fixed_gender("pronouns", function.written)
    held = scope.third or scope.subject
    if walk.topic is not None:
        referent = walk.topic
    elif _means_thing(walk, at, gender):
        referent = Referent(None, "singular", gender)
    elif held is not None and held.gender == gender:
        referent = held
    else:
        referent = walk.person(3, _PRONOUN_NUMBERS.get(function.sort, "singular"), gender)
    what = FixedTarget(function.prefix, "pronouns", function.written)
    walk.add(at, referent, what, "pronoun", "likely")
    relative = scope.third
    scope.suspend()
    scope.state(referent)
    scope.third = relative
    return at + 1


def _means_thing(walk: Context, at: int, gender: Gender | None) -> bool:
    """وهي شركة كبيرة: what follows the pronoun says that it means a thing."""
    reading = walk.reading
    if reading.function(at + 1) is not None:
        return False
    thing = analyse_thing(reading.line.letters(at + 1))
    if thing is None:  # وهي مدرسة عريقة, but هي مدرسة ماهرة
        known = reading.known_nouns(at + 1)
        joined = reading.line.letters(at).startswith("و")
        return joined and bool(known) and nouns.is_rather_thing(known[0])
    return not thing.prefix.strip("ال") and not thing.suffixed and thing.gender == gender


def read_suffixed_subject(walk: Context, at: int, suffix: Suffix) -> int:
    """إنني, لكنك, أنها: the subject at the end of a particle."""
    referent = suffix_referent(walk, suffix)
    if suffix.person == 3:
        read_third_person_suffix(walk, at)
    else:
        walk.scope.third = None
        if suffix.gender is not None:
            walk.add(at, referent, suffix, "subject pronoun")
        elif suffix.person == 2:
            walk.add_vowel(at)
    walk.scope.state(referent)
    return at + 1


def read_demonstrative(walk: Context, at: int, function: FunctionParse) -> int:
    """هذا أنا, هذا الغريب, and ها أنا ذا."""
    reading, scope = walk.reading, walk.scope
    what = FixedTarget(function.prefix, "demonstratives", function.written)
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
        end = phrases.read_phrase(walk, at, scope.target, scope.take_case(), scope.rule)
        scope.found = True
        return end
    referent = nouns.noun_referent(walk, at + 1)
    if walk.topic is not None and scope.subject is None:
        referent = walk.topic
    opens = scope.subject is None or walk.reading.line.after_mark(at) or function.prefix == "و"
    end = phrases.read_phrase(walk, at, referent, "nominative", "noun", "likely")
    if opens and scope.third is None:
        scope.state(referent)
    return end


def read_relative(walk: Context, at: int, function: FunctionParse) -> int:
    """الذي with nothing before it that it describes: أنا الذي, الذي … هو أنا."""
    scope = walk.scope
    gender = lexicon.fixed_gender("relatives", function.base)
    plural = function.base in {"الذين", "اللواتي", "اللاتي", "اللائي"}
    meant = None
    if walk.topic is not None and scope.subject is None:
        meant = walk.topic
    elif scope.target is not None and scope.expects == "predicate" and not scope.found:
        meant = scope.target
    what = FixedTarget(function.prefix, "relatives", function.written)
    walk.add(at, meant, what, "relative pronoun")
    who = meant.who if meant is not None else None
    phrases.open_relative_clause(walk, Referent(who, "plural" if plural else "singular", gender))
    return at + 1


def opens_relative_with_who(walk: Context, at: int, function: FunctionParse) -> bool:
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
            phrases.open_relative_clause(walk, Referent(scope.target.who, cell.number, cell.gender))
            return True
    return False


def speaker_as_topic(walk: Context, at: int) -> Referent | None:
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
        word, following = reading.line[place], reading.function(place + 1)
        is_me = following is not None and following.sort == "I" and not following.prefix
        if is_me and word in {"هو", "هي", "وهو", "وهي", "اي"}:
            return walk.person(1)
        if word in _I_MEAN and reading.line[place + 1] in _MYSELF:
            return walk.person(1)
    return None


def read_member(walk: Context, at: int) -> int:
    """أحدنا, كلانا, أحد الناجين."""
    found = lexicon.group_member(walk.reading.line.letters(at))
    assert found is not None
    referent = nouns.noun_referent(walk, at)
    scope = walk.scope
    expected = scope.target if scope.expects == "predicate" and not scope.found else None
    if expected is not None and referent.who in {"others", None}:
        group = nouns.noun_referent(walk, at + 1)
        if found[1] in {"أحد", "إحدى"} and group.number == "plural":
            walk.add(at, expected, FixedTarget(found[0], "members", found[1]), "one of a group")
            scope.found = scope.found_definite = True
            group = group._replace(who=expected.who)
            return phrases.read_phrase(walk, at + 1, group, "genitive", "one of a group")
        referent = expected if referent.who == "others" else referent
    walk.add(at, referent, FixedTarget(found[0], "members", found[1]), "one of a group", "likely")
    if at != walk.scope.subject_at:
        walk.scope.state(referent)
    return at + 1


def read_first_of(walk: Context, at: int, function: FunctionParse) -> int:
    """أول الواصلين, آخر المغادرات: the place after people of whom one is the first, 0 if not so."""
    scope = walk.scope
    if function.base not in {"اول", "اولي", "اخر"} or scope.target is None:
        return 0
    for parse in walk.reading.known_nouns(at + 1):
        if not parse.prefix.article or parse.form.number != "plural":
            continue
        if function.base != "اخر" and scope.target.number == "singular":
            first = FixedTarget(function.prefix, "elatives", function.written)
            walk.add(at, scope.target, first, "one of a group", "likely")
        group = Referent(scope.target.who, "plural", parse.form.gender)
        scope.found = scope.found_definite = True
        return phrases.read_phrase(walk, at + 1, group, "genitive", "one of a group", "likely")
    return 0


def member_referent(walk: Context, at: int, function: FunctionParse) -> Referent:
    """أنا من المترجمين, كنت واحدًا من المنشدين: people of whom the speaker is one."""
    referent = nouns.noun_referent(walk, at)
    scope = walk.scope
    if nouns.read_numeral(walk.reading, at) is not None:
        referent = nouns.noun_referent(walk, at + 1)
    if function.base != "من" or scope.expects != "predicate" or scope.target is None:
        return referent
    one_of = any(walk.reading.line[place].startswith("واحد") for place in (at - 2, at - 3))
    if referent.number != "plural" or (scope.found and not one_of):
        return referent
    if not one_of and not _follows_subject(walk, at - 1):  # أذكى من زملائي
        return referent
    scope.found = True
    return Referent(scope.target.who, "plural", referent.gender)


def _follows_subject(walk: Context, at: int) -> bool:
    """Whether a pronoun, a particle with one, or a verb stands right before the place."""
    before = walk.reading.function(at - 1)
    if before is None:
        return bool(walk.reading.verbs(at - 1))
    return before.sort in {"I", "we", "you", "you all", "he", "they"} or before.suffix is not None
