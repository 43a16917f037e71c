"""Nouns that address somebody: बेटा, तुम …"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.hindi import nouns, pronouns
from epicene.languages.rewriting.hindi.phrases import phrase
from epicene.languages.rewriting.hindi.verb_forms import ALSO_NOT_VERBS, analyse
from epicene.languages.rewriting.hindi.words import SENTENCE_END

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.languages.rewriting.hindi.words import Stretch

_INTERJECTIONS = frozenset(
    "हे अरे ओ सुनो सुनिए अच्छा हां नहीं देखो देखिए वाह शाबाश नमस्ते धन्यवाद जी प्रिय क्यों".split()
)


def vocatives(stretch: Stretch) -> Iterator[int]:
    """The words that address who is spoken to."""
    if not _speaks_to(stretch):
        return
    for at in range(len(stretch)):
        if nouns.person(stretch[at]) is None or not _set_off(stretch, at + 1):
            continue
        first = phrase(stretch, at, 0).first
        before = first - 1
        while stretch[before] in _INTERJECTIONS:
            before -= 1
        if before < 0 or _set_off(stretch, before):
            yield at


def _set_off(stretch: Stretch, at: int) -> bool:
    return at < 0 or stretch[at] == "," or stretch[at] in SENTENCE_END


def _speaks_to(stretch: Stretch) -> bool:
    said = pronouns.SECOND | pronouns.SECOND_OBLIQUE
    return any(
        word.key in said or _is_second_person(word.key)
        for word in stretch.words
        if word.key not in ALSO_NOT_VERBS
    )


def _is_second_person(word: str) -> bool:
    return any(form.person == "second" or form.shape == "imperative" for form in analyse(word))
