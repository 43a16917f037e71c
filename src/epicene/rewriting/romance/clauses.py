"""Verbs, and the people who are their subjects and objects."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.romance.conjugation import VerbForm
from epicene.rewriting.romance.phrases import PARTICIPLES, Phrase, find_phrases, is_perfect

if TYPE_CHECKING:
    from epicene.rewriting import Confidence
    from epicene.rewriting.persons import Person
    from epicene.rewriting.quotations import Passage
    from epicene.rewriting.romance.lexicon import Lexicon
    from epicene.rewriting.romance.line import Line


class Verb(NamedTuple):
    """A verb form in a text, with the pronouns that lean on it."""

    at: int
    form: VerbForm
    clitics: tuple[str, ...]

    @property
    def finite(self) -> bool:
        """Whether it has a person."""
        return self.form.mood == "finite"


class Referent(NamedTuple):
    """Who is the subject or the object of a verb; `who` is None for a thing or somebody unclear."""

    who: Person | None
    phrase: Phrase | None = None
    sure: Confidence = "certain"
    dropped: bool = False  # a third person that is not named in the clause


UNKNOWN = Referent(None)
_SINGULAR = frozenset({"1s", "2s", "3s"})


def persons_alike(verb: Verb) -> bool:
    """Whether the three persons of the singular are the same."""
    return verb.form.persons == _SINGULAR


class Clauses:
    """The phrases and verbs of one passage."""

    def __init__(self, passage: Passage[Line], lexicon: Lexicon) -> None:
        self.passage = passage
        self.line = passage.line
        self.lexicon = lexicon
        self.phrases = find_phrases(self.line, lexicon)
        self.inside = {at: each for each in self.phrases for at in range(each.start, each.end)}
        self.verbs = [verb for at in range(len(self.line)) if (verb := self._verb(at))]
        self._by_index = {verb.at: number for number, verb in enumerate(self.verbs)}
        self._subjects: dict[int, Referent] = {}

    # --- verbs

    def _verb(self, at: int) -> Verb | None:
        line, lexicon = self.line, self.lexicon
        word, enclitic = lexicon.split_enclitic(line[at])
        joined = bool(enclitic) or (line[at + 1] == "-" and line[at + 2] in lexicon["clitics"])
        if not line.is_word(at) or (line.is_name(at) and not (joined and lexicon.verb(word))):
            return None
        form = lexicon.verb(word)
        if form is None and enclitic:
            form = VerbForm(word, "infinitive")
        if form is None:
            return None
        if form.mood == "participle" and not is_perfect(line, at, lexicon):
            return None
        before = line[at - 1]
        phrase = self.inside.get(at)
        if form.mood == "finite" and (
            (before in lexicon["prepositions"] and before not in lexicon["clitics"])
            or before in lexicon["invariable_determiners"]
            or (phrase is not None and phrase.determined)
            or (phrase is not None and phrase.kind == "person")
            or (word in lexicon["often_nouns"] and not self._begins_clause(at))
            or (word in lexicon["often_nouns"] and self._is_described(at))
            or (word in lexicon["numerals"] and line[at + 1] in lexicon["counted"])
            or (lexicon.is_listed(word) and self._is_copula(at - 1))
            or (lexicon.is_listed(word) and before in lexicon["degree"])
            or self._follows_first(at)
        ):
            return None
        if form.mood == "infinitive" and before in lexicon["few"]:
            return None
        if enclitic in lexicon["imperative_clitics"] and form.mood == "finite":  # quédate
            form = form._replace(persons=form.persons & {"1p", "2p"} or frozenset({"2s"}))
        clitics = [enclitic] if enclitic else []
        left = at - 1
        while line[left] in lexicon["clitics"] or line[left] in lexicon["negations"]:
            clitics.insert(0, line[left])
            left -= 1
        if line[at + 1] == "-" and line[at + 2] in lexicon["clitics"]:
            clitics.append(line[at + 2])
        return Verb(at, form, tuple(clitics))

    def _is_copula(self, at: int) -> bool:
        """Whether an adjective may follow, as in *sigo vivo*."""
        form = self.lexicon.verb(self.lexicon.split_enclitic(self.line[at])[0])
        return form is not None and (
            form.infinitive in self.lexicon["copulas"]
            or form.infinitive in self.lexicon["secondary"]
        )

    def _follows_first(self, at: int) -> bool:
        """Whether it is a noun, right after a verb in the first person: *peço ajuda*."""
        before, form = self.lexicon.verbs.get(self.line[at - 1]), self.lexicon.verb(self.line[at])
        noun = self.inside.get(at - 1)
        if noun is not None and noun.determined:  # lo sposo è arrivato
            return False
        return (
            before is not None
            and form is not None
            and before.persons == {"1s"}
            and form.persons == {"3s"}
        )

    def _begins_clause(self, at: int) -> bool:
        """Whether a verb may stand there: not after another, nor after an adjective."""
        before, lexicon = self.line[at - 1], self.lexicon
        if self.line.is_mark(at - 1) or lexicon.is_function_word(before):
            return True
        return before not in lexicon.verbs and not lexicon.is_listed(before)

    def _is_described(self, at: int) -> bool:
        """Whether an adjective of things follows a noun: *Viaggio lungo*."""
        following = self.line[at + 1]
        form = self.lexicon.verb(self.line[at])
        if form is None or form.infinitive in self.lexicon["copulas"]:  # si yo fuera rica
            return False
        return self.lexicon.is_listed(following) and not self.lexicon.is_state(following)

    def verb_before(self, at: int, *, finite: bool = True) -> Verb | None:
        """The nearest verb on the left in the sentence."""
        start, _ = self.line.sentence(at)
        return next(
            (
                verb
                for verb in reversed(self.verbs)
                if start <= verb.at < at and (verb.finite or not finite)
            ),
            None,
        )

    def verb_after(self, at: int) -> Verb | None:
        """The nearest finite verb on the right in the sentence."""
        _, end = self.line.sentence(at)
        return next((verb for verb in self.verbs if at < verb.at < end and verb.finite), None)

    # --- people

    def speaker(self, sure: Confidence = "certain") -> Referent:
        """Who says I."""
        return Referent(self.passage.interlocutors.speaker, sure=sure)

    def listener(self, sure: Confidence = "certain") -> Referent:
        """Who is spoken to."""
        return Referent(self.passage.interlocutors.listener, sure=sure)

    def pronoun(self, word: str) -> Referent | None:
        """Whom a personal pronoun means, if it is one."""
        if word in self.lexicon["first_pronouns"]:
            return self.speaker()
        if word in self.lexicon["second_pronouns"]:
            return self.listener()
        if word in self.lexicon["third_pronouns"]:
            return Referent("others")
        return None

    @cached_property
    def first_person(self) -> bool:
        """Whether somebody says I in the passage."""
        words = {*self.line.keys, *(clitic for verb in self.verbs for clitic in verb.clitics)}
        if words & self.lexicon["first_evidence"]:
            return True
        return any(verb.form.persons == {"1s"} for verb in self.verbs)

    @cached_property
    def _third_verb(self) -> bool:
        """Whether a verb can only be in the third person."""
        return any(verb.form.persons == {"3s"} and not self._happens(verb) for verb in self.verbs)

    def _happens(self, verb: Verb) -> bool:
        """Whether a thing is its subject: *el teléfono sonó*, *cuando llegó la carta*."""
        explicit, _ = self._explicit(verb)
        if explicit is not None:
            return explicit.who is None and explicit.phrase is not None
        after = self.inside.get(verb.at + 1)
        return (
            verb.form.infinitive in self.lexicon["happening"]
            and after is not None
            and after.kind == "thing"
            and self.line[after.start] not in self.lexicon["contractions"]
        )

    @cached_property
    def _only_addressed(self) -> bool:
        """Whether somebody is spoken to, and nobody spoken about: *estaría perdido sin ti*."""
        if self._others_named(len(self.line)):
            return False
        words = {*self.line.keys, *(clitic for verb in self.verbs for clitic in verb.clitics)}
        addressed = self.lexicon["second_clitics"] | self.lexicon["second_tonic"]
        return bool(words & (addressed | self.lexicon["addressing"]))

    def _others_named(self, end: int) -> bool:
        """Whether anybody else is named before that word."""
        line, lexicon = self.line, self.lexicon
        return any(
            phrase.kind == "person"
            and line[phrase.start - 1] not in lexicon["when"]
            and line[phrase.start - 1] not in lexicon["as"]
            and not self._follows_copula(phrase.start)
            for phrase in self.phrases
            if phrase.start < end
        ) or any(
            (line.is_name(at) and not self._is_place(at)) or line[at] in lexicon["third_pronouns"]
            for at in range(end)
        )

    def _is_place(self, at: int) -> bool:
        """Whether a name is that of a place: *recién llegada a Madrid*."""
        if self.line[at - 1] in self.lexicon["place_prepositions"]:
            return True
        gone = self.lexicon.adjective(self.line[at - 2])
        form = self.lexicon.verb(gone.masculine if gone is not None else self.line[at - 2])
        return (
            self.line[at - 1] in self.lexicon["motion_to"]
            and form is not None
            and form.infinitive in self.lexicon["secondary"]
        )

    def _follows_copula(self, at: int) -> bool:
        form = self.lexicon.verb(self.line[at - 1])
        return form is not None and form.infinitive in self.lexicon["copulas"]

    @cached_property
    def polite(self) -> bool:
        """Whether somebody is addressed in the third person."""
        line, lexicon = self.line, self.lexicon
        if {*line.keys} & lexicon["polite_pronouns"] or line[0] in lexicon["polite_greetings"]:
            return True
        if self._is_ordered or self._is_notified or any(map(self.is_polite, self.phrases)):
            return True
        if any(phrase.start == 0 and self.is_title(phrase) for phrase in self.phrases[:1]):
            return True
        return any(
            (line.is_capital(at) and line[at] in lexicon["polite_possessives"])
            or (line[at] in lexicon["polite_titles"] and self._stands_alone(at))
            for at in range(len(line))
        ) or any(self._asks_politely(verb) for verb in self.verbs)

    def _stands_alone(self, at: int) -> bool:
        """Whether a title is set off: *Señora, su mesa está lista*, *no se preocupe, señora*."""
        if self.line.begins(at):
            return self.line[at + 1] == ","
        return self.line[at - 1] == "," and self.line.is_mark(at + 1)

    def _asks_politely(self, verb: Verb) -> bool:
        """Whether a clause begins with a subjunctive in the third person: *alleghi una copia*."""
        line, lexicon = self.line, self.lexicon
        if not persons_alike(verb) or verb.form.infinitive in lexicon["wishing"]:
            return False
        at = verb.at - len(verb.clitics)
        _, end = line.sentence(at)
        if not (line.begins(at) or line[at - 1] == ",") or line[end].startswith("?"):
            return False
        if any(each.form.persons == {"2s"} for each in self.verbs):
            return False
        return not {*line.keys} & (lexicon["second_clitics"] | lexicon["second_addressed"])

    def _named_last(self, verb: Verb) -> Referent | None:
        """The subject named last before a verb."""
        for each in reversed(self.verbs[: self._by_index[verb.at]]):
            if each.finite and (named := self._explicit(each)[0]) is not None:
                return named
        return None

    def is_title(self, phrase: Phrase) -> bool:
        """Whether it begins a letter: *Doctor Salinas: lamento …*, *Sr. Propietario:*."""
        line, at = self.line, phrase.end
        if line[phrase.head] not in self.lexicon["forms_of_address"] or phrase.determined:
            return False
        while line.is_name(at) or line[at] == ".":
            at += 1
        return line.begins(phrase.start) and line[at] == ":"

    @cached_property
    def _is_ordered(self) -> bool:
        """Whether a polite command begins a sentence or follows a comma: *Acuda en ayunas*."""
        lexicon = self.lexicon
        for at in range(len(self.line)):
            word = lexicon.split_enclitic(self.line[at])[0]
            if word in lexicon["polite_commands"] or self.line[at] in lexicon["polite_commands"]:
                first = at - 1 if self.line[at - 1] in lexicon["negations"] else at
                after_word = self.line.is_word(first - 1) and not self.line.begins(first)
                if not after_word or self.line[first - 1] in lexicon["and"]:
                    return True
            done = lexicon.verb(lexicon.split_enclitic(self.line[at + 1])[0])
            duty = self.line[at] in lexicon["duties"] and self.line.begins(at)
            acts = done is not None and done.infinitive not in lexicon["copulas"]
            if duty and acts and done is not None and done.mood == "infinitive":
                return True
        return False

    @cached_property
    def _is_notified(self) -> bool:
        """Whether somebody is told something in a letter: *le informamos*, *se le comunica*."""
        lexicon = self.lexicon
        for at in range(len(self.line)):
            pair = f"{self.line[at - 1]}_{self.line[at]}"
            if pair in lexicon["formal"] or self.line[at] in lexicon["formal"]:
                return True
        return any(
            lexicon["third_objects"] & {*verb.clitics}
            and verb.form.infinitive in lexicon["notifying"]
            and (
                "1p" in verb.form.persons
                or verb.form.persons == {"1s"}
                or not verb.finite
                or lexicon["third_clitics"] & {*verb.clitics}
            )
            and not self._others_named(verb.at)
            for verb in self.verbs
        )

    def is_polite(self, phrase: Phrase) -> bool:
        """Whether a noun is a polite pronoun: *o senhor está livre?*, but not *o senhor Silva*."""
        line, lexicon = self.line, self.lexicon
        if line[phrase.head] not in lexicon["polite_nouns"] or not self._is_plain(phrase):
            return False
        further = line[phrase.end] in lexicon["of"] or line[phrase.end] in lexicon["relatives"]
        further = further or line[phrase.end].endswith("mente")  # a senhora aparentemente perfeita
        asking = (
            self.verb_before(phrase.start) if line[phrase.start - 1] in lexicon["that"] else None
        )
        asked = asking is not None and asking.form.infinitive in lexicon["asking"]
        if not (asked or self._is_conversation):  # pediu que o senhor confirme
            return False
        return not (further or line.is_name(phrase.head) or line.is_name(phrase.end)) and all(
            self._is_plain(each)
            for each in self.phrases
            if line[each.head] in lexicon["polite_nouns"] and each.determined
        )

    @cached_property
    def _is_conversation(self) -> bool:
        """Whether somebody asks, says I or we, is quoted, or gives orders; no narration."""
        words = {*self.line.keys}
        return (
            self.passage.interlocutors.listener != "listener"
            or self.passage.interlocutors.speaker != "speaker"
            or self.first_person
            or self._is_ordered
            or bool(words & (self.lexicon["addressing"] | {"?"}))
            or self.line[0] in self.lexicon["forms_of_address"]
            or any("1p" in verb.form.persons for verb in self.verbs)
        )

    def _is_plain(self, phrase: Phrase) -> bool:
        """Whether it is a noun with the definite article and nothing else: *ao senhor*."""
        article = self.lexicon.determiners.get(self.line[phrase.start])
        if article is None or phrase.start + 1 != phrase.head or phrase.end != phrase.head + 1:
            return False
        return article.masculine in self.lexicon["definite"]

    def governor(self, verb: Verb) -> Verb | None:
        """The finite verb on which an infinitive, gerund or participle depends."""
        return self.verb_before(verb.at) or self.verb_after(verb.at)

    def clitics(self, verb: Verb) -> tuple[str, ...]:
        """The pronouns of a verb, or of the one on which it depends."""
        if verb.finite:
            return verb.clitics
        before = self.verb_before(verb.at, finite=False)
        if before is not None and before.at != verb.at - 1:  # hacerme sentir
            before = self.verb_before(verb.at)
        return (*verb.clitics, *(before.clitics if before else ()))

    def is_reflexive(self, verb: Verb) -> bool:
        """Whether its pronoun means its subject."""
        if not verb.finite and self.lexicon.object_pairs.keys() & {*verb.clitics}:
            return False  # me gusta verla contenta
        found = self.clitics(verb)
        for title, person in (("first_clitics", "1s"), ("second_clitics", "2s")):
            if self.lexicon[title] & set(found):
                finite = verb if verb.finite else self.verb_before(verb.at)
                if finite is None or self._acts_on_itself(finite, person):
                    return True
                return bool(verb.clitics) and not verb.finite
        return bool(self.lexicon["third_clitics"] & set(found))

    def object_of(self, verb: Verb) -> Referent | None:
        """Whom an object pronoun means, if it is not the subject."""
        found = set(self.clitics(verb))
        for title, person, who in (
            ("first_clitics", "1s", self.speaker()),
            ("second_clitics", "2s", self.listener()),
        ):
            if self.lexicon[title] & found and not self._acts_on_itself(verb, person):
                return who if not found & self.lexicon.object_pairs.keys() else UNKNOWN
        if self.lexicon["third_objects"] & found and not verb.form.persons & {"1s", "2s"}:
            addressed = self.polite and not self._others_named(verb.at)
            return self.listener("likely") if addressed else Referent("others", sure="likely")
        return None

    def _acts_on_itself(self, verb: Verb, person: str) -> bool:
        """Whether *me* or *te* is its subject: not in *mi abuela me llamaba*."""
        if person not in verb.form.persons:
            return False
        return "3s" not in verb.form.persons or self._explicit(verb)[0] in {None, self.speaker()}

    def subject(self, verb: Verb) -> Referent:
        """The subject of a verb, or whoever controls an infinitive or gerund."""
        if verb.at not in self._subjects:
            self._subjects[verb.at] = UNKNOWN  # against going round in circles
            self._subjects[verb.at] = self._find_subject(verb)
        return self._subjects[verb.at]

    def is_dropped(self, verb: Verb) -> bool:
        """Whether no subject is named before the verb."""
        return self._explicit(verb)[0] is None

    def settle(self, verb: Verb, who: Referent) -> None:
        """Keep what the predicate said about the subject of a verb."""
        self._subjects[verb.at] = who

    def _find_subject(self, verb: Verb) -> Referent:
        persons = verb.form.persons
        if not verb.finite:
            return self._controller(verb)
        if persons == {"1s"}:
            return self.speaker()
        if persons == {"2s"}:
            return self.listener()
        explicit, boundary = self._explicit(verb)
        if persons == {"1s", "3p"}:  # sono
            several = explicit is not None and (
                explicit is UNKNOWN or (explicit.phrase is not None and explicit.phrase.plural)
            )
            several = several and not self._says_one(verb)  # ragazzi sono appena uscita
            return explicit if explicit is not None and several else self.speaker("likely")
        if explicit is None and self._commands(verb):
            return self.listener("likely")
        if not persons & _SINGULAR:
            return explicit if explicit and explicit.phrase and persons == {"3p"} else UNKNOWN
        if explicit is not None:
            return explicit
        return self._dropped(verb, boundary)

    def _says_one(self, verb: Verb) -> bool:
        """Whether a participle in the singular follows."""
        at = verb.at + 1
        while self.line[at] in self.lexicon["adverbs"]:
            at += 1
        form = self.lexicon.adjective(self.line[at])
        return form is not None and form.gender is not None and not form.plural

    def _commands(self, verb: Verb) -> bool:
        """Whether it is a command, first in its sentence: *No sea tonto*, *Non essere triste*."""
        line, lexicon = self.line, self.lexicon
        at = verb.at
        while line[at - 1] in lexicon["clitics"] or line[at - 1] in lexicon["negations"]:
            at -= 1
        if verb.finite:
            word = lexicon.split_enclitic(line[verb.at])[0]
            opened = line.begins(at) or (line[at - 1] == "," and line[at] in lexicon["negations"])
            return word in lexicon["commands"] and opened
        negated = line[at] in lexicon["negative_commands"] and verb.form.mood == "infinitive"
        while line[at - 1] in lexicon["adverbs"] or line[at - 1] in lexicon["and"]:
            at -= 1  # e soprattutto non restare sola
        return negated and (line.begins(at) or line[at - 1] == ",") and at < verb.at

    def _is_candid(self, verb: Verb) -> bool:
        """*Para ser sincera, …*: the speaker, whatever verb follows."""
        at = verb.at + 1
        while self.line[at] in self.lexicon["degree"]:
            at += 1
        start, _ = self.line.sentence(verb.at)
        opened = self.line[verb.at - 1] in self.lexicon["prepositions"]
        return opened and self.line[at] in self.lexicon["candid"] and verb.at - start <= 2

    def _controller(self, verb: Verb) -> Referent:
        reflexive = set(verb.clitics)
        if verb.form.infinitive in self.lexicon["never_reflexive"]:  # para serte sincero
            reflexive = set()
        before = self.verb_before(verb.at, finite=False)
        if before is not None and before.at == verb.at - 1 and not before.finite:
            reflexive |= set(before.clitics)  # farmi sentire
        if reflexive & self.lexicon["first_clitics"]:
            return self.speaker()
        if reflexive & self.lexicon["second_clitics"]:
            return self.listener()
        if self._is_candid(verb):
            return self.speaker("likely")
        if self._commands(verb):
            return self.listener("likely")
        finite = self.governor(verb)
        if finite is None:
            return UNKNOWN
        if verb.form.mood == "participle":
            if before is not None and before.at == verb.at - 1:  # haber sido
                return self.subject(before)
            return self.subject(finite)
        led = self._led(finite, verb)
        if led is not None:
            return led
        by_object = None
        if finite.at < verb.at or (verb.form.mood == "infinitive" and self.is_dropped(finite)):
            by_object = self.object_of(finite)
        found = by_object or self.subject(finite)
        return found._replace(sure="likely")

    def _led(self, finite: Verb, verb: Verb) -> Referent | None:
        """*Obligué a mi hermana a quedarse callada*: somebody else does what follows."""
        for phrase in self.phrases:
            if not finite.at < phrase.start < verb.at or phrase.kind != "person":
                continue
            before = self.line[phrase.start - 1]
            if phrase.start - 1 == finite.at or before in self.lexicon["object_markers"]:
                return Referent("others", phrase) if phrase.determined else None
        return None

    def _explicit(self, verb: Verb) -> tuple[Referent | None, int]:
        """The subject that is named before the verb in its clause, and where the clause begins."""
        line, lexicon = self.line, self.lexicon
        start, _ = line.sentence(verb.at)
        at = verb.at - 1
        while at >= start:
            word = line[at]
            if word == ":":
                return None, at
            phrase = self.inside.get(at)
            if phrase is not None:
                before, found = self._as_subject(phrase)
                if found is not None:
                    return found, phrase.start
                at = before
                continue
            if at in self._by_index and self.verbs[self._by_index[at]].finite:
                return None, at
            if word in lexicon["subordinators"]:
                return self._relative(at), at
            found = UNKNOWN if word in lexicon["anybody"] else self.pronoun(word)
            if found is not None and line[at - 1] not in lexicon["prepositions"]:
                return found, at
            if line.is_name(at) or (line.begins(at) and self._may_be_name(at)):
                first = at
                while line.is_name(first - 1) or line[first - 1] in {"de", "y", "e", "da", "di"}:
                    first -= 1
                if first - 1 in self.inside:  # el señor García
                    at = first - 1
                    continue
                if line[first - 1] not in lexicon["prepositions"]:
                    return Referent("others", sure="guess"), first
                at = first
            at -= 1
        return self._inverted(verb), start

    def _inverted(self, verb: Verb) -> Referent | None:
        """A pronoun right after its verb: *¿estaría usted dispuesta?*, *dijo ella*."""
        found = self.pronoun(self.line[verb.at + 1])
        return found if found is not None and verb.form.persons != {"1s"} else None

    def _as_subject(self, phrase: Phrase) -> tuple[int, Referent | None]:
        """The index before a phrase, and whom it means if it can be a subject."""
        line, lexicon = self.line, self.lexicon
        before = phrase.start - 1
        while line[before].isdigit():
            before -= 1
        governed = line[before] in lexicon["prepositions"]
        governed = governed or (line[before] in lexicon["as"] and not phrase.determined)
        if governed or line[phrase.start] in lexicon["contractions"] or self._is_object(phrase):
            return before, None
        if not phrase.determined and self._is_called(phrase):
            return before, None
        if phrase.kind == "thing" and not (phrase.determined or phrase.agreeing or phrase.plural):
            return before, None  # in tarda età
        if phrase.kind == "person" and not phrase.determined and line[phrase.end] == ",":
            return before, None  # usted, ciudadana, está citada
        if phrase.kind == "thing" and line[phrase.end] in lexicon["ago"]:
            return before, None  # due anni dopo
        if line[before] in lexicon["and"] and self._ends_phrase(before - 1):
            return before, UNKNOWN
        return before, self._of_phrase(phrase)

    def _is_called(self, phrase: Phrase) -> bool:
        """*Dottoressa, è pronta?*: the listener, not the subject."""
        opens = self.line.begins(phrase.start) or self.line[phrase.start - 1] == ","
        greeted = self.line[phrase.start] in self.lexicon["greeting_adjectives"]
        end = phrase.end
        while self.line.is_name(end):
            end += 1
        if self.line[end] != ",":
            return False
        return greeted or (opens and self.line[phrase.head] in self.lexicon["polite_titles"])

    def _ends_phrase(self, at: int) -> bool:
        return at in self.inside or self.line.is_name(at)

    def _is_object(self, phrase: Phrase) -> bool:
        """Whether the phrase follows a verb without a comma, so that it is rather its object."""
        at = phrase.start - 1
        while self.line[at] in self.lexicon["adverbs"]:
            at -= 1
        if phrase.kind == "thing" and self.line[at].endswith(PARTICIPLES) and at not in self.inside:
            return True  # premiato lo scorso anno
        number = self._by_index.get(at)
        return number is not None and self.line.is_word(at)

    def _may_be_name(self, at: int) -> bool:
        word = self.line[at]
        return (
            self.line.is_word(at)
            and self.line.tokens[at].text[:1].isupper()
            and not self.lexicon.is_function_word(word)
            and self.lexicon.adjective(word) is None
            and word not in self.lexicon.verbs
        )

    def _of_phrase(self, phrase: Phrase) -> Referent:
        if self.is_polite(phrase):
            return self.listener()._replace(phrase=phrase)
        if phrase.kind == "person":
            return Referent("others", phrase)
        if phrase.kind == "nominal":
            return Referent("others", phrase, "guess") if not phrase.plural else UNKNOWN
        return Referent(None, phrase)

    def _relative(self, at: int) -> Referent | None:
        """The antecedent of a relative pronoun that is the subject; None if it is a conjunction."""
        line, lexicon = self.line, self.lexicon
        if line[at] not in lexicon["relatives"]:
            return None
        before = at - 1
        if line[before] in lexicon.determiners and line[before - 1] in lexicon["prepositions"]:
            return None
        if line[before] in lexicon["contractions"] or line[before] in lexicon["prepositions"]:
            return None
        if line[before] == ",":
            before -= 1
        phrase = self.inside.get(before)
        if line[before] in lexicon["times"] and line[before - 1].isdigit():
            phrase = self.inside.get(before - 3)  # um afilhado de 9 anos que
            before = before - 3 if phrase is not None else before
        if phrase is not None and phrase.end == before + 1:
            if self._predicate_of(phrase) is not None:
                return self._predicate_of(phrase)
            return self._of_phrase(phrase)
        if line.is_name(before):
            return Referent("others", sure="guess")
        found = self.pronoun(line[before])
        if found is not None:
            return found
        if line[before] in lexicon["relative_heads"]:
            return UNKNOWN
        return None if line[at] not in lexicon["only_relatives"] else UNKNOWN

    def _predicate_of(self, phrase: Phrase) -> Referent | None:
        """Whom the phrase is said of: *soy una mujer que …*"""
        verb = self.verb_before(phrase.start)
        if phrase.kind == "thing" or verb is None or verb.at < phrase.start - 3:
            return None
        if self.line[phrase.start - 1] in self.lexicon["prepositions"]:  # preocupado por mi padre
            return None
        if verb.form.infinitive not in self.lexicon["copulas"]:
            return None
        found = self.subject(verb)
        return found if found.who in {"speaker", "listener"} else None

    def _dropped(self, verb: Verb, boundary: int) -> Referent:
        """The subject of a verb without one in its clause."""
        found = self._continued(verb, boundary)
        if found is not None:
            return found
        if persons_alike(verb) and self._only_you(boundary):
            return self.listener("likely")
        if "1s" in verb.form.persons:
            found = self._first_or_third(verb)
            if found is not None:
                return found
        if self.polite:
            last = self._named_last(verb)
            if last is None or last.who != "others" or last.sure == "guess":
                return self.listener("likely")._replace(dropped=True)
        if "1s" in verb.form.persons and self._nobody_named(verb):
            return self.speaker("guess")
        return Referent("others", sure="likely", dropped=True)

    def _continued(self, verb: Verb, boundary: int) -> Referent | None:
        """The subject that the verb shares with the verb before it, or has from it."""
        previous = self.verb_before(boundary + 1)
        if previous is None or previous.at >= verb.at:
            return None
        first = self.subject(previous)
        if self.line[boundary] in self.lexicon["that"]:
            told = self._subordinate(verb, previous, first, boundary)
            if told is not None:
                return told
        if not self._joined(previous, verb) or not previous.form.persons & verb.form.persons:
            return None
        if first.who == "others" or (first.who is None and "1s" not in verb.form.persons):
            return first._replace(dropped=True)
        speaks = first.who is not None and first.who == self.passage.interlocutors.speaker
        return first if speaks else None

    def _first_or_third(self, verb: Verb) -> Referent | None:
        """The subject of *estaba*, *esté*, if the text tells whether it is *yo* or *ella*."""
        if self._is_given(verb) or self._follows_person(verb):  # vi a tu hermana, estaba guapa
            return UNKNOWN
        if self._continues_about(verb):
            return Referent("others", sure="likely", dropped=True)
        if self.first_person or self._only_addressed:
            return self.speaker("likely")
        return None

    def _nobody_named(self, verb: Verb) -> bool:
        """Whether nobody else is there whom *estaba* may be said of."""
        copulas = self.lexicon["copulas"] | self.lexicon["perfect_auxiliaries"]
        about = verb.form.infinitive in copulas
        return not (self._others_named(len(self.line) if about else verb.at) or self._third_verb)

    def _only_you(self, boundary: int) -> bool:
        """Whether a verb that may be in any person is rather in the second: *se viaggi da sola*."""
        if self.line[boundary] in self.lexicon["that"] - self.lexicon["after_joiners"]:
            return False
        return any(verb.form.persons == {"2s"} for verb in self.verbs)

    def _is_given(self, verb: Verb) -> bool:
        """*Mi venga inviata*: to me, so that somebody or something else is the subject."""
        passive = verb.form.infinitive in self.lexicon["only_passive"]
        return passive and bool({*verb.clitics} & self.lexicon["first_clitics"])

    def _continues_about(self, verb: Verb) -> bool:
        """*Mi padrino murió. Era un hombre discreto*: about the subject of the sentence before."""
        start, _ = self.line.sentence(verb.at)
        first = {*verb.clitics} & self.lexicon["first_clitics"]
        if first or self.verb_before(verb.at) is not None or start == 0:
            return False
        before = self.verb_before(start - 1)
        if before is None or before.form.persons != {"3s"}:
            return False
        earlier, _ = self.line.sentence(before.at)
        if any(self._says_first(each) for each in self.verbs if earlier <= each.at < start):
            return False
        about = self._explicit(before)[0]
        return about is not None and about.who == "others" and about.sure == "certain"

    def _says_first(self, verb: Verb) -> bool:
        return verb.form.persons == {"1s"} or bool({*verb.clitics} & self.lexicon["first_clitics"])

    def _subordinate(
        self, verb: Verb, previous: Verb, first: Referent, boundary: int
    ) -> Referent | None:
        """The subject of what is said, asked, seen or wished; None if nothing tells."""
        ambiguous = "1s" in verb.form.persons
        if self.line[boundary - 1] in self.lexicon["as"]:  # como se fosse pai deles
            return self.object_of(previous) or first
        if previous.form.infinitive in self.lexicon["asking"]:
            return self._asked(previous, first)
        if self.line[verb.at] in self.lexicon["subjunctives"]:
            return self._wished(first, previous)
        if ambiguous and previous.form.persons == {"3p"} and self.first_person:
            return self.speaker("likely")  # me preguntaron si estaba sola
        if previous.form.infinitive in self.lexicon["perceiving"]:
            return UNKNOWN
        return self._reported(first) if ambiguous else None

    def _follows_person(self, verb: Verb) -> bool:
        """Whether somebody else is named right before the comma before the verb."""
        at = verb.at - 1
        while self.line[at] in self.lexicon["clitics"] | self.lexicon["negations"]:
            at -= 1
        named = self.inside.get(at - 1)
        before = self.verb_before(at)
        if self.line[at] != ",":
            return False
        if before is not None and not before.form.persons & {"3s"}:
            met = {*before.clitics} & {*self.lexicon.object_pairs}
            if met:  # la vi ayer, iba guapa
                return True
        if named is None or named.kind != "person":
            return False
        return self.line[named.start - 1] not in self.lexicon["as"]

    def _asked(self, previous: Verb, first: Referent) -> Referent:
        """*Me preguntó si estaba enfadada*: whoever is asked; *le pregunté si …*: unclear."""
        asked = self.object_of(previous)
        if asked is not None and asked.who in {"speaker", "listener"}:
            return asked._replace(sure="likely")
        if self.polite and self.lexicon["third_objects"] & {*previous.clitics}:  # le ruego que
            return self.listener("likely")
        return first if self.is_reflexive(previous) else UNKNOWN

    def _reported(self, first: Referent) -> Referent:
        """*Creía que estaba enferma*: the same person, unless another might be meant."""
        if first.who is not None and first.who == self.passage.interlocutors.speaker:
            return first._replace(sure="likely")
        if first.who is not None and first.who == self.passage.interlocutors.listener:
            return first._replace(sure="likely")  # você mesma disse que ia sozinha
        return UNKNOWN if self.first_person else Referent("others", sure="likely", dropped=True)

    def _wished(self, first: Referent, previous: Verb) -> Referent:
        """*Mi madre quiere que sea médica*: somebody else than the subject of the first verb."""
        if previous.form.infinitive in self.lexicon["copulas"]:  # es importante que esté bien hecho
            return UNKNOWN
        if previous.form.infinitive in self.lexicon["affecting"]:  # me preocupa que esté sola
            return UNKNOWN
        asked = self.object_of(previous)  # me tratan como si fuera una niña
        if asked is not None and asked.who in {"speaker", "listener"}:
            return asked
        if first.who != "others" or not self.first_person:
            return UNKNOWN
        return self.speaker("guess")._replace(dropped=True)

    def _joined(self, previous: Verb, verb: Verb) -> bool:
        """Whether the two verbs are coordinated."""
        words = self.line.keys[previous.at + 1 : verb.at]
        if any(word in self.lexicon["subordinators"] for word in words):
            return False
        return "," not in words or any(word in self.lexicon["and"] for word in words)
