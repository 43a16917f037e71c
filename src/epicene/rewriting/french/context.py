"""What the rules of one text share: its words, speakers, mentions and the sites found."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.french.phrases import Mention, find_mentions
from epicene.rewriting.french.sites import Agreement, Sites
from epicene.rewriting.french.verb_groups import VerbGroup, find_verb_groups

if TYPE_CHECKING:
    from epicene.rewriting import Confidence
    from epicene.rewriting.french.line import Line
    from epicene.rewriting.persons import Person
    from epicene.rewriting.quotations import Passage


class Referent(NamedTuple):
    """Whom a subject or an object means: one or several."""

    who: Person
    plural: bool = False


def _known(who: Person | None) -> Referent:
    assert who is not None  # every quotation is taken for somebody's, to somebody
    return Referent(who)


class Context(NamedTuple):
    """One text."""

    passage: Passage[Line]
    line: Line
    groups: list[VerbGroup]
    mentions: list[Mention]
    sites: Sites

    def agreement(self, referent: Referent, rule: str, sure: Confidence = "certain") -> Agreement:
        """What reads on for that referent."""
        return Agreement(self.sites, referent.who, rule, plural=referent.plural, sure=sure)

    def speaker(self, at: int) -> Referent:
        """Who says I there."""
        return _known(self.passage.interlocutors_at(at).speaker)

    def listener(self, at: int) -> Referent:
        """Who is spoken to there."""
        return _known(self.passage.interlocutors_at(at).listener)

    def tonic_referent(self, at: int) -> Referent:
        """Whom "moi" or "toi" means there."""
        return self.speaker(at) if self.line[at] == "moi" else self.listener(at)

    def mention_ending(self, end: int) -> Mention | None:
        """The mention whose last word stands just before."""
        return next((each for each in self.mentions if each.end == end), None)


def read_context(passage: Passage[Line]) -> Context:
    """Everything that is read from a text before the rules begin."""
    line = passage.line
    found = list(find_verb_groups(line))
    pronouns = {index for group in found for index in group.clitics}
    mentions = find_mentions(line, pronouns, found)
    return Context(passage, line, found, mentions, Sites(keep_surest=True))
