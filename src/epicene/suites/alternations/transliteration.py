"""Transliterate Hindi into Latin letters (IAST), leaving out the vowels that are not pronounced.

An inherent vowel is dropped at the end of a word, and between two syllables that have vowels,
counted from the end (kaṭvāī, not kaṭavāī). Before a stop, anusvara is the nasal of the same place
(raṅg, hindī); over a long vowel with a stroke above the line, where there is no room for a
candrabindu, it is a nasal vowel (saũp, bhaĩs), but not in loans (paiṇṭ, kendra); at the end of a
word it always is (kitābẽ). The few words that the rules get wrong are listed.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import regex

_CONSONANTS = dict(
    zip(
        "कखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसह",
        "k kh g gh ṅ c ch j jh ñ ṭ ṭh ḍ ḍh ṇ t th d dh n p ph b bh m y r l v ś ṣ s h".split(),
        strict=True,
    )
)
_WITH_NUKTA = {"क": "q", "ख": "x", "ग": "ġ", "ज": "z", "ड": "ṛ", "ढ": "ṛh", "फ": "f"}
_LATIN_VOWELS = "ā i ī u ū r̥ e ai o au ô ê".split()
_SIGNS = dict(zip("ािीुूृेैोौॉॅ", _LATIN_VOWELS, strict=True))
_VOWELS = {"अ": "a", **dict(zip("आइईउऊऋएऐओऔऑऍ", _LATIN_VOWELS, strict=True))}
_NUKTA, _VIRAMA, _CANDRABINDU, _ANUSVARA = "\u093c", "\u094d", "\u0901", "\u0902"
_TILDE = "\u0303"

# An anusvara before a stop is the nasal of the same place.
_NASALS = {
    letter: nasal
    for row, nasal in (
        ("कखगघ", "ṅ"),
        ("चछजझ", "ñ"),
        ("टठडढ", "ṇ"),
        ("तथदधन", "n"),
        ("पफबभम", "m"),
    )
    for letter in row
}

# Long vowels written with a stroke above the line: ई ी े ऐ ै ओ ो औ ौ, but not ए.
_STROKED = {"ī", "e", "ai", "o", "au"}
# Words, from English and Sanskrit, with a nasal consonant after such a vowel.
_WITH_CONSONANT = ("एजेंट", "केंद्र", "कैंप", "टेंट", "पेंटर", "पेंसिल", "पैंट", "बैंक", "सीमेंट", "सैंडल")

_EXCEPTIONS = {
    "मसखरा": "maskharā",
    "मसखरे": "maskhare",
    "ग्राहकों": "grāhakõ",
    "लेंस": "lens",
    "सिंचाई": "sĩcāī",
    "लाउडस्पीकर": "lāuḍspīkar",
    "तनख्वाह": "tankhvāh",
    "उदाहरणों": "udāharaṇõ",
    "करतबों": "kartabõ",
}


class _Unit(NamedTuple):
    """A consonant with its vowel, or a vowel alone."""

    consonant: str
    vowel: str  # "" after a virama
    inherent: bool = False
    nasal: str = ""  # after the vowel

    def latin(self) -> str:
        vowel = self.vowel
        if self.nasal == _TILDE:
            return self.consonant + unicodedata.normalize("NFC", vowel + _TILDE)
        return self.consonant + vowel + self.nasal


def transliterate(text: str) -> str:
    """A line of Hindi in Latin letters."""
    return " ".join(_word(unicodedata.normalize("NFC", word)) for word in text.split())


# A verb's stem keeps its own shape before these: रंगवाया is raṅg-vāyā.
_ENDING = regex.compile(r"(.+?)((?:वा)?(?:ना|ने|नी|ता|ते|ती)|वा(?:या|ए|ई))")


@cache
def _word(word: str) -> str:
    if word in _EXCEPTIONS:
        return _EXCEPTIONS[word]
    units = _units(word)
    if found := _ENDING.fullmatch(word):
        stem = len(_units(found[1]))
        parts = [units[:stem], units[stem:]]
    else:
        parts = [units]
    return "".join(unit.latin() for part in parts for unit in _without_silent(part))


def _units(word: str) -> list[_Unit]:
    units: list[_Unit] = []
    stroked_are_nasal = not word.startswith(_WITH_CONSONANT)
    for letter, following in pairwise(unicodedata.normalize("NFD", word) + " "):
        if letter in _CONSONANTS:
            units.append(_Unit(_CONSONANTS[letter], "a", inherent=True))
        elif letter == _NUKTA:
            base = next(sign for sign, latin in _CONSONANTS.items() if latin == units[-1].consonant)
            units[-1] = units[-1]._replace(consonant=_WITH_NUKTA[base])
        elif letter in _SIGNS:
            units[-1] = units[-1]._replace(vowel=_SIGNS[letter], inherent=False)
        elif letter == _VIRAMA:
            units[-1] = units[-1]._replace(vowel="", inherent=False)
        elif letter == _CANDRABINDU:
            units[-1] = units[-1]._replace(nasal=_TILDE)
        elif letter == _ANUSVARA:
            as_vowel = following == " " or (stroked_are_nasal and _is_stroked(units[-1]))
            nasal = _TILDE if as_vowel else _NASALS.get(following, "ṃ")
            units[-1] = units[-1]._replace(nasal=nasal)
        else:
            units.append(_Unit("", _VOWELS.get(letter, letter)))
    return units


def _is_stroked(unit: _Unit) -> bool:
    return unit.vowel in _STROKED and (bool(unit.consonant) or unit.vowel != "e")


def _without_silent(units: list[_Unit]) -> list[_Unit]:
    """Drop the inherent vowels that are not pronounced."""
    kept = list(units)
    last = len(kept) - 1
    for index in range(last, 0, -1):
        unit, before = kept[index], kept[index - 1]
        if not unit.inherent or unit.nasal:
            continue
        if index == last:
            # After two consonants the last vowel is heard before r, v and y: chātra, vaidya.
            silent = bool(before.vowel) or unit.consonant not in {"r", "v", "y"}
        else:
            after = kept[index + 1]
            open_before = bool(before.vowel) and before.nasal in {"", _TILDE}
            silent = open_before and bool(after.consonant) and bool(after.vowel)
        if silent:
            kept[index] = unit._replace(vowel="", inherent=False)
    return kept
