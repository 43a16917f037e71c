"""Sending a request until it is answered or given up: time limit, retries, adapting room."""

from __future__ import annotations

import asyncio
import logging
import random
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias, TypeVar

import msgspec
import openai

from epicene.errors import RunError
from epicene.models.openai_api import replies
from epicene.models.openai_api.address import KEY_VARIABLE, Address
from epicene.models.openai_api.faults import (
    FaultKind,
    PassingError,
    RejectedError,
    UnansweredError,
    brief,
)
from epicene.records import Record

if TYPE_CHECKING:
    from epicene.models.openai_api.gate import Gate
    from epicene.models.openai_api.replies import Reply
    from epicene.models.openai_api.tally import Tally

Endpoint: TypeAlias = Literal["chat/completions", "completions", "images/generations"]
Body: TypeAlias = dict[str, Any]
T = TypeVar("T")

# Statuses beside the 5xx that another attempt may mend: timeout, conflict, too early.
_PASSING = frozenset({408, 409, 425})
_NOT_IMPLEMENTED = 501


def _usual_tries() -> dict[FaultKind, int]:
    return {"limit": 12, "hang": 3, "connect": 5, "server": 6, "reply": 3}


class Patience(Record, kw_only=True, frozen=True):
    """How often a request is tried for each kind of fault, and how long between (seconds)."""

    tries: dict[FaultKind, int] = msgspec.field(default_factory=_usual_tries)
    first_wait: float = 0.5
    longest_wait: float = 60.0

    def wait(self, failures: int, after: float | None) -> float:
        """Doubling, jittered so that requests do not come back together; never too early."""
        if after is not None:
            asked = min(after, self.longest_wait)
            return asked + random.uniform(0, max(self.first_wait / 4, asked / 10))
        doubled = self.first_wait * 2.0 ** min(failures - 1, 16)
        return min(doubled, self.longest_wait) * random.uniform(0.5, 1)


class _Discreet(logging.Filter):
    """The HTTP library logs every address, with what is secret in it."""

    loggers = ("httpx", "httpx2")

    def __init__(self, address: Address) -> None:
        super().__init__()
        self._address = address

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self._address.redact(record.getMessage()), ()
        return True


class Transport:
    """One client in one event loop."""

    def __init__(
        self,
        address: Address,
        tally: Tally,
        gate: Gate,
        *,
        timeout: float,
        patience: Patience,
    ) -> None:
        self.tally = tally
        self.gate = gate
        self._address = address
        self._timeout = timeout
        self._patience = patience
        self._discreet = _Discreet(address)
        for name in _Discreet.loggers:
            logging.getLogger(name).addFilter(self._discreet)
        self._client = openai.AsyncOpenAI(
            api_key=address.key,
            base_url=address.base_url,
            default_query=address.query or None,
            max_retries=0,
            timeout=None,  # ours is over the whole request, the client's over each read
        )

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.close()
        for name in _Discreet.loggers:
            logging.getLogger(name).removeFilter(self._discreet)

    async def post(
        self, endpoint: Endpoint, write: Callable[[], Body], read: Callable[[Reply], T]
    ) -> T:
        """Ask until `read` finds an answer in the reply; `UnansweredError` where none came.

        What to send is written when there is room for it, by what has been learnt until then.
        """
        heard = self.tally.heard
        failed: Counter[FaultKind] = Counter()
        while True:
            try:
                return read(await self._once(endpoint, write))
            except PassingError as fault:
                failed[fault.kind] += 1
                if failed[fault.kind] >= self._patience.tries[fault.kind]:
                    self._give_up(fault, failed.total(), silent=self.tally.heard == heard)
                wait = self._patience.wait(failed.total(), fault.after)
            self.tally.retries += 1
            await asyncio.sleep(wait)

    def _give_up(self, fault: PassingError, attempts: int, *, silent: bool) -> NoReturn:
        reason = self._address.redact(f"{fault.reason} ({attempts} attempts)")
        if fault.kind == "connect" and silent:
            # Nobody has answered anyone all the while: each request would wait as long in vain.
            raise RunError(
                f"No server answers at {self._address.shown}: {reason}; "
                "start it or check the address, and run the same command again to go on."
            )
        raise UnansweredError(reason)

    async def _once(self, endpoint: Endpoint, write: Callable[[], Body]) -> Reply:
        async with self.gate.slot() as round_:
            self.tally.sent += 1
            body = write()
            try:
                async with asyncio.timeout(self._timeout):
                    content = await self._send(endpoint, body)
            except TimeoutError:
                raise PassingError("hang", f"no reply within {self._timeout:g} s") from None
            except openai.APIStatusError as error:
                self.tally.heard += 1
                self._status(error, body, round_)
            except openai.APIConnectionError as error:
                raise _broken_line(error) from None
            self.tally.heard += 1
            self.gate.grow()
        return self._decode(content)

    async def _send(self, endpoint: Endpoint, body: Body) -> bytes:
        if endpoint == "completions":
            completion = await self._client.completions.with_raw_response.create(**body)
            return completion.http_response.content
        if endpoint == "images/generations":
            images = await self._client.images.with_raw_response.generate(**body)
            return images.http_response.content
        chat = await self._client.chat.completions.with_raw_response.create(**body)
        return chat.http_response.content

    def _decode(self, content: bytes) -> Reply:
        try:
            reply = replies.decode(content)
        except msgspec.DecodeError as error:
            raise PassingError("reply", f"the reply could not be read ({error})") from None
        if reply.error and not reply.choices and not reply.data:
            message = reply.error.get("message") if isinstance(reply.error, Mapping) else None
            raise PassingError("server", f"an error came: {brief(str(message or reply.error))}")
        self.tally.count(reply)
        return reply

    def _status(self, error: openai.APIStatusError, body: Body, round_: int) -> NoReturn:
        """Turn an error status into what it means for the request."""
        status = error.status_code
        message, parameter, code = _words(error)
        message = self._address.redact(message)
        after = _retry_after(error.response.headers)
        if status == 429:
            self._too_many(code, message, after, round_)
        if status == 401 and not self.tally.answered:
            raise RunError(
                f"The server refuses the key (HTTP 401): set {KEY_VARIABLE} to one it accepts."
            ) from None
        if status in _PASSING or (status >= 500 and status != _NOT_IMPLEMENTED):
            raise PassingError("server", f"HTTP {status}: {message}", after) from None
        raise RejectedError(status, message, parameter=parameter, code=code, sent=body) from None

    def _too_many(self, code: str, message: str, after: float | None, round_: int) -> NoReturn:
        if code == "insufficient_quota":
            raise RunError(
                f"The server says the account's quota is used up ({message}); "
                "mend that and run the same command again to go on."
            ) from None
        self.tally.rate_limited += 1
        self.gate.cut(round_)
        if after:
            self.gate.pause(min(after, self._patience.longest_wait))
        raise PassingError("limit", f"HTTP 429: {message}", after) from None


async def together(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """All results in order; where one fails the others are called off."""
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()


def _broken_line(error: openai.APIConnectionError) -> PassingError:
    cause = error.__cause__
    # By name: the client library has changed the HTTP library beneath it before.
    kind: FaultKind = "connect" if type(cause).__name__ == "ConnectError" else "server"
    return PassingError(kind, f"the connection failed ({brief(str(cause or error)) or 'closed'})")


def _words(error: openai.APIStatusError) -> tuple[str, str, str]:
    """A refusal's message, the parameter it names and its code, in whichever form it came."""
    body = error.body
    if not isinstance(body, Mapping):
        return brief(str(body or "")), "", ""
    inner = body.get("error", body)
    if not isinstance(inner, Mapping):
        return brief(str(inner)), "", ""
    message = inner.get("message") or inner.get("detail") or ""
    return brief(str(message)), str(inner.get("param") or ""), str(inner.get("code") or "")


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds the server asks to wait, given in milliseconds, seconds or as a date."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        return seconds if 0 <= seconds < float("inf") else None
    try:
        when = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    if when.tzinfo is None:  # a date that ends in -0000
        when = when.replace(tzinfo=UTC)
    return max(0.0, (when - datetime.now(UTC)).total_seconds())
