"""From each verb to the words that agree with its subject or its object."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from epicene.languages.rewriting.french.groups import Group, groups
from epicene.languages.rewriting.french.inflection import shows_noun
from epicene.languages.rewriting.french.lexicon import read, verbs, words
from epicene.languages.rewriting.french.line import STOPS, Line, is_adjective, participle_of
from epicene.languages.rewriting.french.predicate import (
    complement,
    coordinated,
    object_predicate,
    state,
)
from epicene.languages.rewriting.french.sites import Bond, Site, Sites
from epicene.languages.rewriting.french.voices import Voice
from epicene.languages.rewriting.people import Person

_COMPOUND = frozenset({"faire", "rendre", "mettre", "prendre", "donner"})
_TIME = words(read("function_words")["time_nouns"])
_FOLLOWED = words(read("function_words")["followed"])


class Clause(NamedTuple):
    """A verb with whom its subject means."""

    group: Group
    who: Person | None
    plural: bool
    named: bool  # whether a pronoun or a noun of its own names the subject


def read_clauses(line: Line, voices: list[Voice], sites: Sites) -> list[Clause]:
    """Read every verb of the text, from left to right."""
    clauses: list[Clause] = []
    for group in groups(line):
        clause = _clause(line, voices, sites, group, clauses)
        clauses.append(clause)
        Reading(line, voices, sites, clause).read()
    return clauses


def _clause(
    line: Line, voices: list[Voice], sites: Sites, group: Group, before: list[Clause]
) -> Clause:
    voice = voices[group.verb]
    word = line[group.subject]
    if group.kind == "pronoun":
        if word in {"il", "elle"} and (site := _nested(line, sites, group, before)):
            sites.add(site)
            return Clause(group, site.who, plural=False, named=True)
        who = _pronoun(word, voice)
        return Clause(group, who, group.person.endswith("p") and word != "vous", named=True)
    if group.kind == "order":
        second = group.person in {"2s", "2p"} or line[group.verb] in {"sois", "soyez", "reste"}
        return Clause(group, voice.second if second else None, plural=False, named=False)
    if group.kind == "same" and before:
        return _same(line, voice, group, before)
    if group.kind == "relative":
        return _relative(line, voice, sites, group)
    return Clause(group, None, group.person.endswith("p"), named=group.kind == "noun")


def _nested(line: Line, sites: Sites, group: Group, before: list[Clause]) -> Site | None:
    """je suis un homme qui sait ce qu'il veut: the pronoun means whom the noun means."""
    if not before or before[-1].group.kind != "relative" or before[-1].who is None:
        return None
    if line[group.subject - 1] not in {"qu'", "que", "dont", "où", "quand", "lorsqu'", "s'", "si"}:
        return None
    site = antecedent(line, sites, before[-1].group.subject - 1)
    if site is None or site.kind != "noun" or site.plural:
        return None
    gender = shows_noun(line[site.index])
    if gender != ("masculine" if line[group.subject] == "il" else "feminine"):
        return None
    return site._replace(index=group.subject, kind="pronoun", rule="the noun's pronoun", sure="likely")


def _pronoun(word: str, voice: Voice) -> Person | None:
    if word in {"je", "j'", "me"}:
        return voice.first
    if word in {"tu", "vous", "te"}:
        return voice.second
    return None


def _same(line: Line, voice: Voice, group: Group, before: list[Clause]) -> Clause:
    """je suis tombé et me suis relevé: the subject of the last verb of that person."""
    persons = {form.person for form in verbs().forms(line[group.verb])}
    for clause in reversed(before):
        if clause.named and clause.group.person in persons:
            kept = group._replace(person=clause.group.person)
            return Clause(kept, clause.who, clause.plural, named=False)
    if persons & {"2s", "2p"} and line[group.verb] in {"sois", "soyez", "reste", "restez"}:
        return Clause(group, voice.second, plural=False, named=False)
    return Clause(group, None, plural=False, named=False)


def _relative(line: Line, voice: Voice, sites: Sites, group: Group) -> Clause:
    """moi qui suis, celui qui est: whoever the word before "qui" means."""
    at = group.subject - 1
    apart = line[at] == ","
    if apart:
        at -= 1
    if line[at] in {"moi", "toi"}:
        who = voice.first if line[at] == "moi" else voice.second
        person = "1s" if line[at] == "moi" else "2s"
        return Clause(group._replace(person=person), who, plural=False, named=True)
    site = antecedent(line, sites, at, apart=apart)
    if site is None:
        return Clause(group, None, group.person.endswith("p"), named=True)
    return Clause(group, site.who, site.plural, named=True)


def antecedent(line: Line, sites: Sites, at: int, *, apart: bool = False) -> Site | None:
    """The site that a relative clause after that word is about."""
    if line[at] in {"et", "ou", "mais"}:  # celui que tu cherches et qui est revenu
        return next((found for near in range(at - 1, max(at - 12, -1), -1)
                     if (found := sites.get(near)) and found.kind == "pronoun"), None)
    if (site := sites.get(at)) is not None:
        return site
    if apart:
        return None
    for near in range(at - 1, max(at - 4, -1), -1):  # un homme de trente ans qui …
        if line[near] in {"de", "d'", "du", "à", "en"}:
            return sites.get(near - 1)
    return None


class Reading:
    """One clause being read."""

    def __init__(self, line: Line, voices: list[Voice], sites: Sites, clause: Clause) -> None:
        self.line = line
        self.voice = voices[clause.group.verb]
        self.sites = sites
        self.clause = clause
        self.group = clause.group
        self.reflexive = clause.group.is_reflexive(line)

    # --- whom words agree with -----------------------------------------------------------------

    def of_subject(self, rule: str) -> Bond | None:
        """A bond with the subject."""
        if self.clause.who is None:
            return None
        return Bond(self.sites, self.clause.who, rule, plural=self.clause.plural)

    def of_object(self, clitics: Iterable[int], rule: str) -> Bond | None:
        """A bond with the first or second person among the pronouns before a verb."""
        who = self.object_person(clitics)
        return None if who is None else Bond(self.sites, who, rule)

    def object_person(self, clitics: Iterable[int]) -> Person | None:
        """Whom "me" or "te" before a verb means."""
        for index in clitics:
            if self.line[index] in {"me", "m'", "moi"}:
                return self.voice.first
            if self.line[index] in {"te", "t'", "vous", "toi"}:
                return self.voice.second
        return None

    # --- the verb ------------------------------------------------------------------------------

    def read(self) -> None:
        """Add every word that agrees with the subject or the object of this verb."""
        names = self.group.infinitives
        after = self.line.after_adverbs(self.group.end)
        if "avoir" in names and self._is_participle(after):
            self._compound(after)
            return
        if "être" in names and not self._follows(after):
            self._being(after)
        else:
            self._full_verb(after, names)
        self._infinitives(self.group.end, names, self.group.clitics)

    def _full_verb(self, after: int, names: tuple[str, ...]) -> None:
        """Neither être nor an auxiliary."""
        known = verbs()
        if known.is_kind("copulas", names):
            self._subject_is(self.group.end, "what a copula says of them")
        elif self.reflexive and known.is_kind("reflexive_copulas", names):
            if bond := self.of_subject("what a reflexive verb says of them"):
                object_predicate(self.line, self.group.end, bond, naming=False)
        elif self.object_person(self.group.clitics) and known.is_kind("object_predicates", names):
            self._object_is(self.group.clitics, self.group.end, names)
        elif "passer" in names and self.line[after] == "pour":
            self._subject_is(after + 1, "what somebody passes for")
        elif known.is_kind("with_state", names) and (bond := self.of_subject("state of the subject")):
            state(self.line, self.group.end, bond)

    def _is_participle(self, at: int) -> bool:
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
        if self.reflexive:
            if participle_of(self.line[after]):
                self._reflexive_participle(after)
            return
        self._subject_is(self.group.end, "said of the subject with être")

    def _reflexive_participle(self, at: int) -> None:
        """je me suis levé: the participle agrees if the pronoun is the object."""
        bond = self.of_subject("reflexive pronoun before the participle")
        infinitives = participle_of(self.line[at])
        if bond is None:
            return
        if self._is_dative(at, infinitives, reflexive=True):
            return
        self._participles(at, bond, infinitives, reflexive=True)

    def _participles(
        self, at: int, bond: Bond, infinitives: list[str], *, reflexive: bool = False
    ) -> None:
        known = verbs()
        bond.add(at, "adjective")
        rule = bond.by("what the participle says of them")
        end = at + 1
        if known.is_kind("reflexive_copulas" if reflexive else "object_predicates", infinitives):
            naming = known.is_kind("naming", infinitives)
            end = max(end, object_predicate(self.line, end, rule, naming=naming))
        else:
            end = max(end, state(self.line, end, rule))
        coordinated(self.line, end, bond.by(bond.rule, "likely"))

    def _compound(self, at: int) -> None:
        """After a form of avoir: j'ai été, on m'a vu, j'ai vécu seul."""
        known = verbs()
        infinitives = participle_of(self.line[at])
        if known.is_kind("copulas", infinitives):
            self._subject_is(at + 1, "said of the subject with être")
        elif bond := self.of_object(self.group.clitics, "object before the participle"):
            if not self._is_dative(at, infinitives, reflexive=False):
                self._participles(at, bond, infinitives)
        elif site := self._relative_object():
            own = Bond(self.sites, site.who, "the relative pronoun before the participle", site.plural)
            self._participles(at, own, infinitives)
        elif known.is_kind("with_state", infinitives):
            if own := self.of_subject("state of the subject"):
                state(self.line, at + 1, own)
        self._infinitives(at + 1, tuple(infinitives), self.group.clitics)

    def _relative_object(self) -> Site | None:
        """The antecedent of "que", if it is somebody: celle que le jury a recalée."""
        if any(self.line[index] not in {"ne", "n'", "y", "en"} for index in self.group.clitics):
            return None
        for index in range(self.group.start - 1, max(self.group.start - 6, 0), -1):
            word = self.line[index]
            if word in {"que", "qu'"}:
                site = antecedent(self.line, self.sites, index - 1)
                return site if site and site.kind in {"noun", "pronoun"} else None
            if not self.line.is_word(index) or word in {"qui", "dont", "où"}:
                return None
        return None

    # --- is the pronoun the object? --------------------------------------------------------------

    def _is_dative(self, at: int, infinitives: list[str], *, reflexive: bool) -> bool:
        """Whether the pronoun is "à qui", so that the participle does not agree."""
        known = verbs()
        after = self.line.after_adverbs(at + 1)
        word = self.line[after]
        if known.is_kind("unmoved_before_infinitive", infinitives) and self._infinitive_at(after):
            return True
        if reflexive and self.line[at] in {"rendu", "rendue"} and word == "compte":
            return True
        if "demander" in infinitives and word == "en":
            return False
        if known.is_kind("dative", infinitives):
            return True
        if not reflexive and known.is_kind("dative_but_reflexive", infinitives):
            return True
        if known.is_kind("unmoved_before_infinitive", infinitives) and word in {"mal", "peur", "plaisir"}:
            return True
        if reflexive and "voir" in infinitives and self._infinitive_at(after):
            return True
        if reflexive and "vouloir" in infinitives:  # je m'en suis voulu
            return True
        if {"rien", "tout"} & set(self.line.words[self.group.verb : at]):  # on m'a tout pris
            return True
        return self._has_object(after, infinitives, reflexive=reflexive)

    def _infinitive_at(self, at: int) -> bool:
        while self.line[at] in self.line.closed.clitics:
            at += 1
        return self.line[at] in verbs().infinitives

    def _has_object(self, at: int, infinitives: list[str], *, reflexive: bool) -> bool:
        """Whether something else follows that is the object: je me suis cassé la jambe."""
        known = verbs()
        word = self.line[at]
        if word in {"que", "qu'"}:
            direct = "reflexive_with_that" if reflexive else "direct_with_that"
            return not known.is_kind(direct, infinitives) and not self._compares(at)
        if word == ":":
            return known.is_kind("speech", infinitives)
        if word in {"pourquoi", "quelque", "quelqu'un"}:
            return True
        if word in {"de", "d'"} and {"défendre", "proposer"} & set(infinitives):
            return self._infinitive_at(at + 1)
        if not self.line.is_determiner(at):
            return False
        if word in {"tout", "toute"} and is_adjective(self.line[at + 1]):
            return False
        if any(self.line[index] in _TIME for index in range(at + 1, at + 4)):
            return False
        if word in {"des", "du"} and not known.is_kind("some_of_a_thing", infinitives):
            return False
        if known.is_kind("naming", infinitives):
            return False
        return not self._ranked(at)

    def _compares(self, at: int) -> bool:
        """on m'a plus aimé que compris; tellement bouleversé que …"""
        before = {self.line[index] for index in range(max(0, at - 5), at)}
        return bool(before & {"plus", "moins", "aussi", "autant", "tellement", "si", "tant"})

    def _ranked(self, at: int) -> bool:
        """le premier, la dernière: no object but how one was."""
        ranks = {"premier", "première", "dernier", "dernière", "seul", "seule"}
        return self.line[at + 1] in ranks and not self.line.is_open(at + 2)

    # --- somebody made or thought to be something --------------------------------------------------

    def _object_is(self, clitics: Iterable[int], at: int, infinitives: Iterable[str]) -> None:
        bond = self.of_object(clitics, "what the verb says of its object")
        if bond is not None:
            naming = verbs().is_kind("naming", infinitives)
            object_predicate(self.line, at, bond, naming=naming)

    # --- infinitives ---------------------------------------------------------------------------

    def _infinitives(self, at: int, governor: tuple[str, ...], clitics: tuple[int, ...]) -> None:
        """je veux être libre, on m'a demandé d'être patient, pour me sentir prêt."""
        who = self.clause.who
        index = at
        noun_between = False
        while index < len(self.line) and not self._leaves(index):
            word = verbs().infinitive_of(self.line[index])
            if word and not self.line.is_determiner(index - 1):
                own = tuple(self._clitics_before(index))
                subject = self._controller(who, governor, clitics, index, noun_between)
                self._infinitive(index, own, subject)
                governor, clitics, noun_between = (word,), own, False
                who = subject
            elif self.line.is_determiner(index) and self.line.is_open(index + 1):
                noun_between = True
            elif self.line.is_capital(index):
                noun_between = True
            index += 1

    def _leaves(self, index: int) -> bool:
        """Whether another clause begins there."""
        word = self.line[index]
        if word in STOPS or word in {"que", "qu'", "qui", "dont", "où", "»", '"', ";", ":"}:
            return True
        if word in {"je", "j'", "tu", "il", "on", "ils"}:
            return True
        if index == self.group.end or not verbs().forms(word):
            return False
        return word in {"est", "était", "sont", "étaient", "sera", "serait", "a", "avait", "ont"} and (
            self.line[index - 1] not in {"d'", "de", "à"}
        )

    def _controller(
        self,
        who: Person | None,
        governor: tuple[str, ...],
        clitics: tuple[int, ...],
        index: int,
        noun_between: bool,
    ) -> Person | None:
        """Who is or does what the infinitive says."""
        first = index
        while self.line[first - 1] in self.line.closed.clitics:
            first -= 1
        before = self.line[first - 1]
        if before in {"pour", "sans", "après"} or self.line[first - 2] in {"avant", "lieu", "afin"}:
            return self.clause.who
        others = {"lui", "leur", "le", "la", "l'", "les", "nous"}
        obliged = verbs().is_kind("object_control", governor)
        if (person := self.object_person(clitics)) is not None and not self.reflexive:
            bare = before not in {"de", "d'", "à"} and not obliged
            return who if bare or set(governor) & {"promettre", "jurer"} else person
        if obliged and (noun_between or any(self.line[each] in others for each in clitics)):
            return None
        return who

    def infinitive_before(self, index: int, who: Person | None) -> None:
        """An infinitive that stands before the clause and has its subject."""
        self._infinitive(index, tuple(self._clitics_before(index)), who)

    def _clitics_before(self, index: int) -> Iterable[int]:
        first = index
        while self.line[first - 1] in self.line.closed.clitics and first > 0:
            first -= 1
        return range(first, index)

    def _infinitive(self, index: int, clitics: tuple[int, ...], who: Person | None) -> None:
        known = verbs()
        word = known.infinitive_of(self.line[index])
        bond = None if who is None else Bond(self.sites, who, "said of who is meant with the infinitive")
        own = self.object_person(clitics)
        reflexive = own is not None and own == who
        after = self.line.after_adverbs(index + 1)
        if word == "être" and reflexive and bond:
            infinitives = participle_of(self.line[after])
            if infinitives and not self._is_dative(after, infinitives, reflexive=True):
                self._participles(after, bond, infinitives, reflexive=True)
        elif known.is_kind("copulas", [word]) and bond:
            if self.line[index + 1] != "donné":  # étant donné
                complement(self.line, index + 1, bond)
        elif word == "avoir" and self._is_participle(after):
            self._compound_infinitive(after, clitics, bond)
        elif reflexive and known.is_kind("reflexive_copulas", [word]) and bond:
            object_predicate(self.line, index + 1, bond, naming=False)
        elif own is not None and not reflexive and known.is_kind("object_predicates", [word]):
            self._object_is(clitics, index + 1, [word])
        elif known.is_kind("with_state", [word]) and bond:
            state(self.line, index + 1, bond)

    def _compound_infinitive(self, at: int, clitics: tuple[int, ...], bond: Bond | None) -> None:
        """avoir été choisi, m'avoir vu."""
        infinitives = participle_of(self.line[at])
        if verbs().is_kind("copulas", infinitives):
            if bond is not None:
                complement(self.line, at + 1, bond)
            return
        own = self.of_object(clitics, "object before the participle")
        if own is not None and not self._is_dative(at, infinitives, reflexive=False):
            self._participles(at, own, infinitives)

