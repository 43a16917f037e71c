"""Find all words that agree with a person: predicates, roles, emphasis, vocatives, nouns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from epicene.rewriting.neutral import UNCLEAR
from epicene.rewriting.romance.antecedents import Antecedents
from epicene.rewriting.romance.clauses import Referent, Verb
from epicene.rewriting.romance.phrases import PARTICIPLES
from epicene.rewriting.romance.readings import Found, Read, Target

if TYPE_CHECKING:
    from epicene.rewriting.persons import TargetGenders
    from epicene.rewriting.quotations import Passage
    from epicene.rewriting.romance.lexicon import Form, Lexicon
    from epicene.rewriting.romance.line import Line
    from epicene.rewriting.romance.phrases import Phrase


def find_sites(
    passage: Passage[Line],
    wanted: TargetGenders,
    lexicon: Lexicon,
    *,
    generic_plurals: bool = False,
) -> Found:
    """The words of a passage that agree with somebody in `wanted`.

    Masculine plurals that may include women are among them only with `generic_plurals`.
    """
    return _Finder(passage, wanted, lexicon, generic_plurals=generic_plurals).find()


class _Finder(Antecedents):
    def find(self) -> Found:
        """Apply the rules, the most certain first."""
        if "others" in self.wanted:
            self._sexed()
        self._emphatics()
        for verb in self.clauses.verbs:
            self._verb(verb)
        self._by_oneself()
        self._exclaimed()
        self._detached()
        self._fragments()
        self._answers()
        self._self_named()
        self._roles()
        self._vocatives()
        self._polite_nouns()
        self._greetings()
        self._called_names()
        if "others" in self.wanted:
            self._third_pronouns()
        for verb in self.clauses.verbs:
            self._person_object(verb)
        self._other_people()
        self._stood_for()
        self._headlines()
        self._appositions()
        self._which()
        self._echoes()
        if self.generic_plurals:
            self._unclear()
        return self.sites

    def _unclear(self) -> None:
        """Plural adjectives and pronouns in a sentence with several people, whom they may mean."""
        line, lexicon = self.line, self.lexicon
        several = [
            phrase
            for phrase in self.clauses.phrases
            if phrase.plural and (site := self.sites.get(phrase.head)) and site.who == "others"
        ]
        for at in range(len(line)):
            form = lexicon.plural_pronouns.get(line[at]) or lexicon.predicate(line[at])
            inside = self.clauses.inside.get(at)
            if form is None or not form.plural or at in self.claimed or line.is_name(at):
                continue
            if inside is not None and not (self._is_bare(inside) and lexicon.adjective(line[at])):
                continue
            start, end = line.sentence(at)
            if any(start <= each.head < end and each.gender == form.gender for each in several):
                self._add([(at, Target(form))], Referent("others"), UNCLEAR, "guess")
        for phrase in several:
            self._unclear_one(phrase)

    def _unclear_one(self, phrase: Phrase) -> None:
        """*Nessuno degli invitati è venuto*: the pronoun, and what may be said of that one."""
        line, lexicon = self.line, self.lexicon
        one = phrase.start - (2 if line[phrase.start - 1] == "de" else 1)
        if line[one] not in lexicon.partitives:
            return
        for at in (one, *range(phrase.end, line.sentence(one)[1])):
            form = lexicon.partitives[line[one]] if at == one else lexicon.predicate(line[at])
            taken = at in self.claimed or (at != one and at in self.clauses.inside)
            if form is None or not form.gender or form.plural or taken or line.is_name(at):
                continue
            self._add([(at, Target(form))], Referent("others"), UNCLEAR, "guess")

    def _by_oneself(self) -> None:
        """*da solo*: said of the subject of the verb before it, or after it."""
        line, lexicon = self.line, self.lexicon
        for at in range(1, len(line)):
            form = lexicon.adjective(line[at]) if line[at - 1] in lexicon["by"] else None
            verb = self.clauses.verb_before(at, finite=False) or self.clauses.verb_after(at)
            beside = self.clauses.inside.get(at - 2)
            if form is None or verb is None or at in self.claimed:
                continue
            if (
                beside is not None and beside.kind == "person" and not beside.plural
            ):  # una ragazza seduta da sola
                continue
            who = self.clauses.subject(verb)
            if not self._means_alone(at, form, who):
                continue
            if not who.dropped and (who.phrase is None or not self._disagrees(who.phrase, form)):
                self._add([(at, Target(form))], who, "said beside the verb", "likely")

    def _exclaimed(self) -> None:
        """*¡Qué tonta soy!*, *Che stupido che sono!*"""
        line, lexicon = self.line, self.lexicon
        for verb in self.clauses.verbs:
            reflexive = verb.form.infinitive in lexicon["reflexive_copulas"] and verb.clitics
            beside = verb.form.infinitive in lexicon["secondary"]  # ¡qué guapa vienes!
            if verb.form.infinitive not in lexicon["copulas"] and not reflexive and not beside:
                continue
            finite = self._finite(verb)  # ¡qué ciego he estado!
            if not verb.finite and (verb.form.mood != "participle" or finite.at != verb.at - 1):
                continue
            at = finite.at - 1 - len(finite.clitics)
            while line[at] in lexicon["relatives"] or self.clauses.pronoun(line[at]) is not None:
                at -= 1
            form = lexicon.adjective(line[at])
            if form is None or form.plural or at in self.claimed or at in self.starts:
                continue
            who = self.clauses.subject(finite)
            if self._is_exclaimed(at) and who.who in {"speaker", "listener"}:
                self._add([(at, Target(form))], who, "exclaimed", "likely")
        self._exclaimed_first()

    def _is_exclaimed(self, at: int) -> bool:
        """Whether it comes before its verb with a word of degree: *lo sola que estoy*."""
        line, lexicon = self.line, self.lexicon
        before = at - 1
        while line[before] in lexicon["degree"]:
            before -= 1
        much = line[before] in lexicon["how"] and line[at] not in lexicon["ordinals"]
        if before < at - 1:  # de tan loca que estaba, por muy sola que esté
            much = much or line[before] in lexicon["of"] or line[before] in lexicon["however"]
        return line[before] in lexicon["exclaiming"] or (much and line[at + 1] in lexicon["that"])

    def _exclaimed_first(self) -> None:
        line, lexicon = self.line, self.lexicon
        for at in range(len(line)):  # Che stupida, ho lasciato le chiavi in macchina
            if not line.begins(at) or line[at] not in lexicon["exclaiming"]:
                continue
            here = self._after_adverbs(at + 1)
            form, following = lexicon.adjective(line[here]), self.clauses.verb_after(here)
            if form is None or form.plural or following is None or line[here + 1] != ",":
                continue
            who = self.clauses.object_of(following) or self.clauses.subject(following)
            if lexicon.is_listed(line[here]) and who == self.clauses.speaker():
                self._add([(here, Target(form))], who, "exclaimed", "likely")

    def _detached(self) -> None:
        """What is said before the verb or between commas: *Cansado de esperar, me fui*."""
        line, lexicon = self.line, self.lexicon
        for at in range(len(line)):
            initial = self._opens_sentence(at)
            once = line[at - 1] in lexicon["once"] and line[at - 2] in lexicon["few"]
            opens = line[at - 1] == "," or line[at - 1] in lexicon["detaching"]
            opens = opens or f"{line[at - 2]}_{line[at - 1]}" in lexicon["afterwards"]
            if not initial and not opens and not once:
                continue
            here = self._after_adverbs(at)
            form = self._detached_form(here)
            if form is None or not line.is_word(here) or here in self.claimed:
                continue
            if not self._may_be_detached(here, form):
                continue
            if initial and not lexicon.is_listed(line[here]) and self._acts(here + 1):
                continue  # Soriano era famoso
            beside = self._beside_comma(at, form) if not initial else None
            said = initial or once or lexicon.is_state(line[here])
            said = said or self._adds_participle(here, beside)
            if not said or not self._is_alone(here, form) or self._is_absolute(here, form):
                continue
            verb = self.clauses.verb_after(here) if initial or once else None
            verb = verb or self.clauses.verb_before(here) or self.clauses.verb_after(here)
            if verb is None or line[here + 1] in lexicon["relatives"]:
                continue
            who = beside or self.clauses.subject(verb)
            if initial and who.who is None:
                who = self._by_object(here, verb) or who
            plural = self._are_several(who)
            if form.plural != plural:
                continue
            if who.phrase is not None and self._disagrees(who.phrase, form):
                continue
            if (
                not initial and not beside and self._has_object(verb, form)
            ):  # la vi en un banco, sola
                continue
            read = Read(((here, Target(form)),), here + 1)
            self._add(read.words, who, "said beside the clause", "likely")
            self._coordinated(read, who, "said beside the clause", plural=plural)

    def _by_object(self, at: int, verb: Verb) -> Referent | None:
        """*Stanca morta, mi presero in braccio*; *appena tornato, chiedete pure*."""
        if verb.form.persons == {"2p"} and self.clauses.is_dropped(verb):
            return self.clauses.speaker("guess")
        if self.lexicon["subordinators"] & {*self.line.keys[at : verb.at]}:
            return None
        return self.clauses.object_of(verb)

    def _adds_participle(self, at: int, beside: Referent | None) -> bool:
        """*Il testimone, ammonito dal giudice, …*; *il conte entrò, appoggiato a un bastone*."""
        word = self.line[at]
        known = self.lexicon.verbs.get(word[:-1] + "o")
        if not word.endswith(PARTICIPLES) and (known is None or known.mood != "participle"):
            return False
        following = self.line[at + 1]
        followed = following in self.lexicon["prepositions"] | self.lexicon["contractions"]
        if beside is not None:
            return self.lexicon["participles_agree"] != frozenset()
        before = self.clauses.inside.get(at - 2)
        verb = self.clauses.verb_before(at)
        subject = self.clauses.subject(verb).phrase if verb is not None else None
        named = subject is not None and subject.kind == "person"
        return followed and named and before is None and self.line[at - 1] == ","

    def _opens_sentence(self, at: int) -> bool:
        """Whether a sentence begins there, or with *por*, *aun* or *apesar de* before it."""
        line, lexicon = self.line, self.lexicon
        opener = f"{line[at - 2]}_{line[at - 1]}" in lexicon["afterwards"]
        return (
            line.begins(at)
            or (line[at - 1] in lexicon["detaching"] and line.begins(at - 1))
            or (opener and line.begins(at - 2))
        )

    def _may_be_detached(self, at: int, form: Form) -> bool:
        if at in self.perfects or at in self.starts or self._soothes(at):
            return False
        if self.line[at] in self.lexicon["greeting_adjectives"] and self.line.begins(at):
            return False
        if self.line[at] in self.lexicon["not_initial"]:
            return False
        listed = form.plural and self.lexicon.is_listed(self.line[at])  # stanchi
        return listed or at not in {verb.at for verb in self.clauses.verbs}

    def _detached_form(self, at: int) -> Form | None:
        form = self.lexicon.adjective(self.line[at])
        if form is None and at not in self.starts and self.line[at - 1] in self.lexicon["just"]:
            return self.lexicon.participle(self.line[at])
        return form

    def _has_object(self, verb: Verb, form: Form) -> bool:
        """Whether a pronoun of another person or thing agrees too."""
        pairs = self.lexicon.object_pairs
        return any(
            each in pairs and pairs[each].gender in {None, form.gender} for each in verb.clitics
        )

    def _roles(self) -> None:
        """*como enfermera*, *de niño*: what the subject, or the object me, is or was."""
        line, lexicon = self.line, self.lexicon
        last: Referent | None = None
        for at in range(len(line)):
            words = self._role_at(at)
            verb = self._role_verb(at)
            if words is None or verb is None or at + 1 in self.claimed:
                continue
            who = self._role_named(at) or self._role_bearer(verb)
            if line[at - 1] in lexicon["and"] and last is not None:  # come autore e come curatore
                who = last
            last = who
            if who.who is not None and (who.phrase is None or not who.phrase.plural):
                phrase = self._role_phrase(at)
                self._add(words, who, "role", "likely")
                self._second_role(
                    phrase.end if phrase is not None else self._role_start(at) + 1, who
                )

    def _role_at(self, at: int) -> tuple[tuple[int, Target], ...] | None:
        """The words of the role that a preposition or conjunction opens, if it opens one."""
        line, lexicon = self.line, self.lexicon
        if lexicon.adverbs_at(line, at):  # de novo
            return None
        if self._is_job(at):
            return self._role_held(at)
        if line[at] in lexicon["when"]:
            young = line[self._role_start(at)] in lexicon["ages"]
            return self._role_held(at) if young or self._opens_role(at) else None
        return self._role_compared(at) if line[at] in lexicon["as"] else None

    def _role_start(self, at: int) -> int:
        line, lexicon = self.line, self.lexicon
        here = at + 2 if line[at + 1] in lexicon["degree"] else at + 1
        return here + (line[at] in lexicon["as"] and line[here] in lexicon["as_to"])

    def _role_phrase(self, at: int) -> Phrase | None:
        phrase = self.starts.get(self._role_start(at))
        if phrase is not None and phrase.kind == "thing":
            return self._as_person(phrase)
        return phrase

    def _role_held(self, at: int) -> tuple[tuple[int, Target], ...] | None:
        """*de niño*, *trabajé de camarera*, *in qualità di inquilino uscente*."""
        here, phrase = self._role_start(at), self._role_phrase(at)
        named = phrase is not None and phrase.kind == "person" and not phrase.plural
        if phrase is not None and named and not phrase.determined:
            return self._phrase_words(phrase)
        form = self.lexicon.noun(self.line[here]) or self.lexicon.adjective(self.line[here])
        if form is None or (phrase is not None and phrase.end > here + 1):
            return None
        return ((here, Target(form)),)

    def _role_compared(self, at: int) -> tuple[tuple[int, Target], ...] | None:
        """*como enfermera*, *como tu médica*; not *como la enfermera*."""
        line, lexicon = self.line, self.lexicon
        here, phrase = self._role_start(at), self._role_phrase(at)
        if phrase is None:
            form = lexicon.noun(line[here])
            return ((here, Target(form)),) if form is not None and not form.plural else None
        another = (
            line[here] in lexicon["contractions"]
            or line[here] in lexicon["invariable_determiners"]
            or (phrase.kind == "person" and line[here] in lexicon["articles"])
            or (line[here] in lexicon["possessives"] and not line.begins(at))
        )
        if another or phrase.kind == "thing" or phrase.plural or self._acts(phrase.end):
            return None
        return self._phrase_words(phrase)

    def _role_verb(self, at: int) -> Verb | None:
        """The verb whose subject or object has the role."""
        after = self.clauses.verb_after(at)
        if self.line[at - 1] == "," and self.line[at - 2] in self.lexicon["that"]:
            return after  # le ruego que, como …
        return self.clauses.verb_before(at, finite=False) or after

    def _role_named(self, at: int) -> Referent | None:
        """Whose role it is: *para mí, como médica*; *mi vida como médica*; *marcou você como*."""
        line, lexicon = self.line, self.lexicon
        before = at - 2 if line[at - 1] == "," else at - 1
        if line[before] in lexicon["first_tonic"]:
            return self.clauses.speaker()
        if before == at - 1 and self.clauses.pronoun(line[before]) is not None:
            return self.clauses.pronoun(line[before])
        if line[before] in lexicon["second_tonic"]:
            return self.clauses.listener()
        owned = self.clauses.inside.get(at - 1)
        if owned is None or owned.kind != "thing":
            return None
        words = {*line.keys[owned.start : owned.head]}
        return self.clauses.speaker() if words & lexicon["first_evidence"] else None

    def _second_role(self, end: int, who: Referent) -> None:
        """*Come portavoce e tesoriere*."""
        second = self.starts.get(end + 1) if self.line[end] in self.lexicon["and"] else None
        if second is None or second.kind != "person" or second.determined or second.plural:
            return
        if not self._acts(second.end):
            self._add(self._phrase_words(second), who, "role", "likely")

    def _opens_role(self, at: int) -> bool:
        """*Da medico, lo sconsiglio*."""
        form = self.lexicon.noun(self.line[at + 1])
        if self.line[at] not in self.lexicon["initial_roles"] or form is None or form.plural:
            return False
        if self.lexicon.adverbs_at(self.line, at):  # da vicino
            return False
        done = self.clauses.verb_before(at, finite=False)  # ci torno da volontario
        return (
            self.line.begins(at)
            or self.line[at - 1] == ","
            or (done is not None and done.at == at - 1 and done.form.persons in ({"1s"}, {"2s"}))
        )

    def _is_job(self, at: int) -> bool:
        """*trabajé de camarera*, *en calidad de abogado*."""
        line, lexicon = self.line, self.lexicon
        phrase = self.starts.get(at + 1)
        person = phrase is not None and phrase.kind == "person"
        if line[at] not in lexicon.role_prepositions:
            return False
        if not person and lexicon.noun(line[at + 1]) is None:
            return False
        agreeing = lexicon.adjective(line[at - 1])
        verb = lexicon.verb(agreeing.masculine if agreeing is not None else line[at - 1])
        if verb is not None and f"{verb.infinitive}_{line[at]}" in lexicon["job_verbs"]:
            return True
        return f"{line[at - 1]}_{line[at]}" in lexicon["capacities"]

    def _role_bearer(self, verb: Verb) -> Referent:
        finite = self._finite(verb)
        if finite.finite:
            by_object = self.clauses.object_of(finite)
            if by_object is not None and not finite.form.persons & {"1s", "2s"}:
                return by_object
        found = self.clauses.subject(verb)
        return found if not found.dropped else found._replace(sure="guess")

    def _emphatics(self) -> None:
        """*yo mismo*, *tú sola*, *conmigo misma*, *todo yo*, and what else follows a pronoun."""
        for at in range(len(self.line)):
            who = self._emphasised(at)
            if who is None:
                continue
            self._pitied(at, who)
            after = at + 2 if self.line[at + 1] == "-" else at + 1
            if self._is_adverb_only(after):
                continue
            self._stressed(after, who)
            named = self.clauses.pronoun(self.line[at]) is not None
            if named and who.who != "others" and self.line[at + 1] == ",":
                self._set_off(at + 2, who)
            self._said_of_pronoun(at, who)
            self._apposed_to_pronoun(at, who)

    def _emphasised(self, at: int) -> Referent | None:
        """Whom a pronoun means: *yo*, *mí*, *te*, *sé stessa*."""
        line, lexicon = self.line, self.lexicon
        if line[at] in lexicon["third_weak"] and line[at + 1] in lexicon["own"]:
            verb = self.clauses.verb_before(at, finite=False)
            return self.clauses.subject(verb) if verb is not None else None
        who = self.clauses.pronoun(line[at])
        if who is not None:
            return who
        if line[at] in lexicon["third_tonic"]:
            return Referent("others")
        if line[at] in lexicon["second_tonic"]:
            return self.clauses.listener()
        return self.clauses.speaker() if line[at] in lexicon["first_tonic"] else None

    def _is_adverb_only(self, at: int) -> bool:
        """*Yo solo quería ayudar*."""
        done = self.lexicon.verb(self.line[at + 1])
        only = self.line[at] in self.lexicon["only"] and done is not None
        return only and done is not None and done.infinitive in self.lexicon["only_verbs"]

    def _stressed(self, at: int, who: Referent) -> None:
        """*yo mismo*; *io stupida che gli ho creduto*."""
        form = self.lexicon.adjective(self.line[at])
        if form is None or form.plural:
            return
        if self.line[at] in self.lexicon["emphatic"] or self._is_scolded(at):
            self._add([(at, Target(form))], who, "emphasis")

    def _said_of_pronoun(self, at: int, who: Referent) -> None:
        """*, também ela intoxicada pelo fumo*; *vos siempre tan exagerada*."""
        line, lexicon = self.line, self.lexicon
        here = self._after_adverbs(at + 1)
        form = lexicon.adjective(line[here]) if lexicon.is_listed(line[here]) else None
        if form is None or form.plural:
            return
        if line[at - 1] in lexicon["too"] and line[at - 2] == ",":
            self._add([(here, Target(form))], who, "apposition", "likely")
        bare = who.who != "others" and line[at - 1] not in lexicon["prepositions"]
        if bare and here > at + 1 and line.is_mark(here + 1):
            self._add([(here, Target(form))], who, "said without a verb", "likely")

    def _apposed_to_pronoun(self, at: int, who: Referent) -> None:
        """*Yo, la menor de cinco,*; *tú, médica, deberías saberlo*."""
        comma = self.line[at + 1] == ","
        phrase = self.starts.get(at + 2 if comma else at + 1)
        if phrase is None or phrase.kind != "person" or phrase.plural:
            return
        if not comma and phrase.determined:
            return
        if comma and who.who == "others":
            return
        ends = not phrase.determined and not self._acts(phrase.end)
        if not comma or ends or self.line[phrase.end] == ",":
            self._add(self._phrase_words(phrase), who, "apposition", "likely")

    def _is_scolded(self, at: int) -> bool:
        """*Io stupida che gli ho creduto*."""
        listed = self.lexicon.is_listed(self.line[at])
        return listed and at not in self.starts and self.line[at + 1] in self.lexicon["relatives"]

    def _pitied(self, at: int, who: Referent) -> None:
        """*Povero me*, *coitada de mim*, *beato lui*; not *preocupada comigo*."""
        line, lexicon = self.line, self.lexicon
        envied = lexicon.adjective(line[at - 1]) if line[at - 1] in lexicon["pitying"] else None
        if envied is not None and line.is_mark(at + 1) and line.is_mark(at - 2):
            self._add([(at - 1, Target(envied))], who, "exclaimed", "likely")
        here = at - 2 if line[at - 1] in lexicon["of"] else at - 1
        form = lexicon.adjective(line[here]) if lexicon.is_listed(line[here]) else None
        opens = here >= 0 and (line.begins(here) or (here < at - 1 and line[here - 1] == ","))
        if form is None or form.plural or not opens or who.who == "others":
            return
        tonic = self.clauses.pronoun(line[at]) is None and not line[at].startswith("co")
        if tonic and line.is_mark(at + 1):
            self._add([(here, Target(form))], who, "exclaimed", "likely")

    def _set_off(self, at: int, who: Referent) -> None:
        """*Yo, agotada, me dormí*; *tres chicos y yo, la pequeña*."""
        adverbs = self.lexicon.adverbs_at(self.line, at)
        if adverbs and self.line[at + adverbs] == ",":  # yo, como siempre, la única que conduce
            at += adverbs + 1
        phrase = self.starts.get(at)
        if phrase is not None and phrase.determined and not phrase.plural:
            further = self.lexicon["relatives"] | self.lexicon["of"] | self.lexicon["prepositions"]
            open_after = self.line[phrase.end] in further
            if phrase.kind != "thing" and (open_after or self.line.is_mark(phrase.end)):
                self._add(self._phrase_words(phrase), who, "apposition", "likely")
        else:
            self._apposed(at, who)

    def _appositions(self) -> None:
        """*El actor, ganador de dos premios, …*; *la paciente, hipertensa y diabética, …*"""
        for phrase in self.clauses.phrases:
            if phrase.kind != "person" or phrase.plural:
                continue
            at = phrase.end
            while self.line.is_name(at):
                at += 1
            of = self.clauses.inside.get(at + (self.line[at] not in self.lexicon["contractions"]))
            if self.line[at] in self.lexicon["of"] and of is not None and of.kind == "thing":
                at = of.end  # moradora do prédio, afetada pelas obras
            who = self.owners.get(phrase.head)
            if who is not None and self.line[at] == ",":
                self._apposed(at + 1, Referent(who, phrase))

    def _apposed(self, at: int, who: Referent) -> None:
        """What is said of somebody after a comma: a noun without article, an adjective."""
        line, lexicon = self.line, self.lexicon
        here = self._after_adverbs(at)
        phrase, form = self.starts.get(here), lexicon.adjective(line[here])
        if here in self.claimed or here in self.perfects or self._soothes(here):
            return
        if phrase is not None and phrase.kind == "person":
            if phrase.determined or phrase.plural or self._acts(phrase.end):
                return
            form, read = None, Read(self._phrase_words(phrase), phrase.end, phrase)
            gender = phrase.gender
        elif form is None or form.plural or phrase is not None or not self._is_said_freely(here):
            return
        else:
            read, gender = Read(((here, Target(form)),), here + 1), form.gender
        known = who.phrase.gender if who.phrase is not None else None
        if known and gender and known != gender:
            return
        self._add(read.words, who, "apposition", "likely")
        self._coordinated(read, who, "apposition", plural=False)

    def _is_said_freely(self, at: int) -> bool:
        """Whether an adjective after a comma has no noun beside it: *, lívido, …*"""
        line, lexicon, after = self.line, self.lexicon, self.line[at + 1]
        if line.is_name(at) or at in {verb.at for verb in self.clauses.verbs}:
            return False
        if line[at] in lexicon["not_initial"]:
            return False
        if not (lexicon.is_listed(line[at]) or line[at].endswith(PARTICIPLES)):
            return False
        joined = lexicon["prepositions"] | lexicon["contractions"] | lexicon["and"]
        phrase = self.starts.get(at + 1)
        if phrase is not None and line[phrase.head] in lexicon["times"]:  # premiato lo scorso anno
            return True
        return line.is_mark(at + 1) or after in joined or after in lexicon["adverbs"]

    def _self_named(self) -> None:
        """*Il sottoscritto*, *atentamente, su alumna*: the speaker in the third person."""
        for at in range(2, len(self.line)):  # la que suscribe
            form = self.lexicon.determiners.get(self.line[at - 2])
            signs = self.line[at] in self.lexicon["self_verbs"]
            if not signs or form is None or self.line[at - 1] not in self.lexicon["relatives"]:
                continue
            self._add([(at - 2, Target(form))], self.clauses.speaker(), "the signer")
            if self.line[at + 1] == ",":
                self._apposed(at + 2, self.clauses.speaker())
        for phrase in self.clauses.phrases:
            words = self.line.keys[phrase.start : phrase.end]
            named = bool(self.lexicon["self_names"] & {*words})
            if phrase.kind == "person" and self.line[phrase.start - 1] == ",":
                start, _ = self.line.sentence(phrase.start)
                signed = self.lexicon["signing"] & {*self.line.keys[start : phrase.start]}
                named = named or bool(signed and self.lexicon["yours"] & {*words})
            if phrase.determined and not phrase.plural and named:
                signer = [*self._phrase_words(phrase), *self._born(phrase)]
                self._add(signer, self.clauses.speaker(), "the signer", "likely")

    def _born(self, phrase: Phrase) -> list[tuple[int, Target]]:
        """*Il sottoscritto, nato a Bari*."""
        at = phrase.end + 1
        form = self.lexicon.adjective(self.line[at]) if self.line[phrase.end] == "," else None
        if form is None or form.plural or self._disagrees(phrase, form):
            return []
        self.sites.drop(at)
        return [(at, Target(form))]

    def _fragments(self) -> None:
        """*Decepcionada con el servicio.*: a feeling without a verb."""
        line, lexicon = self.line, self.lexicon
        addressed = any(verb.form.persons == {"2s"} for verb in self.clauses.verbs)
        for at in range(len(line)):
            here = self._after_adverbs(at)
            form = lexicon.adjective(line[here]) if line.begins(at) else None
            if form is None or form.plural or here in self.claimed or addressed:
                continue
            start, end = line.sentence(here)
            verbs = any(start <= verb.at < end and verb.finite for verb in self.clauses.verbs)
            if verbs or line[end].startswith("?") or not self._is_alone(here, form):
                continue
            after = line[here + 1]
            if after in lexicon["prepositions"] | lexicon["contractions"] | lexicon["joiners"] and (
                form.masculine in lexicon["feelings"]
                or (lexicon.is_state(line[here]) and self.clauses.first_person)
            ):
                words = [(here, Target(form))]
                self._add(words, self.clauses.speaker(), "said without a verb", "guess")

    def _vocatives(self) -> None:
        """Whoever is addressed: *Gracias, señora*; *Querido amigo:*."""
        line, lexicon = self.line, self.lexicon
        for phrase in self.clauses.phrases:
            dear = phrase.kind == "nominal" and line[phrase.head] in lexicon["forms_of_address"]
            if not (phrase.kind == "person" or dear) or phrase.head in self.claimed:
                continue
            if phrase.plural:
                continue
            words = {line[at] for at in range(phrase.start, phrase.end)}
            greeted = bool(words & lexicon["greeting_adjectives"]) and line.begins(phrase.start)
            open_before = line.begins(phrase.start) or line[phrase.start - 1] == ","
            open_before = open_before or (
                line[phrase.start - 1] == "."
                and line[phrase.start - 2] in lexicon["polite_greetings"]
            )
            formula = line[phrase.start - 1] in lexicon["degree"] and line.begins(phrase.start - 1)
            greeted = greeted or self.clauses.is_title(phrase)  # Sr. Propietario:
            greeted = greeted or (formula and line[phrase.end] == ":")  # Muy señora mía:
            closed = line.is_mark(phrase.end) and line[phrase.end] not in lexicon["joiners"] - {","}
            mine = line[phrase.start] in lexicon["first_evidence"] and (
                self._precedes_you(phrase) or self._is_dear(phrase)
            )
            mine = mine or self._is_scolded_so(phrase)
            determined = phrase.determined and not mine
            if not greeted and (determined or not open_before or not closed):
                continue
            if not greeted and not self._addresses(phrase):
                continue
            self._add(self._phrase_words(phrase), self.clauses.listener(), "addressed", "likely")
            office = self.starts.get(phrase.end + 1) if line[phrase.end] == "." else None
            if office is not None and office.kind == "person" and not office.determined:
                called = self._phrase_words(office)  # Sra. Directora:
                self._add(called, self.clauses.listener(), "addressed", "likely")

    def _is_dear(self, phrase: Phrase) -> bool:
        """*Parabéns, meu querido!*, *que Deus te guarde, meu irmão.*"""
        line, lexicon = self.line, self.lexicon
        start, end = line.sentence(phrase.head)
        if line[phrase.head] not in lexicon["forms_of_address"] or phrase.end != end:
            return False
        told = {*line.keys[start:end]} & (lexicon["second_clitics"] | lexicon["second_tonic"])
        return line[phrase.start - 1] == "," and (bool(told) or line[end].startswith("!"))

    def _is_scolded_so(self, phrase: Phrase) -> bool:
        """*Seu bobo!*"""
        if self.line[phrase.start] not in self.lexicon["scolding"]:
            return False
        return phrase.start + 1 == phrase.head and self.lexicon.is_listed(self.line[phrase.head])

    def _polite_nouns(self) -> None:
        """*O senhor está livre?*, *peço que a senhora mesma assine*."""
        for phrase in filter(self.clauses.is_polite, self.clauses.phrases):
            words, form = self._phrase_words(phrase), self.lexicon.adjective(self.line[phrase.end])
            if form is not None and self.line[phrase.end] in self.lexicon["emphatic"]:
                words = (*words, (phrase.end, Target(form)))
            self._add(words, self.clauses.listener(), "addressed", "likely")

    def _precedes_you(self, phrase: Phrase) -> bool:
        """*Meu amigo, você está louco*; *não sejas parvo, meu filho*."""
        last = self.line.ends_sentence(phrase.end) and not self.line.is_name(phrase.start - 2)
        clauses = self.clauses
        verb = clauses.verb_before(phrase.start) if last else clauses.verb_after(phrase.end)
        who = self.clauses.subject(verb).who if verb is not None else None
        return who == self.clauses.listener().who and phrase.start + 1 == phrase.head

    def _addresses(self, phrase: Phrase) -> bool:
        """Whether somebody is spoken to in the sentence around a phrase between commas."""
        start, end = self.line.sentence(phrase.head)
        words = set(self.line.keys[start:end])
        lexicon = self.lexicon
        if words & lexicon["second_evidence"] or (
            self.line[phrase.head] in lexicon["forms_of_address"]
            and not self.line.is_name(phrase.start - 2)
        ):
            return True
        return any(
            start <= verb.at < end and verb.form.persons == {"2s"} for verb in self.clauses.verbs
        )

    def _called_names(self) -> None:
        """*Bugiardo!*, *ciao bella*, *Carissimo, …*: what somebody is called, between marks."""
        line, lexicon = self.line, self.lexicon
        for at in range(len(line)):
            form = lexicon.adjective(line[at]) or lexicon.noun(line[at])
            if form is None or form.plural or at in self.claimed or not line.is_mark(at + 1):
                continue
            opens = line.begins(at) or line[at - 1] == ","
            scolded = line[at] in lexicon["called_names"] and opens and line[at + 1] != ","
            hailed = line[at - 1] in lexicon["hailing"] and line[at] in lexicon["pet_names"]
            greeted = at == 0 and line[at] in lexicon["greeting_adjectives"] and line[at + 1] == ","
            if scolded or hailed or greeted:
                self._add([(at, Target(form))], self.clauses.listener(), "addressed", "likely")

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
            named = (
                line.begins(at)
                and line.is_name(at + 1)
                and line[at] in lexicon["greeting_adjectives"]
            )
            if named and at not in self.claimed:  # Querida Guadalupe:
                self._add([(at, Target(form))], self.clauses.listener(), "greeting", "likely")
            elif open_before and line[at] in lexicon["speaker_greetings"]:
                self._add([(at, Target(form))], self.clauses.speaker(), "greeting", "likely")
            elif open_before and line[at] in lexicon["listener_greetings"]:
                self._add([(at, Target(form))], self.clauses.listener(), "greeting", "likely")
            elif line.begins(at) and line[at] in lexicon["soothing"] and self._reassures(at):
                self._add([(at, Target(form))], self.clauses.listener(), "greeting", "guess")
            elif line.begins(at) and line[at] in lexicon["halting"] and line[at + 1] == "!":
                self._add([(at, Target(form))], self.clauses.listener(), "greeting", "likely")
            elif line.begins(here) and lexicon.is_state(line[at]) and self._is_asked(at):
                self._add([(at, Target(form))], self.clauses.listener(), "asked", "guess")

    def _reassures(self, at: int) -> bool:
        """*Tranquilo, yo me encargo*: said to the listener, not of the subject that follows."""
        if not self.line.is_mark(at + 1):
            return False
        start, end = self.line.sentence(at)
        verb = self.clauses.verb_after(at)
        named = self.lexicon["first_pronouns"] & {*self.line.keys[start:end]}
        return verb is None or bool(named) or "3s" in verb.form.persons - {"1s"}

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
            self._dative(verb)

    def _dative(self, verb: Verb) -> None:
        """*Gli disse*, *chiederle*: to whom something is said or given."""
        dative = self.lexicon.dative_pairs.get(verb.clitics[-1]) if verb.clitics else None
        if dative is None:
            return
        said = self._perfect_of(verb) in self.lexicon["dative_verbs"]
        if said or self._dative_means_person(verb, dative):
            at, form = self._pronoun_of(verb, dative)
            self._add([(at, Target(form))], Referent("others"), "dative", "likely")

    def _pronoun_of(self, verb: Verb, form: Form) -> tuple[int, Form]:
        """Where the last pronoun of a verb stands, and its forms with the verb it is joined to."""
        clitic = verb.clitics[-1]
        if self.line[verb.at - 1] == clitic or not self.line[verb.at].endswith(clitic):
            return verb.at - 1, form
        stem = self.line[verb.at].removesuffix(clitic)
        joined = form._replace(masculine=stem + form.masculine, feminine=stem + form.feminine)
        return verb.at, joined

    def _person_object(self, verb: Verb) -> None:
        """*Lo nombraron*, *arrestandola*, *la portò a credere*: the object is a person."""
        line, lexicon = self.line, self.lexicon
        form = lexicon.object_pairs.get(verb.clitics[-1]) if verb.clitics else None
        if form is None or set(verb.clitics) & lexicon["third_objects"]:
            return
        who = self._whom(verb, form) if not self._is_article(verb) else None
        if who is None:
            return
        self._said_of_object(verb, form.gender)
        before = line[verb.at - 1]
        if before == verb.clitics[-1]:
            if before.endswith("'"):
                self._agreeing_participle(verb)
                return
            self._add([(verb.at - 1, Target(form))], who, "object", "likely")
            if verb.form.infinitive in lexicon["perfect_auxiliaries"]:
                self._agreeing_participle(verb)
        elif line[verb.at].endswith(verb.clitics[-1]) and line[verb.at] not in lexicon.verbs:
            at, joined = self._pronoun_of(verb, form)
            self._add([(at, Target(joined))], who, "object", "likely")

    def _whom(self, verb: Verb, form: Form) -> Referent | None:
        """Whom an object pronoun means: a person by its verb, or by whoever was named last."""
        lexicon, infinitive = self.lexicon, self._perfect_of(verb)
        if form.gender is None:  # l'hanno portato
            agreeing = lexicon.predicate(self.line[self._after_adverbs(verb.at + 1)])
            form = form._replace(gender=agreeing.gender if agreeing is not None else None)
        named = self._last_named(verb.at, form)
        surely = infinitive in lexicon["person_objects"] or self._is_doubled(verb)
        addressed = self.clauses.polite and (named is None or named.kind == "thing")
        if addressed and not lexicon["polite_objects_agree"]:  # la ringraziamo
            return None
        if surely or self._is_led(verb):
            return self.clauses.listener() if addressed else Referent("others")
        if self.clauses.polite and infinitive in lexicon["serving"]:  # la atenderemos
            return self.clauses.listener()
        if named is not None and self.clauses.is_polite(named):
            return self.clauses.listener()
        if self._object_means_person(verb, infinitive, form):
            return Referent("others")
        return None

    def _last_named(self, at: int, form: Form) -> Phrase | None:
        """The last singular noun before a pronoun of its gender, not of a time nor called."""
        for phrase in reversed(self.clauses.phrases):
            if phrase.start >= at or phrase.plural or phrase.gender not in {None, form.gender}:
                continue
            if self._is_bare(phrase) or self.line[phrase.head] in self.lexicon["times"]:
                continue
            called = self.line[phrase.head] in self.lexicon["forms_of_address"]
            if called and not phrase.determined:  # non è scappato, signora. L'hanno portato via
                continue
            return phrase
        return None

    def _is_doubled(self, verb: Verb) -> bool:
        """*A mi hermana la operaron*: the pronoun repeats the person before it."""
        before = verb.at - 1 - len(verb.clitics)
        while self.line[before] in self.lexicon["adverbs"]:
            before -= 1
        if self.line[before] in self.lexicon["pointing"]:  # a ese ya lo conozco
            return self.line[before - 1] in self.lexicon["object_markers"]
        phrase = self.clauses.inside.get(before)
        if phrase is None or phrase.kind != "person" or phrase.plural:
            return False
        to = {self.line[phrase.start - 1], self.line[phrase.start]}
        return bool(to & self.lexicon["object_markers"])

    def _is_led(self, verb: Verb) -> bool:
        """*Lo portò a credere*: who is brought to do something is a person."""
        at = self._after_adverbs(verb.at + 1)
        if verb.form.infinitive in self.lexicon["perfect_auxiliaries"]:
            at = self._after_adverbs(at + 1)
        done = self.lexicon.verb(self.line[at + 1])
        return (
            self.line[at] in self.lexicon["leading_to"]
            and done is not None
            and done.mood == "infinitive"
            and self._perfect_of(verb) in self.lexicon["leading"]
        )

    def _agreeing_participle(self, verb: Verb) -> None:
        """*l'hanno arrestata*, *la ha motivata*: it agrees with the object before it."""
        at = self._after_adverbs(verb.at + 1)
        agreeing = self.lexicon.predicate(self.line[at])
        if self.lexicon["participles_agree"] and agreeing is not None and not agreeing.plural:
            self._add([(at, Target(agreeing))], Referent("others"), "object", "likely")

    def _perfect_of(self, verb: Verb) -> str:
        """The infinitive of a verb, or of the participle after its auxiliary."""
        passives = {"essere", "venire", "ser"}
        if verb.form.infinitive in self.lexicon["perfect_auxiliaries"] | passives:
            at = self._after_adverbs(verb.at + 1)
            if self.line[at] in self.lexicon["copular_participles"]:  # le è stata mostrata
                at = self._after_adverbs(at + 1)
            word = self.line[at]
            agreeing = self.lexicon.adjective(word)
            participle = agreeing.masculine if agreeing is not None else word
            form = self.lexicon.verb(participle)
            return form.infinitive if form is not None else ""
        if verb.form.infinitive in self.lexicon["semi_auxiliaries"]:  # lo están esperando
            for at in range(verb.at + 1, verb.at + 4):
                main = next((each for each in self.clauses.verbs if each.at == at), None)
                if main is not None and not main.finite and not main.clitics:
                    return main.form.infinitive
        return verb.form.infinitive

    def _other_people(self) -> None:
        """Everybody else's nouns, each with its determiners and adjectives."""
        target = self.wanted.get("others")
        if target is None:
            return
        for at in range(len(self.line)):
            one = self._one_of(at) if self.line[at] in self.lexicon["one"] else None
            if one is None or one.phrase is None or one.phrase.kind == "thing":
                continue
            if one.phrase.kind == "person" and at not in self.claimed:
                self._add(one.words, Referent("others"), "one of several people", "likely")
            site = self.sites.get(at)
            if site is not None and site.who == "others" and one.phrase.plural:
                words = self._phrase_words(one.phrase)
                self._add(words, Referent("others"), "one of several people", "likely")
        for phrase in self.clauses.phrases:
            if phrase.kind != "person" or phrase.head in self.claimed:
                continue
            if not self._changes_to(phrase, target) or self._is_couple(phrase):
                continue
            if self._means_thing(phrase) or self._describes_epicene(phrase):
                continue
            if self._is_tongue(phrase):
                continue
            self._add(self._phrase_words(phrase), Referent("others"), "noun of a person")

    def _is_tongue(self, phrase: Phrase) -> bool:
        """*Hablaba un francés perfecto*."""
        if self.line[phrase.head] not in self.lexicon["tongues"]:
            return False
        verb = self.clauses.verb_before(phrase.start, finite=False)
        near = verb is not None and verb.at >= phrase.start - 3
        return near and verb is not None and verb.form.infinitive in self.lexicon["speaking"]

    def _describes_epicene(self, phrase: Phrase) -> bool:
        """*La víctima era la encargada*: it agrees with a noun of one gender."""
        verb = self.clauses.verb_before(phrase.start)
        if verb is None or verb.at < phrase.start - 2:
            return False
        subject = self.clauses.subject(verb).phrase
        if subject is None or verb.form.infinitive not in self.lexicon["copulas"]:
            return False
        return self.line[subject.head] in self.lexicon["of_one_gender"]

    def _which(self) -> None:
        """*Un amico con il quale*, *el chico del que*: the article agrees with the noun before."""
        line, lexicon = self.line, self.lexicon
        for at in range(2, len(line)):
            form = lexicon.determiners.get(line[at - 1])
            before = at - 2
            while line[before] == "," or line[before] in lexicon["prepositions"]:
                before -= 1
            governed = before < at - 2 or line[at - 1] in lexicon["contractions"]
            if line[at - 1] in lexicon["relative_heads"] and line[at - 2] == ",":
                continue  # , o que é diferente
            if line[at] not in lexicon["which"] and not (
                governed and line[at] in lexicon["relatives"]
            ):
                continue
            phrase = self.clauses.inside.get(before)
            if form is None or phrase is None or form.plural or phrase.plural:
                continue
            owner = self.owners.get(phrase.head)
            if owner is not None and form.gender == phrase.gender:
                words = [(at - 1, Target(form, leading=True))]
                self._add(words, Referent(owner, phrase), "relative pronoun", "likely")

    def _stood_for(self) -> None:
        """*Ese no es mi padre*, *¿quién es esa?*, *el mío me dejó plantada*: a word for a noun."""
        line, lexicon = self.line, self.lexicon
        for at in range(len(line)):
            form = lexicon.determiners.get(line[at]) if line[at] in lexicon["pointing"] else None
            if form is not None and at not in self.claimed and self._points_at_person(at):
                self._add([(at, Target(form))], Referent("others"), "pronoun", "likely")
        for phrase in self.clauses.phrases:
            if phrase.kind != "nominal" or phrase.plural or phrase.head in self.claimed:
                continue
            article = lexicon.determiners.get(line[phrase.start])
            if article is None or line[phrase.head] not in lexicon["whose"]:
                continue
            named = self._last_named(phrase.start, article)
            if named is not None and named.kind == "person":
                self._add(self._phrase_words(phrase), Referent("others"), "pronoun", "likely")

    def _points_at_person(self, at: int) -> bool:
        """Whether a demonstrative without a noun is asked for or said to be somebody."""
        line, lexicon, phrase = self.line, self.lexicon, self.starts.get(at)
        if phrase is not None and phrase.end > at + 1:
            return False
        if line[at - 2] in lexicon["who"] and self.clauses.verb_before(at) is not None:
            return True
        after = self._after_adverbs(at + 1)
        while line[after] in lexicon["clitics"]:
            after += 1
        verb = next((each for each in self.clauses.verbs if each.at == after), None)
        if verb is not None and verb.form.infinitive in lexicon["never_reflexive"]:
            said = self.starts.get(self._after_adverbs(after + 1))
            return said is not None and said.kind == "person" and not said.plural
        return (
            verb is not None
            and line[at - 1] in lexicon["object_markers"]
            and (self._perfect_of(verb) in lexicon["person_objects"] | lexicon["often_people"])
        )

    def _headlines(self) -> None:
        """*Detenida en Lima la autora del robo*: a participle before its noun, without a verb."""
        line, lexicon = self.line, self.lexicon
        for at in range(len(line)):
            form = lexicon.adjective(line[at]) if line.begins(at) else None
            if form is None or form.plural or at in self.claimed or not lexicon.is_state(line[at]):
                continue
            start, end = line.sentence(at)
            if any(start <= verb.at < end and verb.finite for verb in self.clauses.verbs):
                continue
            about = [
                phrase
                for phrase in self.clauses.phrases
                if at < phrase.start < end
                and phrase.determined
                and line[phrase.start - 1] not in lexicon["prepositions"]
                and line[phrase.start] not in lexicon["contractions"]
            ]
            if about and about[0].kind == "person" and not self._disagrees(about[0], form):
                words, here = [(at, Target(form))], self._after_adverbs(at + 1)
                second = lexicon.adjective(line[here])
                if second is not None and second.gender == form.gender and not second.plural:
                    words.append((here, Target(second)))  # hallado muerto el alcalde
                who = self.owners.get(about[0].head, "others")
                self._add(words, Referent(who, about[0]), "headline", "likely")

    def _echoes(self) -> None:
        """*Estoy harta. ¿Me oyes? Harta.*: a word said again, as a sentence of its own."""
        line, lexicon = self.line, self.lexicon
        said = {line[at]: who for at, who in self.owners.items() if lexicon.is_listed(line[at])}
        for at in range(len(line)):
            alone = line.begins(at) and line.is_mark(at + 1) and at not in self.claimed
            form = lexicon.adjective(line[at]) if alone and line[at] in said else None
            if form is not None:
                self._add([(at, Target(form))], Referent(said[line[at]]), "said again", "likely")

    def _answers(self) -> None:
        """*¿Quién soy? La nueva.*, *Quem é você? Um ladrão?*: a phrase as a sentence."""
        line, lexicon = self.line, self.lexicon
        for verb in self.clauses.verbs:
            if verb.form.infinitive not in lexicon["copulas"] or not verb.finite:
                continue
            who = self.clauses.pronoun(line[verb.at + 1]) or self.clauses.subject(verb)
            if line[verb.at - 1] not in lexicon["who"] or who.who not in {"speaker", "listener"}:
                continue
            at = line.sentence(verb.at)[1] + 1
            while (phrase := self._whole_sentence(at)) is not None:
                if phrase.kind != "thing" and not phrase.plural:
                    self._add(self._phrase_words(phrase), who, "said of the subject", "likely")
                at = line.sentence(phrase.head)[1] + 1

    def _whole_sentence(self, at: int) -> Phrase | None:
        while self.line.is_mark(at) and at < len(self.line):
            at += 1
        phrase = self.starts.get(at)
        return phrase if phrase is not None and self.line.ends_sentence(phrase.end) else None

    def _sexed(self) -> None:
        """*La squadra maschile*: said of people, or of what only men or only women do."""
        line, lexicon = self.line, self.lexicon
        for at in range(1, len(line)):
            form = lexicon.sexed_pairs.get(line[at])
            if form is None or line.is_name(at) or self._contrasts_sexes(at):
                continue
            before = at - 1
            while line[before] in lexicon["degree"] or lexicon.adjective(line[before]) is not None:
                before -= 1
            inside = self.clauses.inside.get(before)
            person = inside is not None and inside.kind == "person"
            if person:  # una actriz femenina, but un equipo femenino
                masculine = re.sub(r"a(s?)$", r"o\1", form.masculine)
                feminine = re.sub(r"o(s?)$", r"a\1", form.feminine)
                form = form._replace(masculine=masculine, feminine=feminine)
            if person or line[before] in lexicon["sexed_nouns"]:
                self._add([(at, Target(form))], Referent("others"), "men's or women's", "likely")

    def _contrasts_sexes(self, at: int) -> bool:
        """Whether the other sex is named beside it: *maschile e femminile*."""
        pairs = self.lexicon.sexed_pairs
        around = (self.line[index] for index in range(at - 4, at + 5))
        genders = {pairs[word].gender for word in around if word in pairs}
        return len(genders) > 1

    def _is_couple(self, phrase: Phrase) -> bool:
        """Whether it is joined to the other gender of its own noun: *marido y mujer*."""
        for beside in self.clauses.phrases:
            gap = (
                self.line.keys[phrase.end : beside.start]
                or self.line.keys[beside.end : phrase.start]
            )
            if len(gap) != 1 or gap[0] not in self.lexicon["joiners"] | {"/", "-"}:
                continue
            if beside.gender != phrase.gender and self._noun_pairs(beside) & self._noun_pairs(
                phrase
            ):
                return True
        return False

    def _noun_pairs(self, phrase: Phrase) -> set[tuple[str, str]]:
        word = self.line[phrase.head]
        forms = (self.lexicon.noun(word), self.lexicon.spouses.get(word))
        return {(form.masculine, form.feminine) for form in forms if form is not None}
