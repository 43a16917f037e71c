"""The words that agree with the subject or the object of each verb, finite or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.french.context import Context, Referent
from epicene.rewriting.french.inflection import inflect
from epicene.rewriting.french.lexicon import verb_table, word_list
from epicene.rewriting.french.line import (
    SENTENCE_ENDS,
    TEMPORARY_STATES,
    Line,
    participle_infinitives,
)
from epicene.rewriting.french.phrases import read_phrase
from epicene.rewriting.french.predicates import (
    read_complement,
    read_coordinated,
    plays_part,
    read_object_predicate,
    read_part_played,
    read_state,
)
from epicene.rewriting.french.subjects import (
    Clause,
    mention_referent,
    pronoun_referent,
    read_subject,
    relative_antecedent,
    subject_mention,
)
from epicene.rewriting.french.verb_groups import (
    clitics_before,
    infinitive_follows,
    pronoun_is_indirect_object,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from epicene.rewriting import Confidence
    from epicene.rewriting.french.sites import Agreement

_OBJECTS_OF_SUIVRE = word_list("function_words", "followed")


def read_clauses(context: Context) -> list[Clause]:
    """Read every finite verb of the text, from left to right; return the clauses."""
    clauses: list[Clause] = []
    for group in context.groups:
        clause = read_subject(context, group, clauses)
        clauses.append(clause)
        reading = ClauseReader(context, clause)
        end, governor = reading.read()
        read_infinitives(reading, end, governor)
    return clauses


class ClauseReader:
    """Reads one clause."""

    def __init__(self, context: Context, clause: Clause) -> None:
        self.context = context
        self.line = context.line
        self.clause = clause
        self.group = clause.group
        self.reflexive = clause.group.is_reflexive(context.line)

    # --- whom words agree with -----------------------------------------------------------------

    def subject_agreement(self, rule: str) -> Agreement | None:
        """An agreement with the subject."""
        referent = self.clause.referent
        return None if referent is None else self.context.agreement(referent, rule)

    def object_agreement(self, clitics: Iterable[int], rule: str) -> Agreement | None:
        """An agreement with the object that the clitics before a verb express."""
        referent = self.object_referent(clitics)
        return None if referent is None else self.context.agreement(referent, rule)

    def object_referent(self, clitics: Iterable[int]) -> Referent | None:
        """The referent of me, te, le, la before a verb; add the pronoun if it is a third person."""
        for index in clitics:
            word = self.line[index]
            if word in {"me", "m'", "moi"}:
                return self.context.speaker(index)
            if word in {"te", "t'", "vous", "toi"}:
                return self.context.listener(index)
            if word in {"le", "la", "l'", "les"}:
                return self._read_third_person_object(index)
        return None

    def _has_thing_as_object(self, index: int) -> bool:
        """Whether the verb of that clitic has things for its object: le lire, la réparer."""
        at = index + 1
        while self.line[at] in self.line.closed.clitics:
            at += 1
        found = [form.infinitive for form in verb_table().forms(self.line[at])]
        if "avoir" in found:
            at = self.line.after_adverbs(at + 1)
            found = participle_infinitives(self.line[at])
        if infinitive_follows(self.line, at + 1):
            return False  # je le fais venir
        return verb_table().is_kind("with_things", [*found, self.line[at]])

    def _read_third_person_object(self, index: int) -> Referent | None:
        if self.line[index] == "l'" and self._refers_to_proposition(index):
            return None
        if self._has_thing_as_object(index):
            return None
        referent = pronoun_referent(self.context, index)
        if referent is not None and self.line[index] in {"le", "la"}:
            self.context.agreement(referent, "object pronoun", "likely").add(index, "pronoun")
        return referent

    def _refers_to_proposition(self, index: int) -> bool:
        """Whether "l'" stands for a proposition: comme il l'a dit, il ne l'avait pas fait."""
        if self.line[self.group.start - 1] == "comme":
            return True
        after = self.line.after_adverbs(index + 2)
        return bool(
            {"faire", "dire", "savoir", "découvrir"} & set(participle_infinitives(self.line[after]))
        )

    # --- the verb ------------------------------------------------------------------------------

    def read(self) -> tuple[int, Sequence[str]]:
        """Add what agrees with the verb's subject or object; return its end and its infinitives."""
        names = self.group.infinitives
        after = self.line.after_adverbs(self.group.end)
        if self.line[after] == "le" and self.line[after + 1] in {"plus", "moins", "mieux"}:
            after += 2  # ce qui m'a le plus surpris
        if "avoir" in names and self.is_participle(after):
            self._read_after_avoir(after)
            return after + 1, participle_infinitives(self.line[after])
        if "avoir" in names:
            self._read_avoir_l_air(after)
        if "être" in names and not self._is_form_of_suivre(after):
            self._read_after_etre(after)
        else:
            self._read_lexical_verb(after, names)
        return self.group.end, names

    def _read_avoir_l_air(self, at: int) -> None:
        """Add the adjective after "avoir l'air", as agreeing with the subject.

        In j'ai l'air fatiguée it may agree with either.
        """
        agreement = self.subject_agreement("avoir l'air")
        if agreement is not None and tuple(self.line.keys[at : at + 2]) == ("l'", "air"):
            read_complement(self.line, at + 2, agreement.by(agreement.rule, "guess"), nouns=False)

    def _read_lexical_verb(self, after: int, names: Sequence[str]) -> None:
        """Add what agrees with a verb that is neither être nor an auxiliary."""
        known = verb_table()
        referent = self.object_referent(self.group.clitics)
        if known.is_kind("copulas", names):
            self._read_subject_complement(self.group.end, "what a copula says of them")
        elif {"faire", "jouer"} & set(names) and plays_part(self.line, after):
            if agreement := self.subject_agreement("a part played"):
                read_part_played(self.line, after, agreement)
        elif self.reflexive and known.is_kind("reflexive_copulas", names):
            if agreement := self.subject_agreement("what a reflexive verb says of them"):
                read_object_predicate(self.line, self.group.end, agreement, naming=False)
        elif referent is not None and known.is_kind("object_predicates", names):
            self.read_object_complement(self.group.clitics, self.group.end, names)
        elif "passer" in names and self.line[after] == "pour":
            self._read_subject_complement(after + 1, "what somebody passes for")
        elif "passer" in names:
            self._read_state_after_passer(after)

        elif known.is_kind("with_state", names) and (
            own := self.subject_agreement("state of the subject")
        ):
            read_state(self.line, self.group.end, own)

    def _read_state_after_passer(self, at: int) -> None:
        """Add the state of the subject after a time: j'ai passé la soirée assis dans un coin."""
        phrase = read_phrase(self.line, at) if self.line.is_determiner(at) else None
        if phrase is not None and (agreement := self.subject_agreement("state of the subject")):
            for index in (*phrase.adjectives, phrase.end):
                if inflect(self.line[index], "masculine") in TEMPORARY_STATES:
                    agreement.add(index, "adjective", "likely")

    def is_participle(self, at: int) -> bool:
        """Whether a past participle, known or by its shape, follows the auxiliary."""
        word = self.line[at]
        if participle_infinitives(word):
            return not self.line.is_determiner(at)
        return self.line.is_open(at) and word.rstrip("es").endswith(("é", "i", "u", "ï"))

    def _is_form_of_suivre(self, after: int) -> bool:
        """Whether "suis" is a form of suivre: je suis un cours."""
        if self.line[self.group.verb] != "suis" or not self.line.is_determiner(after):
            return False
        return (
            self.line[after + 1] in _OBJECTS_OF_SUIVRE or self.line[after + 2] in _OBJECTS_OF_SUIVRE
        )

    def _read_subject_complement(self, at: int, rule: str) -> None:
        if agreement := self.subject_agreement(rule):
            read_complement(self.line, at, agreement)

    def _read_after_etre(self, after: int) -> None:
        """Add what agrees after a form of être, an auxiliary or a copula."""
        if not self.reflexive:
            self._read_subject_complement(self.group.end, "said of the subject with être")
        elif any(self.line[index] in {"le", "la", "l'", "les"} for index in self.group.clitics):
            return  # je me la suis offerte: it agrees with the thing
        elif agreement := self.subject_agreement("reflexive pronoun before the participle"):
            self.read_reflexive_participle(after, agreement)

    def read_reflexive_participle(self, at: int, agreement: Agreement) -> None:
        """Add the participle if the reflexive pronoun is its direct object: je me suis levé."""
        infinitives = participle_infinitives(self.line[at])
        if infinitives and not self.pronoun_is_indirect_object(at, infinitives, reflexive=True):
            self.read_participles(at, agreement, infinitives, reflexive=True)

    def pronoun_is_indirect_object(
        self, at: int, infinitives: Sequence[str], *, reflexive: bool
    ) -> bool:
        """Whether the pronoun before the participle is not its direct object."""
        return pronoun_is_indirect_object(
            self.line, self.group.verb, at, infinitives, reflexive=reflexive
        )

    def read_participles(
        self, at: int, agreement: Agreement, infinitives: Sequence[str], *, reflexive: bool = False
    ) -> None:
        """Add a participle, its predicative complement, and the participles coordinated with it."""
        known = verb_table()
        agreement.add(at, "adjective")
        rule = agreement.by("what the participle says of them")
        end = at + 1
        if self.line[end] == "comme" or known.is_kind(
            "reflexive_copulas" if reflexive else "object_predicates", infinitives
        ):
            naming = known.is_kind("naming", infinitives)
            end = max(end, read_object_predicate(self.line, end, rule, naming=naming))
        else:
            end = max(end, read_state(self.line, end, rule))
        # je l'ai reçu en pyjama, à moitié endormi: after a comma it is the subject
        read_coordinated(self.line, end, agreement.by(agreement.rule, "likely"), commas=reflexive)

    def _read_after_avoir(self, at: int) -> None:
        """Add what agrees in a compound tense with avoir: j'ai été, on m'a vu, j'ai vécu seul."""
        known = verb_table()
        infinitives = participle_infinitives(self.line[at])
        if known.is_kind("copulas", infinitives):
            self._read_subject_complement(at + 1, "said of the subject with être")
        elif agreement := self.object_agreement(self.group.clitics, "object before the participle"):
            if not self.pronoun_is_indirect_object(at, infinitives, reflexive=False):
                self.read_participles(at, agreement, infinitives)
        elif referent := self._relative_object():
            rule = "the relative pronoun before the participle"
            self.read_participles(at, self.context.agreement(referent, rule), infinitives)
        elif "avoir" in infinitives:
            self._read_avoir_l_air(at + 1)
        elif "passer" in infinitives:
            self._read_state_after_passer(at + 1)
        elif (own := self.subject_agreement("state of the subject")) and known.is_kind(
            "with_state", infinitives
        ):
            read_state(self.line, at + 1, own)

    def _antecedent_of_que(self, index: int) -> Referent | None:
        site = relative_antecedent(self.context, index - 1)
        if site is not None:
            noun = site.target.kind in {"noun", "pronoun"}
            return Referent(site.who, site.target.plural) if noun else None
        mention = self.context.mention_ending(index)
        return None if mention is None or mention.phrase is None else mention_referent(mention)

    def _relative_object(self) -> Referent | None:
        """The antecedent of "que", if it is a person: celle que le jury a recalée."""
        if any(self.line[index] not in {"ne", "n'", "y", "en"} for index in self.group.clitics):
            return None
        start = min(self.group.start, self.clause.start)
        for index in range(start - 1, max(start - 6, 0), -1):
            word = self.line[index]
            if word in {"que", "qu'"}:
                return self._antecedent_of_que(index)
            if not self.line.is_word(index) or word in {"qui", "dont", "où"}:
                return None
        return None

    def read_object_complement(
        self, clitics: Iterable[int], at: int, infinitives: Iterable[str]
    ) -> None:
        """Add the object complement: cela me rend heureux."""
        agreement = self.object_agreement(clitics, "what the verb says of its object")
        if agreement is not None:
            naming = verb_table().is_kind("naming", infinitives)
            read_object_predicate(self.line, at, agreement, naming=naming)


_ADJUNCTS = frozenset({"pour", "sans", "après", "en"})
_INFINITIVE_RULE = "said of who is meant with the infinitive"
# Verbs that begin a clause of their own wherever they stand.
_SURELY_FINITE = frozenset("est était sont étaient sera serait a avait ont".split())


class Governor(NamedTuple):
    """The verb that governs an infinitive."""

    infinitives: Sequence[str]
    clitics: tuple[int, ...]
    referent: Referent | None  # its own subject
    noun_after: bool = False  # whether it has an object or an addressee that is a noun


class OwnSubject(NamedTuple):
    """The subject of a participle; its referent is None where that is no person."""

    referent: Referent | None


def read_infinitives(reading: ClauseReader, at: int, infinitives: Sequence[str]) -> None:
    """Read the infinitives after a verb, each with its controller.

    je veux être libre, on m'a demandé d'être patient, pour me sentir prêt.
    """
    line = reading.line
    governor = Governor(infinitives, reading.group.clitics, reading.clause.referent)
    index = at
    while index < len(line) and not _begins_clause(line, index, reading.group.end):
        if line.is_infinitive(index):
            word = verb_table().infinitive_of(line[index])
            own = clitics_before(line, index)
            referent = _infinitive_controller(reading, governor, index)
            read_infinitive(reading, index, referent)
            governor = Governor((word,), own, referent)
        elif (line.is_determiner(index) and line.is_open(index + 1)) or line.is_capital(index):
            governor = governor._replace(noun_after=True)
        index += 1


def read_subject_infinitives(context: Context, clauses: Sequence[Clause]) -> None:
    """Read infinitives and gerunds whose subject is expressed elsewhere in the sentence.

    Être seul me fait peur; mon rêve est de devenir acteur; c'est en étant patient que j'ai …
    """
    for number, clause in enumerate(clauses):
        if clause.referent is not None and clause.group.kind != "noun":
            continue
        reading = ClauseReader(context, clause)
        before = clauses[number - 1].group.end if number else 0
        after = clauses[number + 1] if number + 1 < len(clauses) else None
        meant = reading.object_referent(clause.group.clitics) or _possessor_of_object(reading)
        if meant is not None and not reading.reflexive:
            _read_between(reading, before, clause.group.start, meant)
        if (
            owner := _possessor_of_subject(context, clause)
        ) is not None and "être" in clause.group.infinitives:
            _read_between(
                reading, clause.group.end, after.start if after else len(context.line), owner
            )
        if (
            after is not None
            and after.referent
            and context.line[clause.group.subject] in {"c'", "ce"}
        ):
            _read_between(reading, clause.group.end, after.start, after.referent)


def own_subject(context: Context, index: int) -> OwnSubject | None:
    """The subject of a present participle, where it has one: mon père étant malade."""
    line = context.line
    if line[index] not in verb_table().gerunds:
        return None
    before = min((index, *clitics_before(line, index))) - 1
    if line[before] in {"moi", "toi"}:
        return OwnSubject(context.tonic_referent(before))
    mention = subject_mention(context, before)
    return None if mention is None else OwnSubject(mention_referent(mention))


def read_absolute_participles(context: Context) -> None:
    """Read the present participles that have a subject of their own: ma mère étant sortie, …"""
    line = context.line
    for index in range(1, len(line)):
        if line[index] not in {"étant", "ayant"}:
            continue
        subject = own_subject(context, index)
        if subject is None or subject.referent is None:
            continue
        agreement = context.agreement(subject.referent, "said of the participle's subject")
        after = line.after_adverbs(index + 1)
        if line[index] == "étant":
            read_complement(line, index + 1, agreement)
        elif line[after] == "été":
            read_complement(line, after + 1, agreement)


def _read_between(reading: ClauseReader, start: int, end: int, referent: Referent) -> None:
    """Read each infinitive up to the end of the sentence, with that referent as its subject."""
    for index in range(start, end):
        if reading.line[index] in SENTENCE_ENDS:
            return
        if reading.line.is_infinitive(index):
            read_infinitive(reading, index, referent)


def _possessor_of_subject(context: Context, clause: Clause) -> Referent | None:
    """The possessor of the subject: mon rêve est de …"""
    word = context.line[clause.start]
    if word in {"mon", "ma", "mes"}:
        return context.speaker(clause.start)
    return context.listener(clause.start) if word in {"ton", "ta", "tes"} else None


def _possessor_of_object(reading: ClauseReader) -> Referent | None:
    """The speaker, if they possess the object: Être père a changé ma vie."""
    line, context = reading.line, reading.context
    for index in range(reading.group.end, min(reading.group.end + 4, len(line))):
        if line[index] in {"mon", "ma", "mes"}:
            return context.speaker(index)
    return None


def _begins_clause(line: Line, index: int, end: int) -> bool:
    """Whether another clause begins at the index."""
    word = line[index]
    if word in {"que", "qu'"} and line[index - 1] == "tant":  # en tant que
        return False
    if word in SENTENCE_ENDS or word in {"que", "qu'", "qui", "dont", "où", "»", '"', ":"}:
        return True
    if word in {"je", "j'", "tu", "il", "on", "ils"}:
        return True
    return index != end and word in _SURELY_FINITE


def _infinitive_controller(
    reading: ClauseReader, governor: Governor, index: int
) -> Referent | None:
    """The controller of an infinitive: the person understood as its subject."""
    line = reading.line
    first = min((index, *clitics_before(line, index)))
    before = line[first - 1]
    if before in _ADJUNCTS or line[first - 2] in {"avant", "lieu", "afin"}:
        return reading.clause.referent
    if line[index] in verb_table().gerunds:
        return reading.clause.referent
    obliged = verb_table().is_kind("object_control", governor.infinitives)
    reflexive = reading.reflexive and governor.clitics == reading.group.clitics
    referent = None if reflexive else reading.object_referent(governor.clitics)
    if referent is not None:
        bare = before not in {"de", "d'", "à"} and not obliged
        own = bare or not {"promettre", "jurer"}.isdisjoint(governor.infinitives)
        return governor.referent if own else referent
    others = any(line[each] in {"lui", "leur", "l'", "les", "nous"} for each in governor.clitics)
    if obliged and (governor.noun_after or others):
        return None
    return governor.referent


def read_infinitive(
    reading: ClauseReader, index: int, referent: Referent | None, *, sure: Confidence = "certain"
) -> None:
    """Read one infinitive whose subject is known."""
    line, known = reading.line, verb_table()
    word = known.infinitive_of(line[index])
    clitics = clitics_before(line, index)
    if own_subject(reading.context, index) is not None:
        return
    agreement = None
    if referent is not None:
        agreement = reading.context.agreement(referent, _INFINITIVE_RULE, sure)
    own = reading.object_referent(clitics)
    reflexive = any(line[each] in {"se", "s'"} for each in clitics) or (
        own is not None and own == referent and own.who != "others"
    )
    after = line.after_adverbs(index + 1)
    if word == "avoir" and reading.is_participle(after):
        _read_compound_infinitive(reading, after, clitics, agreement)
    elif own is not None and not reflexive:
        if known.is_kind("object_predicates", [word]):
            reading.read_object_complement(clitics, index + 1, [word])
    elif agreement is not None:
        _read_subject_agreement(reading, index, after, agreement, reflexive=reflexive)


def _read_subject_agreement(
    reading: ClauseReader, index: int, after: int, agreement: Agreement, *, reflexive: bool
) -> None:
    """Add what agrees with the subject of an infinitive."""
    line, known = reading.line, verb_table()
    word = known.infinitive_of(line[index])
    if reflexive:
        if word == "être":
            reading.read_reflexive_participle(after, agreement)
        elif known.is_kind("reflexive_copulas", [word]):
            read_object_predicate(line, index + 1, agreement, naming=False)
    elif known.is_kind("copulas", [word]):
        if line[index + 1] != "donné":  # étant donné
            read_complement(line, index + 1, agreement)
    elif known.is_kind("with_state", [word]):
        read_state(line, index + 1, agreement)


def _read_compound_infinitive(
    reading: ClauseReader, at: int, clitics: tuple[int, ...], agreement: Agreement | None
) -> None:
    """Add what agrees in a compound infinitive: avoir été choisi, m'avoir vu."""
    infinitives = participle_infinitives(reading.line[at])
    if verb_table().is_kind("copulas", infinitives):
        if agreement is not None:
            read_complement(reading.line, at + 1, agreement)
        return
    own = reading.object_agreement(clitics, "object before the participle")
    if own is not None and not reading.pronoun_is_indirect_object(at, infinitives, reflexive=False):
        reading.read_participles(at, own, infinitives)
