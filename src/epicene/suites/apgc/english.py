"""Which gender the nouns of an English sentence have: F, M, or B for neither or both."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

import regex

EnglishGender: TypeAlias = Literal["B", "M", "F"]

_WORD = regex.compile(r"\p{L}+(?:'\p{L}+)?")


@cache
def _forms() -> dict[str, EnglishGender]:
    """The singulars and plurals of the nouns, by what gender they have."""
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
    """Whether nouns are told from other words by a tagger; without one, by form alone."""
    from epicene.languages.rewriting.english.pipelines import installed

    return bool(installed())


@cache
def english_gender(text: str) -> EnglishGender:
    """F if the sentence has feminine nouns and no masculine one, M the other way, else B."""
    folded = text.casefold().replace("’", "'")
    # A tagger is slow, and few sentences have such a word at all.
    if not any(word in _forms() for word in _WORD.findall(folded)):
        return "B"
    found = {_forms()[word] for word in _nouns(folded) if word in _forms()}
    if len(found) != 1:
        return "B"
    return found.pop()


def _nouns(text: str) -> list[str]:
    if not uses_tagger():
        return list(_WORD.findall(text))
    from epicene.languages.rewriting.english.pipelines import load

    return [token.text for token in load()(text) if token.pos_ in ("NOUN", "PROPN")]
