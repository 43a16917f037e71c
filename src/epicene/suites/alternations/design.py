"""The rules that a set of Hindi pairs is built to, each verified from the sentences themselves."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from typing import TYPE_CHECKING

from epicene.suites.alternations.builder import GENDERS, IDS, NUMBERS
from epicene.suites.alternations.paradigm import (
    AUXILIARIES,
    base_forms,
    habitual,
    perfective,
)
from epicene.suites.alternations.table import nouns, verbs
from epicene.suites.alternations.unigrams import has_frequencies

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.suites.alternations.pairs import Pair
    from epicene.suites.alternations.table import Gender, Number, Verb

CLASSES = {
    "unergative": 13,
    "unaccusative": 15,
    "transitive": 10,
    "ingestive": 13,
    "ditransitive": 5,
}
LEAST_ZIPF = 3.0

_COLUMNS = frozenset(
    {
        "class", "valency", "verb", "patient gender", "patient number", "patient ko",
        "causer gender",
    }
)  # fmt: skip
_MARKS = frozenset({"ने", "से", "को"})
# How many words fewer than in DV and SV: ने, or the instrument with its से.
_FEWER = {"DV": 0, "SV": 0, "No Case(E)": 1, "No Case(I)": 2}


def is_designed(pair: Pair) -> bool:
    """Whether a pair says that it belongs to the design."""
    return pair.language == "hi" and pair.phenomenon in IDS and set(pair.columns) >= _COLUMNS


# --- one pair ----------------------------------------------------------------------------------


def check_pair(pair: Pair) -> Iterator[str]:
    """What of the design a pair does not keep to."""
    verb = _by_iast().get(pair.columns["verb"])
    if verb is None:
        yield f"the table has no verb {pair.columns['verb']}."
        return
    if (pair.columns["class"], pair.columns["valency"]) != (verb.verb_class, verb.valency):
        yield f"{verb.iast} is {verb.verb_class}, {verb.valency}."
    good, bad = pair.good.split(), pair.bad.split()
    if good[:-2] != bad[:-2] or good[-1] != bad[-1] or len(good) != len(bad):
        yield "its sentences differ in more than the last word but one."
        return
    yield from _arguments(pair, verb, good)
    yield from _participants(pair, verb, good[:-2])
    yield from _forms(pair, verb, good, bad[-2])


def _arguments(pair: Pair, verb: Verb, words: Sequence[str]) -> Iterator[str]:
    expected = 9 + verb.ko + 2 * bool(verb.recipients) - _FEWER[pair.phenomenon]
    if len(words) != expected:
        yield f"it has {len(words)} words instead of {expected}."
    marks = {
        "ने": int(pair.phenomenon != "No Case(E)"),
        "से": 1 if pair.phenomenon == "No Case(I)" else 2,
        "को": verb.ko + bool(verb.recipients),
    }
    for mark, number in marks.items():
        if words.count(mark) != number:
            yield f"it has {words.count(mark)} times {mark} instead of {number}."


def _participants(pair: Pair, verb: Verb, prefix: Sequence[str]) -> Iterator[str]:
    """Who and what takes part is in the table, in the form that the case wants; genders fit."""
    columns = pair.columns
    if (columns["patient ko"] == "yes") is not verb.ko:
        yield f"the patient of {verb.iast} takes {'' if verb.ko else 'no '}को."
    roles = _roles(pair, verb)
    words = [word for word in prefix if word not in _MARKS]
    if len(words) != len(roles):
        yield f"it names {len(words)} people and things instead of {len(roles)}."
        return
    for (role, (names, oblique)), word in zip(roles.items(), words, strict=True):
        gender = columns.get(f"{role} gender")  # of causer and patient
        if not any(
            word == (noun.before_postposition if oblique else noun.form)
            and gender in (None, GENDERS[noun.gender])
            for noun in (nouns()[name] for name in names)
        ):
            what = f"{gender} {role}" if gender else role
            yield f"the table gives {verb.iast} no {what} {word} in this form."
    if (
        verb.valency == "intransitive"
        and not verb.ko
        and columns["patient gender"] == columns["causer gender"]
    ):
        yield "causer and patient have one gender, so the bad habitual could agree with either."


def _roles(pair: Pair, verb: Verb) -> dict[str, tuple[Sequence[str], bool]]:
    """The roles of a pair in their order: what the table offers, and whether a case marks it."""
    roles: dict[str, tuple[Sequence[str], bool]] = {
        "causer": (verb.causers, pair.phenomenon != "No Case(E)"),
        "causee": (verb.causees, True),
        "instrument": (verb.instruments, True),
        "recipient": (verb.recipients, True),
        "patient": (verb.patients, verb.ko),
    }
    if pair.phenomenon == "No Case(I)":
        del roles["instrument"]
    if not verb.recipients:
        del roles["recipient"]
    return roles


def _cell(pair: Pair, verb: Verb) -> tuple[Gender, Number]:
    """What the verb has to agree with."""
    if pair.phenomenon == "No Case(E)":
        return _SHORT[pair.columns["causer gender"]], "sg"
    if verb.ko:
        return "m", "sg"
    number: Number = "pl" if pair.columns["patient number"] == NUMBERS["pl"] else "sg"
    return _SHORT[pair.columns["patient gender"]], number


_SHORT: dict[str, Gender] = {"masculine": "m", "feminine": "f"}


def _forms(pair: Pair, verb: Verb, good: Sequence[str], bad: str) -> Iterator[str]:
    cell = _cell(pair, verb)
    if good[-1] != AUXILIARIES[cell]:
        yield f"its last word is {good[-1]}, but {AUXILIARIES[cell]} agrees."
    gold = _form(verb, "indirect", cell, pair)
    if good[-2] != gold:
        yield f"its verb is {good[-2]}, but {gold} agrees."
    if pair.phenomenon != "DV":
        if bad != _form(verb, "base", cell, pair):
            yield f"the other verb is {bad}, but {_form(verb, 'base', cell, pair)} agrees."
        return
    others = [
        other
        for other in verbs().values()
        if other.valency != verb.valency and _form(other, "base", cell, pair) == bad
    ]
    if not others:
        yield f"the other verb, {bad}, is no agreeing base form of a verb of other valency."


def _form(verb: Verb, stem: str, cell: tuple[Gender, Number], pair: Pair) -> str:
    if pair.phenomenon == "No Case(E)":
        return habitual(verb.indirect if stem == "indirect" else verb.base, *cell)
    if stem == "indirect":
        return perfective(verb.indirect, *cell)
    return perfective(verb.base, *cell, verb.perfective)


@cache
def _by_iast() -> Mapping[str, Verb]:
    return {verb.iast: verb for verb in verbs().values()}


# --- all of them -------------------------------------------------------------------------------


def check_set(pairs: Sequence[Pair]) -> Iterator[tuple[str, str]]:
    """What of the design the set does not keep to: where, and what."""
    by_variant: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_variant[pair.phenomenon].append(pair)
    for variant, members in by_variant.items():
        for message in _variant(members):
            yield variant, message
    for name in dict.fromkeys(pair.columns["verb"] for pair in pairs):
        verb = _by_iast().get(name)
        if verb is not None and has_frequencies("hi") and zipf(verb) < LEAST_ZIPF:
            yield name, f"its commonest form has a Zipf value of {zipf(verb)}, below {LEAST_ZIPF}."


def _variant(pairs: Sequence[Pair]) -> Iterator[str]:
    classes = Counter(pair.columns["class"] for pair in pairs)
    for name, number in CLASSES.items():
        if classes[name] != number:
            yield f"{classes[name]} {name} verbs instead of {number}."
    for name, times in Counter(pair.columns["verb"] for pair in pairs).items():
        if times > 1:
            yield f"{name} comes {times} times."
    for role in ("causer", "patient"):
        genders = Counter(pair.columns[f"{role} gender"] for pair in pairs)
        if genders["feminine"] != genders["masculine"]:
            yield (
                f"{genders['feminine']} feminine and {genders['masculine']} masculine {role}s; "
                "they should be equally many."
            )


def zipf(verb: Verb) -> float:
    """The Zipf value of the base's commonest form, in either spelling of a nasal; 0 if unlisted."""
    from wordfreq import zipf_frequency

    forms = base_forms(verb)
    spelt = {*forms, *(form.replace("ँ", "ं") for form in forms)}
    return max(float(zipf_frequency(form, "hi")) for form in spelt)
