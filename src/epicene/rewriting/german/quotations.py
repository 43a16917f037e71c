"""Quotations of a German line, and who is speaker and listener in each."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from epicene.rewriting import quotations
from epicene.rewriting.german.lexicon import words as lists
from epicene.rewriting.quotations import UNQUOTED, Interlocutors, Introduction, Passage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.rewriting.german.line import Line
    from epicene.rewriting.persons import Person

_CLOSES = {"„": "“", "“": "”", "»": "«", "«": "»", '"': '"', "‚": "‘", "›": "‹", "‹": "›"}
_SPEECH_STEMS = tuple(
    "sagt fragt antwortet rief ruft meint erklär flüster schrie schreib schrieb erwider entgegne "
    "bemerk begrüßt lob stand steht stammel seufz murmel brüll".split()
)
_PERSONAL = frozenset("ich du er sie wir ihr mir mich dir dich bin bist sind".split())
_FIRST = frozenset("mir mich mein meine meinem meinen meiner meines ich".split())


def split_quotations(line: Line) -> list[Passage[Line]]:
    """The line without its quoted speech, then each quoted speech."""
    first = next((key for key in line if key in {"»", "«"}), "»")  # »so« or «so»
    return quotations.split_quotations(
        line,
        closes={mark: end for mark, end in _CLOSES.items() if mark not in {"»", "«"} - {first}},
        is_speech=lambda part: (
            any(part.is_finite(at) for at in range(len(part)))
            or any(word in _PERSONAL for word in part)
        ),
        attribute=_attribute,
        stop_counts_outside=True,
    )


def _attribute(introduction: Introduction[Line]) -> Interlocutors:
    before, after = introduction.before.keys, introduction.after.keys
    for frame in (before, after):
        if any(word.startswith(_SPEECH_STEMS) for word in frame):
            return _interlocutors(frame, [*before, *after])
    return UNQUOTED


def _interlocutors(frame: Sequence[str], sentence: Sequence[str]) -> Interlocutors:
    speaker: Person = "speaker" if "ich" in frame else "listener" if "du" in frame else "others"
    return Interlocutors(speaker, _addressee(sentence, speaker))


def _addressee(sentence: Sequence[str], speaker: Person) -> Person:
    """To whom it is said: zu mir, fragte ihn; if nobody is named, to the listener."""
    words = set(sentence)
    beside = {after for word, after in pairwise(sentence) if word == "zu"}
    told = beside or words
    if told & {"mir", "mich"} and speaker != "speaker":
        return "speaker"
    if words & {"dir", "dich"}:
        return "listener"
    if beside or words & {"ihm", "ihr", "ihn", "ihnen"}:
        return "others"
    datives = (
        before not in lists().prepositions
        for before, word in pairwise(["", *sentence])
        if word in {"dem", "einem", "seinem", "ihrem"}
    )
    if any(datives):
        return "others"
    return "speaker" if words & _FIRST and speaker != "speaker" else "listener"
