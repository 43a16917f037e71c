"""The words that agree with a person: what is said of them, their roles, their nouns."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.romance.clauses import Clauses, Referent, Verb
from epicene.rewriting.romance.lexicon import Form
from epicene.rewriting.romance.phrases import PARTICIPLES
from epicene.rewriting.sites import Site, Sites, less_sure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.rewriting import Confidence
    from epicene.rewriting.persons import Gender, TargetGenders
    from epicene.rewriting.quotations import Passage
    from epicene.rewriting.romance.lexicon import Lexicon
    from epicene.rewriting.romance.line import Line
    from epicene.rewriting.romance.phrases import Phrase


class Target(NamedTuple):
    """A word's forms, and whether it stands before its noun, as *buen* and *primer* do."""

    form: Form
    leading: bool = False


Found = Sites[Target]


class _Read(NamedTuple):
    """What is read as a predicate: its words, and where it ends."""

    words: tuple[tuple[int, Target], ...]
    end: int
    phrase: Phrase | None = None


def find_sites(passage: Passage[Line], wanted: TargetGenders, lexicon: Lexicon) -> Found:
    """The words of a passage that agree with somebody in `wanted`."""
    return _Finder(passage, wanted, lexicon).find()


class _Finder:
    def __init__(self, passage: Passage[Line], wanted: TargetGenders, lexicon: Lexicon) -> None:
        self.wanted = wanted
        self.lexicon = lexicon
        self.line = passage.line
        self.clauses = Clauses(passage, lexicon)
        self.sites: Found = Sites(keep_surest=False)
        self.starts = {each.start: each for each in self.clauses.phrases}
        self.claimed: set[int] = set()  # words that belong to somebody, or to a thing
        self.blocked = {
            at
            for phrase in self.clauses.phrases
            if phrase.kind == "thing"
            for at in range(phrase.start, phrase.end)
        } | self._perfects()

    def _perfects(self) -> set[int]:
        """Participles of a perfect, which do not agree: *he cansado*."""
        found = set()
        for verb in self.clauses.verbs:
            if verb.form.infinitive in self.lexicon["perfect_auxiliaries"]:
                at = self._after_adverbs(verb.at + 1)
                form = self.lexicon.adjective(self.line[at])
                known = self.lexicon.verb(self.line[at])
                if (known and known.mood == "participle") or (form and form.gender == "masculine"):
                    found.add(at)
        return found

    def find(self) -> Found:
        """Apply the rules, the most certain first."""
        self._emphatics()
        for verb in self.clauses.verbs:
            self._verb(verb)
        self._detached()
        self._roles()
        self._vocatives()
        self._greetings()
        if "others" in self.wanted:
            self._third_pronouns()
        self._other_people()
        return self.sites

    # --- adding

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
        if who.who not in self.wanted:
            return
        for at, target in words:
            if target.form.masculine != target.form.feminine:
                self.sites.add(Site(at, who.who, target, rule, less_sure(sure, who.sure)))

    def _phrase_words(self, phrase: Phrase) -> tuple[tuple[int, Target], ...]:
        return tuple((at, Target(form, at < phrase.head)) for at, form in phrase.agreeing)

    # --- predicates

    def _verb(self, verb: Verb) -> None:
        lexicon, infinitive = self.lexicon, verb.form.infinitive
        reflexive = self.clauses.is_reflexive(verb)
        if verb.clitics and reflexive and infinitive in lexicon["never_reflexive"]:  # me fui
            self._secondary(verb, self.clauses.subject(verb))
        elif infinitive in lexicon["copulas"] or (
            reflexive and infinitive in lexicon["reflexive_copulas"]
        ):
            self._predicate(verb, self.clauses.subject(verb), "said of the subject")
        elif infinitive in lexicon["object_predicates"] and (
            who := self.clauses.object_of(self._finite(verb))
        ):
            self._object_predicate(verb, who)
        elif infinitive in lexicon["job_articles"] and self._job(verb):
            pass
        elif infinitive in lexicon["secondary"]:
            self._secondary(verb, self.clauses.subject(verb))
        elif verb.finite:
            self._alone(verb)

    def _job(self, verb: Verb) -> bool:
        """*Faccio la cuoca*: a noun of a person with its article, as the subject's job."""
        at = self._after_adverbs(verb.at + 1)
        phrase = self.starts.get(at)
        if (
            phrase is None
            or phrase.kind != "person"
            or self.line[at] not in self.lexicon["articles"]
        ):
            return False
        if phrase.plural or verb.clitics:
            return False
        self._add(self._phrase_words(phrase), self.clauses.subject(verb), "role", "likely")
        return True

    def _alone(self, verb: Verb) -> None:
        """*Lo hago sola*: alone is said of the subject of any verb."""
        at = self._after_enclitic(verb)
        at += self.line[at] in self.lexicon["everything"]
        form = self.lexicon.adjective(self.line[at])
        if form is None or self.line[at] not in self.lexicon["alone"] or self._is_only(at):
            return
        if self.line.is_mark(at + 1) or self.line[at + 1] in self.lexicon["prepositions"]:
            who = self.clauses.subject(verb)
            self._add([(at, Target(form))], who, "said beside the verb", "likely")

    def _object_predicate(self, verb: Verb, who: Referent) -> None:
        """*Me dejaron sola*, *me nombraron directora*."""
        at = self._after_enclitic(verb)
        at += self.line[at] in self.lexicon["called"]  # chamou-me de mentiroso
        read = self._read_predicate(at, who, plural=False)
        if read is None:
            self._secondary(verb, who, near=False)
        elif read.phrase is None or not read.phrase.determined:
            self._add(read.words, who, "said of the object", "certain")
            self._coordinated(read, who, "said of the object", plural=False)

    def _finite(self, verb: Verb) -> Verb:
        return verb if verb.finite else self.clauses.verb_before(verb.at) or verb

    def _predicate(self, verb: Verb, who: Referent, rule: str) -> None:
        plural = verb.finite and not verb.form.persons & {"1s", "2s", "3s"}
        phrase = who.phrase
        if phrase is not None and phrase.plural and "3p" in verb.form.persons:
            plural = True
        if set(verb.clitics) & self.lexicon["existential"]:
            return
        if who.who is not None and plural:
            if phrase is None or not phrase.changes_to(self.wanted.get(who.who, "feminine")):
                return
        at = self._after_enclitic(verb)
        read = self._read_predicate(at, who, plural=plural)
        if read is None:
            return
        if who.dropped:
            if not self._is_persons(read, verb):
                return
            self.clauses.settle(verb, who._replace(dropped=False))
        if self._may_be_things(read, verb, who):
            return
        self._add(read.words, who, rule)
        following = self.starts.get(read.end)
        if read.phrase is None and following is not None and following.kind == "person":
            if not following.determined and following.plural == plural:  # elegida presidenta
                self._add(self._phrase_words(following), who, rule)
                read = read._replace(end=following.end)
        if self.lexicon["participles_agree"]:
            read = self._after_participle(read, who, rule, plural=plural)
            if read.phrase is None and not plural:
                self._secondary(verb, who, near=False, start=read.end)
        self._coordinated(read, who, rule, plural=plural)

    def _after_participle(self, read: _Read, who: Referent, rule: str, *, plural: bool) -> _Read:
        """What follows the participle of a compound tense: *sono rimasta sola*."""
        for _ in range(3):
            if read.phrase is not None or not read.words:
                return read
            word = self.line[read.end - 1]
            further = self._read_predicate(read.end, who, plural=plural)
            if further is None or not further.words:
                return read
            if word not in self.lexicon["copular_participles"]:
                at = further.words[0][0]
                determined = further.phrase is not None and further.phrase.determined
                if determined or not self.lexicon.predicate(self.line[at]):
                    return read
            first, second = read.words[-1][1].form, further.words[-1][1].form
            if first.gender and second.gender and first.gender != second.gender:
                return read
            self._add(further.words, who, rule, "likely")
            read = further
        return read

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
            if word in lexicon["adverbs"] or word.endswith("mente") or self._is_only(at):
                at += 1
            elif word in lexicon["few"] and line[at + 1] in lexicon["little"]:
                at += 2
            else:
                break
            steps += 1
        return at

    def _is_only(self, at: int) -> bool:
        """Whether *solo* is rather an adverb: *solo una vez*, *solo para verte*."""
        lexicon, following = self.lexicon, self.line[at + 1]
        return self.line[at] in lexicon["only"] and (
            following in lexicon.determiners
            or following in lexicon["invariable_determiners"]
            or following in lexicon["only_before"]
        )

    def _read_predicate(self, at: int, who: Referent, *, plural: bool) -> _Read | None:
        """The phrase or adjective after a copula, in its number."""
        line, lexicon = self.line, self.lexicon
        at = self._after_adverbs(at)
        if self.clauses.pronoun(line[at]) is not None:  # ¿estás tú seguro?
            at = self._after_adverbs(at + 1)
        if line[at] == "," and who.who is not None:
            return None
        if at in self.blocked and at not in self.starts:
            return None
        one = self._one_of(at)
        if one is not None and not plural:
            return one
        phrase = self.starts.get(at)
        if phrase is not None and phrase.kind == "thing" and who.who is not None:
            phrase = self._as_person(phrase)
        if phrase is not None and not (phrase.kind == "thing" and self._is_bare(phrase)):
            if phrase.kind == "thing" or phrase.plural != plural:
                return None
            if line[phrase.start] in lexicon["contractions"]:
                return None
            if phrase.kind == "nominal" and line[phrase.end] in lexicon["not_heads"]:
                return None
            return _Read(self._phrase_words(phrase), phrase.end, phrase)
        form = lexicon.adjective(line[at]) or lexicon.noun(line[at])
        named = who.phrase is None or who.phrase.kind == "person"
        if form is None and named and not who.dropped and who.sure != "guess":
            form = lexicon.predicate(line[at])
        if form is None or not line.is_word(at) or form.plural != plural or line.is_name(at):
            return None
        if who.phrase is not None and self._disagrees(who.phrase, form):
            return None
        following = self.starts.get(at + 1)
        said = lexicon.is_state(line[at]) or line[at].endswith(PARTICIPLES)
        if following is not None and following.kind == "thing" and not said:
            agrees = following.gender is None or following.gender == form.gender
            if agrees and self._is_bare(following) and form.gender is not None:
                return None
        return _Read(((at, Target(form)),), at + 1)

    def _one_of(self, at: int) -> _Read | None:
        """*uno de los*, *la que*: a determiner without a noun."""
        line, lexicon = self.line, self.lexicon
        form = lexicon.determiners.get(line[at])
        if form is None or form.plural or line[at] in lexicon["contractions"]:
            return None
        if line[at + 1] in lexicon["of"] or line[at + 1] in lexicon["relatives"]:
            members = self.starts.get(at + 2) or self.starts.get(at + 1)
            return _Read(((at, Target(form)),), at + 1, members)
        return None

    def _as_person(self, phrase: Phrase) -> Phrase:
        """A noun that means a thing elsewhere, as the noun of a person: *soy física*."""
        form = self.lexicon.noun(self.line[phrase.head])
        if form is None or not all(
            each.gender in {None, form.gender} for _, each in phrase.agreeing
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

    def _coordinated(self, read: _Read, who: Referent, rule: str, *, plural: bool) -> None:
        """The adjectives joined to a predicate: *alto, delgado y muy tímido*."""
        line, lexicon = self.line, self.lexicon
        gender = next((each.form.gender for _, each in read.words if each.form.gender), None)
        at, near, steps = read.end, True, 0
        while steps < 12 and at < len(line) and not line.ends_sentence(at):
            if line[at] not in lexicon["joiners"]:
                if any(verb.at == at and verb.finite for verb in self.clauses.verbs):
                    return
                at, near, steps = at + 1, False, steps + 1
                continue
            after = self._after_adverbs(at + 1)
            if line[after] in lexicon["joiners"] or line[after] in lexicon["after_joiners"]:
                after = self._after_adverbs(after + 1)
            found = self._joined(after, gender, plural=plural, near=near)
            if found is None:
                at, near, steps = at + 1, False, steps + 1
                continue
            self._add(found.words, who, rule, "likely")
            gender = gender or next((w.form.gender for _, w in found.words if w.form.gender), None)
            at, near = found.end, True

    def _joined(self, at: int, gender: Gender | None, *, plural: bool, near: bool) -> _Read | None:
        line, lexicon = self.line, self.lexicon
        phrase = self.starts.get(at)
        if phrase is not None and not (phrase.kind == "thing" and self._is_bare(phrase)):
            bare = phrase.kind == "person" and (near or not phrase.determined)
            if not bare or phrase.plural != plural or (phrase.determined and not near):
                return None
            if gender and phrase.gender and phrase.gender != gender:
                return None
            if self._acts(phrase.end):
                return None
            return _Read(self._phrase_words(phrase), phrase.end, phrase)
        form = lexicon.adjective(line[at])
        if form is None or form.plural != plural or not line.is_word(at) or line.is_name(at):
            return None
        verb = lexicon.verb(line[at])
        if verb is not None and verb.mood == "finite":  # y vivo en Lima
            return None
        if line[at] in lexicon["only"] and line[at - 1] not in lexicon["and"]:
            return None
        if not near and not lexicon.is_listed(line[at]):
            return None
        if gender and form.gender and gender != form.gender:
            return None
        following = self.starts.get(at + 1)
        if following is not None and following.kind == "thing" and self._is_bare(following):
            return None
        return _Read(((at, Target(form)),), at + 1)

    def _acts(self, at: int) -> bool:
        """Whether a verb follows, so that what precedes it is its subject."""
        at = self._after_adverbs(at)
        if self.line.is_mark(at):
            return False
        return any(verb.finite and at <= verb.at <= at + 2 for verb in self.clauses.verbs)

    def _is_persons(self, read: _Read, verb: Verb) -> bool:
        """Whether a subject that is not named is a person, by what is said of it."""
        lexicon, line = self.lexicon, self.line
        if read.phrase is not None and read.phrase.kind == "person":
            return True
        if line[read.end] in lexicon["that"]:  # está claro que
            return False
        following = lexicon.verb(line[read.end])
        if following is not None and following.mood == "infinitive":
            return False
        at, target = read.words[-1] if read.words else (read.end - 1, None)
        if line[at] in lexicon["copular_participles"]:
            at = self._after_adverbs(at + 1)
        if lexicon.is_state(line[at]) or lexicon.noun(line[at]) is not None:
            return True
        if target is None or target.form.gender is None:
            return False
        start, _ = line.sentence(verb.at)
        earlier = [
            phrase
            for phrase in self.clauses.phrases
            if phrase.end <= verb.at and (phrase.start >= start or phrase.end >= start - 12)
        ]
        return not any(
            phrase.kind == "thing"
            and phrase.determined
            and not phrase.plural
            and phrase.gender in {None, target.form.gender}
            for phrase in earlier
        )

    def _may_be_things(self, read: _Read, verb: Verb, who: Referent) -> bool:
        """Whether a thing just named may be meant: *mi piso, aunque sea pequeño*."""
        if who.sure == "certain" or not {"1s", "3s"} <= verb.form.persons:
            return False
        at, target = read.words[-1] if read.words else (read.end - 1, None)
        if read.phrase is not None or target is None or self.lexicon.is_state(self.line[at]):
            return False
        start, _ = self.line.sentence(verb.at)
        before = [each for each in self.clauses.phrases if start <= each.start < verb.at]
        return bool(before) and (
            before[-1].kind == "thing"
            and before[-1].determined
            and not before[-1].plural
            and before[-1].gender in {None, target.form.gender}
        )

    def _secondary(
        self, verb: Verb, who: Referent, *, near: bool = True, start: int | None = None
    ) -> None:
        """An adjective said of the subject beside its verb: *llegué cansado*."""
        line, lexicon = self.line, self.lexicon
        at = self._after_adverbs(self._after_enclitic(verb) if start is None else start)
        steps = 0
        while steps < 8 and at < len(line) and not line.ends_sentence(at):
            if line[at] in lexicon["subordinators"] or (
                at != verb.at and any(each.at == at and each.finite for each in self.clauses.verbs)
            ):
                return
            form = lexicon.adjective(line[at]) if not self._is_only(at) else None
            free = at not in self.blocked or lexicon.is_state(line[at])
            said = near or lexicon.is_state(line[at])
            if form is not None and free and said and not form.plural and line.is_word(at):
                inside = self.clauses.inside.get(at)
                if inside is not None and (inside.kind != "thing" or inside.start == at):
                    return
                if line[at - 1] in lexicon.determiners or line.is_name(at):
                    return
                if line[at - 1] in lexicon["prepositions"]:
                    return
                if who.phrase is not None and self._disagrees(who.phrase, form):
                    return
                if self._is_alone(at, form):
                    read = _Read(((at, Target(form)),), at + 1)
                    self._add(read.words, who, "said beside the verb", "likely")
                    self._coordinated(read, who, "said beside the verb", plural=False)
                return
            near = False
            at, steps = at + 1, steps + 1

    def _is_alone(self, at: int, form: Form) -> bool:
        following = self.starts.get(at + 1)
        if following is None or following.kind != "thing" or not self._is_bare(following):
            return True
        return bool(following.gender and form.gender and following.gender != form.gender)

    # --- the rest

    def _detached(self) -> None:
        """What is said before the verb or between commas: *Cansado de esperar, me fui*."""
        line, lexicon = self.line, self.lexicon
        for at in range(len(line)):
            initial = line.begins(at)
            if not initial and line[at - 1] != "," and line[at - 1] not in lexicon["detaching"]:
                continue
            here = self._after_adverbs(at)
            form = lexicon.adjective(line[here])
            if form is None or not line.is_word(here) or form.plural or here in self.claimed:
                continue
            if line[here] in lexicon["not_initial"] or here in self.starts:
                continue
            if here in {verb.at for verb in self.clauses.verbs}:
                continue
            if not (initial or lexicon.is_state(line[here])) or not self._is_alone(here, form):
                continue
            verb = self.clauses.verb_after(here) if initial else None
            verb = verb or self.clauses.verb_before(here) or self.clauses.verb_after(here)
            if verb is None or line[here + 1] in lexicon["relatives"]:
                continue
            who = self.clauses.subject(verb)
            by_object = self.clauses.object_of(verb) if initial and who.who is None else None
            who = by_object or who
            if who.phrase is not None and self._disagrees(who.phrase, form):
                continue
            read = _Read(((here, Target(form)),), here + 1)
            self._add(read.words, who, "said beside the clause", "likely")
            self._coordinated(read, who, "said beside the clause", plural=False)

    def _roles(self) -> None:
        """*como enfermera*, *de niño*: what the subject, or the object me, is or was."""
        line, lexicon = self.line, self.lexicon
        for at in range(len(line)):
            if line[at] not in lexicon["as"] and line[at] not in lexicon["when"]:
                continue
            here = at + 2 if line[at + 1] in lexicon["degree"] else at + 1
            phrase = self.starts.get(here)
            if phrase is not None and phrase.kind == "thing":
                phrase = self._as_person(phrase)
            if line[at] in lexicon["when"]:
                if line[here] not in lexicon["ages"] and not self._is_job(at):
                    continue
                form = lexicon.noun(line[here]) or lexicon.adjective(line[here])
                if form is None or (phrase is not None and phrase.end > here + 1):
                    continue
                words: tuple[tuple[int, Target], ...] = ((here, Target(form)),)
            elif (
                phrase is None
                or phrase.kind == "thing"
                or phrase.plural
                or self._acts(phrase.end)
                or line[here] in lexicon["invariable_determiners"]
                or (phrase.kind == "person" and line[here] in lexicon["articles"])
                or (line[here] in lexicon["possessives"] and not line.begins(at))
            ):
                continue
            else:
                words = self._phrase_words(phrase)
            verb = self.clauses.verb_before(at, finite=False) or self.clauses.verb_after(at)
            if verb is None or at + 1 in self.claimed:
                continue
            who = self._role_bearer(verb)
            if who.who is not None and (who.phrase is None or not who.phrase.plural):
                self._add(words, who, "role", "likely")

    def _is_job(self, at: int) -> bool:
        """*trabajé de camarera*."""
        verb = self.lexicon.verb(self.line[at - 1])
        phrase = self.starts.get(at + 1)
        return (
            verb is not None
            and verb.infinitive in self.lexicon["job_verbs"]
            and phrase is not None
            and phrase.kind == "person"
            and not phrase.determined
        )

    def _role_bearer(self, verb: Verb) -> Referent:
        finite = self._finite(verb)
        if finite.finite:
            by_object = self.clauses.object_of(finite)
            if by_object is not None and not finite.form.persons & {"1s", "2s"}:
                return by_object
        found = self.clauses.subject(verb)
        return found if not found.dropped else found._replace(sure="guess")

    def _emphatics(self) -> None:
        """*yo mismo*, *tú sola*, *conmigo misma*, *todo yo*."""
        line, lexicon = self.line, self.lexicon
        for at in range(len(line)):
            who = self.clauses.pronoun(line[at])
            if who is None:
                for title, found in (
                    ("first_tonic", self.clauses.speaker()),
                    ("second_tonic", self.clauses.listener()),
                    ("third_tonic", Referent("others")),
                ):
                    who = found if line[at] in lexicon[title] else who
            if who is None:
                continue
            after = at + 1
            if line[after] == "-":
                after += 1
            form = lexicon.adjective(line[after])
            if line[after] in lexicon["emphatic"] and form is not None and not form.plural:
                self._add([(after, Target(form))], who, "emphasis")
            phrase = self.starts.get(at + 2) if line[at + 1] == "," else self.starts.get(at + 1)
            if phrase is not None and phrase.kind == "person" and not phrase.plural:
                closed = line[phrase.end] == "," or line[at + 1] != ","
                if (
                    closed
                    and (line[at + 1] == "," or not phrase.determined)
                    and not (who.who == "others" and line[at + 1] == ",")
                ):
                    self._add(self._phrase_words(phrase), who, "apposition", "likely")

    def _vocatives(self) -> None:
        """Whoever is addressed: *Gracias, señora*; *Querido amigo:*."""
        line, lexicon = self.line, self.lexicon
        for phrase in self.clauses.phrases:
            if phrase.kind != "person" or phrase.head in self.claimed or phrase.plural:
                continue
            words = {line[at] for at in range(phrase.start, phrase.end)}
            greeted = bool(words & lexicon["greeting_adjectives"]) and line.begins(phrase.start)
            open_before = line.begins(phrase.start) or line[phrase.start - 1] == ","
            closed = line.is_mark(phrase.end) and line[phrase.end] not in lexicon["joiners"] - {","}
            if not greeted and (phrase.determined or not open_before or not closed):
                continue
            if not greeted and not self._addresses(phrase):
                continue
            self._add(self._phrase_words(phrase), self.clauses.listener(), "addressed", "likely")

    def _addresses(self, phrase: Phrase) -> bool:
        """Whether somebody is spoken to in the sentence around a phrase between commas."""
        start, end = self.line.sentence(phrase.head)
        words = set(self.line.keys[start:end])
        lexicon = self.lexicon
        if (
            words & lexicon["second_evidence"]
            or self.line[phrase.head] in lexicon["forms_of_address"]
        ):
            return True
        return any(
            start <= verb.at < end and verb.form.persons == {"2s"} for verb in self.clauses.verbs
        )

    def _greetings(self) -> None:
        """*Encantada de conocerte*, *Bienvenido*: said without a verb."""
        line, lexicon = self.line, self.lexicon
        for at in range(len(line)):
            if at in self.claimed and at in self.sites:
                continue
            form = lexicon.adjective(line[at])
            if form is None or form.plural or not line.is_word(at):
                continue
            here = at
            while here > 0 and line[here - 1] in lexicon["degree"]:
                here -= 1
            open_before = (
                line.begins(here)
                or line.is_mark(here - 1)
                or (line[here - 1] in lexicon["thanking"])
            )
            if open_before and line[at] in lexicon["speaker_greetings"]:
                self._add([(at, Target(form))], self.clauses.speaker(), "greeting", "likely")
            elif open_before and line[at] in lexicon["listener_greetings"]:
                self._add([(at, Target(form))], self.clauses.listener(), "greeting", "likely")
            elif line.begins(here) and lexicon.is_state(line[at]) and self._is_asked(at):
                self._add([(at, Target(form))], self.clauses.listener(), "asked", "guess")

    def _is_asked(self, at: int) -> bool:
        """Whether the sentence is a question without a verb: *¿Listo para salir?*"""
        start, end = self.line.sentence(at)
        asks = self.line[end].startswith("?")
        return asks and not any(start <= v.at < end and v.finite for v in self.clauses.verbs)

    def _third_pronouns(self) -> None:
        line, lexicon = self.line, self.lexicon
        for at in range(len(line)):
            pair = lexicon.pronoun_pairs.get(line[at])
            if pair is not None and line.is_word(at):
                self._add([(at, Target(pair))], Referent("others"), "third person")

        for verb in self.clauses.verbs:
            said = self._perfect_of(verb)
            at = verb.at - 1
            dative = lexicon.dative_pairs.get(line[at])
            if dative is not None and said in lexicon["dative_verbs"]:
                self._add([(at, Target(dative))], Referent("others"), "dative", "likely")

    def _perfect_of(self, verb: Verb) -> str:
        """The infinitive of a verb, or of the participle after its auxiliary."""
        if verb.form.infinitive in self.lexicon["perfect_auxiliaries"]:
            form = self.lexicon.verb(self.line[self._after_adverbs(verb.at + 1)])
            return form.infinitive if form is not None else ""
        return verb.form.infinitive

    def _other_people(self) -> None:
        """Everybody else's nouns, each with its determiners and adjectives."""
        target = self.wanted.get("others")
        if target is None:
            return
        for at in range(len(self.line)):
            one = self._one_of(at) if self.line[at] in self.lexicon["one"] else None
            if one and one.phrase and one.phrase.kind == "person" and at not in self.claimed:
                self._add(one.words, Referent("others"), "one of several people", "likely")
        for phrase in self.clauses.phrases:
            if phrase.kind != "person" or phrase.head in self.claimed:
                continue
            if not phrase.changes_to(target) or self._is_couple(phrase):
                continue
            self._add(self._phrase_words(phrase), Referent("others"), "noun of a person")

    def _is_couple(self, phrase: Phrase) -> bool:
        """Whether it is joined to the other gender of its own noun: *padre y madre*."""
        form = self.lexicon.noun(self.line[phrase.head])
        for beside in self.clauses.phrases:
            gap = (
                self.line.keys[phrase.end : beside.start]
                or self.line.keys[beside.end : phrase.start]
            )
            if len(gap) != 1 or gap[0] not in self.lexicon["joiners"] | {"/", "-"}:
                continue
            other = self.lexicon.noun(self.line[beside.head])
            if form and other and other.gender != form.gender:
                if (form.masculine, form.feminine) == (other.masculine, other.feminine):
                    return True
        return False
