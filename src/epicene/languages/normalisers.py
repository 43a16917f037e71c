"""Named normalisers: small pure functions from text to text that run only if they are named.

A normaliser destroys gender if two forms that mark different genders can become the same string.
Such normalisers are off unless a protocol names them, and the table's header names them too.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, NamedTuple

import regex

from epicene.core.errors import unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Normaliser(NamedTuple):
    """A function with the name a protocol uses, and what it does to gender."""

    name: str
    function: Callable[[str], str]
    destroys_gender: bool
    why: str


_QUOTES = str.maketrans({"‘": "'", "’": "'", "‚": "'", "‛": "'"} | dict.fromkeys("“”„‟", '"'))

# A hamza or madda on an alif, as one character or as combining marks after it.
_ALIF = regex.compile(r"[أإآٱ][\u0653-\u0655]*|ا[\u0653-\u0655]+")

# Short vowels, nunation, shadda, sukun, dagger alif and Koranic signs; not the combining madda
# and hamzas (U+0653 to U+0655), which are parts of letters.
_ARABIC_DIACRITICS = regex.compile(
    r"[\u0610-\u061a\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]"
)

# Each Devanagari letter with a nukta has two canonical spellings; the one kept is that of NFC.
_NUKTA = regex.compile(r"[\u0958-\u095f]|[\u0928\u0930\u0933]\u093c")

_LATIN_ACCENTS = regex.compile(r"[\p{Latin}--[A-Za-z]]\p{M}*|[A-Za-z]\p{M}+", regex.V1)


def nfc(text: str) -> str:
    """The text composed: e + ◌́ → é."""
    return unicodedata.normalize("NFC", text)


def nfkc(text: str) -> str:
    """The text composed, with compatibility characters replaced: ﬁ → fi, ﻛ → ك, Ａ → A."""
    return unicodedata.normalize("NFKC", text)


def quotes(text: str) -> str:
    """The text with straight quotes and apostrophes for curly ones; guillemets stay."""
    return text.translate(_QUOTES)


def case(text: str) -> str:
    """The text case-folded, without the rules of Turkish and its neighbours (I → i, never ı)."""
    return text.casefold()


def alif(text: str) -> str:
    """The text with bare alifs: أ إ آ ٱ → ا."""
    return _ALIF.sub("ا", text)


def ya(text: str) -> str:
    """The text with ya for alif maqsura: ى → ي."""
    return text.replace("ى", "ي")


def ta_marbuta(text: str) -> str:
    """The text with ha for ta marbuta: ة → ه."""
    return text.replace("ة", "ه")


def tatweel(text: str) -> str:
    """The text without tatweel, the stretching line: كـتـاب → كتاب."""
    return text.replace("\u0640", "")


def arabic_diacritics(text: str) -> str:
    """The text without the marks above and below Arabic letters: كَتَبَ → كتب."""
    return _ARABIC_DIACRITICS.sub("", text)


def nukta(text: str) -> str:
    """The text with one spelling per letter with a nukta: U+095C → U+0921 U+093C."""
    return _NUKTA.sub(lambda letter: nfc(letter[0]), text)


def latin_accents(text: str) -> str:
    """The text without accents on Latin letters: é → e, ñ → n; ø, ß and other scripts stay."""
    return _LATIN_ACCENTS.sub(lambda letter: unicodedata.normalize("NFD", letter[0])[0], text)


NORMALISERS: dict[str, Normaliser] = {
    normaliser.name: normaliser
    for normaliser in (
        Normaliser("nfc", nfc, False, "The two spellings are the same text by definition."),
        Normaliser(
            "nfkc", nfkc, False, "It changes the shape of letters, not the letters themselves."
        ),
        Normaliser(
            "quotes", quotes, False, "An apostrophe stays an apostrophe: un’amica, un'amica."
        ),
        Normaliser(
            "case",
            case,
            True,
            "German StudentInnen (both) becomes Studentinnen (women); "
            "Sie (you) becomes sie (she, they).",
        ),
        Normaliser(
            "alif",
            alif,
            True,
            "يقرآن (the two men read) and يقرأن (the women read) both become يقران.",
        ),
        Normaliser(
            "ya",
            ya,
            True,
            "لن تنسى (you will not forget, to a man) becomes لن تنسي (to a woman).",
        ),
        Normaliser("ta-marbuta", ta_marbuta, True, "ابنة (a daughter) becomes ابنه (his son)."),
        Normaliser("tatweel", tatweel, False, "The line only stretches a word."),
        Normaliser(
            "arabic-diacritics",
            arabic_diacritics,
            True,
            "أَنْتَ (you, to a man) and أَنْتِ (you, to a woman) differ in one vowel.",
        ),
        Normaliser("nukta", nukta, False, "The two spellings are the same letter by definition."),
        Normaliser(
            "latin-accents",
            latin_accents,
            True,
            "Portuguese avô (grandfather) and avó (grandmother) both become avo, "
            "French épousé (married, of a man) and épouse (a wife) both epouse.",
        ),
    )
}


def normalise(text: str, names: Sequence[str]) -> str:
    """The text after the named normalisers, in that order."""
    for name in names:
        if name not in NORMALISERS:
            raise unknown("normaliser", name, NORMALISERS)
        text = NORMALISERS[name].function(text)
    return text
