"""The state of reading a passage: its words, its interlocutors, the clause so far, and the sites
found.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.rewriting.arabic.sites import NounTarget, Site, Sites, VowelTarget
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
    """The person that words agree with; `who` is None for things and people left unchanged."""

    who: Person | None
    number: Number = "singular"
    gender: Gender | None = None  # which the text gives them, where it shows


@dataclass
class ClauseState:
    """The clause that is being read."""

    subject: Referent | None = None
    controller: Referent | None = None  # of the agreement of what is expected
    expects: ExpectedPredicate | None = None
    case: Case = "nominative"
    next_case: Case | None = None  # of the next word alone: غير قادرٍ
    found: bool = False  # one expected word has been found
    found_definite: bool = False  # and it was definite
    third: Referent | None = (
        None  # the head of the relative clause, which its third person refers to
    )
    subject_at: int = -1  # the index of the verb's subject
    takes_object_complement: bool = False  # رأيت الممرضة قلقة
    verbal: bool = False  # whether a verb opened the clause
    follows_command: bool = False  # the last verb was a command
    rule: str = ""
    suspended: ClauseState | None = None  # what an inserted clause has interrupted

    def suspend_clause(self) -> None:
        """Save the clause before an inserted one, as its expected predicate may come after that."""
        if self.expects is not None:
            self.suspended = replace(self, suspended=None)

    def resume_clause(self) -> None:
        """Continue the clause that an inserted one interrupted."""
        if self.suspended is not None:
            self.restore(self.suspended)

    def restore(self, saved: ClauseState) -> None:
        """Return to the state of a copy."""
        self.__dict__.update(saved.__dict__)

    def expect(
        self, controller: Referent, expects: ExpectedPredicate, case: Case, rule: str
    ) -> None:
        """Expect a predicate, role or state that agrees with the controller."""
        self.controller, self.expects, self.case, self.rule = controller, expects, case, rule
        self.next_case = None
        self.found = False

    def open_verbless_clause(self, subject: Referent, rule: str = "predicate") -> None:
        """Begin a clause without a verb: set its subject and expect a predicate."""
        self.subject, self.verbal, self.subject_at = subject, False, -1
        self.expect(subject, "predicate", "nominative", rule)

    @property
    def controller_awaiting_predicate(self) -> Referent | None:
        """The controller of an expected predicate that has not been found yet."""
        return self.controller if self.expects == "predicate" and not self.found else None

    def take_case(self) -> Case:
        """The case of the current word; a case set for one word is used up."""
        case, self.next_case = self.next_case or self.case, None
        return case

    def end_clause(self) -> None:
        """Expect nothing more."""
        self.expects = self.controller = self.next_case = None
        self.found = False
        self.subject_at = -1

    def end_sentence(self) -> None:
        """End the clause and forget its referents."""
        self.end_clause()
        self.subject = self.third = self.suspended = None
        self.verbal = self.follows_command = False


@dataclass
class Context:
    """A passage as far as it has been read: its interlocutors, the clause, and the sites found."""

    words: PassageAnalysis
    interlocutors: Interlocutors
    clause: ClauseState = field(default_factory=ClauseState)
    sites: Sites = field(default_factory=Sites)
    # A plural for many, of whom the speaker is one (أنا وزملائي, أنا ممن يعملون). It may be mixed,
    # and follows only if a noun or an adjective is said of them all.
    many: Referent | None = None
    of_many: list[Site] = field(default_factory=list)
    many_described: bool = False
    # I and a man: whatever the speaker's gender, the words for both are masculine.
    mixed: bool = False
    # Men were named, so that the plural that follows means them and no women.
    men: bool = False
    # The gender of the thing that a command is about, "" if unknown: انسخ الرابط والصقه.
    handled: str | None = None
    # The genders of the things that were subjects: الفيلم ممل، فخرجنا قبل نهايته.
    things: set[Gender | None] = field(default_factory=set)
    # The genders of the things named so far, and of the other people.
    named_things: set[Gender | None] = field(default_factory=set)
    all_things: set[Gender | None] = field(default_factory=set)  # also those after prepositions
    names: set[Gender | None] = field(default_factory=set)
    people: set[Gender | None] = field(default_factory=set)
    # The noun that opened the last clause without a verb.
    opened_at: int = -1
    # The last word of the sentence that said in the accusative how or what somebody was.
    described: Site | None = None
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
        """Add the site of a word that agrees with the referent, if that is a person to rewrite."""
        if referent is None or referent.who is None:
            return
        if referent.who == "others":
            self.people.add(referent.gender)
        part = int(isinstance(target, Suffix | VowelTarget))
        site = Site(at, referent.who, target, rule, sure, part)
        if referent == self.many and not isinstance(target, NounTarget):
            self.of_many.append(site)
            return
        self.many_described |= referent == self.many
        if isinstance(target, NounTarget) and target.case == "accusative":
            self.described = site
        self.sites.add(site)

    def add_vowel(self, at: int) -> None:
        """Add the written final vowel of a second-person pronoun or ending, if there is one."""
        if final_mark(self.words.line.token(at).text) in {FATHA, KASRA}:
            self.add(at, self.person(2), VowelTarget(), "vowel of the second person")

    def person(
        self, person: int, number: Number = "singular", gender: Gender | None = None
    ) -> Referent:
        """The referent of a form of that person outside a relative clause."""
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

    def third_person(self, number: Number, gender: Gender | None) -> Referent:
        """The referent of a third person that nothing beside it names: somebody, or a thing."""
        about_thing = gender in self.named_things | self.names and gender not in self.people
        return Referent(None, number, gender) if about_thing else self.person(3, number, gender)

    def is_only_of_things(self, suffix: Suffix) -> bool:
        """Whether a pronoun's gender is that of things named before, and of no person."""
        if suffix.number != "singular" or not self.people or suffix.gender in self.people:
            return False
        return suffix.gender in self.all_things and not self.words.names_somebody

    def may_be_women(self, number: Number, gender: Gender | None) -> bool:
        """Whether a masculine plural is to become feminine that may include women as it is."""
        several = number == "plural" and gender == "masculine"
        return several and self.words.evidence.wants("others") == "feminine"

    def note_thing(self, gender: Gender | None) -> None:
        """Remember the thing that a command is about."""
        if self.clause.follows_command:
            self.handled = gender or ""

    def note_subject(self, at: int, subject: Referent) -> None:
        """Remember the gender of a subject that is a thing with the article."""
        article = self.words.line.letters(at).startswith(("ال", "وال", "فال"))
        if subject.who is None and (article or at == self.words.line.sentence(at)[0]):
            self.things.add(subject.gender)

    def means_thing(self, suffix: Suffix) -> bool:
        """Whether a pronoun means the thing that a command was about, nobody else being named."""
        if suffix.person != 3 or suffix.number != "singular":
            return False
        about = suffix.gender in self.things or self._is_about_thing(suffix)
        if self.handled not in {suffix.gender, ""} and not about:
            return False
        return not any(one.who == "others" for one in self.sites)

    def _is_about_thing(self, suffix: Suffix) -> bool:
        """Whether the subject is a thing of that gender, and nobody's: البيت قديم وجدرانه بيضاء."""
        subject, line = self.clause.subject, self.words.line
        if subject is None or subject.who is not None or subject.gender != suffix.gender:
            return False
        if self.clause.verbal and self.clause.subject_at < 0:
            return False
        start = line.sentence(self.opened_at)[0] if self.clause.subject_at < 0 else 0
        at = max(self.clause.subject_at, self.opened_at, start)
        return line.letters(at).startswith(("ال", "وال"))

    def introduce_referent(self, parse: NounParse) -> Referent:
        """The third person that a noun denotes; note it if the noun means men alone.

        رجال are men, but العمال may include women.
        """
        form = parse.form
        if self.may_be_women(form.number, form.gender):
            if not parse.lemma.names_men:
                return Referent(None, form.number, form.gender)
            self.men = True
        return Referent("others", form.number, form.gender)

    def end_sentence(self) -> None:
        """Add the words for many if something is said of them all, and reset."""
        if self.many_described:
            for site in self.of_many:
                self.sites.add(site)
        self.of_many.clear()
        self.many = None
        self.many_described = self.mixed = self.men = False
        self.topic = self.handled = self.described = None
        self.clause.end_sentence()
