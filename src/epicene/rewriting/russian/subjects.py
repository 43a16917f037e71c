"""Whose a verb is: the subject of its clause, or of the clause before."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.protected.readings import stand_in
from epicene.rewriting.russian import lexicon
from epicene.rewriting.russian.clauses import (
    OTHER_SUBJECTS,
    SUBJECT_PRONOUNS,
    Clause,
    could_be_subject,
    governed,
    is_existential,
    is_first_verb,
    is_name,
    is_noun_like,
    is_second_verb,
)
from epicene.rewriting.russian.conjugation import short_form
from epicene.rewriting.russian.declension import NounReading, noun_readings
from epicene.rewriting.russian.lexicon import function_words
from epicene.rewriting.russian.line import key

if TYPE_CHECKING:
    from epicene.rewriting import Confidence
    from epicene.rewriting.persons import Gender, Person
    from epicene.rewriting.quotations import Interlocutors
    from epicene.rewriting.russian.line import Line


_COMING = tuple("приш прид опозда приеха уеха узна забы".split())
_PLACEHOLDER = key(stand_in("я"))  # what {name} is read as


class Subject(NamedTuple):
    """Whose a clause is: who, where they are named, and how surely; nobody's if `who` is None."""

    who: Person | None
    at: int = -1
    sure: Confidence = "certain"
    rule: str = "subject"
    gender: Gender | None = None  # where the subject has one of its own
    polite: bool = False  # one person called вы: verbs and short forms are in the plural


NOBODY = Subject(None)


def pronoun_subject(line: Line, at: int, interlocutors: Interlocutors) -> Subject:
    """The subject that a pronoun names."""
    word = line[at]
    if word == "я":
        return Subject(interlocutors.speaker, at, rule="said with я")
    if word == "ты":
        return Subject(interlocutors.listener, at, rule="said with ты")
    if word == "вы":
        return Subject(interlocutors.listener, at, rule="said with вы", polite=True)
    if word in {"он", "она"} and at in line.things:
        return Subject(None, at)
    if word in {"он", "она"}:
        gender: Gender = "masculine" if word == "он" else "feminine"
        return Subject("others", at, rule=f"said with {word}", gender=gender)
    return NOBODY


def nominative(line: Line, at: int, start: int, gender: Gender) -> NounReading | None:
    """The reading of a word as a person in the nominative whose verb can be in `gender`."""
    for reading in noun_readings(line[at]):
        if reading.plural or "nominative" not in reading.cases:
            continue
        if line[at] == "друг" and line[at + 1].startswith("друг"):
            continue
        if reading.gender in {gender, None} or reading.kind == "epicene":
            return reading if governed(line, at, start) is None else None
    return None


def find_subject(
    clause: Clause,
    verb: int,
    gender: Gender,
    interlocutors: Interlocutors,
    *,
    existential: bool = False,
) -> Subject | None:
    """The subject of a past tense or a predicate in its own clause; None if it has none there.

    `existential`: a noun after it is the subject, whatever the verb.
    """
    line = clause.line
    before = [at for at in clause if at < verb]
    after = [at for at in clause if at > verb]
    for at in [*reversed(before), *after]:
        if line[at] in SUBJECT_PRONOUNS:
            found = pronoun_subject(line, at, interlocutors)
            if found.gender in {gender, None}:
                return found
    if any(line[at] in OTHER_SUBJECTS for at in before if line[at] != "это"):
        return NOBODY
    return _noun_before(clause, verb, gender, existential=existential) or _noun_after(
        clause, verb, gender, existential=existential
    )


def _noun_before(clause: Clause, verb: int, gender: Gender, *, existential: bool) -> Subject | None:
    line = clause.line
    for at in (at for at in clause if at < verb):
        if nominative(line, at, clause.start, gender):
            return Subject("others", at, "likely", "verb of a person", gender)
        if _is_surname(line, at, verb, gender):
            return Subject("others", at, "guess", "verb of a name", gender)
        times = existential or is_existential(line[verb])
        if (
            could_be_subject(line, at, clause.start, gender, times=times)
            or _is_short_name(line, at, gender)
            or is_name(line, at, gender)
        ):
            return Subject(None, at)
    return None


def _noun_after(clause: Clause, verb: int, gender: Gender, *, existential: bool) -> Subject | None:
    line = clause.line
    after = [at for at in clause if at > verb]
    for at in after:
        if nominative(line, at, clause.start, gender):
            return Subject("others", at, "likely", "verb of a person", gender)
        if is_name(line, at, gender) or line[at] in lexicon.keys_of("verbs", "happenings"):
            return Subject(None, at)
    if any(line[at] in OTHER_SUBJECTS for at in after if line[at] != "это"):
        return NOBODY
    if existential or is_existential(line[verb]):
        for at in after:
            if could_be_subject(line, at, clause.start, gender, times=True) and not (
                is_participle_of_being(line, at)
            ):
                return Subject(None, at)
    return None


def is_participle_of_being(line: Line, at: int) -> bool:
    """Whether a short participle follows быть, and no noun: был доставлен."""
    form = short_form(line[at])
    if form is None or not form.masculine.endswith(("ан", "ен", "ён", "ян")):
        return False
    before = at - 1
    while line[before] in function_words().adverbs:
        before -= 1
    return line[before] in {"был", "была"}


def _is_surname(line: Line, at: int, verb: int, gender: Gender) -> bool:
    """Whether a name has one form for both genders, and its verb is a person's: Смит."""
    word = line[at]
    if not line.is_capital(at) or not is_noun_like(line, at) or not word.isalpha():
        return False
    foreign = gender == "feminine" and word[-1] not in "аеиоуыэюяьй"
    if not foreign and word.endswith(
        ("ов", "ев", "ин", "ын", "ский", "ская", "а", "я", "ой", "ий", "ый")
    ):
        return False
    if governed(line, at, line.sentence(at)[0]) is not None or line.is_capital(at - 1):
        return False
    if word in lexicon.keys_of("people", "first_names") or line.is_capital(at + 1):
        return False
    if foreign:
        return True  # no common noun has such a verb
    if word == _PLACEHOLDER:
        return line[verb].startswith(_user_actions())
    if line[verb].startswith(_personal_verbs()) and word not in lexicon.keys_of("people", "bodies"):
        return not line[verb].startswith("получилс")
    return at != line.sentence(at)[0] and any(
        each in {"он", "ему", "него", "она", "ей", "нее"} for each in line.keys
    )


@cache
def _personal_verbs() -> tuple[str, ...]:
    return tuple(lexicon.keys_of("verbs", "personal"))


@cache
def _user_actions() -> tuple[str, ...]:
    return tuple(lexicon.keys_of("verbs", "user_actions"))


@cache
def of_things() -> tuple[str, ...]:
    """The beginnings of what only things do."""
    return tuple(lexicon.keys_of("verbs", "of_things"))


def is_human_act(word: str) -> bool:
    """Whether only people do it: сказал, поделился."""
    return word.startswith(_personal_verbs() + _user_actions() + _COMING)


def _is_short_name(line: Line, at: int, gender: Gender) -> bool:
    """Whether the word is a man's name in -а or -я before its verb: Петя."""
    if gender != "masculine" or not line[at].endswith(("а", "я")):
        return False
    return line[at] in lexicon.keys_of("people", "first_names") or is_name(line, at, "feminine")


def verbal_subject(clause: Clause, interlocutors: Interlocutors) -> Subject | None:
    """The subject by a verb of the first or second person, or by a pronoun of the clause."""
    line = clause.line
    for at in clause:
        if line[at] in SUBJECT_PRONOUNS or line[at] == "вы":
            return pronoun_subject(line, at, interlocutors)
    for at in clause:
        if is_first_verb(line[at]):
            return Subject(interlocutors.speaker, at, "likely", "verb that says I")
        if is_second_verb(line[at]):
            return Subject(interlocutors.listener, at, "likely", "verb that says you")
        if _is_polite_command(line[at]):
            return Subject(interlocutors.listener, at, "likely", "verb that says you", polite=True)
    return None


def _is_polite_command(word: str) -> bool:
    """Whether the key asks one person or several, without an object: оставайтесь."""
    return (len(word) > 6 and word.endswith(("йтесь", "итесь", "ьтесь"))) or word == "будьте"


_EXPERIENCERS = {
    "мне": "я", "меня": "я", "мной": "я", "мною": "я",
    "тебе": "ты", "тебя": "ты", "тобой": "ты", "тобою": "ты",
}  # fmt: skip


def experiencer(clause: Clause, interlocutors: Interlocutors) -> Subject | None:
    """The person of мне and тебе: мне трудно одному."""
    line = clause.line
    for at in clause:
        if line[at] in _EXPERIENCERS:
            first = _EXPERIENCERS[line[at]] == "я"
            who = interlocutors.speaker if first else interlocutors.listener
            return Subject(who, at, "likely", f"said of {line[at]}")
        if line[at] in {"вам", "вас"}:
            rule = f"said of {line[at]}"
            return Subject(interlocutors.listener, at, "likely", rule, polite=True)
        if line[at] in {"ему", "ей"} and at not in line.things:
            gender: Gender = "masculine" if line[at] == "ему" else "feminine"
            return Subject("others", at, "likely", f"said of {line[at]}", gender)
    return None
