"""Sending a request until it is answered or given up: time limit, retries, adapting room."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from epicene.errors import RunError
from epicene.models.remote.faults import (
    FaultKind,
    PassingError,
    RejectedError,
    StatusError,
    UnansweredError,
    after_attempts,
)
from epicene.models.remote.patience import Patience, retry_after

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterable

    from epicene.models.remote.address import Address
    from epicene.models.remote.gate import Gate
    from epicene.models.remote.tally import Tally, Till

T = TypeVar("T")

# Statuses beside the 5xx that another attempt may mend: timeout, conflict, too early.
_PASSING = frozenset({408, 409, 425})
_NOT_IMPLEMENTED = 501
_NO_MONEY_LEFT = 402


class Discreet(logging.Filter):
    """The HTTP library logs every address, with what is secret in it."""

    loggers = ("httpx", "httpx2")

    def __init__(self, address: Address) -> None:
        super().__init__()
        self._address = address

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self._address.redact(record.getMessage()), ()
        return True

    def begin(self) -> None:
        """Read along from now on."""
        for name in self.loggers:
            logging.getLogger(name).addFilter(self)

    def end(self) -> None:
        """Read along no more."""
        for name in self.loggers:
            logging.getLogger(name).removeFilter(self)


@dataclass
class Sender:
    """What all requests to one server share, in one event loop."""

    address: Address
    key_variable: str
    tally: Tally
    till: Till
    gate: Gate
    timeout: float
    patience: Patience

    async def until_answered(self, attempt: Callable[[], Awaitable[T]], worth: float = 0.0) -> T:
        """Try until there is an answer; `UnansweredError` where none came.

        An attempt that hangs may be charged all the same: it is `worth` so many dollars.
        """
        heard = self.tally.heard
        failed: Counter[FaultKind] = Counter()
        while True:
            try:
                return await attempt()
            except PassingError as fault:
                failed[fault.kind] += 1
                if fault.kind == "hang":
                    self.till.doubt(worth)
                affordable = fault.kind != "hang" or self.till.purse.take_more(worth)
                if not affordable or failed[fault.kind] >= self.patience.tries[fault.kind]:
                    self._give_up(fault, failed.total(), silent=self.tally.heard == heard)
                wait = self.patience.wait(failed.total(), fault.after)
            self.tally.retries += 1
            await asyncio.sleep(wait)

    async def once(self, send: Callable[[], Awaitable[T]]) -> T:
        """Send when there is room, and wait for the reply within the time limit."""
        async with self.gate.slot() as round_:
            self.tally.sent += 1
            try:
                async with asyncio.timeout(self.timeout):
                    reply = await send()
            except TimeoutError:
                raise PassingError("hang", f"no reply within {self.timeout:g} s") from None
            except StatusError as error:
                self.tally.heard += 1
                self._status(error, round_)
            self.tally.heard += 1
            self.gate.grow()
        return reply

    def _give_up(self, fault: PassingError, attempts: int, *, silent: bool) -> NoReturn:
        reason = self.address.redact(after_attempts(fault.reason, attempts))
        if fault.kind == "connect" and silent:
            # Nobody has answered anyone all the while: each request would wait as long in vain.
            raise RunError(
                f"No server answers at {self.address.shown}: {reason}; "
                "start it or check the address, and run the same command again to go on."
            )
        raise UnansweredError(reason)

    def _status(self, error: StatusError, round_: int) -> NoReturn:
        """Turn an error status into what it means for the request."""
        status, message = error.status, self.address.redact(error.message)
        if status == 429:
            self._too_many(error, message, round_)
        if status == _NO_MONEY_LEFT:
            raise _used_up(message) from None
        if status == 401 and not self.tally.answered:
            raise RunError(
                f"The server refuses the key (HTTP 401): set {self.key_variable} to one it accepts."
            ) from None
        if status in _PASSING or (status >= 500 and status != _NOT_IMPLEMENTED):
            after = retry_after(error.headers)
            raise PassingError("server", f"HTTP {status}: {message}", after) from None
        raise RejectedError(
            status, message, parameter=error.parameter, code=error.code, sent=error.sent
        ) from None

    def _too_many(self, error: StatusError, message: str, round_: int) -> NoReturn:
        if error.code == "insufficient_quota":
            raise _used_up(message) from None
        after = retry_after(error.headers)
        self.tally.rate_limited += 1
        self.gate.cut(round_)
        if after:
            self.gate.pause(min(after, self.patience.longest_wait))
        raise PassingError("limit", f"HTTP 429: {message}", after) from None


def _used_up(message: str) -> RunError:
    return RunError(
        f"The server says the account's quota is used up ({message}); "
        "mend that and run the same command again to go on."
    )


async def together(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """All results in order; where one fails the others are called off."""
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
