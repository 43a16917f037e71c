"""Collect the sites of a line: verbs, predicates, roles, vocatives and third persons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.persons import GENDERS
from epicene.rewriting.russian import lexicon
from epicene.rewriting.russian.antecedents import find_things
from epicene.rewriting.russian.clauses import (
    SUBJECT_PRONOUNS,
    Clause,
    could_be_subject,
    is_first_verb_at,
    is_third_verb,
    split_clauses,
)
from epicene.rewriting.russian.conjugation import past_form, short_form
from epicene.rewriting.russian.declension import adjective_readings, noun_readings
from epicene.rewriting.russian.lexicon import function_words
from epicene.rewriting.russian.people import (
    commands,
    read_people,
    read_pronouns,
    read_vocatives,
    speaks_to,
)
from epicene.rewriting.russian.predicates import Predicates, is_being, is_participle
from epicene.rewriting.russian.relatives import read_relative
from epicene.rewriting.russian.sites import Site, Sites, Target
from epicene.rewriting.russian.subjects import (
    NOBODY,
    Subject,
    experiencer,
    find_subject,
    nominative,
    verbal_subject,
)

if TYPE_CHECKING:
    from epicene.rewriting.persons import Gender, TargetGenders
    from epicene.rewriting.quotations import Passage
    from epicene.rewriting.russian.line import Line


def find_sites(passage: Passage[Line], wanted: TargetGenders) -> Sites:
    """The sites of everybody; of two for one word the first is used."""
    if "others" in wanted:
        passage.line.things = find_things(passage.line)
    reader = _Reader(passage)
    reader.read()
    if "others" in wanted:
        read_pronouns(passage.line, reader.sites)
        read_people(passage.line, reader.sites, wanted["others"])
    return reader.sites


_PARTICIPLES = tuple(
    "мый мая нный нная вший вшая щий щая вшийся вшаяся щийся щаяся нного нную вшего вшую "
    "щего щую".split()
)
_OWNERS = frozenset("меня тебя него нее нас вас них кого".split())


class _Reader:
    """Reads the clauses of a passage in order, and remembers whose the last one was."""

    def __init__(self, passage: Passage[Line]) -> None:
        self.line, self.interlocutors = passage.line, passage.interlocutors
        self.sites = Sites()
        self.last: Subject | None = None  # whose the clause before was
        self.topics: list[Subject] = []  # the first person that each sentence before is about
        self.before: Subject | None = None  # whose the sentence before was
        self.felt: Subject | None = None  # the last мне or меня
        self.outer: Subject | None = None  # whose the clause around a relative one is

    def read(self) -> None:
        line, at = self.line, 0
        while at < len(line):
            start, end = line.sentence(at)
            if end > start:
                self._read_sentence(start, end)
            at = max(end, at) + 1

    def _read_sentence(self, start: int, end: int) -> None:
        line = self.line
        self.felt = None
        read_vocatives(line, start, end, self.interlocutors, self.sites)
        clauses = split_clauses(line, start, end)
        asks = line[end].startswith("?")
        topic: Subject | None = None
        before = self.before = self.last
        for number, clause in enumerate(clauses):
            following = clauses[number + 1] if number + 1 < len(clauses) else None
            self._read_clause(clause, following, asks=asks)
            if topic is None and self.last is not before and self.last and self.last.who:
                topic = self.last
        if topic is None and clauses and self.last is before:
            topic = self._pending(clauses[0])  # Где принц?
        if topic is not None and topic.who is not None:
            self.topics.append(topic)
            self.last = topic

    def _read_clause(self, clause: Clause, following: Clause | None, *, asks: bool) -> None:
        relative = read_relative(clause, self.sites)
        if self.outer is not None and not self._is_relative(clause):
            if self.line[clause.words[0]] not in function_words().conjunctions:
                self.last = self.outer
            self.outer = None
        own: Subject | None = None
        for at in clause:
            if at in self.sites:
                continue
            form = past_form(self.line[at])
            if form is None or self._is_governed(at) or self._is_noun_here(clause, at):
                continue
            subject = self._subject(clause, at, form.gender, relative, asks=asks)
            own = own or subject
            if subject.who is not None:
                self.sites.add(Site(at, subject.who, Target("verb"), subject.rule, subject.sure))
        self._read_predicates(clause, following, own, relative)
        if self._is_relative(following):
            self.outer = self._pending(clause) or self.last

    def _is_relative(self, clause: Clause | None) -> bool:
        if clause is None:
            return False
        if any(self.line[at].startswith("котор") for at in clause.words[:2]):
            return True
        first = self.line[clause.words[0]]
        return first.endswith(_PARTICIPLES) and bool(adjective_readings(first))

    def _pending(self, clause: Clause) -> Subject | None:
        """The subject that a clause without verb names: книга, которую я купил, …"""
        if any(past_form(self.line[at]) is not None or at in self.sites for at in clause):
            return None
        for at in clause:
            for gender in GENDERS:
                if found := self._person(clause, at, gender):
                    return found
                if could_be_subject(self.line, at, clause.start, gender):
                    return Subject(None, at)
        return None

    def _person(self, clause: Clause, at: int, gender: Gender) -> Subject | None:
        """The person whom the word names in the nominative; without gender if it shows none."""
        reading = nominative(self.line, at, clause.start, gender)
        if reading is None:
            return None
        shown = None if reading.kind in {"epicene", "common"} else gender
        return Subject("others", at, "likely", "verb of a person", shown)

    def _is_noun_here(self, clause: Clause, at: int) -> bool:
        """Whether a word that may be a noun is next to another verb: знаю правила."""
        if self.line[at] not in lexicon.keys_of("verbs", "ambiguous"):
            return False
        return any(
            index < at
            and (
                past_form(self.line[index])
                or is_first_verb_at(self.line, index)
                or self.line[index].endswith("ть")
            )
            for index in clause
        )

    def _is_governed(self, at: int) -> bool:
        """Whether the word is a noun after all: после обеда в зале."""
        return self.line[at - 1] in {"в", "на", "от", "из", "до", "для", "без", "у", "к", "о", "об"}

    def _subject(
        self, clause: Clause, at: int, gender: Gender, relative: Subject | None, *, asks: bool
    ) -> Subject:
        """Whose a past tense is."""
        found = self._named_subject(clause, at, gender, relative)
        if found is not None:
            return found
        inherited = self._inherited(clause, at, gender, asks=asks)
        return NOBODY if self._is_object(clause, inherited) else inherited

    def _named_subject(
        self, clause: Clause, at: int, gender: Gender, relative: Subject | None
    ) -> Subject | None:
        """The subject that the clause itself names."""
        found = find_subject(clause, at, gender, self.interlocutors)
        if relative is not None and (found is None or found.who is None):
            return relative
        if found is not None:
            return found
        if self._is_had(clause, at):
            return NOBODY
        first = verbal_subject(clause, self.interlocutors)
        if first is not None and first.gender in {gender, None}:
            return first
        return None

    def _inherited(self, clause: Clause, at: int, gender: Gender, *, asks: bool) -> Subject:
        """The subject of the clause before; the speaker, or who is asked, if there is none."""
        if self._is_new_event(clause, at, gender):
            return NOBODY
        if self.last is not None and not self.last.polite:
            known = self.last if self.last.gender in {gender, None} else self._topic(gender)
            if known is None:
                return NOBODY
            mine = known.who == self.interlocutors.speaker and self.last is self.before
            if mine and (asks or speaks_to(self.line, *self.line.sentence(at))):
                return self._nobody_named(clause)  # Я ждал. Почему не позвонил?
            return known._replace(sure="likely", rule="subject of the clause before")
        return self._nobody_named(clause)

    def _topic(self, gender: Gender) -> Subject | None:
        """The last person that an earlier sentence is about, if its verbs can be in `gender`."""
        return next((each for each in reversed(self.topics) if each.gender in {gender, None}), None)

    def _nobody_named(self, clause: Clause) -> Subject:
        """Whose a clause is if nobody is named before: the speaker's, in a question yours."""
        start, end = self.line.sentence(clause.start)
        if self.line[end].startswith("?") or commands(self.line, start, end):
            return Subject(self.interlocutors.listener, sure="guess", rule="no subject: you")
        return Subject(self.interlocutors.speaker, sure="guess", rule="no subject: I")

    def _is_new_event(self, clause: Clause, at: int, gender: Gender) -> bool:
        """Whether a noun after the verb may be its subject: когда выпал снег."""
        return (
            self.line[clause.words[0]] in {"когда", "пока", "если", "едва", "как", "потому", "что"}
            and could_be_subject(self.line, at + 1, at + 1, gender)
            and at + 1 < clause.end
            and gender == "masculine"
            and self.last is None
        )

    def _is_had(self, clause: Clause, at: int) -> bool:
        """Whether somebody has something: у меня был ответ."""
        return any(
            self.line[index] == "у" and (is_being(self.line[at]) or self.line[index + 1] in _OWNERS)
            for index in clause
            if index < at
        )

    def _is_object(self, clause: Clause, subject: Subject) -> bool:
        """Whether the one taken for the subject is named in another case: меня укусил пёс."""
        if subject.who == self.interlocutors.speaker:
            return clause.has("меня", "мне", "мной", "мною")
        return subject.who == self.interlocutors.listener and clause.has("тебя", "тебе", "тобой")

    def _read_predicates(
        self,
        clause: Clause,
        following: Clause | None,
        own: Subject | None,
        relative: Subject | None,
    ) -> None:
        explicit = verbal_subject(clause, self.interlocutors) or own or relative
        subject = explicit or self._noun_subject(clause)
        predicates = Predicates(clause, self.sites)
        if self.felt is not None and self.felt.who is not None:
            predicates.read_apposed(self.felt)
        if self.last is not None:
            predicates.read_such_as(self.last)
        if subject is None and following is not None and self._is_opening(clause):
            ahead = verbal_subject(following, self.interlocutors)
            first = self.line[clause.words[0]]
            named = following.has(*SUBJECT_PRONOUNS) or first in {"как", "будучи"}
            if ahead is not None and ahead.who is not None and named:
                predicates.read_opening(ahead)
        seen = experiencer(clause, self.interlocutors)
        if seen is not None and seen.who is not None:
            predicates.read_seen(seen)
        if subject is not None:
            if subject.who is not None:
                predicates.read(subject)
        elif self.last is not None and self.last.who is not None:
            predicates.read_inherited(self.last)
        felt = experiencer(clause, self.interlocutors)
        self.felt = felt or self.felt
        if felt is not None and felt.who is not None:
            predicates.read_experiencer(felt, governs=explicit is None or explicit.who is None)
        if subject is not None:
            self.last = subject
        elif felt is not None and self.last is None:
            self.last = felt

    def _noun_subject(self, clause: Clause) -> Subject | None:
        """The subject of a clause whose predicate is a short adjective: дом готов."""
        for at in clause:
            form = short_form(self.line[at])
            if form is not None and not form.listed and is_participle(self.line, at, form):
                found = find_subject(clause, at, form.gender, self.interlocutors)
                if found is not None and found.at < at and noun_readings(self.line[found.at]):
                    return found
            if form is not None and form.listed:
                found = find_subject(clause, at, form.gender, self.interlocutors, existential=True)
                if found is None and self.last is None:
                    return self._nobody_named(clause)
                return found
        return self._described(clause) or self._acting(clause)

    def _acting(self, clause: Clause) -> Subject | None:
        """The person whose verb is in the present or future: мой брат пишет."""
        for at in clause:
            for index in clause:
                if index > at and is_third_verb(self.line[index]):
                    for gender in GENDERS:
                        if found := self._person(clause, at, gender):
                            return found
        return None

    def _described(self, clause: Clause) -> Subject | None:
        """The person of whom an adjective is said without a verb: этот студент самый умный."""
        for at in clause:
            if "nominative" not in {c for r in adjective_readings(self.line[at]) for c in r.cases}:
                continue
            for index in clause:
                for gender in GENDERS:
                    if index < at and nominative(self.line, index, clause.start, gender):
                        return Subject("others", index, "likely", "said of a person", gender)
        return None

    def _is_opening(self, clause: Clause) -> bool:
        """Whether the clause begins with an adjective that the next one's subject has."""
        return self.line[clause.words[0]] in {"как", "будучи"} or any(
            "nominative" in reading.cases
            for reading in adjective_readings(self.line[clause.words[0]])
        )
