"""Pronouns for several people, one of them or all: tous, certains, chacun, ceux qui."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.french.antecedents import ALL, pronoun_referent, quantifier_referent
from epicene.rewriting.french.context import Referent
from epicene.rewriting.french.inflection import inflect, is_plural, singular_of
from epicene.rewriting.french.lexicon import word_list
from epicene.rewriting.french.line import (
    TEMPORARY_STATES,
    can_be_predicate,
    participle_infinitives,
)
from epicene.rewriting.french.mentions import ADJECTIVES_AS_PEOPLE, SAID_OF_PEOPLE
from epicene.rewriting.french.predicates import read_coordinated, read_predicate_element

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.rewriting.french.context import Context
    from epicene.rewriting.french.subjects import Clause

_FOR = frozenset("à pour par chez contre avec envers sans devant".split())
_CELUI = frozenset({"celui", "celle", "ceux", "celles"})
_AFTER_OBJECT = frozenset({"à", "au", "aux", "qui", "de", "d'", "du"})


def read_quantifiers(context: Context, clauses: Sequence[Clause]) -> None:
    """Add tous and toutes wherever they stand for people or agree with them."""
    for at in range(len(context.line)):
        if context.line[at] in ALL and context.sites.get(at) is None:
            referent = _referent_of_all(context, clauses, at)
            if referent is not None:
                context.agreement(referent, "all of several people", "likely").add(at, "determiner")


def _referent_of_all(context: Context, clauses: Sequence[Clause], at: int) -> Referent | None:
    line = context.line
    after = at + 1
    if line[after] == "les" and line[after + 1] in {"deux", "trois", "quatre"}:
        after += 2  # tous les deux
    elif line[after] in {"deux", "trois", "quatre"}:
        after += 1
    fixed = after > at + 1 or line[at - 1] in _FOR
    if _continues_phrase(context, after) and (fixed or not _floats(clauses, at)):
        return None
    if (
        line[at - 1] in _FOR
        and line[at - 2] not in {"nous", "vous"}
        and "nous" not in line.keys[max(0, at - 4) : at]
    ):
        return Referent("others", plural=True)
    if line.begins(at) and line[at + 1] in {"à", "au", "aux", "en", "dans", "chez"}:
        return Referent("others", plural=True)  # Tous à Lyon le savent
    near = range(at - 1, max(at - 5, -1), -1)
    if (we := next((i for i in near if line[i] in {"nous", "vous"}), None)) is not None:
        if line[we] == "vous":
            return context.listener(we)._replace(plural=True)
        return context.speaker(we)._replace(plural=True) if context.one_gender else None
    pronoun = next((i for i in range(at - 1, max(at - 4, -1), -1) if line[i] in _OBJECTS), None)
    if pronoun is not None and (line.is_enclitic(pronoun) or line.is_infinitive(pronoun + 1)):
        return pronoun_referent(context, pronoun) or _someone(context, pronoun)
    clause = _clause_before(context, clauses, at)
    if clause is not None and clause.group.person.endswith("p"):
        return clause.referent if clause.referent and clause.referent.plural else None
    governed = line.is_infinitive(at - 1) or bool(participle_infinitives(line[at - 1]))
    if governed and line[at + 1] in _AFTER_OBJECT:  # pour aider tous à comprendre
        return Referent("others", plural=True)
    return None


_OBJECTS = frozenset({"les", "leur"})
_SINGULAR_DETERMINERS = frozenset("le la l' un une des".split())


def _continues_phrase(context: Context, at: int) -> bool:
    """Whether "tous" before that word is a determiner: tous les clients, tous usages."""
    line = context.line
    if line.is_determiner(at):
        return line[at] not in _SINGULAR_DETERMINERS
    return line.is_open(at) and not _is_predicate(context, at)


def _is_predicate(context: Context, at: int) -> bool:
    agreement = context.agreement(Referent("others", plural=True), "")
    return can_be_predicate(context.line, at, agreement) or bool(
        participle_infinitives(context.line[at])
    )


def _floats(clauses: Sequence[Clause], at: int) -> bool:
    """Whether "tous" stands right after a verb with a plural subject: ils ont tous leur clé."""
    return any(
        clause.group.person.endswith("p") and clause.referent and at == clause.group.end
        for clause in clauses
    )


def _someone(context: Context, at: int) -> Referent | None:
    """People, if nothing before the pronoun can be what it stands for."""
    known = any(each.end <= at and each.plural for each in context.mentions)
    return None if known else Referent("others", plural=True)


def _clause_before(context: Context, clauses: Sequence[Clause], at: int) -> Clause | None:
    """The clause that the word belongs to: the last verb before it in its sentence."""
    start, _ = context.line.sentence(at)
    found = [clause for clause in clauses if start <= clause.group.verb < at]
    return found[-1] if found else None


_FEW_OR_MANY = word_list("function_words", "few_or_many")
_NAMES_OF_PEOPLE = word_list("people", "demonyms")


def read_quantified_adjectives(context: Context) -> None:
    """Add adjectives that name people after how many: certains blessés, d'autres intéressés."""
    line = context.line
    for at in range(len(line)):
        if line[at] in _FEW_OR_MANY or (
            line[at] in {"autres", "plupart"} and line[at - 1] in {"d'", "les", "la"}
        ):
            start = at + 1
            start += line[start] in {"de", "d'"}
            _read_people_among(context, at, start)
        elif line[at] in {"quiconque", "autre"} and line[at + 1] != "chose":
            _read_people_among(context, at, at + 1)


def _read_people_among(context: Context, quantifier: int, start: int) -> None:
    line = context.line
    plural = line[quantifier] not in {"quiconque", "autre"}
    agreement = context.agreement(Referent("others", plural), "people of whom so many are", "guess")
    end = start
    while can_be_predicate(line, end, agreement) and is_plural(line[end]) == plural:
        end += 1
    if end == start or line.is_open(end) or context.sites.get(start) is not None:
        return
    words = {inflect(singular_of(line[index]), "masculine") for index in range(start, end)}
    if words.isdisjoint(
        SAID_OF_PEOPLE | ADJECTIVES_AS_PEOPLE | TEMPORARY_STATES | _NAMES_OF_PEOPLE
    ):
        return
    if line[quantifier] in {"certains", "certaines"}:
        agreement.add(quantifier, "determiner")
    if line[quantifier - 1] in {"un", "une", "l'"}:
        agreement.add(quantifier - 1, "determiner")
    for index in range(start, end):
        agreement.add(index, "adjective")


def _takes_up_person(context: Context, at: int) -> bool:
    """Whether the last noun of the pronoun's gender names a person: Le tueur … Celui qu'on …"""
    gender = "feminine" if context.line[at] in {"celle", "celles"} else "masculine"
    before = (each for each in reversed(context.mentions) if each.end <= at)
    last = next((each for each in before if each.gender in {gender, None}), None)
    return last is not None and last.human and last.phrase is not None


def read_demonstratives(context: Context) -> None:
    """Add celui and ceux where they stand for people: ceux qui sont venus, celui assis là."""
    line = context.line
    for at in range(len(line)):
        if line[at] not in _CELUI or context.sites.get(at) is not None:
            continue
        said = inflect(singular_of(line[at + 1]), "masculine") in SAID_OF_PEOPLE
        said = said or (line[at + 2] == "comme" and bool(participle_infinitives(line[at + 1])))
        taken_up = line[at + 1] in {"que", "qu'", "dont"} and _takes_up_person(context, at)
        if line[at + 1] != "qui" and not said and not taken_up:
            continue
        plural = line[at] in {"ceux", "celles"}
        known = said or taken_up
        referent = Referent("others", plural) if known else quantifier_referent(context, at)
        if referent is None:
            continue
        agreement = context.agreement(referent, "whoever it is", "guess")
        agreement.add(at, "pronoun")
        if said:
            reached = read_predicate_element(line, at + 1, agreement, strict=True)
            read_coordinated(line, reached, agreement, commas=False)
