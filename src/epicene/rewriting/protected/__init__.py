"""Protected spans: markup, placeholders and escapes, for all languages.

Rules see the text without them, or with what they represent (`visible_texts`); the changes found
are mapped back to the original text, so nothing else in it can change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from epicene.core.errors import unknown
from epicene.rewriting.protected import patterns
from epicene.rewriting.protected.composition import has_decomposed, see_composed
from epicene.rewriting.protected.messages import Choice
from epicene.rewriting.protected.readings import MAX_DEPTH, read_visible, stand_in
from epicene.rewriting.protected.scan import Scanner
from epicene.rewriting.protected.visible import Piece, VisibleText

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.rewriting.protected.scan import Part

__all__ = [
    "SYNTAXES",
    "Piece",
    "Syntax",
    "VisibleText",
    "find_protected",
    "protected_spans",
    "read_syntax",
    "visible_texts",
]

# "": whatever is found; plain: nothing is protected; icu: '' is an apostrophe, too.
Syntax: TypeAlias = Literal["", "plain", "icu"]
SYNTAXES: tuple[Syntax, ...] = get_args(Syntax)


def visible_texts(text: str, *, syntax: str = "", composed: bool = True) -> Sequence[VisibleText]:
    """What rules may read of a text, in one part or in several that are read separately.

    They see decomposed letters (NFD) as one, unless those are not to be `composed`.
    """
    composed = composed and has_decomposed(text)
    if syntax == "plain" or not _may_be_protected(text, syntax):
        return (see_composed(text) if composed else VisibleText(text),)
    return tuple(read_visible(text, syntax=syntax, composed=composed))


def _may_be_protected(text: str, syntax: str) -> bool:
    return patterns.may_be_protected(text) or (syntax == "icu" and "'" in text)


def find_protected(text: str, *, syntax: str = "") -> Sequence[Part]:
    """The protected parts of a text, in order: pieces, breaks between blocks, and choices."""
    if syntax == "plain":
        return ()
    icu = syntax == "icu" or ("''" in text and "{" in text)
    return Scanner(text, name=stand_in(text), icu=icu).parts(0, len(text))


def protected_spans(text: str, *, syntax: str = "") -> list[tuple[int, int]]:
    """Where nothing may be edited, in order; the texts of a choice's branches are not included."""
    if syntax == "plain":
        return []
    icu = syntax == "icu" or ("''" in text and "{" in text)
    return list(_spans(Scanner(text, name=stand_in(text), icu=icu), 0, len(text)))


def _spans(
    scanner: Scanner, start: int, end: int, *, plural: bool = False, depth: int = 0
) -> Iterator[tuple[int, int]]:
    for part in scanner.parts(start, end, plural=plural, choices=depth < MAX_DEPTH):
        if not isinstance(part, Choice):
            yield part.start, part.end
            continue
        reached = part.start
        for branch in part.branches:
            yield reached, branch.start
            inside = _spans(
                scanner, branch.start, branch.end, plural="plural" in part.kind, depth=depth + 1
            )
            yield from inside
            reached = branch.end
        yield reached, part.end


def read_syntax(options: Mapping[str, str]) -> str:
    """The syntax that the options of a rewriter name, "" if none."""
    syntax = options.get("syntax", "")
    if syntax not in SYNTAXES:
        raise unknown("syntax", syntax, [each for each in SYNTAXES if each])
    return syntax
