"""Why a text was rewritten: for each change whose gender it shows, by which rule, how surely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.rewriting import Change, Rewriting


def explain(rewriting: Rewriting) -> Iterator[str]:
    """A line for each change, to be read by people."""
    for change in rewriting.changes:
        before, after = change.before.strip(), change.after.strip()
        yield f"{before} → {after}: {_evidence(change)} ({change.sure})"


def _evidence(change: Change) -> str:
    """Whose gender it shows and the rule, which in French names the person itself."""
    if not change.whose or change.rule.startswith(f"{change.whose} "):
        return change.rule
    return f"{change.whose}: {change.rule}"


def to_record(rewriting: Rewriting, *, explained: bool) -> dict[str, Any]:
    """The text and its changes as plain data; `explained` adds whose gender each change shows."""
    record: dict[str, Any] = msgspec.to_builtins(rewriting)
    if not explained:
        for change in record["changes"]:
            del change["whose"]
    return record
