"""Choices in messages: ICU plural, select and selectordinal arguments, and Fluent selectors.

{count, plural, one {# file} other {# files}}
{ $count -> [one] One file *[other] { $count } files }
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import regex

MessageSyntax: TypeAlias = Literal["icu", "fluent"]

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
        """The masculine and the feminine branch, where the keys say so."""
        found = {}
        for gender, keys in GENDER_KEYS.items():
            for branch in self.branches:
                if branch.key.lower() in keys and not self.kind.endswith(("plural", "ordinal")):
                    found.setdefault(gender, branch)
        return found

    def default(self) -> Branch:
        """The branch that holds where no other does, or the last one."""
        return next((each for each in self.branches if each.default), self.branches[-1])


def find_choice(text: str, start: int) -> Choice | None:
    """The choice whose opening brace is at `start`, if there is one and it is whole."""
    if head := _ICU_HEAD.match(text, start):
        branches, at = [], head.end()
        while key := _ICU_KEY.match(text, at):
            end = closing_brace(text, key.end())
            if end is None:
                return None
            branches.append(Branch(key[1], key.end(), end, key[1] == "other"))
            at = end + 1
        close = _CLOSE.match(text, at)
        if close is None or not branches:
            return None
        return Choice(start, close.end(), "icu", head[1], head[2], tuple(branches))
    if head := _FLUENT_HEAD.match(text, start):
        return _fluent_choice(text, start, head)
    return None


def _fluent_choice(text: str, start: int, head: regex.Match[str]) -> Choice | None:
    close = closing_brace(text, start + 1, quotes=False)
    if close is None:
        return None
    keys, at = [], head.end()
    while at < close:
        if key := _FLUENT_KEY.match(text, at, close):
            keys.append(key)
            at = key.end()
        elif text[at] == "{":
            at = (closing_brace(text, at + 1, quotes=False) or close) + 1
        else:
            at += 1
    if not keys or keys[0].start() != head.end():
        return None
    ends = [*(key.start() for key in keys[1:]), close]
    branches = []
    for key, end in zip(keys, ends, strict=True):
        value = text[key.end() : end].rstrip()
        branches.append(Branch(key[2], key.end(), key.end() + len(value), bool(key[1])))
    return Choice(start, close + 1, "fluent", head[1], "", tuple(branches))


def closing_brace(text: str, start: int, *, quotes: bool = True) -> int | None:
    """The index of the brace that closes the one before `start`; None if there is none.

    With `quotes`, braces between ICU's apostrophes do not count.
    """
    depth, at = 1, start
    while at < len(text):
        letter = text[at]
        if quotes and (quoted := quoted_end(text, at)) is not None:
            at = quoted
            continue
        if letter == "{":
            depth += 1
        elif letter == "}":
            depth -= 1
            if depth == 0:
                return at
        at += 1
    return None


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
