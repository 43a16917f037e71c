"""Whom a pronoun of the third person means: somebody, or something."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from epicene.languages.rewriting.french.lexicon import Words, read, verbs, words
from epicene.languages.rewriting.french.line import LINKS, STOPS, participle_of
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
    if line[after] in {"fallu", "plu"}:
        return True
    if line[after] == "été":
        after = line.after_adverbs(after + 1)
    if {"être", "devenir"} & set(group.infinitives) or line[after - 1] == "été":
        return _is_impersonal_predicate(scene, after)
    if {"sembler", "paraître", "arriver", "rester"} & set(group.infinitives):
        return line[after] in {"que", "qu'", "des", "un", "une"}
    return "pouvoir" in group.infinitives and any(line[index] == "se" for index in group.clitics)


def _is_impersonal_predicate(scene: Scene, at: int) -> bool:
    """il est crucial pour lui de; il a été annoncé que; il est tard."""
    line = scene.line
    if line[at] in {"temps", "question", "dommage", "tard", "tôt", "midi", "minuit"}:
        return True
    clause = next((at + step for step in (1, 2, 3) if line[at + step] in _OF_WHAT), None)
    if line[at] in _impersonal_adjectives():
        return clause is not None
    told = verbs().is_kind("told", participle_of(line[at]))
    return told and line[at + 1] in {"que", "qu'"}


_OF_WHAT = frozenset({"que", "qu'", "de", "d'", "à"})


def pronoun_party(scene: Scene, at: int) -> Party | None:
    """Whom il, elle, le, la, lui … there means; None for a thing."""
    word = scene.line[at]
    gender: Gender | None = "feminine" if word.startswith(("elle", "la")) else "masculine"
    plural = word.removesuffix("-mêmes") in _PLURAL
    if word in {"l'", "les"}:
        gender = None
    found = _antecedent(scene, at, gender, plural=plural)
    if found is None:
        known = _taken_up(scene, at, word)
        # Whoever "ils" are, there may be women among them; what "l'" is, there may be no one.
        return Party("others", plural) if known or word not in {"ils", "eux", "les", "l'"} else None
    if found.phrase is not None and not changes(found):
        return None
    return Party("others", plural) if found.human else None


def _taken_up(scene: Scene, at: int, word: str) -> bool:
    """Whether the same pronoun, or one like it, meant somebody before."""
    like = _LIKE.get(word, {word})
    return any(
        site.place < at and site.who == "others" and scene.line[site.place] in like
        for site in scene.sites
    )


_LIKE = {
    "l'": {"il", "elle", "le", "la"},
    "le": {"il", "le"},
    "la": {"elle", "la"},
    "lui": {"il", "le"},
    "lui-même": {"il", "le"},
    "elle-même": {"elle", "la"},
    "eux": {"ils"},
    "eux-mêmes": {"ils"},
    "elles-mêmes": {"elles"},
}


def _antecedent(scene: Scene, at: int, gender: Gender | None, *, plural: bool) -> Mention | None:
    """The mention that a pronoun most likely takes up: a subject rather than an object."""
    if _taken_up(scene, at, scene.line[at]):
        return None
    subjects = {group.subject for group in scene.groups if group.kind == "noun"}
    best: tuple[int, Mention] | None = None
    for mention in scene.mentions:
        if mention.end > at:
            break
        if mention.plural != plural or _differs(mention.gender, gender):
            continue
        if not mention.human and not _may_be_meant(scene, mention, at):
            continue
        rank = 2 if mention.end - 1 in subjects or mention.human else 1
        if best is None or rank >= best[0]:
            best = (rank, mention)
    return best[1] if best else None


def _may_be_meant(scene: Scene, thing: Mention, at: int) -> bool:
    """Whether a pronoun may take up a thing: not what its own clause is about, nor c'est le cas."""
    line = scene.line
    if thing.after_preposition or thing.gender is None:
        return False
    if not _TIME.isdisjoint(line.words[thing.start : thing.end]) or line[thing.head] in _OWN:
        return False
    if line[thing.start - 1] in {"est", "était", "fut", "sont"}:
        return False
    between = line.words[thing.end : at]
    if "," in between:  # the relative clause is over
        between = between[len(between) - between[::-1].index(",") :]
    return len(between) > 7 or _RELATIVE.isdisjoint(between)


_TIME = words(read("function_words")["time_nouns"])
_OWN = frozenset({"sien", "sienne", "mien", "mienne", "tien", "tienne"})
_RELATIVE = frozenset("que qu' dont où lequel laquelle duquel auquel lesquels".split())


def _differs(one: Gender | None, other: Gender | None) -> bool:
    return one is not None and other is not None and one != other


def relative_site(scene: Scene, at: int, *, apart: bool = False) -> Site | None:
    """The word found before that a relative clause after `at` is about."""
    line, sites = scene.line, scene.sites
    if line[at] in {"et", "ou", "mais"}:  # celui que tu cherches et qui est revenu
        for near in range(at - 1, max(at - 12, -1), -1):
            if (
                (found := sites.get(near))
                and found.kind == "pronoun"
                and line[near] not in {"il", "elle"}
            ):
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
    if scene.line[before].endswith(("-même", "-mêmes")):
        before -= 1
    mention = scene.mention_ending(before + 1)
    if mention is not None and mention.phrase is None:
        titled = scene.mention_ending(mention.start)  # le journal Equity, le prince Vyazemsky
        mention = titled or mention
    while mention is not None and mention.after_preposition:
        contracted = scene.line[mention.start] in {"du", "au", "aux"}
        link = mention.start if contracted else mention.start - 1
        mention = scene.mention_ending(link)
        if mention is None and scene.line[link - 1] in verbs().gerunds:
            mention = scene.mention_ending(link - 1)  # des filles venant de tout l'Empire
    return mention


def chain_end(scene: Scene, mention: Mention) -> int:
    """Where a mention ends with what depends on it: le patron du café."""
    end = mention.end
    for each in scene.mentions:
        contracted = scene.line[each.start] in {"du", "au", "aux", "des"}
        if each.after_preposition and each.start - (not contracted) == end:
            end = each.end
    return end


def aside_subject(scene: Scene, comma: int) -> Mention | None:
    """Levit, le président, parla: whom the aside that closes there is about."""
    line = scene.line
    for mention in reversed(scene.mentions):
        end = chain_end(scene, mention)
        if end >= comma or line[end] != ",":
            continue
        if any(line[index] in STOPS for index in range(mention.end, comma)):
            return None
        if not mention.after_preposition:
            return mention
    return None


def is_stressed(scene: Scene, at: int) -> bool:
    """Whether "lui" or "elle" there is no pronoun before a verb: avec lui, lui aussi."""
    line = scene.line
    if line[at - 1] in LINKS:
        return False
    subjects = {group.subject for group in scene.groups if group.kind == "pronoun"}
    clitics = {index for group in scene.groups for index in group.clitics}
    if at in subjects or at in clitics:
        return False
    after = at + 1
    while line[after] in line.closed.clitics:
        after += 1
    return line[at] != "lui" or not verbs().infinitive_of(line[after])
