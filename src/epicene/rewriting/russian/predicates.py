"""What is said of a person: short adjectives, adjectives, participles and roles."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from epicene.rewriting.persons import GENDERS
from epicene.rewriting.russian import lexicon
from epicene.rewriting.russian.cases import pick_case
from epicene.rewriting.russian.clauses import (
    Clause,
    could_be_subject,
    ends_phrase,
    governed,
    is_first_verb_at,
    is_function_word,
    is_second_verb,
)
from epicene.rewriting.russian.conjugation import past_form, short_form
from epicene.rewriting.russian.declension import adjective_readings, noun_readings
from epicene.rewriting.russian.line import key
from epicene.rewriting.russian.phrases import modifiers
from epicene.rewriting.russian.sites import Site, Sites, Target

if TYPE_CHECKING:
    from epicene.rewriting.persons import Gender
    from epicene.rewriting.russian.conjugation import GenderedForm
    from epicene.rewriting.russian.line import Line
    from epicene.rewriting.russian.subjects import Subject

_BEING = frozenset("был была быть буду будешь будет будь".split())
# Adjectives that say how somebody was when they did something: пришёл голодный.
_STATES = lexicon.keys_of("function_words", "states")
# самой before an adjective is the feminine of самый, not of сам.
_MOST = {
    "instrumental": "самым",
    "genitive": "самого",
    "dative": "самому",
    "prepositional": "самом",
}
_PARTICIPLES = tuple("нный нная вший вшая щий щая вшийся вшаяся щийся щаяся тый тая".split())
ACTIVE = tuple("щий щая щего щей щему щим щую вший вшая вшего вшей вшему вшим вшую".split())
_SHORT_PARTICIPLES = ("ен", "ан", "ян", "ена", "ана", "яна")
# Participles whose instrumental says what somebody became: назначен, избран.
_NAMED_AS = tuple("назнач избр выбр призн назв нанят зачисл принят корон объявл провозгл".split())
_OBLIQUE = tuple("е и а я у ю ом ем ой ей ым им ами ями ах ях".split())
# Adjectives that a noun may follow: довольным результатом, ведущим программы.
_GOVERNING = tuple("довольн недовольн увлеченн поглощенн занят ведущ заведующ управляющ".split())
_APPOSED = "agrees with a pronoun before the comma"
_SOME = {
    "какой-то": Target("pronoun", form="какая-то", gender="feminine"),
    "какая-то": Target("pronoun", form="какой-то", gender="masculine"),
}
_TAKING = tuple("вид увид счита назв назыв представл запомн помню помнят".split())
_DATIVES = frozenset("мне тебе ему ей нам вам им".split())
_PARENTS = frozenset("отец муж сын".split())  # пишу вам как отец
_REFLEXIVE = frozenset("себя себе собой собою".split())


@cache
def _as_states() -> frozenset[str]:
    """The states in the instrumental: пришёл голодным."""
    words = _STATES - {"весь", "вся", "один", "одна"}
    readings = (reading for word in words for reading in adjective_readings(word))
    return frozenset(key(reading.form(reading.gender, "instrumental")) for reading in readings)


def is_being(word: str) -> bool:
    """Whether the key is a form of быть."""
    return word in _BEING


@cache
def _copulas() -> tuple[str, ...]:
    return tuple(lexicon.keys_of("verbs", "copulas"))


def is_copula(word: str) -> bool:
    """Whether a predicate in the instrumental follows such a verb."""
    return word.startswith(_copulas()) and not adjective_readings(word)


def is_participle(line: Line, at: int, form: GenderedForm) -> bool:
    """Whether an unlisted short form looks like a passive participle: доставлен."""
    return (
        len(form.masculine) > 5
        and form.masculine.endswith(("ан", "ян", "ен"))
        and not line.is_capital(at)
        and not noun_readings(line[at])
    )


class Predicates:
    """Adds the sites of one clause."""

    def __init__(self, clause: Clause, sites: Sites) -> None:
        """Read `clause`, add to `sites`."""
        self.clause, self.line, self.sites = clause, clause.line, sites

    def _add(self, at: int, subject: Subject, target: Target, rule: str) -> None:
        if self.line[at] == "самой" and adjective_readings(self.line[at + 1]):
            target = Target("pronoun", target.case, form=_MOST[target.case], gender="masculine")
        if subject.who is not None and at not in self.sites:
            sure = subject.sure if target.kind != "noun" else "likely"
            self.sites.add(Site(at, subject.who, target, rule, sure))

    def read(self, subject: Subject) -> None:
        """All that is said of the clause's subject."""
        self._short_forms(subject)
        self._instrumentals(subject)
        self._adjectives(subject)
        self._roles(subject)
        self._compared(subject)

    def read_inherited(self, subject: Subject) -> None:
        """A clause without verb and subject continues what was said of the last subject."""
        if self.line[self.clause.start - 1] == "«":
            return  # a title
        first = self.clause.words[0]
        word = self.line[first]
        self._compared(subject)
        if word in {"и", "а", "но", "или", "да"} and len(self.clause.words) > 1:
            first = self.clause.words[1]
        self._short_forms(subject)
        self._instrumentals(subject)
        before = self._word_before()
        detached = self._is_detached(before, first) or self._is_description(before)
        alone = self.line[first] in {"сам", "сама"}
        if before in self.sites or before == subject.at or detached or alone:
            self._adjectives(subject)
            self._roles(subject, kinds=("roles",))

    def read_such_as(self, subject: Subject) -> None:
        """такой, каким ты меня знаешь."""
        first = self.clause.words[0]
        before, word = self.line[self._word_before()], self.line[first]
        if before not in {"такой", "такая"} or word not in {"какой", "какая", "каким"}:
            return
        if self.clause.has("ты", "он", "она") and not self.clause.has("меня", "мной", "мною"):
            return  # люблю тебя такой, какая ты есть
        instrumental = word == "каким" or (word == "какой" and before == "такая")
        case = "instrumental" if instrumental else "nominative"
        self._add(first, subject, Target("adjective", case), "such as the subject")

    def read_apposed(self, felt: Subject) -> None:
        """мне, уставшему, …: adjectives after a pronoun in another case and a comma."""
        known = self.sites.get(self._word_before())
        if self._word_before() != felt.at and (known is None or known.rule != _APPOSED):
            return
        if self.clause.has("я", "ты", "он", "она"):
            return
        dative = self.line[felt.at] in {"мне", "тебе", "ему", "ей", "вам"}
        wanted = {"dative"} if dative else {"genitive", "accusative"}
        for at in self.clause:
            cases = frozenset().union(*(each.cases for each in adjective_readings(self.line[at])))
            fits = wanted & cases
            if fits:
                case = pick_case(self.line, felt.at, fits, self.line.sentence(felt.at)[0])
                self._add(at, felt, Target("adjective", case), _APPOSED)

    def _word_before(self) -> int:
        """The last word of the clause before in its sentence, -1 if there is none."""
        before = self.clause.start - 1
        while before > 0 and (self.line.is_mark(before) or self.line[before] in {"и", "но", "а"}):
            if self.line.ends_sentence(before):
                return -1
            before -= 1
        return before

    def _is_detached(self, before: int, first: int) -> bool:
        """Whether a participle in the nominative follows a noun in another case.

        Я стоял в коридоре, промокший до нитки.
        """
        readings = [r for r in adjective_readings(self.line[first]) if "nominative" in r.cases]
        if not readings or governed(self.line, before, 0) is None:
            return False
        return readings[0].gender == "feminine" or self.line[before].endswith(_OBLIQUE)

    def _is_description(self, before: int) -> bool:
        """Whether the clause has adjectives only: вошёл в дом, мокрый и злой."""
        words = [self.line[at] for at in self.clause if not is_function_word(self.line[at])]
        said = [word for word in words if word not in {"никому", "ничем", "никем"}]
        if not said or any(map(noun_readings, said)):
            return False
        genders = {
            reading.gender
            for word in said
            for reading in adjective_readings(word)
            if "nominative" in reading.cases
        }
        if len(genders) != 1 or not all(map(adjective_readings, said)):
            return False
        if any(word in _STATES for word in said):
            return True
        if genders == {"feminine"}:
            return not self.line[before].endswith(("а", "я", "ь"))
        return self.line[before].endswith(_OBLIQUE)

    def read_opening(self, subject: Subject) -> None:
        """Adjectives before a clause whose subject has them: уставший, я лёг."""
        self._compared(subject, ("roles", "gendered"))  # как мать, я против
        self._instrumentals(subject)
        for at in self.clause:
            complement = self.line[at].endswith("ой") and self.line[at - 1].endswith(_PARTICIPLES)
            if not complement:  # измученный дорогой
                self._nominative(at, subject)

    def _lexical_verb_before(self, at: int) -> bool:
        start = self.clause.start
        for index in range(start, at):
            if self.line[index] in _BEING:
                start = index + 1
        return any(
            self._is_lexical(self.line[index]) or is_first_verb_at(self.line, index)
            for index in range(start, at)
            if self.line[index] not in _BEING
        )

    def _is_lexical(self, word: str) -> bool:
        if word in _BEING or word.startswith(
            ("стал", "остал", "оказал", "казал", "попалс", "попалас")
        ):
            return False
        return past_form(word) is not None or is_second_verb(word)

    def _short_forms(self, subject: Subject) -> None:
        line = self.line
        if subject.polite:
            return
        for at in self.clause:
            form = short_form(line[at])
            if (
                form is None
                or at in self.sites
                or (past_form(line[at]) is not None and not form.listed)
            ):
                continue
            if self._lexical_verb_before(at) or governed(line, at, self.clause.start):
                continue
            if not form.listed and noun_readings(line[at]):  # спортсмен
                continue
            if subject.gender not in {form.gender, None}:
                continue
            needed = line[at] in {"нужен", "нужна"} and self.clause.has(*_DATIVES)
            if needed and not self.clause.has("я", "ты", "он", "она"):
                continue  # ему нужен покой
            if form.listed or self._is_participle(at, subject):
                self._add(at, subject, Target("short"), "short form")

    def _is_participle(self, at: int, subject: Subject) -> bool:
        """Whether an unlisted word is a short participle after a pronoun: я на них обижен."""
        if self._after_being(at) or self._follows_short_form(at) or self._begins(at):
            return True
        named = self.clause.start <= subject.at < at
        word = self.line[at]
        if not named or len(word) < 6 or not word.endswith(_SHORT_PARTICIPLES):
            return False
        pronoun = self.line[subject.at] in {"я", "ты", "он", "она"}
        return pronoun or (
            bool(noun_readings(self.line[subject.at])) and not self.line.is_capital(at)
        )

    def _begins(self, at: int) -> bool:
        """Whether the participle begins a clause without a noun for it: …, выписан домой."""
        word = self.line[at]
        if len(word) < 6 or not word.endswith(_SHORT_PARTICIPLES) or self.line.is_capital(at):
            return False
        return all(
            is_function_word(self.line[index])
            if index < at
            else not any(
                could_be_subject(self.line, index, self.clause.start, gender) for gender in GENDERS
            )
            for index in self.clause
            if index != at
        )

    def _follows_short_form(self, at: int) -> bool:
        """Whether it continues after another short form: огорчён, но не сломлен."""
        known = self.sites.get(self._word_before())
        return (
            known is not None
            and known.target.kind == "short"
            and self.line[at].endswith(_SHORT_PARTICIPLES)
            and all(is_function_word(self.line[index]) for index in self.clause if index < at)
        )

    def _after_being(self, at: int) -> bool:
        """Whether быть or the subject stands before an unlisted short form."""
        before = at - 1
        while before >= self.clause.start and (
            is_function_word(self.line[before]) and self.line[before] not in _BEING
        ):
            before -= 1
        return self.line[before] in _BEING or (
            before in self.sites and self.line[at].endswith(_SHORT_PARTICIPLES)
        )

    def _adjectives(self, subject: Subject) -> None:
        for at in self.clause:
            if self.line[at] in {"сам", "сама"}:
                if self._is_own(at, subject):
                    self._add(at, subject, Target("adjective"), "сам with its subject")
            elif self.line[at].startswith("сам") and self._near_reflexive(at):
                self._reflexive(at, subject)
            elif self._is_whole(at):
                self._add(at, subject, Target("adjective"), "весь with its subject")
            elif self.line[at] in _STATES or not self._lexical_verb_before(at):
                self._nominative(at, subject)

    def _is_whole(self, at: int) -> bool:
        """Whether весь is said of the pronoun before it: я весь дрожу, я вся в делах."""
        line = self.line
        if line[at] not in {"весь", "вся"} or line[at - 1] not in {"я", "ты", "он", "она"}:
            return False
        verb = past_form(line[at + 1]) is not None or is_first_verb_at(line, at + 1)
        return verb or line[at + 1] == "в"

    def _is_own(self, at: int, subject: Subject) -> bool:
        """Whether сам goes with the subject, not with a noun after it: сам директор."""
        line = self.line
        if line[at + 1] == "по" and subject.at not in self.clause:
            return ends_phrase(line, at + 3, self.clause.end)  # not: сама по себе книга хорошая
        if line[at + 1] in _REFLEXIVE or ends_phrase(line, at + 1, self.clause.end):
            return True
        named = line[subject.at] in {"я", "ты", "он", "она"} and subject.at < at
        return named and not noun_readings(line[at + 1]) and not line.is_capital(at + 1)

    def _near_reflexive(self, at: int) -> bool:
        return self.line[at + 1] in _REFLEXIVE or self.line[at - 1] in _REFLEXIVE

    def _reflexive(self, at: int, subject: Subject) -> None:
        """самого себя, самому себе."""
        cases = {"себя": {"genitive", "accusative"}, "себе": {"dative", "prepositional"}}
        pronoun = next(
            word for word in (self.line[at + 1], self.line[at - 1]) if word in _REFLEXIVE
        )
        possible = cases.get(pronoun, {"instrumental"})
        first = at if self.line[at + 1] == pronoun else at - 1
        case = pick_case(self.line, first, possible, self.clause.start)
        self._add(at, subject, Target("adjective", case), "сам with себя")

    def _nominative(self, at: int, subject: Subject) -> None:
        readings = adjective_readings(self.line[at])
        found = next((each for each in readings if "nominative" in each.cases), None)
        if self.line[at + 1] == "раз":  # первый раз
            return
        if found is None or self.line[at].startswith("котор") or noun_readings(self.line[at]):
            return
        if subject.gender not in {found.gender, None} or governed(self.line, at, self.clause.start):
            return
        if any(self.line[index] == "человек" for index in self.clause if index > at):
            return
        if subject.at not in self.clause and any(
            could_be_subject(self.line, index, self.clause.start, found.gender)
            for index in self.clause
            if index < at
        ):
            return  # думал, что фильм скучный
        opens = (
            at == self.clause.words[0]
            and not noun_readings(self.line[at + 1])
            and (self.line[at].endswith(_PARTICIPLES) or self._governs_next(at))
        )
        if opens or ends_phrase(self.line, at + 1, self.clause.end):
            self._add(at, subject, Target("adjective"), "adjective said of the subject")
            if self.line[at - 1] in _SOME:  # какой-то сонный
                self._add(at - 1, subject, _SOME[self.line[at - 1]], "agrees with the adjective")

    def _governs_next(self, at: int) -> bool:
        """Whether the noun after an adjective is its object, in another case: благодарный дождю."""
        word = self.line[at + 1]
        ending = ("у", "ю", "ом", "ем", "ами", "ями", "ой", "ей")
        return self.line.is_word(at + 1) and not adjective_readings(word) and word.endswith(ending)

    def _has_copula(self, at: int) -> bool:
        """Whether a verb with such a predicate is in the clause, or the one before has one."""
        if any(is_copula(self.line[index]) for index in self.clause if index != at):
            return not self._is_agent(at) and not self._has_own_subject(at)
        known = self.sites.get(self._word_before())
        return known is not None and known.target.case == "instrumental"

    def _has_own_subject(self, at: int) -> bool:
        """Whether a thing is the subject of the copula: экзамен окажется лёгким."""
        if self.clause.has("я", "ты", "он", "она"):
            return False
        return any(
            index < at
            and is_copula(self.line[index + 1])
            and any(could_be_subject(self.line, index, self.clause.start, each) for each in GENDERS)
            for index in self.clause
        )

    def _is_agent(self, at: int) -> bool:
        """Whether the word says who did it: воспитан бабушкой."""
        for index in range(self.clause.start, at):
            site = self.sites.get(index)
            named = self.line[index].startswith(_NAMED_AS)
            becomes = any(
                is_copula(self.line[each]) and self.line[each].endswith("ть")
                for each in range(index, at)
            )
            if site is not None and site.target.kind == "short" and not named and not becomes:
                return True
        return False

    def _instrumentals(self, subject: Subject) -> None:
        for at in self.clause:
            if at in self.sites or at == subject.at:
                continue
            if self.line[at] not in _as_states() and not self._has_copula(at):
                continue
            if governed(self.line, at, self.clause.start) is not None:
                continue
            self._instrumental_adjective(at, subject)
            self._instrumental_role(at, subject)

    def _verb_gender(self) -> Gender | None:
        """The gender of a past tense of the clause."""
        forms = (past_form(self.line[at]) for at in self.clause if at in self.sites)
        return next((form.gender for form in forms if form is not None), None)

    def _instrumental_adjective(self, at: int, subject: Subject) -> None:
        alone = self.line[at] in {"самой", "самим"} and not adjective_readings(self.line[at + 1])
        if noun_readings(self.line[at]) or alone:
            return
        readings = [
            each
            for each in adjective_readings(self.line[at])
            if "instrumental" in each.cases and self._verb_gender() in {each.gender, None}
        ]
        if not self._has_copula(at):  # вошла чужой, not: молчит, как чужой
            readings = [each for each in readings if self._verb_gender() == each.gender]
        governs = self.line[at].startswith(_GOVERNING)
        if readings and (governs or ends_phrase(self.line, at + 1, self.clause.end)):
            self._add(
                at, subject, Target("adjective", "instrumental"), "predicate in the instrumental"
            )

    def _instrumental_role(self, at: int, subject: Subject) -> None:
        for reading in noun_readings(self.line[at]):
            if reading.plural or "instrumental" not in reading.cases or len(reading.cases) > 5:
                continue
            if reading.kind == "epicene":
                return
            self._add_phrase(at, subject, "instrumental", "role in the instrumental")
            return

    def _add_phrase(self, at: int, subject: Subject, case: str, rule: str) -> None:
        self._add(at, subject, Target("noun", case), rule)
        for index in modifiers(self.line, at, self.clause.start, case):
            self._add(index, subject, Target("adjective", case), "agrees with the role")
        after = at + 2
        if self.line[at + 1] == "," and self.line[after].removesuffix("ся").endswith(ACTIVE):
            cases = {each for r in adjective_readings(self.line[after]) for each in r.cases}
            if case in cases:  # студентом, получившим грант
                self._add(after, subject, Target("adjective", case), "participle")

    def _roles(self, subject: Subject, kinds: tuple[str, ...] = ("roles", "gendered")) -> None:
        """я учитель, он был студент."""
        for at in self.clause:
            if at in self.sites or at <= subject.at - 8 or self._lexical_verb_before(at):
                continue
            if subject.at not in self.clause and self._is_described(at):
                continue
            if self.line[at] == "друг" and self.line[at + 1].startswith("друг"):
                continue
            for reading in noun_readings(self.line[at]):
                if reading.plural or "nominative" not in reading.cases or at == subject.at:
                    continue
                if self.line[at - 1] == "и" or (
                    self.line[at + 1] == "и" and self.line[at + 2] == "я"
                ):
                    continue
                if reading.kind not in kinds or (at < subject.at and "это" not in self.line.keys):
                    continue
                self._add_phrase(at, subject, "nominative", "role of the subject")
                break

    def _is_described(self, at: int) -> bool:
        """Whether a noun has a relative clause and thus its own verb: сосед, с которым я …"""
        after = (self.line[at + 2], self.line[at + 3])
        return self.line[at + 1] == "," and any(word.startswith("котор") for word in after)

    def _compared(self, subject: Subject, kinds: tuple[str, ...] = ("roles",)) -> None:
        """как учитель, в качестве учителя, said of the subject."""
        line = self.line
        for at in self.clause:
            readings = [
                each
                for each in noun_readings(line[at])
                if not each.plural
                and (each.kind in kinds or (each.masculine in _PARENTS and subject.sure != "guess"))
            ]
            if not readings:
                continue
            first = min([at, *modifiers(line, at, self.clause.start, "")])
            if line[first - 1] == "качестве":
                self._add_phrase(at, subject, "genitive", "role after в качестве")
            elif line[first - 1] == "как" and "nominative" in readings[0].cases:
                self._add_phrase(at, subject, "nominative", "role after как")

    def read_seen(self, subject: Subject) -> None:
        """хочу видеть тебя счастливой: what somebody is taken for, not who says it."""
        if self.line[subject.at] in {"меня", "тебя", "вас"} and any(
            self.line[at].startswith(_TAKING) for at in self.clause
        ):
            self._instrumentals(subject)

    def read_as(self, subject: Subject) -> None:
        """вам как матери: a role after a pronoun in another case and как."""
        line, at = self.line, subject.at
        if line[at + 1] != "как":
            return
        wanted = "dative" if line[at] in {"мне", "тебе", "ему", "ей", "вам"} else "accusative"
        for index in range(at + 2, self.clause.end):
            for reading in noun_readings(line[index]):
                if not reading.plural and wanted in reading.cases and reading.kind != "epicene":
                    self._add_phrase(index, subject, wanted, "role after как")
                    return
            if not adjective_readings(line[index]):
                return

    def read_experiencer(self, subject: Subject, *, governs: bool) -> None:
        """мне самому, меня одного; without another subject also: мне надо быть готовым."""
        line = self.line
        self.read_as(subject)
        if governs:
            self._instrumentals(subject)
        for at in self.clause:
            readings = adjective_readings(line[at])
            own = line[at].startswith(("сам", "одн"))
            if at in self.sites or not readings or not own:
                continue
            if subject.gender not in {readings[0].gender, None}:
                continue
            cases = {"мне", "тебе", "ему", "ей", "вам"}
            wanted = {"dative"} if line[subject.at] in cases else {"genitive", "accusative"}
            fits = wanted & frozenset().union(*(each.cases for each in readings))
            if (
                fits
                and ends_phrase(line, at + 1, self.clause.end)
                and (governs or at - subject.at == 1)
            ):
                case = pick_case(line, subject.at, fits, self.clause.start)
                self._add(at, subject, Target("adjective", case), f"agrees with {line[subject.at]}")
