"""Sites of German words: both forms of each, and the change to the one that is wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from epicene.rewriting import Change, sites
from epicene.rewriting.text import match_case

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.rewriting.german.line import Line
    from epicene.rewriting.persons import TargetGenders


class Target(NamedTuple):
    """A word in both genders; `joined` where it is written with the word before it: vom."""

    masculine: str
    feminine: str
    joined: bool = False


Site: TypeAlias = sites.Site[Target]
Sites: TypeAlias = sites.Sites[Target]


def make_changes(line: Line, found: Sites, wanted: TargetGenders) -> Iterator[Change]:
    """The changes of all sites whose form differs in the gender wanted for their person."""
    for site in found:
        if site.who not in wanted:
            continue
        target = site.target
        after = target.masculine if wanted[site.who] == "masculine" else target.feminine
        first, last = line.tokens[site.at - target.joined], line.tokens[site.at]
        before = line.text[first.start : last.end]
        if "/" in {line.text[last.end : last.end + 1], line.text[max(0, first.start - 1) : first.start]}:
            continue  # er/sie
        if before.lower() == after.lower():
            continue
        yield Change(
            start=first.start,
            end=last.end,
            before=before,
            after=match_case(first.text if target.joined else before, after),
            rule=site.rule,
            sure=site.sure,
            whose=site.who,
        )
