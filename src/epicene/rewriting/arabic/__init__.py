"""Arabic: rewrite a text for another gender of its speaker, its listener or others.

Words that agree with the person named are found and inflected; nothing else is touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.arabic.context import Context
from epicene.rewriting.arabic.dictionary import ARRAMOOZ
from epicene.rewriting.arabic.disambiguation import PassageAnalysis
from epicene.rewriting.arabic.line import read_line
from epicene.rewriting.arabic.parser import find_sites
from epicene.rewriting.arabic.quotations import split_quotations
from epicene.rewriting.arabic.sites import word_change
from epicene.rewriting.arabic.spelling import nunation_of
from epicene.rewriting.persons import person_rewriter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.rewriting import Change
    from epicene.rewriting.persons import TargetGenders


def find_changes(text: str, wanted: TargetGenders) -> Iterator[Change]:
    """What is to be replaced in one text."""
    nunation = nunation_of(text)
    for stretch in split_quotations(read_line(text)):
        walk = Context(PassageAnalysis(stretch.line, stretch.voice, wanted), stretch.voice)
        find_sites(walk)
        for at, findings in walk.findings.by_word():
            found = word_change(stretch.line[at], findings, wanted, nunation)
            if found is not None:
                yield found


# Raised with every change of the rules that can change an answer.
VERSION = "2"

rewriter = person_rewriter(find_changes, version=VERSION, packages=ARRAMOOZ.version)
