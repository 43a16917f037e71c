"""What a route says of a text: the case of each mention, the verbs that agree with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from epicene.languages.rewriting.english.agreement import agreeing_verbs
from epicene.languages.rewriting.english.cases import Decision, decide
from epicene.languages.rewriting.english.contractions import means_has

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.languages.rewriting import Sureness
    from epicene.languages.rewriting.english.framing import Found
    from epicene.languages.rewriting.english.joined import Agreeing
    from epicene.languages.rewriting.english.line import Line
    from epicene.languages.rewriting.english.mentions import Mention


class Reading(Protocol):
    """The answers to the three questions a text with pronouns asks."""

    def case(self, mention: Mention) -> Decision:
        """Which case the mention stands for."""

    def verbs(self, mention: Mention) -> Sequence[Agreeing]:
        """Which verbs agree with a mention that is a subject."""

    def has(self, clitic: int) -> tuple[bool, Sureness]:
        """Whether the 's at that token is "has", and how surely; otherwise it is "is"."""


class Route(Protocol):
    """A way to read texts."""

    name: str

    def read(self, found: Sequence[Found]) -> Iterator[Reading]:
        """A reading of each text, in order."""


class RulesReading:
    """A reading by the words around, with no tagger."""

    def __init__(self, line: Line, mentions: Sequence[Mention]) -> None:
        self.line = line
        decided = {mention: decide(line, mention) for mention in mentions}
        self.cases = decided
        self.subjects = frozenset(
            mention.first for mention, found in decided.items() if found.case == "nominative"
        )

    def case(self, mention: Mention) -> Decision:
        return self.cases[mention]

    def verbs(self, mention: Mention) -> list[Agreeing]:
        return agreeing_verbs(self.line, mention, self.subjects)

    def has(self, clitic: int) -> tuple[bool, Sureness]:
        return means_has(self.line, clitic)


class RulesRoute:
    """The route without a tagger."""

    name = "rules"

    def read(self, found: Sequence[Found]) -> Iterator[Reading]:
        for line, mentions in found:
            yield RulesReading(line, mentions)
