"""Data checks for any file of pairs, and for sets built to the Hindi design."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from functools import cache
from typing import TYPE_CHECKING

from epicene.suites import DataIssue
from epicene.suites.alternations.hindi_verbs import (
    AUXILIARIES,
    GENDER_NAMES,
    MAX_USES_OF_OTHER_VERB,
    MIN_OTHER_VERBS,
    NUMBER_NAMES,
    nouns,
    participle,
    verbs,
)
from epicene.suites.alternations.items import (
    DIFFERENT_VERB,
    NO_ERGATIVE,
    NO_INSTRUMENT,
    VARIANT_IDS,
    VARIANTS,
    RegionTest,
)
from epicene.suites.alternations.unigrams import has_frequencies, zipf_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.suites.alternations.hindi_verbs import Aspect, Gender, Number, Verb
    from epicene.suites.alternations.items import Pair
    from epicene.suites.alternations.protocol import AlternationsProtocol

VERBS_PER_CLASS = {
    "unergative": 13,
    "unaccusative": 15,
    "transitive": 15,
    "ingestive": 8,
    "ditransitive": 5,
}
MIN_ZIPF = 3.0

_DESIGN_COLUMNS = frozenset(
    {
        "class", "valency", "verb", "patient gender", "patient number", "patient ko",
        "causer gender",
    }
)  # fmt: skip
_OTHER_VERB = {"other verb", "other valency"}
_GENDER_CODES = {name: code for code, name in GENDER_NAMES.items()}
_CASE_MARKERS = frozenset({"ने", "से", "को"})
# How many words fewer than in DV and SV: ने, or the instrument with its से.
_FEWER_WORDS = dict(zip(VARIANTS, (0, 0, 1, 2), strict=True))


def follows_design(pair: Pair) -> bool:
    """Whether a pair claims to belong to the Hindi design."""
    return (
        pair.language == "hi"
        and pair.phenomenon in VARIANT_IDS
        and set(pair.columns) >= _DESIGN_COLUMNS
    )


# --- one pair ----------------------------------------------------------------------------------


def check_design_of_pair(pair: Pair) -> Iterator[str]:
    """The rules of the design that a pair breaks."""
    verb = _verbs_by_iast().get(pair.columns["verb"])
    if verb is None:
        yield f"the table has no verb {pair.columns['verb']}."
        return
    if (pair.columns["class"], pair.columns["valency"]) != (verb.verb_class, verb.valency):
        yield f"{verb.iast} is {verb.verb_class}, {verb.valency}."
    good, bad = pair.good.split(), pair.bad.split()
    if good[:-2] != bad[:-2] or good[-1] != bad[-1] or len(good) != len(bad):
        yield "its sentences differ in more than the second-to-last word."
        return
    yield from _check_arguments(pair, verb, good)
    yield from _check_participants(pair, verb, good[:-2])
    yield from _check_forms(pair, verb, good, bad[-2])


def _check_arguments(pair: Pair, verb: Verb, words: Sequence[str]) -> Iterator[str]:
    expected = 9 + verb.ko + 2 * bool(verb.recipients) - _FEWER_WORDS[pair.phenomenon]
    if len(words) != expected:
        yield f"it has {len(words)} words instead of {expected}."
    marks = {
        "ने": int(pair.phenomenon != NO_ERGATIVE),
        "से": 1 if pair.phenomenon == NO_INSTRUMENT else 2,
        "को": verb.ko + bool(verb.recipients),
    }
    for mark, number in marks.items():
        if words.count(mark) != number:
            yield f"it has {mark} {words.count(mark)} times instead of {number}."


def _check_participants(pair: Pair, verb: Verb, prefix: Sequence[str]) -> Iterator[str]:
    """Participants must be in the table, in the form of their case and of the stated gender."""
    columns = pair.columns
    if (columns["patient ko"] == "yes") is not verb.ko:
        yield f"the patient of {verb.iast} takes {'' if verb.ko else 'no '}को."
    roles = _roles(pair, verb)
    words = [word for word in prefix if word not in _CASE_MARKERS]
    if len(words) != len(roles):
        yield f"it mentions {len(words)} people and things instead of {len(roles)}."
        return
    for (role, (names, oblique)), word in zip(roles.items(), words, strict=True):
        gender = columns.get(f"{role} gender")  # of causer and patient
        if not any(
            word == (noun.before_postposition if oblique else noun.form)
            and gender in (None, GENDER_NAMES[noun.gender])
            for noun in (nouns()[name] for name in names)
        ):
            what = f"{gender} {role}" if gender else role
            yield f"the table lists no {what} {word} in this form for {verb.iast}."
    if (
        verb.valency == "intransitive"
        and not verb.ko
        and columns["patient gender"] == columns["causer gender"]
    ):
        yield (
            "causer and patient have the same gender, so the bad habitual could agree with either."
        )


def _roles(pair: Pair, verb: Verb) -> dict[str, tuple[Sequence[str], bool]]:
    """The roles of a pair in their order: what the table offers, and whether a case marks it."""
    roles: dict[str, tuple[Sequence[str], bool]] = {
        "causer": (verb.causers, pair.phenomenon != NO_ERGATIVE),
        "causee": (verb.causees, True),
        "instrument": (verb.instruments, True),
        "recipient": (verb.recipients, True),
        "patient": (verb.patients, verb.ko),
    }
    if pair.phenomenon == NO_INSTRUMENT:
        del roles["instrument"]
    if not verb.recipients:
        del roles["recipient"]
    return roles


def _agreement_cell(pair: Pair, verb: Verb) -> tuple[Gender, Number]:
    """The gender and number that the verb agrees with."""
    if pair.phenomenon == NO_ERGATIVE:
        return _GENDER_CODES[pair.columns["causer gender"]], "sg"
    if verb.ko:
        return "m", "sg"
    number: Number = "pl" if pair.columns["patient number"] == NUMBER_NAMES["pl"] else "sg"
    return _GENDER_CODES[pair.columns["patient gender"]], number


def _check_forms(pair: Pair, verb: Verb, good: Sequence[str], bad: str) -> Iterator[str]:
    cell = _agreement_cell(pair, verb)
    if good[-1] != AUXILIARIES[cell]:
        yield f"its last word is {good[-1]}, but {AUXILIARIES[cell]} agrees."
    gold = _expected_form(verb, "indirect", cell, pair)
    if good[-2] != gold:
        yield f"its verb is {good[-2]}, but {gold} agrees."
    if pair.phenomenon != DIFFERENT_VERB:
        if bad != _expected_form(verb, "base", cell, pair):
            yield f"the other verb is {bad}, but {_expected_form(verb, 'base', cell, pair)} agrees."
        return
    if not any(
        bad == _expected_form(other, "base", cell, pair)
        and pair.columns.get("other verb", other.iast) == other.iast
        for other in (verbs()[name] for name in verb.partners)
    ):
        yield f"the other verb, {bad}, is not an agreeing base form of a verb that may replace it."


def _expected_form(verb: Verb, stem: str, cell: tuple[Gender, Number], pair: Pair) -> str:
    aspect: Aspect = "habitual" if pair.phenomenon == NO_ERGATIVE else "perfective"
    if stem == "indirect":
        return participle(aspect, verb.indirect, *cell)
    return participle(aspect, verb.base, *cell, verb.perfective)


@cache
def _verbs_by_iast() -> Mapping[str, Verb]:
    return {verb.iast: verb for verb in verbs().values()}


# --- all of them -------------------------------------------------------------------------------


def check_design_of_set(pairs: Sequence[Pair]) -> Iterator[tuple[str, str]]:
    """The rules of the design that the set breaks, and where."""
    by_variant: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_variant[pair.phenomenon].append(pair)
    for variant, members in by_variant.items():
        for message in _check_variant(members):
            yield variant, message
    for name in dict.fromkeys(pair.columns["verb"] for pair in pairs):
        verb = _verbs_by_iast().get(name)
        if verb is not None and has_frequencies("hi") and zipf_value(verb) < MIN_ZIPF:
            yield (
                name,
                f"its most common form has a Zipf value of {zipf_value(verb)}, below {MIN_ZIPF}.",
            )


def _check_variant(pairs: Sequence[Pair]) -> Iterator[str]:
    classes = Counter(pair.columns["class"] for pair in pairs)
    for name, number in VERBS_PER_CLASS.items():
        if classes[name] != number:
            yield f"{classes[name]} {name} verbs instead of {number}."
    for name, times in Counter(pair.columns["verb"] for pair in pairs).items():
        if times > 1:
            yield f"{name} occurs {times} times."
    for role in ("causer", "patient"):
        genders = Counter(pair.columns[f"{role} gender"] for pair in pairs)
        if genders["feminine"] != genders["masculine"]:
            yield (
                f"{genders['feminine']} feminine and {genders['masculine']} masculine {role}s; "
                "the numbers should be equal."
            )
    if pairs[0].phenomenon == DIFFERENT_VERB:
        yield from _check_other_verbs(pairs)


def _check_other_verbs(pairs: Sequence[Pair]) -> Iterator[str]:
    """The rules for the verbs that replace others in DV."""
    unnamed = [pair.id for pair in pairs if not pair.columns.keys() >= _OTHER_VERB]
    if unnamed:
        yield (
            f"{unnamed[0]} and {len(unnamed) - 1} more lack the column `other verb` or "
            "`other valency`: build the set again."
        )
        return
    others = Counter(pair.columns["other verb"] for pair in pairs)
    valencies = Counter(pair.columns["other valency"] for pair in pairs)
    if valencies["intransitive"] != valencies["transitive"]:
        yield (
            f"{valencies['intransitive']} intransitive and {valencies['transitive']} "
            "transitive verbs replace others; the numbers should be equal."
        )
    if len(others) < MIN_OTHER_VERBS:
        yield f"{len(others)} verbs replace others; at least {MIN_OTHER_VERBS} are needed."
    for name, times in others.items():
        if times > MAX_USES_OF_OTHER_VERB:
            yield f"{name} replaces {times} verbs; at most {MAX_USES_OF_OTHER_VERB} are allowed."


# Writing that mixes scripts in one word by rights.
_MIXED_SCRIPTS = {"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"}


def check(pairs: Sequence[Pair], _protocol: AlternationsProtocol) -> Iterator[DataIssue]:
    """Problems of any pairs, and violations of the rules by pairs built to the Hindi design."""
    for pair in pairs:
        if not isinstance(pair.test, RegionTest):
            yield from _check_sentences(pair)
            yield from _check_gap(pair)
        yield from _check_scripts(pair)
    yield from _check_repetitions([pair for pair in pairs if not isinstance(pair.test, RegionTest)])
    designed = [pair for pair in pairs if follows_design(pair)]
    for pair in designed:
        for message in check_design_of_pair(pair):
            yield DataIssue("error", pair.id, message)
    for where, message in check_design_of_set(designed):
        yield DataIssue("error", where, message)


def _check_sentences(pair: Pair) -> Iterator[DataIssue]:
    if not pair.good.strip() or not pair.bad.strip():
        yield DataIssue("error", pair.id, "one of its sentences is empty.")
    if pair.good == pair.bad:
        yield DataIssue("error", pair.id, "its sentences are the same.")
    elif pair.good.split() == pair.bad.split():
        yield DataIssue("error", pair.id, "its sentences differ only in white space.")
    elif unicodedata.normalize("NFC", pair.good) == unicodedata.normalize("NFC", pair.bad):
        yield DataIssue("error", pair.id, "its sentences differ only in encoding.")


def _check_scripts(pair: Pair) -> Iterator[DataIssue]:
    for word in dict.fromkeys(" ".join(pair.texts).split()):
        scripts = _scripts(word)
        if len(scripts) > 1 and not scripts & _MIXED_SCRIPTS:
            names = " and ".join(sorted(name.capitalize() for name in scripts))
            yield DataIssue("error", pair.id, f"{word} mixes {names} letters.")


def _scripts(word: str) -> set[str]:
    """The scripts of a word's letters, by the first word of each letter's name."""
    letters = (letter for letter in word if unicodedata.category(letter).startswith("L"))
    return {unicodedata.name(letter, "?").split()[0] for letter in letters}


def _check_gap(pair: Pair) -> Iterator[DataIssue]:
    # A prefix without a word to put after it is another column of that name, as in MultiBLiMP.
    if pair.gold and pair.filled(pair.gold) != pair.good:
        message = (
            "its prefix, its verb and the text after it do not make up its acceptable sentence."
        )
        yield DataIssue("error", pair.id, message)


def _check_repetitions(pairs: Sequence[Pair]) -> Iterator[DataIssue]:
    """Repeated pairs, and sentences that are good in one pair and bad in another."""
    seen: dict[tuple[str, str], str] = {}
    acceptable = {pair.good: pair.id for pair in pairs}
    for pair in pairs:
        both = (pair.good, pair.bad)
        if both in seen:
            yield DataIssue("error", pair.id, f"it repeats {seen[both]}.")
        seen.setdefault(both, pair.id)
        if pair.bad in acceptable and pair.good != pair.bad:
            other = acceptable[pair.bad]
            yield DataIssue("error", pair.id, f"its bad sentence is the acceptable one of {other}.")
