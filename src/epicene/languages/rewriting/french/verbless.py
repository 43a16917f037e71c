"""Sentences without a verb of their own: Désolé de vous avoir dérangé. Merci de m'avoir invité."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.french.groups import Group
from epicene.languages.rewriting.french.infinitives import clitics_before
from epicene.languages.rewriting.french.inflection import inflect
from epicene.languages.rewriting.french.line import STOPS
from epicene.languages.rewriting.french.predicate import coordinated, element
from epicene.languages.rewriting.french.reading import Reading
from epicene.languages.rewriting.french.strength import is_strong
from epicene.languages.rewriting.french.subjects import Clause

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.languages.rewriting.french.scene import Scene


def read_verbless(scene: Scene, clauses: Sequence[Clause]) -> None:
    """Add what agrees with the speaker where "je suis" is left out, and with "me" before avoir."""
    line = scene.line
    for at in range(len(line)):
        if line[at] == "avoir":
            _object_of_infinitive(scene, at)
        if line.begins(at) and line.is_word(at) and not _has_subject(scene, clauses, at):
            _left_out(scene, at)
            _answered(scene, at)


def _has_subject(scene: Scene, clauses: Sequence[Clause], start: int) -> bool:
    """Whether a verb with a subject stands in the sentence that begins there."""
    end = start
    while end < len(scene.line) and scene.line[end] not in STOPS:
        end += 1
    return any(
        clause.named and clause.group.kind != "relative" and start <= clause.group.verb < end
        for clause in clauses
    )


def _left_out(scene: Scene, at: int) -> None:
    """Désolé, vraiment. Ravi de vous rencontrer."""
    line = scene.line
    start = line.after_adverbs(at)
    bond = scene.bond(scene.first(at), "je suis is left out", "guess")
    if not is_strong(line, start, bond) or inflect(line[start], "masculine") not in _SAID:
        return
    if line[start + 1] in {"de", "d'", "que", "qu'", ",", ""} or line[start + 1] in STOPS:
        coordinated(line, element(line, start, bond, strict=True), bond)


_SAID = frozenset(
    "désolé ravi content heureux navré fier enchanté déçu surpris étonné flatté".split()
)


def _answered(scene: Scene, at: int) -> None:
    """Qui je suis ? Un vieil ami de la famille."""
    line = scene.line
    asked = [
        group for group in scene.groups if group.end <= at and line[group.subject] in {"je", "j'"}
    ]
    if line[at - 1] != "?" or not asked or "être" not in asked[-1].infinitives:
        return
    bond = scene.bond(scene.first(asked[-1].subject), "answers who somebody is", "likely")
    if line.is_determiner(at):
        coordinated(line, element(line, at, bond), bond)


def _object_of_infinitive(scene: Scene, at: int) -> None:
    """m'avoir invité: the object is named, whoever it is that invited."""
    clitics = clitics_before(scene.line, at)
    if any(scene.line[index] in {"me", "m'", "te", "t'"} for index in clitics):
        group = Group(at, "same", "", clitics, at, ("avoir",), at + 1)
        Reading(scene, Clause(group, None, at, named=False)).read()
