"""Whom a pronoun of the third person means: somebody, or something."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from epicene.languages.rewriting.french.lexicon import Words, read, words
from epicene.languages.rewriting.french.line import LINKS, STOPS
from epicene.languages.rewriting.french.scene import Party, Scene

if TYPE_CHECKING:
    from epicene.languages.rewriting.french.groups import Group
    from epicene.languages.rewriting.french.mentions import Mention
    from epicene.languages.rewriting.french.sites import Site
    from epicene.languages.rewriting.people import Gender

_FEMININE = frozenset({"elle", "elles", "la"})
_PLURAL = frozenset({"ils", "elles", "les", "eux"})


@cache
def _impersonal_verbs() -> Words:
    return words(read("function_words")["impersonal_verbs"])


@cache
def _impersonal_adjectives() -> Words:
    return words(read("function_words")["impersonal_adjectives"])


def is_impersonal(scene: Scene, group: Group) -> bool:
    """il faut, il y a, il est vrai que."""
    line = scene.line
    if line[group.subject] != "il":
        return False
    if not _impersonal_verbs().isdisjoint(group.infinitives):
        return True
    if "avoir" in group.infinitives and any(line[index] == "y" for index in group.clitics):
        return True
    after = line.after_adverbs(group.end)
    if line[after] in {"été", "fallu", "plu"}:
        after = line.after_adverbs(after + 1)
    if "être" in group.infinitives or "devenir" in group.infinitives:
        return line[after] in _impersonal_adjectives() and line[after + 1] not in {".", ","}
    if {"sembler", "paraître", "arriver", "rester"} & set(group.infinitives):
        return line[after] in {"que", "qu'", "des", "un", "une"}
    return "pouvoir" in group.infinitives and any(line[index] == "se" for index in group.clitics)


def pronoun_party(scene: Scene, at: int) -> Party | None:
    """Whom il, elle, le, la, lui … there means; None for a thing."""
    word = scene.line[at]
    gender: Gender | None = "feminine" if word in _FEMININE else "masculine"
    plural = word in _PLURAL
    if word in {"l'", "lui", "les"}:
        gender = None
    found = _antecedent(scene, at, gender, plural=plural)
    return Party("others", plural) if found is None or found.human else None


def _antecedent(scene: Scene, at: int, gender: Gender | None, *, plural: bool) -> Mention | None:
    """The mention that a pronoun most likely takes up: a subject rather than an object."""
    subjects = {group.subject for group in scene.groups if group.kind == "noun"}
    best: tuple[int, Mention] | None = None
    for mention in scene.mentions:
        if mention.end > at:
            break
        if mention.plural != plural or _differs(mention.gender, gender):
            continue
        if mention.after_preposition and not mention.human:
            continue
        if mention.end == at - 1 and scene.line[at - 1] in {"que", "qu'", "dont", "où"}:
            continue  # le lapin qu'il sauve
        rank = 2 if mention.end - 1 in subjects or mention.human else 1
        if best is None or rank >= best[0]:
            best = (rank, mention)
    return best[1] if best else None


def _differs(one: Gender | None, other: Gender | None) -> bool:
    return one is not None and other is not None and one != other


def relative_site(scene: Scene, at: int, *, apart: bool = False) -> Site | None:
    """The word found before that a relative clause after `at` is about."""
    line, sites = scene.line, scene.sites
    if line[at] in {"et", "ou", "mais"}:  # celui que tu cherches et qui est revenu
        for near in range(at - 1, max(at - 12, -1), -1):
            if (found := sites.get(near)) and found.kind == "pronoun" and line[near] not in {"il", "elle"}:
                return found
        return None
    if (site := sites.get(at)) is not None:
        return site
    if apart:
        return None
    for near in range(at - 1, max(at - 4, -1), -1):  # un homme de trente ans qui …
        if line[near] in {"de", "d'", "du", "à", "en"}:
            return sites.get(near - 1)
    return None


def phrase_party(mention: Mention) -> Party | None:
    """Whom a mention means, if somebody whose words we change."""
    if not mention.human or (mention.phrase is not None and not changes(mention)):
        return None
    return Party("others", mention.plural)


def changes(mention: Mention) -> bool:
    """Not people in the masculine plural, who may be women too."""
    return not mention.plural or mention.gender != "masculine" or mention.one_gender


def subject_mention(scene: Scene, before: int) -> Mention | None:
    """The subject that ends with that word: the first of "le père de mon ami"."""
    mention = scene.mention_ending(before + 1)
    while mention is not None and mention.after_preposition:
        link = mention.start if scene.line[mention.start] in {"du", "au", "aux"} else mention.start - 1
        earlier = scene.mention_ending(link)
        if earlier is None:
            return None
        mention = earlier
    return mention


def aside_subject(scene: Scene, before: int) -> Mention | None:
    """Levit, le président, parla: what the sentence begins with."""
    line = scene.line
    start = before
    while start > 0 and line[start - 1] not in STOPS:
        start -= 1
    for mention in scene.mentions:
        if mention.start >= start and mention.end <= before:
            if mention.after_preposition:
                continue
            return mention if line[mention.end] == "," else None
    return None


def is_stressed(scene: Scene, at: int) -> bool:
    """Whether "lui" or "elle" there is no pronoun before a verb: avec lui, lui aussi."""
    line = scene.line
    if line[at - 1] in LINKS:
        return False
    subjects = {group.subject for group in scene.groups}
    clitics = {index for group in scene.groups for index in group.clitics}
    if at in subjects or at in clitics:
        return False
    after = at + 1
    while line[after] in line.closed.clitics:
        after += 1
    return line[at] != "lui" or line[after] not in scene_infinitives()


@cache
def scene_infinitives() -> frozenset[str]:
    """Every infinitive we know."""
    from epicene.languages.rewriting.french.lexicon import verbs

    return verbs().infinitives
