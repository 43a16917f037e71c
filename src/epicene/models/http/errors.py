"""Errors of a request to a server, and which of them are transient."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from epicene.models import UnanswerableError

# limit: too many requests; hang: no reply in time; connect: no server there;
# server: the server's own error or a broken connection; reply: a reply without an answer;
# lost: one of several servers went down with the request; absent: it was down before;
# unread: its reply holds no answer, and another has not been asked yet.
ErrorKind: TypeAlias = Literal[
    "limit", "hang", "connect", "server", "reply", "lost", "absent", "unread"
]

_MAX_MESSAGE_LENGTH = 300
# What servers call their content filters, as the code or the type of an error.
_FILTER_CODES = frozenset(
    {
        "content_filter",
        "contentFilter",
        "content_moderation",
        "content_policy_violation",
        "moderation_blocked",
        "ResponsibleAIPolicyViolation",
    }
)
# What they say where there is no code. Not every mention of safety is a refusal: a setting may have
# such a name, and case be sensitive.
_CONTENT_FILTER_MESSAGE = re.compile(
    r"\bNSFW\b|\bE005\b|\bflagged (as|by|for)\b|\bmoderated\b"
    r"|\bcontent[ _-](moderation|polic|filter)|\bmoderation (system|filter|check|error)"
    r"|\bsafety (system|check|filter|polic)|\b(sensitive|unsafe|inappropriate) content\b",
    re.IGNORECASE,
)
# The statuses under which a filter rejects a request.
_FILTER_STATUSES = frozenset({400, 403, 422})
# The statuses about the key, the model or the path, which depend on the server.
_SERVER_STATUSES = frozenset({401, 403, 404, 405, 501})
# The statuses below 500 that another attempt may resolve: timeout, conflict, too early, too many.
_TRANSIENT_STATUSES = frozenset({408, 409, 425, 429})
_NOT_IMPLEMENTED = 501
# What a malformed request is called, and the settings that hold what a filter reads.
_MALFORMED = frozenset({"Input validation failed", "validation_error"})
_FILTERED_PARAMETERS = frozenset({"", "prompt", "messages", "input", "input.prompt", "text_prompt"})


class TransientError(Exception):
    """A failed attempt after which another may succeed. `after`: seconds to wait."""

    def __init__(self, kind: ErrorKind, reason: str, after: float | None = None) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason
        self.after = after


class ErrorDetails(NamedTuple):
    """What a server says about an error."""

    message: str
    parameter: str = ""
    code: str = ""
    error_type: str = ""


class HttpStatusError(Exception):
    """A reply with an error status, in any protocol; `sent` is the body it replies to."""

    def __init__(
        self,
        status: int,
        details: ErrorDetails,
        headers: Mapping[str, str] | None = None,
        sent: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(f"HTTP {status}: {details.message}")
        self.status, self.details = status, details
        self.headers, self.sent = headers or {}, sent or {}


def is_transient_status(status: int) -> bool:
    """Whether another attempt may succeed after a reply with this status."""
    return status in _TRANSIENT_STATUSES or (status >= 500 and status != _NOT_IMPLEMENTED)


class RejectedError(UnanswerableError):
    """The server rejected the request; sending it again would not help."""

    def __init__(
        self, status: int, details: ErrorDetails, sent: Mapping[str, Any] | None = None
    ) -> None:
        self.status, self.sent = status, sent or {}
        self.message, self.parameter, self.code, self.error_type = details
        super().__init__(f"HTTP {status}: {self.message}" if self.message else f"HTTP {status}")

    def names(self, parameter: str) -> bool:
        """Whether the message is about this parameter."""
        return self.parameter == parameter or bool(
            re.search(rf"\b{re.escape(parameter)}\b", self.message)
        )

    @property
    def of_server(self) -> bool:
        """Whether another server, properly set up, may accept the request."""
        redirects = 300 <= self.status < 400
        return (redirects or self.status in _SERVER_STATUSES) and not self.filtered

    @property
    def filtered(self) -> bool:
        """Whether a content filter, not the protocol, rejected the request.

        The provider's code decides; if there is none, its message does.
        """
        if not _FILTER_CODES.isdisjoint((self.code, self.error_type)):
            return True
        another = (
            bool(self.code.strip("0123456789"))  # a number only repeats the status
            or self.error_type in _MALFORMED
            or self.parameter not in _FILTERED_PARAMETERS
        )
        return (
            self.status in _FILTER_STATUSES
            and not another
            and mentions_content_filter(self.message)
        )


def mentions_content_filter(message: str) -> bool:
    """Whether a message is a content filter's."""
    return bool(_CONTENT_FILTER_MESSAGE.search(message))


def connection_error(cause: BaseException, unnamed: str) -> TransientError:
    """What a failed connection means for the request; `unnamed` describes a cause without a
    message.
    """
    # By name: the client libraries have changed the HTTP library beneath them before.
    connected = type(cause).__name__ not in {"ConnectError", "ConnectTimeout"}
    kind: ErrorKind = "server" if connected else "connect"
    return TransientError(kind, f"the connection failed ({one_line(str(cause)) or unnamed})")


def with_attempts(reason: str, attempts: int) -> str:
    """A reason, with the number of attempts."""
    return f"{reason} ({attempts} attempt{'s' if attempts > 1 else ''})"


def one_line(text: str) -> str:
    """A message on one line."""
    return " ".join(text.split())


def shorten(text: str) -> str:
    """A message, cut if it is long. Redact it first: the part of a secret is not recognised."""
    return text if len(text) <= _MAX_MESSAGE_LENGTH else text[: _MAX_MESSAGE_LENGTH - 1] + "…"


def parse_error_details(body: object) -> ErrorDetails:
    """The details of an error reply, in any of the known formats."""
    inner = body.get("error", body) if isinstance(body, Mapping) else body
    if not isinstance(inner, Mapping):
        return ErrorDetails(one_line(str(inner or "")))
    detail = inner.get("detail")
    message = inner.get("message") or detail or inner.get("title") or ""
    listed = "validation_error" if isinstance(detail, list) else ""  # one for each bad field
    error_type = inner.get("type") or inner.get("title") or inner.get("name") or listed
    return ErrorDetails(
        one_line(str(message)),
        one_line(str(inner.get("param") or "")),
        one_line(str(inner.get("code") or "")),
        one_line(str(error_type or "")),
    )
