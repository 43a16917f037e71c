"""Who a clause is about, and whether its verb can agree with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.rewriting.hindi import nouns, pronouns
from epicene.languages.rewriting.hindi.candidates import Candidate, candidates
from epicene.languages.rewriting.hindi.inflection import Cell, gender_of, inflected

if TYPE_CHECKING:
    from epicene.languages.rewriting import Sureness
    from epicene.languages.rewriting.hindi.clauses import Clause
    from epicene.languages.rewriting.hindi.complexes import Complex
    from epicene.languages.rewriting.hindi.voices import Voice
    from epicene.languages.rewriting.hindi.words import Stretch
    from epicene.languages.rewriting.people import Person

_JOINS = frozenset({"और", "तथा", "एवं"})
_MANY = frozenset("लोग सब सभी दोनों तीनों चारों".split())
_MANY_OBLIQUE = frozenset("लोगों सबका सबके सबकी सबको सबसे सबने".split())


class Subject(NamedTuple):
    """Who a clause is about; `who` None is a thing, a group, or nobody we know."""

    who: Person | None
    at: int | None = None  # the word that says so
    plural: bool = False
    sure: Sureness = "likely"
    rule: str = ""


NOBODY = Subject(None)


class Reading(NamedTuple):
    """A clause, whom its verb agrees with, and who acts in it (मैंने is no subject)."""

    clause: Clause
    agrees: Subject | None
    actor: Subject | None


# --- मैं, तू, तुम, आप ------------------------------------------------------------------------


def pronoun(stretch: Stretch, clause: Clause, voice: Voice) -> Subject | None:
    """The subject of the first or second person that is said in the clause."""
    for at in range(clause.first, clause.last + 1):
        word = stretch[at]
        if word in pronouns.FIRST and stretch[at + 1] != "ने":
            beside = _beside(stretch, at, voice.speaker)
            return beside or Subject(voice.speaker, at, sure="certain", rule="said with मैं")
        if word in pronouns.SECOND and stretch[at + 1] != "ने" and not _reflexive(stretch, at):
            if stretch.oblique(at) or _many_in_the_oblique(stretch, at + 1):
                continue
            if stretch[at + 1] in _MANY:
                return NOBODY
            beside = _beside(stretch, at, voice.listener)
            rule = f"said with {word}"
            return beside or Subject(voice.listener, at, word != "तू", "certain", rule)
        if word in pronouns.WE and not stretch.oblique(at):
            return NOBODY
    return None


def _many_in_the_oblique(stretch: Stretch, at: int) -> bool:
    """आप सबका, आप लोगों से, आप सभी को."""
    return stretch[at] in _MANY_OBLIQUE or (stretch[at] in _MANY and stretch.oblique(at))


def _reflexive(stretch: Stretch, at: int) -> bool:
    return stretch[at] == "आप" and stretch[at - 1] in {"अपने", "अपना", "अपनी"}


def _beside(stretch: Stretch, at: int, who: Person | None) -> Subject | None:
    """मैं और मेरी बहन: the verb is feminine only if all are women, so a man beside decides."""
    if stretch[at + 1] in _JOINS and stretch[at + 2] not in pronouns.FIRST:
        other = at + 2
        while stretch[other] in pronouns.FIRST_POSSESSIVE | {"उसकी", "उसका", "उनकी", "हमारी"}:
            other += 1
    elif stretch[at - 1] in _JOINS and (nouns.person(stretch[at - 2]) or not at - 2):
        other = at - 2
    else:
        return None
    reading = nouns.person(stretch[other])
    if reading is None or reading.gender != "feminine" or stretch.oblique(other):
        return NOBODY
    return Subject(who, at, plural=True, rule="said with a woman beside")


# --- the third person -----------------------------------------------------------------------


def third(
    stretch: Stretch,
    clause: Clause,
    voice: Voice,
    *,
    previous: Subject | None,
    skip: frozenset[int],
) -> Subject | None:
    """The subject of the third person that is said in the clause.

    Of `previous`, who was spoken of before, a noun alone may be said. `skip` are words that
    address somebody.
    """
    found = [each for each in candidates(stretch, clause) if each.at not in skip]
    plural = bool(clause.verb and clause.verb.plural)
    things = [each for each in found if each.sort == "thing"]
    for each in found:
        if stretch[each.at] in {"यह", "ये"} and things:
            continue
        if _is_pronoun(stretch, clause, each, previous):
            many = plural or stretch[each.at] in pronouns.PLURAL_THIRD
            return Subject("others", each.at, many, "likely", "said with a pronoun")
    people = [each for each in found if each.sort == "person"]
    if _both_genders(stretch, people):
        return NOBODY
    if people and not (previous is not None and _is_predicate(stretch, clause, people[0])):
        who = voice.speaker if _like_me(stretch, people[0].at, clause) else "others"
        return Subject(who, people[0].at, plural, "likely", "said with a noun")
    if clause.verb is None:
        return None
    for each in things:
        if _controls(stretch, clause.verb, each):
            return Subject(None, each.at)
    names = [each for each in found if each.sort == "unknown"]
    if _is_patient(stretch, clause):
        return NOBODY
    if names and _is_name(stretch, clause, clause.verb, names[0]):
        return Subject("others", names[0].at, plural, "guess", "said with a name")
    return None


def _is_pronoun(
    stretch: Stretch, clause: Clause, each: Candidate, previous: Subject | None
) -> bool:
    """Whether it is the subject: not जो, nor यह that may be the object, nor वह before a thing."""
    word, verb = stretch[each.at], clause.verb
    if each.sort not in {"pronoun", "demonstrative"} or word == "जो":
        return False
    if word in {"यह", "ये"} and verb is not None:
        return verb.valency not in {"transitive", "passive"} and verb.person != "third"
    if each.sort == "pronoun":
        return True
    if verb is None or verb.valency != "transitive" or verb.ergative:
        return False
    known = previous is not None and previous.who not in {None, "others"}
    return not (known and clause.opener in {"अगर", "यदि", "काश"})  # अगर वह ट्रेन पकड़ लेता


def _is_patient(stretch: Stretch, clause: Clause) -> bool:
    """उसे … दिया गया, उन्हें … लगा: who is in the oblique is no subject, and no one else is one."""
    objects = pronouns.FIRST_OBJECT | pronouns.SECOND_OBJECT | pronouns.THIRD_OBJECT
    if clause.verb is None or clause.verb.valency == "transitive":
        return False
    return any(
        stretch[at] in objects or stretch[at] == "सबको" or _marked(stretch, at)
        for at in clause.field
    )


def _marked(stretch: Stretch, at: int) -> bool:
    """राम को, and not शाम को, 15 अगस्त को."""
    before = stretch[at - 1]
    when = nouns.thing(before) or before in nouns.times() or not before[:1].isalpha()
    return stretch[at] == "को" and not when


def _both_genders(stretch: Stretch, people: list[Candidate]) -> bool:
    """पति और पत्नी: the verb is masculine whoever is rewritten."""
    joined = len(people) > 1 and any(
        stretch[at] in _JOINS for at in range(people[0].at, people[1].at)
    )
    return joined and {people[0].gender, people[1].gender} == {"masculine", "feminine"}


def _like_me(stretch: Stretch, at: int, clause: Clause) -> bool:
    """मुझ जैसा शिक्षक: said of who says so."""
    return any(
        stretch[place] in {"मुझ", "मेरे"} and stretch[place + 1] in {"जैसा", "जैसी", "जैसे"}
        for place in range(clause.first, at)
    )


def _is_predicate(stretch: Stretch, clause: Clause, each: Candidate) -> bool:
    """Whether a noun of people says what someone is, whom the clause does not name."""
    verb = clause.verb
    if verb is None or verb.valency != "copular":
        return False
    return stretch.before(verb.first) == each.at


def _controls(stretch: Stretch, verb: Complex, each: Candidate) -> bool:
    """Whether the verb agrees with a thing."""
    if verb.valency == "transitive" or stretch[each.at] in nouns.times():
        return False
    if verb.valency != "copular" and stretch[each.at] in nouns.places():
        return False
    cells = cells_of(stretch, verb)
    genders = {gender_of(cell) for cell in cells}
    if genders and genders != {each.gender}:
        return False
    many = each.gender == "masculine" and stretch[each.at].endswith("े")
    return not (many and "ms" in cells)


def _is_name(stretch: Stretch, clause: Clause, verb: Complex, each: Candidate) -> bool:
    """Whether a word that is in no list is where a subject stands and a name may."""
    if stretch.before(verb.first) == each.at and verb.valency == "copular":
        return False
    opening = [at for at in range(clause.first, each.at) if not stretch.is_mark(at)]
    return len(opening) <= 1 or stretch.is_mark(each.at - 1)


# --- agreement ------------------------------------------------------------------------------


def cells_of(stretch: Stretch, verb: Complex) -> set[Cell]:
    """The cells of the words of a verb that agree."""
    parts = (inflected(stretch.words[at].text, verb=True) for at in verb.agreeing)
    return {part.cell for part in parts if part is not None}


def fits(stretch: Stretch, verb: Complex, subject: Subject, voice: Voice) -> bool:
    """Whether the verb, as it stands, can be said of the subject."""
    cells = cells_of(stretch, verb)
    if subject.who is None:
        return True
    if subject.who == voice.speaker:
        return verb.person in {None, "first"} and not cells & {"mp", "fp"}
    if subject.who == voice.listener:
        if not subject.plural:
            return verb.person in {None, "third"} and not cells & {"mp", "fp"}
        return verb.person not in {"first", "third"} and "ms" not in cells
    return verb.person not in {"first", "second"}
