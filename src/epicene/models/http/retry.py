"""The retry policy: how many attempts per kind of error, and how long to wait in between."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

import msgspec

from epicene.core.records import Record
from epicene.models.http.errors import ErrorKind

if TYPE_CHECKING:
    from collections.abc import Mapping


def _default_attempts() -> dict[ErrorKind, int]:
    return {
        "limit": 12, "hang": 3, "connect": 5, "server": 6, "reply": 3, "lost": 4, "unread": 12,
    }  # fmt: skip


class RetryPolicy(Record, kw_only=True, frozen=True):
    """The attempts per kind of error, and the seconds between them."""

    max_attempts: dict[ErrorKind, int] = msgspec.field(default_factory=_default_attempts)
    first_wait: float = 0.5
    max_wait: float = 60.0
    check_interval: float = 5.0  # between checks of a server that is down
    max_outage: float = 600.0  # for which all servers may be down, once one has answered

    def wait(self, failures: int, after: float | None) -> float:
        """The seconds before the next attempt: doubling with jitter, or as the server asks."""
        if after is not None:
            asked = min(after, self.max_wait)
            return asked + random.uniform(0, max(self.first_wait / 4, asked / 10))
        doubled = self.first_wait * 2.0 ** min(failures - 1, 16)
        return min(doubled, self.max_wait) * random.uniform(0.5, 1)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds the server asks to wait, given in milliseconds, seconds or as a date."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        return seconds if 0 <= seconds < float("inf") else None
    try:
        when = parsedate_to_datetime(headers.get("retry-after", ""))
        if when.tzinfo is None:  # a date that ends in -0000
            when = when.replace(tzinfo=UTC)
        return max(0.0, (when - datetime.now(UTC)).total_seconds())
    except (ValueError, OverflowError):  # no date, or one beyond all calendars
        return None
