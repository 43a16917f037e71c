"""Problems with instances: slots that were never filled, texts that do not show a pronoun."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from epicene.languages.tokenisation import words
from epicene.suites import DataIssue

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.suites.misgendering.items import Instance
    from epicene.suites.misgendering.protocol import MisgenderingProtocol

_SLOT = re.compile(r"\{[^{}\s]*\}|\$[A-Z_]+|\[MASK\]|<mask>")


def check(items: Sequence[Instance], _protocol: MisgenderingProtocol) -> Iterator[DataIssue]:
    """The problems of each template, each reported once for all pronouns and names."""
    seen: set[tuple[str, str, str]] = set()
    for item in items:
        for issue in (*_check_slots(item), *_check_context(item)):
            known = (issue.severity, item.cluster, issue.message)
            if known not in seen:
                seen.add(known)
                yield issue


def _check_slots(item: Instance) -> Iterator[DataIssue]:
    """A slot that is still there was misspelt: a model would read it as text."""
    for found in dict.fromkeys(_SLOT.findall(item.before + item.after)):
        yield DataIssue("error", item.id, f"its text contains {found}, which nothing fills in.")


def _check_context(item: Instance) -> Iterator[DataIssue]:
    if not item.is_template:
        return
    if not item.before.strip():
        yield DataIssue("warning", item.id, "there is no text before its gap to continue.")
        return
    mine = {form for each in item.sets if each.pronoun == item.pronoun for form in each.all()}
    text = item.before
    before = {text[span.start : span.end].lower() for span in words(text, item.language)}
    if mine and not mine & before:
        yield DataIssue(
            "warning",
            item.id,
            "nothing before the gap shows the person's pronouns, so no answer is right or wrong.",
        )
