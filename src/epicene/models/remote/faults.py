"""What may go wrong with a request, and whether asking again can help."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

# limit: too many requests; hang: no reply in time; connect: nobody there;
# server: the server's own trouble or a broken line; reply: a reply that holds no answer.
FaultKind: TypeAlias = Literal["limit", "hang", "connect", "server", "reply"]

_LONGEST = 300
# What servers call their content filters.
_FILTERS = frozenset(
    {"content_filter", "contentFilter", "content_policy_violation", "moderation_blocked"}
)


# What they say where there is no code.
_ABOUT_CONTENT = re.compile(
    r"\bNSFW\b|\bsensitive\b|\bE005\b|\bmoderat|\bsafety\b|\bcontent.polic|\bflagged\b|\bunsafe\b",
    re.IGNORECASE,
)


class PassingError(Exception):
    """An attempt that failed in a way another attempt may mend. `after`: seconds to wait."""

    def __init__(self, kind: FaultKind, reason: str, after: float | None = None) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason
        self.after = after


class UnansweredError(Exception):
    """A request that stays unanswered, and why."""


class StatusError(Exception):
    """A reply with an error status, in whichever protocol; `sent` is what it replies to."""

    def __init__(
        self,
        status: int,
        message: str = "",
        *,
        parameter: str = "",
        code: str = "",
        headers: Mapping[str, str] | None = None,
        sent: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(f"HTTP {status}: {message}")
        self.status = status
        self.message = message
        self.parameter = parameter
        self.code = code
        self.headers = headers or {}
        self.sent = sent or {}


class RejectedError(UnansweredError):
    """The server would not take the request; asking the same again is no use."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        parameter: str = "",
        code: str = "",
        sent: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(f"HTTP {status}: {message}" if message else f"HTTP {status}")
        self.sent = sent or {}
        self.status = status
        self.message = message
        self.parameter = parameter
        self.code = code

    def names(self, parameter: str) -> bool:
        """Whether the server's words are about this parameter."""
        return self.parameter == parameter or bool(
            re.search(rf"\b{re.escape(parameter)}\b", self.message)
        )

    @property
    def filtered(self) -> bool:
        """Whether a content filter, not the protocol, turned the request down."""
        return self.code in _FILTERS


def speaks_of_content(message: str) -> bool:
    """Whether a server's words are a content filter's."""
    return bool(_ABOUT_CONTENT.search(message))


def after_attempts(reason: str, attempts: int) -> str:
    """Why something was given up, and how often it was tried."""
    return f"{reason} ({attempts} attempt{'s' if attempts > 1 else ''})"


def brief(text: str) -> str:
    """A server's words on one line, cut where they grow long."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def words(body: object) -> tuple[str, str, str]:
    """A refusal's message, the parameter it names and its code, in whichever form it came."""
    inner = body.get("error", body) if isinstance(body, Mapping) else body
    if not isinstance(inner, Mapping):
        return brief(str(inner or "")), "", ""
    message = inner.get("message") or inner.get("detail") or inner.get("title") or ""
    return brief(str(message)), str(inner.get("param") or ""), str(inner.get("code") or "")
