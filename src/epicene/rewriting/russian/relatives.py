"""Relative clauses: который and its verbs agree with the person before the comma."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.russian.cases import pick_case
from epicene.rewriting.russian.clauses import Clause, could_be_subject
from epicene.rewriting.russian.declension import adjective_readings, noun_readings
from epicene.rewriting.russian.lexicon import function_words
from epicene.rewriting.russian.sites import Site, Sites, Target
from epicene.rewriting.russian.subjects import NOBODY, Subject

if TYPE_CHECKING:
    from epicene.rewriting.persons import Person
    from epicene.rewriting.russian.line import Line

_REACH = 8


def read_relative(clause: Clause, sites: Sites) -> Subject | None:
    """Add the site of который; whose the clause is, if который or кто is its subject."""
    line = clause.line
    at = clause.start
    if line[at] in function_words().governs:
        at += 1
    word = line[at]
    if word == "кто" and line[at - 1] == ",":
        named = sites.get(at - 2)
        if named is not None and line[at - 2] in {"тот", "та", "тем", "той"}:
            return Subject(named.who, at, "likely", "verb of кто")
        return NOBODY
    if not word.startswith("котор"):
        return None
    readings = adjective_readings(word)
    if not readings or line[clause.start - 1] != ",":
        return NOBODY if word in {"который", "которая", "которое"} else None
    person = _antecedent(line, clause.start - 2, readings[0].gender, sites)
    if person is None:
        return NOBODY if word in {"который", "которая"} else None
    case = pick_case(line, at, frozenset().union(*(each.cases for each in readings)), clause.start)
    sites.add(Site(at, person, Target("adjective", case), "который of a person", "likely"))
    if case == "nominative":
        return Subject(person, at, "likely", "verb of который")
    return None


def _antecedent(line: Line, at: int, gender: str, sites: Sites) -> Person | None:
    """The person that который means: the nearest noun of a person with its gender."""
    for index in range(at, max(at - _REACH, -1), -1):
        if line.ends_sentence(index):
            return None
        for reading in noun_readings(line[index]):
            either = reading.kind in {"epicene", "common"}
            if reading.plural or (index != at if either else reading.gender != gender):
                continue
            known = sites.get(index)
            return known.who if known is not None else "others"
        if index == at and could_be_subject(line, index, index, "masculine"):
            return None
    return None
