"""What is said of somebody beside a verb: before the clause, inside it, after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.french.addresses import ADDRESSES
from epicene.languages.rewriting.french.infinitives import read_infinitive
from epicene.languages.rewriting.french.inflection import inflect, shows
from epicene.languages.rewriting.french.lexicon import read, verbs, words
from epicene.languages.rewriting.french.line import OPENING, STOPS, Line, is_adjective, is_person
from epicene.languages.rewriting.french.phrases import before_noun, read_phrase
from epicene.languages.rewriting.french.predicate import complement, coordinated, element
from epicene.languages.rewriting.french.reading import Reading
from epicene.languages.rewriting.french.scene import Party
from epicene.languages.rewriting.french.strength import is_strong, states

if TYPE_CHECKING:
    from epicene.languages.rewriting.french.scene import Scene
    from epicene.languages.rewriting.french.sites import Bond
    from epicene.languages.rewriting.french.subjects import Clause

_ROLES = words(read("function_words")["roles"])
# Said of nobody: Promis, je viens.
_INTERJECTIONS = words("promis juré vrai exact parfait entendu compris bon fini vu excepté dommage")
_POSSESSIVES = {"mon": "first", "ma": "first", "mes": "first", "ton": "second", "ta": "second"}


def read_asides(scene: Scene, clauses: list[Clause]) -> None:
    """What stands before, inside and after each clause."""
    _roles(scene, 0, len(scene.line))
    main: Clause | None = None
    for number, clause in enumerate(clauses):
        after = clauses[number + 1].group.start if number + 1 < len(clauses) else len(scene.line)
        start = _sentence_start(scene.line, clause.group.start)
        if main is not None and main.group.start < start:
            main = None
        if clause.party is not None:
            _fronted(scene, clause, start, main)
            _trailing(scene, clause, after)
            _as(scene, clause, clause.group.end, after)
            _alone(scene, clause, after)
            _roles(scene, clause.group.end, after, clause)
        if clause.named and not _is_subordinate(scene.line, clause, start):
            main = main or clause


def _sentence_start(line: Line, at: int) -> int:
    while at > 0 and line[at - 1] not in STOPS and line[at - 1] not in OPENING:
        at -= 1
    return at


def _is_subordinate(line: Line, clause: Clause, start: int) -> bool:
    """Whether the clause depends on another: its first word says so."""
    if clause.group.kind == "relative":
        return True
    at = clause.group.start - 1
    while at >= start and line[at] != ",":
        if line[at] in line.closed.subordinators:
            return True
        at -= 1
    return False


def _fronted(scene: Scene, clause: Clause, start: int, main: Clause | None) -> None:
    """Fatigué, je …; Né à Lyon, je …; Avant d'être couturier, j'ai …"""
    line = scene.line
    end = clause.start
    if clause.group.kind not in {"pronoun", "noun"} or clause.party is None:
        return
    if line[end - 1] == "," and line[end - 2] in {"moi", "toi"} and line[end - 3] in {",", ""}:
        end -= 2
    if main is not None:
        # What stands between two clauses belongs to the second only after a conjunction.
        start = max(
            (at for at in range(start, end) if line[at] in {"et", "mais", "ou"}), default=end
        )
        start = max(start, main.group.end)
    bond = scene.bond(clause.party, "before its subject")
    _as(scene, clause, start, end)
    if line[end - 1] == ",":
        _segments(scene, start, end, bond)
    _fronted_infinitives(scene, clause, start, end)


def _segments(scene: Scene, start: int, end: int, bond: Bond) -> None:
    """Every part between commas that begins with what somebody is."""
    line = scene.line
    at = start
    while at < end:
        first = _after_openers(line, at)
        if (
            is_strong(line, first, bond)
            and scene.sites.get(first) is None
            and line[first] not in _INTERJECTIONS
            and not (line[first] in ADDRESSES and line[first + 1] == ",")
            and _is_aside(line, first, end)
        ):
            reached = element(line, first, bond, strict=True)
            at = max(first + 1, coordinated(line, reached, bond))
        while at < end and line[at] != ",":
            at += 1
        at += 1


def _after_openers(line: Line, at: int) -> int:
    """Past what may stand before an adjective at the head: et, bien que, même, une fois."""
    while True:
        if line[at] in {"et", "mais", "bien", "quoique", "quoiqu'", "que", "qu'", "ou", "puis"}:
            at += 1
        elif (after := line.adverb_end(at)) > at:
            at = after
        else:
            return at


def _is_aside(line: Line, at: int, end: int) -> bool:
    """Whether the part is no more than an aside: no verb follows before its comma."""
    for index in range(at + 1, end):
        if line[index] == ",":
            return True
        if line[index] in {"je", "tu", "il", "on"}:
            return False
    return True


def _fronted_infinitives(scene: Scene, clause: Clause, start: int, end: int) -> None:
    reading = Reading(scene, clause)
    for index in range(start, end):
        if scene.line.is_infinitive(index):
            read_infinitive(reading, index, clause.party)


def _trailing(scene: Scene, clause: Clause, after: int) -> None:
    """…, épuisé mais heureux."""
    line = scene.line
    if clause.party is None:
        return
    bond = scene.bond(clause.party, "after its clause", "likely")
    index = clause.group.end
    while index < after and line[index] not in STOPS:
        if line[index] == ",":
            start = line.after_adverbs(index + 1)
            if _may_trail(scene, index, start, after, bond):
                reached = element(line, start, bond, nouns=False, strict=True)
                index = max(index, coordinated(line, reached, bond) - 1)
        index += 1


def _may_trail(scene: Scene, comma: int, start: int, after: int, bond: Bond) -> bool:
    line = scene.line
    if start >= after or not is_strong(line, start, bond) or not is_adjective(line[start]):
        return False
    if is_person(line[comma - 1]) or verbs().forms(line[start]) or line.is_open(start + 1):
        return False
    if inflect(line[start], "masculine") in states():
        return True
    mention = scene.mention_ending(comma)
    return mention is None or (mention.gender is not None and mention.gender != shows(line[start]))


def _as(scene: Scene, clause: Clause, start: int, end: int) -> None:
    """en tant que médecin, comme serveur."""
    line = scene.line
    if clause.party is None:
        return
    bond = scene.bond(clause.party, "said with en tant que or comme", "likely")
    for at in range(start, end):
        if line[at] in {"que", "qu'"} and line[at - 1] == "tant" and line[at - 2] == "en":
            reached = complement(line, at + 1, bond)
        elif line[at] == "comme" and _has_role(scene, clause, at):
            reached = element(line, at + 1, bond, strict=True)
        elif line[at] == "en" and line[at + 1] in before_noun() and is_person(line[at + 2]):
            reached = element(line, at + 1, bond, strict=True)  # en bon père de famille
        else:
            continue
        coordinated(line, reached, bond)


def _has_role(scene: Scene, clause: Clause, at: int) -> bool:
    """Whether "comme" says what the subject is, not what something is like."""
    line = scene.line
    objects = {"le", "la", "l'", "les", "me", "m'", "te", "t'"}
    reflexive = clause.group.is_reflexive(line)
    if not reflexive and any(line[index] in objects for index in clause.group.clitics):
        return False
    following = line[at + 1]
    if following in {"un", "une", "tout", "toute"}:
        phrase = read_phrase(line, at + 1)
        return phrase is not None and phrase.kind == "person" and is_person(line[phrase.head])
    return is_person(following)


def _alone(scene: Scene, clause: Clause, after: int) -> None:
    """je l'ai fait tout seul."""
    line = scene.line
    if clause.party is None:
        return
    for at in range(clause.group.end, after):
        if line[at] not in {"seul", "seule"} or line.is_open(at + 1):
            continue
        before = at - 1 if line[at - 1] in {"tout", "toute"} else at
        if line.is_determiner(before - 1) or line[before - 1] in {"de", "d'", "à", "elle", "lui"}:
            continue
        bond = scene.bond(clause.party, "seul, of the subject", "likely")
        bond.add(at, "adjective")
        if before < at:
            bond.add(before, "determiner")


def _roles(scene: Scene, start: int, end: int, clause: Clause | None = None) -> None:
    """ma carrière de chanteuse, le poste de directeur."""
    line = scene.line
    rule = "a role that is somebody's"
    for at in range(start, end):
        if (
            line[at] not in _ROLES
            or line[at + 1] not in {"de", "d'"}
            or not is_person(line[at + 2])
        ):
            continue
        owner = _POSSESSIVES.get(line[at - 1]) or _POSSESSIVES.get(line[at - 2])
        if owner is not None:
            party = scene.first(at) if owner == "first" else scene.second(at)
        elif line[at - 1] in {"son", "sa"} or line[at - 2] in {"son", "sa"}:
            party = Party("others")
        elif clause and clause.party and line[at - 1] not in {"leur", "notre"}:
            party = clause.party
        else:
            continue
        bond = scene.bond(party, rule, "likely")
        element(line, at + 2, bond, strict=True)
