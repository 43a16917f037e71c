"""Put the words found into the gender that is wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from epicene.rewriting import Change
from epicene.rewriting.text import match_case

if TYPE_CHECKING:
    from epicene.rewriting.persons import Gender, TargetGenders
    from epicene.rewriting.romance.line import Line
    from epicene.rewriting.romance.readings import Found, Target

# The form of a word: its target, as written, the gender, and the word after it as it will be.
Inflect: TypeAlias = Callable[["Target", str, "Gender", str], str]
# What a word and the one before or after it become together: *de el*, *la amica*; None: nothing.
Fuse: TypeAlias = Callable[["Line", int, str, str], "tuple[int, int, str] | None"]


def make_changes(
    line: Line, found: Found, wanted: TargetGenders, inflect: Inflect, fuse: Fuse
) -> Iterator[Change]:
    """The changes of all sites whose form differs in the gender wanted for their person."""
    after: dict[int, str] = {}
    for site in sorted(found, key=lambda each: -each.at):
        token = line.tokens[site.at]
        following = after.get(site.at + 1, line[site.at + 1])
        form = inflect(site.target, token.key, wanted[site.who], following)
        after[site.at] = form
    for site in found:
        token = line.tokens[site.at]
        form = after[site.at]
        following = after.get(site.at + 1, line[site.at + 1])
        start, end, text = token.start, token.end, match_case(token.text, form)
        fused = fuse(line, site.at, form, following)
        if fused is not None:
            start, end, text = fused
        elif form == token.key:
            continue
        before = line.text[start:end]
        if text != before:
            yield Change(
                start=start,
                end=end,
                before=before,
                after=text,
                rule=site.rule,
                sure=site.sure,
                whose=site.who,
            )
