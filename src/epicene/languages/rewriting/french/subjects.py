"""Whom the subject of each verb means."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.rewriting.french.antecedents import (
    aside_subject,
    is_impersonal,
    phrase_party,
    pronoun_party,
    relative_site,
    subject_mention,
)
from epicene.languages.rewriting.french.inflection import shows_noun, singular
from epicene.languages.rewriting.french.lexicon import verbs
from epicene.languages.rewriting.french.line import STOPS, is_adjective, is_person
from epicene.languages.rewriting.french.scene import Party, Scene

if TYPE_CHECKING:
    from epicene.languages.rewriting.french.groups import Group
    from epicene.languages.rewriting.french.sites import Site

_ORDERS = frozenset({"sois", "soyez", "reste", "restez", "deviens", "devenez"})
_STRESSED = frozenset({"lui", "elle", "eux", "elles"})
_THIRD = frozenset({"il", "elle", "ils", "elles", "le", "la", "les"})


class Clause(NamedTuple):
    """A verb with whom its subject means; None where that is nobody, or nobody in particular."""

    group: Group
    party: Party | None
    start: int  # where the subject begins
    named: bool  # whether a word of its own names the subject


def read_subject(scene: Scene, group: Group, before: list[Clause]) -> Clause:
    """The clause of a verb, given those before it."""
    if group.kind == "pronoun":
        return Clause(group, _of_pronoun(scene, group, before), group.start, named=True)
    if group.kind == "order":
        return Clause(group, _of_order(scene, group), group.start, named=False)
    if group.kind == "relative":
        return _of_relative(scene, group)
    if group.kind == "same":
        return _of_same(scene, group, before)
    return _of_noun(scene, group)


def _of_pronoun(scene: Scene, group: Group, before: list[Clause]) -> Party | None:
    word = scene.line[group.subject]
    if word in {"je", "j'", "me"}:
        return scene.first(group.subject)
    if word in {"tu", "te"}:
        return scene.second(group.subject)
    if word == "vous":
        return scene.second(group.subject)._replace(plural=_are_several(scene, group))
    if word not in _THIRD or is_impersonal(scene, group):
        return None
    if site := _nested(scene, group, before):
        scene.sites.add(site)
        return Party(site.who)
    party = pronoun_party(scene, group.subject)
    if party is not None:
        scene.bond(party, "pronoun").add(group.subject, "pronoun")
    return party


def _are_several(scene: Scene, group: Group) -> bool:
    """Whether what is said of "vous" stands in the plural."""
    line = scene.line
    for index in range(group.end, min(group.end + 6, len(line))):
        word = line[index]
        if line.is_open(index) and (is_adjective(word) or is_person(word)):
            return word.endswith(("s", "x")) and singular(word) != word
        if not line.is_word(index):
            return False
    return False


def _nested(scene: Scene, group: Group, before: list[Clause]) -> Site | None:
    """je suis un homme qui sait ce qu'il veut: the pronoun means whom the noun means."""
    line = scene.line
    if not before or before[-1].group.kind != "relative" or before[-1].party is None:
        return None
    if line[group.subject - 1] not in {"qu'", "que", "dont", "où", "quand", "lorsqu'", "s'", "si"}:
        return None
    site = relative_site(scene, before[-1].group.subject - 1)
    if site is None or site.kind != "noun" or site.plural:
        return None
    gender = shows_noun(line[site.place])
    if gender != ("masculine" if line[group.subject] == "il" else "feminine"):
        return None
    return site._replace(
        place=group.subject, kind="pronoun", rule="the noun's pronoun", sure="likely"
    )


def _of_order(scene: Scene, group: Group) -> Party | None:
    second = group.person in {"2s", "2p"} or scene.line[group.verb] in _ORDERS
    return scene.second(group.verb) if second else None


def _of_relative(scene: Scene, group: Group) -> Clause:
    """moi qui suis, celui qui est: whoever the word before "qui" means."""
    line = scene.line
    at = group.subject - 1
    apart = line[at] == ","
    if apart:
        at -= 1
    if line[at] in {"moi", "toi"}:
        person = "1s" if line[at] == "moi" else "2s"
        return Clause(group._replace(person=person), scene.stressed(at), at, named=True)
    party = None
    if (site := relative_site(scene, at, apart=apart)) is not None:
        party = Party(site.who, site.plural)
    elif (mention := scene.mention_ending(at + 1)) is not None:
        party = phrase_party(mention)
    elif line[at] in {"celui", "celle", "ceux", "celles", "lui", "elle"}:
        party = Party("others", plural=line[at] in {"ceux", "celles"})
    return Clause(group, party, group.start, named=True)


def _of_same(scene: Scene, group: Group, before: list[Clause]) -> Clause:
    """je suis tombé et me suis relevé: the subject of the last verb of that person."""
    line = scene.line
    persons = {form.person for form in verbs().forms(line[group.verb])}
    own = [each for each in before if not _stops(scene, each.group.end, group.start)]
    mention = aside_subject(scene, group.start - 1) if line[group.start - 1] == "," else None
    if mention and not any(each.start >= mention.start for each in own if each.named):
        third = group._replace(person="3s")
        return Clause(third, phrase_party(mention), mention.start, named=True)
    for clause in reversed(own):
        if clause.named and clause.group.person in persons:
            kept = group._replace(person=clause.group.person)
            return Clause(kept, clause.party, group.start, named=False)
    if persons & {"2s", "2p"} and line[group.verb] in _ORDERS:
        return Clause(group, scene.second(group.verb), group.start, named=False)
    return Clause(group, None, group.start, named=False)


def _stops(scene: Scene, start: int, end: int) -> bool:
    return any(scene.line[index] in STOPS - {";"} for index in range(start, end))


def _of_noun(scene: Scene, group: Group) -> Clause:
    if scene.line[group.subject] in {"moi", "toi"}:
        company = _company(scene, group.subject)
        return Clause(group, company, group.subject, named=True)
    if scene.line[group.subject] in _STRESSED:
        return Clause(group, pronoun_party(scene, group.subject), group.subject, named=True)
    mention = subject_mention(scene, group.subject)
    if mention is None:
        return Clause(group, None, group.start, named=True)
    party = phrase_party(mention)
    if group.person == "3p" and not mention.plural:
        party = None  # Paul et Marie sont: several, of either gender
    return Clause(group, party, mention.start, named=True)


def _company(scene: Scene, at: int) -> Party | None:
    """ma sœur et moi: all agree with the speaker if everybody else is a woman."""
    line = scene.line
    if line[at - 1] != "et":
        return None
    end = at - 1
    while (mention := scene.mention_ending(end)) is not None:
        if mention.gender != "feminine":
            return None
        end = mention.start - 1
        if line[end] != ",":
            return Party(scene.stressed(at).who, plural=True)
    return None
