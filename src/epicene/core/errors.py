"""Errors that a user can fix.

Each message is one sentence that names the cause and the fix; the command line prints it without a
traceback and maps its class to an exit code.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class EpiceneError(Exception):
    """An error that a user can fix."""

    exit_code = 1

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows instead of a traceback."""
        return [f"{type(self).__name__}: {self}"]


class InputError(EpiceneError):
    """The user's input is wrong: a file, a name, an option."""

    exit_code = 2


class OptionError(InputError):
    """The value of an option, or of a key in a file, is wrong; `option` is the key."""

    def __init__(self, option: str, sentence: str) -> None:
        super().__init__(sentence)
        self.option = option


class RunError(EpiceneError):
    """The run could not be finished: a full disk, a broken store, a model that gave up."""

    exit_code = 1


class EpiceneWarning(UserWarning):
    """A warning that results do not cover everything that was to be measured."""


def unknown(
    what: str, name: str, known: Iterable[str], *, where: str = "", every: bool = False
) -> InputError:
    """An error for an unknown name, with the nearest known name, or `every` known name; `where`
    follows the name: "in the suite genform".
    """
    names = sorted(known)
    near = [] if every else difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names)}."
    place = f" {where}" if where else ""
    return InputError(f"There is no {what} {name!r}{place}; {hint}")


def unknown_name(what: str, name: str, known: Iterable[str]) -> str:
    """The sentence of `unknown` without its capital and full stop, to follow a location."""
    return str(unknown(what, name, known)).removesuffix(".").replace("There is", "there is", 1)


def as_sentence(problem: str) -> str:
    """The text with a full stop, unless it ends in a question mark."""
    return problem if problem.endswith("?") else f"{problem}."


def pluralise(number: int, noun: str) -> str:
    """The number and the noun in agreement: "1 answer", "2 answers"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
