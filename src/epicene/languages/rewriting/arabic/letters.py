"""Arabic letters without their marks, and marks put back on other letters.

All rules are about bare letters; what a writer added (vowels, tatweel) is carried over.
"""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

import regex

FATHA, DAMMA, KASRA, SUKUN, SHADDA = "\u064e", "\u064f", "\u0650", "\u0652", "\u0651"
TANWIN_FATH, TANWIN_DAMM, TANWIN_KASR = "\u064b", "\u064c", "\u064d"
_TATWEEL = "\u0640"

# Marks that are not part of a letter (those of U+0653 to U+0655 are).
_MARKS = regex.compile(
    r"[\u0610-\u061a\u0640\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]"
)
_VOWELS = frozenset({FATHA, DAMMA, KASRA, SUKUN})
_FINAL = _VOWELS | {TANWIN_FATH, TANWIN_DAMM, TANWIN_KASR}
_FOLDED = str.maketrans({"أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي"})

# The short vowel before what is added at the end.
_LINK = {"ة": FATHA, "ت": FATHA, "ا": FATHA, "ي": KASRA, "و": DAMMA}


def bare(text: str) -> str:
    """Composed, and without marks."""
    return _MARKS.sub("", unicodedata.normalize("NFC", text))


def folded(letters: str) -> str:
    """What writers often do not tell apart is one: أ إ آ ٱ → ا, ى → ي."""
    return letters.translate(_FOLDED)


def may_be_written(written: str, letters: str) -> bool:
    """Whether the letters are written so: hamzas may lack or be on the wrong side of an alif, but
    none is added inside a word, and ى is not written ي."""
    for place, (one, two) in enumerate(zip(written, letters, strict=True)):
        if one == two or one == "ا" or (one, two) == ("ى", "ي"):
            continue
        if place == 0 and one in "أإآ" and two in "اأإآ":
            continue
        return False
    return True


class _Cluster(NamedTuple):
    letter: str
    marks: str


def _clusters(text: str) -> list[_Cluster]:
    found: list[_Cluster] = []
    for character in unicodedata.normalize("NFC", text):
        if _MARKS.fullmatch(character) and found:
            found[-1] = _Cluster(found[-1].letter, found[-1].marks + character)
        else:
            found.append(_Cluster(character, ""))
    return found


def final_mark(text: str) -> str:
    """The vowel or nunation on the last letter, "" if it has none; that of ًا is on the last two."""
    for cluster in reversed(_clusters(text)[-2:]):
        marks = [mark for mark in cluster.marks if mark in _FINAL]
        if marks:
            return marks[-1]
        if cluster.letter != "ا":
            break
    return ""


def is_vocalised(text: str) -> bool:
    """Whether letters inside the word have their vowels."""
    inner = _clusters(text)[:-1]
    return sum(any(mark in _VOWELS for mark in cluster.marks) for cluster in inner) >= 2


def respelled(written: str, letters: str, *, vocalised: bool = False) -> str:
    """Other bare letters in the way the word was written: marks stay where letters do."""
    if bare(written) == letters:
        return written
    old = _clusters(written)
    start = 0
    while start < min(len(old), len(letters)) and old[start].letter == letters[start]:
        start += 1
    end = 0
    room = min(len(old), len(letters)) - start
    while end < room and old[-1 - end].letter == letters[-1 - end]:
        end += 1
    middle = list(letters[start : len(letters) - end])
    replaced = old[start : len(old) - end]
    if len(middle) == len(replaced):
        new = [_Cluster(one, two.marks) for one, two in zip(middle, replaced, strict=True)]
    else:
        new = [_Cluster(letter, "") for letter in middle]
    kept = old[:start]
    if kept and (new or not end) and start == len(old) - end:
        kept[-1] = _linked(kept[-1], middle[0] if middle else "", always=vocalised)
    elif kept and not new:
        kept[-1] = _Cluster(kept[-1].letter, "".join(m for m in kept[-1].marks if m not in _FINAL))
    parts = [*kept, *new, *old[len(old) - end :]] if end else [*kept, *new]
    return "".join(cluster.letter + cluster.marks for cluster in parts)


def _linked(cluster: _Cluster, following: str, *, always: bool) -> _Cluster:
    """The last letter with the vowel that what follows it now asks for, if it had one."""
    if not always and not any(mark in _FINAL for mark in cluster.marks):
        return cluster
    others = "".join(mark for mark in cluster.marks if mark not in _FINAL)
    return _Cluster(cluster.letter, others + _LINK.get(following, ""))


def with_final(text: str, mark: str) -> str:
    """The text with that mark on its last letter, instead of what vowel it had there."""
    clusters = _clusters(text)
    last = clusters[-1]
    kept = "".join(one for one in last.marks if one not in _FINAL)
    clusters[-1] = _Cluster(last.letter, kept + mark)
    return "".join(cluster.letter + cluster.marks for cluster in clusters)
