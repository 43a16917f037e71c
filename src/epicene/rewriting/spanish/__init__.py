"""Spanish: rewrite a text for another gender of its speaker, its listener or others.

Words that agree with a person are found by rules over our own lists; no other package is required.
"""

from __future__ import annotations

from epicene.rewriting.romance import romance_rewriter
from epicene.rewriting.spanish.determiners import fuse, inflect
from epicene.rewriting.spanish.inflection import INFLECTION
from epicene.rewriting.spanish.neutral import neutral_forms

# Raised with every change of the rules that can change an answer.
VERSION = "6"

rewriter = romance_rewriter(
    "es",
    "epicene.rewriting.spanish",
    INFLECTION,
    inflect,
    fuse,
    version=VERSION,
    neutral=neutral_forms,
)
