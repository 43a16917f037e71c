"""Infinitives and present participles: who is meant, and what agrees with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.rewriting.french.lexicon import verbs
from epicene.languages.rewriting.french.line import STOPS, Line, participle_of
from epicene.languages.rewriting.french.predicate import complement, object_predicate, state
from epicene.languages.rewriting.french.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.languages.rewriting.french.scene import Party, Scene
    from epicene.languages.rewriting.french.sites import Bond
    from epicene.languages.rewriting.french.subjects import Clause

_ADJUNCTS = frozenset({"pour", "sans", "après", "en"})
_RULE = "said of who is meant with the infinitive"
# Verbs that begin a clause of their own wherever they stand.
_SURELY_FINITE = frozenset("est était sont étaient sera serait a avait ont".split())


class Governor(NamedTuple):
    """The verb that an infinitive depends on."""

    infinitives: Sequence[str]
    clitics: tuple[int, ...]
    party: Party | None  # its own subject
    noun_after: bool = False  # whether it has an object or an addressee that is a noun


def read_infinitives(reading: Reading, at: int, infinitives: Sequence[str]) -> None:
    """je veux être libre, on m'a demandé d'être patient, pour me sentir prêt."""
    line = reading.line
    governor = Governor(infinitives, reading.group.clitics, reading.clause.party)
    index = at
    while index < len(line) and not _leaves(line, index, reading.group.end):
        if line.is_infinitive(index):
            word = verbs().infinitive_of(line[index])
            own = clitics_before(line, index)
            party = _controller(reading, governor, index)
            read_infinitive(reading, index, party)
            governor = Governor((word,), own, party)
        elif (line.is_determiner(index) and line.is_open(index + 1)) or line.is_capital(index):
            governor = governor._replace(noun_after=True)
        index += 1


def read_subject_infinitives(scene: Scene, clauses: Sequence[Clause]) -> None:
    """Être seul me fait peur; mon rêve est de devenir acteur; c'est en étant patient que j'ai …"""
    for number, clause in enumerate(clauses):
        if clause.party is not None and clause.group.kind != "noun":
            continue
        reading = Reading(scene, clause)
        before = clauses[number - 1].group.end if number else 0
        after = clauses[number + 1] if number + 1 < len(clauses) else None
        meant = reading.object_party(clause.group.clitics) or _owner(reading)
        if meant is not None and not reading.reflexive:
            _read_between(reading, before, clause.group.start, meant)
        if (owner := _possessor(scene, clause)) is not None and "être" in clause.group.infinitives:
            _read_between(
                reading, clause.group.end, after.start if after else len(scene.line), owner
            )
        if after is not None and after.party and scene.line[clause.group.subject] in {"c'", "ce"}:
            _read_between(reading, clause.group.end, after.start, after.party)


def _read_between(reading: Reading, start: int, end: int, party: Party) -> None:
    """Every infinitive there up to the first stop has the same subject."""
    for index in range(start, end):
        if reading.line[index] in STOPS:
            return
        if reading.line.is_infinitive(index):
            read_infinitive(reading, index, party)


def _possessor(scene: Scene, clause: Clause) -> Party | None:
    """Whose dream it is: mon rêve est de …"""
    word = scene.line[clause.start]
    if word in {"mon", "ma", "mes"}:
        return scene.first(clause.start)
    return scene.second(clause.start) if word in {"ton", "ta", "tes"} else None


def _owner(reading: Reading) -> Party | None:
    """Être père a changé ma vie: the object is somebody's."""
    line, scene = reading.line, reading.scene
    for index in range(reading.group.end, min(reading.group.end + 4, len(line))):
        if line[index] in {"mon", "ma", "mes"}:
            return scene.first(index)
    return None


def _leaves(line: Line, index: int, end: int) -> bool:
    """Whether another clause begins there."""
    word = line[index]
    if word in {"que", "qu'"} and line[index - 1] == "tant":  # en tant que
        return False
    if word in STOPS or word in {"que", "qu'", "qui", "dont", "où", "»", '"', ":"}:
        return True
    if word in {"je", "j'", "tu", "il", "on", "ils"}:
        return True
    return index != end and word in _SURELY_FINITE


def clitics_before(line: Line, index: int) -> tuple[int, ...]:
    """The pronouns directly before a verb."""
    first = index
    while first > 0 and line[first - 1] in line.closed.clitics:
        first -= 1
    return tuple(range(first, index))


def _controller(reading: Reading, governor: Governor, index: int) -> Party | None:
    """Who is or does what the infinitive says."""
    line = reading.line
    first = min((index, *clitics_before(line, index)))
    before = line[first - 1]
    if before in _ADJUNCTS or line[first - 2] in {"avant", "lieu", "afin"}:
        return reading.clause.party
    if line[index] in verbs().gerunds:
        return reading.clause.party
    obliged = verbs().is_kind("object_control", governor.infinitives)
    reflexive = reading.reflexive and governor.clitics == reading.group.clitics
    party = None if reflexive else reading.object_party(governor.clitics)
    if party is not None:
        bare = before not in {"de", "d'", "à"} and not obliged
        own = bare or not {"promettre", "jurer"}.isdisjoint(governor.infinitives)
        return governor.party if own else party
    others = any(line[each] in {"lui", "leur", "l'", "les", "nous"} for each in governor.clitics)
    if obliged and (governor.noun_after or others):
        return None
    return governor.party


def read_infinitive(reading: Reading, index: int, party: Party | None) -> None:
    """One infinitive whose subject is known."""
    line, known = reading.line, verbs()
    word = known.infinitive_of(line[index])
    clitics = clitics_before(line, index)
    bond = None if party is None else reading.scene.bond(party, _RULE)
    own = reading.object_party(clitics)
    reflexive = any(line[each] in {"se", "s'"} for each in clitics) or (
        own is not None and own == party and own.who != "others"
    )
    after = line.after_adverbs(index + 1)
    if word == "avoir" and reading.is_participle(after):
        _compound(reading, after, clitics, bond)
    elif own is not None and not reflexive:
        if known.is_kind("object_predicates", [word]):
            reading.object_is(clitics, index + 1, [word])
    elif bond is not None:
        _of_subject(reading, index, after, bond, reflexive=reflexive)


def _of_subject(reading: Reading, index: int, after: int, bond: Bond, *, reflexive: bool) -> None:
    """What agrees with the subject of an infinitive."""
    line, known = reading.line, verbs()
    word = known.infinitive_of(line[index])
    if reflexive:
        if word == "être":
            reading.reflexive_participle(after, bond)
        elif known.is_kind("reflexive_copulas", [word]):
            object_predicate(line, index + 1, bond, naming=False)
    elif known.is_kind("copulas", [word]):
        if line[index + 1] != "donné":  # étant donné
            complement(line, index + 1, bond)
    elif known.is_kind("with_state", [word]):
        state(line, index + 1, bond)


def _compound(reading: Reading, at: int, clitics: tuple[int, ...], bond: Bond | None) -> None:
    """avoir été choisi, m'avoir vu."""
    infinitives = participle_of(reading.line[at])
    if verbs().is_kind("copulas", infinitives):
        if bond is not None:
            complement(reading.line, at + 1, bond)
        return
    own = reading.of_object(clitics, "object before the participle")
    if own is not None and not reading.is_dative(at, infinitives, reflexive=False):
        reading.participles(at, own, infinitives)
