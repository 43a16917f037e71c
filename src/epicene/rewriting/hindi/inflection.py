"""The forms of nouns, adjectives and other agreeing words, the nouns for people, and the gender of
other nouns.

Four cells are enough for all words that agree. Most have the same form in two: अच्छी is feminine in
both numbers, and only at the end of a verb does the plural show (थीं, गईं).
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import regex

from epicene.rewriting.hindi.conjugation import analyse_verb
from epicene.rewriting.hindi.lexicon import function_words, read_lists
from epicene.rewriting.hindi.spelling import in_style, key, replace_ending

if TYPE_CHECKING:
    from epicene.rewriting.hindi.spelling import Style
    from epicene.rewriting.persons import Gender

# Masculine singular; masculine plural, honorific or oblique; feminine; feminine plural, nasal.
Cell: TypeAlias = Literal["ms", "mp", "fs", "fp"]


def cell_gender(cell: Cell) -> Gender:
    """The gender of a cell."""
    return "masculine" if cell in {"ms", "mp"} else "feminine"


# How the cells end. `go`: गया गए गई; `do`: किया किए की; `become`: हुआ हुए हुई; `fifth`: पाँचवाँ.
_ENDINGS: dict[str, dict[Cell, str]] = {
    "plain": {"ms": "ा", "mp": "े", "fs": "ी", "fp": "ीं"},
    "go": {"ms": "या", "mp": "ए", "fs": "ई", "fp": "ईं"},
    "become": {"ms": "आ", "mp": "ए", "fs": "ई", "fp": "ईं"},
    "do": {"ms": "िया", "mp": "िए", "fs": "ी", "fp": "ीं"},
    "fifth": {"ms": "वाँ", "mp": "वें", "fs": "वीं", "fp": "वीं"},
    "fifth-anusvara": {"ms": "वां", "mp": "वें", "fs": "वीं", "fp": "वीं"},
    "will": {"ms": "गा", "mp": "गे", "fs": "गी", "fp": "गी"},
}
_GLIDES = {"ए": "ये", "ई": "यी", "ईं": "यीं"}


class AgreeingForm(NamedTuple):
    """An agreeing word split into stem and ending, as spelled."""

    stem: str
    pattern: str
    cell: Cell
    glide: bool = False  # spelt गये, गयी
    first: str = ""  # the other half of a pair (थका-हारा) that agrees too

    def form(self, cell: Cell, style: Style) -> str:
        """The word in another cell."""
        ending = _ENDINGS[self.pattern][cell]
        if self.pattern in {"go", "become"} and (self.glide or style.glide):
            ending = _GLIDES.get(ending, ending)
        if not self.first:
            return self.stem + ending
        first = analyse_agreeing_form(self.first[:-1])
        assert first is not None
        inner: Cell = "fs" if cell == "fp" else cell  # पली-बढ़ीं
        return first.form(inner, style) + self.first[-1] + self.stem + ending


_VOWEL_CELLS: dict[str, Cell] = {
    "या": "ms", "आ": "ms", "ये": "mp", "ए": "mp", "यी": "fs", "ई": "fs", "यीं": "fp", "ईं": "fp",
}  # fmt: skip
_PLAIN_CELLS: dict[str, Cell] = {"ा": "ms", "े": "mp", "ी": "fs", "ीं": "fp"}
_GA_CELLS: dict[str, Cell] = {"गा": "ms", "गे": "mp", "गी": "fs"}
_FIFTH_CELLS: dict[str, Cell] = {"वाँ": "ms", "वां": "ms", "वें": "mp", "वीं": "fs"}

_PAIRED_CELLS = frozenset({("ms", "ms"), ("mp", "mp"), ("fs", "fs"), ("fp", "fp"), ("fs", "fp")})
_PAIR = regex.compile(r"(.+[-‐‑])([^-‐‑]+)")
_DO_FEMININE = regex.compile(r"([कलदपजस])(ीं?)")
_WILL = regex.compile(r"(.+[ेोंँएओऊूुि])(गा|गे|गी)")
_DO = regex.compile(r"(.+?)(िया|िए|िये)")
_VOWEL = regex.compile(r"(.+?)(या|आ|ये|ए|यीं|यी|ईं|ई)")
_FIFTH = regex.compile(r"(.*[\p{L}\p{M}\p{N}])(वाँ|वां|वें|वीं)")
_PLAIN = regex.compile(r"(.*\p{L}[\u093c\u200c\u200d]*)(ा|े|ीं|ी)")


def analyse_agreeing_form(surface: str, *, verb: bool = False) -> AgreeingForm | None:
    """The parts of an agreeing word, or None if its ending is not one that agrees.

    `verb` says that की, ली, दी are forms of verbs (किया), not of genitives and adjectives.
    """
    if "/" in surface or "(" in surface:  # करता/ती has both forms already
        return None
    if pair := _PAIR.fullmatch(surface):
        first, second = (
            analyse_agreeing_form(pair[1][:-1], verb=verb),
            analyse_agreeing_form(pair[2], verb=verb),
        )
        if second is None:
            return None
        same = first is not None and (first.cell, second.cell) in _PAIRED_CELLS
        if same and first is not None and not first.first:
            return second._replace(first=pair[1])
        return second._replace(stem=pair[1] + second.stem)
    if verb and (found := _DO_FEMININE.fullmatch(surface)):
        return AgreeingForm(found[1], "do", "fp" if found[2] == "ीं" else "fs")
    if verb and (found := _WILL.fullmatch(surface)):
        return AgreeingForm(found[1], "will", _GA_CELLS[found[2]])
    return _analyse_single(surface, verb=verb)


def _analyse_single(surface: str, *, verb: bool) -> AgreeingForm | None:
    if found := _DO.fullmatch(surface):
        return AgreeingForm(found[1], "do", "ms" if found[2] == "िया" else "mp")
    if found := _VOWEL.fullmatch(surface):
        pattern = "become" if found[2] == "आ" or found[1] in {"हु", "छु"} else "go"
        glide = found[2] in {"ये", "यी", "यीं"}
        return AgreeingForm(found[1], pattern, _VOWEL_CELLS[found[2]], glide)
    if not verb and (found := _FIFTH.fullmatch(surface)):
        pattern = "fifth-anusvara" if found[2] == "वां" else "fifth"
        return AgreeingForm(found[1], pattern, _FIFTH_CELLS[found[2]])
    if found := _PLAIN.fullmatch(surface):
        return AgreeingForm(found[1], "plain", _PLAIN_CELLS[found[2]])
    return None


# Direct and oblique, singular and plural.
Case: TypeAlias = Literal["direct", "oblique", "direct plural", "oblique plural"]
CASES: tuple[Case, ...] = ("direct", "oblique", "direct plural", "oblique plural")

# gendered: the masculine names men alone; role: its plural names men and women; seldom: the
# feminine is rare; same: one form for both; only: no word for the other gender.
PersonNounKind: TypeAlias = Literal["gendered", "role", "seldom", "same", "only"]

_LONG = {"ी": "ि", "ू": "ु", "ई": "इ", "ऊ": "उ"}


class PersonNoun(NamedTuple):
    """A noun for people in both genders; a gender without a form has ""."""

    masculine: str
    feminine: str
    kind: PersonNounKind
    fixed: bool  # the masculine in -ा is not inflected
    respected: bool = False  # the masculine is spoken of in the plural

    def form(self, gender: Gender, case: Case) -> str:
        """The form in that gender and case."""
        word = self.masculine if gender == "masculine" else self.feminine
        return decline(word, gender, fixed=self.fixed)[CASES.index(case)] if word else ""


class NounReading(NamedTuple):
    """A reading of a form; `gender` is None where it is the same in both."""

    noun: PersonNoun
    gender: Gender | None
    cases: frozenset[Case]

    @property
    def becomes_plural(self) -> bool:
        """Whether the masculine is spoken of in the plural though the feminine is not."""
        return self.gender == "feminine" and self.noun.respected

    @property
    def plural_only(self) -> bool:
        """Whether the form is plural in every case it can have."""
        return not self.cases & {"direct", "oblique"}


def decline(noun: str, gender: Gender, *, fixed: bool = False) -> tuple[str, str, str, str]:
    """The forms in the four cases, in the order of CASES."""
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


# Before वाला in its key where that is a noun: दूध वाला.
TRADER = "ऄ"  # a letter that no word has


@cache
def _person_nouns() -> dict[str, list[NounReading]]:
    lists = read_lists("people")
    fixed, respected = frozenset(lists["fixed_a"]), frozenset(lists["respected"])
    readings: dict[str, list[NounReading]] = {}
    for title, kind in (("gendered", "gendered"), ("roles", "role"), ("seldom", "seldom")):
        for pair in lists[title]:
            masculine, feminine = pair.split("/")
            noun = PersonNoun(
                masculine,
                feminine,
                kind,  # type: ignore[arg-type]
                masculine in fixed,
                masculine in respected,
            )
            _add_forms(readings, noun, None if kind == "seldom" else "masculine")
            _add_forms(readings, noun, "feminine")
    trader = PersonNoun("वाला", "वाली", "role", False)
    _add_forms(readings, trader, "masculine", before=TRADER)
    _add_forms(readings, trader, "feminine", before=TRADER)
    for word in lists["same"]:
        _add_forms(readings, PersonNoun(word, word, "same", word in fixed), None)
    for word in lists["feminine_only"]:
        _add_forms(readings, PersonNoun("", word, "only", True), "feminine")
    for word in lists["masculine_only"]:
        _add_forms(readings, PersonNoun(word, "", "only", True), "masculine")
    return readings


def _add_forms(
    readings: dict[str, list[NounReading]],
    noun: PersonNoun,
    gender: Gender | None,
    before: str = "",
) -> None:
    cases: dict[str, set[Case]] = {}
    for case in CASES:
        cases.setdefault(key(noun.form(gender or "masculine", case)), set()).add(case)
    for form, where in cases.items():
        reading = NounReading(noun, gender, frozenset(where))
        readings.setdefault(before + form, []).append(reading)


@lru_cache(maxsize=65536)
def person_noun(word: str) -> NounReading | None:
    """The first reading of a key as a noun for people; titles may end in जी."""
    if word in _thing_genders():  # सालों is of साल, not of साला
        return None
    found = _person_nouns().get(word)
    if not found and word.endswith("जी"):
        found = _person_nouns().get(word.removesuffix("जी"))
    return found[0] if found else None


@cache
def people_listed(title: str) -> frozenset[str]:
    """The keys of a list of `people.toml` that says more about nouns: `also_names`."""
    return frozenset(map(key, read_lists("people")[title]))


# Written for the regular ones: the mothers.
_COMMON_PLURALS = {"माँएँ": "माताएँ", "माँओं": "माताओं"}


def inflect_noun(
    surface: str, reading: NounReading, gender: Gender, case: Case, style: Style
) -> str:
    """The noun in the other gender, keeping as much of its spelling as possible."""
    noun, was = reading.noun, reading.gender
    if was is None or was == gender:
        return surface
    wanted = _COMMON_PLURALS.get(noun.form(gender, case), noun.form(gender, case))
    if not wanted:
        return surface
    if key(surface).endswith("जी") and not key(noun.form(was, "direct")).endswith("जी"):
        wanted += "जी"
    shared = _shared_length(key(surface), key(wanted))
    ending = _ending_after(wanted, shared)
    if shared and ending is not None:
        kept = replace_ending(surface, shared, in_style(ending, style))
        if kept is not None:
            return kept
    return in_style(wanted, style)


def _shared_length(one: str, other: str) -> int:
    count = 0
    while count < min(len(one), len(other)) and one[count] == other[count]:
        count += 1
    return count


def _ending_after(wanted: str, shared: int) -> str | None:
    """The part of a lexicon form after the first `shared` letters of its key."""
    for cut in range(len(wanted), -1, -1):
        if len(key(wanted[:cut])) == shared and key(wanted).startswith(key(wanted[:cut])):
            return wanted[cut:]
    return None


# --- things ---------------------------------------------------------------------------------

# What abstract nouns and loans end in.
_FEMININE_ENDINGS = tuple("ता ति टि ावट ाहट शन िंग ोलॉजी दारी गिरी शिप".split())
_MASCULINE_ENDINGS = tuple("त्व पन ापा मेंट करण ाव ालय".split())


@cache
def _thing_genders() -> dict[str, Gender]:
    lists = read_lists("things")
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
def group_nouns() -> frozenset[str]:
    """Nouns for bodies of people, which may act as a person does."""
    return frozenset(map(key, read_lists("things")["groups"]))


@cache
def place_nouns() -> frozenset[str]:
    """Nouns that may express a direction without a postposition."""
    return frozenset(map(key, read_lists("things")["places"]))


@cache
def time_nouns() -> frozenset[str]:
    """Nouns that may express a time, duration or distance without a postposition."""
    return frozenset(map(key, read_lists("things")["times"]))


def thing_gender(word: str) -> Gender | None:
    """The gender of a key that is a noun for a thing, None if it is not listed as one."""
    return _thing_genders().get(word)


def abstract_noun_gender(word: str) -> Gender | None:
    """The gender that the ending of an unlisted abstract noun or loan shows."""
    if len(word) > 4 and word not in people_listed("not_abstract"):
        if word.endswith(_FEMININE_ENDINGS):
            return "feminine"
        if word.endswith(_MASCULINE_ENDINGS):
            return "masculine"
    return None


# शर्मीला, दूधवाला, दुगुना; पाँचवाँ, 5वाँ
_SUFFIXES = regex.compile(r".{2,}(?:ील[ाेी]|वाल[ाेी]|गुन[ाेी])$")
_ORDINAL = regex.compile(r"(?:.{2,}|\p{N}+)व(?:ां|ीं|ें)$")
_TO_MASCULINE = {"े": "ा", "ी": "ा", "ए": "या", "ई": "या"}
_PARTICIPLE_OF_BE = frozenset({"हुआ", "हुए", "हुई"})


def citation_form(word: str) -> str:
    """The key of an adjective's masculine singular: अच्छी, अच्छे → अच्छा."""
    return "-".join(
        part[:-1] + _TO_MASCULINE[part[-1]] if part and part[-1] in _TO_MASCULINE else part
        for part in word.split("-")
    )


@lru_cache(maxsize=65536)
def is_agreeing_adjective(word: str) -> bool:
    """Whether the key is a form of an agreeing adjective; participles only in pairs."""
    words = function_words()
    if word in words.invariable_adjectives:
        return False
    if citation_form(word) in words.variable_adjectives:
        return True
    if "-" in word:
        *firsts, last = word.split("-")
        of_pair = last in {"सा", "से", "सी"} or is_agreeing_adjective(last) or is_participle(last)
        return of_pair and all(
            is_agreeing_adjective(first) or is_participle(first) for first in firsts
        )
    by_shape = _SUFFIXES.match(word) or _ORDINAL.match(word)
    if by_shape is None or thing_gender(word) is not None:
        return False
    reading = person_noun(word)  # दूधवाला is both, ग्वाला is not
    return reading is None or reading.noun.feminine.endswith("वाली")


def is_genitive(word: str) -> bool:
    """Whether the word is का or the genitive of a pronoun."""
    return word in {"का", "के", "की"} or citation_form(word) in function_words().possessives


def is_participle(word: str) -> bool:
    """Whether the word may be a participle used as an adjective: थका, हुआ, सोया."""
    if word in function_words().invariable_adjectives:  # दुखी
        return False
    return any(form.participle and form.cell for form in analyse_verb(word))


def is_stative_participle(first: str, second: str) -> bool:
    """Whether two words are a participle with हुआ: थका हुआ."""
    if second not in _PARTICIPLE_OF_BE or thing_gender(first) is not None:
        return False
    if is_participle(first):
        return True
    same = (first[-2:], second) in {("ता", "हुआ"), ("ती", "हुई"), ("ते", "हुए")}  # लाठी टेकता हुआ
    known = person_noun(first) or first in function_words().invariable_adjectives
    return same and len(first) > 3 and not known


def is_adjective(word: str) -> bool:
    """Whether the word is an adjective, by the lexicon or by its shape."""
    return word in function_words().invariable_adjectives or is_agreeing_adjective(word)


def ending_cell(surface: str) -> Cell | None:
    """The cell of an agreeing word, by its ending."""
    found = analyse_agreeing_form(surface)
    return found.cell if found else None
