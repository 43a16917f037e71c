"""Hindi: a text rewritten for another gender of its speaker, its listener or others.

Words that agree with the person named are found and turned; nothing else is touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.hindi.agreement import findings
from epicene.languages.rewriting.hindi.findings import change
from epicene.languages.rewriting.hindi.spelling import style_of
from epicene.languages.rewriting.hindi.voices import stretches
from epicene.languages.rewriting.hindi.words import words_of
from epicene.languages.rewriting.people import by_person

if TYPE_CHECKING:
    from collections.abc import Iterable

    from epicene.languages.rewriting import Change
    from epicene.languages.rewriting.people import Wanted


def find_changes(text: str, wanted: Wanted) -> Iterable[Change]:
    """What is to be replaced in one text."""
    style = style_of(text)
    changes: dict[int, Change] = {}
    for stretch, voice in stretches(words_of(text)):
        for finding in findings(stretch, voice, wanted):
            word = stretch.words[finding.at]
            found = change(word, finding, wanted[finding.who], style)
            if found is not None and not _stands_beside_another(text, found):
                changes.setdefault(found.start, found)
    return changes.values()


def _stands_beside_another(text: str, found: Change) -> bool:
    """था/थी: both forms are there."""
    return "/" in {text[found.end : found.end + 1], text[max(0, found.start - 1) : found.start]}


# Raised with every change of the rules that can change an answer.
VERSION = "1"

rewriter = by_person(find_changes, version=VERSION)
