"""Past tenses and short adjectives of Russian: which word is one, and the form in either gender."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.russian import lexicon
from epicene.rewriting.russian.line import key

if TYPE_CHECKING:
    from epicene.rewriting.persons import Gender


class GenderedForm(NamedTuple):
    """A word with one form for each gender, and the gender it has."""

    gender: Gender
    masculine: str
    feminine: str
    listed: bool = True  # in our lists, not read by its ending

    def form(self, gender: Gender) -> str:
        """The form of that gender, with ё."""
        return self.masculine if gender == "masculine" else self.feminine


@cache
def _irregular_pasts() -> dict[str, GenderedForm]:
    table: dict[str, GenderedForm] = {}
    prefixes = ("", *lexicon.listed("verbs", "prefixes").split())
    stems = lexicon.pairs(lexicon.listed("verbs", "irregular"))
    stems += [
        (prefix + one, prefix + other)
        for one, other in lexicon.pairs(lexicon.listed("verbs", "bases"))
        for prefix in prefixes
    ]
    for masculine, feminine in stems:
        for one, other in ((masculine, feminine), (masculine + "ся", feminine + "сь")):
            table.setdefault(key(one), GenderedForm("masculine", one, other))
            table.setdefault(key(other), GenderedForm("feminine", one, other))
    return table


@lru_cache(maxsize=2**14)
def past_form(word: str) -> GenderedForm | None:
    """The reading of a key as a past tense in the singular."""
    known = _irregular_pasts().get(word)
    if known is not None and word not in lexicon.keys_of("verbs", "no_pasts"):
        return known
    if word in _not_verbs():
        return None
    for masculine, feminine in (("лся", "лась"), ("л", "ла")):
        if word.endswith(feminine) and len(word) > len(feminine) + 1:
            stem = word[: -len(feminine)]
            if _is_stem(stem):
                return GenderedForm("feminine", stem + masculine, stem + feminine, listed=False)
        if word.endswith(masculine) and len(word) > len(masculine) + 1:
            stem = word[: -len(masculine)]
            if _is_stem(stem):
                return GenderedForm("masculine", stem + masculine, stem + feminine, listed=False)
    return None


@cache
def _not_verbs() -> frozenset[str]:
    nouns = ("masculine_nouns", "feminine_nouns")
    return lexicon.function_words().adverbs.union(
        *(lexicon.keys_of("verbs", each) for each in nouns)
    )


def _is_stem(stem: str) -> bool:
    return stem[-1] in "аеиоуыэюя" and "-" not in stem


@cache
def _listed_short_forms() -> dict[str, GenderedForm]:
    table: dict[str, GenderedForm] = {}
    for one, other in lexicon.pairs(lexicon.listed("short_forms", "adjectives")):
        table.setdefault(key(one), GenderedForm("masculine", one, other))
        table.setdefault(key(other), GenderedForm("feminine", one, other))
        if not one.startswith("не"):
            table.setdefault(key("не" + one), GenderedForm("masculine", "не" + one, "не" + other))
            table.setdefault(key("не" + other), GenderedForm("feminine", "не" + one, "не" + other))
    return table


def listed_forms() -> list[GenderedForm]:
    """All forms of our lists."""
    return [*_irregular_pasts().values(), *_listed_short_forms().values()]


_PARTICIPLE_ENDINGS = ("ан", "ян", "ен", "ыт", "ут", "ит", "ят", "ерт", "ет")
# Adjectives in -ен that lose their vowel: известен, известна.
_FLEETING = ("тен", "вен", "бен", "пен", "мен", "зен", "сен", "ичен", "елен")


@lru_cache(maxsize=2**14)
def short_form(word: str) -> GenderedForm | None:
    """The reading of a key as a short adjective or participle in the singular."""
    known = _listed_short_forms().get(word)
    if known is not None:
        return known
    if len(word) < 5 or word in lexicon.keys_of("short_forms", "nouns"):
        return None
    if word.endswith(_FLEETING):
        feminine = word[:-2] + ("ьна" if word.endswith("лен") else "на")
        return GenderedForm("masculine", word, feminine, listed=False)
    if word.endswith("ельна"):
        return GenderedForm("feminine", word[:-3] + "ен", word, listed=False)
    if word.endswith(("ична", "ивна", "ивна", "ственна", "мысленна")):
        return GenderedForm("feminine", word[:-2] + "ен", word, listed=False)
    if word.endswith("на") and word[-3] in "бвгджзйкльмпрстхчшщ":
        stem = word[:-3] if word[-3] in "ьй" else word[:-2]
        return GenderedForm("feminine", stem + "ен", word, listed=False)
    if word.endswith(_PARTICIPLE_ENDINGS):
        return GenderedForm("masculine", word, word + "а", listed=False)
    if word.endswith("а") and word[:-1].endswith(_PARTICIPLE_ENDINGS):
        return GenderedForm("feminine", word[:-1], word, listed=False)
    return None
