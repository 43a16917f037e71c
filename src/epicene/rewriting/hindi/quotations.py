"""Quotations of a Hindi line, and who is speaker and listener in each.

In उसने मुझसे कहा, “तुम थके हो।” the listener is the speaker of the sentence around it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from epicene.rewriting import quotations
from epicene.rewriting.hindi import inflection, lexicon
from epicene.rewriting.hindi.conjugation import analyse_verb
from epicene.rewriting.hindi.lexicon import function_words
from epicene.rewriting.hindi.phrases import may_be_name
from epicene.rewriting.hindi.verb_complexes import find_verb_complexes
from epicene.rewriting.quotations import UNQUOTED, Interlocutors, Introduction, Passage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.rewriting.hindi.line import Line
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
_SECOND_PERSON_WORDS = lexicon.SECOND_PRONOUNS | lexicon.SECOND_OBLIQUE_PRONOUNS
_MANNER_NOUNS = frozenset("धीरे जोर प्यार गर्व गुस्से हंसी मुश्किल आराम फिर आखिर".split())


class NamedInterlocutors(Interlocutors):
    """The interlocutors of a quotation whose speaker or listener is named beside it.

    If nobody's gender but that of I and you is to change, they are `meant`: somebody named by a
    role or a surname, which show no gender, says मैं (सांसद ने कहा), and तुम is whoever is told.
    """

    meant: Interlocutors


def _named(found: Interlocutors, meant: Interlocutors) -> NamedInterlocutors:
    said = NamedInterlocutors(*found)
    said.meant = meant
    return said


def split_quotations(line: Line) -> list[Passage[Line]]:
    """The line without its quoted speech, then each quoted speech."""
    around, *quoted = quotations.split_quotations(
        line,
        closes=_CLOSES,
        is_speech=_is_speech,
        attribute=_attribute,
        stop_counts_outside=True,
    )
    for at in range(1, len(quoted)):  # “…,” उसने कहा। “…”
        if quoted[at].interlocutors == UNQUOTED:
            quoted[at] = quoted[at]._replace(interlocutors=quoted[at - 1].interlocutors)
    if _FIRST_PERSON_WORDS & set(around.line.keys):
        you = _SECOND_PERSON_WORDS & set(around.line.keys)
        quoted = [
            each._replace(interlocutors=_told_to_narrator(each.interlocutors, addressed=bool(you)))
            for each in quoted
        ]
    return [around, *quoted]


def _is_speech(part: Line) -> bool:
    """Whether a quotation is no title and no single word."""
    persons = lexicon.FIRST_PRONOUNS | lexicon.SECOND_PRONOUNS
    return bool(find_verb_complexes(part)) or bool(persons & set(part.keys))


def _told_to_narrator(said: Interlocutors, *, addressed: bool) -> Interlocutors:
    """In a text with I outside quotations, what others say to nobody named is said to me."""
    if said.speaker == "others" and said.listener == "listener" and not addressed:
        return Interlocutors("others", "speaker")
    return Interlocutors(*said)


def _attribute(introduction: Introduction[Line]) -> Interlocutors:
    """The interlocutors of a quotation, by the words before it, otherwise by those after it."""
    before, after = introduction.before.keys, introduction.after.keys
    if _introduces_speech(before):
        return _interlocutors_by_introduction(before, list(reversed(before)), before + after)
    if _introduces_speech(after):
        return _interlocutors_by_introduction(after, after, after + before)
    return UNQUOTED


def _interlocutors_by_introduction(
    frame: Sequence[str], nearest: Sequence[str], sentence: Sequence[str]
) -> Interlocutors:
    """The interlocutors by an introduction; the nearest ergative is the speaker.

    `nearest` is the introduction in order of distance from the quotation. Who is addressed is the
    listener if nobody is named.
    """
    acting = next((word for word in nearest if word in lexicon.ERGATIVES), "")
    addressee = _addressee(frame)
    if acting in lexicon.FIRST_ERGATIVES or (not acting and lexicon.FIRST_PRONOUNS & set(frame)):
        return Interlocutors("speaker", addressee or "listener")
    if acting in lexicon.SECOND_ERGATIVES:
        return Interlocutors("listener", addressee)
    named = addressee == "others" and not _THIRD_ADDRESSED & set(frame)
    if addressee is None:
        addressee = "speaker" if _FIRST_PERSON_WORDS & set(sentence) else "listener"
    speaker: Person = "speaker" if _is_role_without_gender(frame) else "others"
    meant = Interlocutors(speaker, "listener" if named else addressee)
    return _named(Interlocutors("others", addressee), meant)


def _is_role_without_gender(frame: Sequence[str]) -> bool:
    """Whether who speaks is named by a role alone, which is the same for women and men."""
    at = frame.index("ने") if "ने" in frame else 0
    named = [
        reading for word in frame[max(0, at - 2) : at] if (reading := inflection.person_noun(word))
    ]
    if not named and "ने" in frame:  # नेगी ने कहा
        return may_be_name(frame[at - 1])
    return bool(named) and all(reading.gender is None for reading in named)


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
        following in {"से", "को"}
        and (inflection.person_noun(word) or _introduces_speech(frame[at + 2 : at + 4]))
        and not (_is_adverbial(word) or word in function_words().postpositions)
        for at, (word, following) in enumerate(pairwise(frame))
    )
    return "others" if told or _THIRD_ADDRESSED & set(frame) else None


def _is_adverbial(word: str) -> bool:
    """Whether the word with its postposition is an adverbial: धीरे से, ज़ोर से, शाम को."""
    words = function_words()
    return bool(
        inflection.thing_gender(word)
        or inflection.abstract_noun_gender(word)
        or word in words.adverbs
        or word in _MANNER_NOUNS
    )
