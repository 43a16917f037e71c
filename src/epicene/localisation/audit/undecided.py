"""Words that look gendered in a string of which nothing could be decided.

Two kinds, both looked up in the word lists of the language: a noun for people that has a form for
the other gender ("Rôle : administrateur"), and an adjective, participle or command that opens the
string, with no noun before it or right after it ("Enregistré", "Prêt à partir ?"). The second may
be said of a thing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.tokenisation import tokens
from epicene.localisation.audit.findings import UndecidedWord
from epicene.localisation.audit.word_genders import agreeing_gender, has_lookups, noun_gender

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.languages.tokenisation import Span


# What may follow such an opening word; before a noun it belongs to that ("Nouveau message").
_FOLLOWERS = {
    language: frozenset(words.split())
    for language, words in {
        "ar": "في على من إلى مع عن هنا الآن أو",
        "es": "a al de del en para con por y o el desde como hace",
        "fr": "à au aux de du en pour avec par et ou sur dans depuis comme le il hier",
        "it": "a al alla di da dal in per con e o su il la come",
        "pt": "a ao à de do da em para com por e ou o desde como há no na",
        "ru": "к на в с от по за и или для",
    }.items()
}

# Words that open a string and agree with nobody: a welcome, something in progress.
_NOBODYS = {"ar": frozenset({"جار", "جارٍ"}), "fr": frozenset({"bienvenue"})}


def find_undecided(text: str, language: str) -> Iterator[UndecidedWord]:
    """The words of a text that may show a gender, in order."""
    if not has_lookups(language):
        return
    words = [
        (each, text[each.start : each.end])
        for each in tokens(text, language)
        if each.kind == "word"
    ]
    for at, (span, word) in enumerate(words):
        why = ""
        if at == 0 and word.lower() in _NOBODYS.get(language, ()):
            continue
        if noun_gender(word, language):
            why = "a noun for people with another form for the other gender"
        elif at == 0 and agreeing_gender(word, language) and _stands_alone(text, words, language):
            why = "agrees with somebody or something that is not named before it"
        if why:
            yield UndecidedWord(start=span.start, end=span.end, text=word, why=why)


def _stands_alone(text: str, words: list[tuple[Span, str]], language: str) -> bool:
    """Whether the first word is followed by nothing, a mark, or a word that is no noun."""
    if len(words) == 1 or language not in _FOLLOWERS:
        return True
    (first, _), (second, follower) = words[:2]
    between = text[first.end : second.start]
    return bool(between.strip()) or follower.lower() in _FOLLOWERS[language]
