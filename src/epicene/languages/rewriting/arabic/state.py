"""What is shared while one stretch is walked through."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic.findings import Finding, Findings, Vowel
from epicene.languages.rewriting.arabic.letters import FATHA, KASRA, final_mark
from epicene.languages.rewriting.arabic.scope import Referent, Scope

if TYPE_CHECKING:
    from epicene.languages.rewriting import Sureness
    from epicene.languages.rewriting.arabic.conjugation import Number
    from epicene.languages.rewriting.arabic.findings import What
    from epicene.languages.rewriting.arabic.noun_parsing import NounParse
    from epicene.languages.rewriting.arabic.reading import Reading
    from epicene.languages.rewriting.arabic.voices import Voice
    from epicene.languages.rewriting.people import Gender, Person


@dataclass
class Walk:
    """A stretch, who speaks in it, where we are in it and what was found."""

    reading: Reading
    voice: Voice
    scope: Scope = field(default_factory=Scope)
    findings: Findings = field(default_factory=Findings)
    # Companions of the speaker (أنا وزملائي), who follow if the words for all of them do.
    companions: list[Finding] = field(default_factory=list)
    group_found: bool = False
    # I and a man: whatever the speaker's gender, the words for both are masculine.
    mixed: bool = False
    # Men were named, so that the plural that follows means them and no women.
    men: bool = False
    # Who the sentence says to be the speaker: ذلك الواقف هناك هو أنا.
    topic: Referent | None = None

    def add(
        self,
        at: int,
        referent: Referent | None,
        what: What,
        rule: str,
        sure: Sureness = "certain",
    ) -> None:
        """One more word that agrees, if anybody can be asked about its referent."""
        if referent is None or referent.who is None:
            return
        self.findings.add(Finding(at, referent.who, what, rule, sure))
        if referent.number != "singular" and referent.who != "others":
            self.group_found = True

    def add_vowel(self, at: int) -> None:
        """The word ends in a pronoun or an ending of the second person, perhaps with its vowel."""
        if final_mark(self.reading.line[at].text) in {FATHA, KASRA}:
            self.add(at, self.person(2), Vowel(), "vowel of the second person")

    def person(
        self, person: int, number: Number = "singular", gender: Gender | None = None
    ) -> Referent:
        """Who is meant by a form of that person outside a relative clause."""
        if person == 1 and number != "singular" and self.mixed:
            return Referent(None, number, gender)
        if person == 3 and not self.men and self.may_be_women(number, gender):
            return Referent(None, number, gender)
        who: dict[int, Person | None] = {
            1: self.voice.speaker,
            2: self.voice.listener,
            3: "others",
        }
        return Referent(who[person], number, gender)

    def may_be_women(self, number: Number, gender: Gender | None) -> bool:
        """Whether a masculine plural would be turned for women, whom it may mean as it is."""
        several = number == "plural" and gender == "masculine"
        return several and self.reading.evidence.wants("others") == "feminine"

    def named(self, parse: NounParse) -> Referent:
        """Somebody else whom a noun names: رجال are men, but العمال may be women too."""
        form = parse.form
        if self.may_be_women(form.number, form.gender):
            if not parse.lemma.names_men:
                return Referent(None, form.number, form.gender)
            self.men = True
        return Referent("others", form.number, form.gender)

    def end_sentence(self) -> None:
        """Companions follow if the words for all of them did; then everybody is forgotten."""
        if self.group_found:
            for finding in self.companions:
                self.findings.add(finding)
        self.companions.clear()
        self.group_found = self.mixed = self.men = False
        self.topic = None
        self.scope.end_sentence()
