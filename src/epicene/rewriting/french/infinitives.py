"""Infinitives and present participles, each read with the person understood as its subject."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.french.antecedents import (
    aside_subject,
    mention_referent,
    subject_mention,
)
from epicene.rewriting.french.clauses import ClauseReader
from epicene.rewriting.french.lexicon import verb_table
from epicene.rewriting.french.line import SENTENCE_ENDS, Line, participle_infinitives
from epicene.rewriting.french.predicates import (
    plays_part,
    read_complement,
    read_object_predicate,
    read_part_played,
    read_state,
)
from epicene.rewriting.french.verb_groups import clitics_before

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.rewriting import Confidence
    from epicene.rewriting.french.context import Context, Referent
    from epicene.rewriting.french.sites import Agreement
    from epicene.rewriting.french.subjects import Clause

_ADJUNCTS = frozenset({"pour", "sans", "après", "en"})
# Whose object does what the infinitive says: laisse-moi être généreux.
_LETTING = frozenset({"laisser", "faire", "voir", "entendre", "sentir", "regarder", "écouter"})
_INFINITIVE_RULE = "said of who is meant with the infinitive"
# Verbs that begin a clause of their own wherever they stand.
_SURELY_FINITE = frozenset("est était sont étaient sera serait a avait ont".split())


class Governor(NamedTuple):
    """The verb that governs an infinitive."""

    infinitives: Sequence[str]
    clitics: tuple[int, ...]
    referent: Referent | None  # its own subject
    noun_after: bool = False  # whether it has an object or an addressee that is a noun


class OwnSubject(NamedTuple):
    """The subject of a participle; its referent is None where that is no person."""

    referent: Referent | None


def read_infinitives(reading: ClauseReader, at: int, infinitives: Sequence[str]) -> None:
    """Read the infinitives after a verb, each with its controller.

    je veux être libre, on m'a demandé d'être patient, pour me sentir prêt.
    """
    line = reading.line
    governor = Governor(infinitives, reading.group.clitics, reading.clause.referent)
    index = at
    starts = {group.start for group in reading.context.groups}
    starts |= {
        mention.start - 1
        for each in starts
        if line[each - 1] == "," and (mention := aside_subject(reading.context, each - 1))
    }
    while index < len(line) and not _begins_clause(line, index, reading.group.end):
        if line[index] == "," and index + 1 in starts:  # je t'en prie, laisse-moi être prudent
            break
        if line[index] in {"et", "mais"} and index in starts:  # et elle, au lieu d'être là, …
            break
        if line.is_infinitive(index):
            word = verb_table().infinitive_of(line[index])
            own = clitics_before(line, index)
            referent = _infinitive_controller(reading, governor, index)
            read_infinitive(reading, index, referent)
            governor = Governor((word,), own, referent)
        elif (line.is_determiner(index) and line.is_open(index + 1)) or line.is_capital(index):
            governor = governor._replace(noun_after=True)
        index += 1


def read_subject_infinitives(context: Context, clauses: Sequence[Clause]) -> None:
    """Read infinitives and gerunds whose subject is expressed elsewhere in the sentence.

    Être seul me fait peur; mon rêve est de devenir acteur; c'est en étant patient que j'ai …
    """
    for number, clause in enumerate(clauses):
        if clause.referent is not None and clause.group.kind != "noun":
            continue
        reading = ClauseReader(context, clause)
        before = clauses[number - 1].group.end if number else 0
        before = max(before, context.line.sentence(clause.group.start)[0])
        after = clauses[number + 1] if number + 1 < len(clauses) else None
        meant = reading.object_referent(clause.group.clitics) or _possessor_of_object(reading)
        if meant is not None and not reading.reflexive:
            _read_between(reading, before, clause.group.start, meant)
        if (
            owner := _possessor_of_subject(context, clause)
        ) is not None and "être" in clause.group.infinitives:
            _read_between(
                reading, clause.group.end, after.start if after else len(context.line), owner
            )
        if (
            after is not None
            and after.referent
            and context.line[clause.group.subject] in {"c'", "ce"}
        ):
            _read_between(reading, clause.group.end, after.start, after.referent)


def own_subject(context: Context, index: int) -> OwnSubject | None:
    """The subject of a present participle, where it has one: mon père étant malade."""
    line = context.line
    if line[index] not in verb_table().gerunds:
        return None
    before = min((index, *clitics_before(line, index))) - 1
    if line[before] in {"moi", "toi"}:
        return OwnSubject(context.tonic_referent(before))
    mention = subject_mention(context, before)
    return None if mention is None else OwnSubject(mention_referent(mention))


def read_absolute_participles(context: Context) -> None:
    """Read the present participles that have a subject of their own: ma mère étant sortie, …"""
    line = context.line
    for index in range(1, len(line)):
        if line[index] not in {"étant", "ayant"}:
            continue
        subject = own_subject(context, index)
        if subject is None or subject.referent is None:
            continue
        agreement = context.agreement(subject.referent, "said of the participle's subject")
        after = line.after_adverbs(index + 1)
        if line[index] == "étant":
            read_complement(line, index + 1, agreement)
        elif line[after] == "été":
            read_complement(line, after + 1, agreement)


def _read_between(reading: ClauseReader, start: int, end: int, referent: Referent) -> None:
    """Read each infinitive up to the end of the sentence, with that referent as its subject."""
    for index in range(start, end):
        if reading.line[index] in SENTENCE_ENDS:
            return
        if reading.line.is_infinitive(index):
            read_infinitive(reading, index, referent)


def _possessor_of_subject(context: Context, clause: Clause) -> Referent | None:
    """The possessor of the subject: mon rêve est de …"""
    word = context.line[clause.start]
    if word in {"mon", "ma", "mes"}:
        return context.speaker(clause.start)
    return context.listener(clause.start) if word in {"ton", "ta", "tes"} else None


def _possessor_of_object(reading: ClauseReader) -> Referent | None:
    """The speaker, if they possess the object: Être père a changé ma vie."""
    line, context = reading.line, reading.context
    for index in range(reading.group.end, min(reading.group.end + 4, len(line))):
        if line[index] in {"mon", "ma", "mes"}:
            return context.speaker(index)
    return None


def _begins_clause(line: Line, index: int, end: int) -> bool:
    """Whether another clause begins at the index."""
    word = line[index]
    if word in {"que", "qu'"} and line[index - 1] == "tant":  # en tant que
        return False
    if word in SENTENCE_ENDS or word in {"que", "qu'", "qui", "dont", "où", "»", '"', ":"}:
        return True
    if word in {"je", "j'", "tu", "il", "on", "ils"}:
        return True
    return index != end and word in _SURELY_FINITE


def _infinitive_controller(
    reading: ClauseReader, governor: Governor, index: int
) -> Referent | None:
    """The controller of an infinitive: the person understood as its subject."""
    line = reading.line
    first = min((index, *clitics_before(line, index)))
    before = line[first - 1]
    if before in _ADJUNCTS or line[first - 2] in {"avant", "lieu", "afin"}:
        if line[reading.group.subject] in {"il", "ça", "cela"} and not reading.clause.referent:
            return reading.object_referent(reading.group.clitics)  # il m'a fallu du temps pour …
        return reading.clause.referent
    if line[index] in verb_table().gerunds:
        return reading.clause.referent
    obliged = verb_table().is_kind("object_control", governor.infinitives)
    reflexive = reading.reflexive and governor.clitics == reading.group.clitics
    referent = None if reflexive else reading.object_referent(governor.clitics)
    if referent is not None:
        obliged = obliged or not _LETTING.isdisjoint(governor.infinitives)
        bare = before not in {"de", "d'", "à"} and not obliged
        own = bare or not {"promettre", "jurer"}.isdisjoint(governor.infinitives)
        return governor.referent if own else referent
    others = any(line[each] in {"lui", "leur", "l'", "les", "nous"} for each in governor.clitics)
    if obliged and (governor.noun_after or others):
        return None
    return governor.referent


def read_infinitive(
    reading: ClauseReader, index: int, referent: Referent | None, *, sure: Confidence = "certain"
) -> None:
    """Read one infinitive whose subject is known."""
    line, known = reading.line, verb_table()
    word = known.infinitive_of(line[index])
    clitics = clitics_before(line, index)
    if own_subject(reading.context, index) is not None:
        return
    agreement = None
    if referent is not None:
        agreement = reading.context.agreement(referent, _INFINITIVE_RULE, sure)
    own = reading.object_referent(clitics)
    reflexive = any(line[each] in {"se", "s'"} for each in clitics) or (
        own is not None and own == referent and own.who != "others"
    )
    after = line.after_adverbs(index + 1)
    if word == "avoir" and reading.is_participle(after):
        _read_compound_infinitive(reading, after, clitics, agreement)
    elif own is not None and not reflexive:
        if known.is_kind("object_predicates", [word]):
            reading.read_object_complement(clitics, index + 1, [word])
    elif agreement is not None:
        _read_subject_agreement(reading, index, after, agreement, reflexive=reflexive)


def _read_subject_agreement(
    reading: ClauseReader, index: int, after: int, agreement: Agreement, *, reflexive: bool
) -> None:
    """Add what agrees with the subject of an infinitive."""
    line, known = reading.line, verb_table()
    word = known.infinitive_of(line[index])
    if reflexive:
        if word == "être":
            reading.read_reflexive_participle(after, agreement)
        elif known.is_kind("reflexive_copulas", [word]):
            read_object_predicate(line, index + 1, agreement, naming=False)
    elif known.is_kind("copulas", [word]):
        if line[index + 1] != "donné":  # étant donné
            read_complement(line, index + 1, agreement)
    elif word in {"faire", "jouer"} and plays_part(line, after):
        read_part_played(line, after, agreement)
    elif known.is_kind("with_state", [word]):
        read_state(line, index + 1, agreement)
    for at in range(index + 1, min(index + 7, len(line))):
        if line[at] in {"muni", "munie"} and line[at + 1] in {"de", "d'"}:  # se présenter muni de
            agreement.add(at, "adjective", "likely")


def _read_compound_infinitive(
    reading: ClauseReader, at: int, clitics: tuple[int, ...], agreement: Agreement | None
) -> None:
    """Add what agrees in a compound infinitive: avoir été choisi, m'avoir vu."""
    infinitives = participle_infinitives(reading.line[at])
    if verb_table().is_kind("copulas", infinitives):
        if agreement is not None:
            read_complement(reading.line, at + 1, agreement)
        return
    own = reading.object_agreement(clitics, "object before the participle")
    if own is not None and not reading.pronoun_is_indirect_object(at, infinitives, reflexive=False):
        reading.read_participles(at, own, infinitives)
