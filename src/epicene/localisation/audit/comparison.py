"""Compare an audit with an earlier one: strings that are new, gone or changed."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import msgspec

from epicene.core.data_files import parse_json, read_text
from epicene.core.errors import InputError
from epicene.core.records import Record
from epicene.localisation.audit.document import SCHEMA
from epicene.localisation.audit.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

# "": as before, or nothing to compare with.
Status: TypeAlias = Literal["", "new", "changed"]


class Gone(Record, frozen=True, kw_only=True):
    """A string of the earlier audit that no longer exists, or no longer shows a gender."""

    file: str
    key: str
    language: str
    text: str


class _Place(NamedTuple):
    file: str
    language: str
    key: str
    number: int  # of the strings with that key


class Baseline:
    """An earlier audit; `compare` is called with every finding of the new one, then `gone`."""

    def __init__(self, findings: Iterable[Finding] = ()) -> None:
        self._seen: Counter[tuple[str, str, str]] = Counter()
        self._real_paths: dict[str, str] = {}
        self._earlier = {self._place(each): each for each in findings if not each.is_undecided}
        self._seen.clear()
        self._left = dict(self._earlier)

    def _place(self, finding: Finding) -> _Place:
        key = (self._real_path(finding.file), finding.language, finding.key)
        self._seen[key] += 1
        return _Place(*key, self._seen[key])

    def compare(self, finding: Finding) -> Status:
        """Whether a finding is new or changed; an undecided one is neither."""
        if finding.is_undecided:
            return ""
        earlier = self._left.pop(self._place(finding), None)
        if earlier is None:
            return "new"
        return "" if _shown(earlier) == _shown(finding) else "changed"

    def gone(self, files: Iterable[str]) -> list[Gone]:
        """The earlier findings in these files that were not compared, because they are gone."""
        paths = {self._real_path(file) for file in files}
        return [
            Gone(file=each.file, key=each.key, language=each.language, text=each.text)
            for place, each in self._left.items()
            if place.file in paths
        ]

    def has_other_files(self, files: Iterable[str]) -> bool:
        """Whether the earlier audit has findings, but none in these files."""
        earlier = {place.file for place in self._earlier}
        return bool(earlier) and earlier.isdisjoint(map(self._real_path, files))

    def _real_path(self, file: str) -> str:
        """The absolute path, however the file is named from the current folder."""
        if file not in self._real_paths:
            self._real_paths[file] = os.path.realpath(file)
        return self._real_paths[file]


def _shown(finding: Finding) -> Any:
    """What identifies a finding: whose gender, which one, in which words, and what is wrong."""
    return (
        sorted((word.text, word.whose, word.gender) for word in finding.words),
        sorted((problem.kind, problem.text) for problem in finding.problems),
    )


def _finding_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Those of a finding itself: a document also says how it compared, and what it matched."""
    return {name: value for name, value in fields.items() if name in Finding.__struct_fields__}


def read_baseline(path: Path) -> Baseline:
    """The audit in a file written by `epicene audit --json`."""
    document = parse_json(read_text(path), str(path))
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise InputError(
            f"{path} was not written by the audit of this version; write a new one with `epicene "
            "audit … --json`."
        )
    try:
        found = msgspec.convert(document.get("findings"), list[dict[str, Any]])
        return Baseline(msgspec.convert([_finding_fields(each) for each in found], list[Finding]))
    except msgspec.ValidationError as error:
        raise InputError(f"{path} is not an audit: {error}.") from None
