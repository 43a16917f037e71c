"""What Spanish, Portuguese and Italian share: noun phrases, verbs and their subjects, predicates.

A language brings its word lists, how its words are inflected, and how its determiners are spelt;
`romance_rewriter` makes its `Rewriter`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.grammar import Grammar
from epicene.rewriting.persons import person_rewriter
from epicene.rewriting.romance.lexicon import Inflection, Lexicon
from epicene.rewriting.romance.line import Line, reader
from epicene.rewriting.romance.people import find_sites
from epicene.rewriting.romance.quotations import split_quotations
from epicene.rewriting.romance.rendering import Fuse, Inflect, make_changes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from epicene.rewriting import Change, Rewriter
    from epicene.rewriting.neutral import NeutralForms, OtherForms
    from epicene.rewriting.persons import FindChanges, TargetGenders
    from epicene.rewriting.quotations import Passage
    from epicene.rewriting.romance.readings import Found


def romance_rewriter(
    language: str,
    package: str,
    inflection: Inflection,
    inflect: Inflect,
    fuse: Fuse,
    version: str,
    neutral: Callable[[FindChanges, OtherForms], NeutralForms] | None = None,
    mark: Callable[[Line, Lexicon], Line] | None = None,
) -> Rewriter:
    """The rewriter of a Romance language, from its word lists and its ways to inflect.

    `mark` may give words of a line another key where their capitals or neighbours tell them apart.
    """
    lexicon = Lexicon(package, inflection)
    read = reader(language)

    def read_line(text: str) -> Line:
        return mark(read(text), lexicon) if mark is not None else read(text)

    def split(line: Line) -> Iterable[Passage[Line]]:
        return split_quotations(line, lexicon)

    def find(passage: Passage[Line], wanted: TargetGenders) -> Found:
        return find_sites(passage, wanted, lexicon)

    def change(line: Line, found: Found, wanted: TargetGenders) -> Iterable[Change]:
        return make_changes(line, found, wanted, inflect, fuse)

    def find_with_plurals(passage: Passage[Line], wanted: TargetGenders) -> Found:
        return find_sites(passage, wanted, lexicon, generic_plurals=True)

    def other_forms(word: str) -> set[str]:
        form = lexicon.noun(word.lower())
        return {form.masculine, form.feminine} - {word.lower()} if form is not None else set()

    grammar = Grammar(read_line, split, find, change)
    with_plurals = grammar._replace(find_sites=find_with_plurals)
    return person_rewriter(
        grammar.find_changes,
        version=version,
        neutral=neutral(with_plurals.find_changes, other_forms) if neutral is not None else None,
    )
