"""What a language provides to be rewritten for the gender of its speaker, listener and others.

A new language is a folder with these modules, which have the same names in every language, and its
word lists as TOML files next to them:

    line.py         `read_line(text)`: its tokens and their keys, and the marks that end a sentence
    lexicon.py      its word lists
    inflection.py, conjugation.py   the forms of its words, in both genders
    quotations.py   `split_quotations(line)`: its quotation marks, and who speaks to whom
    parser.py       `find_sites(passage, wanted)`: which words agree with whom. This is the grammar,
                    and most of the work
    sites.py        `make_changes(line, sites, wanted)`: the form that each of them takes
    morphology.py   `analyse(word)`, `inflect(reading, gender)`: the protocol `Morphology`;
                    optional, for words out of context

Its `__init__.py` makes a `Grammar` of the four functions and a `Rewriter` of the grammar with
`person_rewriter`; the language's definition names that rewriter. Options, changes, quotations,
protected spans, explanations and the command are shared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from epicene.rewriting.text import Line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from epicene.rewriting import Change
    from epicene.rewriting.persons import TargetGenders
    from epicene.rewriting.quotations import Passage

L = TypeVar("L", bound=Line[Any])
S = TypeVar("S")


class Grammar(NamedTuple, Generic[L, S]):
    """The four steps from a text to its changes."""

    read_line: Callable[[str], L]
    split_quotations: Callable[[L], Iterable[Passage[L]]]
    find_sites: Callable[[Passage[L], TargetGenders], S]
    make_changes: Callable[[L, S, TargetGenders], Iterable[Change]]

    def find_changes(self, text: str, wanted: TargetGenders) -> Iterator[Change]:
        """The changes that give each person in `wanted` the requested gender."""
        for passage in self.split_quotations(self.read_line(text)):
            sites = self.find_sites(passage, wanted)
            yield from self.make_changes(passage.line, sites, wanted)
