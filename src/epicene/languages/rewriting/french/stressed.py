"""What stands beside "moi" and "toi", and other words that point at a person by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.french.lexicon import verbs
from epicene.languages.rewriting.french.line import STOPS
from epicene.languages.rewriting.french.phrases import read_phrase
from epicene.languages.rewriting.french.predicate import complement, coordinated, element
from epicene.languages.rewriting.french.strength import is_strong

if TYPE_CHECKING:
    from epicene.languages.rewriting.french.groups import Group
    from epicene.languages.rewriting.french.line import Line
    from epicene.languages.rewriting.french.scene import Party, Scene
    from epicene.languages.rewriting.french.sites import Bond

_THAT_ONE = frozenset({"celui", "celle"})
_BEFORE_MOI = frozenset("chez pour avec sans de d' sur vers par entre".split())


def read_stressed(scene: Scene) -> None:
    """What stands beside "moi" and "toi", and in "celui qui …, c'est moi"."""
    line = scene.line
    for at in range(len(line)):
        if line[at] in _THAT_ONE and line[at + 1] in {"que", "qu'"}:
            _what_one_is(scene, at)
        if line[at] in {"quel", "quelle"} or (line.begins(at) and line.is_word(at)):
            _exclaimed(scene, at)
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
    if line[at - 1] == "," and line.begins(at - 2) and is_strong(line, at - 2, bond):
        bond.add(at - 2, "adjective")  # Fatigué, moi ?
    if line[at - 1] in _BEFORE_MOI or line.is_enclitic(at):
        return
    start = at + 2 if line[at + 1] == "," else at + 1
    start = line.after_adverbs(start)
    if tuple(line.words[start : start + 2]) == ("en", "tant"):
        complement(line, start + 3, bond)
    elif line[start] in _THAT_ONE:
        element(line, start, bond)
    elif line.is_determiner(start) and line[start] not in {"mon", "ma", "mes", "nos", "notre"}:
        _phrase_beside(scene, start, bond)
    elif is_strong(line, start, bond) and not _is_verb(line, start):
        end = element(line, start, bond.by(bond.rule, "likely"), strict=True)
        coordinated(line, end, bond.by(bond.rule, "likely"))


def _is_verb(line: Line, at: int) -> bool:
    return bool(verbs().forms(line[at])) and not (line[at + 1] in STOPS or line[at + 1] == ",")


def _group_of(scene: Scene, subject: int) -> Group | None:
    """The verb whose subject is the pronoun there, if it says what somebody is."""
    found = next((group for group in scene.groups if group.subject == subject), None)
    return found if found and {"être", "devenir"} & set(found.infinitives) else None


def _party_of(scene: Scene, subject: int) -> Party | None:
    if scene.line[subject] in {"je", "j'"}:
        return scene.first(subject)
    return scene.second(subject) if scene.line[subject] in {"tu", "vous"} else None


def _what_one_is(scene: Scene, at: int) -> None:
    """celui que je suis devenu."""
    party = _party_of(scene, at + 2)
    if party is not None and _group_of(scene, at + 2) is not None:
        scene.bond(party, "the one whom somebody is").add(at, "pronoun")


def _exclaimed(scene: Scene, at: int) -> None:
    """Quel idiot je suis ! Idiot que je suis."""
    line = scene.line
    phrase = read_phrase(line, at)
    if phrase is None or phrase.kind != "person":
        return
    exclaims = line[at] in {"quel", "quelle"}
    subject = phrase.end if exclaims else phrase.end + 1
    if not exclaims and (phrase.determiners or line[phrase.end] not in {"que", "qu'"}):
        return
    party = _party_of(scene, subject)
    if party is not None and _group_of(scene, subject) is not None:
        phrase.agree(scene.bond(party, "an exclamation"))


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
