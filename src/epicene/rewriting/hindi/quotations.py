"""Quotations of a line, and who says I and who is spoken to in each.

In उसने मुझसे कहा, “तुम थके हो।” the one spoken to is who says I outside.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.hindi import inflection, lexicon
from epicene.rewriting.hindi.conjugation import analyse_verb
from epicene.rewriting.hindi.lexicon import function_words
from epicene.rewriting.hindi.line import SENTENCE_ENDS, Line, Word
from epicene.rewriting.hindi.verb_complexes import find_verb_complexes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.rewriting.persons import Person

_CLOSES = {"“": "”", "‘": "’", "«": "»", '"': '"', "'": "'", "„": "“", "”": "”", "''": "''"}

FIRST_ADDRESSED = frozenset("मुझसे मुझे मुझको मुझपर".split())
_SECOND_ADDRESSED = frozenset("तुमसे आपसे तुम्हें आपको तुमको तुझसे तुझे".split())
_THIRD_ADDRESSED = frozenset("उससे उनसे उसे उन्हें उसको उनको इनसे इससे इन्हें हमसे हमें".split())
_FIRST_PERSON_WORDS = (
    lexicon.FIRST_PRONOUNS
    | lexicon.FIRST_OBLIQUE_PRONOUNS
    | frozenset("हम हमने हमें हमारा हमारे हमारी हमसे".split())
)
_MANNER_NOUNS = frozenset("धीरे जोर प्यार गर्व गुस्से हंसी मुश्किल आराम फिर आखिर".split())


class Interlocutors(NamedTuple):
    """Who I and you are; None where nobody can tell."""

    speaker: Person | None
    listener: Person | None


UNQUOTED = Interlocutors("speaker", "listener")


def split_quotations(words: Sequence[Word]) -> list[tuple[Line, Interlocutors]]:
    """What is read together: the line without its quoted speech, then each quoted speech."""
    outer: list[Word] = []
    quoted: list[tuple[int, int, int]] = []  # where it stood in `outer`, and its words
    at = 0
    while at < len(words):
        outer.append(words[at])
        end = _closing(words, at)
        if end is not None and _is_speech(words, at, end):
            quoted.append((len(outer), at + 1, end))
            outer.append(words[end])
            if words[end - 1].text in SENTENCE_ENDS and _opens_in_sentence(outer):
                outer.append(words[end - 1])  # उसने कहा, “…।” ends the sentence around it too
            at = end
        at += 1
    if not any(not word.mark for word in outer):  # all of it is quoted
        return [(Line(list(words)), UNQUOTED)]
    found = [(Line(outer), UNQUOTED)]
    for place, start, end in quoted:
        found.append((Line(list(words[start:end])), _interlocutors(outer, place)))
    return found


def _opens_in_sentence(outer: Sequence[Word]) -> bool:
    """Whether words of the sentence around it stand before the quotation."""
    *before, _opening, _closing = outer
    return bool(before) and before[-1].text not in SENTENCE_ENDS


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
    return bool(find_verb_complexes(Line(list(words[start + 1 : end]))))


def _interlocutors(outer: Sequence[Word], place: int) -> Interlocutors:
    """The voice of what is quoted at that place, by what frames it in its sentence."""
    start = end = place
    while start > 0 and outer[start - 1].text not in SENTENCE_ENDS:
        start -= 1
    while end < len(outer) and outer[end].text not in SENTENCE_ENDS:
        end += 1
    before = [word.key for word in outer[start:place] if not word.mark]
    after = [word.key for word in outer[place:end] if not word.mark]
    if _introduces_speech(before):
        return _interlocutors_by_introduction(before, list(reversed(before)), before + after)
    if _introduces_speech(after):
        return _interlocutors_by_introduction(after, after, after + before)
    return UNQUOTED


def _interlocutors_by_introduction(
    frame: Sequence[str], nearest: Sequence[str], sentence: Sequence[str]
) -> Interlocutors:
    """`nearest` is the frame from the quotation on: who acts nearest to it has said it."""
    acting = next((word for word in nearest if word in lexicon.ERGATIVES), "")
    addressee = _addressee(frame)
    if acting in lexicon.FIRST_ERGATIVES or (not acting and lexicon.FIRST_PRONOUNS & set(frame)):
        return Interlocutors("speaker", addressee)
    if acting in lexicon.SECOND_ERGATIVES:
        return Interlocutors("listener", addressee)
    if addressee is None and _FIRST_PERSON_WORDS & set(sentence):
        addressee = "speaker"
    return Interlocutors("others", addressee)


def _introduces_speech(frame: Sequence[str]) -> bool:
    speech = function_words().speech_verbs
    return "ने" in frame or any(
        word in speech or any(form.stem in speech for form in analyse_verb(word)) for word in frame
    )


def _addressee(frame: Sequence[str]) -> Person | None:
    if FIRST_ADDRESSED & set(frame) or "मुझ" in frame:
        return "speaker"
    if _SECOND_ADDRESSED & set(frame):
        return "listener"
    told = any(
        following in {"से", "को"} and (inflection.person_noun(word) or not _is_adverbial(word))
        for word, following in pairwise(frame)
    )
    return "others" if told or _THIRD_ADDRESSED & set(frame) else None


def _is_adverbial(word: str) -> bool:
    """धीरे से, ज़ोर से, शाम को"""
    words = function_words()
    return bool(inflection.thing_gender(word)) or word in words.adverbs or word in _MANNER_NOUNS
