"""Exclude participants: by the rule in `study.toml`, or by hand.

Answers of an excluded participant are kept and do not count: their items go to others, and the
participant gets a completion code of their own.
"""

from __future__ import annotations

import statistics
import time
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from epicene.core.errors import InputError, unknown
from epicene.studies.collection.activity import OWNER, record_action
from epicene.studies.collection.database import (
    decode_response,
    exists,
    open_database,
    write_transaction,
)
from epicene.studies.collection.folder import RESPONSES_FILE
from epicene.studies.collection.participants import check_known, is_excluded
from epicene.studies.design.answers import matches_expected

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from epicene.studies.collection.folder import StudyFolder
    from epicene.studies.design.schema import ExclusionRule, Response, Study

BY_RULE = "rule"  # who excluded a participant, if nobody did by hand


class CheckCounts(NamedTuple):
    """How many attention checks a participant saw and answered right, of how many in all."""

    right: int
    seen: int
    all: int


def count_checks(study: Study, responses: Iterable[Response]) -> CheckCounts:
    """The attention checks in one participant's responses."""
    checks = {item.id: item for item in study.checks}
    right = [matches_expected(checks[each.item], each) for each in responses if each.item in checks]
    return CheckCounts(sum(right), len(right), len(checks))


def checks_failed(rule: ExclusionRule, checks: CheckCounts) -> bool:
    """Whether a participant cannot reach the share of right checks, even if the rest is right."""
    if rule.checks is None or not checks.seen:
        return False
    return checks.right + checks.all - checks.seen < rule.checks * checks.all


def exclusion_reason(study: Study, responses: Sequence[Response], *, finished: bool) -> str:
    """Why the rule excludes a participant with these responses; empty if it does not.

    The rest of the attention checks and items can still change the outcome unless `finished`.
    """
    rule = study.exclude
    if rule is None:
        return ""
    checks = count_checks(study, responses)
    at_end = checks._replace(all=checks.seen) if finished else checks
    if checks_failed(rule, at_end):
        return f"failed attention checks ({checks.right} of {checks.seen} right)"
    if rule.seconds is not None and finished:
        items = {item.id for item in study.items}
        seconds = [
            each.seconds for each in responses if each.item in items and each.seconds is not None
        ]
        if seconds and (median := statistics.median(seconds)) < rule.seconds:
            return f"answered too fast (median {median:.1f} s per item)"
    return ""


class ExclusionRules:
    """Applies the rule of a study while it is served, inside the caller's transaction."""

    def __init__(self, study: Study, db: sqlite3.Connection) -> None:
        self._study = study
        self._db = db

    def apply(self, participant: str, now: float, *, finished: bool) -> bool:
        """Exclude a participant if the rule says so; return whether they are excluded now."""
        if self._study.exclude is None or self._is_decided(participant):
            return False
        # Until the end only the attention checks matter, which are few.
        wanted = None if finished else [item.id for item in self._study.checks]
        reason = exclusion_reason(
            self._study, _responses(self._db, participant, wanted), finished=finished
        )
        if reason:
            add_exclusion(self._db, participant, reason, BY_RULE, now)
        return bool(reason)

    def _is_decided(self, participant: str) -> bool:
        return exists(self._db, "SELECT 1 FROM exclusions WHERE participant = ?", participant)


def add_exclusion(
    db: sqlite3.Connection, participant: str, reason: str, by: str, now: float
) -> None:
    """Exclude a participant, in the caller's transaction; triggers reopen their items."""
    db.execute(
        "INSERT INTO exclusions VALUES (?, ?, ?, ?, NULL) ON CONFLICT (participant)"
        " DO UPDATE SET reason = excluded.reason, by = excluded.by, at = excluded.at,"
        " lifted = NULL",
        (participant, reason, by, now),
    )
    record_action(db, now, by, "excluded", participant, reason)


def _responses(
    db: sqlite3.Connection, participant: str, items: Sequence[str] | None
) -> list[Response]:
    query = "SELECT response FROM responses WHERE participant = ?"
    if items is not None:
        query += f" AND item IN ({', '.join('?' * len(items))})"
    rows = db.execute(query, (participant, *(items or ())))
    return [decode_response(row["response"]) for row in rows]


# --- by hand ---------------------------------------------------------------------------------


def exclude_participant(folder: StudyFolder, participant: str, reason: str, by: str) -> None:
    """Exclude a participant by hand; this works while the study is served."""
    if not reason.strip():
        raise InputError("Give a reason for the exclusion; tables and exports show it.")
    path = folder.path / RESPONSES_FILE
    with closing(open_database(path)) as db, write_transaction(db, path):
        check_known(db, participant)
        add_exclusion(db, participant, reason.strip(), by, time.time())


def readmit_participant(folder: StudyFolder, participant: str, by: str = OWNER) -> None:
    """Let an excluded participant's answers count again; the rule does not apply to them then."""
    path = folder.path / RESPONSES_FILE
    with closing(open_database(path)) as db, write_transaction(db, path):
        if not is_excluded(db, participant):
            names = [row[0] for row in db.execute("SELECT * FROM exclusions WHERE lifted IS NULL")]
            if not names:
                raise InputError(f"Nobody is excluded, so {participant!r} cannot be readmitted.")
            raise unknown("excluded person", participant, names)
        db.execute(
            "UPDATE exclusions SET lifted = ? WHERE participant = ?", (time.time(), participant)
        )
        record_action(db, time.time(), by, "readmitted", participant)


def apply_rule(folder: StudyFolder) -> dict[str, str]:
    """Apply the rule to everybody as if they had finished; return the reasons by participant.

    For participants who left early, and for imported answers.
    """
    if folder.study.exclude is None:
        raise InputError(f"{folder.path}: study.toml has no [exclude], so there is no rule.")
    path = folder.path / RESPONSES_FILE
    found = {}
    with closing(open_database(path)) as db, write_transaction(db, path):
        decided = {row["participant"] for row in db.execute("SELECT * FROM exclusions")}
        names = [
            row[0] for row in db.execute("SELECT DISTINCT participant FROM responses ORDER BY 1")
        ]
        for name in names:
            given = [] if name in decided else _responses(db, name, None)
            if reason := exclusion_reason(folder.study, given, finished=True):
                add_exclusion(db, name, reason, BY_RULE, time.time())
                found[name] = reason
    return found
