"""What an audit reads of a string: not its mark-up, placeholders and escapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from epicene.rewriting import TextSpan
from epicene.rewriting.protected import SYNTAXES, visible_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

S = TypeVar("S", bound=TextSpan)


def known_syntax(hint: str) -> str:
    """The syntax of a string as the rewriters name it, "" for whatever is found."""
    return hint if hint in SYNTAXES else ""


def find_in_visible(text: str, syntax: str, find: Callable[[str], Iterable[S]]) -> list[S]:
    """What `find` finds in what is visible of a text, as spans of the text, in order.

    Words around a choice are read once with each branch, and found once.
    """
    found: dict[tuple[int, int], S] = {}
    for visible in visible_texts(text, syntax=syntax):
        for each in visible.restore(find(visible.text)):
            found.setdefault((each.start, each.end), each)
    return [found[span] for span in sorted(found)]
