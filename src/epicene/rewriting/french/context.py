"""What the rules share about one text: its words, interlocutors, mentions and sites."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.french.mentions import Mention, find_mentions
from epicene.rewriting.french.sites import Agreement, Sites
from epicene.rewriting.french.verb_groups import VerbGroup, find_verb_groups
from epicene.rewriting.persons import PERSONS

if TYPE_CHECKING:
    from epicene.rewriting import Confidence
    from epicene.rewriting.french.line import Line
    from epicene.rewriting.persons import Person, TargetGenders
    from epicene.rewriting.quotations import Passage


class Referent(NamedTuple):
    """The person or people that a subject or an object refers to."""

    who: Person
    plural: bool = False


def _known(who: Person | None) -> Referent:
    assert who is not None  # every quotation is taken for somebody's, to somebody
    return Referent(who)


class Context(NamedTuple):
    """The shared data of one text."""

    passage: Passage[Line]
    line: Line
    groups: list[VerbGroup]
    mentions: list[Mention]
    by_start: dict[int, Mention]  # the mentions by where they begin, and by where they end
    by_end: dict[int, Mention]
    sites: Sites
    one_gender: bool = False  # whether speaker, listener and others all get the same gender

    def agreement(self, referent: Referent, rule: str, sure: Confidence = "certain") -> Agreement:
        """An agreement with that referent, to which sites are added."""
        return Agreement(self.sites, referent.who, rule, plural=referent.plural, sure=sure)

    def speaker(self, at: int) -> Referent:
        """The speaker at that word."""
        return _known(self.passage.interlocutors_at(at).speaker)

    def listener(self, at: int) -> Referent:
        """The listener at that word."""
        return _known(self.passage.interlocutors_at(at).listener)

    def tonic_referent(self, at: int) -> Referent:
        """The referent of tonic "moi" or "toi" at that word."""
        return self.speaker(at) if self.line[at] == "moi" else self.listener(at)

    def mention_ending(self, end: int) -> Mention | None:
        """The mention that ends just before that index."""
        return self.by_end.get(end)

    def mentions_between(self, start: int, end: int) -> list[Mention]:
        """The mentions that begin between two indices, in order."""
        first = bisect_left(self.mentions, start, key=lambda each: each.start)
        last = bisect_left(self.mentions, end, key=lambda each: each.start)
        return self.mentions[first:last]


def read_context(passage: Passage[Line], wanted: TargetGenders) -> Context:
    """Everything that is read from a text before the rules apply."""
    line = passage.line
    found = list(find_verb_groups(line))
    pronouns = {index for group in found for index in group.clitics}
    mentions = find_mentions(line, pronouns, found)
    same = len(wanted) == len(PERSONS) and len(set(wanted.values())) == 1
    return Context(
        passage,
        line,
        found,
        mentions,
        {each.start: each for each in mentions},
        {each.end: each for each in reversed(mentions)},
        Sites(keep_surest=True),
        same,
    )
