"""From each verb to the words that agree with its subject or its object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.french.antecedents import pronoun_party, relative_site
from epicene.languages.rewriting.french.inflection import inflect
from epicene.languages.rewriting.french.lexicon import read, verbs, words
from epicene.languages.rewriting.french.line import participle_of
from epicene.languages.rewriting.french.objects import is_dative
from epicene.languages.rewriting.french.phrases import read_phrase
from epicene.languages.rewriting.french.predicate import (
    complement,
    coordinated,
    object_predicate,
    state,
)
from epicene.languages.rewriting.french.scene import Party, Scene
from epicene.languages.rewriting.french.strength import states
from epicene.languages.rewriting.french.subjects import Clause, read_subject

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from epicene.languages.rewriting.french.sites import Bond, Site

_FOLLOWED = words(read("function_words")["followed"])


def read_clauses(scene: Scene) -> list[Clause]:
    """Read every verb of the text, from left to right."""
    from epicene.languages.rewriting.french.infinitives import read_infinitives

    clauses: list[Clause] = []
    for group in scene.groups:
        clause = read_subject(scene, group, clauses)
        clauses.append(clause)
        reading = Reading(scene, clause)
        end, governor = reading.read()
        read_infinitives(reading, end, governor)
    return clauses


class Reading:
    """One clause being read."""

    def __init__(self, scene: Scene, clause: Clause) -> None:
        self.scene = scene
        self.line = scene.line
        self.clause = clause
        self.group = clause.group
        self.reflexive = clause.group.is_reflexive(scene.line)

    # --- whom words agree with -----------------------------------------------------------------

    def of_subject(self, rule: str) -> Bond | None:
        """A bond with the subject."""
        party = self.clause.party
        return None if party is None else self.scene.bond(party, rule)

    def of_object(self, clitics: Iterable[int], rule: str) -> Bond | None:
        """A bond with whom the pronouns before a verb mean as its object."""
        party = self.object_party(clitics)
        return None if party is None else self.scene.bond(party, rule)

    def object_party(self, clitics: Iterable[int]) -> Party | None:
        """Whom me, te, le, la before a verb mean."""
        for index in clitics:
            word = self.line[index]
            if word in {"me", "m'", "moi"}:
                return self.scene.first(index)
            if word in {"te", "t'", "vous", "toi"}:
                return self.scene.second(index)
            if word in {"le", "la", "l'", "les"}:
                return self._third(index)
        return None

    def _third(self, index: int) -> Party | None:
        if self.line[index] == "l'" and self._is_about_what_was_said(index):
            return None
        party = pronoun_party(self.scene, index)
        if party is not None and self.line[index] in {"le", "la"}:
            self.scene.bond(party, "object pronoun", "likely").add(index, "pronoun")
        return party

    def _is_about_what_was_said(self, index: int) -> bool:
        """comme il l'a dit, il ne l'avait pas fait."""
        if self.line[self.group.start - 1] == "comme":
            return True
        after = self.line.after_adverbs(index + 2)
        return bool({"faire", "dire", "savoir", "découvrir"} & set(participle_of(self.line[after])))

    # --- the verb ------------------------------------------------------------------------------

    def read(self) -> tuple[int, Sequence[str]]:
        """Add what agrees with this verb's subject or object; where it ends, and what it is."""
        names = self.group.infinitives
        after = self.line.after_adverbs(self.group.end)
        if self.line[after] == "le" and self.line[after + 1] in {"plus", "moins", "mieux"}:
            after += 2  # ce qui m'a le plus surpris
        if "avoir" in names and self.is_participle(after):
            self._compound(after)
            return after + 1, participle_of(self.line[after])
        if "avoir" in names:
            self._seems(after)
        if "être" in names and not self._follows(after):
            self._being(after)
        else:
            self._full_verb(after, names)
        return self.group.end, names

    def _seems(self, at: int) -> None:
        """j'ai l'air fatiguée: the adjective may agree with either; we let it with the subject."""
        bond = self.of_subject("avoir l'air")
        if bond is not None and tuple(self.line.words[at : at + 2]) == ("l'", "air"):
            complement(self.line, at + 2, bond.by(bond.rule, "guess"), nouns=False)

    def _full_verb(self, after: int, names: Sequence[str]) -> None:
        """Neither être nor an auxiliary."""
        known = verbs()
        party = self.object_party(self.group.clitics)
        if known.is_kind("copulas", names):
            self._subject_is(self.group.end, "what a copula says of them")
        elif self.reflexive and known.is_kind("reflexive_copulas", names):
            if bond := self.of_subject("what a reflexive verb says of them"):
                object_predicate(self.line, self.group.end, bond, naming=False)
        elif party is not None and known.is_kind("object_predicates", names):
            self.object_is(self.group.clitics, self.group.end, names)
        elif "passer" in names and self.line[after] == "pour":
            self._subject_is(after + 1, "what somebody passes for")
        elif "passer" in names:
            self._passes(after)
        elif known.is_kind("with_state", names) and (
            own := self.of_subject("state of the subject")
        ):
            state(self.line, self.group.end, own)

    def _passes(self, at: int) -> None:
        """j'ai passé la soirée assis dans un coin."""
        phrase = read_phrase(self.line, at) if self.line.is_determiner(at) else None
        if phrase is not None and (bond := self.of_subject("state of the subject")):
            for index in (*phrase.adjectives, phrase.end):
                if inflect(self.line[index], "masculine") in states():
                    bond.add(index, "adjective", "likely")

    def is_participle(self, at: int) -> bool:
        """Whether a participle follows an auxiliary there, known or by its shape."""
        word = self.line[at]
        if participle_of(word):
            return not self.line.is_determiner(at)
        return self.line.is_open(at) and word.rstrip("es").endswith(("é", "i", "u", "ï"))

    def _follows(self, after: int) -> bool:
        """Whether "suis" is of suivre: je suis un cours."""
        if self.line[self.group.verb] != "suis" or not self.line.is_determiner(after):
            return False
        return self.line[after + 1] in _FOLLOWED or self.line[after + 2] in _FOLLOWED

    def _subject_is(self, at: int, rule: str) -> None:
        if bond := self.of_subject(rule):
            complement(self.line, at, bond)

    def _being(self, after: int) -> None:
        """After a form of être: an auxiliary or a copula."""
        if not self.reflexive:
            self._subject_is(self.group.end, "said of the subject with être")
        elif bond := self.of_subject("reflexive pronoun before the participle"):
            self.reflexive_participle(after, bond)

    def reflexive_participle(self, at: int, bond: Bond) -> None:
        """je me suis levé: the participle agrees if the pronoun is the object."""
        infinitives = participle_of(self.line[at])
        if infinitives and not self.is_dative(at, infinitives, reflexive=True):
            self.participles(at, bond, infinitives, reflexive=True)

    def is_dative(self, at: int, infinitives: Sequence[str], *, reflexive: bool) -> bool:
        """Whether the pronoun before the participle is not its object."""
        return is_dative(self.line, self.group.verb, at, infinitives, reflexive=reflexive)

    def participles(
        self, at: int, bond: Bond, infinitives: Sequence[str], *, reflexive: bool = False
    ) -> None:
        """One participle, what it says of somebody, and those joined to it."""
        known = verbs()
        bond.add(at, "adjective")
        rule = bond.by("what the participle says of them")
        end = at + 1
        if self.line[end] == "comme" or known.is_kind(
            "reflexive_copulas" if reflexive else "object_predicates", infinitives
        ):
            naming = known.is_kind("naming", infinitives)
            end = max(end, object_predicate(self.line, end, rule, naming=naming))
        else:
            end = max(end, state(self.line, end, rule))
        # je l'ai reçu en pyjama, à moitié endormi: after a comma it is the subject
        coordinated(self.line, end, bond.by(bond.rule, "likely"), commas=reflexive)

    def _compound(self, at: int) -> None:
        """After a form of avoir: j'ai été, on m'a vu, j'ai vécu seul."""
        known = verbs()
        infinitives = participle_of(self.line[at])
        if known.is_kind("copulas", infinitives):
            self._subject_is(at + 1, "said of the subject with être")
        elif bond := self.of_object(self.group.clitics, "object before the participle"):
            if not self.is_dative(at, infinitives, reflexive=False):
                self.participles(at, bond, infinitives)
        elif site := self._relative_object():
            party = Party(site.who, site.plural)
            rule = "the relative pronoun before the participle"
            self.participles(at, self.scene.bond(party, rule), infinitives)
        elif "avoir" in infinitives:
            self._seems(at + 1)
        elif "passer" in infinitives:
            self._passes(at + 1)
        elif (own := self.of_subject("state of the subject")) and known.is_kind(
            "with_state", infinitives
        ):
            state(self.line, at + 1, own)

    def _relative_object(self) -> Site | None:
        """The antecedent of "que", if it is somebody: celle que le jury a recalée."""
        if any(self.line[index] not in {"ne", "n'", "y", "en"} for index in self.group.clitics):
            return None
        start = min(self.group.start, self.clause.start)
        for index in range(start - 1, max(start - 6, 0), -1):
            word = self.line[index]
            if word in {"que", "qu'"}:
                site = relative_site(self.scene, index - 1)
                return site if site and site.kind in {"noun", "pronoun"} else None
            if not self.line.is_word(index) or word in {"qui", "dont", "où"}:
                return None
        return None

    def object_is(self, clitics: Iterable[int], at: int, infinitives: Iterable[str]) -> None:
        """cela me rend heureux."""
        bond = self.of_object(clitics, "what the verb says of its object")
        if bond is not None:
            naming = verbs().is_kind("naming", infinitives)
            object_predicate(self.line, at, bond, naming=naming)
