"""People who are only spoken about: their nouns, their pronouns, their titles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.french.antecedents import (
    chain_end,
    changes,
    is_stressed,
    pronoun_party,
)
from epicene.languages.rewriting.french.inflection import shows, shows_noun, singular
from epicene.languages.rewriting.french.lexicon import verbs
from epicene.languages.rewriting.french.line import is_adjective, is_person
from epicene.languages.rewriting.french.mentions import is_one_gender, rarely_people
from epicene.languages.rewriting.french.phrases import read_phrase
from epicene.languages.rewriting.french.predicate import coordinated, element
from epicene.languages.rewriting.french.scene import Party
from epicene.languages.rewriting.french.strength import is_strong

if TYPE_CHECKING:
    from epicene.languages.rewriting.french.mentions import Mention
    from epicene.languages.rewriting.french.scene import Scene
    from epicene.languages.rewriting.french.sites import Kind

_STRESSED = frozenset(
    {"lui", "elle", "eux", "elles", "lui-même", "elle-même", "eux-mêmes", "elles-mêmes"}
)
_SOME = frozenset({"un", "une", "certains", "certaines", "aucun", "aucune"})
_BEFORE_BARE = frozenset({"pour", "de", "d'", "comme", "en"})
_TITLES = frozenset({"m", "mme", "mr", "mrs", "lord", "lady", "sir", "dame", "monsieur", "madame"})


def read_others(scene: Scene) -> None:
    """Add what names somebody and agrees with them, where nobody else was found."""
    for mention in scene.mentions:
        if mention.phrase is None:
            _beside_name(scene, mention)
        elif mention.human and changes(mention) and scene.sites.get(mention.head) is None:
            party = Party("others", mention.plural)
            mention.phrase.agree(scene.bond(party, "a noun for a person", "likely"))
            _one_of(scene, mention)
            _after_mention(scene, mention)
    for index in range(len(scene.line)):
        if scene.line[index] in _BEFORE_BARE or scene.line[index - 1] == "tant":
            _bare(scene, index + 1)
        if scene.line[index] in _STRESSED and scene.sites.get(index) is None:
            _stressed(scene, index)
        elif scene.line.is_word(index) and scene.line.tokens[index].text[0].isupper():
            _title(scene, index)


def _one_of(scene: Scene, mention: Mention) -> None:
    """l'un de ses oncles, certaines des premières mères."""
    line = scene.line
    before = mention.start - (line[mention.start] != "des")
    if line[before] in {"de", "d'", "des"} and line[before - 1] in _SOME:
        party = Party("others", plural=line[before - 1] in {"certains", "certaines"})
        scene.bond(party, "one of several people", "likely").add(before - 1, "determiner")


def _after_mention(scene: Scene, mention: Mention) -> None:
    """son fils aîné, âgé de 25 ans,"""
    line = scene.line
    end = chain_end(scene, mention)
    if line[end] != ",":
        return
    bond = scene.bond(Party("others", mention.plural), "beside a noun for a person", "likely")
    start = line.after_adverbs(end + 1)
    shown = shows(line[start], plural=mention.plural)
    if is_strong(line, start, bond) and is_adjective(line[start]) and shown == mention.gender:
        element(line, start, bond, nouns=False, strict=True)


def _bare(scene: Scene, at: int) -> None:
    """un titre de duchesse, une école pour filles."""
    line = scene.line
    if not line.is_open(at) or scene.sites.get(at) is not None:
        return
    if line[at] in verbs().gerunds or (line[at - 1], line[at]) == ("en", "chef"):
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
    """M. Brown, Lady James, Père Seton."""
    word = scene.line[index]
    if (word not in _TITLES and not is_one_gender(word)) or scene.sites.get(index) is not None:
        return
    name = index + 2 if scene.line[index + 1] == "." else index + 1
    if scene.line.tokens[index].text.isupper() and len(scene.line[index]) > 1:
        return
    if scene.line.is_word(name) and scene.line.tokens[name].text[0].isupper():
        kind: Kind = "pronoun" if word in _TITLES else "noun"
        scene.bond(Party("others"), "a title", "likely").add(index, kind)
