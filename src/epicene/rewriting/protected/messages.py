"""Choices in messages: ICU plural, select and selectordinal arguments, and Fluent selectors.

{count, plural, one {# file} other {# files}}
{ $count -> [one] One file *[other] { $count } files }
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

MessageSyntax: TypeAlias = Literal["icu", "fluent"]
Braces: TypeAlias = dict[int, int]

GENDER_KEYS = {
    "masculine": frozenset("male masculine masc man men m he homme hombre mann".split()),
    "feminine": frozenset("female feminine fem woman women f she femme mujer frau".split()),
}
_ICU_HEAD = regex.compile(
    r"\{\s*([\w.\-]++)\s*,\s*(plural|select|selectordinal)\s*,\s*(?:offset\s*:\s*\d+\s*)?"
)
_ICU_KEY = regex.compile(r"\s*(=\d+|[\w\-]+)\s*\{")
_FLUENT_HEAD = regex.compile(r"\{\s*([^{}\[\]*\n]{1,200}?)\s*->\s*")
_FLUENT_KEY = regex.compile(r"\s*(\*?)\[\s*([\w.\-]+)\s*\][^\S\n]*")
_CLOSE = regex.compile(r"\s*\}")


class Branch(NamedTuple):
    """A branch of a choice: its key, and the span of its text without braces."""

    key: str
    start: int
    end: int
    default: bool


class Choice(NamedTuple):
    """An argument with branches, from its opening brace to the closing one."""

    start: int
    end: int
    syntax: MessageSyntax
    argument: str
    kind: str  # plural, select, selectordinal; "" in Fluent, which has one kind
    branches: tuple[Branch, ...]

    def by_gender(self) -> dict[str, Branch]:
        """The masculine and the feminine branch, if the keys name them."""
        found: dict[str, Branch] = {}
        for gender, keys in GENDER_KEYS.items():
            for branch in self.branches:
                if branch.key.lower() in keys and not self.kind.endswith(("plural", "ordinal")):
                    found.setdefault(gender, branch)
        return found

    def default(self) -> Branch:
        """The branch that applies if no other does, or the last one."""
        return next((each for each in self.branches if each.default), self.branches[-1])


def find_choice(text: str, start: int, braces: Sequence[Braces]) -> Choice | None:
    """The choice whose opening brace is at `start`, if there is one and it is whole.

    `braces` are those of `read_braces`.
    """
    if head := _ICU_HEAD.match(text, start):
        read = (_icu_choice(text, start, head, closing) for closing in braces)
        found = [choice for choice in read if choice]
        # l'{x} is meant as a placeholder, though ICU reads a quotation.
        whole = [choice for choice in found if choice.default().default]
        return next(iter([*whole, *found]), None)
    if head := _FLUENT_HEAD.match(text, start):
        return _fluent_choice(text, start, head, braces[-1])
    return None


def _icu_choice(text: str, start: int, head: regex.Match[str], closing: Braces) -> Choice | None:
    branches, at = [], head.end()
    while key := _ICU_KEY.match(text, at):
        end = closing.get(key.end() - 1)
        if end is None:
            return None
        branches.append(Branch(key[1], key.end(), end, key[1] == "other"))
        at = end + 1
    close = _CLOSE.match(text, at)
    if close is None or not branches:
        return None
    return Choice(start, close.end(), "icu", head[1], head[2], tuple(branches))


def _fluent_choice(text: str, start: int, head: regex.Match[str], closing: Braces) -> Choice | None:
    close = closing.get(start)
    if close is None:
        return None
    keys, at = [], head.end()
    while at < close:
        if key := _FLUENT_KEY.match(text, at, close):
            keys.append(key)
            at = key.end()
        else:
            at = closing.get(at, at) + 1
    if not keys or keys[0].start() != head.end():
        return None
    ends = [*(key.start() for key in keys[1:]), close]
    branches = []
    for key, end in zip(keys, ends, strict=True):
        value = text[key.end() : end].rstrip()
        branches.append(Branch(key[2], key.end(), key.end() + len(value), bool(key[1])))
    return Choice(start, close + 1, "fluent", head[1], "", tuple(branches))


def read_braces(text: str) -> tuple[Braces, Braces]:
    """The closing brace of each opening one: with ICU's apostrophes read, and without."""
    return _matching_braces(text, quotes=True), _matching_braces(text, quotes=False)


def _matching_braces(text: str, *, quotes: bool) -> Braces:
    found: Braces = {}
    opened: list[int] = []
    at = 0
    while at < len(text):
        if quotes and text.startswith("''", at):  # an apostrophe, which quotes nothing
            at += 2
            continue
        if quotes and (end := quoted_end(text, at)) is not None:
            at = end
            continue
        if text[at] == "{":
            opened.append(at)
        elif text[at] == "}" and opened:
            found[opened.pop()] = at
        at += 1
    return found


def quoted_end(text: str, at: int) -> int | None:
    """Where ICU's quotation that begins at `at` ends ('{literal}'); None if none begins there."""
    if text[at] != "'" or text[at + 1 : at + 2] not in {"{", "}"}:
        return None
    at += 1
    while (at := text.find("'", at)) >= 0:
        if text[at + 1 : at + 2] != "'":
            return at + 1
        at += 2
    return None
