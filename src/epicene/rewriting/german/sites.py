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
    """The changes of all sites whose form differs in the gender wanted for their person.

    A possessive may have two sites: it agrees with its noun, and its stem (part 1) with its owner.
    """
    for at, here in found.by_word():
        first = last = line.tokens[at]
        after, made = last.text, None
        for site in here:
            if site.who not in wanted:
                continue
            target = site.target
            form = target.masculine if wanted[site.who] == "masculine" else target.feminine
            if site.part:
                form = form + _ending(after.lower())
            elif target.joined:
                first = line.tokens[at - 1]
            if form.lower() != after.lower():
                made = made or site
                after = form
        before = line.text[first.start : last.end]
        if made is None or before.lower() == after.lower():
            continue
        if before.islower():
            after = after.lower()
        yield Change(
            start=first.start,
            end=last.end,
            before=before,
            after=match_case(line.text[first.start : first.end], after),
            rule=made.rule,
            sure=made.sure,
            whose=made.who,
        )


def _ending(possessive: str) -> str:
    return possessive.removeprefix("sein").removeprefix("ihr")
