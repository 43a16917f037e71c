"""Who says I and who is spoken to, in the line and in each quotation of it.

In उसने मुझसे कहा, “तुम थके हो।” the one spoken to is who says I outside.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.rewriting.hindi import nouns
from epicene.languages.rewriting.hindi.complexes import complexes
from epicene.languages.rewriting.hindi.lexicon import function_words
from epicene.languages.rewriting.hindi.verb_forms import analyse
from epicene.languages.rewriting.hindi.words import SENTENCE_END, Stretch, Word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.languages.rewriting.people import Person

_CLOSES = {"“": "”", "‘": "’", "«": "»", '"': '"', "'": "'", "„": "“", "”": "”", "''": "''"}

FIRST_ADDRESSED = frozenset("मुझसे मुझे मुझको मुझपर".split())
_SECOND_ADDRESSED = frozenset("तुमसे आपसे तुम्हें आपको तुमको तुझसे तुझे".split())
_THIRD_ADDRESSED = frozenset("उससे उनसे उसे उन्हें उसको उनको इनसे इससे इन्हें हमसे हमें".split())
_FIRST_PERSON = frozenset("मैं मै मैंने मुझे मुझसे मुझको मेरा मेरे मेरी मुझ हम हमने हमें हमारा हमारे हमारी हमसे".split())


_MANNER = frozenset("धीरे जोर प्यार गर्व गुस्से हंसी मुश्किल आराम फिर आखिर".split())


class Voice(NamedTuple):
    """Who I and you are; None where nobody can tell."""

    speaker: Person | None
    listener: Person | None


OUTER = Voice("speaker", "listener")


def stretches(words: Sequence[Word]) -> list[tuple[Stretch, Voice]]:
    """What is read together: the line without its quoted speech, then each quoted speech."""
    outer: list[Word] = []
    quoted: list[tuple[int, int, int]] = []  # where it stood in `outer`, and its words
    at = 0
    while at < len(words):
        outer.append(words[at])
        end = _closing(words, at)
        if end is not None and _is_speech(words, at, end):
            quoted.append((len(outer), at + 1, end))
            at = end
        else:
            at += 1
    if not any(not word.mark for word in outer):  # all of it is quoted
        return [(Stretch(list(words)), OUTER)]
    found = [(Stretch(outer), OUTER)]
    for place, start, end in quoted:
        found.append((Stretch(list(words[start:end])), _voice(_frame(outer, place))))
    return found


def _closing(words: Sequence[Word], at: int) -> int | None:
    closes = _CLOSES.get(words[at].text) if words[at].mark else None
    if closes is None:
        return None
    for end in range(at + 1, len(words)):
        if words[end].text == closes:
            return end
    return None


def _is_speech(words: Sequence[Word], start: int, end: int) -> bool:
    """Whether a sentence stands between the marks, not a title or a single word."""
    return bool(complexes(Stretch(list(words[start + 1 : end]))))


def _frame(outer: Sequence[Word], place: int) -> list[str]:
    """The keys of the sentence that the quotation stands in."""
    start = place
    while start > 0 and outer[start - 1].text not in SENTENCE_END:
        start -= 1
    end = place
    while end < len(outer) and outer[end].text not in SENTENCE_END:
        end += 1
    return [word.key for word in outer[start:end] if not word.mark]


def _voice(frame: Sequence[str]) -> Voice:
    if not _reports(frame):
        return OUTER
    if "मैंने" in frame or ("मैं" in frame and "ने" not in frame):
        return Voice("speaker", _addressee(frame))
    if {"तुमने", "आपने", "तूने"} & set(frame):
        return Voice("listener", _addressee(frame))
    addressee = _addressee(frame)
    if addressee is None and _FIRST_PERSON & set(frame):
        addressee = "speaker"
    return Voice("others", addressee)


def _reports(frame: Sequence[str]) -> bool:
    speech = function_words().speech_verbs
    return "ने" in frame or any(
        word in speech or any(form.stem in speech for form in analyse(word)) for word in frame
    )


def _addressee(frame: Sequence[str]) -> Person | None:
    if FIRST_ADDRESSED & set(frame) or "मुझ" in frame:
        return "speaker"
    if _SECOND_ADDRESSED & set(frame):
        return "listener"
    told = any(
        following in {"से", "को"} and (nouns.person(word) or not _is_adverbial(word))
        for word, following in pairwise(frame)
    )
    return "others" if told or _THIRD_ADDRESSED & set(frame) else None


def _is_adverbial(word: str) -> bool:
    """धीरे से, ज़ोर से, शाम को"""
    words = function_words()
    return bool(nouns.thing(word)) or word in words.adverbs or word in _MANNER
