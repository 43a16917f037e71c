"""People who are only spoken about: their nouns, their pronouns, their titles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.french.antecedents import changes, is_stressed, pronoun_party
from epicene.languages.rewriting.french.inflection import shows_noun, singular
from epicene.languages.rewriting.french.line import is_person
from epicene.languages.rewriting.french.mentions import is_one_gender, rarely_people
from epicene.languages.rewriting.french.phrases import read_phrase
from epicene.languages.rewriting.french.predicate import coordinated, element, is_strong
from epicene.languages.rewriting.french.scene import Party

if TYPE_CHECKING:
    from epicene.languages.rewriting.french.mentions import Mention
    from epicene.languages.rewriting.french.scene import Scene

_STRESSED = frozenset({"lui", "elle", "eux", "elles", "lui-même", "elle-même", "eux-mêmes", "elles-mêmes"})
_BEFORE_BARE = frozenset({"pour", "de", "d'", "comme", "en"})
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
        if scene.line[index] in _BEFORE_BARE or scene.line[index - 1] == "tant":
            _bare(scene, index + 1)
        if scene.line[index] in _STRESSED and scene.sites.get(index) is None:
            _stressed(scene, index)
        elif scene.line[index] in _TITLES and scene.line.tokens[index].text[0].isupper():
            _title(scene, index)


def _bare(scene: Scene, at: int) -> None:
    """un titre de duchesse, une école pour filles."""
    line = scene.line
    if not line.is_open(at) or scene.sites.get(at) is not None:
        return
    phrase = read_phrase(line, at, stop={group.verb for group in scene.groups})
    if phrase is None or phrase.kind != "person" or phrase.determiners:
        return
    word = line[phrase.head]
    if not is_person(word) or word in rarely_people() or scene.sites.get(phrase.head) is not None:
        return
    plural = word.endswith(("s", "x")) and singular(word) != word
    if plural and shows_noun(word, plural=True) == "masculine" and not is_one_gender(word):
        return
    phrase.agree(scene.bond(Party("others", plural), "a noun for a person", "guess"))


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
        bond = scene.bond(party, "stressed pronoun", "likely")
        bond.add(index, "stressed")
        if scene.line[index - 1] == "entre" and scene.line[index - 3] in {"un", "une"}:
            bond._replace(plural=False).add(index - 3, "determiner")  # l'un d'entre eux


def _title(scene: Scene, index: int) -> None:
    """M. Brown, Lady James."""
    if scene.line.is_word(index + 1) or scene.line[index + 1] == ".":
        scene.bond(Party("others"), "a title", "likely").add(index, "pronoun")
