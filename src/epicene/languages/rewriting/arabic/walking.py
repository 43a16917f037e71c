"""A stretch read from its first word to its last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic import fixed, phrases
from epicene.languages.rewriting.arabic.clauses import verb, third_person_suffix
from epicene.languages.rewriting.arabic.expecting import acceptable, inverted
from epicene.languages.rewriting.arabic.findings import Finding, Fixed, Noun
from epicene.languages.rewriting.arabic.lexicon import function_words
from epicene.languages.rewriting.arabic.parsing import FunctionParse, noun_parses
from epicene.languages.rewriting.arabic.scope import Referent
from epicene.languages.rewriting.arabic.words import ENDS

if TYPE_CHECKING:
    from epicene.languages.rewriting.arabic.state import Walk


def walk_through(walk: Walk) -> None:
    """Find all that agrees with somebody."""
    at = 0
    while at < len(walk.reading.line):
        word = walk.reading.line[at]
        if word.is_mark:
            if word.text[:1] in ENDS:
                walk.flush_companions()
                walk.scope.end_sentence()
            at += 1
        else:
            at = max(_step(walk, at), at + 1)
    walk.flush_companions()


def _step(walk: Walk, at: int) -> int:
    function = walk.reading.function(at)
    if function is not None:
        return _function(walk, at, function)
    parses = walk.reading.verbs(at)
    if parses and not (walk.scope.expects == "predicate" and acceptable(walk, at)):
        return verb(walk, at, parses)
    return _nominal(walk, at)


def _nominal(walk: Walk, at: int) -> int:
    scope = walk.scope
    reading = walk.reading
    _suffix_of_noun(walk, at)
    if at == scope.subject_at:
        return phrases.phrase(walk, at, scope.subject, "nominative", "subject", "likely")
    member = fixed.pair("members", reading.line[at].letters)
    if member:
        return _member(walk, at)
    parse = acceptable(walk, at)
    if parse is not None and scope.target is not None:
        end = phrases.phrase(walk, at, scope.target, scope.case, scope.rule)
        scope.found = True
        return end
    turned = inverted(walk, at)
    if turned is not None:
        return phrases.phrase(walk, at, turned, "nominative", "predicate before its subject", "likely")
    return _other(walk, at)


def _other(walk: Walk, at: int) -> int:
    """A phrase that nothing asked for: a new subject, or an object."""
    scope = walk.scope
    referent = phrases.referent_of(walk, at)
    definite = phrases.is_definite(walk, at)
    if walk.topic is not None and scope.subject is None:
        referent = walk.topic
    opens = scope.subject is None or (definite and walk.reading.line[at].letters.startswith("و") and not walk.reading.line[at].letters.startswith("وال") or walk.reading.line.begins(at) and definite)
    end = phrases.phrase(walk, at, referent, "nominative", "noun", "likely")
    if opens and scope.third is None:
        scope.subject = referent
        scope.verbal = False
        scope.expect(referent, "predicate", "nominative", "predicate")
    return end


def _member(walk: Walk, at: int) -> int:
    letters = walk.reading.line[at].letters
    referent = phrases.referent_of(walk, at)
    walk.add(at, referent, Fixed("", "members", letters), "one of us", "likely")
    walk.scope.subject = referent
    walk.scope.expect(referent, "predicate", "nominative", "predicate")
    return at + 1


def _suffix_of_noun(walk: Walk, at: int) -> None:
    """كتابكم, كتابه: the pronoun at the end of a noun."""
    word = walk.reading.line[at]
    parses = noun_parses(word.letters)
    if parses and parses[0].lemma.known and parses[0].suffix is None:
        return
    for ending in ("كم", "كن"):
        if word.letters.endswith(ending) and len(word.letters) > 4:
            from epicene.languages.rewriting.arabic.clitics import SUFFIXES

            suffix = next(one for one in SUFFIXES if one.letters == ending)
            walk.add(at, walk.person(2, "plural"), suffix, "possessive", "likely")
            return
    third_person_suffix(walk, at)


# --- function words --------------------------------------------------------------------------


def _function(walk: Walk, at: int, function: FunctionParse) -> int:
    scope = walk.scope
    sort = function.sort
    if sort in {"I", "we", "you", "you all", "you two"}:
        return _pronoun(walk, at, function)
    if sort in {"he", "they", "they two"}:
        return _third(walk, at, function)
    if sort == "inna" and function.suffix is not None:
        return _subject_suffix(walk, at, function)
    if sort == "role_markers" and function.suffix is not None:
        target = walk.person(function.suffix.person, function.suffix.number)
        scope.expect(target, "predicate", "accusative", "role")
        return at + 1
    if sort == "prepositions":
        return _preposition(walk, at, function)
    if sort == "demonstratives":
        return _demonstrative(walk, at, function)
    if sort == "relatives":
        return _relative(walk, at, function)
    if sort == "transparent":
        return _transparent(walk, at, function)
    if sort == "subordinators":
        scope.end_clause()
    return at + 1


def _pronoun(walk: Walk, at: int, function: FunctionParse) -> int:
    scope = walk.scope
    person = 1 if function.sort in {"I", "we"} else 2
    number = {"we": "plural", "you all": "plural", "you two": "dual"}.get(function.sort, "singular")
    referent = walk.person(person, number)
    if person == 2:
        walk.add(at, referent, Fixed(function.prefix, "pronouns", function.base), "pronoun")
    scope.third = None
    if not (scope.subject == referent and scope.expects == "predicate" and not scope.found):
        scope.subject = referent
        scope.verbal = False
        scope.expect(referent, "predicate", "nominative", "predicate")
    return _companion(walk, at + 1, person)


def _companion(walk: Walk, at: int, person: int) -> int:
    """أنا وزميلي: what is said of both is dual, and of more plural."""
    reading = walk.reading
    if person != 1 or not reading.line[at].letters.startswith("و") or reading.function(at):
        return at
    nouns = [
        parse
        for parse in reading.known_nouns(at)
        if parse.prefix.letters.startswith("و") and parse.lemma.person and not parse.prefix.preposition
    ]
    if not nouns:
        return at
    parse = nouns[0]
    bound = phrases.is_bound(walk, at, parse)
    if parse.lemma.masculine != "زوج" and walk.voice.speaker is not None:
        walk.companions.append(Finding(at, walk.voice.speaker, Noun(parse, "nominative", bound), "companion", "guess"))
    group = Referent(walk.voice.speaker, "dual" if parse.form.number == "singular" else "plural")
    scope = walk.scope
    scope.subject = group
    scope.target = group
    return phrases._skip_noun(walk, at + 1) if bound else at + 1


def _third(walk: Walk, at: int, function: FunctionParse) -> int:
    scope = walk.scope
    gender = fixed.gender_of("pronouns", function.base)
    if walk.topic is not None:
        referent = walk.topic
    elif scope.third is not None and scope.third.gender == gender:
        referent = scope.third
    elif walk.reading.function(at + 1) and walk.reading.function(at + 1).sort == "I":
        referent = walk.person(1)
    else:
        number = {"they": "plural", "they two": "dual"}.get(function.sort, "singular")
        referent = walk.person(3, number, gender)
    walk.add(at, referent, Fixed(function.prefix, "pronouns", function.base), "pronoun", "likely")
    scope.subject = referent
    scope.expect(referent, "predicate", "nominative", "predicate")
    return at + 1


def _subject_suffix(walk: Walk, at: int, function: FunctionParse) -> int:
    suffix = function.suffix
    assert suffix is not None
    scope = walk.scope
    if suffix.person == 3:
        third_person_suffix(walk, at)
        referent = scope.third if scope.third and scope.third.gender == suffix.gender else walk.person(3, suffix.number, suffix.gender)
    else:
        referent = walk.person(suffix.person, suffix.number)
        if suffix.gender is not None:
            walk.add(at, referent, suffix, "subject pronoun")
        scope.third = None
    scope.subject = referent
    scope.verbal = False
    scope.expect(referent, "predicate", "nominative", "predicate")
    return at + 1


def _preposition(walk: Walk, at: int, function: FunctionParse) -> int:
    scope = walk.scope
    if function.suffix is not None:
        if function.suffix.person == 2 and function.suffix.gender is not None:
            walk.add(at, walk.person(2, "plural"), function.suffix, "object pronoun")
        elif function.suffix.person == 3:
            third_person_suffix(walk, at)
        return at + 1
    following = walk.reading.function(at + 1)
    if following is not None and following.sort not in {"demonstratives", "transparent"}:
        return at + 1
    if following is not None and following.sort == "transparent":
        at += 1
    if walk.reading.line[at + 1].is_mark:
        return at + 1
    referent = phrases.referent_of(walk, at + 1)
    if function.base == "من" and scope.expects == "predicate" and scope.target is not None and not scope.found:
        if referent.who is not None and referent.number == "plural":
            referent = Referent(scope.target.who, "plural", referent.gender)
    _suffix_of_noun(walk, at + 1)
    return phrases.phrase(walk, at + 1, referent, "genitive", "noun", "likely")


def _demonstrative(walk: Walk, at: int, function: FunctionParse) -> int:
    scope = walk.scope
    what = Fixed(function.prefix, "demonstratives", function.base)
    after = walk.reading.function(at + 1)
    if after is not None and after.sort in {"I", "we"}:
        walk.add(at, walk.person(1), what, "demonstrative of the speaker")
        return at + 1
    if walk.reading.key(at + 1) == "كنت" and walk.reading.key(at + 2) == "انا":
        walk.add(at, walk.person(1), what, "demonstrative of the speaker")
        return at + 1
    if function.base in {"ذا", "ذي"}:
        if scope.subject is not None:
            walk.add(at, scope.subject, what, "demonstrative of the speaker")
        return at + 1
    if after is None and phrases.is_definite(walk, at + 1):
        if scope.expects == "predicate" and scope.target is not None and not scope.found and walk.reading.known_nouns(at + 1):
            scope.found = True
            return phrases.phrase(walk, at, scope.target, scope.case, scope.rule)
        referent = phrases.referent_of(walk, at + 1)
        if walk.topic is not None and scope.subject is None:
            referent = walk.topic
        end = phrases.phrase(walk, at, referent, "nominative", "noun", "likely")
        if scope.subject is None:
            scope.subject = referent
            scope.expect(referent, "predicate", "nominative", "predicate")
        return end
    return at + 1


def _relative(walk: Walk, at: int, function: FunctionParse) -> int:
    scope = walk.scope
    gender = fixed.gender_of("relatives", function.base)
    plural = function.base in {"الذين", "اللواتي", "اللاتي", "اللائي"}
    number = "plural" if plural else "singular"
    referent = None
    if walk.topic is not None and scope.subject is None:
        referent = walk.topic
    elif scope.target is not None and scope.expects == "predicate" and not scope.found:
        referent = scope.target
    if referent is not None:
        walk.add(at, referent, Fixed(function.prefix, "relatives", function.base), "relative")
        phrases.open_clause(walk, Referent(referent.who, number, gender))  # type: ignore[arg-type]
    else:
        phrases.open_clause(walk, Referent(None, number, gender))  # type: ignore[arg-type]
    return at + 1


def _transparent(walk: Walk, at: int, function: FunctionParse) -> int:
    """غير قادر, سوى ممرض, أول محام: the next word is what agrees."""
    scope = walk.scope
    if scope.expects is None:
        return at + 1
    if function.base != "الا":
        scope.case = "genitive"
    if scope.expects == "state" or scope.expects == "role":
        scope.expects = "predicate" if function.base in function_words()["transparent"] and function.base != "كل" else scope.expects
    return at + 1
