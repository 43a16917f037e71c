"""Explain a rewriting: for each change whose gender it shows, by which rule, how surely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.rewriting import Change, Rewriting


def explain(rewriting: Rewriting) -> Iterator[str]:
    """One line per change, for people to read."""
    for change in rewriting.changes:
        before, after = change.before.strip(), change.after.strip()
        yield f"{before} → {after}: {_evidence(change)} ({change.sure})"


def _evidence(change: Change) -> str:
    """Whose gender the change shows, and the rule; a French rule already names the person."""
    if not change.whose or change.rule.startswith(f"{change.whose} "):
        return change.rule
    return f"{change.whose}: {change.rule}"


def to_record(rewriting: Rewriting, *, explained: bool) -> dict[str, Any]:
    """The text and its changes as plain data; `explained` keeps whose gender each change shows."""
    record: dict[str, Any] = msgspec.to_builtins(rewriting)
    if not explained:
        for change in record["changes"]:
            del change["whose"]
    return record
