"""What the rules of one text share: its words, speakers, mentions and the sites found."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.french.line import Line
from epicene.rewriting.french.phrases import Mention, find_mentions
from epicene.rewriting.french.quotations import Interlocutors, interlocutors_by_token
from epicene.rewriting.french.sites import Agreement, Sites
from epicene.rewriting.french.verb_groups import VerbGroup, find_verb_groups

if TYPE_CHECKING:
    from epicene.rewriting import Confidence
    from epicene.rewriting.persons import Person


class Referent(NamedTuple):
    """Whom a subject or an object means: one or several."""

    who: Person
    plural: bool = False


class Context(NamedTuple):
    """One text."""

    line: Line
    voices: list[Interlocutors]
    groups: list[VerbGroup]
    mentions: list[Mention]
    sites: Sites

    def agreement(self, party: Referent, rule: str, sure: Confidence = "certain") -> Agreement:
        """What reads on for that party."""
        return Agreement(self.sites, party.who, rule, plural=party.plural, sure=sure)

    def first(self, at: int) -> Referent:
        """Who says I there."""
        return Referent(self.voices[at].first)

    def second(self, at: int) -> Referent:
        """Who is spoken to there."""
        return Referent(self.voices[at].second)

    def stressed(self, at: int) -> Referent:
        """Whom "moi" or "toi" means there."""
        return self.first(at) if self.line[at] == "moi" else self.second(at)

    def mention_ending(self, end: int) -> Mention | None:
        """The mention whose last word stands just before."""
        return next((each for each in self.mentions if each.end == end), None)


def read_context(text: str) -> Context:
    """Everything that is read from a text before the rules begin."""
    line = Line(text)
    found = list(find_verb_groups(line))
    pronouns = {index for group in found for index in group.clitics}
    return Context(
        line, interlocutors_by_token(line), found, find_mentions(line, pronouns, found), Sites()
    )
