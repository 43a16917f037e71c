"""Italian: rewrite a text for another gender of its speaker, its listener or others.

Words that agree with a person are found by rules over our own lists; no other package is required.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.italian.abbreviations import join_titles
from epicene.rewriting.italian.determiners import fuse, inflect
from epicene.rewriting.italian.inflection import INFLECTION
from epicene.rewriting.italian.neutral import neutral_forms
from epicene.rewriting.italian.politeness import mark_polite
from epicene.rewriting.romance import romance_rewriter

if TYPE_CHECKING:
    from epicene.rewriting.romance.lexicon import Lexicon
    from epicene.rewriting.romance.line import Line

# Raised with every change of the rules that can change an answer.
VERSION = "6"


def _mark(line: Line, lexicon: Lexicon) -> Line:
    return mark_polite(join_titles(line), lexicon)


rewriter = romance_rewriter(
    "it",
    "epicene.rewriting.italian",
    INFLECTION,
    inflect,
    fuse,
    version=VERSION,
    neutral=neutral_forms,
    mark=_mark,
)
