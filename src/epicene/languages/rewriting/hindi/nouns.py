"""Nouns: how they decline, which of them name people, and which gender the others have."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.languages.rewriting.hindi.lexicon import read
from epicene.languages.rewriting.hindi.spelling import in_style, key, replace_ending

if TYPE_CHECKING:
    from epicene.languages.rewriting.hindi.spelling import Style
    from epicene.languages.rewriting.people import Gender

# Direct and oblique, singular and plural.
Case: TypeAlias = Literal["direct", "oblique", "direct plural", "oblique plural"]
CASES: tuple[Case, ...] = ("direct", "oblique", "direct plural", "oblique plural")

# gendered: the masculine names men alone; role: its plural names men and women; seldom: the
# feminine is rare; same: one form for both; only: no word for the other gender.
Kind: TypeAlias = Literal["gendered", "role", "seldom", "same", "only"]

_LONG = {"ी": "ि", "ू": "ु", "ई": "इ", "ऊ": "उ"}


class Noun(NamedTuple):
    """A noun of people in both genders; a gender without a form has ""."""

    masculine: str
    feminine: str
    kind: Kind
    fixed: bool  # the masculine in -ा is not inflected

    def form(self, gender: Gender, case: Case) -> str:
        """The form of that gender and case."""
        word = self.masculine if gender == "masculine" else self.feminine
        return decline(word, gender, fixed=self.fixed)[CASES.index(case)] if word else ""


class Reading(NamedTuple):
    """What a form may be; `gender` is None where it is the same in both."""

    noun: Noun
    gender: Gender | None
    cases: frozenset[Case]

    @property
    def plural_only(self) -> bool:
        """Whether it can name no single person."""
        return not self.cases & {"direct", "oblique"}


def decline(noun: str, gender: Gender, *, fixed: bool = False) -> tuple[str, str, str, str]:
    """The four cases in the order of CASES."""
    if gender == "masculine":
        return _masculine(noun, fixed)
    return _feminine(noun)


def _masculine(noun: str, fixed: bool) -> tuple[str, str, str, str]:
    stem, last = noun[:-1], noun[-1]
    if last == "ा" and not fixed:
        return noun, stem + "े", stem + "े", stem + "ों"
    return noun, noun, noun, _oblique_plural(noun)


def _feminine(noun: str) -> tuple[str, str, str, str]:
    stem, last = noun[:-1], noun[-1]
    if noun.endswith("िया"):
        plural = noun + "ँ"
    elif last in "ीईि":
        plural = stem + _LONG.get(last, last) + "याँ"
    elif last in "ाआऊूुओौँं":
        plural = stem + _LONG.get(last, last) + "एँ"
    else:
        plural = noun + "ें"
    return noun, noun, plural, _oblique_plural(noun)


def _oblique_plural(noun: str) -> str:
    stem, last = noun[:-1], noun[-1]
    if noun.endswith("िया"):
        return stem + "ों"
    if last in "ीईि":
        return stem + _LONG.get(last, last) + "यों"
    if last in "ाआऊूुओौोँं":
        return stem + _LONG.get(last, last) + "ओं"
    return noun + "ों"


# --- people ---------------------------------------------------------------------------------


@cache
def _people() -> dict[str, list[Reading]]:
    lists = read("people")
    fixed = frozenset(lists["fixed_a"])
    readings: dict[str, list[Reading]] = {}
    for title, kind in (("gendered", "gendered"), ("roles", "role"), ("seldom", "seldom")):
        for pair in lists[title]:
            masculine, feminine = pair.split("/")
            noun = Noun(masculine, feminine, kind, masculine in fixed)  # type: ignore[arg-type]
            _enter(readings, noun, None if kind == "seldom" else "masculine")
            _enter(readings, noun, "feminine")
    for word in lists["same"]:
        _enter(readings, Noun(word, word, "same", word in fixed), None)
    for word in lists["feminine_only"]:
        _enter(readings, Noun("", word, "only", True), "feminine")
    for word in lists["masculine_only"]:
        _enter(readings, Noun(word, "", "only", True), "masculine")
    return readings


def _enter(readings: dict[str, list[Reading]], noun: Noun, gender: Gender | None) -> None:
    cases: dict[str, set[Case]] = {}
    for case in CASES:
        cases.setdefault(key(noun.form(gender or "masculine", case)), set()).add(case)
    for form, where in cases.items():
        readings.setdefault(form, []).append(Reading(noun, gender, frozenset(where)))


def person(word: str) -> Reading | None:
    """The first reading of a key as a noun of people; titles may carry जी."""
    if word in _things():  # सालों is of साल, not of साला
        return None
    found = _people().get(word)
    if not found and word.endswith("जी"):
        found = _people().get(word.removesuffix("जी"))
    return found[0] if found else None


def turn(surface: str, reading: Reading, gender: Gender, case: Case, style: Style) -> str:
    """The noun in the other gender, with as much of its own spelling as stays."""
    noun, was = reading.noun, reading.gender
    if was is None or was == gender:
        return surface
    wanted = noun.form(gender, case)
    if not wanted:
        return surface
    if key(surface).endswith("जी") and not key(noun.form(was, "direct")).endswith("जी"):
        wanted += "जी"
    shared = _shared(key(surface), key(wanted))
    ending = _tail(wanted, shared)
    if shared and ending is not None:
        kept = replace_ending(surface, shared, in_style(ending, style))
        if kept is not None:
            return kept
    return in_style(wanted, style)


def _shared(one: str, other: str) -> int:
    count = 0
    while count < min(len(one), len(other)) and one[count] == other[count]:
        count += 1
    return count


def _tail(wanted: str, shared: int) -> str | None:
    """What follows the first `shared` letters (of the key) of a form of the lexicon."""
    for cut in range(len(wanted), -1, -1):
        if len(key(wanted[:cut])) == shared and key(wanted).startswith(key(wanted[:cut])):
            return wanted[cut:]
    return None


# --- things ---------------------------------------------------------------------------------

# What abstract nouns and loans end in.
_FEMININE_ENDINGS = tuple("ता ति टि ावट ाहट शन िंग ोलॉजी दारी गिरी शिप".split())
_MASCULINE_ENDINGS = tuple("त्व पन ापा मेंट करण ाव ालय".split())


@cache
def _things() -> dict[str, Gender]:
    lists = read("things")
    genders: dict[str, Gender] = {}
    for title, gender, fixed in (
        ("masculine", "masculine", False),
        ("masculine_plain", "masculine", True),
        ("feminine", "feminine", False),
    ):
        for word in lists[title]:
            for form in decline(word, gender, fixed=fixed):  # type: ignore[arg-type]
                genders.setdefault(key(form), gender)  # type: ignore[arg-type]
    return genders


@cache
def places() -> frozenset[str]:
    """Nouns that, without a postposition, may say where to."""
    return frozenset(map(key, read("things")["places"]))


@cache
def times() -> frozenset[str]:
    """Nouns that, without a postposition, may say when, how long or how far."""
    return frozenset(map(key, read("things")["times"]))


def thing(word: str) -> Gender | None:
    """The gender of a key that names no person, None if it is not known as such."""
    return _things().get(word)


def abstract(word: str) -> Gender | None:
    """The gender that the end of an unknown noun shows, if it is that of things."""
    if len(word) > 4:
        if word.endswith(_FEMININE_ENDINGS):
            return "feminine"
        if word.endswith(_MASCULINE_ENDINGS):
            return "masculine"
    return None
