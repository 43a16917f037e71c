"""Who a phrase is about: what the speaker or the listener is, is called or acts as; otherwise others."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.german.agreement import NOMINATIVE_PRONOUNS, Adder, find_relative
from epicene.rewriting.german.clauses import Clause, find_clauses, is_polite
from epicene.rewriting.german.inflection import Cell, determiner, relative
from epicene.rewriting.german.lexicon import words
from epicene.rewriting.german.line import opens_with_subject
from epicene.rewriting.german.phrases import Phrase, find_phrases

if TYPE_CHECKING:
    from epicene.rewriting import Confidence
    from epicene.rewriting.german.line import Line
    from epicene.rewriting.german.sites import Sites
    from epicene.rewriting.persons import Person
    from epicene.rewriting.quotations import Interlocutors

_FIRST = frozenset("ich mich mir".split())
_SECOND = frozenset("du dich dir".split())
_THIRD_OBJECTS = frozenset("ihn ihm ihr sie".split())
_OWN = frozenset("mein meine meinen meinem meiner meines".split())
_YOUR = frozenset("dein deine deinen deinem deiner deines".split())
_TITLES = frozenset({"herr", "herrn", "frau"})
_PREDICATE_PRONOUNS = {
    "derjenige": "diejenige",
    "derselbe": "dieselbe",
    "einer": "eine",
    "keiner": "keine",
    "jener": "jene",
    "dieser": "diese",
}
_FEMININE_PRONOUNS = {feminine: masculine for masculine, feminine in _PREDICATE_PRONOUNS.items()}


class Role(NamedTuple):
    """The person that a phrase is about, by which rule."""

    who: Person
    rule: str
    sure: Confidence = "certain"
    case: str = ""


class Roles:
    """Reads the phrases of a text one by one, each in its clause."""

    def __init__(self, line: Line, interlocutors: Interlocutors, sites: Sites) -> None:
        self.line = line
        self.people = interlocutors
        self.sites = sites
        self.clauses = find_clauses(line, interlocutors)
        self.phrases = list(find_phrases(line))
        self.found: dict[int, tuple[Phrase, Role]] = {}

    def read(self) -> None:
        """Add the sites of all phrases and pronouns that say who somebody is."""
        for phrase in self.phrases:
            role = self._role(phrase)
            if role is None:
                continue
            self.found[phrase.noun] = (phrase, role)
            if self._is_left_alone(phrase, role):
                continue
            adder = Adder(self.line, self.sites, role.who, role.rule, role.sure)
            if self._is_title(phrase):
                self._add_title(phrase, adder)
            else:
                adder.phrase(phrase, self._settle(phrase, role))
                self._add_one_of(phrase, adder)
        self._read_pronouns()
        self._read_greetings()

    def clause(self, at: int) -> Clause | None:
        """The clause of a word."""
        return next((each for each in self.clauses if each.has(at)), None)

    # -- who ---------------------------------------------------------------------------------

    def _role(self, phrase: Phrase) -> Role | None:
        line, start = self.line, phrase.start
        one_of = self._one_of(phrase)
        start = one_of if one_of is not None else start
        clause = self.clause(phrase.noun)
        if clause is None:
            return None
        plural = phrase.cell.plural and one_of is None
        if not plural:
            role = (
                self._addressed(phrase)
                or self._beside_pronoun(phrase, start)
                or self._joined(phrase, start)
                or self._as(phrase, start, clause)
                or self._predicate(phrase, start, clause)
                or self._object_predicate(phrase, start, clause)
            )
            if role is not None:
                return role
        if phrase.reading.guessed and phrase.reading.gender == "masculine":
            return None
        if phrase.reading.ranked:
            return None
        return (
            Role("others", "noun for a person", "likely") if line.is_capital(phrase.noun) else None
        )

    def _one_of(self, phrase: Phrase) -> int | None:
        """Where einer der besten Köche begins."""
        at = phrase.start
        if not phrase.cell.plural and not any(cell.plural for cell in phrase.cells):
            return None
        if self.line[at] not in {"der", "unserer", "meiner", "seiner", "ihrer", "dieser", "deiner"}:
            return None
        if phrase.determiner_at != at or self.line[at - 1] not in {
            "einer",
            "eine",
            "einem",
            "einen",
            "eines",
            "keiner",
            "keine",
        }:
            return None
        return at - 1

    def _add_one_of(self, phrase: Phrase, adder: Adder) -> None:
        at = self._one_of(phrase)
        if at is None:
            return
        word, stem = self.line[at], self.line[at][: 5 if self.line[at][0] == "k" else 3].rstrip("e")
        stem = "kein" if word.startswith("kein") else "ein"
        ending = word.removeprefix(stem)
        if phrase.reading.gender == "masculine":
            feminine = {"er": "e", "en": "e", "em": "er", "es": "er"}.get(ending, ending)
            adder.word(at, word, stem + feminine)
        else:
            masculine = {"e": "er", "er": "em"}.get(ending, ending)
            adder.word(at, stem + masculine, word)

    def _addressed(self, phrase: Phrase) -> Role | None:
        """A vocative: Lieber Kunde, mein Freund."""
        line = self.line
        listener = self.people.listener
        if listener is None or phrase.preposition or phrase.cell.case != "nom":
            return None
        end = phrase.noun + 1
        if self._is_title(phrase) or line[phrase.noun] in _TITLES:
            while line.is_capital(end):
                end += 1
        opened = (
            phrase.start == 0
            or line.is_mark(phrase.start - 1)
            or line[phrase.start - 1]
            in {
                "hallo",
                "hi",
                "hey",
                "danke",
                "sehr",
                "servus",
                "moin",
                "ja",
                "nein",
                "na",
                "ach",
                "oh",
                "willkommen",
                "und",
            }
        )
        kind = {line[at].rstrip("er") for at in phrase.adjectives}
        dear = bool(
            kind & {"lieb", "geehrt", "wert", "verehrt", "liebst", "hochgeehrt", "geschätzt"}
        )
        closed = line.is_mark(end) and line[end] not in {"(", "“", '"'}
        mine = phrase.determiner_at is not None and line[phrase.determiner_at] in {"mein", "meine"}
        if dear and phrase.determiner_at is None and opened and (closed or phrase.start == 0):
            return Role(listener, "vocative")
        if not opened or not closed:
            return None
        alone = all(not line.is_finite(at) for at in range(phrase.start, end))
        if mine and alone and self._is_aside(phrase.start, end):
            return Role(listener, "vocative", "likely")
        greeted = line[phrase.start - 1] in {"hallo", "hi", "hey", "servus", "danke", "willkommen"}
        if greeted and phrase.determiner_at is None:
            return Role(listener, "vocative")
        if (
            line[phrase.start - 1] == ","
            and phrase.determiner_at is None
            and phrase.adjectives == ()
        ):
            before = line[phrase.start - 2]
            if before in {
                "danke",
                "hallo",
                "hey",
                "ja",
                "nein",
                "bitte",
                "gut",
                "dank",
                "morgen",
                "tag",
            }:
                return Role(listener, "vocative", "likely")
        return None

    def _is_aside(self, start: int, end: int) -> bool:
        """Whether what is between marks is addressed to somebody, not an apposition or a list."""
        line = self.line
        first, last = line.sentence(start)
        others = {*line.keys[first:start], *line.keys[end:last]}
        return bool(
            others & {"du", "dich", "dir", "dein", "deine", "danke", "hallo", "komm", "hör"}
        ) or (first == start and last == end)

    def _beside_pronoun(self, phrase: Phrase, start: int) -> Role | None:
        """Ich Idiot; ich, ein armer Student, …; mir als Arzt is read by `_as`."""
        line = self.line
        before = line[start - 1]
        who = self._pronoun(start - 1)
        kin = phrase.reading.noun is not None and phrase.reading.noun.lemma in {
            "Papa",
            "Opa",
            "Vater",
            "Bruder",
            "Mann",
            "Onkel",
            "Papi",
            "Vati",
        }
        if who is not None and phrase.determiner_at is None and not self._is_title(phrase):
            clear = all(not cell.plural for cell in phrase.cells) or phrase.adjectives
            following = line.is_capital(phrase.noun + 1) and line[phrase.noun + 1] != "sie"
            if clear and not kin and not following and line[start - 1] not in {"sie"}:
                return Role(who, "apposition to a pronoun", "likely")
        if before == "," and (who := self._pronoun(start - 2)) is not None:
            closed = line[phrase.noun + 1] == ","
            if closed or line[start] in {"ein", "eine", "der", "die"} and self._closes(phrase):
                return Role(who, "apposition to a pronoun")
        return None

    def _closes(self, phrase: Phrase) -> bool:
        at = phrase.noun + 1
        while self.line.is_word(at) and not self.line.is_finite(at):
            at += 1
        return self.line[at] == ","

    def _pronoun(self, at: int) -> Person | None:
        word = self.line[at]
        if word in _FIRST:
            return self.people.speaker
        if word in _SECOND or (word in {"sie", "ihnen"} and is_polite(self.line, at)):
            return self.people.listener
        return None

    def _joined(self, phrase: Phrase, start: int) -> Role | None:
        """The second of two: Arzt und Vater, weder Arzt noch Apotheker."""
        line = self.line
        if line[start - 1] not in {"und", "oder", ",", "sowie", "noch", "als"}:
            return None
        back = start - 2 if line[start - 1] != "als" else start - 3
        if line[start - 1] == "als" and line[start - 2] not in {"und", "oder", "sowie", ","}:
            return None
        known = self.found.get(back)
        if known is None or known[1].who == "others" or known[1].rule == "vocative":
            return None
        same = (known[0].determiner.kind == "none") == (phrase.determiner.kind == "none")
        return known[1] if same or line[start] in {"ein", "eine", "kein", "keine"} else None

    def _as(self, phrase: Phrase, start: int, clause: Clause) -> Role | None:
        """Als Kunde; with a pronoun before it, what that is."""
        line = self.line
        at = start - 1
        while line[at] in words().adverbs:
            at -= 1
        if line[at] not in {"als", "wie"}:
            return None
        definite = phrase.determiner.kind == "der" and not self._is_ranked(phrase)
        conjunction = (
            at == clause.start or line.is_mark(at - 1) or line[at - 1] in words().coordinators
        )
        if line[at] == "als":
            if definite or (
                conjunction and phrase.determiner_at is not None and not self._is_ranked(phrase)
            ):
                return None
            if (
                line[at - 1].endswith("er")
                and line[at - 1] not in {"aber", "immer", "wieder", "er", "leider", "hier"}
                or line[at - 1] in {"mehr", "weniger", "anders", "sowohl", "nichts"}
            ):
                if line[at - 1] != "mehr" or phrase.determiner_at is not None:
                    return None
        elif not words().comparing & set(line.keys[clause.start : clause.end]) or definite:
            return None
        if (
            line[at] == "wie"
            and phrase.determiner_at is not None
            and line[phrase.determiner_at]
            not in {
                "ein",
                "eine",
                "einen",
                "einem",
                "einer",
                "der",
                "die",
            }
        ):
            return None
        rule = "role" if line[at] == "als" else "comparison"
        if (who := self._pronoun(at - 1)) is not None:
            return Role(who, rule)
        if line[at - 1] in _THIRD_OBJECTS | {"er"}:
            return Role("others", rule)
        objects = [
            self._pronoun(index)
            for index in range(clause.start, clause.end)
            if line[index] in {"mich", "mir", "dich", "dir"}
        ]
        regarded = words().regarding & set(line.keys[clause.start : clause.end])
        if (
            objects
            and regarded
            and line[at] == "als"
            and clause.subject_at is not None
            and line[clause.subject_at] != "ich"
        ):
            return Role(objects[0], rule, "likely") if objects[0] else None
        if objects and regarded and clause.subject == "others":
            return Role(objects[0], rule, "likely") if objects[0] else None
        if (
            regarded - {"haben", "hatte", "hätte", "will", "wollte"}
            and _THIRD_OBJECTS & set(line.keys[clause.start : at])
            and clause.subject != "others"
        ):
            return Role("others", rule)
        whose = clause.subject or self._sentence_subject(clause)
        if whose is not None and (rule == "role" or clause.subject_at is not None):
            return Role(whose, rule, "certain" if clause.subject_at is not None else "likely")
        if objects and objects[0] is not None:
            return Role(objects[0], rule, "likely")
        return None

    def _is_ranked(self, phrase: Phrase) -> bool:
        return phrase.reading.ranked or any(
            self.line[at].startswith(
                ("einzig", "erst", "letzt", "zweit", "dritt", "best", "ältest", "jüngst")
            )
            for at in phrase.adjectives
        )

    def _sentence_subject(self, clause: Clause) -> Person | None:
        """The subject of the main clause after one that has none: Als Student, der …, war ich."""
        start, end = self.line.sentence(clause.start)
        for each in self.clauses:
            if start <= each.start < end and not each.subordinate and each.subject_at is not None:
                return each.subject
        return None

    def _predicate(self, phrase: Phrase, start: int, clause: Clause) -> Role | None:
        """What the subject is, becomes or remains."""
        line = self.line
        if phrase.preposition in {"zu", "für"} or self._is_title(phrase):
            return None
        one_of = self._one_of(phrase)
        if phrase.preposition and one_of is None:
            return None
        if one_of is None and not any(
            cell.case == "nom" and not cell.plural for cell in phrase.cells
        ):
            return None
        if one_of is not None and line[one_of] not in {"einer", "eine", "keiner", "keine"}:
            return None
        if line[start - 1] == "wie" or (line[start - 1] in {"als", "statt"} and clause.copular):
            return None
        end = phrase.noun + 1
        while line.is_word(end) and line[end] != "zu":
            end += 1
        controlled = line[end] == "zu" and line[end + 1] in {"sein", "werden", "bleiben"}
        if controlled:
            who = self._controller(clause)
            return Role(who, "predicate", "likely") if who is not None else None
        if not clause.copular or clause.subject is None or clause.subject_at is None:
            return None
        if clause.subject == "others" and line[clause.subject_at] not in {"er", "sie"}:
            return None
        if self._is_subject(phrase, clause):
            return None
        return Role(clause.subject, "predicate")

    def _is_subject(self, phrase: Phrase, clause: Clause) -> bool:
        """Whether a relative or a genitive keeps the phrase from being the predicate."""
        line = self.line
        if phrase.start and line.is_noun(phrase.start - 1) and line[phrase.start] in {"der", "des"}:
            return "gen" in {cell.case for cell in phrase.cells}
        return (
            phrase.determiner_at is None
            and line.is_noun(phrase.start - 1)
            and phrase.noun - 1 not in self.found
        )

    def _controller(self, clause: Clause) -> Person | None:
        """Who would be it: Mein Traum ist es, Arzt zu werden."""
        start, end = self.line.sentence(clause.start)
        keys = set(self.line.keys[start:end])
        first = bool(keys & (_FIRST | _OWN))
        second = bool(keys & (_SECOND | _YOUR))
        third = bool(keys & {"er", "ihm", "ihn", "sein", "seine", "seinen"})
        if (
            clause.subject_at is not None
            and clause.subject is not None
            and self.line[clause.subject_at] != "es"
        ):
            return clause.subject
        if first and not second and not third:
            return self.people.speaker
        if second and not first and not third:
            return self.people.listener
        return None

    def _object_predicate(self, phrase: Phrase, start: int, clause: Clause) -> Role | None:
        """Mich einen Helden nennen, mich zum Vorsitzenden wählen, mich für einen Idioten halten."""
        line = self.line
        keys = line.keys[clause.start : clause.end]
        lists = words()
        passive = bool({"wurde", "wurdest", "werde", "wirst", "worden"} & set(keys))
        objects = [
            index
            for index in range(clause.start, clause.end)
            if line[index] in {"mich", "dich", "mir", "dir", "ihn", "ihm"}
        ]
        verbs = set(keys)
        if phrase.preposition in {"zu", "für"}:
            if not (
                lists.regarding | {"ausgebildet", "bestellt", "berufen", "erklärt", "ernannt"}
            ) & verbs and not (
                phrase.preposition == "zu"
                and {"wurde", "werde", "geworden", "wird", "werden", "bin"} & verbs
            ):
                return None
            if (
                phrase.preposition == "zu"
                and phrase.determiner_at is not None
                and line[phrase.determiner_at]
                not in {
                    "zum",
                    "zur",
                    "einem",
                    "einer",
                    "meinem",
                    "seinem",
                    "ihrem",
                    "seiner",
                    "ihrer",
                }
            ):
                return None
        elif phrase.preposition or not lists.naming & verbs:
            return None
        elif not any(cell.case in {"acc", "nom"} for cell in phrase.cells):
            return None
        elif not phrase.preposition and not objects and not passive:
            return None
        if objects:
            at = objects[0]
            who = self._pronoun(at)
            return Role(who or "others", "what somebody is called or made")
        if passive or {"werde", "geworden", "bin"} & verbs:
            if clause.subject_at is not None and clause.subject is not None:
                return Role(clause.subject, "what somebody is called or made")
        return None

    # -- which case ----------------------------------------------------------------------------

    def _settle(self, phrase: Phrase, role: Role) -> Cell:
        """The cell of a phrase: for a feminine, what its masculine would be."""
        if self._one_of(phrase) is not None:
            return Cell("gen", plural=True)
        cell = phrase.cell
        if role.rule in {"role", "predicate", "vocative", "comparison"}:
            cell = next((each for each in phrase.cells if not each.plural), cell)
        if cell.plural or phrase.reading.gender == "masculine":
            return cell
        cases = {each.case for each in phrase.cells if not each.plural}
        if phrase.preposition or not cases >= {"nom", "acc"}:
            if cases == {"dat", "gen"} and not phrase.preposition:
                before = phrase.start - 1
                return Cell("gen" if self.line.is_noun(before) and self._governs(before) else "dat")
            return cell
        if role.rule in {"predicate", "vocative"}:
            return Cell("nom")
        bare = phrase.determiner_at is None
        if role.rule in {"role", "comparison"}:
            clause = self.clause(phrase.noun)
            at = phrase.start - 2
            object_before = self.line[at] in {"mich", "dich", "ihn", "sie"} and not bare
            by_object = (
                clause is not None
                and clause.subject != role.who
                and not bare
                and {"mich", "dich", "ihn"} & set(self.line.keys[clause.start : clause.end])
            )
            return Cell("acc" if object_before or by_object else "nom")
        if role.rule == "what somebody is called or made" and not bare:
            return Cell("acc")
        return Cell("acc" if self._is_object(phrase) else "nom")

    def _governs(self, at: int) -> bool:
        """Whether the noun before a genitive is no name in the way of a dative."""
        return determiner(self.line[at - 1]) is not None or not self.line.starts_sentence(at)

    def _is_object(self, phrase: Phrase) -> bool:
        """Whether a phrase that can be either is the object of its clause."""
        clause = self.clause(phrase.noun)
        if clause is None or (
            clause.copular and words().be & set(self.line.keys[clause.start : clause.end])
        ):
            return False
        line = self.line
        first = clause.start
        while line.is_mark(first) or line[first] in words().coordinators | words().subordinators:
            first += 1
            if first >= phrase.start:
                return False
        if first >= phrase.start:
            return False
        if clause.subject_at is not None and clause.has(clause.subject_at):
            return True
        if clause.subject_at is not None and clause.subject is not None:
            return True
        if not clause.subordinate and line.is_finite(phrase.start - 1):
            return opens_with_subject(line, clause.start, phrase.start - 1)
        for at in range(first, phrase.start):
            word = line[at]
            if word in NOMINATIVE_PRONOUNS:
                return True
            if (
                line.is_capital(at)
                and not self._in_prepositional(at)
                and word not in words().prepositions
            ):
                if (
                    at != first
                    or determiner(word) is None
                    and not line.is_finite(at)
                    and word not in words().adverbs | words().not_adjectives
                ):
                    return not (
                        self.found.get(at) and self.found[at][0].cell.case in {"dat", "gen"}
                    )
        return False

    def _in_prepositional(self, at: int) -> bool:
        return any(
            self.line[at - back] in words().prepositions
            or (determiner(self.line[at - back]) or ("",) * 3)[2]
            for back in range(1, 4)
            if at - back >= 0
        )

    # -- what is left alone --------------------------------------------------------------------

    def _is_left_alone(self, phrase: Phrase, role: Role) -> bool:
        """Plurals that name women too, and bare nouns that may be plurals or names."""
        reading = phrase.reading
        if role.who != "others" or role.rule != "noun for a person":
            return False
        noun = reading.noun
        if phrase.cell.plural:
            return reading.gender == "masculine" and not (noun is not None and noun.men)
        if phrase.determiner_at is not None or phrase.adjectives or reading.gender == "feminine":
            return False
        if self._is_title(phrase):
            return False
        if noun is None and not self.line[phrase.noun].endswith("er"):
            return True
        return not self._is_clear_singular(phrase)

    def _is_clear_singular(self, phrase: Phrase) -> bool:
        line, noun = self.line, phrase.noun
        lemma = phrase.reading.noun.lemma if phrase.reading.noun else ""
        if lemma in {
            "Papa",
            "Opa",
            "Vater",
            "Papi",
            "Vati",
            "Lord",
            "Sir",
            "König",
            "Prinz",
            "Kaiser",
            "Mann",
        }:
            return not any(cell.plural for cell in phrase.cells) or line.is_capital(noun + 1)
        if line.is_noun(noun - 1) and line[noun - 2] not in {",", "als"}:
            return False
        if line[noun + 1] in {"des", "der", "eines", "einer", "von", "und"}:
            clause = self.clause(noun)
            return clause is not None and (clause.copular or line[noun - 1] == ",")
        clause = self.clause(noun)
        singular = clause is not None and {"ist", "war", "wird", "wurde", "blieb", "werden"} & set(
            line.keys[clause.start : clause.end]
        )
        return (
            bool(singular)
            and clause is not None
            and clause.copular
            and not phrase.preposition
            and not line.starts_sentence(noun)
        )

    # -- Herr and Frau, pronouns, greetings ------------------------------------------------------

    def _is_title(self, phrase: Phrase) -> bool:
        at = phrase.noun
        return (
            self.line[at] in _TITLES
            and self.line.is_capital(at + 1)
            and (phrase.determiner_at is None)
        )

    def _add_title(self, phrase: Phrase, adder: Adder) -> None:
        """Herr Müller, Frau Müller."""
        line, at = self.line, phrase.noun
        masculine = line.tokens[at].text
        if line[at] == "frau":
            preposition = phrase.preposition or line[phrase.start - 1] in {"an"}
            masculine = "Herrn" if preposition else "Herr"
        adder.word(at, masculine, "Frau")
        for index in phrase.adjectives:
            stem = (
                line[index].removesuffix("er").removesuffix("e")
                if phrase.cell.case == "nom"
                else ""
            )
            if stem:
                adder.word(index, stem + "er", stem + "e")

    def _read_pronouns(self) -> None:
        """Derjenige, einer, keiner where somebody is said to be it; ich, der ich …"""
        line = self.line
        for at in range(len(line)):
            if line[at] in {"ich", "du"} and line[at + 1] == "," and line[at + 2] in {"der", "die"}:
                who = self._pronoun(at)
                if (
                    who is not None
                    and line[at + 3] not in {",", ""}
                    and not line.is_capital(at + 3)
                ):
                    Adder(line, self.sites, who, "relative pronoun").word(at + 2, "der", "die")
            feminine = line[at] in _FEMININE_PRONOUNS
            if line[at] not in _PREDICATE_PRONOUNS and not feminine:
                continue
            clause = self.clause(at)
            if (
                clause is None
                or not clause.copular
                or clause.subject is None
                or clause.subject_at is None
            ):
                continue
            if clause.subject == "others" and line[clause.subject_at] not in {"er", "sie"}:
                continue
            if not (
                line.is_mark(at + 1)
                or line[at + 1]
                in {"von", "aus", "unter", "mehr", "wie", "geblieben", "geworden", "bin", "war"}
            ):
                continue
            if line[at - 1] in words().prepositions or line[at - 1] == "als":
                continue
            adder = Adder(line, self.sites, clause.subject, "predicate")
            if feminine:
                adder.word(at, _FEMININE_PRONOUNS[line[at]], line[at])
            else:
                adder.word(at, line[at], _PREDICATE_PRONOUNS[line[at]])
            found = find_relative(line, at, "f" if feminine else "m")
            if found is not None:
                where, case = found
                adder.word(where, relative("m", case), relative("f", case))

    def _read_greetings(self) -> None:
        """Lieber Robin, sehr geehrter Dr. Kim."""
        line = self.line
        if self.people.listener is None:
            return
        for at in range(len(line)):
            if (
                line[at] not in {"lieber", "liebe", "geehrter", "geehrte", "liebster", "liebste"}
                or at in self.sites
            ):
                continue
            if not (line.starts_sentence(at) or line[at - 1] in {"sehr", "hallo", "mein", "meine"}):
                continue
            name = line.is_capital(at + 1) and not determiner(line[at + 1])
            end = at + 2 + line.is_capital(at + 2)
            if (
                name
                and line[end] in {",", "!"}
                and line[at + 1]
                not in {
                    "grüße",
                    "kinder",
                    "leute",
                    "damen",
                    "kollegen",
                    "kolleginnen",
                    "freunde",
                    "eltern",
                    "familie",
                    "gäste",
                }
            ):
                stem = line[at].removesuffix("er").removesuffix("e")
                adder = Adder(line, self.sites, self.people.listener, "vocative", "likely")
                adder.word(at, stem + "er", stem + "e")
