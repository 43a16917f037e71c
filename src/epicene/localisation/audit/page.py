"""An audit as one self-contained HTML page, where a translator filters, reads and copies."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from epicene import __version__, languages
from epicene.core.control_characters import escape_controls
from epicene.localisation.audit.document import finding_fields
from epicene.localisation.audit.findings import PROBLEMS, WHOSE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from jinja2 import Environment

    from epicene.localisation.audit.files import AuditedString, FileAudit
    from epicene.localisation.audit.findings import Finding, Whose
    from epicene.localisation.audit.summary import Counts, FileCounts, Summary

_LABELS: dict[Whose, str] = {
    "speaker": "the speaker (“I”)",
    "listener": "the listener (“you”)",
    "others": "someone else",
    "unknown": "unknown person",
}
_CONFIDENCE = {
    "certain": "certain: shown by the words themselves",
    "likely": "likely: shown by the words around them",
    "guess": "guess: check these",
}


class _Place(NamedTuple):
    """A row of the table of files and prefixes."""

    style: str
    label: str
    file: str
    language: str
    prefix: str
    counts: Counts


def render_page(audited: Sequence[AuditedString], audit: FileAudit) -> str:
    """The page of a finished audit and everything it found."""
    summary = audit.summary
    script = _asset("audit.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    places = [place for file in summary.files for place in _places(file)]
    total = summary.total
    page = (
        _templates()
        .get_template("audit.html")
        .render(
            headline=summary.headline(),
            overview=_overview(audited, total),
            places=places,
            more_places=sum(
                len(file.prefixes) - len(file.main_prefixes()) for file in summary.files
            ),
            people=[
                {
                    "whose": whose,
                    "label": _LABELS[whose],
                    "numbers": [
                        total.shown(whose, gender)
                        for gender in ("masculine", "feminine", "both", "mixed")
                    ],
                }
                for whose in WHOSE
                if whose in total.people
            ],
            problems=[
                {"kind": kind, "label": sentence, "count": total.problems[kind]}
                for kind, sentence in PROBLEMS.items()
                if kind in total.problems
            ],
            confidence=[
                {"label": label, "count": total.sure.get(name, 0)}  # type: ignore[call-overload]
                for name, label in _CONFIDENCE.items()
            ],
            files=list(dict.fromkeys(file.file for file in summary.files)),
            languages=[
                (code, languages.get(code).name)
                for code in dict.fromkeys(file.language for file in summary.files)
            ],
            gone=audit.gone,
            notes=audit.notes(),
            compared=audit.is_compared,
            failed=any(each.failed for each in audited),
            style=_asset("audit.css"),
            script=script,
            script_digest=digest,
            data=_data(audited, summary),
            version=__version__,
        )
    )
    return str(page)


def _overview(audited: Sequence[AuditedString], total: Counts) -> list[dict[str, Any]]:
    """How many strings show what, each counted once."""
    found = Counter(_shown(each.finding) for each in audited)
    rows = (
        ("a man is shown", "man", found["masculine"]),
        ("a woman is shown", "woman", found["feminine"]),
        ("both are shown", "both", found["both"]),
        ("several of these", "several", found["several"]),
        ("undecided", "open", found["undecided"]),
        ("no gender found", "none", total.strings - sum(found.values()) + found["none"]),
    )
    return [{"label": label, "style": style, "count": count} for label, style, count in rows]


def _shown(finding: Finding) -> str:
    """The one gender that a string shows, or that it shows several, or none."""
    genders = {word.gender for word in finding.words}
    if len(genders) > 1:
        return "several"
    return next(iter(genders), "undecided" if finding.is_undecided else "none")


def _places(file: FileCounts) -> Iterable[_Place]:
    yield _Place(
        "file", f"{file.file} ({file.language})", file.file, file.language, "", file.counts
    )
    for prefix, counts in file.main_prefixes():
        yield _Place("prefix", prefix, file.file, file.language, prefix, counts)


def _data(audited: Sequence[AuditedString], summary: Summary) -> str:
    """The strings as JSON that cannot end its HTML element, because it contains no <."""
    document = {
        "problems": PROBLEMS,
        "directions": {
            file.language: languages.get(file.language).direction for file in summary.files
        },
        "strings": [{**finding_fields(each), "prefix": each.prefix} for each in audited],
    }
    encoded = msgspec.json.encode(document).decode()
    for character in "<>&\u2028\u2029":
        encoded = encoded.replace(character, f"\\u{ord(character):04x}")
    return encoded


def _asset(name: str) -> str:
    return (files("epicene.localisation.audit") / "templates" / name).read_text(encoding="utf-8")


@cache
def _templates() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("epicene.localisation.audit", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: escape_controls(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(verbatim=Markup)
    environment.filters["number"] = lambda value: f"{value:,}"
    return environment
