"""Italian: rewrite a text for another gender of its speaker, its listener or others.

Words that agree with a person are found by rules over our own lists; no other package is required.
"""

from __future__ import annotations

from epicene.rewriting.italian.determiners import fuse, inflect
from epicene.rewriting.italian.inflection import INFLECTION
from epicene.rewriting.italian.neutral import neutral_forms
from epicene.rewriting.italian.politeness import mark_polite
from epicene.rewriting.romance import romance_rewriter

# Raised with every change of the rules that can change an answer.
VERSION = "6"

rewriter = romance_rewriter(
    "it",
    "epicene.rewriting.italian",
    INFLECTION,
    inflect,
    fuse,
    version=VERSION,
    neutral=neutral_forms,
    mark=mark_polite,
)
