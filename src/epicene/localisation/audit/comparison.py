"""Compare an audit with an earlier one: strings that are new, gone or changed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import msgspec

from epicene.core.data_files import parse_json, read_text
from epicene.core.errors import InputError
from epicene.core.records import Record
from epicene.localisation.audit.document import SCHEMA
from epicene.localisation.audit.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping
    from pathlib import Path

# "": as before, or nothing to compare with.
Status: TypeAlias = Literal["", "new", "changed"]


class Gone(Record, frozen=True, kw_only=True):
    """A string of the earlier audit that is not there any more, or shows no gender now."""

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
        self._earlier = {self._place(each): each for each in findings if not each.is_undecided}
        self._seen.clear()
        self._left = dict(self._earlier)

    def _place(self, finding: Finding) -> _Place:
        key = (finding.file, finding.language, finding.key)
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

    def gone(self, files: Container[str]) -> list[Gone]:
        """What was in these files and was not compared: it is gone."""
        return [
            Gone(file=each.file, key=each.key, language=each.language, text=each.text)
            for each in self._left.values()
            if each.file in files
        ]


def _shown(finding: Finding) -> Any:
    """What makes a finding the same: who is shown how, in which words, and what is wrong."""
    return (
        sorted((word.text, word.whose, word.gender) for word in finding.words),
        sorted((problem.kind, problem.text) for problem in finding.problems),
    )


def _finding_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Those of a finding itself: a document also says how it compared, and what it matched."""
    return {name: value for name, value in fields.items() if name in Finding.__struct_fields__}


def read_baseline(path: Path) -> Baseline:
    """The audit of a file that `epicene audit --json` wrote."""
    document = parse_json(read_text(path), str(path))
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise InputError(
            f"{path} is not an audit of this version; write one with `epicene audit … --json`."
        )
    try:
        found = msgspec.convert(document.get("findings"), list[dict[str, Any]])
        return Baseline(msgspec.convert([_finding_fields(each) for each in found], list[Finding]))
    except msgspec.ValidationError as error:
        raise InputError(f"{path} is not an audit: {error}.") from None
