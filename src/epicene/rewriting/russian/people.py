"""Nouns and pronouns of people who are only spoken about, and of people who are addressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.persons import other_gender
from epicene.rewriting.russian import lexicon
from epicene.rewriting.russian.cases import pick_case
from epicene.rewriting.russian.clauses import is_noun_like
from epicene.rewriting.russian.conjugation import past_form
from epicene.rewriting.russian.declension import NounReading, adjective_readings, noun_readings
from epicene.rewriting.russian.phrases import modifiers
from epicene.rewriting.russian.sites import Site, Sites, Target

if TYPE_CHECKING:
    from epicene.rewriting.persons import Gender
    from epicene.rewriting.quotations import Interlocutors
    from epicene.rewriting.russian.line import Line

_PRONOUNS = {
    "он": "она", "его": "её", "ему": "ей", "него": "неё", "нему": "ней", "нем": "ней",
    "она": "он", "ее": "его", "нее": "него", "ею": "им", "нею": "ним",
}  # fmt: skip
_TWO: dict[str, tuple[str, Gender]] = {
    "два": ("две", "feminine"), "две": ("два", "masculine"),
    "оба": ("обе", "feminine"), "обе": ("оба", "masculine"),
}  # fmt: skip
_PARTICIPLES = tuple(
    "щий ший щая шая щего шего щей шей щему шему щим шим нный нная нного нной щую шую нную "
    "мый мая мого мой мому мым мую".split()
)
# С уважением, ваш читатель: the end of a letter.
_SIGNING = frozenset("уважением любовью приветом благодарностью наилучшими целую обнимаю".split())
_YOURS = frozenset("ваш ваша твой твоя".split())
_SURNAMES = tuple(
    stem + ending for stem in ("ов", "ев", "ин", "ын") for ending in ("", "а", "у", "ым", "е", "ой")
) + tuple("ский ская ского ской скому скую ским ском".split())
# Adjectives that address somebody without a noun: спасибо, дорогая.
_DEAR = frozenset(
    "дорогой дорогая милый милая любимый любимая родной родная уважаемый уважаемая".split()
)
_YOU = frozenset("ты тебе тебя вы вам вас твой ваш".split())
_GREETINGS = frozenset(
    "эй привет здравствуй здравствуйте спасибо прости пока ну слушай алло добрый доброе с "
    "спокойной поздравляю целую обнимаю люблю".split()
)
_MASCULINE = frozenset("он его ему него нему нем ним им".split())


def read_pronouns(line: Line, sites: Sites) -> None:
    """он, его, ему and their feminines."""
    titled = _titled(line)
    for at in range(len(line)):
        after = None if at in line.things else _other_pronoun(line, at)
        if line[at + 1].startswith(("величеств", "высочеств", "светлост")) or at in titled:
            continue
        if after and at not in sites:
            gender = other_gender(gender_of_pronoun(line[at]))
            target = Target("pronoun", form=after, gender=gender)
            sites.add(Site(at, "others", target, "pronoun", "likely"))


def _other_pronoun(line: Line, at: int) -> str | None:
    word, before = line[at], line[at - 1]
    if word == "нем" and before not in {"в", "на", "о", "об", "при", "по"}:
        return None
    if word == "ним":
        return None if before in {"к", "ко", "по", "благодаря"} else "ней"
    if word == "ней":
        if before in {"к", "ко", "по", "благодаря"}:
            return "нему"
        return "ним" if before in {"с", "со", "за", "под", "над", "перед", "между"} else "нём"
    if word == "ей":
        return "ему"
    if word == "им":
        singular = not any(each in {"они", "их", "ими", "них"} for each in line.keys)
        masculine = any(each in {"он", "его"} for each in line.keys)
        return "ею" if singular and masculine and _is_agent(line, at) else None
    return _PRONOUNS.get(word)


def _is_agent(line: Line, at: int) -> bool:
    before = line[at - 1]
    return before.endswith(
        ("ны", "на", "но", "ан", "ен", "тый", "нный", "нной", "нная", "нного", "нные", "нных")
    )


def gender_of_pronoun(word: str) -> Gender:
    """The gender that a pronoun of the third person shows."""
    return "masculine" if word in _MASCULINE else "feminine"


def read_people(line: Line, sites: Sites, gender: Gender) -> None:
    """All nouns of people that are nobody's yet, and what agrees with them."""
    titled = _titled(line)
    for at in range(len(line)):
        if at in sites or not line.is_word(at) or at in titled:
            continue
        reading = _reading(line, at)
        if reading is None:
            continue
        start = line.sentence(at)[0]
        found = modifiers(line, at, start, "")
        first = min([at, *found])
        cases = _common_cases(line, reading, found)
        case = pick_case(line, first, cases, start)
        if not reading.plural and is_surname(line, at + 1):
            target = Target("surname", case)
            sites.add(Site(at + 1, "others", target, "surname after the noun", "likely"))
        if _stays(line, at, reading, gender):
            continue
        target = Target("noun", case, plural=reading.plural)
        if reading.kind != "common":
            sites.add(Site(at, "others", target, "noun of a person", "likely"))
        if reading.plural:
            continue
        if line[first - 1] in _TWO:
            form, own = _TWO[line[first - 1]]
            target = Target("pronoun", form=form, gender=own)
            sites.add(Site(first - 1, "others", target, "number of the noun", "likely"))
        for index in modifiers(line, at, start, case):
            sites.add(
                Site(index, "others", Target("adjective", case), "agrees with the noun", "likely")
            )
        _read_participle(line, at, reading, case, sites)


def is_surname(line: Line, at: int) -> bool:
    """Whether a Russian surname stands there: Иванов, Петровская."""
    if not line.is_capital(at) or not line[at].endswith(_SURNAMES):
        return False
    modifies = adjective_readings(line[at]) and (
        is_noun_like(line, at + 1) or adjective_readings(line[at + 1])
    )
    return not modifies  # член Испанской академии


def _titled(line: Line) -> set[int]:
    """The words between quotation marks that are no speech: a title."""
    found: set[int] = set()
    opened: int | None = None
    for at in range(len(line)):
        if line[at] == "«":
            opened = at
        elif line[at] == "»" and opened is not None:
            found.update(range(opened, at))
            opened = None
    return found


def _reading(line: Line, at: int) -> NounReading | None:
    """The reading of a noun of a person in its place; plural where its neighbours are."""
    readings = noun_readings(line[at])
    if (
        line[at].startswith("друг")
        and "друг" in {line[at - 1], line[at]}
        and (line[at + 1].startswith("друг") or line[at - 1] == "друг")
    ):
        return None  # друг друга
    if len(readings) < 2:
        return readings[0] if readings else None
    before = line[at - 1]
    if before.endswith(
        ("ые", "ие", "ых", "их", "ыми", "ими", "ым", "им")
    ) and not adjective_readings(before):
        return next((each for each in readings if each.plural), readings[0])
    single = modifiers(line, at, line.sentence(at)[0], "")
    if not single and line[at + 1].endswith(("ли", "лись", "ют", "ут", "ят", "ат")):
        return next((each for each in readings if each.plural), readings[0])
    return next((each for each in readings if not each.plural), readings[0])


def _common_cases(line: Line, reading: NounReading, found: list[int]) -> frozenset[str]:
    cases = reading.cases
    for index in found:
        possible = frozenset().union(
            *(
                each.cases
                for each in adjective_readings(line[index])
                if each.gender == reading.gender
            )
        )
        cases = cases & possible or cases
    return cases


def _stays(line: Line, at: int, reading: NounReading, gender: Gender) -> bool:
    """Whether the noun is left: it may include women, or is next to its other gender."""
    if reading.kind == "epicene" or (reading.masculine == "бог" and line.is_capital(at)):
        return True
    if reading.plural and reading.kind == "roles" and gender == "feminine":
        return True
    for step in (-2, 2):
        if line[at + step // 2] in {"и", "или", "/"}:
            beside = noun_readings(line[at + step])
            if any(each[:2] == reading[:2] and each.gender != reading.gender for each in beside):
                return True
    return False


def _read_participle(line: Line, at: int, reading: NounReading, case: str, sites: Sites) -> None:
    """A participle after the noun and a comma: девушка, живущая рядом."""
    after = at + 1
    while line.is_capital(after):  # гражданин Седых, именуемый
        after += 1
    if line[after] != ",":
        return
    word = line[after + 1]
    if not word.removesuffix("ся").endswith(_PARTICIPLES):
        return
    beside = adjective_readings(line[after + 2])
    if noun_readings(line[after + 2]) or any(case in each.cases for each in beside):
        return  # графа, бывшего секретаря
    for each in adjective_readings(word):
        if each.gender == reading.gender and case in each.cases:
            sites.add(Site(after + 1, "others", Target("adjective", case), "participle", "likely"))
            return


def read_vocatives(
    line: Line, start: int, end: int, interlocutors: Interlocutors, sites: Sites
) -> None:
    """Дорогой друг, … : nouns between marks that address somebody."""
    for at in range(start, end):
        named = at + 1
        while line.is_capital(named) and named < end:  # госпожа Ткаченко
            named += 1
        if (line.is_word(named) and named < end) or not line.is_word(at):
            continue
        if line[at] in _DEAR and _is_dear(line, at, start, end):
            if interlocutors.listener is not None:
                target = Target("adjective")
                rule = "somebody is addressed"
                sites.add(Site(at, interlocutors.listener, target, rule, "likely"))
            continue
        reading = next(
            (r for r in noun_readings(line[at]) if not r.plural and "nominative" in r.cases), None
        )
        if reading is None or reading.kind == "epicene":
            continue
        found = modifiers(line, at, start, "nominative")
        first = min([at, *found])
        opens = first == start or line.is_mark(first - 1)
        alone = first == 0 and at == len(line) - 1
        signs = opens and found and line[first] in _YOURS and (line[first - 2] in _SIGNING or alone)
        who = interlocutors.speaker if signs else interlocutors.listener
        calls = line[start] in _GREETINGS or speaks_to(line, start, end)
        addressed = any(line[index] in lexicon.keys_of("people", "address") for index in found)
        if (
            who is not None
            and opens
            and (signs or addressed or (calls and at != first - 1 and not found))
        ):
            if any(
                past_form(line[index]) and line[index - 1] == line[at]
                for index in range(start, end)
            ):
                continue
            if reading.kind != "common":
                sites.add(Site(at, who, Target("noun"), "somebody is addressed", "likely"))
            if is_surname(line, at + 1):
                target = Target("surname")
                sites.add(Site(at + 1, who, target, "surname after the noun", "likely"))
            for index in found:
                sites.add(Site(index, who, Target("adjective"), "somebody is addressed", "likely"))


def _is_dear(line: Line, at: int, start: int, end: int) -> bool:
    """Whether an adjective between marks addresses somebody: с днём рождения, дорогая!"""
    if line.is_word(at + 1) or not (at == start or line[at - 1] == ","):
        return False
    if at == start:
        return line[at + 1] in {",", "!"}
    return not adjective_readings(line[at - 2]) and (
        line[start] in _GREETINGS or commands(line, start, end) or speaks_to(line, start, end)
    )


def speaks_to(line: Line, start: int, end: int) -> bool:
    """Whether the sentence has a word for you."""
    return any(line[at] in _YOU for at in range(start, end))


def commands(line: Line, start: int, end: int) -> bool:
    """Whether the sentence tells one person what to do: не нашёл ответ — напиши нам."""
    words = lexicon.keys_of("verbs", "commands")
    return any(line[at] in words for at in range(start, end))
