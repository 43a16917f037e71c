"""Explain a rewriting: whose gender each change shows, by which rule, and with what confidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.rewriting import Change, Rewriting


def explain(rewriting: Rewriting) -> Iterator[str]:
    """One line per change, for people to read, with its probability of being right if known."""
    for change in rewriting.changes:
        yield _explain_change(change)
    for change in rewriting.left_out:
        yield f"not changed: {_explain_change(change)}"


def _explain_change(change: Change) -> str:
    before, after = change.before.strip(), change.after.strip()
    probability = "" if change.probability is None else f", {change.probability:.3f}"
    shown = before if before == after else f"{before} → {after}"
    return f"{shown}: {_evidence(change)} ({change.sure}{probability})"


def _evidence(change: Change) -> str:
    """Whose gender the change shows, and the rule; a French rule already names the person."""
    if not change.whose or change.rule.startswith(f"{change.whose} "):
        return change.rule
    return f"{change.whose}: {change.rule}"


def to_record(rewriting: Rewriting) -> dict[str, Any]:
    """The text and its changes as plain data, without what is unknown."""
    record: dict[str, Any] = msgspec.to_builtins(rewriting)
    for change in (*record["changes"], *record["left_out"]):
        if change["probability"] is None:
            del change["probability"]
    if not record["left_out"]:
        del record["left_out"]
    return record
