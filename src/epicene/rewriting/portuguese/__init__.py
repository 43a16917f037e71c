"""Portuguese, Brazilian and European: rewrite a text for another gender of a person in it.

Words that agree with a person are found by rules over our own lists; no other package is required.
"""

from __future__ import annotations

from epicene.rewriting.portuguese.inflection import INFLECTION, fuse, inflect
from epicene.rewriting.romance import romance_rewriter

# Raised with every change of the rules that can change an answer.
VERSION = "5"

rewriter = romance_rewriter(
    "pt", "epicene.rewriting.portuguese", INFLECTION, inflect, fuse, version=VERSION
)
