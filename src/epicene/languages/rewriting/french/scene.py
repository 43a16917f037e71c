"""What the rules of one text share: its words, who speaks, whom it mentions, what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.rewriting.french.groups import Group, groups
from epicene.languages.rewriting.french.line import Line
from epicene.languages.rewriting.french.mentions import Mention, find_mentions
from epicene.languages.rewriting.french.sites import Bond, Sites
from epicene.languages.rewriting.french.voices import Voice, voices

if TYPE_CHECKING:
    from epicene.languages.rewriting import Sureness
    from epicene.languages.rewriting.people import Person


class Party(NamedTuple):
    """Whom a subject or an object means: one or several."""

    who: Person
    plural: bool = False


class Scene(NamedTuple):
    """One text."""

    line: Line
    voices: list[Voice]
    groups: list[Group]
    mentions: list[Mention]
    sites: Sites

    def bond(self, party: Party, rule: str, sure: Sureness = "certain") -> Bond:
        """What reads on for that party."""
        return Bond(self.sites, party.who, rule, plural=party.plural, sure=sure)

    def first(self, at: int) -> Party:
        """Who says I there."""
        return Party(self.voices[at].first)

    def second(self, at: int) -> Party:
        """Who is spoken to there."""
        return Party(self.voices[at].second)

    def stressed(self, at: int) -> Party:
        """Whom "moi" or "toi" means there."""
        return self.first(at) if self.line[at] == "moi" else self.second(at)

    def mention_ending(self, end: int) -> Mention | None:
        """The mention whose last word stands just before."""
        return next((each for each in self.mentions if each.end == end), None)


def open_scene(text: str) -> Scene:
    """Everything that is read from a text before the rules begin."""
    line = Line(text)
    found = list(groups(line))
    pronouns = {index for group in found for index in group.clitics}
    return Scene(line, voices(line), found, find_mentions(line, pronouns, found), Sites())
