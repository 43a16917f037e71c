"""French: rewrite a text for another gender of its speaker, its listener or others.

Words that agree with a person are found by rules over our own lists; no other package is required.
"""

from __future__ import annotations

from epicene.rewriting.french.dictionary import DELA
from epicene.rewriting.french.line import read_line
from epicene.rewriting.french.neutral import neutral_forms
from epicene.rewriting.french.parser import find_sites
from epicene.rewriting.french.quotations import split_quotations
from epicene.rewriting.french.sites import make_all_changes, make_changes
from epicene.rewriting.grammar import Grammar
from epicene.rewriting.persons import person_rewriter

# Raised with every change of the rules that can change an answer.
VERSION = "7"

grammar = Grammar(read_line, split_quotations, find_sites, make_changes)
rewriter = person_rewriter(
    grammar.find_changes,
    version=VERSION,
    packages=DELA.version,
    neutral=neutral_forms(grammar._replace(make_changes=make_all_changes).find_changes),
)
