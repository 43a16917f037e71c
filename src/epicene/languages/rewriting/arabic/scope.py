"""Whom a clause is about while it is read, and what may come next."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from epicene.languages.rewriting.arabic.conjugation import Number
    from epicene.languages.rewriting.arabic.declension import Case
    from epicene.languages.rewriting.people import Gender, Person

# predicate: what somebody is (أنا طبيب, كنت متعبًا); role: as what they do something (عملت
# نجارًا); state: how they are while they do it (عدت متعبًا).
Expectation: TypeAlias = Literal["predicate", "role", "state"]


class Referent(NamedTuple):
    """Whom words agree with; `who` is None for things, and for people nobody asks about."""

    who: Person | None
    number: Number = "singular"
    gender: Gender | None = None  # which the text gives them, where it shows


@dataclass
class Scope:
    """The clause that is being read."""

    subject: Referent | None = None
    target: Referent | None = None  # whom what is expected agrees with
    expects: Expectation | None = None
    case: Case = "nominative"
    next_case: Case | None = None  # of the next word alone: غير قادرٍ
    found: bool = False  # one such word has been found
    found_definite: bool = False  # and it was definite
    third: Referent | None = None  # whom the third person means in a relative clause
    subject_at: int = -1  # where the subject stands that the verb had
    finds: bool = False  # the verb says how its object is: رأيت الممرضة قلقة
    verbal: bool = False  # whether a verb opened the clause
    commands: bool = False  # the last verb was a command
    rule: str = ""
    suspended: Scope | None = None  # what a clause set in between has interrupted

    def suspend(self) -> None:
        """A clause is set in between: what was expected may come after it."""
        if self.expects is not None:
            self.suspended = replace(self, suspended=None)

    def resume(self) -> None:
        """Go on where the clause was interrupted."""
        if self.suspended is not None:
            self.__dict__.update(self.suspended.__dict__)

    def expect(self, target: Referent, expects: Expectation, case: Case, rule: str) -> None:
        """Something that agrees with the target may come."""
        self.target, self.expects, self.case, self.rule = target, expects, case, rule
        self.next_case = None
        self.found = False

    def state(self, subject: Referent, rule: str = "predicate") -> None:
        """A clause without a verb: its subject, of which something will be said."""
        self.subject, self.verbal, self.subject_at = subject, False, -1
        self.expect(subject, "predicate", "nominative", rule)

    def take_case(self) -> Case:
        """The case of the word that is read now."""
        case, self.next_case = self.next_case or self.case, None
        return case

    def end_clause(self) -> None:
        """Nothing is expected any more."""
        self.expects = self.target = self.next_case = None
        self.found = False
        self.subject_at = -1

    def end_sentence(self) -> None:
        """Nobody is spoken of any more."""
        self.end_clause()
        self.subject = self.third = self.suspended = None
        self.verbal = self.commands = False
