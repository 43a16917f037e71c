"""The case of a phrase whose feminine shows less of it than its masculine: die is der or den."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.german.agreement import NOMINATIVE_PRONOUNS
from epicene.rewriting.german.inflection import CONTRACTIONS, Cell, determiner
from epicene.rewriting.german.lexicon import words
from epicene.rewriting.german.line import opens_with_subject

if TYPE_CHECKING:
    from epicene.rewriting.german.clauses import Clause
    from epicene.rewriting.german.line import Line
    from epicene.rewriting.german.phrases import Phrase
    from epicene.rewriting.persons import Person

ROLE, COMPARISON, PREDICATE = "role", "comparison", "predicate"
VOCATIVE, CALLED, APPOSITION = "vocative", "what somebody is called or made", "apposition"
_OBJECTS = frozenset({"mich", "dich", "ihn"})


def settle(line: Line, phrase: Phrase, rule: str, who: Person, clause: Clause) -> Cell:
    """The cell of a phrase; where it could be several, by the rule that found it."""
    cell = phrase.cell
    if rule in {ROLE, PREDICATE, VOCATIVE, COMPARISON}:
        cell = next((each for each in phrase.cells if not each.plural), cell)
    if cell.plural or phrase.reading.gender == "masculine":
        return cell
    cases = {each.case for each in phrase.cells if not each.plural}
    if cases == {"dat", "gen"} and not phrase.preposition:
        return Cell("gen" if _has_genitive(line, phrase.start) else "dat")
    if phrase.preposition or not cases >= {"nom", "acc"}:
        return cell
    bare = phrase.determiner_at is None and not phrase.adjectives
    accusative = False
    if rule in {ROLE, COMPARISON}:
        before = line[phrase.start - 2]
        objects = bool(_OBJECTS & set(line.keys[clause.start : clause.end]))
        polite = who == "listener" and "ihnen" not in line.keys[clause.start : clause.end]
        object_before = before in _OBJECTS or (before == "sie" and not bare) or polite
        accusative = clause.subject != who and (objects or object_before)
    elif rule == CALLED:
        accusative = phrase.determiner_at is not None
    elif rule == APPOSITION:
        accusative = bool(_OBJECTS & set(line.keys[max(0, phrase.start - 2) : phrase.start]))
    elif rule not in {PREDICATE, VOCATIVE}:
        accusative = is_object(line, phrase, clause)
    return Cell("acc" if accusative else "nom")


def _has_genitive(line: Line, start: int) -> bool:
    """Whether the phrase belongs to the noun before it."""
    if line[start - 1] in {"sie", "ihnen", "ich", "du"}:
        return False
    return line.is_capital(start - 1) and not (
        line.starts_sentence(start - 1) and determiner(line[start - 2]) is None
    )


def is_object(line: Line, phrase: Phrase, clause: Clause) -> bool:
    """Whether a phrase that can be subject or object is the object of its clause."""
    lists = words()
    if clause.copular and lists.be & set(line.keys[clause.start : clause.end]):
        return False
    first = clause.start
    while line.is_mark(first) or line[first] in lists.coordinators | lists.subordinators:
        first += 1
    if first >= phrase.start:
        return False
    if clause.subject_at is not None and clause.subject is not None:
        return True
    if line[phrase.start - 2] == "," and line[phrase.start - 3] in {"“", "«", "»", '"', "‘"}:
        return False  # „Nein“, sagte die Ärztin
    if not clause.subordinate and line.is_finite(phrase.start - 1):
        return opens_with_subject(line, clause.start, phrase.start - 1)
    return any(_may_be_subject(line, at, first) for at in range(first, phrase.start))


def _may_be_subject(line: Line, at: int, first: int) -> bool:
    word = line[at]
    if word in NOMINATIVE_PRONOUNS:
        return True
    if not line.is_capital(at) or in_prepositional(line, at) or word in words().prepositions:
        return False
    lists = words()
    known = (
        determiner(word) is not None or word in lists.adverbs | lists.openers | lists.not_adjectives
    )
    return at != first or not (known or line.is_finite(at))


def in_prepositional(line: Line, at: int) -> bool:
    """Whether a preposition precedes the noun, with a few words between them."""
    nearby = {line[at - back] for back in range(1, 4) if at - back >= 0}
    return bool(nearby & words().prepositions) or bool(nearby & CONTRACTIONS.keys())
