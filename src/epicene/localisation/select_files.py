"""Put selectors into the strings of files, and check those that files have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from epicene.core.errors import InputError
from epicene.core.records import Record
from epicene.localisation.selector_checks import SelectorProblem, check_selectors
from epicene.localisation.selectors import TwoPeopleError, selector_changes
from epicene.rewriting import Change

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from epicene.localisation.people import PeopleRules
    from epicene.localisation.strings import LocalisedFile, LocalisedString
    from epicene.rewriting.persons import Person

# Formats whose strings programs show as they are, or read with another syntax.
_NOT_MESSAGES = {
    "android": "Android resources",
    "strings": "Apple strings",
    "xcstrings": "Apple strings",
    "srt": "subtitles",
    "vtt": "subtitles",
    "html": "HTML",
    "markdown": "Markdown",
}
_CUT = "its selectors would split mark-up that must stay whole"
_UNQUOTED = "its selectors cannot be written there unless the text is in quotes"
_TWO_PEOPLE = "a word shows the gender of two people"


class StringLeftOut(Record, frozen=True, kw_only=True):
    """A string that shows a gender but gets no selectors, and why."""

    line: int
    key: str
    text: str
    why: str


class SelectedFile(Record, frozen=True, kw_only=True):
    """A file that was written with selectors: how many of its strings got selectors, and which
    could not; `warning` is "" unless most programs do not read selectors in such a file.
    """

    path: str
    out: str
    format: str
    strings: int
    warning: str = ""
    left_out: tuple[StringLeftOut, ...] = ()


def select_strings(
    file: LocalisedFile, arguments: Mapping[Person, str], syntax: str, people: PeopleRules
) -> tuple[bytes, SelectedFile]:
    """The new content of a file, and what was done in it."""
    found: dict[int, list[Change]] = {}
    left_out: dict[int, str] = {}
    for string in file.strings:
        who = people.of_string(string, file.path)
        open_ones: dict[Person, str] = {
            person: name
            for person, name in arguments.items()
            if getattr(who, person) not in ("keep", "m", "f")
        }
        if not open_ones:
            continue
        try:
            changes = _possible_selectors(file, string, open_ones, syntax)
        except TwoPeopleError:
            left_out[string.index] = _TWO_PEOPLE
            continue
        if changes is None:
            left_out[string.index] = _CUT
        elif changes:
            found[string.index] = changes
    try:
        data = file.replace(found)
    except InputError:  # such as a text without quotes: commas in CSV, a first brace in YAML
        if file.format not in ("csv", "yaml"):
            raise
        for index in [each for each in found if not _reads_back(file, each, found[each])]:
            left_out[index] = _UNQUOTED
            del found[index]
        data = file.replace(found)
    strings = (file.strings[index] for index in sorted(left_out))
    return data, SelectedFile(
        path=str(file.path),
        out="",
        format=file.format,
        strings=len(found),
        warning=_warning(file, syntax) if found else "",
        left_out=tuple(
            StringLeftOut(line=each.line, key=each.key, text=each.text, why=left_out[each.index])
            for each in strings
        ),
    )


def _warning(file: LocalisedFile, syntax: str) -> str:
    name = _NOT_MESSAGES.get(file.format, "")
    if file.format == "po" and any(string.syntax == "printf" for string in file.strings):
        name = "the c-format strings of PO"
    if not name:
        return ""
    messages = "Fluent" if syntax == "fluent" else "ICU"
    return f"most programs do not read {name} as {messages} messages; make sure that yours does"


def _reads_back(file: LocalisedFile, index: int, changes: list[Change]) -> bool:
    try:
        file.replace({index: changes})
    except InputError:
        return False
    return True


def _possible_selectors(
    file: LocalisedFile, string: LocalisedString, arguments: Mapping[Person, str], syntax: str
) -> list[Change] | None:
    """The selectors of a string, empty if it needs none; None if the file cannot contain them."""

    def can_hold(start: int, end: int) -> bool:
        before = string.text[start:end]
        selector = Change(start=start, end=end, before=before, after="{}", rule="", sure="certain")
        return bool(file.possible_changes(string.index, [selector]))

    changes = selector_changes(
        string.text, file.language, arguments, syntax=syntax, can_hold=can_hold
    )
    return changes if all(can_hold(each.start, each.end) for each in changes) else None


def check_strings(file: LocalisedFile) -> Iterator[SelectorProblem]:
    """What is wrong with the selectors of a file, with the places of its strings."""
    for string in file.strings:
        for problem in check_selectors(string.text, file.language):
            yield msgspec.structs.replace(
                problem, path=str(file.path), line=string.line, key=string.key
            )
