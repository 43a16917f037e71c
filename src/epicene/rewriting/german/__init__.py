"""German: rewrite a text for another gender of its speaker, its listener or others.

Words that agree with a person are found by rules over our own lists; no other package is required.
"""

from __future__ import annotations

from functools import partial

from epicene.rewriting.german.line import read_line
from epicene.rewriting.german.neutral import neutral_forms
from epicene.rewriting.german.parser import find_sites
from epicene.rewriting.german.quotations import split_quotations
from epicene.rewriting.german.sites import make_changes
from epicene.rewriting.grammar import Grammar
from epicene.rewriting.persons import person_rewriter

# Raised with every change of the rules that can change an answer.
VERSION = "5"

grammar = Grammar(read_line, split_quotations, find_sites, make_changes)
with_plurals = grammar._replace(find_sites=partial(find_sites, generic_plurals=True))
rewriter = person_rewriter(
    grammar.find_changes, version=VERSION, neutral=neutral_forms(with_plurals.find_changes)
)
