"""How somebody is spoken to: ma chérie, Monsieur, cher ami."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.french.lexicon import words
from epicene.languages.rewriting.french.line import CLOSING, OPENING, STOPS
from epicene.languages.rewriting.french.phrases import read_phrase

if TYPE_CHECKING:
    from epicene.languages.rewriting.french.line import Line
    from epicene.languages.rewriting.french.scene import Scene

# What one calls somebody without more ado.
ADDRESSES = words(
    """
    monsieur madame docteur docteure maître professeur professeure papa maman
    papi papy mamie tonton tata chéri chérie frère sœur fils fille patron patronne chef cheffe
    capitaine commissaire président présidente ami amie
    """
)
# And with "mon" or "cher" before it.
_DEAR = ADDRESSES | words(
    """
    cher chère grand grande petit petite vieux vieille garçon beau belle joli jolie pauvre cousin
    cousine neveu nièce enfant camarade collègue voisin voisine bonhomme coquin coquine lapin
    """
)
_RULE = "how they are spoken to"


def read_addresses(scene: Scene) -> None:
    """Add the nouns that stand between commas and mean who is spoken to."""
    line = scene.line
    for at in range(len(line)):
        if not _opens(line, at - 1):
            continue
        start = at + 1 if line[at] in {"oh", "ah", "et", "mais", "oui", "non"} else at
        if line[start] in {"mon", "ma", "cher", "chère"}:
            _dear(scene, start)
        elif line[start] in ADDRESSES and _closes(line, start + 1):
            kind = "pronoun" if line[start] in {"monsieur", "madame"} else "noun"
            scene.bond(scene.second(start), _RULE, "likely").add(start, kind)  # type: ignore[arg-type]


def _opens(line: Line, at: int) -> bool:
    return at < 0 or line[at] in {",", ":", "-", "–", "—"} or line[at] in STOPS | OPENING | {'"'}


def _closes(line: Line, at: int) -> bool:
    return at >= len(line) or line[at] in {",", ":"} or line[at] in STOPS | CLOSING | {'"'}


def _dear(scene: Scene, at: int) -> None:
    """mon vieux, ma pauvre amie, cher monsieur."""
    line = scene.line
    phrase = read_phrase(line, at)
    if phrase is None or not _closes(line, phrase.end) or line[phrase.head] not in _DEAR:
        return
    bond = scene.bond(scene.second(at), _RULE, "likely")
    phrase.agree(bond)
    if line[phrase.head] in {"monsieur", "madame"}:
        scene.sites.drop(phrase.head)
        bond.add(phrase.head, "pronoun")
