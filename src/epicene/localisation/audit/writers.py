"""Write an audit: as JSON, CSV or SARIF while it runs, or as an HTML page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from epicene.core.errors import unknown
from epicene.localisation.audit.document import write_csv, write_json
from epicene.localisation.audit.page import render_page
from epicene.localisation.audit.sarif import write_sarif

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from epicene.localisation.audit.files import AuditedString, FileAudit

OutputForm: TypeAlias = Literal["json", "csv", "sarif", "html"]
OUTPUT_FORMS: tuple[OutputForm, ...] = get_args(OutputForm)


def write_audit(audited: Iterable[AuditedString], audit: FileAudit, form: str) -> Iterator[bytes]:
    """The bytes of an audit in that format; `audited` is the audit itself, or what it found."""
    if form == "json":
        yield from write_json(audited, lambda: (audit.summary, audit.gone))
    elif form == "csv":
        yield from write_csv(audited)
    elif form == "sarif":
        yield from write_sarif(audited)
    elif form == "html":
        yield render_page(list(audited), audit).encode()
    else:
        raise unknown("format of an audit", form, OUTPUT_FORMS, every=True)
