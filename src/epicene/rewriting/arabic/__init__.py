"""Arabic: rewrite a text for another gender of its speaker, its listener or others.

Words that agree with the person named are found and inflected; nothing else is changed.
"""

from __future__ import annotations

from epicene.rewriting.arabic.dictionary import ARRAMOOZ
from epicene.rewriting.arabic.line import read_line
from epicene.rewriting.arabic.parser import find_sites
from epicene.rewriting.arabic.quotations import split_quotations
from epicene.rewriting.arabic.sites import make_changes
from epicene.rewriting.grammar import Grammar
from epicene.rewriting.persons import person_rewriter

# Raised with every change of the rules that can change an answer.
VERSION = "7"

grammar = Grammar(read_line, split_quotations, find_sites, make_changes)
rewriter = person_rewriter(grammar.find_changes, version=VERSION, packages=ARRAMOOZ.version)
