"""Collect the sites of a line: verbs, predicates, roles, vocatives and third persons."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from epicene.rewriting.hindi import inflection
from epicene.rewriting.hindi.address import CALLS, HONORIFICS, find_closing, find_vocatives
from epicene.rewriting.hindi.clauses import RELATIVE_PRONOUNS, read_clauses
from epicene.rewriting.hindi.inflection import citation_form, ending_cell, is_agreeing_adjective
from epicene.rewriting.hindi.lexicon import function_words
from epicene.rewriting.hindi.phrases import (
    is_oblique,
    is_several,
    may_be_name,
    modifies_noun,
    read_phrase,
)
from epicene.rewriting.hindi.predicates import phrase_sites, predicate_sites, role_sites
from epicene.rewriting.hindi.quotations import NamedInterlocutors
from epicene.rewriting.hindi.sites import SEVERAL_PEOPLE, Site, Target
from epicene.rewriting.hindi.subjects import Subject
from epicene.rewriting.quotations import UNQUOTED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from epicene.rewriting.hindi.line import Line
    from epicene.rewriting.hindi.phrases import Phrase
    from epicene.rewriting.hindi.subjects import ClauseReading
    from epicene.rewriting.persons import Gender, TargetGenders
    from epicene.rewriting.quotations import Interlocutors, Passage

_COUPLE_JOINERS = frozenset("और या व एवं तथा अथवा".split()) | {",", "-", "/"}


def other_person_sites(
    line: Line, gender: Gender, taken: Collection[int], plural: Mapping[int, bool]
) -> Iterator[Site]:
    """The sites of all nouns for people that are not in `taken`, and of their modifiers.

    `plural` says for each subject whether its verb is plural.
    """
    for at in range(len(line)):
        reading = inflection.person_noun(line[at])
        if reading is None or at in taken or line.is_mark(at):
            continue
        if line[at] == "सर" and line.has_postposition(at):  # the head, not the gentleman
            continue
        if _is_mixed_group(line, at, reading, gender) or _is_couple(line, at, reading):
            continue
        described = is_agreeing_adjective(line[at]) and inflection.person_noun(line[at + 1])
        if described or modifies_noun(line, at, reading):  # बूढ़ा दुकानदार
            continue
        found = read_phrase(line, at, 0, reading.gender)
        if reading.noun.kind != "gendered" and _is_simile(line, found):
            continue
        product = line[at] in inflection.people_listed("products") and at not in plural
        if reading.noun.kind == "only" and reading.gender != gender:  # मेरी भाभी
            continue
        if _is_name(line, found) or (product and gender == "feminine"):
            continue
        agreeing = tuple(index for index in found.agreeing if index not in taken)
        several = reading.plural_only or is_several(line, at, reading, first=found.first)
        many = several or plural.get(at, reading.becomes_plural)
        person = Subject("others", at, many, "likely")
        yield from phrase_sites(
            line,
            found._replace(agreeing=agreeing),
            person,
            SEVERAL_PEOPLE if several else "noun of a person",
            oblique=is_oblique(line, at),
            any_number=True,
        )


def _is_simile(line: Line, found: Phrase) -> bool:
    """Whether the noun is nobody's in particular: किसी रूठे मेहमान की तरह."""
    likened = (line[found.head + 1], line[found.head + 2]) == ("की", "तरह")
    likened = likened or citation_form(line[found.head + 1]) == "जैसा"
    return likened and line[found.first - 1] == "किसी"


def _is_name(line: Line, found: Phrase) -> bool:
    """Whether the noun is a name or the last part of one: तरुण, सावित्री देवी."""
    listed = inflection.people_listed
    word, before, after = (line[found.head + step] for step in (0, -1, 1))
    if after in listed("surnames"):  # रानी मुखर्जी, तरुण शर्मा
        return word in listed("first_names") | listed("also_names")
    if word in listed("also_names"):
        return not _is_modified(line, found)
    named = may_be_name(before) or inflection.thing_gender(before) == "feminine"  # आशा देवी
    return named and word in listed("after_names")


def _is_modified(line: Line, found: Phrase) -> bool:
    """Whether a word before the noun shows that it is no name: एक किशोर, 16 वर्षीय किशोरी."""
    before = line[found.head - 1]
    small = {"एक", "इस", "उस", "नाबालिग", "वर्षीय"}
    return bool(found.agreeing) or before in small or before in function_words().numerals


def _is_mixed_group(line: Line, at: int, reading: inflection.NounReading, gender: Gender) -> bool:
    """Whether a masculine plural may include women, so that it stays: छात्रों, बच्चे."""
    several = reading.plural_only or is_several(line, at, reading)
    if not several:
        return False
    return reading.gender is None or (reading.noun.kind != "gendered" and gender == "feminine")


def _is_couple(line: Line, at: int, reading: inflection.NounReading) -> bool:
    """Whether the noun is coordinated with its other gender: पति और पत्नी, लड़के या लड़कियाँ."""
    for step in (-1, 1):
        index = at + step
        while line[index] in _COUPLE_JOINERS:
            index += step
        beside = inflection.person_noun(line[index])
        if beside and beside.noun == reading.noun and beside.gender != reading.gender:
            return True
    return False


def find_sites(passage: Passage[Line], wanted: TargetGenders) -> Iterator[Site]:
    """The sites of the people in `wanted`; of two for one word the first is used."""
    line, interlocutors = passage.line, passage.interlocutors
    if isinstance(interlocutors, NamedInterlocutors) and "others" not in wanted:
        interlocutors = interlocutors.meant
    readings = read_clauses(line, interlocutors)
    found = list(_clause_sites(line, readings, interlocutors))
    if "others" in wanted:
        taken = {site.at for site in found}
        plural = _plural_nouns(line, readings)
        found += other_person_sites(line, wanted["others"], taken, plural)
    return (site for site in found if site.who in wanted)


def _plural_nouns(line: Line, readings: Sequence[ClauseReading]) -> dict[int, bool]:
    """For each subject, and for what is said of it, whether its verb is plural: वे … की बेटी हैं."""
    plural: dict[int, bool] = {}
    for reading in readings:
        subject, clause = reading.controller, reading.clause
        if subject is None or subject.who != "others":
            continue
        if subject.at is not None:
            agreeing = clause.verb.agreeing if clause.verb is not None else ()
            wished = bool(agreeing) and all(_wishes(line, at, subject) for at in agreeing)
            plural[subject.at] = subject.plural and not wished
        if subject.plural and (clause.verb is None or clause.verb.valency == "copular"):
            for at in clause.field:
                if subject.at is not None and subject.at < at and not is_oblique(line, at):
                    plural.setdefault(at, True)
    return plural


def _clause_sites(
    line: Line, readings: Sequence[ClauseReading], interlocutors: Interlocutors
) -> Iterator[Site]:
    yield from _vocative_sites(line, interlocutors)
    yield from _closing_sites(line, interlocutors)
    for at, reading in enumerate(readings):
        yield from _verb_sites(line, reading)
        yield from predicate_sites(line, _with_singular_role(reading, readings[at + 1 :]))
        yield from role_sites(line, reading, interlocutors)
    yield from _correlative_sites(line, readings)


def _wishes(line: Line, at: int, subject: Subject) -> bool:
    """Whether a plural form beside a singular subject is a subjunctive: तू सौ साल जिए."""
    if subject.at is None or subject.who is None or ending_cell(line.tokens[at].text) != "mp":
        return False
    return line[subject.at] == "तू" or _is_singular_noun(line, subject.at)


def _is_singular_noun(line: Line, at: int) -> bool:
    """Whether the noun shows that it is one: बच्चा, बच्ची."""
    reading = inflection.person_noun(line[at])
    if reading is None or "direct plural" in reading.cases:
        return False
    inflected = line[at].endswith("ा") and not reading.noun.fixed
    return reading.noun.kind != "seldom" and (reading.gender == "feminine" or inflected)


def _verb_sites(line: Line, reading: ClauseReading) -> Iterator[Site]:
    subject, verb = reading.controller, reading.clause.verb
    if subject is None or subject.who is None or verb is None:
        return
    for at in verb.agreeing:
        if _wishes(line, at, subject):
            continue
        target = Target("verb", subject.plural, final=at == verb.last)
        yield Site(at, subject.who, target, subject.rule, subject.sure)


def _with_singular_role(
    reading: ClauseReading, following: Sequence[ClauseReading]
) -> ClauseReading:
    """The reading with a singular subject if the जो clause after it is singular.

    तुम एक अनोखा इंसान हो जो … समझता है.
    """
    if (
        not following
        or following[0].clause.opener not in RELATIVE_PRONOUNS
        or reading.controller is None
    ):
        return reading
    again = following[0].controller
    if again is None or again.plural or again.who != reading.controller.who:
        return reading
    return reading._replace(controller=reading.controller._replace(plural=False))


def _correlative_sites(line: Line, readings: Sequence[ClauseReading]) -> Iterator[Site]:
    """The sites of जितना that correlates with उतना: उतना भोला नहीं हूँ जितना आप समझते हैं."""
    for reading, following in pairwise(readings):
        subject, at = reading.controller, following.clause.first
        if subject is None or subject.who is None or following.clause.verb is None:
            continue
        if citation_form(line[at]) != "जितना":
            continue
        if any(citation_form(line[index]) == "उतना" for index in reading.clause.field):
            target = Target("adjective", subject.plural)
            yield Site(at, subject.who, target, "degree", subject.sure)


def _vocative_sites(line: Line, interlocutors: Interlocutors) -> Iterator[Site]:
    """The sites of vocative nouns; with an agreeing modifier they are oblique."""
    if interlocutors.listener is None:
        return
    for at in find_vocatives(line):
        found = read_phrase(line, at, 0)
        subject = Subject(interlocutors.listener, at, plural=False)
        if inflection.person_noun(line[at]) is None:  # पगले
            found = found._replace(agreeing=(*found.agreeing, at))
        called = is_agreeing_adjective(line[at])  # पगले
        oblique = called or bool(found.agreeing) or line[found.first - 1] in CALLS
        yield from phrase_sites(line, found, subject, "addressed", oblique=oblique)
        yield from _honorific_sites(line, found.first, subject)


def _honorific_sites(line: Line, first: int, subject: Subject) -> Iterator[Site]:
    """The site of आदरणीय before a vocative; before a role that stays, so does आदरणीय."""
    assert subject.who is not None
    assert subject.at is not None
    reading = inflection.person_noun(line[subject.at])
    at = first - 1
    if line[at] in HONORIFICS.values() or (
        line[at] in HONORIFICS and reading is not None and reading.gender is not None
    ):
        yield Site(at, subject.who, Target("noun"), "addressed", "likely")


def _closing_sites(line: Line, interlocutors: Interlocutors) -> Iterator[Site]:
    """The sites of the words before a signature, which agree with the writer."""
    found = find_closing(line) if interlocutors == UNQUOTED else None
    if found is not None:
        subject = Subject("speaker", found.head)
        yield Site(found.head, "speaker", Target("noun"), "closing", "likely")
        yield from phrase_sites(line, found, subject, "closing")
