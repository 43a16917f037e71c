"""What is said of a person with a verb: predicates, and adjectives beside other verbs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.romance.clauses import UNKNOWN, Referent, Verb
from epicene.rewriting.romance.phrases import PARTICIPLES
from epicene.rewriting.romance.readings import Read, Readings, Target

if TYPE_CHECKING:
    from epicene.rewriting.persons import Gender
    from epicene.rewriting.romance.lexicon import Form
    from epicene.rewriting.romance.phrases import Phrase


class Predicates(Readings):
    """Finds what is said of people with a verb."""

    def _verb(self, verb: Verb) -> None:
        lexicon, infinitive = self.lexicon, verb.form.infinitive
        reflexive = self.clauses.is_reflexive(verb)
        if infinitive in lexicon["copulas"] | lexicon["secondary"] and self._with_her(verb):
            self._our_predicate(verb)
        elif verb.clitics and reflexive and infinitive in lexicon["never_reflexive"]:  # me fui
            self._secondary(verb, self.clauses.subject(verb))
        elif f"{infinitive}_{self.line[self._after_enclitic(verb)]}" in lexicon["taken_for"]:
            self._taken_for(verb, reflexive=reflexive)
        elif (
            infinitive in lexicon["copulas"]
            or (reflexive and infinitive in lexicon["reflexive_copulas"])
            or self._declares_itself(verb)
        ):
            self._predicate(verb, self.clauses.subject(verb), "said of the subject")
        elif infinitive in lexicon["object_predicates"] and (who := self._object(verb)):
            self._object_predicate(verb, who)
        elif infinitive in lexicon["job_articles"] and self._job(verb):
            pass
        elif verb.form.persons == {"3p"} and (who := self.clauses.object_of(verb)):
            self._object_state(verb, who)
        elif infinitive in lexicon["secondary"]:
            self._secondary(verb, self.clauses.subject(verb))
        elif verb.finite:
            self._alone(verb)
            leaning = {*verb.clitics} - lexicon["negations"]
            leaning -= lexicon["first_clitics" if "1s" in verb.form.persons else "second_clitics"]
            said = infinitive in lexicon["saying"] and leaning <= lexicon["how"]  # lo digo
            if verb.form.persons in ({"1s"}, {"2s"}) and (said or not leaning):
                self._secondary(verb, self.clauses.subject(verb), near=False, listed=False)
        if infinitive in lexicon["perfect_auxiliaries"] and lexicon["participles_agree"]:
            self._object_participle(verb)

    def _declares_itself(self, verb: Verb) -> bool:
        """*Ela se disse surpresa*."""
        said = verb.form.infinitive in self.lexicon["self_declaring"]
        return said and bool(self.lexicon["third_clitics"] & {*verb.clitics})

    def _taken_for(self, verb: Verb, *, reflexive: bool) -> None:
        """*Me tomaron por loca*, *me doy por vencido*."""
        who = self.clauses.object_of(self._finite(verb))
        if who is None and reflexive:
            who = self.clauses.subject(verb)
        at = self._after_enclitic(verb) + 1
        while who is not None:
            form = self.lexicon.noun(self.line[at]) or self.lexicon.adjective(self.line[at])
            known = self.lexicon.is_known(self.line[at]) or self.line[at].endswith(PARTICIPLES)
            if form is None or form.plural or not known:
                return
            article = self.lexicon.determiners.get(self.line[at - 1])  # dare del bugiardo
            words = [(at - 1, Target(article, leading=True))] if article is not None else []
            self._add([*words, (at, Target(form))], who, "said of the object", "likely")
            if (
                self.line[at + 1] not in self.lexicon["and"]
                or self.line[at + 2] != self.line[at - 1]
            ):
                return
            at += 3  # de mentiroso y de ladrón

    def _object_participle(self, verb: Verb) -> None:
        """*Mi hanno lasciata sola*: a feminine participle agrees with the object before it."""
        at = self._after_adverbs(verb.at + 1)
        form = self.lexicon.predicate(self.line[at])
        clitics = set(verb.clitics) - self.lexicon["negations"]
        who = self.clauses.object_of(verb) if len(clitics) == 1 else None
        if form is None or form.gender != "feminine" or form.plural or who is None:
            return
        if who.who not in {"speaker", "listener"}:
            return
        self._add([(at, Target(form))], who, "said of the object", "likely")
        known = self.lexicon.verbs.get(form.masculine)
        if known is None or self._finite(verb) is not verb:
            return
        said = Verb(at, known, ())
        if f"{known.infinitive}_{self.line[at + 1]}" in self.lexicon["taken_for"]:
            self._taken_for(said, reflexive=False)
        elif known.infinitive in self.lexicon["object_predicates"]:
            self._object_predicate(said, who)

    def _job(self, verb: Verb) -> bool:
        """*Faccio la cuoca*: a noun of a person with its article, as the subject's job."""
        at = self._after_adverbs(verb.at + 1)
        phrase = self.starts.get(at)
        if (
            phrase is None
            or phrase.kind == "thing"
            or (phrase.kind == "nominal" and self.line[phrase.head] in self.lexicon["ordinals"])
            or self.line[at] not in self.lexicon["articles"]
        ):
            return False
        if phrase.plural or {*verb.clitics} - self.lexicon["negations"]:
            return False
        self._add(self._phrase_words(phrase), self.clauses.subject(verb), "role", "likely")
        return True

    def _alone(self, verb: Verb) -> None:
        """*Lo hago sola*: alone is said of the subject of any verb."""
        at = self._after_enclitic(verb)
        at += self.line[at] in self.lexicon["everything"]
        form = self.lexicon.adjective(self.line[at])
        if form is None or self._is_only(at):
            return
        who = self.clauses.subject(verb)
        if not self._means_alone(at, form, who):
            return
        after = self.lexicon["prepositions"] | self.lexicon["contractions"]
        if self.line.is_mark(at + 1) or self.line[at + 1] in after:
            self._add([(at, Target(form))], who, "said beside the verb", "likely")

    def _means_alone(self, at: int, form: Form, who: Referent) -> bool:
        if form.plural and self._are_several(who):  # soli, solas
            ends = {self.line[at][:-2], self.line[at][:-1]}
            return any(word[:-1] in ends for word in self.lexicon["alone"])
        return self.line[at] in self.lexicon["alone"]

    def _object_predicate(self, verb: Verb, who: Referent) -> None:
        """*Me dejaron sola*, *me nombraron directora*."""
        at = self._after_enclitic(verb)
        if self.line[at] in self.lexicon["called"]:  # chamou-me de mentiroso
            at += 1
        elif verb.form.infinitive in self.lexicon["calling"] and self.lexicon.is_state(
            self.line[at]
        ):
            subject = self.clauses.subject(self._finite(verb)).phrase
            form = self.lexicon.adjective(self.line[at])
            if subject is not None and form is not None and not self._disagrees(subject, form):
                return  # mi hija me llamó preocupada
        read = self._read_predicate(at, who, plural=False)
        if read is not None and read.phrase is None:  # me traía sopa
            word = self.line[read.end - 1]
            read = read if self.lexicon.adjective(word) or self.lexicon.noun(word) else None
        following = self.starts.get(read.end) if read is not None else None
        if read is None:
            self._secondary(verb, who, near=False)
        elif (
            following is not None
            and following.kind == "person"
            and following.determined
            and verb.form.infinitive not in self.lexicon["causing"]
        ):
            return  # me llamó enfadada mi tía
        elif read.phrase is None or not read.phrase.determined or self._is_opinion(verb, read):
            self._add(read.words, who, "said of the object", "certain")
            self._coordinated(read, who, "said of the object", plural=False)

    def _object_state(self, verb: Verb, who: Referent) -> None:
        """*Me sacaron dormido*: a singular beside a plural subject is said of the object."""
        at = self._after_adverbs(self._after_enclitic(verb))
        form = self.lexicon.adjective(self.line[at])
        if form is None or form.plural or not self.lexicon.is_state(self.line[at]):
            return
        if at not in self.perfects and not self._is_only(at) and self._is_alone(at, form):
            self._add([(at, Target(form))], who, "said of the object", "likely")

    def _is_opinion(self, verb: Verb, read: Read) -> bool:
        """*Me consideran una experta*, but not *me encontró una amiga*."""
        first = self.line[read.words[0][0]] if read.words else ""
        indefinite = first in self.lexicon["one"] or first in self.lexicon["few"]
        finite = self._finite(verb)
        called = verb.form.infinitive in self.lexicon["calling"] and "3s" in finite.form.persons
        if verb.form.infinitive in self.lexicon["calling"] and finite.form.persons == {"3p"}:
            return True  # me llamaban la Zurda
        if called and self.clauses.is_dropped(finite):  # me llamó una amiga
            return False
        return indefinite and verb.form.infinitive in self.lexicon["considering"]

    def _object(self, verb: Verb) -> Referent | None:
        """The object of a verb: in *me gusta verla* not that of the other verb."""
        if not verb.finite and self.lexicon.object_pairs.keys() & {*verb.clitics}:
            return UNKNOWN
        return self.clauses.object_of(self._finite(verb))

    def _finite(self, verb: Verb) -> Verb:
        return verb if verb.finite else self.clauses.verb_before(verb.at) or verb

    def _predicate(self, verb: Verb, who: Referent, rule: str) -> None:
        phrase = who.phrase
        plural = self._is_plural(verb, who)
        if self._says_nothing(verb) or (phrase is not None and self._means_thing(phrase)):
            return
        if who.who is not None and plural:
            gender = self.wanted.get(who.who, "feminine")
            if phrase is None or not self._changes_to(phrase, gender):
                return
        at = self._after_enclitic(verb)
        if verb.form.infinitive in self.lexicon["becoming"]:  # me convertí en una experta
            at += self.line[at] in self.lexicon["into"]
        read = self._read_predicate(self._after_duration(at), who, plural=plural)
        if read is None:
            self._origin(at, who, rule)
            return
        if who.who in {"speaker", "listener"} and self.line[at] in self.lexicon["one"]:
            read = read._replace(words=(*read.words, *self._members(read.end)))
        if who.dropped:
            if not self._is_persons(read, verb):
                return
            self.clauses.settle(verb, who._replace(dropped=False))
        if self._may_be_things(read, verb, who) or self._turns_out(read, verb):
            return
        self._add(read.words, who, rule)
        read = self._with_title(read, who, rule, plural=plural)
        read = self._deemed(read, who, rule, plural=plural)
        if self.lexicon["participles_agree"]:
            read = self._after_participle(read, who, rule, plural=plural)
            if read.phrase is None and not plural:
                self._secondary(verb, who, near=False, start=read.end)
        self._coordinated(read, who, rule, plural=plural)

    def _our_predicate(self, verb: Verb) -> None:
        """*Mi hermana y yo estamos listas*."""
        who, rule = self.clauses.speaker(), "said of the subject"
        read = self._read_predicate(self._after_enclitic(verb), who, plural=True)
        if read is not None and read.phrase is None:
            self._add(read.words, who, rule, "likely")
            self._coordinated(read, who, rule, plural=True)

    def _with_her(self, verb: Verb) -> bool:
        """Whether the subject is a woman and I, so that the plural shows my gender."""
        line, lexicon = self.line, self.lexicon
        if verb.form.persons != {"1p"}:
            return False
        start, _ = line.sentence(verb.at)
        for at in range(start, verb.at):
            if line[at] not in lexicon["and"]:
                continue
            before, after = self.clauses.inside.get(at - 1), self.clauses.inside.get(at + 1)
            her = before if line[at + 1] in lexicon["first_pronouns"] else None
            her = after if line[at - 1] in lexicon["first_pronouns"] else her
            if her is not None and her.kind == "person" and not her.plural:
                return her.gender == "feminine"
        return False

    def _means_thing(self, phrase: Phrase) -> bool:
        """*La guía está desactualizada*: by what is said of it, no person."""
        if self.line[phrase.head] not in self.lexicon["also_things"]:
            return False
        at = self._after_adverbs(phrase.end)
        verb = self.lexicon.verb(self.line[at])
        said = self.line[self._after_adverbs(at + 1)]
        copula = verb is not None and verb.infinitive in self.lexicon["copulas"]
        return copula and said in self.lexicon["said_of_things"]

    def _after_duration(self, at: int) -> int:
        """The word after a duration: *estuve cinco años enganchada*."""
        here = at + (self.line[at].isdigit() or self.line[at] in self.lexicon["invariable"])
        phrase = self.starts.get(at) or self.starts.get(here)
        if phrase is None or self.line[phrase.head] not in self.lexicon["times"]:
            return at
        form = self.lexicon.adjective(self.line[phrase.head + 1])
        return phrase.head + 1 if form is not None and not form.plural else at

    def _turns_out(self, read: Read, verb: Verb) -> bool:
        """*Ci mette la panna e viene buonissimo*: a thing; *viene eletto* is passive."""
        at = read.words[-1][0] if read.words else read.end - 1
        known = self.lexicon.verbs.get(read.words[-1][1].form.masculine) if read.words else None
        participle = known is not None and known.mood == "participle"
        participle = participle or self.line[at].endswith(PARTICIPLES)
        only = verb.form.infinitive in self.lexicon["only_passive"]
        return only and not participle and not self.lexicon.is_state(self.line[at])

    def _is_plural(self, verb: Verb, who: Referent) -> bool:
        if who.phrase is not None and who.phrase.plural and "3p" in verb.form.persons:
            return True
        if verb.finite:
            return not verb.form.persons & {"1s", "2s", "3s"}
        return self._are_several(who)  # han sido elegidos

    def _says_nothing(self, verb: Verb) -> bool:
        """*Ci sono persone*, *me la sono cavata*: nothing is said of the subject."""
        if set(verb.clitics) & self.lexicon["existential"] and not self._is_compound(verb):
            return True
        if not self.lexicon["participles_agree"] or not verb.clitics or verb.clitics[-1] == "lo":
            return False
        return verb.clitics[-1] in self.lexicon.object_pairs

    def _origin(self, start: int, who: Referent, rule: str) -> None:
        """*Soy de Cádiz, hija de pescadores*."""
        line, lexicon = self.line, self.lexicon
        if who.who in {"speaker", "listener"} and (members := self._members(start)):
            self._add(members, who, rule, "likely")
            return
        comma = next((at for at in range(start, start + 5) if line[at] == ","), None)
        phrase = self.starts.get(comma + 1) if comma is not None else None
        if line[start] not in lexicon["of"] or phrase is None or phrase.kind != "person":
            return
        if phrase.determined or phrase.plural or line[phrase.end] not in lexicon["of"]:
            return
        if who.who in {"speaker", "listener"}:
            self._add(self._phrase_words(phrase), who, rule, "likely")

    def _is_compound(self, verb: Verb) -> bool:
        """Whether a participle follows in the first or second person: *ci sono cascato*."""
        at = self._after_adverbs(verb.at + 1)
        form = self.lexicon.predicate(self.line[at])
        if form is None or form.plural or verb.form.persons & {"3s"}:
            return False
        if form.masculine in self.lexicon["copular_participles"]:  # ci sono stata
            return True
        known = self.lexicon.verbs.get(form.masculine)
        return known is not None and known.mood == "participle"

    def _with_title(self, read: Read, who: Referent, rule: str, *, plural: bool) -> Read:
        """A noun right after what is said: *elegida presidenta*."""
        found = self.starts.get(read.end)
        if read.phrase is not None or found is None or found.kind != "person":
            return read
        if found.determined or found.plural != plural:
            return read
        self._add(self._phrase_words(found), who, rule)
        return read._replace(end=found.end)

    def _deemed(self, read: Read, who: Referent, rule: str, *, plural: bool) -> Read:
        """*Fue considerada apta*, *declarado culpado*."""
        known = self.lexicon.verbs.get(read.words[-1][1].form.masculine) if read.words else None
        form = self.lexicon.adjective(self.line[read.end])
        if known is None or known.infinitive not in self.lexicon["considering"] or form is None:
            return read
        gender = read.words[-1][1].form.gender
        if form.plural != plural or form.gender not in {None, gender} or read.end in self.starts:
            return read
        self._add([(read.end, Target(form))], who, rule, "likely")
        return read._replace(end=read.end + 1)

    def _after_participle(self, read: Read, who: Referent, rule: str, *, plural: bool) -> Read:
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
                known = self.lexicon.verbs.get(read.words[-1][1].form.masculine)
                if known is not None and known.infinitive in self.lexicon["considering"]:
                    determined = determined and self.line[at] not in self.lexicon["few"]
                    at = further.words[-1][0]
                if determined or not self.lexicon.predicate(self.line[at]):
                    return read
            first, second = read.words[-1][1].form, further.words[-1][1].form
            if first.gender and second.gender and first.gender != second.gender:
                return read
            self._add(further.words, who, rule, "likely")
            read = further
        return read

    def _coordinated(self, read: Read, who: Referent, rule: str, *, plural: bool) -> None:
        """The adjectives joined to a predicate: *alto, delgado y muy tímido*."""
        line, lexicon = self.line, self.lexicon
        gender = next((each.form.gender for _, each in read.words if each.form.gender), None)
        read = self._intensified(read, who, rule)
        self._compared(read, who, rule, gender)
        at, near, steps = read.end, True, 0
        while steps < 12 and at < len(line) and not line.ends_sentence(at):
            if line[at] not in lexicon["joiners"]:
                if any(verb.at == at and verb.finite for verb in self.clauses.verbs):
                    return
                near = near and line[at] in lexicon["adverbs"]
                at, steps = at + 1, steps + 1
                continue
            after = self._after_adverbs(at + 1)
            if line[at] in lexicon["and"] and line[at + 1] in lexicon["little_things"]:
                return  # ni nada parecido
            if line[after] in lexicon["joiners"] or line[after] in lexicon["after_joiners"]:
                after = self._after_adverbs(after + 1)
            found = self._joined(after, gender, plural=plural, near=near)
            if found is None:
                found = self._joined_noun(after, read, who, near=near)
            if found is None:
                at, near, steps = at + 1, False, steps + 1
                continue
            self._add(found.words, who, rule, "likely")
            found = self._deemed(found, who, rule, plural=plural)
            gender = gender or next((w.form.gender for _, w in found.words if w.form.gender), None)
            at, near = found.end, True

    def _intensified(self, read: Read, who: Referent, rule: str) -> Read:
        """*Incazzato nero*, *innamorata persa*."""
        form = self.lexicon.adjective(self.line[read.end])
        if (
            form is None
            or not read.words
            or self.line[read.end] not in self.lexicon["intensifying"]
        ):
            return read
        if form.gender != read.words[-1][1].form.gender or read.words[-1][0] != read.end - 1:
            return read
        self._add([(read.end, Target(form))], who, rule, "likely")
        return read._replace(end=read.end + 1)

    def _compared(self, read: Read, who: Referent, rule: str, gender: Gender | None) -> None:
        """*Más europea que española*."""
        line, lexicon = self.line, self.lexicon
        at = read.end + 1
        if line[read.end] in lexicon["contractions"] and line[at] in lexicon["than"]:
            at += 1  # mais morto do que vivo
        if not read.words or line[at - 1] not in lexicon["than"] or not line.is_mark(at + 1):
            return
        if line[read.words[0][0] - 1] in lexicon["comparing"] and lexicon.is_listed(line[at]):
            found = self._joined(at, gender, plural=False, near=True)
            if found is not None and found.phrase is None:
                self._add(found.words, who, rule, "likely")

    def _joined(self, at: int, gender: Gender | None, *, plural: bool, near: bool) -> Read | None:
        line, lexicon = self.line, self.lexicon
        phrase = self.starts.get(at)
        if phrase is not None and not (phrase.kind == "thing" and self._is_bare(phrase)):
            if phrase.kind != "person" or phrase.plural != plural or phrase.determined:
                return None
            if gender and phrase.gender and phrase.gender != gender:
                return None
            called = line[at - 1] == "," and (  # estoy lista, hija
                line.ends_sentence(phrase.end)
                or (line.is_mark(phrase.end) and line[at] in lexicon["forms_of_address"])
            )
            if called or self._acts(phrase.end):
                return None
            return Read(self._phrase_words(phrase), phrase.end, phrase)
        form = lexicon.adjective(line[at])
        if form is None or form.plural != plural or not line.is_word(at) or line.is_name(at):
            return None
        verb = lexicon.verb(line[at])
        state = lexicon.is_state(line[at]) and line.is_mark(at + 1)
        if verb is not None and verb.mood == "finite" and not state:  # y vivo en Lima
            return None
        if self._soothes(at) or (line[at - 1] == "," and line[at] in lexicon["not_attributes"]):
            return None
        if line[at] in lexicon["only"] and line[at - 1] not in lexicon["and"]:
            return None
        alike = line[at - 1] in lexicon["and"] and line[at].endswith(PARTICIPLES)
        if not near and not alike and not lexicon.is_listed(line[at]):
            return None
        if gender and form.gender and gender != form.gender:
            return None
        following = self.starts.get(at + 1)
        if following is not None and following.kind == "thing" and self._is_bare(following):
            return None
        return Read(((at, Target(form)),), at + 1)

    def _joined_noun(self, at: int, read: Read, who: Referent, *, near: bool) -> Read | None:
        """*Soy un soñador y un viajero*, *fui la primera en llegar y la última en irme*."""
        line, lexicon, phrase = self.line, self.lexicon, self.starts.get(at)
        if phrase is None or phrase.kind == "thing" or phrase.plural or not phrase.determined:
            return None
        first, article = read.phrase, lexicon.determiners.get(line[at])
        before = lexicon.determiners.get(line[first.start]) if first is not None else None
        alike = before is not None and article is not None and before.feminine == article.feminine
        indefinite = line[at] in lexicon["one"] or line[at] in lexicon["few"]
        if not alike and not (indefinite and near and phrase.kind == "person"):
            return None
        if who.who == "speaker" and line[at] in lexicon["first_evidence"]:  # y mi madre
            return None
        if first is not None and first.gender and phrase.gender not in {None, first.gender}:
            return None
        between = (each.kind for each in self.clauses.phrases if read.end <= each.start < at)
        if "person" in between or self._acts(phrase.end):
            return None
        return Read(self._phrase_words(phrase), phrase.end, phrase)

    def _is_persons(self, read: Read, verb: Verb) -> bool:
        """Whether a subject that is not named is a person, by what is said of it."""
        lexicon, line = self.lexicon, self.line
        if read.phrase is not None and read.phrase.kind == "person":
            return True
        if line[read.end] in lexicon["that"]:  # está claro que
            return False
        after = read.end + 1 if lexicon.adjective(line[read.end]) else read.end
        subject = self.starts.get(after) if line[after] not in lexicon["contractions"] else None
        dative = set(verb.clitics) & lexicon.dative_pairs.keys()
        if dative and subject is not None and subject.kind == "thing" and subject.determined:
            return False  # gli è stata consegnata una lettera
        following = lexicon.verb(line[read.end])
        if following is not None and following.mood == "infinitive":
            return False
        at, target = read.words[-1] if read.words else (read.end - 1, None)
        if line[at] in lexicon["copular_participles"]:
            at = self._after_adverbs(at + 1)
        if self._is_fixed_named(verb):
            return False
        if lexicon.is_state(line[at]) or lexicon.noun(line[at]) is not None:
            return True
        if lexicon.noun(line[read.end]) is not None:  # sarà ritenuta responsabile
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
            and line[phrase.head] not in lexicon["times"]
            for phrase in earlier
        )

    def _is_fixed_named(self, verb: Verb) -> bool:
        """Whether somebody was named by a noun of one gender: *la vittima …, dove è morta*."""
        start, _ = self.line.sentence(verb.at)
        names = {*self.line.keys[start : verb.at]} & self.lexicon["of_one_gender"]
        return bool(names)

    def _may_be_things(self, read: Read, verb: Verb, who: Referent) -> bool:
        """Whether a thing just named, or a subject after the verb, may be meant.

        *mi piso, aunque sea pequeño*
        """
        determined = read.phrase is not None and read.phrase.determined
        if determined and verb.form.infinitive in self.lexicon["never_nominal"]:
            return True  # a mi lado estaba una señora
        if verb.form.infinitive in self.lexicon["wearing"] and read.phrase is None:
            return not self.lexicon.is_known(self.line[read.end - 1])  # me puse abrigo
        if who.sure == "certain" or not {"1s", "3s"} <= verb.form.persons:
            return False
        at, target = read.words[-1] if read.words else (read.end - 1, None)
        if read.phrase is None and self.line[at] in self.lexicon["said_of_things"]:
            return True
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
        self,
        verb: Verb,
        who: Referent,
        *,
        near: bool = True,
        start: int | None = None,
        listed: bool = True,
    ) -> None:
        """An adjective said of the subject beside its verb: *llegué cansado*.

        Beside a verb in no list, only what cannot be said of anybody or anything else nearby.
        """
        line, lexicon = self.line, self.lexicon
        at = self._after_adverbs(self._after_enclitic(verb) if start is None else start)
        if near and self._in_order(at, verb, who):
            return
        steps = 0
        plural = self._are_several(who)
        while steps < 8 and at < len(line) and not line.ends_sentence(at):
            if self._ends_clause(at, verb, plural=plural):
                return
            whole = self._wholly(at)
            at += len(whole)
            form = lexicon.adjective(line[at]) if not self._is_only(at) else None
            if line[at] in lexicon["everything"] and line.is_mark(at + 1):  # se lo llevó todo
                form = None
            if at == verb.at + 1 and line[at] in lexicon["manner"]:  # habla bajo
                return
            free = at not in self.blocked or lexicon.is_state(line[at])
            free = free and at not in self.perfects
            said = near or lexicon.is_state(line[at])
            beside = self.clauses.inside.get(at)
            named = line.is_name(at) or (beside is not None and beside.kind == "person")
            if self._soothes(at) or (not listed and (named or line[at] == ",")):
                return
            if form is not None and free and said and form.plural == plural and line.is_word(at):
                if who.phrase is not None and self._disagrees(who.phrase, form):
                    return
                if not whole and self._is_others(at, form, listed=listed):
                    return
                if self._is_alone(at, form):
                    read = Read((*whole, (at, Target(form))), at + 1)
                    self._add(read.words, who, "said beside the verb", "likely")
                    read = self._with_title(read, who, "said beside the verb", plural=plural)
                    self._coordinated(read, who, "said beside the verb", plural=plural)
                return
            near = False
            at, steps = at + 1, steps + 1

    def _wholly(self, at: int) -> tuple[tuple[int, Target], ...]:
        """*Tutta sudata*: the word before a state that agrees with it."""
        form = self.lexicon.determiners.get(self.line[at])
        state = self.lexicon.is_state(self.line[at + 1])
        if form is None or self.line[at] not in self.lexicon["wholly"] or not state:
            return ()
        return ((at, Target(form)),)

    def _ends_clause(self, at: int, verb: Verb, *, plural: bool) -> bool:
        """Whether another verb begins there, or an infinitive with its own object: *verla*."""
        line, lexicon = self.line, self.lexicon
        if line[at] in lexicon["subordinators"]:
            return True
        if at == verb.at or (plural and lexicon.is_listed(line[at])):  # arrivano stanchi
            return False
        return any(
            each.at == at and (each.finite or lexicon.object_pairs.keys() & {*each.clitics})
            for each in self.clauses.verbs
        )

    def _is_others(self, at: int, form: Form, *, listed: bool) -> bool:
        """Whether the adjective is said of somebody or something else than the subject."""
        line, lexicon, inside = self.line, self.lexicon, self.clauses.inside.get(at)
        if inside is not None and not self._may_hold(inside, at):
            return True
        before = line[at - 1]
        if before in lexicon.determiners or line.is_name(at):
            return True
        if before in lexicon["prepositions"] or before in lexicon["how"]:
            return True
        if self._beside_comma(at, form) is not None:
            return True
        first = self.clauses.inside.get(at - 2) if before in lexicon["and"] else None
        if first is not None and first.kind == "thing" and first.head < at - 2:
            return True  # una carta larga y confusa
        worn = not lexicon.is_state(line[at]) and self._is_absolute(at, form)
        return worn or self._is_things(at, form, inside, listed=listed)  # llevo puesta una blusa

    def _is_things(
        self, at: int, form: Form, inside: Phrase | None, *, listed: bool = True
    ) -> bool:
        """*Una noche tranquila*: beside the noun of a thing, of which it can be said too."""
        if inside is None or inside.kind != "thing":
            return False
        line, lexicon = self.line, self.lexicon
        held = lexicon.verb(line[inside.start - 1])
        had = line[inside.start - 1] in lexicon["with"] or (
            held is not None and held.infinitive in lexicon["having"]
        )
        if had and at == inside.head + 1 and line[inside.head] not in lexicon["times"]:
            return inside.gender in {None, form.gender}  # con la ropa empapada
        if listed and (at != inside.head + 1 or form.masculine not in self.lexicon["things_too"]):
            return False
        return inside.gender in {None, form.gender}

    def _in_order(self, at: int, verb: Verb, who: Referent) -> bool:
        """*Llegué la primera*, *parlare per ultima*, *salí campeón*."""
        line, lexicon = self.line, self.lexicon
        phrase = self.starts.get(at)
        words: tuple[tuple[int, Target], ...] = ()
        if line[at] in lexicon["in_order"] and line[at + 1] in lexicon["ordinals"]:
            form = lexicon.adjective(line[at + 1])
            words = ((at + 1, Target(form)),) if form is not None else ()
        elif phrase is None or phrase.plural or line[at] in lexicon["contractions"]:
            return False
        elif phrase.kind == "nominal" and phrase.determined:
            after = line[phrase.end + 1] if line[phrase.end] in lexicon["of"] else ""
            counted = after in lexicon["times"] or after in lexicon["invariable_determiners"]
            if line[phrase.head] in lexicon["ordinals"] and not counted:  # el primero de mayo
                words = self._phrase_words(phrase)
        elif (
            phrase.kind == "person"
            and not phrase.determined
            and verb.form.infinitive in lexicon["turning_out"]
        ):
            words = self._phrase_words(phrase)
        if not words:
            return False
        self._add(words, who, "said beside the verb", "likely")
        return True
