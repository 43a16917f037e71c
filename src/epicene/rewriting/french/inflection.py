"""The forms of nouns and adjectives in either gender: known words by our lists, others by their
ending.

The target gender is given, not toggled: the feminine of a feminine is itself.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.rewriting.french.dictionary import dictionary
from epicene.rewriting.french.lexicon import read_lists, verb_table
from epicene.rewriting.word_lists import WordSet, word_rows, word_set

if TYPE_CHECKING:
    from epicene.rewriting.persons import Gender

WordClass: TypeAlias = Literal["noun", "adjective"]

# The ending of a masculine, that of its feminine; the first that fits.
_TO_FEMININE = (*word_rows(read_lists("adjectives")["to_feminine"]), ("", "e"))

# The ending of a feminine, that of its masculine; the first that fits. A word in -e that nothing
# here fits is the same in both genders.
_TO_MASCULINE = word_rows(read_lists("adjectives")["to_masculine"])

# Endings in -e that are the same in both genders, whatever the list above says of them.
_EPICENE = re.compile(
    r".*(?:able|ible|uble|[bcdfgptv][lr]e|[ao]ire|iste|[aeo]ste|ique|esque|aque|asque|crate|mate|"
    r"phile|phobe|phone|graphe|logue|nome|mane|pathe|vore|forme|cide|ide|ade|iaque|âtre|ième|"
    r"ouche|oche|ache|ange|age|ouge|ègue|gène|ose|ense|asse|isse|usse|esse|(?<!e)ure|ore|are|arre|mme|"
    r"[aeiouâîé]me|rme|lme|gne|pte|xte|[aio]ce|nce|rce|[aeiouy]pe|rbe|ombe|ude|ode|[aeio]xe)"
)


class GenderPairs(NamedTuple):
    """Our lists: each word's counterpart, in both directions, and the epicene words."""

    feminine: dict[str, str]
    masculine: dict[str, str]
    epicene: WordSet
    known: WordSet  # every form of every word of the lists


def _make_pairs(listed: list[tuple[str, ...]], regular: WordSet, epicene: WordSet) -> GenderPairs:
    feminine = {each: feminine_by_rule(each) for each in sorted(regular)}
    feminine |= {row[0]: row[1] for row in listed}
    masculine: dict[str, str] = {}
    for one, *others in [*listed, *feminine.items()]:
        for other in others:
            masculine.setdefault(other, one)
    return GenderPairs(feminine, masculine, epicene, frozenset({*feminine, *masculine, *epicene}))


@cache
def adjective_pairs() -> GenderPairs:
    """The pairs of adjectives, and of the participles of known verbs."""
    lists = read_lists("adjectives")
    regular = word_set(lists["regular"]) | frozenset(verb_table().participles)
    regular -= {row[0] for row in word_rows(read_lists("people")["pairs"])}
    return _make_pairs(word_rows(lists["pairs"]), regular, word_set(lists["epicene"]))


@cache
def person_pairs() -> GenderPairs:
    """The pairs of nouns for people."""
    lists = read_lists("people")
    regular = word_set(lists["regular"])
    both = [pair for pair in word_rows(read_lists("adjectives")["pairs"]) if pair[0] in regular]
    return _make_pairs([*word_rows(lists["pairs"]), *both], regular, word_set(lists["epicene"]))


def feminine_by_rule(word: str) -> str:
    """The feminine singular of a masculine singular."""
    if word.endswith("teur") and _is_agent(word.removesuffix("eur")):
        return word.removesuffix("eur") + "euse"
    for masculine, feminine in _TO_FEMININE:
        if word.endswith(masculine):
            return word.removesuffix(masculine) + feminine
    return word


def masculine_by_rule(word: str) -> str:
    """The masculine singular of a feminine or masculine singular."""
    if word.endswith("trice"):
        return word.removesuffix("trice") + "teur"
    if not word.endswith("e") or _EPICENE.fullmatch(word):
        return word
    if word.endswith("euse") and _is_agent(word.removesuffix("euse")):
        return word.removesuffix("euse") + "eur"
    for feminine, masculine in _TO_MASCULINE:
        if word.endswith(feminine):
            return word.removesuffix(feminine) + masculine
    return word


def _is_agent(stem: str) -> bool:
    """Whether the stem is that of a known verb, so that the word is its agent: danseuse, danser."""
    known = verb_table().infinitives
    if stem.endswith("iss"):
        return stem.removesuffix("ss") + "r" in known
    return any(stem + ending in known for ending in ("er", "ir", "re", "dre"))


@lru_cache(maxsize=20_000)
def inflect(
    word: str, gender: Gender, kind: WordClass = "adjective", *, plural: bool = False
) -> str:
    """The form of a lower-case word in that gender."""
    if "-" in word:
        return _inflect_compound(word, gender, kind, plural=plural)
    if plural:
        return pluralise(inflect(singular_of(word), gender, kind))
    for pairs in (
        (person_pairs(), adjective_pairs())
        if kind == "noun"
        else (adjective_pairs(), person_pairs())
    ):
        to, other = (
            (pairs.feminine, pairs.masculine)
            if gender == "feminine"
            else (pairs.masculine, pairs.feminine)
        )
        if word in pairs.epicene and word not in to:
            return word
        if word in to:
            return to[word]
        if word in other:
            return word
    if (listed := dictionary()) and (found := listed.inflect(word, gender, noun=kind == "noun")):
        return found
    return feminine_by_rule(word) if gender == "feminine" else masculine_by_rule(word)


def _inflect_compound(word: str, gender: Gender, kind: WordClass, *, plural: bool) -> str:
    """A compound with its known parts and its last part inflected: aide-soignant."""
    listed = person_pairs()
    whole = listed.feminine if gender == "feminine" else listed.masculine
    if word in listed.known:
        return whole.get(word, word)
    *firsts, last = word.split("-")
    if last not in person_pairs().known | adjective_pairs().known:
        return word
    parts = [inflect(part, gender, "noun") if part in listed.known else part for part in firsts]
    return "-".join([*parts, inflect(last, gender, kind, plural=plural)])


def pluralise(word: str) -> str:
    """The plural of a singular."""
    if word in _ODD_PLURALS:
        return _ODD_PLURALS[word]
    if word.endswith(("s", "x", "z")):
        return word
    if word.endswith(("eau", "eu")) and word != "bleu":
        return word + "x"
    if word.endswith("al") and word not in _REGULAR_IN_AL:
        return word.removesuffix("al") + "aux"
    return word + "s"


_ODD_PLURALS = {row[0]: row[1] for row in word_rows(read_lists("people")["odd_plurals"])}
_ODD_SINGULARS = {plural: one for one, plural in _ODD_PLURALS.items()}
_REGULAR_IN_AL = frozenset({"banal", "fatal", "final", "natal", "naval", "bancal"})


@lru_cache(maxsize=20_000)
def singular_of(word: str) -> str:
    """The singular of a plural, as far as its ending shows."""
    if word in _ODD_SINGULARS:
        return _ODD_SINGULARS[word]
    if word.endswith("aux") and not word.endswith("eaux"):
        return word.removesuffix("aux") + "al"
    if word.endswith("eaux"):
        return word.removesuffix("x")
    if word.endswith(("ais", "ois")) and not _is_listed(word[:-1]):  # un Groenlandais
        return word
    if word.endswith("s") and word not in _S_IN_SINGULAR and word not in adjective_pairs().feminine:
        return word.removesuffix("s")
    return word


def _is_listed(word: str) -> bool:
    return word in adjective_pairs().known or word in person_pairs().known


def is_plural(word: str) -> bool:
    """Whether the word is the plural of a listed word, whatever number was expected."""
    one = singular_of(word)
    listed = (person_pairs().known, adjective_pairs().known)
    return (
        one != word
        and not any(word in known for known in listed)
        and any(one in known for known in listed)
    )


_S_IN_SINGULAR = frozenset({"fils", "héros", "commis", "marquis", "gars", "dos"})


def shown_gender(word: str, *, plural: bool = False) -> Gender | None:
    """The gender that a form shows, None if both genders have the same form."""
    feminine = inflect(word, "feminine", plural=plural)
    masculine = inflect(word, "masculine", plural=plural)
    if feminine == masculine:
        return None
    return "feminine" if word == feminine else "masculine"


def shown_noun_gender(word: str, *, plural: bool = False) -> Gender | None:
    """The gender that a noun for people shows by its form."""
    feminine = inflect(word, "feminine", "noun", plural=plural)
    masculine = inflect(word, "masculine", "noun", plural=plural)
    if feminine == masculine:
        return None
    return "feminine" if word == feminine else "masculine"
