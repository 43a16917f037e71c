"""Goes through the clauses of a stretch and finds with whom each verb agrees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.hindi import nouns, pronouns, subjects
from epicene.languages.rewriting.hindi.adjectives import is_adjective
from epicene.languages.rewriting.hindi.clauses import RELATIVE, Clause, clauses
from epicene.languages.rewriting.hindi.lexicon import function_words
from epicene.languages.rewriting.hindi.subjects import NOBODY, Reading, Subject, fits
from epicene.languages.rewriting.hindi.vocatives import vocatives
from epicene.languages.rewriting.hindi.voices import FIRST_ADDRESSED, OUTER, Voice

if TYPE_CHECKING:
    from epicene.languages.rewriting.hindi.complexes import Complex
    from epicene.languages.rewriting.hindi.words import Stretch

# After them, or after nothing, the subject of the clause before may go on.
_CONTINUES = frozenset(
    "और तथा एवं या लेकिन मगर परंतु किंतु पर बल्कि तो फिर इसलिए अतः ताकि तब तभी क्योंकि कि जब अगर यदि हालांकि "
    "जबकि चूंकि व न सो वरना".split()
) | {""}
# मेरा सपना शिक्षक बनना है: whose it is, is who is to be.
_WISHES = frozenset("सपना सपने लक्ष्य इच्छा ख्वाब अरमान उद्देश्य ख्वाहिश".split())
# A clause that they open may take its subject from the one after it.
_LOOKS_AHEAD = frozenset("जब अगर यदि चूंकि हालांकि जैसे".split())


def read(stretch: Stretch, voice: Voice) -> list[Reading]:
    """Every clause with its subject, in order."""
    reader = _Reader(stretch, voice)
    return [reader.next(clause) for clause in reader.clauses]


class _Reader:
    """Remembers who the last clause was about, and who still waits for a verb."""

    def __init__(self, stretch: Stretch, voice: Voice) -> None:
        self.stretch = stretch
        self.voice = voice
        self.clauses = clauses(stretch)
        self.addressing = frozenset(vocatives(stretch))
        self.last: Reading | None = None
        self.pending: Subject | None = None

    def next(self, clause: Clause) -> Reading:
        """The clause that follows, read."""
        if self.last is not None and clause.sentence != self.last.clause.sentence:
            self.pending = None
            self.last = None
        reading = self._read(clause)
        self._remember(reading)
        return reading

    def _read(self, clause: Clause) -> Reading:
        voice = self._voice_here()
        agrees = self._agrees(clause, voice)
        if agrees is not None and agrees.who is not None:
            return Reading(clause, agrees, agrees)
        return Reading(clause, agrees, self._actor(clause, voice) or agrees)

    def _remember(self, reading: Reading) -> None:
        clause = reading.clause
        if clause.verb is None:
            if reading.actor is not None and reading.actor.at is not None:
                self.pending = reading.actor
            return
        if clause.opener in RELATIVE and self.last is not None:
            return
        if self.pending is not None and clause.opener not in RELATIVE:
            self.pending = None
        self.last = reading

    def _voice_here(self) -> Voice:
        """उसने मुझसे कहा कि तुम …: who is told is who says I."""
        if self.last is None or self.last.clause.verb is None or self.voice != OUTER:
            return self.voice
        clause = self.last.clause
        told = any(self.stretch[at] in FIRST_ADDRESSED for at in clause.field)
        if told and clause.verb is not None and clause.verb.main in function_words().speech_verbs:
            return Voice(self.voice.speaker, "speaker")
        return self.voice

    # --- whom the verb agrees with ----------------------------------------------------------

    def _agrees(self, clause: Clause, voice: Voice) -> Subject | None:
        said = subjects.pronoun(self.stretch, clause, voice)
        if said is not None:
            return said
        verb = clause.verb
        if verb is None:
            return self._of_fragment(clause, voice)
        if verb.person == "first":
            return Subject(voice.speaker, sure="certain", rule="the verb says मैं")
        if verb.obligation or self._ergative(clause, verb):
            return None
        if clause.opener in RELATIVE:
            return self._antecedent(clause, verb, voice)
        return self._unsaid(clause, verb, voice)

    def _unsaid(self, clause: Clause, verb: Complex, voice: Voice) -> Subject | None:
        """No pronoun of the first or second person, no ने: what else there is."""
        relative = clause.opener.startswith(("जिस", "जिन"))
        waiting = self._waiting() if not relative else None
        if waiting is not None and fits(self.stretch, verb, waiting, voice):
            return waiting._replace(rule="subject before an inserted clause")
        third = self._third(clause, voice)
        says_you = verb.person == "second" and verb.finite.shape != "imperative"
        if says_you and (third is None or third.who is None or third.sure == "guess"):
            return Subject(voice.listener, None, True, "likely", "the verb says तुम")
        if third is not None or relative:
            return third
        return (
            self._ahead(clause, verb, voice)
            or self._carried(clause, verb, voice)
            or self._addressed(verb, voice)
        )

    def _third(self, clause: Clause, voice: Voice) -> Subject | None:
        previous = self._previous()
        if previous is None and self.voice != OUTER:
            previous = Subject(voice.listener)
        return subjects.third(self.stretch, clause, voice, previous=previous, skip=self.addressing)

    def _waiting(self) -> Subject | None:
        """The pronoun that an inserted clause cut off from its verb."""
        if self.pending is None or self.pending.at is None:
            return None
        said = pronouns.FIRST | pronouns.SECOND | pronouns.THIRD
        return self.pending if self.stretch[self.pending.at] in said else None

    def _ergative(self, clause: Clause, verb: Complex) -> bool:
        if not any(self.stretch[at] in pronouns.ACTING for at in clause.field):
            return verb.ergative
        aspect = self.stretch[verb.agreeing[0]] if verb.agreeing else ""
        return not aspect.endswith(("ता", "ती", "ते")) or verb.valency == "passive"

    def _of_fragment(self, clause: Clause, voice: Voice) -> Subject | None:
        """… हूँ, झूठा नहीं: what was said of someone goes on without a verb."""
        last = self.last
        if self._before_relative(clause) or last is None or last.clause.verb is None:
            return self._third(clause, voice)
        said = last.agrees if last.clause.verb.valency == "copular" else None
        if said is not None and said.who is not None and clause.opener in _CONTINUES:
            return said._replace(at=None, sure="guess", rule="said without a verb")
        return self._third(clause, voice)

    def _before_relative(self, clause: Clause) -> bool:
        following = self.stretch[clause.last + 1]
        return following in RELATIVE or following.startswith(("जिस", "जिन"))

    def _antecedent(self, clause: Clause, verb: Complex, voice: Voice) -> Subject | None:
        """Whom जो takes up."""
        inside = subjects.third(self.stretch, clause, voice, previous=NOBODY, skip=self.addressing)
        if inside is not None and inside.sure != "guess":
            return inside
        if self.pending is not None and self.pending.at is not None:
            return self._taken_up(self.pending, verb)
        last = self.last
        if last is None or last.clause.verb is None:
            return None
        subject, head = last.agrees, self.stretch.before(last.clause.verb.first)
        if last.clause.verb.obligation:  # मुझे सच्चा लेखक होना चाहिए जो …
            subject = last.actor
        if subject is not None and subject.who is not None and self._is_of(last, subject, head):
            taken = self._taken_up(subject, verb)
            return taken if self._can_be(taken, verb, voice) else None
        if nouns.person(self.stretch[head]) is not None:
            return Subject("others", head, verb.plural, "guess", "जो after a noun")
        return None

    def _is_of(self, last: Reading, subject: Subject, head: int) -> bool:
        """Whether what stands before the verb is said of the subject, or is the subject."""
        verb = last.clause.verb
        if head == subject.at or head < last.clause.first:
            return True
        if verb is None or verb.valency != "copular":
            return False
        word = self.stretch[head]
        if is_adjective(word) and self._names_people(last.clause, head):
            return False
        return not (word in function_words().postpositions or nouns.thing(word))

    def _names_people(self, clause: Clause, end: int) -> bool:
        """Whether somebody else is named in the clause, whom जो may take up instead."""
        return any(nouns.person(self.stretch[at]) for at in range(clause.first, end))

    def _taken_up(self, subject: Subject, verb: Complex) -> Subject:
        plural = verb.plural or verb.person == "second"
        return subject._replace(plural=plural, sure="likely", rule="जो takes the person up")

    def _can_be(self, subject: Subject, verb: Complex, voice: Voice) -> bool:
        """After जो the verb is of the third person, or of the person's own."""
        if subject.who == voice.speaker:
            return not subject.plural and verb.person != "second"
        return True

    # --- who is not said at all ---------------------------------------------------------------

    def _previous(self) -> Subject | None:
        if self.pending is not None:
            return self.pending
        return self.last.actor if self.last is not None else None

    def _ahead(self, clause: Clause, verb: Complex, voice: Voice) -> Subject | None:
        """जब तक नहीं लौटाते, तुम …: the clause after says who."""
        if clause.opener not in _LOOKS_AHEAD or self.last is not None:
            return None
        at = self.clauses.index(clause) + 1
        if at >= len(self.clauses) or self.clauses[at].sentence != clause.sentence:
            return None
        following = subjects.pronoun(self.stretch, self.clauses[at], voice)
        if following is None or following.who is None:
            return None
        if not fits(self.stretch, verb, following, voice):
            return None
        return following._replace(at=None, sure="guess", rule="subject of the clause after")

    def _carried(self, clause: Clause, verb: Complex, voice: Voice) -> Subject | None:
        """The subject of the clause before, where this one has none."""
        previous = self._previous()
        if previous is None or previous.who is None or clause.opener not in _CONTINUES:
            return None
        if self._is_oblique_here(previous, clause, voice):
            return None
        if previous.who == "others":
            previous = previous._replace(plural=verb.plural or previous.plural)
        if not fits(self.stretch, verb, previous, voice):
            return None
        return previous._replace(at=None, sure="guess", rule="subject of the clause before")

    def _is_oblique_here(self, subject: Subject, clause: Clause, voice: Voice) -> bool:
        """मुझे, मुझसे, मेरा: who says I is in the clause, and not as its subject."""
        forms: frozenset[str] = frozenset()
        if subject.who == voice.speaker:
            forms = pronouns.FIRST_OBLIQUE
        elif subject.who == voice.listener:
            forms = pronouns.SECOND_OBLIQUE
        return any(self.stretch[at] in forms for at in clause.field)

    def _addressed(self, verb: Complex, voice: Voice) -> Subject | None:
        """“समय पर खाएगा तो …”: in a quotation, who is left out is who is spoken to."""
        if self.voice == OUTER or voice.listener is None or self._previous() is not None:
            return None
        cells = subjects.cells_of(self.stretch, verb)
        plural = bool(cells & {"mp", "fp"}) or verb.person == "second"
        subject = Subject(voice.listener, None, plural, "guess", "left out in speech")
        return subject if fits(self.stretch, verb, subject, voice) else None

    # --- who acts, whatever the verb agrees with ----------------------------------------------

    def _actor(self, clause: Clause, voice: Voice) -> Subject | None:
        for at in clause.field:
            word = self.stretch[at]
            wishes = word in pronouns.FIRST_POSSESSIVE and self.stretch[at + 1] in _WISHES
            if wishes or word in pronouns.FIRST_ACTING | pronouns.FIRST_OBJECT:
                return Subject(voice.speaker, at)
            if word in pronouns.SECOND_ACTING or word in pronouns.SECOND_OBJECT:
                return Subject(voice.listener, at, plural=word not in {"तूने", "तुझे", "तुझको"})
            if word in pronouns.THIRD_ACTING or word in pronouns.THIRD_OBJECT or word == "ने":
                return Subject("others", at, word in {"उन्होंने", "उन्हें", "जिन्होंने"})
        verb = clause.verb
        if verb is not None and (verb.ergative or verb.obligation) and clause.opener in _CONTINUES:
            return self._previous()
        return None
