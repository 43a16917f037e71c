"""Who a phrase is about: what the speaker or the listener is, is called, acts as; or others."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.german.agreement import Adder, find_relative
from epicene.rewriting.german.cases import (
    APPOSITION,
    CALLED,
    COMPARISON,
    PREDICATE,
    ROLE,
    VOCATIVE,
    in_prepositional,
    settle,
)
from epicene.rewriting.german.clauses import Clause, find_clauses, is_polite
from epicene.rewriting.german.inflection import Case, Cell, relative
from epicene.rewriting.german.lexicon import people, words
from epicene.rewriting.german.phrases import Phrase, find_phrases
from epicene.rewriting.german.vocatives import (
    add_endearments,
    add_greetings,
    add_groups,
    add_title,
    addresses_group,
    is_title,
    is_title_word,
    names_office,
    vocative,
)

if TYPE_CHECKING:
    from epicene.rewriting import Confidence
    from epicene.rewriting.german.line import Line
    from epicene.rewriting.german.sites import Sites
    from epicene.rewriting.persons import Person
    from epicene.rewriting.quotations import Interlocutors

_FIRST = frozenset("ich mich mir".split())
_SECOND = frozenset("du dich dir".split())
_OBJECTS = frozenset("mich mir dich dir".split())
_ACCUSATIVES = frozenset("mich dich ihn sich".split())
_THIRD_OBJECTS = frozenset("ihn ihm ihr sie".split())
_OWN = frozenset("mein meine meinen meinem meiner meines".split())
_YOUR = frozenset("dein deine deinen deinem deiner deines".split())
_HIS = frozenset("er ihm ihn seine seinen seinem".split())
_ONE = frozenset("einer eine einem einen eines keiner keine".split())
_GENITIVE_PLURALS = frozenset("der unserer meiner seiner ihrer dieser deiner".split())
_KIN_NAMES = frozenset("Papa Opa Vater Bruder Mann Onkel Papi Vati".split())
_TITLES_BEFORE_NAMES = _KIN_NAMES | frozenset("Lord Sir König Prinz Kaiser".split())
_PRONOUNS = {
    "der": "die",
    "derjenige": "diejenige",
    "derselbe": "dieselbe",
    "einer": "eine",
    "keiner": "keine",
    "jener": "jene",
    "dieser": "diese",
}
_FEMININE_PRONOUNS = {feminine: masculine for masculine, feminine in _PRONOUNS.items()}
_AFTER_PRONOUN = frozenset("vom mit von aus unter mehr wie geblieben geworden bin war".split())
_TRAINING = frozenset("ausbildung lehre umschulung weiterbildung ernennung wahl".split())
_RANKS = ("einzig", "erst", "letzt", "zweit", "dritt", "best", "ältest", "jüngst")


class Role(NamedTuple):
    """The person that a phrase is about, by which rule."""

    who: Person
    rule: str
    sure: Confidence = "certain"


def _role(who: Person | None, rule: str, sure: Confidence = "certain") -> Role | None:
    return Role(who, rule, sure) if who is not None else None


class Roles:
    """Reads the phrases of a text one by one, each in its clause."""

    def __init__(
        self, line: Line, interlocutors: Interlocutors, sites: Sites, *, generic_plurals: bool
    ) -> None:
        self.generic_plurals = generic_plurals
        self.line = line
        self.people = interlocutors
        self.sites = sites
        self.clauses = find_clauses(line, interlocutors)
        self.found: dict[int, tuple[Phrase, Role]] = {}
        self.cells: dict[int, Cell] = {}

    def read(self) -> None:
        """Add the sites of all phrases and pronouns that say who somebody is."""
        if self.people.listener is not None:
            self._read_addresses(self.people.listener)
        for found in find_phrases(self.line):
            phrase = self._as_plural(found)
            if phrase.noun in self.sites:
                continue
            clause = self.clause(phrase.noun)
            role = self._find_role(phrase, clause) if clause is not None else None
            if (second := self._second(phrase)) is not None:
                phrase, role = second
            if role is None or clause is None:
                continue
            self.found[phrase.noun] = (phrase, role)
            if not self._is_left_alone(phrase, role, clause):
                self._add(phrase, role, clause)
        self._read_pronouns()
        if self.people.listener is not None:
            add_greetings(self.line, self._addresser(self.people.listener))

    def _addresser(self, listener: Person) -> Adder:
        return Adder(self.line, self.sites, listener, VOCATIVE, "likely")

    def _read_addresses(self, listener: Person) -> None:
        add_endearments(self.line, self._addresser(listener))
        add_groups(self.line, self._addresser(listener))

    def _as_plural(self, phrase: Phrase) -> Phrase:
        """The phrase in the plural after a word that only plurals follow: alle Teilnehmer."""
        before = self.line[phrase.start - 1]
        number = before.isdigit() and phrase.determiner_at is None
        if not number and before not in words().before_plurals:
            return phrase
        case: Case = "dat" if before.endswith("en") else "gen" if before.endswith("er") else "nom"
        cell = Cell(case, plural=True)
        return phrase._replace(cells=(cell,)) if cell in phrase.reading.cells else phrase

    def _second(self, phrase: Phrase) -> tuple[Phrase, Role] | None:
        """The second noun of somebody spoken about, without an article: ein Arzt und Dichter."""
        before, role = self.found.get(phrase.start - 2, (phrase, None))
        cells = tuple(each for each in phrase.cells if not each.plural)
        if role is None or role.who != "others" or not cells:
            return None
        joined = self.line[phrase.start - 1] in {"und", "oder"} and phrase.start == phrase.noun
        indefinite = before.determiner.stem == "ein" and not before.cell.plural
        same = phrase.reading.gender == before.reading.gender and not phrase.reading.guessed
        if not (joined and indefinite and same):
            return None
        return phrase._replace(cells=cells), Role("others", "second noun for a person", "likely")

    def clause(self, at: int) -> Clause | None:
        """The clause of a word."""
        return next((each for each in self.clauses if each.has(at)), None)

    def _add(self, phrase: Phrase, role: Role, clause: Clause) -> None:
        adder = Adder(self.line, self.sites, role.who, role.rule, role.sure)
        one_of = self._one_of(phrase)
        if one_of is not None:
            adder.phrase(phrase, Cell("gen", plural=True))
            _add_one(adder, one_of, masculine=phrase.reading.gender == "masculine")
            return
        cell = settle(self.line, phrase, role.rule, role.who, clause)
        before = self.cells.get(phrase.start - 2)
        if before is not None and before in phrase.cells and self._shares_case(phrase):
            cell = before
        self.cells[phrase.noun] = cell
        if is_title(self.line, phrase):
            add_title(self.line, phrase, cell, adder)
        elif is_title_word(self.line, phrase.noun - 1) and self.line[phrase.noun] == "doktor":
            pass  # Herr Doktor, Frau Doktor
        else:
            adder.phrase(phrase, cell)

    def _shares_case(self, phrase: Phrase) -> bool:
        """Whether it has the case of the noun before: ein Arzt und Dichter; der Wirt, ein Mann …"""
        beside = self.line[phrase.start - 1]
        return beside in {"und", "oder"} or (beside == "," and phrase.determiner.kind != "der")

    def _find_role(self, phrase: Phrase, clause: Clause) -> Role | None:
        if phrase.cell.plural and addresses_group(self.line, phrase.noun):
            return None
        if is_title_word(self.line, phrase.start - 1):
            if not names_office(self.line, phrase.noun):
                return None
            return self.found[phrase.start - 1][1] if phrase.start - 1 in self.found else None
        one_of = self._one_of(phrase)
        start = one_of if one_of is not None else phrase.start
        plural = phrase.cell.plural and one_of is None
        singular = not plural or (
            self.line[start - 1] == "als" and any(not cell.plural for cell in phrase.cells)
        )
        if singular:
            role = (
                self._signs(phrase)
                or self._addressed(phrase)
                or self._beside_pronoun(phrase, start)
                or self._joined(phrase, start)
                or self._as(phrase, start, clause)
                or self._predicate(phrase, start, clause)
                or self._called(phrase, clause)
            )
            if role is not None and not (role.who == "others" and plural):
                return role
        guessed = phrase.reading.guessed and phrase.reading.gender == "masculine"
        if guessed or phrase.reading.ranked or not self.line.is_capital(phrase.noun):
            return None
        if self._is_company(phrase):
            return None
        return Role("others", "noun for a person", "likely")

    def _is_company(self, phrase: Phrase) -> bool:
        """Der Vermieter, die Wohnbau Süd GmbH."""
        after = self.line.keys[phrase.noun + 1 : phrase.noun + 7]
        return after[:1] == [","] and not {"gmbh", "ag", "kg", "ohg"}.isdisjoint(after)

    def _one_of(self, phrase: Phrase) -> int | None:
        """Where einer der besten Köche begins."""
        at = phrase.start
        if phrase.determiner_at != at or not any(cell.plural for cell in phrase.cells):
            return None
        if self.line[at] not in _GENITIVE_PLURALS or self.line[at - 1] not in _ONE:
            return None
        return at - 1

    def pronoun(self, at: int) -> Person | None:
        """The speaker or listener that a pronoun means."""
        word = self.line[at]
        if word in _FIRST:
            return self.people.speaker
        if word in _SECOND or (word in {"sie", "ihnen"} and is_polite(self.line, at)):
            return self.people.listener
        return None

    def _signs(self, phrase: Phrase) -> Role | None:
        """Mit freundlichen Grüßen, Ihr treuer Leser."""
        line, start = self.line, phrase.start
        if line[start] not in {"ihr", "ihre", "dein", "deine", "euer", "eure"}:
            return None
        greeted = set(line.keys[line.sentence(start)[0] : start]) & words().signing
        closes = line.is_capital(start) or line[start] not in {"ihr", "ihre"}
        ends = not line.is_word(phrase.noun + 1) or line.is_capital(phrase.noun + 1)
        if not greeted or not closes or line.is_word(start - 1) or not ends:
            return None
        return _role(self.people.speaker, APPOSITION, "likely")

    def _addressed(self, phrase: Phrase) -> Role | None:
        sure = vocative(self.line, phrase)
        return _role(self.people.listener, VOCATIVE, sure) if sure is not None else None

    def _beside_pronoun(self, phrase: Phrase, start: int) -> Role | None:
        """Ich Idiot; ich, ein armer Student, …; mir als Arzt is read by `_as`."""
        line = self.line
        if line[start - 1] == "," and (who := self.pronoun(start - 2)) is not None:
            article = line[start] in {"ein", "eine", "einen", "der", "die", "den", "dem"}
            bare = phrase.determiner_at is None and line[start - 2] in {"ich", "du"}
            return Role(who, APPOSITION) if (article or bare) and self._closes(phrase) else None
        who = self.pronoun(start - 1)
        if who is None or phrase.determiner_at is not None or line[start - 1] in {"sie", "ihnen"}:
            return None
        noun = phrase.reading.noun
        name = (noun is not None and noun.lemma in _KIN_NAMES) or line.is_capital(phrase.noun + 1)
        opened = line.is_mark(start - 2) or line[start - 2] in words().before_vocative
        closed = line.is_mark(phrase.noun + 1) or line.is_finite(phrase.noun + 1)
        singular = phrase.adjectives or all(not cell.plural for cell in phrase.cells)
        clear = (opened and closed) or singular
        return Role(who, APPOSITION, "likely") if clear and not name else None

    def _closes(self, phrase: Phrase) -> bool:
        """Whether a comma ends the apposition, or the sentence ends with its noun."""
        at = phrase.noun + 1
        if self.line.is_mark(at):
            return True
        while self.line.is_word(at) and not self.line.is_finite(at):
            at += 1
        return self.line[at] == ","

    def _joined(self, phrase: Phrase, start: int) -> Role | None:
        """The second of two: Arzt und Vater, weder Arzt noch Apotheker."""
        line = self.line
        again = line[start - 1] == "als"
        at = start - 1 - again
        if line[at] not in {"und", "oder", ",", "sowie", "noch"}:
            return None
        phrase_before, role = self.found.get(at - 1, (phrase, None))
        if role is None or role.rule == VOCATIVE:
            return None
        if role.who == "others":
            return None
        if self.clause(at - 1) != self.clause(phrase.noun) or line[start] in _OWN | _YOUR:
            return None
        bare = phrase.determiner_at is None
        same = (phrase_before.determiner_at is None) == bare
        return role if same or line[start].startswith(("ein", "kein")) else None

    def _as(self, phrase: Phrase, start: int, clause: Clause) -> Role | None:
        """Als Kunde, wie ein Kunde; with a pronoun before it, what that is."""
        line = self.line
        at = start - 1
        while line[at] in words().adverbs:
            at -= 1
        if line[at] == "als" and self._is_role(phrase, at, clause):
            rule = ROLE
        elif line[at] == "wie" and self._is_comparison(phrase, at, clause):
            rule = COMPARISON
        else:
            return None
        if (
            rule == COMPARISON
            and phrase.reading.gender == "masculine"
            and phrase.cell.case == "nom"
        ):
            return _role(clause.subject, rule) if clause.subject_at is not None else None
        while line[at - 1] in words().adverbs:
            at -= 1
        who = self.pronoun(at - 1)
        if line[at - 1] in {"ihnen", "dir"} and clause.subject_at is not None:
            dative = line[clause.subject_at] != "ich" or clause.subject_at > at
            who = who if dative else clause.subject  # ich rate Ihnen als Arzt
        if who is not None and (rule == ROLE or line[at - 2] not in words().prepositions):
            return Role(who, rule)
        if line[at - 1] in _THIRD_OBJECTS | {"er"}:
            return Role("others", rule)
        beside = self.found.get(at - 1)
        if beside is not None and beside[1].who == "others" and not beside[0].preposition:
            return Role("others", rule, "likely")  # ich habe eine Ärztin als Nachbarin
        if line.is_noun(at - 1) and line[at - 2] in _OWN | _YOUR:  # meine Arbeit als Lehrer
            mine = line[at - 2] in _OWN
            return _role(self.people.speaker if mine else self.people.listener, rule, "likely")
        return self._regarded(rule, at, clause)

    def _regarded(self, rule: str, at: int, clause: Clause) -> Role | None:
        """Whose role it is: an object's that is regarded as something, otherwise the subject's."""
        line = self.line
        keys = line.keys[clause.start : clause.end]
        regarded = words().regarding & set(keys)
        objects = [
            index
            for index in range(clause.start, clause.end)
            if line[index] in _OBJECTS or self._is_polite_object(index, clause)
        ]
        if objects and "wir" in keys:
            return _role(self.pronoun(objects[0]), rule, "likely")
        reflexive = clause.subject_at is not None and line[clause.subject_at] == "ich"
        if objects and regarded and not reflexive:
            return _role(self.pronoun(objects[0]), rule, "likely")
        if (
            regarded - words().have - words().modals
            and _THIRD_OBJECTS & set(line.keys[clause.start : at])
            and clause.subject != "others"
        ):
            return Role("others", rule)
        nouns = [index for index in range(clause.start, clause.end) if line.is_noun(index)]
        if objects and clause.subject_at is None and all(index > at for index in nouns[:1]):
            return _role(self.pronoun(objects[0]), rule, "likely")  # mir wird als Arzt vertraut
        verbless = not any(line.is_finite(index) for index in range(clause.start, clause.end))
        subject = clause.subject
        if subject is None or (verbless and clause.subject_at is None):
            subject = self._main_subject(clause)
        if subject is not None and (rule == ROLE or clause.subject_at is not None):
            return Role(subject, rule, "certain" if clause.subject_at is not None else "likely")
        return _role(self.pronoun(objects[0]), rule, "likely") if objects else None

    def _is_role(self, phrase: Phrase, at: int, clause: Clause) -> bool:
        """Whether als gives a role: not a time (als der Arzt kam), not a comparison."""
        line, lists = self.line, words()
        ranked = phrase.reading.ranked or any(
            line[index].startswith(_RANKS) for index in phrase.adjectives
        )
        first = at == clause.start or line.is_mark(at - 1) or line[at - 1] in lists.coordinators
        if phrase.determiner.kind == "der" and not ranked:
            index = at - 1
            while line[index] in lists.adverbs:
                index -= 1
            return self.pronoun(index) is not None and not first
        if first and phrase.determiner_at is not None and not ranked:
            inverted = line.is_finite(phrase.noun + 1) and self.pronoun(phrase.noun + 2) is not None
            return inverted and phrase.determiner.stem != "ein"
        before = line[at - 1]
        comparative = before.endswith("er") and before not in lists.not_compared
        if before == "mehr":
            return phrase.determiner_at is None
        return not comparative and before not in lists.compared

    def _is_comparison(self, phrase: Phrase, at: int, clause: Clause) -> bool:
        line = self.line
        if phrase.determiner_at is None or phrase.determiner.stem != "ein":
            return False
        beside = line[at - 1] in {"mich", "dich"}
        said = clause.copular and clause.subject_at is not None
        return beside or said or bool(words().comparing & set(line.keys[clause.start : clause.end]))

    def _main_subject(self, clause: Clause) -> Person | None:
        """The subject of the main clause: Als Student, der wenig Geld hat, wohne ich …"""
        start, end = self.line.sentence(clause.start)
        for each in self.clauses:
            if start <= each.start < end and not each.subordinate and each.subject_at is not None:
                return each.subject
        return None

    def _predicate(self, phrase: Phrase, start: int, clause: Clause) -> Role | None:
        """What the subject is, becomes or remains."""
        line = self.line
        one_of = self._one_of(phrase)
        if is_title(line, phrase) or line[start - 1] in {"wie", "als", "statt"}:
            return None
        if one_of is None:
            nominative = any(cell.case == "nom" and not cell.plural for cell in phrase.cells)
            if phrase.preposition or not nominative or self._follows_noun(phrase):
                return None
        elif line[one_of] not in {"einer", "eine", "keiner", "keine"}:
            return None
        if (who := self._fronted(phrase) or self._made_of(phrase, clause)) is not None:
            return Role(who, PREDICATE)
        end = phrase.noun + 1
        while line.is_word(end) and line[end] != "zu":
            end += 1
        if line[end] == "zu" and line[end + 1] in {"sein", "werden", "bleiben"}:
            return _role(self._controller(clause), PREDICATE, "likely")
        who = self._described(clause)
        whose = line[clause.subject_at] if clause.subject_at is not None else ""
        own = {"ich": _OWN, "bin": _OWN, "du": _YOUR, "bist": _YOUR}.get(whose, frozenset())
        eigen = any(line[at].startswith("eigen") for at in phrase.adjectives)
        if line[phrase.start] in own and not eigen:
            return None  # mein Mann; but mein eigener Chef
        return _role(who, PREDICATE)

    def _fronted(self, phrase: Phrase) -> Person | None:
        """Who it is at the end of a sentence: Der Letzte, der ihn sah, war ich; …, das bin ich."""
        line = self.line
        if not line.starts_sentence(phrase.start):
            return None
        for at in range(phrase.noun + 1, line.sentence(phrase.start)[1] - 1):
            comma = at - 2 if line[at - 1] == "das" else at - 1
            if line[at] in words().be and line[comma] == ",":
                return self.pronoun(at + 1)
        return None

    def _made_of(self, phrase: Phrase, clause: Clause) -> Person | None:
        """Aus mir wird nie ein Lehrer."""
        line = self.line
        if not (words().become | {"geworden"}) & set(line.keys[clause.start : clause.end]):
            return None
        found = (at + 1 for at in range(clause.start, phrase.start) if line[at] == "aus")
        return next((who for at in found if (who := self.pronoun(at)) is not None), None)

    def _described(self, clause: Clause) -> Person | None:
        """The subject of a clause that says what somebody is; of others only er and sie."""
        if not clause.copular or clause.subject_at is None:
            return None
        if clause.subject == "others" and self.line[clause.subject_at] not in {"er", "sie"}:
            return None
        return clause.subject

    def _follows_noun(self, phrase: Phrase) -> bool:
        """Whether the phrase belongs to the noun before it: Frau Doktor, das Haus der Ärzte."""
        line, before = self.line, phrase.start - 1
        if not line.is_noun(before) or line[before] == "tages":  # eines Tages Professor
            return False
        if before in self.found and self.found[before][1].who != "others":
            return False
        if phrase.determiner_at is not None:
            genitive = phrase.reading.guessed or "gen" in {cell.case for cell in phrase.cells}
            return line[phrase.start] in {"der", "des"} and genitive
        return not in_prepositional(line, before)

    def _controller(self, clause: Clause) -> Person | None:
        """Who would be it: Mein Traum ist es, Arzt zu werden."""
        if clause.subject_at is not None and clause.subject is not None:
            return clause.subject
        start, end = self.line.sentence(clause.start)
        keys = set(self.line.keys[start:end])
        first, second = bool(keys & (_FIRST | _OWN)), bool(keys & (_SECOND | _YOUR))
        if first == second or keys & _HIS:
            return None
        return self.people.speaker if first else self.people.listener

    def _called(self, phrase: Phrase, clause: Clause) -> Role | None:
        """Mich einen Helden nennen, mich zum Sprecher wählen, mich für einen Idioten halten."""
        line, lists = self.line, words()
        keys = set(line.keys[clause.start : clause.end])
        become = keys & {*words().become, "geworden", "worden"}
        acted = phrase.reading.noun is None and phrase.determiner.kind == "der"
        if acted and lists.acting & keys and not phrase.preposition:
            actor = clause.subject if clause.subject_at is not None else self._main_subject(clause)
            return _role(actor, CALLED, "likely")  # den Unschuldigen spielen
        if phrase.preposition in {"zu", "für"}:
            made = (lists.regarding | lists.making) & keys or line[phrase.start - 1] in _TRAINING
            if not made and not (phrase.preposition == "zu" and become):
                return None
            if phrase.preposition == "zu" and line[phrase.start] in {"dem", "der", "den"}:
                return None
        elif phrase.preposition or not lists.naming & keys or not self._may_be_name(phrase, clause):
            return None
        if phrase.preposition == "zu" and line[phrase.start - 1] in _TRAINING:
            return _role(clause.subject, CALLED) if clause.subject_at is not None else None
        objects = [
            at
            for at in range(clause.start, clause.end)
            if line[at] in {"mich", "dich", "ihn"}
            or (line[at] in {"mir", "dir"} and phrase.preposition)
            or self._is_polite_object(at, clause)
        ]
        if objects:
            return (
                Role(self.pronoun(objects[0]) or "others", CALLED)
                if phrase.start > objects[0]
                else None
            )
        subject = clause.subject_at
        if not become or subject is None or (phrase.start < subject and phrase.determiner_at):
            return None
        return _role(clause.subject, CALLED)

    def _is_polite_object(self, at: int, clause: Clause) -> bool:
        """Whether Sie is the listener and not the subject: wir bestellen Sie zum Betreuer."""
        polite = self.line[at] == "sie" and is_polite(self.line, at)
        return polite and clause.subject_at != at

    def _may_be_name(self, phrase: Phrase, clause: Clause) -> bool:
        """Whether somebody can be called so: not der Direktor in mich der Direktor so nannte."""
        if all(cell.case != "acc" for cell in phrase.cells if not cell.plural):
            return phrase.determiner_at is None
        others = range(phrase.noun + 1, clause.end)
        indefinite = any(self.line[at] in {"ein", "eine", "einen"} for at in others)
        return not indefinite or phrase.determiner.kind != "der"

    def _is_left_alone(self, phrase: Phrase, role: Role, clause: Clause) -> bool:
        """Plurals that name women too, and bare nouns that may be plurals or names."""
        reading = phrase.reading
        if role.who != "others" or role.rule != "noun for a person" or reading.gender == "feminine":
            return False
        if phrase.cell.plural:
            men = reading.noun is not None and reading.noun.men
            return not (men or self.generic_plurals)
        titled = is_title(self.line, phrase) or is_title_word(self.line, phrase.noun - 1)
        if phrase.determiner_at is not None or phrase.adjectives or titled:
            return False
        if reading.noun is None and not self.line[phrase.noun].endswith("er"):
            return True
        return not self._is_one_person(phrase, clause)

    def _is_one_person(self, phrase: Phrase, clause: Clause) -> bool:
        """Whether a bare noun is one person, not several and not a name."""
        line, at = self.line, phrase.noun
        noun = phrase.reading.noun
        if noun is not None and noun.lemma in _TITLES_BEFORE_NAMES:
            return line.is_capital(at + 1) or all(not cell.plural for cell in phrase.cells)
        if self._heads_line(phrase):
            return True
        if line.is_capital(at - 1) and line[at - 2] not in {",", "als"}:
            return False
        if line[at + 1] in {"des", "der", "eines", "einer", "von", "und"} and line[at - 1] == ",":
            return True
        keys = set(line.keys[clause.start : clause.end])
        singular = keys & {"ist", "war", "wird", "wurde", "blieb", "werden"}
        inner = not line.starts_sentence(at) and not phrase.preposition
        return bool(singular) and clause.copular and inner

    def _heads_line(self, phrase: Phrase) -> bool:
        """Sohn übernimmt; Kontakt: Ehemann; Unbekannter raubt …; Torschütze war der Stürmer."""
        line, at, noun = self.line, phrase.noun, phrase.reading.noun
        if not line.starts_sentence(at) or line.is_capital(at + 1):
            return False
        if noun is None:
            return line[at].endswith("er") and line.is_word(at + 1)
        if noun.lemma in people().no_compounds:  # names too: Koch, Graf
            return False
        if noun.men:
            return all(not cell.plural for cell in phrase.cells)
        article = line[at + 2] in {"der", "die", "ein", "eine"}
        return article and line[at + 1] in {"ist", "war", "wird", "wurde"}

    def _read_pronouns(self) -> None:
        """Derjenige, einer, keiner where somebody is said to be it; ich, der …"""
        line = self.line
        for at in range(len(line)):
            if line[at] in {"ich", "du"} and line[at + 1] == "," and line[at + 2] in {"der", "die"}:
                who = self.pronoun(at)
                noun = line.is_capital(at + 3) or line.is_capital(at + 4)
                if who is not None and line.is_word(at + 3) and not noun:
                    Adder(line, self.sites, who, "relative pronoun").word(at + 2, "der", "die")
            known = line[at] in _PRONOUNS or line[at] in _FEMININE_PRONOUNS
            if known and line[at] not in {"der", "die"}:
                self._read_pronoun(at)
            elif line[at] in {"der", "die"} and line.keys[at + 1 : at + 3] == [",", line[at]]:
                self._read_pronoun(at)  # ich bin der, der …
            elif line[at] in {"der", "die"} and line[at - 1] in words().be | {"ich", "du", "sie"}:
                self._read_pronoun(at)  # bist du der vom Flohmarkt
            elif line[at] == "wie" and line[at + 1] in {"kein", "keine"}:
                self._read_unequalled(at)

    def _read_unequalled(self, at: int) -> None:
        """Sie kennt die Berge wie keine andere."""
        line, clause = self.line, self.clause(at)
        forms = {"kein": ("anderer", "zweiter"), "keine": ("andere", "zweite")}[line[at + 1]]
        if clause is None or clause.subject is None or clause.subject_at is None:
            return
        ends = line[at + 2] in forms and line.is_mark(at + 3)
        if not ends or _ACCUSATIVES & set(line.keys[clause.start : at]):
            return
        stem = line[at + 2].removesuffix("er").removesuffix("e")
        adder = Adder(line, self.sites, clause.subject, COMPARISON)
        adder.word(at + 1, "kein", "keine")
        adder.word(at + 2, stem + "er", stem + "e")

    def _read_pronoun(self, at: int) -> None:
        line, clause = self.line, self.clause(at)
        who = self._described(clause) if clause is not None else None
        if who is None or line[at - 1] in words().prepositions | {"als"}:
            return
        if not line.is_mark(at + 1) and line[at + 1] not in _AFTER_PRONOUN:
            return
        adder = Adder(line, self.sites, who, PREDICATE)
        feminine = line[at] in _FEMININE_PRONOUNS
        masculine = _FEMININE_PRONOUNS[line[at]] if feminine else line[at]
        adder.word(at, masculine, _PRONOUNS[masculine])
        found = find_relative(line, at, "f" if feminine else "m")
        if found is not None and line[at + 1] == ",":
            where, case = found
            adder.word(where, relative("m", case), relative("f", case))


def _add_one(adder: Adder, at: int, *, masculine: bool) -> None:
    """Einer of einer der besten Köche."""
    word = adder.line[at]
    stem = "kein" if word.startswith("kein") else "ein"
    ending = word.removeprefix(stem)
    if masculine:
        adder.word(
            at, word, stem + {"er": "e", "en": "e", "em": "er", "es": "er"}.get(ending, ending)
        )
    else:
        adder.word(at, stem + {"e": "er", "er": "em"}.get(ending, ending), word)
