"""Arabic: a text rewritten for another gender of its speaker, its listener or others.

Words that agree with the person named are found and turned; nothing else is touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic.dictionary import aids
from epicene.languages.rewriting.arabic.findings import change
from epicene.languages.rewriting.arabic.reading import Reading
from epicene.languages.rewriting.arabic.spelling import nunation_of
from epicene.languages.rewriting.arabic.state import Walk
from epicene.languages.rewriting.arabic.voices import stretches
from epicene.languages.rewriting.arabic.walking import walk_through
from epicene.languages.rewriting.arabic.words import words_of
from epicene.languages.rewriting.people import by_person

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.languages.rewriting import Change
    from epicene.languages.rewriting.people import Wanted


def find_changes(text: str, wanted: Wanted) -> Iterator[Change]:
    """What is to be replaced in one text."""
    nunation = nunation_of(text)
    for stretch in stretches(words_of(text)):
        walk = Walk(Reading(stretch.line, stretch.voice, wanted), stretch.voice)
        walk_through(walk)
        for at, findings in walk.findings.by_word():
            found = change(stretch.line[at], findings, wanted, nunation)
            if found is not None:
                yield found


# Raised with every change of the rules that can change an answer.
VERSION = "2"

rewriter = by_person(find_changes, version=VERSION, aids=aids)
