"""An audit as SARIF 2.1.0, which code-scanning services read."""

from __future__ import annotations

import hashlib
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec

from epicene import __version__
from epicene.localisation.audit.findings import PROBLEMS, SHOWN_GENDERS, WHOSE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.localisation.audit.files import AuditedString
    from epicene.localisation.audit.findings import Finding, ShownGender, Whose
    from epicene.rewriting import TextSpan

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_WHOM: dict[Whose, str] = {
    "speaker": "the speaker",
    "listener": "the person addressed",
    "others": "someone who is spoken about",
    "unknown": "somebody",
}
_AS: dict[ShownGender, str] = {
    "masculine": "as a man",
    "feminine": "as a woman",
    "both": "with both genders",
    "mixed": "as a man and as a woman",
}


def _rules() -> list[dict[str, Any]]:
    shown = [
        (f"{whose}-{gender}", f"The string shows {_WHOM[whose]} {_AS[gender]}.", "note")
        for whose in WHOSE
        for gender in SHOWN_GENDERS
    ]
    wrong = [(f"problem-{kind}", sentence, "warning") for kind, sentence in PROBLEMS.items()]
    undecided = ("undecided", "A word may show someone's gender; it is not clear whose.", "note")
    return [
        {
            "id": name,
            "shortDescription": {"text": sentence},
            "defaultConfiguration": {"level": level},
        }
        for name, sentence, level in [*shown, *wrong, undecided]
    ]


def write_sarif(audited: Iterable[AuditedString]) -> Iterator[bytes]:
    """The document, one result per line."""
    rules = _rules()
    levels = {rule["id"]: rule["defaultConfiguration"]["level"] for rule in rules}
    numbers = {rule["id"]: number for number, rule in enumerate(rules)}
    run = {
        "tool": {"driver": {"name": "Epicene", "version": __version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
    }
    head = {"$schema": _SCHEMA, "version": "2.1.0"}
    yield msgspec.json.encode(head)[:-1] + b',"runs":[' + msgspec.json.encode(run)[:-1]
    yield b',"results":['
    first = True
    for each in audited:
        for result in _results(each):
            name = result["ruleId"]
            result["ruleIndex"] = numbers[name]
            result["level"] = "error" if each.failed else levels[name]
            yield (b"\n" if first else b",\n") + msgspec.json.encode(result)
            first = False
    yield b"\n]}]}\n"


def _results(each: AuditedString) -> Iterator[dict[str, Any]]:
    finding = each.finding
    for whose, gender in finding.people.items():
        words = [word for word in finding.words if word.whose == whose]
        quoted = ", ".join(f"“{word.text}”" for word in words)
        sentence = f"Shows {_WHOM[whose]} {_AS[gender]}: {quoted}."
        forms = [form for form in finding.forms if form.whose == whose]
        for form in forms:
            sentence += f" {_AS[form.gender].capitalize()}: {form.text}"
        yield _result(each, f"{whose}-{gender}", sentence, words)
    for problem in finding.problems:
        sentence = f"{PROBLEMS[problem.kind]} “{problem.text}”"
        yield _result(each, f"problem-{problem.kind}", sentence, [problem])
    if finding.is_undecided:
        quoted = ", ".join(f"“{word.text}”" for word in finding.undecided)
        sentence = f"May show someone's gender: {quoted}."
        yield _result(each, "undecided", sentence, finding.undecided)


def _result(
    each: AuditedString, rule: str, sentence: str, spans: Sequence[TextSpan]
) -> dict[str, Any]:
    finding = each.finding
    location = {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(finding)},
            "region": {"startLine": max(finding.line, 1)},
        },
        "logicalLocations": [{"fullyQualifiedName": finding.key, "kind": "resource"}],
    }
    place = "\0".join((PurePath(finding.file).as_posix(), finding.key, rule))
    result: dict[str, Any] = {
        "ruleId": rule,
        "message": {"text": sentence},
        "locations": [location],
        "partialFingerprints": {"epicene/v1": hashlib.sha256(place.encode()).hexdigest()[:32]},
        "properties": {
            "language": finding.language,
            "text": finding.text,
            "spans": [[span.start, span.end] for span in spans],
            "sure": finding.sure,
            "failed": list(each.failed),
        },
    }
    if each.status:
        result["baselineState"] = {"new": "new", "changed": "updated"}[each.status]
    return result


def _uri(finding: Finding) -> str:
    """The path as a relative reference, or as a file address if it is absolute."""
    path = PurePath(finding.file)
    if path.is_absolute():
        return path.as_uri()
    return quote(path.as_posix())
