"""People who are only spoken about: their nouns, their pronouns, their titles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.french.antecedents import changes, is_stressed, pronoun_party
from epicene.languages.rewriting.french.line import is_person
from epicene.languages.rewriting.french.predicate import coordinated, element, is_strong
from epicene.languages.rewriting.french.scene import Party

if TYPE_CHECKING:
    from epicene.languages.rewriting.french.mentions import Mention
    from epicene.languages.rewriting.french.scene import Scene

_STRESSED = frozenset({"lui", "elle", "eux", "elles", "lui-même", "elle-même", "eux-mêmes", "elles-mêmes"})
_TITLES = frozenset({"m", "mme", "mr", "mrs", "lord", "lady", "sir", "dame", "monsieur", "madame"})


def read_others(scene: Scene) -> None:
    """Add what names somebody and agrees with them, where nobody else was found."""
    for mention in scene.mentions:
        if mention.phrase is None:
            _beside_name(scene, mention)
        elif mention.human and changes(mention) and scene.sites.get(mention.head) is None:
            rule = "a noun for a person"
            mention.phrase.agree(scene.bond(Party("others", mention.plural), rule, "likely"))
    for index in range(len(scene.line)):
        if scene.line[index] in _STRESSED and scene.sites.get(index) is None:
            _stressed(scene, index)
        elif scene.line[index] in _TITLES and scene.line.tokens[index].text[0].isupper():
            _title(scene, index)


def _beside_name(scene: Scene, mention: Mention) -> None:
    """Davies, ancien joueur de hockey,"""
    line = scene.line
    if line[mention.end] != ",":
        return
    bond = scene.bond(Party("others"), "beside a name", "likely")
    start = line.after_adverbs(mention.end + 1)
    if is_strong(line, start, bond) and is_person(line[start]):
        coordinated(line, element(line, start, bond, strict=True), bond)


def _stressed(scene: Scene, index: int) -> None:
    if is_stressed(scene, index) and (party := pronoun_party(scene, index)):
        scene.bond(party, "stressed pronoun", "likely").add(index, "pronoun")


def _title(scene: Scene, index: int) -> None:
    """M. Brown, Lady James."""
    if scene.line.is_word(index + 1) or scene.line[index + 1] == ".":
        scene.bond(Party("others"), "a title", "likely").add(index, "pronoun")
