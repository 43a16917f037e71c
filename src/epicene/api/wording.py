"""Errors name options as the caller writes them: `--out` on the command line, `out=` in Python.

Below this package, messages name options as on the command line. A function that is called from
Python raises them with keyword arguments instead.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from epicene.core.errors import EpiceneError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

P = ParamSpec("P")
R = TypeVar("R")

_on_command_line: ContextVar[bool] = ContextVar("on_command_line", default=False)


@contextmanager
def command_line_wording() -> Iterator[None]:
    """Errors raised inside this context name options as on the command line."""
    token = _on_command_line.set(True)
    try:
        yield
    finally:
        _on_command_line.reset(token)


def keyword_errors(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function of the API so that its errors name keyword arguments."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except EpiceneError as error:
            if not _on_command_line.get():
                error.args = (options_to_keywords(str(error)), *error.args[1:])
            raise

    return call


_KEYWORDS = {"set": "settings", "column": "columns", "from": "from_"}
_FLAGS = frozenset({"hidden", "incomplete", "passed", "replace"})
_WITH_VALUES = frozenset({"dtype", "language", "on", "pronouns", "protocol", "suite", "task", "to"})
# A word that follows an option and is no value of it.
_VERBS = "and|applies|apply|cannot|can|go|is|must|needs|or|requires|require|takes|with|works"
_OPTION = re.compile(
    r"--(?P<name>[a-z][a-z-]*[a-z])"
    # --set NAME=VALUE, --model ROLE=SPEC,SPEC, or --protocol NAME
    rf"(?: (?:(?P<key>\w+)=(?P<pair>(?:\w+(?:,\w+)*)?)|(?!(?:{_VERBS})\b)(?P<value>\w[\w|-]*)))?"
)
_COMMAND = re.compile(r"(`[^`-][^`]*`)")  # of a shell: it stays as it is


def options_to_keywords(sentence: str) -> str:
    """A message with command-line options replaced by keyword arguments.

    >>> options_to_keywords("Give --max-cost, or --set size=8.")
    'Give max_cost=, or settings={"size": "8"}.'
    """
    parts = _COMMAND.split(sentence)
    parts[::2] = [_OPTION.sub(_keyword, part) for part in parts[::2]]
    return "".join(parts)


def _keyword(option: re.Match[str]) -> str:
    name, key, value = option["name"], option["key"], option["value"]
    if key:
        given = [f'"{each}"' for each in (option["pair"] or "…").split(",")]
        shown = f"[{', '.join(given)}]" if len(given) > 1 else given[0]
        keyword = "roles" if name == "model" else _KEYWORDS.get(name, name)
        return f'{keyword}={{"{key}": {shown}}}'
    keyword = _KEYWORDS.get(name, name.replace("-", "_"))
    if value and name in _WITH_VALUES:
        return f'{keyword}="{value}"'
    return f"{keyword}={'True' * (name in _FLAGS)}" + (f" {value}" if value else "")
