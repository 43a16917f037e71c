"""The words that agree with the subject or the object of each verb, finite or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.french.antecedents import (
    mention_referent,
    pronoun_referent,
    relative_antecedent,
    subject_mention,
)
from epicene.rewriting.french.context import Context, Referent
from epicene.rewriting.french.inflection import inflect, is_plural
from epicene.rewriting.french.lexicon import verb_table, word_list
from epicene.rewriting.french.line import (
    TEMPORARY_STATES,
    is_adjective,
    participle_infinitives,
)
from epicene.rewriting.french.phrases import read_phrase
from epicene.rewriting.french.predicates import (
    plays_part,
    read_complement,
    read_coordinated,
    read_object_predicate,
    read_part_played,
    read_state,
)
from epicene.rewriting.french.verb_groups import (
    infinitive_follows,
    pronoun_is_indirect_object,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from epicene.rewriting.french.sites import Agreement
    from epicene.rewriting.french.subjects import Clause

POSTURES = word_list("function_words", "postures")
_DATIVES = frozenset("me m' te t' lui leur nous vous".split())
# je ne l'ai pas regretté
_CLAUSAL_OBJECTS = word_list("function_words", "clausal_objects")
_OBJECTS_OF_SUIVRE = word_list("function_words", "followed")


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
        direct = [index for index in clitics if self.line[index] in {"le", "la", "les"}]
        for index in direct or clitics:  # je vous le présente
            word = self.line[index]
            if word in {"me", "m'", "moi"}:
                return self.context.speaker(index)
            if word in {"te", "t'", "vous", "toi"}:
                return self.context.listener(index)
            if word in {"le", "la", "l'", "les"}:
                return self._read_third_person_object(index)
        return None

    def _object_kind(self, index: int, kind: str) -> bool:
        """Whether the verb of that clitic has such an object: le lire, la réparer; le remercier."""
        at = index + 1
        while self.line[at] in self.line.closed.clitics:
            at += 1
        if self.line.is_enclitic(index):  # dis-le-moi
            at = index - 2
        found = [form.infinitive for form in verb_table().forms(self.line[at])]
        if "avoir" in found or self.line[at] == "avoir":
            at = self.line.after_adverbs(at + 1)
            found = participle_infinitives(self.line[at])
        if infinitive_follows(self.line, at + 1):  # je le fais venir; je l'ai vu pleurer
            seen = {"voir", "entendre", "regarder", "écouter"} & {*found, self.line[at]}
            return (
                bool(seen)
                and kind == "with_people"
                and verb_table().is_kind("by_people", [self.line[at + 1]])
            )
        return verb_table().is_kind(kind, [*found, self.line[at]])

    def _read_third_person_object(self, index: int) -> Referent | None:
        if self.line[index] == "l'" and self._refers_to_proposition(index):
            return None
        if self.line[index + 1] in {"lui", "leur"}:  # je la lui ai promise
            return None
        if "être" in self.group.infinitives and index in self.group.clitics:  # ils le sont
            return None
        if self._object_kind(index, "with_things") and not (
            {"dire", "savoir"} & set(self.group.infinitives)
            and is_adjective(self.line[self.line.after_adverbs(self.group.end)])
        ):
            return None
        referent = pronoun_referent(self.context, index)
        if referent is None and self._object_kind(index, "with_people"):
            referent = Referent("others", plural=self.line[index] == "les")
        if referent is not None and self.line[index] in {"le", "la"}:
            self.context.agreement(referent, "object pronoun", "likely").add(index, "pronoun")
        return referent

    def _refers_to_proposition(self, index: int) -> bool:
        """Whether "l'" stands for a proposition: comme il l'a dit, il ne l'avait pas fait."""
        if self.line[self.group.start - 1] == "comme":
            return True
        word = self.line[self.line.after_adverbs(index + 2)]
        infinitives = set(participle_infinitives(word))
        if {"faire", "dire", "savoir", "découvrir"} & infinitives:
            return True
        return not word.endswith("e") and not _CLAUSAL_OBJECTS.isdisjoint(infinitives)

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
            by_subject = referent is None or self.reflexive  # not: ils me font passer pour un fou
            agreement = self.subject_agreement("a part played") if by_subject else None
            if agreement is None and referent is not None and self.line[after] == "passer":
                agreement = self.context.agreement(referent, "a part played")
            if agreement is not None:
                read_part_played(self.line, after, agreement)
        elif self.reflexive and known.is_kind("reflexive_copulas", names):
            if agreement := self.subject_agreement("what a reflexive verb says of them"):
                read_object_predicate(self.line, self.group.end, agreement, naming=False)
        elif referent is not None and known.is_kind("object_predicates", names):
            self.read_object_complement(self.group.clitics, self.group.end, names)
        elif known.is_kind("object_predicates", names) and (
            whom := self._relative_object(self.group.start)
        ):
            agreement = self.context.agreement(whom, "what is said of the antecedent")
            read_object_predicate(self.line, self.group.end, agreement, naming=False)
        elif "passer" in names and self.line[after] == "pour":
            self._read_subject_complement(after + 1, "what somebody passes for")
        elif known.is_kind("with_place_and_state", names):
            self._read_state_after_passer(after)

        elif (
            known.is_kind("with_state", names)
            or inflect(self.line[after], "masculine") in POSTURES  # je lis allongé
        ) and (own := self.subject_agreement("state of the subject")):
            read_state(self.line, self.group.end, own)

    def _read_state_after_passer(self, at: int) -> None:
        """Add the state of the subject after a time or place: j'ai passé la soirée assis."""
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
            before = self.group.start - 2
            if self.line[before + 1] == "comme" and not self.line.is_word(self.group.end):
                agreement = self.subject_agreement("said of the subject with être")
                if agreement is not None and is_adjective(self.line[before]):
                    agreement.add(before, "adjective")  # fatigué comme je suis
        elif any(self.line[index] in {"le", "la", "l'", "les"} for index in self.group.clitics):
            return  # je me la suis offerte: it agrees with the thing
        elif self.line[self.group.start - 1] in {"que", "qu'"} and verb_table().is_kind(
            "for_oneself", participle_infinitives(self.line[after])
        ):
            return  # la veste que je me suis achetée
        elif agreement := self.subject_agreement("reflexive pronoun before the participle"):
            self.read_reflexive_participle(after, agreement)

    def read_reflexive_participle(self, at: int, agreement: Agreement) -> None:
        """Add the participle if the reflexive pronoun is its direct object: je me suis levé."""
        infinitives = participle_infinitives(self.line[at])
        if is_plural(self.line[at]) and not agreement.plural:
            return  # les photos que je me suis envoyées
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
        commas = reflexive or self.line[self.group.subject] == "on"  # qu'on a trouvé là, endormi
        read_coordinated(self.line, end, agreement.by(agreement.rule, "likely"), commas=commas)

    def _read_after_avoir(self, at: int) -> None:
        """Add what agrees in a compound tense with avoir: j'ai été, on m'a vu, j'ai vécu seul."""
        known = verb_table()
        infinitives = participle_infinitives(self.line[at])
        if known.is_kind("copulas", infinitives):
            self._read_subject_complement(at + 1, "said of the subject with être")
        elif self._is_given(at) and (referent := self._relative_object(at)):
            rule = "the relative pronoun before the participle"
            self.read_participles(at, self.context.agreement(referent, rule), infinitives)
        elif agreement := self.object_agreement(self.group.clitics, "object before the participle"):
            if not self.pronoun_is_indirect_object(at, infinitives, reflexive=False):
                self.read_participles(at, agreement, infinitives)
        elif referent := self._relative_object(at):
            rule = "the relative pronoun before the participle"
            self.read_participles(at, self.context.agreement(referent, rule), infinitives)
        elif "avoir" in infinitives:
            self._read_avoir_l_air(at + 1)
        elif known.is_kind("with_place_and_state", infinitives):
            self._read_state_after_passer(at + 1)
        elif (own := self.subject_agreement("state of the subject")) and known.is_kind(
            "with_state", infinitives
        ):
            read_state(self.line, at + 1, own)

    def _is_given(self, at: int) -> bool:
        """Whether somebody may be presented to somebody: celle que vous m'avez recommandée."""
        return bool(self.group.clitics) and verb_table().is_kind(
            "given_to_somebody", participle_infinitives(self.line[at])
        )

    def _antecedent_of_que(self, index: int) -> Referent | None:
        before = self.line[index - 1]
        if before in {"lui", "elle"} and self.line[index - 2] in {"est", "était"}:
            return Referent("others")  # c'est lui que j'ai vu
        if before in {"toi", "vous", "moi"}:
            referent = self.context.speaker if before == "moi" else self.context.listener
            return referent(index)
        if before == ",":
            apart = subject_mention(self.context, index - 2)
            return None if apart is None else mention_referent(apart)
        site = relative_antecedent(self.context, index - 1)
        if site is not None:
            noun = site.target.kind in {"noun", "pronoun"}
            return Referent(site.who, site.target.plural) if noun else None
        mention = self.context.mention_ending(index)
        return None if mention is None or mention.phrase is None else mention_referent(mention)

    def _relative_object(self, at: int) -> Referent | None:
        """The antecedent of "que", if it is a person: celle que le jury a recalée."""
        if infinitive_follows(self.line, at + 1) and verb_table().is_kind(
            "unmoved_before_infinitive", participle_infinitives(self.line[at])
        ):
            return None  # celle que j'ai fait venir
        words = {self.line[index] for index in self.group.clitics} - {"ne", "n'", "y", "en"}
        if words and not (self._is_given(at) and words <= _DATIVES):
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
