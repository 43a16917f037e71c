"""An audit as JSON (schema: docs/reference/audit.schema.json) and as CSV, written while it runs."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import msgspec

from epicene import __version__
from epicene.core.data_files import escape_formula

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from epicene.localisation.audit.comparison import Gone
    from epicene.localisation.audit.files import AuditedString
    from epicene.localisation.audit.summary import Summary

SCHEMA = "epicene-audit/1"

COLUMNS = (
    "file", "line", "key", "language", "whose", "gender", "words", "sure", "problems", "undecided",
    "text", "masculine", "feminine", "neutral", "status", "failed",
)  # fmt: skip


def finding_fields(each: AuditedString) -> dict[str, Any]:
    """A finding as plain data, with how it compares and the rules that it breaks."""
    return {
        **msgspec.to_builtins(each.finding),
        "sure": each.finding.sure,
        "status": each.status,
        "failed": list(each.failed),
    }


def write_json(
    audited: Iterable[AuditedString], end: Callable[[], tuple[Summary, Iterable[Gone]]]
) -> Iterator[bytes]:
    """The document, a finding per line; `end` is called when all are written."""
    head = {"schema": SCHEMA, "epicene": __version__}
    yield msgspec.json.encode(head)[:-1] + b',"findings":['
    for number, each in enumerate(audited):
        yield (b",\n" if number else b"\n") + msgspec.json.encode(finding_fields(each))
    summary, gone = end()
    tail: Mapping[str, Any] = {"gone": list(gone), "summary": summary}
    yield b"\n]," + msgspec.json.encode(tail)[1:] + b"\n"


def write_csv(audited: Iterable[AuditedString]) -> Iterator[bytes]:
    """One row per person and string; one row for a string that shows no one for certain."""
    yield _csv_line(COLUMNS)
    for each in audited:
        for row in _rows(each):
            yield _csv_line(tuple(row[name] for name in COLUMNS))


def _rows(each: AuditedString) -> Iterator[dict[str, str]]:
    finding = each.finding
    shared = {
        "file": finding.file,
        "line": str(finding.line),
        "key": finding.key,
        "language": finding.language,
        "problems": " ".join(dict.fromkeys(problem.kind for problem in finding.problems)),
        "undecided": " ".join(word.text for word in finding.undecided),
        "text": finding.text,
        "neutral": finding.neutral,
        "status": each.status,
        "failed": " ".join(each.failed),
    }
    empty = dict.fromkeys(("whose", "gender", "words", "sure", "masculine", "feminine"), "")
    if not finding.people:
        yield {**empty, **shared}
    for whose, gender in finding.people.items():
        words = [word for word in finding.words if word.whose == whose]
        forms: dict[str, str] = {
            form.gender: form.text for form in finding.forms if form.whose == whose
        }
        yield {
            **empty,
            **shared,
            "whose": whose,
            "gender": gender,
            "words": " ".join(word.text for word in words),
            "sure": min((word.sure for word in words), key=("certain", "likely", "guess").index),
            **forms,
        }


def _csv_line(cells: Iterable[str]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(map(escape_formula, cells))
    return out.getvalue().encode()
