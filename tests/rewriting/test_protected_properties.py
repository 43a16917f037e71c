"""Wrapping a word in mark-up, or a placeholder for a name, changes nothing else in the output."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

import pytest
import regex

from epicene.languages import tokenisation
from epicene.rewriting import Rewrite, find_rewriter
from epicene.rewriting.protected import visible_texts
from rewriting.person_cases import LANGUAGES, pairs

WRAPPERS = (
    ("<b>", "</b>"),
    ('<a href="https://example.org/?her=1&amp;b=2" title="prêt">', "</a>"),
    ("**", "**"),
    ('<g id="1">', "</g>"),
    ("&quot;", "&quot;"),
    ("<i>« ", " »</i>"),
    ("&lt;em&gt;", "&lt;/em&gt;"),
)
NAMES = {
    # Not Claire, حسن, كريم, خالد, سليم and القاهرة, which the rules know as words.
    # First names that the rules know keep their gender, so these are others.
    "ar": "عمان بيروت سعاد سامي منى عصمت مجد حكمت ضياء",
    "de": "Kim Anna Jonas Peter Maria Müller Lena Leipzig Hamburg Bremen Kiel Rostock Jena Thomas",
    "en": "Kim Karim Hassan Pedro Paolo Ravi Salma Asha Lucie Claire Sofia Marc Nadia Louise Oleg",
    "es": "Pedro Toledo Salamanca Chicago Ana Luis Marta Carlos Lucía Elena Roma Madrid",
    # Not first names of one gender, which French rules know: who has one stays.
    "fr": "Sofia Lambert Farid Perrin Paris Lyon Renard Camille Dominique Bordeaux Nantes Lille",
    "hi": "रवि अनिल सलमा आशा रमा पूजा नेहा सुनीता शर्मा पुणे नागपुर सीमा लता दीपक इमरान राकेश थॉमस",
    "it": "Paolo Pietro Anna Maria Luca Marco Giulia Bari Torino Roma Genova Vienna",
    "pt": "Pedro Ana Maria João Lisboa Porto Recife Coimbra Roma",
    "ru": "Анна Олег Ольга Минск Париж Томск Иван Мария",
}
each_language = pytest.mark.parametrize("language", [*LANGUAGES, "en"])


@cache
def sentences(language: str) -> list[str]:
    """The starter set of a language, in both genders; for English, what it translates."""
    folder = files("epicene.suites.genform") / "starter"
    codes = LANGUAGES if language == "en" else (language,)
    keys = ("english",) if language == "en" else ("masculine", "feminine")
    found = [
        row[key]
        for code in codes
        for line in (folder / f"{code}.jsonl").read_text("utf-8").splitlines()
        for row in [json.loads(line)]
        for key in keys
    ]
    if language != "en":
        for person in ("listener", "others"):
            found += [text for case in pairs(language, person) for text in case[1:]]
    return list(dict.fromkeys(found))


@cache
def rewriters(language: str) -> tuple[Rewrite, ...]:
    """To both genders, of everyone."""
    if language == "en":
        choices = [{"pronouns": name, "route": "rules"} for name in ("they", "he")]
    else:
        choices = [dict.fromkeys(("speaker", "listener", "others"), gender) for gender in "mf"]
    return tuple(find_rewriter(language).open(options) for options in choices)


def rewritten(language: str, text: str) -> list[str]:
    return [next(rewrite([text])).text for rewrite in rewriters(language)]


def wrapped(text: str, language: str) -> Iterator[tuple[str, str, str]]:
    """The text with each of its words wrapped once, and with what."""
    for at, word in enumerate(tokenisation.words(text, language)):
        start, end = WRAPPERS[at % len(WRAPPERS)]
        written = text[word.start : word.end]
        yield f"{text[: word.start]}{start}{written}{end}{text[word.end :]}", start, end


@each_language
def test_a_wrapped_word_is_read_as_the_word(language: str) -> None:
    for text in sentences(language)[::2]:
        for marked, _, _ in wrapped(text, language):
            (visible,) = visible_texts(marked)
            assert visible.text == text


@each_language
def test_wrapping_a_word_changes_nothing_else(language: str) -> None:
    for text in sentences(language)[::9]:
        plain = rewritten(language, text)
        for marked, start, end in wrapped(text, language):
            for found, expected in zip(rewritten(language, marked), plain, strict=True):
                first = found.index(start)
                last = found.index(end, first + len(start))
                assert (
                    found[:first] + found[first + len(start) : last] + found[last + len(end) :]
                    == expected
                )


@each_language
def test_a_placeholder_for_a_name_changes_nothing_else(language: str) -> None:
    names = "|".join(NAMES[language].split())
    pattern = regex.compile(rf"(?<![\p{{L}}\p{{M}}])(?:{names})(?![\p{{L}}\p{{M}}])")
    tried = 0
    for text in sentences(language):
        for name in pattern.finditer(text):
            plain = rewritten(language, text)
            for placeholder in ("{name}", "%1$s", "{{ user.name }}"):
                marked = text[: name.start()] + placeholder + text[name.end() :]
                found = [
                    each.replace(placeholder, name[0], 1) for each in rewritten(language, marked)
                ]
                assert found == plain, marked
                tried += 1
    assert tried > 5
