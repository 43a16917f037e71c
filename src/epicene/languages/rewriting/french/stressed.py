"""What stands beside "moi" and "toi"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.french.lexicon import verbs
from epicene.languages.rewriting.french.line import STOPS
from epicene.languages.rewriting.french.phrases import read_phrase
from epicene.languages.rewriting.french.predicate import coordinated, element, is_strong

if TYPE_CHECKING:
    from epicene.languages.rewriting.french.scene import Scene
    from epicene.languages.rewriting.french.sites import Bond

_THAT_ONE = frozenset({"celui", "celle"})
_BEFORE_MOI = frozenset("chez pour avec sans de d' à sur vers par entre".split())


def read_stressed(scene: Scene) -> None:
    """What stands beside "moi" and "toi", and in "celui qui …, c'est moi"."""
    line = scene.line
    for at in range(len(line)):
        if line[at] in {"moi", "toi"}:
            _beside(scene, at)
            if line[at - 1] in {"est", "était", "serai", "sera"} and line[at - 2] in {"c'", "n'"}:
                _cleft(scene, at)
            _reworded(scene, at)


def _beside(scene: Scene, at: int) -> None:
    """moi boulanger; moi, leur ancien professeur; c'est moi le plus sérieux."""
    line = scene.line
    bond = scene.bond(scene.stressed(at), f"beside {line[at]}")
    if line[at + 1] in {"seul", "seule"}:
        bond.add(at + 1, "adjective")
    if line[at - 1] in _BEFORE_MOI or line.is_enclitic(at):
        return
    start = at + 2 if line[at + 1] == "," else at + 1
    start = line.after_adverbs(start)
    if line[start] in _THAT_ONE:
        element(line, start, bond)
    elif line.is_determiner(start) and line[start] not in {"mon", "ma", "mes", "nos", "notre"}:
        _phrase_beside(scene, start, bond)
    elif is_strong(line, start, bond) and not verbs().forms(line[start]):
        end = element(line, start, bond.by(bond.rule, "likely"), strict=True)
        coordinated(line, end, bond.by(bond.rule, "likely"))


def _phrase_beside(scene: Scene, start: int, bond: Bond) -> None:
    phrase = read_phrase(scene.line, start)
    if phrase is None or phrase.kind != "person" or verbs().forms(scene.line[phrase.end]):
        return
    if scene.line[start] in {"les", "des", "ces", "ses", "tes", "vos"}:
        return
    phrase.agree(bond)


def _cleft(scene: Scene, at: int) -> None:
    """celui que tu cherches, c'est moi; le plus sage, c'était moi."""
    line = scene.line
    start = at
    while start > 0 and line[start - 1] not in STOPS and line[start - 1] not in {":", "«"}:
        start -= 1
    start = line.after_adverbs(start)
    bond = scene.bond(scene.stressed(at), "the one who is named after c'est")
    if line[start] in _THAT_ONE:
        bond.add(start, "pronoun")
    elif line[start] in {"le", "la", "l'"}:
        phrase = read_phrase(line, start)
        if phrase and phrase.kind == "person" and line[at - 3] == ",":
            phrase.agree(bond)


def _reworded(scene: Scene, at: int) -> None:
    """au responsable du rayon, autrement dit à moi."""
    line = scene.line
    before = at - 1
    while line[before] in {"à", "de", "d'", "avec", "chez", "pour"}:
        before -= 1
    if line[before] != "c'est-à-dire" and (line[before - 1], line[before]) != ("autrement", "dit"):
        return
    comma = next((near for near in range(before, max(0, before - 4), -1) if line[near] == ","), 0)
    for near in range(comma - 1, max(0, comma - 8), -1):
        if line[near] in {"au", "du", "le", "la", "l'"}:
            phrase = read_phrase(line, near + (line[near] in {"au", "du"}))
            if phrase is not None and phrase.kind == "person":
                bond = scene.bond(scene.stressed(at), "reworded as moi")
                phrase.agree(bond)
                bond.add(near, "determiner")
                return
