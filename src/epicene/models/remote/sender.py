"""Sending a request until it is answered or given up: time limit, retries, adapting room."""

from __future__ import annotations

import asyncio
import logging
import math
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
from epicene.models.remote.tally import Trial

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterable

    from epicene.models.remote.address import Address
    from epicene.models.remote.fleet import Fleet
    from epicene.models.remote.gate import Gate
    from epicene.models.remote.server import Server
    from epicene.models.remote.tally import Tally, Till

T = TypeVar("T")

# Statuses beside the 5xx that another attempt may mend: timeout, conflict, too early.
_PASSING = frozenset({408, 409, 425})
_NOT_IMPLEMENTED = 501
_NO_MONEY_LEFT = 402
# Faults after which another server is asked at once.
_MOVED = frozenset({"absent", "lost", "unread"})


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
    """What all requests of a model share, in one event loop."""

    key_variable: str
    tally: Tally
    till: Till
    fleet: Fleet
    timeout: float
    patience: Patience

    @property
    def address(self) -> Address:
        """The only server, or the first; what is secret is the same for all."""
        return self.fleet.servers[0].address

    async def until_answered(
        self, attempt: Callable[[Trial], Awaitable[T]], worth: float = 0.0
    ) -> T:
        """Try until there is an answer; `UnansweredError` where none came.

        An attempt is `worth` so many dollars at most. What one has cost in vain is taken from the
        purse once more before the next is made.
        """
        heard, attempts = self.tally.heard, 0
        failed: Counter[FaultKind] = Counter()
        failed_at: Server | None = None
        turned_down: dict[Server, str] = {}
        while True:
            trial = Trial(self.till, worth, failed_at, turned_down)
            try:
                return await attempt(trial)
            except PassingError as error:
                fault, failed_at = error, trial.server
            finally:
                trial.close()
            attempts += fault.kind != "absent"
            failed[fault.kind] += 1
            if failed[fault.kind] >= self.patience.tries.get(fault.kind, math.inf):
                self._give_up(fault, attempts, silent=self.tally.heard == heard)
            if trial.gone and not self.till.purse.take_more(trial.gone):
                reason = after_attempts(fault.reason, attempts)
                raise UnansweredError(f"{reason}; the cost limit leaves no room to ask again")
            if fault.kind in _MOVED:
                self.tally.moved += 1
                continue
            self.tally.retries += 1
            await asyncio.sleep(self.patience.wait(attempts, fault.after))

    async def once(
        self, send: Callable[[], Awaitable[T]], trial: Trial, *, elsewhere: bool = False
    ) -> T:
        """Send when there is room, and wait for the answer within the time limit.

        `send` reads the reply too, so that what is no answer counts against the server. Where a
        server is away, of several, that is said and not what became of the request. What is sent
        `elsewhere` takes room like all else, and says nothing of a server.
        """
        async with self.fleet.slot(trial.turned_down, trial.failed_at) as (server, round_):
            trial.server = server
            try:
                answer = await self._exchange(send, trial, server.gate, round_)
            except (PassingError, UnansweredError) as fault:
                if not elsewhere:
                    await self._blame(server, fault, trial)
                raise
            server.gate.grow()
            if not elsewhere:
                self.fleet.succeeded(server)
        return answer

    async def _blame(
        self, server: Server, fault: PassingError | UnansweredError, trial: Trial
    ) -> None:
        """Raise what is to be done instead where a server, of several, may be to blame."""
        match fault:
            case PassingError(kind="limit"):
                return
            case RejectedError():
                if self.fleet.several and fault.of_server:
                    self._ask_another(server, fault, trial)
            case UnansweredError() | PassingError(kind="reply"):
                by = trial.turned_down
                if self.fleet.several and await self.fleet.unread(server, str(fault), by):
                    raise PassingError("unread", str(fault)) from None
            case PassingError():
                if await self.fleet.failed(server, fault.reason):
                    kind: FaultKind = "absent" if fault.kind == "connect" else "lost"
                    raise PassingError(kind, f"the server went away ({fault.reason})") from None

    async def _exchange(
        self, send: Callable[[], Awaitable[T]], trial: Trial, gate: Gate, round_: int
    ) -> T:
        self.tally.sent += 1
        trial.sent()
        try:
            async with asyncio.timeout(self.timeout):
                answer = await send()
        except TimeoutError:
            raise PassingError("hang", f"no reply within {self.timeout:g} s") from None
        except PassingError as fault:
            self.tally.heard += fault.kind == "reply"
            if fault.kind == "connect":
                trial.turned_away()
            raise
        except UnansweredError:
            self.tally.heard += 1
            raise
        except StatusError as error:
            trial.turned_away()
            self.tally.heard += 1
            self._status(error, gate, round_)
        self.tally.heard += 1
        return answer

    def _ask_another(self, server: Server, rejected: RejectedError, trial: Trial) -> None:
        """Raise to that end where a server is to blame for turning a request down."""
        if self.fleet.turned_down(server, str(rejected), trial.turned_down):
            raise PassingError("absent", f"the server turned it down ({rejected})") from None
        # A firewall may turn down the first request, or all that an earlier session left; but where
        # the key is wrong, or not even models are listed, nothing else would fare better.
        if not self.tally.answered and (rejected.status == 401 or not self.fleet.lists_models):
            raise self.fleet.nobody_takes(trial.turned_down, self.key_variable) from None

    def _give_up(self, fault: PassingError, attempts: int, *, silent: bool) -> NoReturn:
        reason = self.address.redact(after_attempts(fault.reason, attempts))
        if fault.kind == "connect" and silent:
            # Nobody has answered anyone all the while: each request would wait as long in vain.
            raise RunError(
                f"No server answers at {self.fleet.shown}: {reason}; "
                "start it or check the address, and run the same command again to go on."
            )
        raise UnansweredError(reason)

    def _status(self, error: StatusError, gate: Gate, round_: int) -> NoReturn:
        """Turn an error status into what it means for the request."""
        status, message = error.status, self.address.redact(error.message)
        if status == 429:
            self._too_many(error, message, gate, round_)
        if status == _NO_MONEY_LEFT:
            raise _used_up(message) from None
        if status == 401 and not self.tally.answered and not self.fleet.several:
            raise RunError(
                f"The server refuses the key (HTTP 401): set {self.key_variable} to one it accepts."
            ) from None
        if status in _PASSING or (status >= 500 and status != _NOT_IMPLEMENTED):
            after = retry_after(error.headers)
            raise PassingError("server", f"HTTP {status}: {message}", after) from None
        raise RejectedError(
            status,
            message,
            parameter=error.parameter,
            code=error.code,
            error_type=error.error_type,
            sent=error.sent,
        ) from None

    def _too_many(self, error: StatusError, message: str, gate: Gate, round_: int) -> NoReturn:
        if error.code == "insufficient_quota":
            raise _used_up(message) from None
        after = retry_after(error.headers)
        self.tally.rate_limited += 1
        gate.cut(round_)
        if after:
            gate.pause(min(after, self.patience.longest_wait))
        raise PassingError("limit", f"HTTP 429: {message}", after) from None


def _used_up(message: str) -> RunError:
    return RunError(
        f"The server says the account's quota is used up ({message}); "
        "mend that and run the same command again to go on."
    )


async def together(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """All results in order. Where one fails the others come to their end first: what is called off
    may be paid for all the same.
    """
    results = await asyncio.gather(*work, return_exceptions=True)
    failures = [result for result in results if isinstance(result, BaseException)]
    if failures:  # what ends the run goes before what fails the request
        raise min(failures, key=lambda each: isinstance(each, UnansweredError))
    return [result for result in results if not isinstance(result, BaseException)]
