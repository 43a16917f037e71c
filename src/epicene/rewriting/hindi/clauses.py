"""Clauses, each a verb complex and the words before it, and the controller of each verb's
agreement.
"""

from __future__ import annotations

from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.hindi import fragments, inflection, lexicon, subjects
from epicene.rewriting.hindi.address import find_vocatives
from epicene.rewriting.hindi.inflection import is_adjective
from epicene.rewriting.hindi.lexicon import function_words
from epicene.rewriting.hindi.phrases import may_be_name
from epicene.rewriting.hindi.quotations import FIRST_ADDRESSED
from epicene.rewriting.hindi.subjects import NO_PERSON, ClauseReading, Subject, can_agree
from epicene.rewriting.hindi.topics import (
    VERBS_OF_THINGS,
    Topics,
    only_people_do,
    says_of_thing,
)
from epicene.rewriting.hindi.verb_complexes import VerbComplex, find_verb_complexes
from epicene.rewriting.quotations import UNQUOTED, Interlocutors

if TYPE_CHECKING:
    from epicene.rewriting.hindi.line import Line

# Said after the verb: क्या करता मैं?
_POSTPOSED_PRONOUNS = frozenset("मैं मै तू तुम आप वह वो वे हम यह ये".split())
# They begin a clause though no verb stands before them: मैं, जो …
_CLAUSE_STARTERS = frozenset(
    "कि जब जो क्योंकि चूंकि अगर यदि हालांकि यद्यपि जबकि ताकि जहां मानो जिसने जिन्होंने जिसे जिन्हें "
    "जिसका जिसके जिसकी जिनका जिनके जिनकी जिसमें जिनमें जिससे जिनसे".split()
)


_OPENERS = _CLAUSE_STARTERS | frozenset("और लेकिन मगर पर तो इसलिए".split())

RELATIVE_PRONOUNS = frozenset({"जो"})
# Before a noun in the oblique they announce a relative clause: ऐसी कंपनी में … जो.
_CORRELATIVES = frozenset("उस उन उसी उन्हीं ऐसी ऐसे".split())
# They begin a new thought after a comma, though no verb stands before them.
_ADVERSATIVES = frozenset("पर लेकिन मगर परंतु किंतु फिर इसलिए बल्कि".split())


class Clause(NamedTuple):
    """Words `first` to `last`; `verb` is None where an inserted clause interrupts (मैं, जो …)."""

    first: int
    last: int
    verb: VerbComplex | None
    opener: str  # the conjunction or relative it begins with, or ""
    sentence: int

    @property
    def field(self) -> range:
        """The indices of the words before the verb."""
        end = self.last + 1 if self.verb is None else self.verb.first
        return range(self.first, end)


def find_clauses(line: Line) -> list[Clause]:
    """The clauses of a line, in order; together they cover it."""
    found: list[Clause] = []
    start, sentence = 0, 0
    verbs = find_verb_complexes(line)
    for verb, following in zip_longest(verbs, verbs[1:]):
        last = _clause_end(line, verb, following.first if following else len(line))
        cuts = _clause_starts(line, start, verb.first)
        first = cuts[-1]
        for cut, following in pairwise(cuts):
            found.append(_make_clause(line, cut, following - 1, None, sentence))
            sentence += _ends_sentence(line, cut, following)
        found.append(_make_clause(line, first, last, verb, sentence))
        start = last + 1
        while line.is_mark(start) and start < len(line):
            sentence += line.ends_sentence(start)
            start += 1
    if start < len(line):
        found.append(_make_clause(line, start, len(line) - 1, None, sentence))
    return found


def _clause_end(line: Line, verb: VerbComplex, next_verb: int) -> int:
    """The last word of the clause: the verb, or a pronoun postposed to it."""
    after = verb.last + 1
    while line[after] in {"न", "ना", "नहीं", "ही", "भी", "क्या", "क्यों"}:
        after += 1
    if line[after] not in _POSTPOSED_PRONOUNS:
        return verb.last
    end = after + 1
    while not line.is_mark(end) and line[end] not in _OPENERS:
        end += 1
    return end - 1 if end <= next_verb else verb.last


def _clause_starts(line: Line, start: int, end: int) -> list[int]:
    """The indices at which clauses begin between the previous verb and this one."""
    cuts = [start]
    for at in range(start + 1, end + 1):
        opens = line[at] in _CLAUSE_STARTERS or (line[at] in _ADVERSATIVES and line[at - 1] == ",")
        ended = line.ends_sentence(at - 1) and not _is_abbreviation_stop(line, at - 1)
        if ended or (opens and _has_words(line, cuts[-1], at)):
            cuts.append(at)
    return cuts


def _has_words(line: Line, first: int, end: int) -> bool:
    """Whether the words include more than marks and conjunctions: कि अगर begins one clause."""
    words = function_words()
    return any(
        not line.is_mark(at)
        and line[at] not in words.subordinators
        and line[at] not in words.coordinators
        for at in range(first, end)
    )


def _is_abbreviation_stop(line: Line, at: int) -> bool:
    """Whether the full stop belongs to डॉ. or to initials."""
    return line[at] == "." and len(line[at - 1]) <= 4 and not line.is_mark(at - 1)


def _ends_sentence(line: Line, first: int, following: int) -> bool:
    return any(line.ends_sentence(at) for at in range(first, following))


def _make_clause(
    line: Line, first: int, last: int, verb: VerbComplex | None, sentence: int
) -> Clause:
    while first <= last and line.is_mark(first):
        first += 1
    words = function_words()
    opener = line[first]
    if opener in words.subordinators | words.coordinators and line[first + 1] in _CLAUSE_STARTERS:
        opener = line[first + 1]
    if opener not in words.subordinators and opener not in words.coordinators:
        opener = ""
    return Clause(first, last, verb, opener, sentence)


# After them, or after nothing, the subject of the clause before may go on.
_CONTINUING_OPENERS = frozenset(
    "और तथा एवं या लेकिन मगर परंतु किंतु पर बल्कि तो फिर इसलिए अतः ताकि तब तभी क्योंकि कि जब अगर यदि हालांकि "
    "जबकि चूंकि व न सो वरना जैसे मानो अन्यथा".split()
) | {""}
# मेरा सपना शिक्षक बनना है: whose it is, is who is to be.
_WISH_NOUNS = frozenset("सपना सपने लक्ष्य इच्छा ख्वाब अरमान उद्देश्य ख्वाहिश".split())
# A clause that they open may take its subject from the one after it.
_FORWARD_LOOKING_OPENERS = frozenset("जब अगर यदि चूंकि हालांकि जैसे".split())


# With a pronoun for a subject they take no ने: वह नहीं माना.
_ALSO_WITHOUT_NE = frozenset("मान समझ जीत खेल".split())


def read_clauses(line: Line, interlocutors: Interlocutors) -> list[ClauseReading]:
    """Every clause with its controller and its actor, in order."""
    reader = _ClauseReader(line, interlocutors)
    return [reader.next(clause) for clause in reader.clauses]


class _ClauseReader:
    """Reads clauses in order; keeps the previous one, and a subject that still lacks its verb."""

    def __init__(self, line: Line, interlocutors: Interlocutors) -> None:
        self.line = line
        self.interlocutors = interlocutors
        self.clauses = find_clauses(line)
        self.addressing = frozenset(find_vocatives(line))
        self.last: ClauseReading | None = None
        self.pending: Subject | None = None
        self.sentence = 0
        self.names: set[str] = set()  # who has been named as a subject
        self.others = False  # whether somebody else has been spoken of
        self.topics = Topics(line, self.clauses, interlocutors)

    def next(self, clause: Clause) -> ClauseReading:
        """The reading of the next clause."""
        if clause.sentence != self.sentence:
            self.sentence = clause.sentence
            self.pending = None
            self.last = None
        reading = self._read(clause)
        self._remember(reading)
        return reading

    def _read(self, clause: Clause) -> ClauseReading:
        interlocutors = self._interlocutors_here()
        controller = self._find_controller(clause, interlocutors)
        if controller is not None and controller.who is not None:
            return ClauseReading(clause, controller, controller)
        return ClauseReading(clause, controller, self._actor(clause, interlocutors) or controller)

    def _remember(self, reading: ClauseReading) -> None:
        clause = reading.clause
        self.topics.remember(reading)
        if reading.controller is not None and reading.controller.at is not None:
            self.names.add(self.line[reading.controller.at])
        self.others |= any(
            each is not None and each.who == "others"
            for each in (reading.controller, reading.actor)
        )
        if clause.verb is None:
            if reading.actor is not None and reading.actor.at is not None:
                self.pending = reading.actor
            return
        if clause.opener in RELATIVE_PRONOUNS and self.last is not None:
            return
        if self.pending is not None and clause.opener not in RELATIVE_PRONOUNS:
            self.pending = None
        self.last = reading

    def _interlocutors_here(self) -> Interlocutors:
        """The interlocutors; in उसने मुझसे कहा कि तुम … the speaker is the listener."""
        if self.last is None or self.last.clause.verb is None or self.interlocutors != UNQUOTED:
            return self.interlocutors
        clause = self.last.clause
        told = any(self.line[at] in FIRST_ADDRESSED for at in clause.field)
        passive = clause.verb is not None and clause.verb.valency == "passive"
        if (
            told
            and not passive
            and clause.verb is not None
            and clause.verb.main in function_words().speech_verbs
        ):
            return Interlocutors(self.interlocutors.speaker, "speaker")
        return self.interlocutors

    # --- whom the verb agrees with ----------------------------------------------------------

    def _find_controller(self, clause: Clause, interlocutors: Interlocutors) -> Subject | None:
        said = subjects.pronoun_subject(self.line, clause, interlocutors)
        if said is not None:
            return said
        verb = clause.verb
        if verb is None:
            return self._fragment_subject(clause, interlocutors)
        if verb.person == "first":
            return Subject(interlocutors.speaker, sure="certain", rule="the verb says मैं")
        if verb.obligation or self._is_ergative(clause, verb):
            return None
        if clause.opener in RELATIVE_PRONOUNS:
            return self._antecedent(clause, verb, interlocutors)
        return self._subject_without_pronoun(clause, verb, interlocutors)

    def _subject_without_pronoun(
        self, clause: Clause, verb: VerbComplex, interlocutors: Interlocutors
    ) -> Subject | None:
        """The subject of a clause without a pronoun of the first or second person or ने."""
        relative = clause.opener.startswith(("जिस", "जिन"))
        waiting = self._pending_pronoun() if not relative else None
        if waiting is not None and can_agree(self.line, verb, waiting, interlocutors):
            return waiting._replace(rule="subject before an inserted clause")
        if self._is_correlative_object(clause, verb):
            return self._subject_of_previous_clause(clause, verb, interlocutors)
        third = self._third_person_subject(clause, interlocutors)
        if verb.finite.shape == "imperative" and verb.agreeing and third is None:  # बैठे रहो
            return Subject(
                interlocutors.listener, None, verb.person != "third", "likely", "told to"
            )
        says_you = verb.person == "second" and verb.finite.shape != "imperative"
        if says_you and (third is None or third.who is None or third.sure == "guess"):
            return Subject(interlocutors.listener, None, True, "likely", "the verb says तुम")
        if third is not None or relative:
            return third
        if self._says_what_people_say(clause, verb):
            return None
        return (
            self._subject_of_next_clause(clause, verb, interlocutors)
            or self._subject_of_previous_clause(clause, verb, interlocutors)
            or self._person_of_earlier_sentence(clause, verb, interlocutors)
            or self._listener_as_subject(clause, verb, interlocutors)
            or self._subject_of_fragment(clause, interlocutors)
        )

    def _says_what_people_say(self, clause: Clause, verb: VerbComplex) -> bool:
        """Whether nobody in particular says it, after the listener: कहते हैं, …; सुनते हैं कि …"""
        alone = verb.first == clause.first and verb.main in {"कह", "सुन", "मान"}
        listener = self.topics.recent and self.topics.recent[0].who != "others"
        return bool(alone and listener and self.line[verb.first].endswith("ते"))

    def _is_correlative_object(self, clause: Clause, verb: VerbComplex) -> bool:
        """Whether the clause begins with what जो announces: मैंने जो देखा, वह बता नहीं सकता."""
        last = self.last.clause if self.last is not None else None
        if last is None or last.verb is None or not last.verb.ergative:
            return False
        announced = any(
            self.line[at] == "जो" and inflection.person_noun(self.line[at + 1]) is None
            for at in last.field
        )
        return (
            announced and verb.valency == "transitive" and self.line[clause.first] in {"वह", "वो"}
        )

    def _third_person_subject(self, clause: Clause, interlocutors: Interlocutors) -> Subject | None:
        previous = self._previous()
        if previous is None and self.interlocutors != UNQUOTED:
            previous = Subject(interlocutors.listener)
        return subjects.third_person_subject(
            self.line, clause, interlocutors, previous=previous, skip=self.addressing
        )

    def _pending_pronoun(self) -> Subject | None:
        """The pronoun that an inserted clause separates from its verb."""
        if self.pending is None or self.pending.at is None:
            return None
        said = lexicon.FIRST_PRONOUNS | lexicon.SECOND_PRONOUNS | lexicon.THIRD_PRONOUNS
        return self.pending if self.line[self.pending.at] in said else None

    def _is_ergative(self, clause: Clause, verb: VerbComplex) -> bool:
        if not any(self.line[at] in lexicon.ERGATIVES for at in clause.field):
            agrees = verb.main in _ALSO_WITHOUT_NE and any(
                self.line[at] in {"वह", "वो", "वे"} for at in clause.field
            )
            return verb.ergative and not agrees
        aspect = self.line[verb.agreeing[0]] if verb.agreeing else ""
        return not aspect.endswith(("ता", "ती", "ते")) or verb.valency == "passive"

    def _fragment_subject(self, clause: Clause, interlocutors: Interlocutors) -> Subject | None:
        """The subject of a fragment, carried over from a copular clause: … हूँ, झूठा नहीं."""
        last = self.last
        if self._is_before_relative(clause) or last is None or last.clause.verb is None:
            return self._third_person_subject(clause, interlocutors)
        said = last.controller if last.clause.verb.valency == "copular" else None
        if said is not None and said.who is not None and clause.opener in _CONTINUING_OPENERS:
            return said._replace(at=None, sure="guess", rule="said without a verb")
        return self._third_person_subject(clause, interlocutors)

    def _is_before_relative(self, clause: Clause) -> bool:
        following = self.line[clause.last + 1]
        return following in RELATIVE_PRONOUNS or following.startswith(("जिस", "जिन"))

    def _antecedent(
        self, clause: Clause, verb: VerbComplex, interlocutors: Interlocutors
    ) -> Subject | None:
        """The antecedent of जो."""
        inside = subjects.third_person_subject(
            self.line, clause, interlocutors, previous=NO_PERSON, skip=self.addressing
        )
        if inside is not None and inside.sure != "guess":
            return inside
        noun = clause.first + 1  # जो मैनेजर था
        if inflection.person_noun(self.line[noun]) and noun == self.line.before(verb.first):
            return Subject("others", noun, verb.plural, "likely", "said with a noun")
        if self.pending is not None and self.pending.at is not None:
            return self._as_antecedent(self.pending, verb)
        last = self.last
        if last is None or last.clause.verb is None:
            return self._noun_before(clause, verb)
        subject, head = last.controller, self.line.before(last.clause.verb.first)
        if last.clause.verb.obligation:  # मुझे सच्चा लेखक होना चाहिए जो …
            subject = last.actor
        if (
            subject is not None
            and subject.who is not None
            and self._describes_subject(last, subject, head)
        ):
            if self._is_correlated_with_thing(last.clause, head):
                return None
            taken = self._as_antecedent(subject, verb)
            if subject.who == "others" and last.clause.verb.plural != verb.plural:
                return None
            return taken if self._can_be_antecedent(taken, verb, interlocutors) else None
        if inflection.person_noun(self.line[head]) is not None:
            return Subject("others", head, verb.plural, "guess", "जो after a noun")
        if subject is not None and self._is_announced(subject, verb):
            return self._as_antecedent(subject, verb)
        return self._noun_before(clause, verb)

    def _is_announced(self, subject: Subject, verb: VerbComplex) -> bool:
        """Whether वह or एक before the noun announces जो: वह किराएदार याद है जो …"""
        if subject.who != "others" or subject.at is None or subject.plural != verb.plural:
            return False
        determiners = {"वह", "वो", "वही", "यह", "यही", "एक", "ऐसा", "ऐसी", "कोई"}
        return self.line[subject.at - 1] in determiners

    def _noun_before(self, clause: Clause, verb: VerbComplex) -> Subject | None:
        """The person right before जो; a name only where the verb shows respect."""
        at = clause.first - 1
        while self.line[at] in {",", "(", "-", "–"}:
            at -= 1
        word = self.line[at]
        name = may_be_name(word) and (verb.plural or word in self.names)
        if inflection.person_noun(word) or name:
            return Subject("others", at, verb.plural, "guess", "जो after a noun")
        return None

    def _is_correlated_with_thing(self, clause: Clause, head: int) -> bool:
        """Whether ऐसी or उस announces that जो is somebody else: उस कंपनी का मालिक हूँ जो …"""
        line = self.line
        for at in range(clause.first, head):
            if line[at] not in _CORRELATIVES:
                continue
            for noun in range(at + 1, head):
                if line.has_postposition(noun):
                    return not inflection.person_noun(line[noun]) or line[noun].endswith("ों")
        return False

    def _describes_subject(self, last: ClauseReading, subject: Subject, head: int) -> bool:
        """Whether the word before the verb is predicated of the subject, or is the subject."""
        verb = last.clause.verb
        if head == subject.at or head < last.clause.first:
            return True
        if verb is None or verb.valency != "copular":
            return False
        word = self.line[head]
        adjective = is_adjective(word) and not inflection.person_noun(word)
        if adjective and self._names_people(last.clause, head):
            return False
        return not (word in function_words().postpositions or inflection.thing_gender(word))

    def _names_people(self, clause: Clause, end: int) -> bool:
        """Whether the clause names another person who may be the antecedent of जो."""
        return any(
            inflection.person_noun(self.line[at]) and at not in self.addressing
            for at in range(clause.first, end)
        )

    def _as_antecedent(self, subject: Subject, verb: VerbComplex) -> Subject:
        plural = verb.plural or verb.person == "second"
        return subject._replace(plural=plural, sure="likely", rule="जो takes the person up")

    def _can_be_antecedent(
        self, subject: Subject, verb: VerbComplex, interlocutors: Interlocutors
    ) -> bool:
        """Whether the verb after जो can agree with the subject in person."""
        if subject.who == interlocutors.speaker:
            return not subject.plural and verb.person != "second"
        return True

    # --- who is not said at all ---------------------------------------------------------------

    def _previous(self) -> Subject | None:
        if self.pending is not None:
            return self.pending
        return self.last.actor if self.last is not None else None

    def _subject_of_next_clause(
        self, clause: Clause, verb: VerbComplex, interlocutors: Interlocutors
    ) -> Subject | None:
        """The subject, taken from the clause after this one: जब तक नहीं लौटाते, तुम …"""
        if clause.opener not in _FORWARD_LOOKING_OPENERS or self.last is not None:
            return None
        at = self.clauses.index(clause) + 1
        if at >= len(self.clauses) or self.clauses[at].sentence != clause.sentence:
            return None
        following = subjects.pronoun_subject(self.line, self.clauses[at], interlocutors)
        if following is None or following.who is None:
            return None
        if verb.main in VERBS_OF_THINGS or not can_agree(self.line, verb, following, interlocutors):
            return None
        return following._replace(at=None, sure="guess", rule="subject of the clause after")

    def _subject_of_previous_clause(
        self, clause: Clause, verb: VerbComplex, interlocutors: Interlocutors
    ) -> Subject | None:
        """The subject, carried over from the previous clause."""
        previous = self._previous()
        if previous is None or previous.who is None or clause.opener not in _CONTINUING_OPENERS:
            return None
        if self._is_oblique_here(previous, clause, interlocutors):
            return None
        if clause.opener in {"जैसे", "मानो"} and self.line[verb.last] != "हो":
            return None  # जैसे वही लौटकर आएगी
        if verb.valency == "passive" and not self._is_controller(previous):
            return None  # उसे पकड़ा, फिर छोड़ दिया गया
        if says_of_thing(self.line, clause, verb) or self._is_beyond_somebody(clause, verb):
            return None
        if previous.who == "others":
            previous = previous._replace(plural=verb.plural or previous.plural)
        if not can_agree(self.line, verb, previous, interlocutors):
            return None
        return previous._replace(at=None, sure="guess", rule="subject of the clause before")

    def _is_beyond_somebody(self, clause: Clause, verb: VerbComplex) -> bool:
        """Whether a passive says that somebody cannot do it: तुझसे पानी तक नहीं भरा जाता."""
        able = ("मुझसे", "तुझसे", "तुमसे", "आपसे", "हमसे", "उससे", "उनसे", "इससे", "इनसे")
        return verb.valency == "passive" and any(self.line[at] in able for at in clause.field)

    def _person_of_earlier_sentence(
        self, clause: Clause, verb: VerbComplex, interlocutors: Interlocutors
    ) -> Subject | None:
        """The person of an earlier sentence: आप सो नहीं पाते। … ज़्यादा सोचेंगे तो …"""
        before = self.last.controller if self.last is not None else None
        nobody = before is not None and before.who is None
        if nobody and clause.opener == "कि" and self.last is not None and self.last.clause.verb:
            nobody = self.last.clause.verb.main not in function_words().speech_verbs
        if clause.opener not in _CONTINUING_OPENERS or (
            nobody and not only_people_do(self.line, clause, verb)
        ):
            return None  # गाड़ी आई और चली गई
        if nobody and self._is_group(before):  # पुलिस आई और कहने लगी
            return None
        if clause.opener in {"जैसे", "मानो"} and self.line[verb.last] != "हो":
            return None
        return self.topics.continued(
            clause,
            verb,
            interlocutors,
            lambda subject: self._is_oblique_here(subject, clause, interlocutors),
        )

    def _is_group(self, subject: Subject | None) -> bool:
        """Whether the subject is several people or a body of them, nobody's gender."""
        if subject is None or self.last is None or subject.at is not None:
            return False
        groups = inflection.group_nouns() | {"सब", "सभी", "दोनों", "कोई", "कौन", "हम"}
        return any(self.line[at] in groups for at in self.last.clause.field)

    def _is_controller(self, subject: Subject) -> bool:
        """Whether the verb before agrees with the person, who is then in the direct case."""
        last = self.last.controller if self.last is not None else None
        return last is not None and last.who == subject.who

    def _is_oblique_here(
        self, subject: Subject, clause: Clause, interlocutors: Interlocutors
    ) -> bool:
        """Whether the clause has an oblique pronoun of the subject's person: मुझे, मुझसे, मेरा."""
        forms: frozenset[str] = frozenset()
        if subject.who == interlocutors.speaker:
            forms = lexicon.FIRST_OBLIQUE_PRONOUNS
        elif subject.who == interlocutors.listener:
            forms = lexicon.SECOND_OBLIQUE_PRONOUNS
        elif clause.verb is not None and clause.verb.valency != "transitive":
            forms = lexicon.THIRD_OBJECT_PRONOUNS  # उन्हें समझ आया
        return any(self.line[at] in forms for at in clause.field)

    def _listener_as_subject(
        self, clause: Clause, verb: VerbComplex, interlocutors: Interlocutors
    ) -> Subject | None:
        """The listener, as the omitted subject in a quotation: “समय पर खाएगा तो …”"""
        if (
            self.interlocutors == UNQUOTED
            or interlocutors.listener is None
            or self._previous() is not None
        ):
            return None
        cells = subjects.verb_cells(self.line, verb)
        plural = bool(cells & {"mp", "fp"}) or verb.person == "second"
        subject = Subject(interlocutors.listener, None, plural, "guess", "left out in speech")
        if self._is_oblique_here(subject, clause, interlocutors):  # नदी तुझे पहचानती है
            return None
        return subject if can_agree(self.line, verb, subject, interlocutors) else None

    def _subject_of_fragment(self, clause: Clause, interlocutors: Interlocutors) -> Subject | None:
        """The user of an interface, whom its fragments leave out: पासवर्ड भूल गए?"""
        previous = self._previous()
        person = previous is not None and (previous.who is not None or previous.at is None)
        if self.interlocutors != UNQUOTED or self.others or person:
            return None
        return fragments.person_left_out(self.line, self.clauses, clause, interlocutors)

    # --- who acts, whatever the verb agrees with ----------------------------------------------

    def _actor(self, clause: Clause, interlocutors: Interlocutors) -> Subject | None:
        for at in clause.field:
            word = self.line[at]
            wishes = word in lexicon.FIRST_POSSESSIVES and self.line[at + 1] in _WISH_NOUNS
            if wishes or word in lexicon.FIRST_ERGATIVES | lexicon.FIRST_OBJECT_PRONOUNS:
                return Subject(interlocutors.speaker, at)
            if word in lexicon.SECOND_ERGATIVES or word in lexicon.SECOND_OBJECT_PRONOUNS:
                return Subject(interlocutors.listener, at, plural=word not in {"तूने", "तुझे", "तुझको"})
            if (
                word in lexicon.THIRD_ERGATIVES
                or word in lexicon.THIRD_OBJECT_PRONOUNS
                or word == "ने"
            ):
                if word == "ने" and self.line[at - 1].endswith(("ों", "ओं")):
                    return NO_PERSON  # लड़कों ने
                return Subject("others", at, word in {"उन्होंने", "उन्हें", "जिन्होंने"})
        verb = clause.verb
        if (
            verb is not None
            and (verb.ergative or verb.obligation)
            and clause.opener in _CONTINUING_OPENERS
        ):
            return self._previous()
        return None
