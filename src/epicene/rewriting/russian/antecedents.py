"""Which pronouns of the third person mean a thing: автобус ушёл, и он опоздает.

A pronoun means a thing if one of its gender is spoken of before it and no person of that gender is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.persons import GENDERS
from epicene.rewriting.quotations import UNQUOTED
from epicene.rewriting.russian import lexicon
from epicene.rewriting.russian.clauses import (
    could_be_subject,
    governed,
    is_first_verb,
    is_noun_like,
    is_verb,
    split_clauses,
)
from epicene.rewriting.russian.conjugation import past_form, short_form
from epicene.rewriting.russian.declension import adjective_readings, noun_readings
from epicene.rewriting.russian.people import gender_of_pronoun
from epicene.rewriting.russian.subjects import find_subject, is_human_act, of_things

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.rewriting.persons import Gender
    from epicene.rewriting.russian.clauses import Clause
    from epicene.rewriting.russian.line import Line

_PRONOUNS = frozenset("он его ему него нему нем ним она ее ей нее ней ею нею".split())
# Of one gender, whoever is meant.
_ANYBODY: dict[str, Gender] = {
    "человек": "masculine", "ребенок": "masculine", "персонаж": "masculine",
    "жертва": "feminine", "личность": "feminine", "звезда": "feminine", "особа": "feminine",
    "персона": "feminine",
}  # fmt: skip


def find_things(line: Line) -> frozenset[int]:
    """The indices of the pronouns that mean a thing."""
    if not any(word in _PRONOUNS for word in line.keys):
        return frozenset()
    found: set[int] = set()
    things: set[Gender] = set()
    objects: set[Gender] = set()
    neuter = False
    people: set[Gender] = set()
    for clause in _clauses(line):
        things |= set(_afterthoughts(line, clause))
        for at in clause:
            if line[at] in _PRONOUNS:
                gender = gender_of_pronoun(line[at])
                known = gender in objects or gender in things
                named = known or (neuter and line[at] in {"его", "него", "нем"})
                handled = named and _may_be_handled(clause, at)
                broken = named and line[at] in {"он", "она"} and _acts_as_thing(clause)
                if broken or ((gender in things or handled) and gender not in people):
                    found.add(at)
                else:
                    people.add(gender)
            if not _is_agent(line, at):
                people |= _person(line, at)
            if line[at] in _ANYBODY:
                things.add(_ANYBODY[line[at]])
        things |= set(_things(clause))
        objects |= set(_objects(clause))
        neuter = neuter or _has_neuter_subject(clause)
    return frozenset(found)


def _clauses(line: Line) -> Iterator[Clause]:
    at = 0
    while at < len(line):
        start, end = line.sentence(at)
        if end > start:
            yield from split_clauses(line, start, end)
        at = max(end, at) + 1


def _person(line: Line, at: int) -> set[Gender]:
    """The genders of a person whom the word may name."""
    if line.is_capital(at) and line.is_word(at - 1) and not noun_readings(line[at]):
        return set(GENDERS)  # a name
    if line[at] in lexicon.keys_of("adjectives", "people"):
        return set(GENDERS)
    found: set[Gender] = set()
    for reading in noun_readings(line[at]):
        if not reading.plural:
            found |= (
                {reading.gender} if reading.gender and reading.kind != "epicene" else set(GENDERS)
            )
    return found


def _is_agent(line: Line, at: int) -> bool:
    """Whether the word names who did it to a thing: доставлен курьером."""
    done = short_form(line[at - 1])
    return done is not None and any(
        "instrumental" in reading.cases for reading in noun_readings(line[at])
    )


def _acts_as_thing(clause: Clause) -> bool:
    return any(
        past_form(clause.line[at]) and clause.line[at].startswith(of_things()) for at in clause
    )


def _things(clause: Clause) -> Iterator[Gender]:
    """The genders of the things that the clause is about."""
    line = clause.line
    for at in clause:
        form = past_form(line[at]) or short_form(line[at])
        if form is None:
            continue
        subject = find_subject(clause, at, form.gender, UNQUOTED, existential=not form.listed)
        if subject is not None and subject.who is None and subject.at >= 0:
            yield form.gender
    first = clause.words[0]
    for reading in adjective_readings(line[first + 1]):  # отель старый
        named = could_be_subject(line, first, clause.start, reading.gender)
        if named and "nominative" in reading.cases and len(clause.words) == 2:
            yield reading.gender


def _afterthoughts(line: Line, clause: Clause) -> Iterator[Gender]:
    """The gender of a thing named at the end of its sentence: кто его построил, этот мост."""
    end = line.sentence(clause.start)[1]
    for gender, word in zip(GENDERS, ("этот", "эта"), strict=True):
        named = line[end - 2] == word and line[end - 3] == ","
        if named and not noun_readings(line[end - 1]):
            yield gender


def _objects(clause: Clause) -> Iterator[Gender]:
    """The genders of the things that somebody does something with: купил чайник, где ключ."""
    line = clause.line
    if clause.has("он", "она"):
        return
    first = next((at for at in clause if _acts(clause, at)), None)
    for at in clause:
        if first is None or at <= first or noun_readings(line[at]) or line.is_capital(at):
            continue
        alone = at == first + 1 and is_noun_like(line, at) and line[at][-1] not in "аеиоуыэюяь"
        if alone or could_be_subject(line, at, clause.start, "masculine"):
            yield "masculine"
        feminine = line[at].endswith(("у", "ю", "ь")) and is_noun_like(line, at)
        if feminine and governed(line, at, clause.start) is None:
            yield "feminine"


def _acts(clause: Clause, at: int) -> bool:
    """Whether the word is a verb that may have an object, an imperative, где or вот."""
    word = clause.line[at]
    command = (
        at == clause.words[0]
        and len(word) > 2
        and word.endswith(("и", "й", "йте", "ите", "ьте"))
        and not adjective_readings(word)
    )
    return (
        command
        or past_form(word) is not None
        or is_first_verb(word)
        or word.endswith("ли")
        or word in {"где", "вот"}
    )


def _has_neuter_subject(clause: Clause) -> bool:
    """Whether the clause is about a neuter, which has the other cases of он: сообщение удалено."""
    words = [clause.line[at] for at in clause]
    return any(word.endswith(("ло", "лось", "ено", "ано", "ято")) for word in words) and any(
        word.endswith(("ние", "тие", "ство", "ье", "сьмо", "део")) for word in words
    )


def _may_be_handled(clause: Clause, at: int) -> bool:
    """Whether the pronoun may mean such a thing: он сломался, not он пришёл or его брат."""
    line, word = clause.line, clause.line[at]
    if word in {"он", "она"}:
        return not any(is_human_act(line[index]) for index in clause)
    possessive = is_noun_like(line, at + 1) or adjective_readings(line[at + 1])
    return word in {"его", "ее", "нем", "него", "нее"} and not (
        possessive and not is_verb(line[at + 1])
    )
