"""SyntaxGym formulas: conditions on the surprisals of regions.

`(8;%match%)` is the surprisal of region 8 in the condition `match`, `(*;%match%)` that of the whole
sentence. The operators, from tightest to loosest binding: `+` and `-`; `<`, `>` and `=`, which is
true if two numbers are close; `&` and `|`. Operators of equal precedence are read from left to
right. Round and square brackets group.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

import regex

# By condition and number of the region, in bits.
Surprisals: TypeAlias = Mapping[tuple[str, int], float]

# What counts as equal, as in SyntaxGym.
_RELATIVE, _ABSOLUTE = 1e-5, 1e-3

_TOKEN = regex.compile(
    r"\s*(?:(?P<region>\(\s*(?P<number>\d+|\*)\s*;\s*%(?P<condition>[^%]+)%\s*\))"
    r"|(?P<literal>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)"
    r"|(?P<sign>[-+<>=&|()\[\]]))"
)
_CLOSING = {"(": ")", "[": "]"}


class FormulaError(ValueError):
    """The formula cannot be parsed; the message is the end of a sentence."""


class RegionReference(NamedTuple):
    """A region of a condition; None stands for all of them."""

    condition: str
    number: int | None


class _Node(NamedTuple):
    """A part of a formula: a number or a truth value of the surprisals."""

    kind: Literal["number", "truth"]
    value: Callable[[Surprisals], float]


class Formula(NamedTuple):
    """A parsed formula: the regions that it names, and whether it is true."""

    references: frozenset[RegionReference]
    holds: Callable[[Surprisals], bool]


@lru_cache(maxsize=1024)  # all items of a suite share their formulas
def parse_formula(text: str) -> Formula:
    """The formula of that text; raises `FormulaError`."""
    parser = _Parser(text)
    try:
        node = parser.whole()
    except RecursionError:
        raise FormulaError("it is nested too deeply") from None
    return Formula(frozenset(parser.references), lambda surprisals: bool(node.value(surprisals)))


def _is_close(first: float, second: float) -> bool:
    return abs(first - second) <= _ABSOLUTE + _RELATIVE * abs(second)


_SUMS: dict[str, Callable[[float, float], float]] = {"+": operator.add, "-": operator.sub}
_COMPARISONS: dict[str, Callable[[float, float], float]] = {
    "<": operator.lt,
    ">": operator.gt,
    "=": _is_close,
}
_LOGIC: dict[str, Callable[[float, float], float]] = {
    "&": lambda first, second: bool(first and second),
    "|": lambda first, second: bool(first or second),
}


class _Parser:
    """Reads a formula from left to right."""

    def __init__(self, text: str) -> None:
        self.references: set[RegionReference] = set()
        self._tokens = list(_tokens(text))
        self._next = 0

    def whole(self) -> _Node:
        """The whole text as a formula that is true or false."""
        node = self._chain()
        if self._next < len(self._tokens):
            raise FormulaError(f"{self._tokens[self._next][0].strip()} is left over at its end")
        if node.kind != "truth":
            raise FormulaError("it has no comparison")
        return node

    def _chain(self) -> _Node:
        node = self._comparison()
        while sign := self._take(_LOGIC):
            node = _combine(sign, _LOGIC[sign], node, self._comparison(), "truth", "truth")
        return node

    def _comparison(self) -> _Node:
        node = self._sum()
        if sign := self._take(_COMPARISONS):
            node = _combine(sign, _COMPARISONS[sign], node, self._sum(), "number", "truth")
        return node

    def _sum(self) -> _Node:
        node = self._atom()
        while sign := self._take(_SUMS):
            node = _combine(sign, _SUMS[sign], node, self._atom(), "number", "number")
        return node

    def _atom(self) -> _Node:
        if self._next == len(self._tokens):
            raise FormulaError("something is missing at its end")
        token = self._tokens[self._next]
        self._next += 1
        if token["region"]:
            return self._region(token["number"], token["condition"].strip())
        if token["literal"]:
            literal = float(token["literal"])
            return _Node("number", lambda _: literal)
        if token["sign"] == "-":
            negated = self._atom()
            return _combine("-", _SUMS["-"], _Node("number", lambda _: 0.0), negated, *_NUMBERS)
        if (closing := _CLOSING.get(token["sign"])) is None:
            raise FormulaError(f"{token['sign']} is found where a region or a number should be")
        node = self._chain()
        if not self._take({closing}):
            raise FormulaError(f"a {closing} is missing")
        return node

    def _region(self, number: str, condition: str) -> _Node:
        reference = RegionReference(condition, None if number == "*" else int(number))
        self.references.add(reference)
        if reference.number is None:
            return _Node("number", lambda found: _whole_sentence(found, condition))
        key = (condition, reference.number)
        return _Node("number", lambda found: found[key])

    def _take(self, signs: Mapping[str, object] | set[str]) -> str:
        """The next sign, if it is one of these; "" if not."""
        if self._next < len(self._tokens):
            sign = self._tokens[self._next]["sign"]
            if sign in signs:
                self._next += 1
                return str(sign)
        return ""


_NUMBERS: tuple[Literal["number"], Literal["number"]] = ("number", "number")


def _tokens(text: str) -> list[regex.Match[str]]:
    found, position, text = [], 0, text.rstrip()
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            raise FormulaError(f"{text[position:].strip()[:20]!r} is not part of a formula")
        found.append(token)
        position = token.end()
    return found


def _combine(
    sign: str,
    function: Callable[[float, float], float],
    first: _Node,
    second: _Node,
    takes: Literal["number", "truth"],
    gives: Literal["number", "truth"],
) -> _Node:
    if first.kind != takes or second.kind != takes:
        wanted = "numbers" if takes == "number" else "comparisons"
        raise FormulaError(f"{sign} must be between two {wanted}")
    return _Node(gives, lambda found: function(first.value(found), second.value(found)))


def _whole_sentence(surprisals: Surprisals, condition: str) -> float:
    return sum(value for (name, _), value in surprisals.items() if name == condition)
