"""Russian: rewrite a text for another gender of its speaker, its listener or others.

Words that agree with a person are found by rules over our own lists; no other package is required.
"""

from __future__ import annotations

from epicene.rewriting.grammar import Grammar
from epicene.rewriting.persons import person_rewriter
from epicene.rewriting.russian.parser import find_sites
from epicene.rewriting.russian.quotations import split_quotations
from epicene.rewriting.russian.sites import make_changes
from epicene.rewriting.russian.substantives import read_marked_line

# Raised with every change of the rules that can change an answer.
VERSION = "4"

grammar = Grammar(read_marked_line, split_quotations, find_sites, make_changes)
rewriter = person_rewriter(grammar.find_changes, version=VERSION)
