"""Hindi: rewrite a text for another gender of its speaker, its listener or others.

Words that agree with the person named are found and inflected; nothing else is touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.hindi.line import tokenise
from epicene.rewriting.hindi.parser import find_sites
from epicene.rewriting.hindi.quotations import split_quotations
from epicene.rewriting.hindi.sites import word_change
from epicene.rewriting.hindi.spelling import style_of
from epicene.rewriting.persons import person_rewriter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from epicene.rewriting import Change
    from epicene.rewriting.persons import TargetGenders


def find_changes(text: str, wanted: TargetGenders) -> Iterable[Change]:
    """What is to be replaced in one text."""
    style = style_of(text)
    changes: dict[int, Change] = {}
    for stretch, voice in split_quotations(tokenise(text)):
        for finding in find_sites(stretch, voice, wanted):
            word = stretch.words[finding.at]
            found = word_change(word, finding, wanted[finding.who], style)
            if found is not None and not _stands_beside_another(text, found):
                changes.setdefault(found.start, found)
    return changes.values()


def _stands_beside_another(text: str, found: Change) -> bool:
    """था/थी: both forms are there."""
    return "/" in {text[found.end : found.end + 1], text[max(0, found.start - 1) : found.start]}


# Raised with every change of the rules that can change an answer.
VERSION = "1"

rewriter = person_rewriter(find_changes, version=VERSION)
