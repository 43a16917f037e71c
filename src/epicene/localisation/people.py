"""Who "I" and "you" are in each string: the user of a program, or someone else.

One notation is used in a column of a table, in a comment of a string (`epicene: …`) and in a TOML
file of patterns: `I=user, you=other`, or, shorter, who the user is: `speaker`.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import msgspec
import regex

from epicene.core.data_files import parse_toml, read_text
from epicene.core.errors import InputError, as_sentence, unknown_name
from epicene.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from epicene.localisation.strings import LocalisedString

_PERSONS = {
    "i": "speaker",
    "speaker": "speaker",
    "you": "listener",
    "listener": "listener",
    "others": "others",
}
# user: the gender of --user; other: somebody else; keep: nothing of theirs changes; m, f: always.
_VALUES = {
    "user": "user",
    "other": "other",
    "keep": "keep",
    "m": "m",
    "masculine": "m",
    "f": "f",
    "feminine": "f",
}
_COMMENT = regex.compile(r"(?im)^\s*epicene\s*:(?P<people>.*)$")
_SEPARATOR = regex.compile(r"\s*[,;]\s*|\s+")


class People(Record, frozen=True, kw_only=True):
    """Who the speaker (I), the listener (you) and others are: user, other, keep, m, f, or ""."""

    speaker: str = ""
    listener: str = ""
    others: str = ""

    def under(self, more: People) -> People:
        """These people, unless `more` says otherwise."""
        said = {name: value for name, value in msgspec.structs.asdict(more).items() if value}
        return msgspec.structs.replace(self, **said)

    def genders(self, options: Mapping[str, str]) -> dict[str, str]:
        """The requested gender of each person; `options` may name user, speaker, listener and
        others.
        """
        wanted: dict[str, str] = {}
        for person, who in msgspec.structs.asdict(self).items():
            if who in ("m", "f"):
                wanted[person] = who
            elif who == "user" and "user" in options:
                wanted[person] = options["user"]
            elif who != "keep" and person in options:
                wanted[person] = options[person]
        return wanted


def parse_people(notation: str, location: str) -> People:
    """Who is who: `I=user, you=other`; or only who the user is, such as `listener`, and no one
    else is.
    """
    text = regex.sub(r"\s*=\s*", "=", notation.strip())
    found: dict[str, str] = {}
    users: list[str] = []
    for entry in filter(None, _SEPARATOR.split(text)):
        name, equals, value = (part.lower() for part in entry.partition("="))
        if name == "nobody" and not equals:
            found |= dict.fromkeys(("speaker", "listener", "others"), "keep")
        elif name not in _PERSONS:
            raise InputError(
                f"{location}: {as_sentence(unknown_name('person', name, [*_PERSONS, 'nobody']))} "
                "Write, for example, I=user, you=other."
            )
        elif not equals:
            users.append(_PERSONS[name])
        elif value not in _VALUES:
            problem = unknown_name("gender or role", value, _VALUES)
            raise InputError(f"{location}: {as_sentence(problem)}")
        else:
            found[_PERSONS[name]] = _VALUES[value]
    if users:
        found = dict.fromkeys(("speaker", "listener", "others"), "other") | found
        found |= dict.fromkeys(users, "user")
    return People(**found)


class PeopleRules:
    """Who is who by default, by the name of a file and by the key of a string.

    If several patterns match, a later one overrides an earlier one; what a string itself says, in
    its column or comment, overrides all patterns.
    """

    def __init__(
        self,
        default: People | None = None,
        files: Mapping[str, People] | None = None,
        keys: Mapping[str, People] | None = None,
    ) -> None:
        self.default = default or People(listener="user")
        self._files = dict(files or {})
        self._keys = dict(keys or {})

    def of_string(self, string: LocalisedString, path: Path) -> People:
        """Who is who in a string of a file."""
        people = self.default
        for pattern, more in self._files.items():
            if fnmatchcase(path.name, pattern) or fnmatchcase(path.as_posix(), pattern):
                people = people.under(more)
        for pattern, more in self._keys.items():
            if fnmatchcase(string.key, pattern):
                people = people.under(more)
        for notation in _own(string):
            people = people.under(parse_people(notation, f"{path}, line {string.line}"))
        return people


def _own(string: LocalisedString) -> Iterator[str]:
    """What a string itself says: its comment, then its column."""
    for found in _COMMENT.finditer(string.comment):
        yield found["people"]
    if string.people:
        yield string.people


def read_people_rules(path: Path) -> PeopleRules:
    """The rules of a TOML file: `default`, and patterns under [files] and [keys]."""
    content = parse_toml(read_text(path), path)
    for name in content:
        if name not in ("default", "files", "keys"):
            problem = unknown_name("entry", name, ["default", "files", "keys"])
            raise InputError(f"{path}: {as_sentence(problem)}")

    def parsed(value: Any, where: str) -> People:
        if not isinstance(value, str):
            raise InputError(f'{path}, {where}, is not a text such as "listener".')
        return parse_people(value, f"{path}, {where}")

    def table(name: str) -> dict[str, People]:
        patterns = content.get(name, {})
        if not isinstance(patterns, dict):
            raise InputError(f"{path}: {name} is not a table of patterns.")
        return {key: parsed(value, f"[{name}] {key!r}") for key, value in patterns.items()}

    default = parsed(content["default"], "default") if "default" in content else None
    return PeopleRules(default, table("files"), table("keys"))
