"""What is shared while one stretch is walked through."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic.findings import Finding, Findings
from epicene.languages.rewriting.arabic.scope import Referent, Scope

if TYPE_CHECKING:
    from epicene.languages.rewriting import Sureness
    from epicene.languages.rewriting.arabic.clitics import Suffix
    from epicene.languages.rewriting.arabic.findings import Fixed, Noun, VerbForm
    from epicene.languages.rewriting.arabic.reading import Reading
    from epicene.languages.rewriting.arabic.voices import Voice
    from epicene.languages.rewriting.people import Person


@dataclass
class Walk:
    """A stretch, who speaks in it, where we are in it and what was found."""

    reading: Reading
    voice: Voice
    scope: Scope = field(default_factory=Scope)
    findings: Findings = field(default_factory=Findings)
    # Companions of the speaker (أنا وزميلي), who follow if the words for all of them do.
    companions: list[Finding] = field(default_factory=list)
    group_found: bool = False
    # Whom the sentence says to be the speaker: هذا الواقف هناك هو أنا.
    topic: Referent | None = None
    last_thing: str = ""  # the gender of the last thing that was named

    def add(
        self,
        at: int,
        referent: Referent | None,
        what: Noun | VerbForm | Fixed | Suffix,
        rule: str,
        sure: Sureness = "certain",
    ) -> None:
        """One more word that agrees, if anybody can be asked about its referent."""
        if referent is None or referent.who is None:
            return
        self.findings.add(Finding(at, referent.who, what, rule, sure))
        if referent.number != "singular" and referent.who != "others":
            self.group_found = True

    def person(self, person: int, number: str = "singular", gender: str | None = None) -> Referent:
        """Who is meant by a form of that person outside a relative clause."""
        who: dict[int, Person | None] = {1: self.voice.speaker, 2: self.voice.listener, 3: "others"}
        return Referent(who[person], number, gender)  # type: ignore[arg-type]

    def flush_companions(self) -> None:
        """The sentence is over: its companions follow if the words for all of them did."""
        if self.group_found:
            for finding in self.companions:
                self.findings.add(finding)
        self.companions.clear()
        self.group_found = False
