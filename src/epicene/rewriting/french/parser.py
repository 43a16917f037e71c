"""Collect the sites of a text: vocatives, clauses, asides and people in the third person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.french.asides import read_asides, read_tonic_pronouns
from epicene.rewriting.french.clauses import ClauseReader
from epicene.rewriting.french.context import read_context
from epicene.rewriting.french.fragments import read_verbless
from epicene.rewriting.french.infinitives import (
    read_absolute_participles,
    read_infinitives,
    read_subject_infinitives,
)
from epicene.rewriting.french.person_nouns import read_third_persons, read_vocatives
from epicene.rewriting.french.quantifiers import (
    read_demonstratives,
    read_quantified_adjectives,
    read_quantifiers,
)
from epicene.rewriting.french.quotations import attribute_to_interlocutors
from epicene.rewriting.french.subjects import read_subject

if TYPE_CHECKING:
    from epicene.rewriting.french.context import Context
    from epicene.rewriting.french.line import Line
    from epicene.rewriting.french.sites import Sites
    from epicene.rewriting.french.subjects import Clause
    from epicene.rewriting.persons import TargetGenders
    from epicene.rewriting.quotations import Passage


def find_sites(passage: Passage[Line], wanted: TargetGenders) -> Sites:
    """The sites of everybody; of two for one word the more certain is used."""
    context = read_context(attribute_to_interlocutors(passage, wanted), wanted)
    read_vocatives(context)
    read_tonic_pronouns(context)
    read_demonstratives(context)
    clauses = _read_clauses(context)
    read_quantifiers(context, clauses)
    read_subject_infinitives(context, clauses)
    read_absolute_participles(context)
    read_asides(context, clauses)
    read_verbless(context, clauses, wanted)
    read_third_persons(context)
    read_quantified_adjectives(context)
    return context.sites


def _read_clauses(context: Context) -> list[Clause]:
    """Read every finite verb of the text, from left to right; return the clauses."""
    clauses: list[Clause] = []
    for group in context.groups:
        clause = read_subject(context, group, clauses)
        clauses.append(clause)
        reading = ClauseReader(context, clause)
        end, governor = reading.read()
        read_infinitives(reading, end, governor)
    return clauses
