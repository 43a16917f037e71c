"""What is known while a passage is read: its words, who speaks, the clause so far, and the sites
found.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.rewriting.arabic.sites import Site, Sites, VowelTarget
from epicene.rewriting.arabic.spelling import FATHA, KASRA, Suffix, final_mark

if TYPE_CHECKING:
    from epicene.rewriting import Confidence
    from epicene.rewriting.arabic.analysis import NounParse
    from epicene.rewriting.arabic.conjugation import Number
    from epicene.rewriting.arabic.disambiguation import PassageAnalysis
    from epicene.rewriting.arabic.inflection import Case
    from epicene.rewriting.arabic.sites import Target
    from epicene.rewriting.persons import Gender, Person
    from epicene.rewriting.quotations import Interlocutors

# predicate: what somebody is (أنا طبيب, كنت متعبًا); role: as what they do something (عملت
# نجارًا); state: how they are while they do it (عدت متعبًا).
ExpectedPredicate: TypeAlias = Literal["predicate", "role", "state"]


class Referent(NamedTuple):
    """Whom words agree with; `who` is None for things, and for people nobody asks about."""

    who: Person | None
    number: Number = "singular"
    gender: Gender | None = None  # which the text gives them, where it shows


@dataclass
class ClauseState:
    """The clause that is being read."""

    subject: Referent | None = None
    controller: Referent | None = None  # whom what is expected agrees with
    expects: ExpectedPredicate | None = None
    case: Case = "nominative"
    next_case: Case | None = None  # of the next word alone: غير قادرٍ
    found: bool = False  # one such word has been found
    found_definite: bool = False  # and it was definite
    third: Referent | None = None  # whom the third person means in a relative clause
    subject_at: int = -1  # where the subject stands that the verb had
    takes_object_complement: bool = False  # the verb says how its object is: رأيت الممرضة قلقة
    verbal: bool = False  # whether a verb opened the clause
    follows_command: bool = False  # the last verb was a command
    rule: str = ""
    suspended: ClauseState | None = None  # what a clause set in between has interrupted

    def suspend_clause(self) -> None:
        """A clause is set in between: what was expected may come after it."""
        if self.expects is not None:
            self.suspended = replace(self, suspended=None)

    def resume_clause(self) -> None:
        """Go on where the clause was interrupted."""
        if self.suspended is not None:
            self.restore(self.suspended)

    def restore(self, saved: ClauseState) -> None:
        """Be again as a copy was taken."""
        self.__dict__.update(saved.__dict__)

    def expect(
        self, controller: Referent, expects: ExpectedPredicate, case: Case, rule: str
    ) -> None:
        """Something that agrees with the controller may come."""
        self.controller, self.expects, self.case, self.rule = controller, expects, case, rule
        self.next_case = None
        self.found = False

    def open_verbless_clause(self, subject: Referent, rule: str = "predicate") -> None:
        """A clause without a verb: its subject, of which something will be said."""
        self.subject, self.verbal, self.subject_at = subject, False, -1
        self.expect(subject, "predicate", "nominative", rule)

    @property
    def controller_awaiting_predicate(self) -> Referent | None:
        """Whom a predicate will agree with that has not been found yet."""
        return self.controller if self.expects == "predicate" and not self.found else None

    def take_case(self) -> Case:
        """The case of the word that is read now."""
        case, self.next_case = self.next_case or self.case, None
        return case

    def end_clause(self) -> None:
        """Nothing is expected any more."""
        self.expects = self.controller = self.next_case = None
        self.found = False
        self.subject_at = -1

    def end_sentence(self) -> None:
        """Nobody is spoken of any more."""
        self.end_clause()
        self.subject = self.third = self.suspended = None
        self.verbal = self.follows_command = False


@dataclass
class Context:
    """A passage as far as it has been read: who speaks, the clause, and the sites found."""

    words: PassageAnalysis
    interlocutors: Interlocutors
    clause: ClauseState = field(default_factory=ClauseState)
    sites: Sites = field(default_factory=Sites)
    # Companions of the speaker (أنا وزملائي), who follow if the words for all of them do.
    companions: list[Site] = field(default_factory=list)
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
        target: Target,
        rule: str,
        sure: Confidence = "certain",
    ) -> None:
        """One more word that agrees, if anybody can be asked about its referent."""
        if referent is None or referent.who is None:
            return
        part = int(isinstance(target, Suffix | VowelTarget))
        self.sites.add(Site(at, referent.who, target, rule, sure, part))
        if referent.number != "singular" and referent.who != "others":
            self.group_found = True

    def add_vowel(self, at: int) -> None:
        """The word ends in a pronoun or an ending of the second person, perhaps with its vowel."""
        if final_mark(self.words.line.token(at).text) in {FATHA, KASRA}:
            self.add(at, self.person(2), VowelTarget(), "vowel of the second person")

    def person(
        self, person: int, number: Number = "singular", gender: Gender | None = None
    ) -> Referent:
        """Who is meant by a form of that person outside a relative clause."""
        if person == 1 and number != "singular" and self.mixed:
            return Referent(None, number, gender)
        if person == 3 and not self.men and self.may_be_women(number, gender):
            return Referent(None, number, gender)
        who: dict[int, Person | None] = {
            1: self.interlocutors.speaker,
            2: self.interlocutors.listener,
            3: "others",
        }
        return Referent(who[person], number, gender)

    def may_be_women(self, number: Number, gender: Gender | None) -> bool:
        """Whether a masculine plural would be turned for women, whom it may mean as it is."""
        several = number == "plural" and gender == "masculine"
        return several and self.words.evidence.wants("others") == "feminine"

    def introduce_referent(self, parse: NounParse) -> Referent:
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
            for site in self.companions:
                self.sites.add(site)
        self.companions.clear()
        self.group_found = self.mixed = self.men = False
        self.topic = None
        self.clause.end_sentence()
