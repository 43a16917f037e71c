"""The words of a text as what may be said of somebody: phrases, adjectives, adverbs before them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.romance.clauses import Clauses, Referent, Verb
from epicene.rewriting.romance.phrases import PARTICIPLES
from epicene.rewriting.sites import Site, Sites, less_sure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.rewriting import Confidence
    from epicene.rewriting.persons import Gender, Person, TargetGenders
    from epicene.rewriting.quotations import Passage
    from epicene.rewriting.romance.lexicon import Form, Lexicon
    from epicene.rewriting.romance.line import Line
    from epicene.rewriting.romance.phrases import Phrase


class Target(NamedTuple):
    """A word's forms, and whether it stands before its noun, as *buen* and *primer* do."""

    form: Form
    leading: bool = False


Found = Sites[Target]


class Read(NamedTuple):
    """What is read as a predicate: its words, and where it ends."""

    words: tuple[tuple[int, Target], ...]
    end: int
    phrase: Phrase | None = None


class Readings:
    """Reads predicates, and keeps the sites found."""

    def __init__(
        self,
        passage: Passage[Line],
        wanted: TargetGenders,
        lexicon: Lexicon,
        *,
        generic_plurals: bool = False,
    ) -> None:
        self.wanted = wanted
        self.generic_plurals = generic_plurals
        self.lexicon = lexicon
        self.line = passage.line
        self.clauses = Clauses(passage, lexicon)
        self.sites: Found = Sites(keep_surest=False)
        self.starts = {each.start: each for each in self.clauses.phrases}
        self.claimed: set[int] = set()  # words that belong to somebody, or to a thing
        self.owners: dict[int, Person] = {}  # to whom they belong
        self.blocked = {
            at
            for phrase in self.clauses.phrases
            if phrase.kind == "thing"
            for at in range(phrase.start, phrase.end)
        }
        self.perfects = self._perfects()
        self.blocked |= self.perfects

    def _perfects(self) -> set[int]:
        """Participles of a perfect, which do not agree: *he leído y aceptado*."""
        found = set()
        for verb in self.clauses.verbs:
            if verb.form.infinitive in self.lexicon["perfect_auxiliaries"]:
                at = self._after_adverbs(verb.at + 1)
                if self.line[at].endswith("o"):
                    found.add(at)
                while at in found or self._is_participle(at):
                    found.add(at)
                    if self.line[at + 1] not in self.lexicon["joiners"]:
                        break
                    after = self._after_adverbs(at + 2)
                    if self.line[at + 1] == "," and (
                        after > at + 2
                        or (
                            self.lexicon.is_state(self.line[after])
                            and self.line[after + 1] not in self.lexicon["and"]
                        )
                    ):
                        break  # ho risposto, un po' seccato
                    at = after
        return found

    def _is_participle(self, at: int) -> bool:
        """Whether the word may be a participle that does not agree."""
        form = self.lexicon.adjective(self.line[at])
        if form is not None:
            return form.gender == "masculine" and not form.plural
        known = self.lexicon.verb(self.line[at])
        return known is not None and known.mood == "participle"

    def _add(
        self,
        words: Sequence[tuple[int, Target]],
        who: Referent,
        rule: str,
        sure: Confidence = "certain",
    ) -> None:
        if who.who is None:
            return
        self.claimed.update(at for at, _ in words)
        self.owners = {at: who.who for at, _ in words} | self.owners
        if who.who not in self.wanted:
            return
        for at, target in words:
            if target.form.masculine != target.form.feminine:
                self.sites.add(Site(at, who.who, target, rule, less_sure(sure, who.sure)))

    def _changes_to(self, phrase: Phrase, gender: Gender) -> bool:
        """Whether the phrase may be put into that gender."""
        return self.generic_plurals or phrase.changes_to(gender)

    def _are_several(self, who: Referent) -> bool:
        """Whether it is a plural whose gender is asked for: *los candidatos llegan cansados*."""
        return self.generic_plurals and who.phrase is not None and who.phrase.plural

    def _phrase_words(self, phrase: Phrase) -> tuple[tuple[int, Target], ...]:
        return tuple((at, Target(form, at < phrase.head)) for at, form in phrase.agreeing)

    def _after_enclitic(self, verb: Verb) -> int:
        at = verb.at + 1
        if self.line[at] == "-" and self.line[at + 1] in self.lexicon["clitics"]:
            at += 2
        return at

    def _after_adverbs(self, at: int) -> int:
        line, lexicon = self.line, self.lexicon
        steps = 0
        while steps < 5 and line.is_word(at):
            word = line[at]
            several = lexicon.adverbs_at(line, at)
            if several:
                at += several
            elif word in lexicon["adverbs"] or word.endswith("mente") or self._is_only(at):
                at += 1
            elif word in lexicon["few"] and line[at + 1] in lexicon["little"]:
                at += 2
            elif (since := self._after_time(at)) > at:
                at = since
            else:
                break
            steps += 1
        return at

    def _after_time(self, at: int) -> int:
        """Where *per vent'anni*, *da mesi* ends."""
        if self.line[at] not in self.lexicon["time_prepositions"]:
            return at
        times = self.lexicon["times"]
        return next((end + 1 for end in range(at + 1, at + 4) if self.line[end] in times), at)

    def _is_only(self, at: int) -> bool:
        """Whether *solo* is rather an adverb: *solo una vez*, *solo para verte*."""
        lexicon, following = self.lexicon, self.line[at + 1]
        if following in lexicon["alone_before"]:  # estuve solo toda la tarde
            return False
        moving = lexicon.verb(self.line[at - 1])
        moves = moving is not None and moving.infinitive in lexicon["secondary"]
        if moves and following in lexicon["through"]:  # viajo sola por Colombia
            return False
        done = lexicon.verb(self.line[at + 1 + (following in lexicon["motion_to"])])
        if self.line[at] in lexicon["only"] and done is not None and done.mood == "infinitive":
            return True  # voy solo a comprar pan
        if self.line[at] in lexicon["only"] and following in lexicon["only_when"]:
            return self.line[at - 1] not in lexicon["copular_participles"]  # rimasto solo ieri
        return self.line[at] in lexicon["only"] and (
            following in lexicon.determiners
            or following in lexicon["invariable_determiners"]
            or following in lexicon["only_before"]
        )

    def _read_predicate(self, at: int, who: Referent, *, plural: bool) -> Read | None:
        """The phrase or adjective after a copula, in its number."""
        start, at = at, self._after_adverbs(at)
        if self.clauses.pronoun(self.line[at]) is not None:  # ¿estás tú seguro?
            at = self._after_adverbs(at + 1)
        really = self.line[at] in self.lexicon["even"] or self.line[at] in self.lexicon["as"]
        if really and self._may_be_said(at + 1):  # estoy como nueva, és mesmo teimosa
            at += 1
        read = self._read_at(at, who, plural=plural)
        if read is not None or at == start:
            return read
        form = self.lexicon.adjective(self.line[at - 1])  # mejor que nadie
        if form is None or form.masculine != form.feminine or form.plural != plural:
            return None
        return Read(((at - 1, Target(form)),), at)

    def _may_be_said(self, at: int) -> bool:
        """Whether the word is an adjective and no noun follows it."""
        return self.lexicon.is_listed(self.line[at]) and at not in self.starts

    def _read_at(self, at: int, who: Referent, *, plural: bool) -> Read | None:
        line, lexicon = self.line, self.lexicon
        if line.is_mark(at) or (at in self.blocked and at not in self.starts):
            return None
        whole = lexicon.determiners.get(line[at]) if line[at] in lexicon["wholly"] else None
        if whole is not None and lexicon.is_listed(line[at + 1]) and not plural:
            read = self._read_adjective(at + 1, who, plural=False)  # estoy toda mojada
            phrase = self.starts.get(at)
            if read is not None and (phrase is None or phrase.kind == "nominal"):
                return read._replace(words=((at, Target(whole)), *read.words))
        one = self._one_of(at) if who.who != "others" or who.phrase is not None else None
        if one is not None and not plural:
            return one
        phrase = self.starts.get(at)
        if phrase is not None and phrase.kind == "thing" and who.who is not None:
            phrase = self._as_person(phrase)
        if phrase is not None and not (phrase.kind == "thing" and self._is_bare(phrase)):
            contracted = line[phrase.start] in lexicon["contractions"]
            if phrase.kind == "thing" or phrase.plural != plural or contracted:
                return None
            return Read(self._phrase_words(phrase), phrase.end, phrase)
        return self._read_adjective(at, who, plural=plural)

    def _read_adjective(self, at: int, who: Referent, *, plural: bool) -> Read | None:
        """The single word after a copula, if it is said of the person."""
        line, lexicon = self.line, self.lexicon
        form = lexicon.adjective(line[at]) or lexicon.noun(line[at])
        if form is None and at not in self.starts and line[at] in lexicon["things"]:
            form = lexicon.participle(line[at])
        named = who.phrase is None or who.phrase.kind == "person"
        if form is None and named and not who.dropped and who.sure != "guess":
            form = lexicon.predicate(line[at])
        if form is None or not line.is_word(at) or form.plural != plural or line.is_name(at):
            return None
        if who.phrase is not None and self._disagrees(who.phrase, form):
            return None
        following = self.starts.get(at + 1)
        known = lexicon.verbs.get(form.masculine)
        said = lexicon.is_state(line[at]) or (known is not None and known.mood == "participle")
        said = said or line[at].endswith(PARTICIPLES)
        if following is not None and line[following.head] in lexicon["kinds"]:
            said = True
        if following is not None and following.kind == "thing" and not said:
            agrees = following.gender is None or following.gender == form.gender
            if agrees and self._is_bare(following) and form.gender is not None:
                return None
        return Read(((at, Target(form)),), at + 1)

    def _one_of(self, at: int) -> Read | None:
        """*uno de los*, *la que*: a determiner without a noun."""
        line, lexicon = self.line, self.lexicon
        form = lexicon.determiners.get(line[at])
        if form is None or form.plural or line[at] in lexicon["contractions"]:
            return None
        following = line[at + 2] if line[at + 1] in lexicon["comparing"] else line[at + 1]
        if following in lexicon["of"] or line[at + 1] in lexicon["relatives"]:
            members = self.starts.get(at + 2) or self.starts.get(at + 1)
            if members is not None and self._are_things(members):  # um dos nomes mais votados
                return None
            return Read(((at, Target(form)),), at + 1, members)
        return None

    def _are_things(self, members: Phrase) -> bool:
        if members.kind != "thing" or not members.plural or self.line.is_name(members.head):
            return False
        return self._as_person(members).kind == "thing"

    def _members(self, at: int) -> tuple[tuple[int, Target], ...]:
        """Of whom somebody is one: *(uno) de los candidatos*, *(soy) de las que madrugan*."""
        line, lexicon = self.line, self.lexicon
        if line[at] not in lexicon["of"]:
            return ()
        here = at if line[at] in lexicon["contractions"] else at + 1
        form, members = lexicon.determiners.get(line[here]), self.starts.get(here)
        if form is None or not form.plural:
            return ()
        if members is not None and members.plural and members.kind != "thing":
            return self._phrase_words(members)
        return ((here, Target(form)),) if line[here + 1] in lexicon["relatives"] else ()

    def _as_person(self, phrase: Phrase) -> Phrase:
        """A noun that means a thing elsewhere, as the noun of a person: *soy física*."""
        word = self.line[phrase.head]
        form = self.lexicon.noun(word) or (self.lexicon.agent(word) if phrase.determined else None)
        if (
            form is None
            or form.plural != phrase.plural
            or not all(each.gender in {None, form.gender} for _, each in phrase.agreeing)
        ):
            return phrase
        words = sorted((*phrase.agreeing, (phrase.head, form)))
        return phrase._replace(kind="person", agreeing=tuple(words))

    @staticmethod
    def _is_bare(phrase: Phrase) -> bool:
        return not phrase.determined and not phrase.agreeing and phrase.end == phrase.head + 1

    @staticmethod
    def _disagrees(phrase: Phrase, form: Form) -> bool:
        return bool(phrase.gender and form.gender and phrase.gender != form.gender)

    def _is_absolute(self, at: int, form: Form) -> bool:
        """*Terminada la cena*: a participle with a subject of its own."""
        phrase = self.starts.get(at + 1)
        known = self.lexicon.verbs.get(form.masculine)
        participle = known is not None and known.mood == "participle"
        if phrase is None or not phrase.determined:
            return False
        if not participle and not self.line[at].endswith(PARTICIPLES):
            return False
        if phrase.plural != form.plural or self.line[at + 1] in self.lexicon["contractions"]:
            return False
        return phrase.kind == "thing" and phrase.gender in {None, form.gender}

    def _beside_comma(self, at: int, form: Form) -> Referent | None:
        """Somebody else before a comma: *hablé con mi tía, preocupada por la herencia*."""
        before = self.clauses.inside.get(at - 2) if self.line[at - 1] == "," else None
        if before is None or before.kind != "person" or self._disagrees(before, form):
            return None
        return Referent("others", before)

    def _soothes(self, at: int) -> bool:
        """*Sigo viva, tranquilo*: said to the listener between commas."""
        marks = self.line.is_mark(at - 1) and self.line.is_mark(at + 1)
        return marks and self.line[at] in self.lexicon["soothing"]

    def _acts(self, at: int) -> bool:
        """Whether a verb follows, so that what precedes it is its subject."""
        at = self._after_adverbs(at)
        if self.line.is_mark(at):
            return False
        return any(
            at <= verb.at <= at + 2 and verb.form.persons & {"3s", "3p"}
            for verb in self.clauses.verbs
            if verb.form.persons != {"1s", "3p"} and self.line[verb.at] not in self.lexicon["since"]
        )

    def _may_hold(self, phrase: Phrase, at: int) -> bool:
        """Whether an adjective inside that phrase may be said of somebody: *voy vestida*."""
        if self._is_bare(phrase) and self.lexicon.is_state(self.line[at]):
            return True
        return phrase.kind == "thing" and phrase.start != at

    def _is_alone(self, at: int, form: Form) -> bool:
        following = self.starts.get(at + 1)
        if following is None or following.kind != "thing" or not self._is_bare(following):
            return True
        return bool(following.gender and form.gender and following.gender != form.gender)
