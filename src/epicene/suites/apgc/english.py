"""The gender of English sentences by their nouns, as in the paper's Table 6."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import regex

if TYPE_CHECKING:
    from epicene.suites.apgc.items import EnglishGender

_WORD = regex.compile(r"\p{L}+(?:'\p{L}+)?")
# Possessives and contractions, which are words of their own: mom's, the guys're.
_AFTER_NOUN = regex.compile(r"(?<=\p{L})'(?:s|d|ll|re|ve)\b")


@cache
def _noun_forms() -> dict[str, EnglishGender]:
    """The gender of the listed nouns, by their singulars and plurals."""
    path = Path(__file__).parent / "english_nouns.toml"
    lemmas = tomllib.loads(path.read_text(encoding="utf-8"))
    genders: dict[str, EnglishGender] = {"masculine": "M", "feminine": "F"}
    return {
        form: gender
        for name, gender in genders.items()
        for lemma in lemmas[name]
        for form in (lemma, _plural(lemma))
    }


def _plural(noun: str) -> str:
    if noun.endswith("man"):
        return f"{noun[:-3]}men"
    if noun.endswith(("ss", "ch")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return "wives" if noun == "wife" else "housewives" if noun == "housewife" else f"{noun}s"


def uses_tagger() -> bool:
    """Whether nouns are recognised by a tagger; without one, by their form alone."""
    from epicene.rewriting.english.pipelines import installed

    return bool(installed())


@cache
def english_gender(text: str) -> EnglishGender:
    """F if the sentence has feminine nouns and no masculine ones, M for the reverse, otherwise
    B."""
    folded = text.casefold().replace("’", "'")
    # A tagger is slow, and few sentences have such a word at all.
    if not any(word in _noun_forms() for word in _words_of(folded)):
        return "B"
    found = {_noun_forms()[word] for word in _nouns_of(folded) if word in _noun_forms()}
    return found.pop() if len(found) == 1 else "B"


def _words_of(text: str) -> list[str]:
    return list(_WORD.findall(_AFTER_NOUN.sub(" ", text)))


def _nouns_of(text: str) -> list[str]:
    if not uses_tagger():
        return _words_of(text)
    from epicene.rewriting.english.pipelines import load

    tagged = load()(text)
    return [_AFTER_NOUN.sub("", word.text) for word in tagged if word.pos_ in ("NOUN", "PROPN")]
