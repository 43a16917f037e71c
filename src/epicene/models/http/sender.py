"""Send a request until it is answered or given up: timeouts, retries, rate limits, costs."""

from __future__ import annotations

import asyncio
import logging
import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from epicene.core.errors import RunError
from epicene.models.http.errors import (
    ErrorKind,
    HttpStatusError,
    RejectedError,
    TransientError,
    UnanswerableError,
    with_attempts,
)
from epicene.models.http.retry import RetryPolicy, retry_after
from epicene.models.pricing import Budget

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterable

    from epicene.models.http.address import Address
    from epicene.models.http.concurrency import AdaptiveSemaphore
    from epicene.models.http.load_balancer import LoadBalancer, Server
    from epicene.models.pricing import Price


@dataclass
class RequestStats:
    """Counts over the model's life. Only the thread that sends writes them."""

    sent: int = 0
    heard: int = 0  # replies of any status: whether somebody is there at all
    answered: int = 0
    retries: int = 0
    moved: int = 0  # to another server: the first went away, or its reply was no answer
    rate_limited: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    pictures: int = 0
    refused: int = 0  # pictures that a filter kept back
    shorter_than_asked: int = 0
    models: set[str] = field(default_factory=set)
    fingerprints: set[str] = field(default_factory=set)


@dataclass
class CostMeter:
    """What a model charges, has charged, and whose money it is."""

    price: Price
    budget: Budget = field(default_factory=Budget)
    charged: float | None = None
    doubtful: float = 0.0  # perhaps charged, for replies that never came

    def charge(self, amount: float) -> None:
        """A reply was paid for, whether or not it held an answer."""
        self.charged = (self.charged or 0.0) + amount
        self.budget.charge(amount)

    def doubt(self, worth: float) -> None:
        """What was asked for may be charged although it never came: the limit counts it."""
        self.doubtful += worth
        self.budget.charge(worth)


class Attempt:
    """One attempt at a request, and what becomes of the dollars that it is worth.

    From when it is sent until its cost is told it may be charged for. One that ends in between (no
    reply, one that cannot be read, called off) counts as if it were, with all that it is worth.
    """

    def __init__(
        self,
        till: CostMeter,
        worth: float,
        failed_at: Server | None,
        turned_down: dict[Server, str],
    ) -> None:
        self.gone = 0.0
        # Where the attempt before this one failed; who turned the request down, or replied to it
        # with what is no answer, and how.
        self.failed_at = failed_at
        self.turned_down = turned_down
        self.server: Server | None = None  # where this one is sent
        self._cost_meter = till
        self._worth = worth
        self._untold = False

    def sent(self) -> None:
        """It is on its way."""
        self._untold = True

    def mark_uncharged(self) -> None:
        """Nobody took it, so nobody charges for it."""
        self._untold = False

    def cost(self, amount: float | None) -> None:
        """What it cost, if that is known, whether or not it brought an answer."""
        if amount is not None:
            self._cost_meter.charge(amount)
            self.gone += amount
            self._untold = False

    def close(self) -> None:
        """It has ended, however."""
        if self._untold:
            self._cost_meter.doubt(self._worth)
            self.gone += self._worth
            self._untold = False


T = TypeVar("T")

# Statuses beside the 5xx that another attempt may mend: timeout, conflict, too early.
_TRANSIENT_STATUSES = frozenset({408, 409, 425})
_NOT_IMPLEMENTED = 501
_PAYMENT_REQUIRED = 402
# Faults after which another server is asked at once.
_RETRY_ELSEWHERE = frozenset({"absent", "lost", "unread"})


class RedactingLogFilter(logging.Filter):
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
    tally: RequestStats
    cost_meter: CostMeter
    load_balancer: LoadBalancer
    timeout: float
    patience: RetryPolicy

    @property
    def address(self) -> Address:
        """The only server, or the first; what is secret is the same for all."""
        return self.load_balancer.servers[0].address

    async def send_with_retries(
        self, attempt: Callable[[Attempt], Awaitable[T]], worth: float = 0.0
    ) -> T:
        """Try until there is an answer; `UnansweredError` where none came.

        An attempt is `worth` so many dollars at most. What one has cost in vain is taken from the
        purse once more before the next is made.
        """
        heard, attempts = self.tally.heard, 0
        failed: Counter[ErrorKind] = Counter()
        failed_at: Server | None = None
        turned_down: dict[Server, str] = {}
        while True:
            trial = Attempt(self.cost_meter, worth, failed_at, turned_down)
            try:
                return await attempt(trial)
            except TransientError as error:
                fault, failed_at = error, trial.server
            finally:
                trial.close()
            attempts += fault.kind != "absent"
            failed[fault.kind] += 1
            if failed[fault.kind] >= self.patience.max_attempts.get(fault.kind, math.inf):
                self._give_up(fault, attempts, silent=self.tally.heard == heard)
            if trial.gone and not self.cost_meter.budget.reserve_more(trial.gone):
                reason = with_attempts(fault.reason, attempts)
                raise UnanswerableError(f"{reason}; the cost limit leaves no room to ask again")
            if fault.kind in _RETRY_ELSEWHERE:
                self.tally.moved += 1
                continue
            self.tally.retries += 1
            await asyncio.sleep(self.patience.wait(attempts, fault.after))

    async def send_once(
        self, send: Callable[[], Awaitable[T]], trial: Attempt, *, elsewhere: bool = False
    ) -> T:
        """Send when there is room, and wait for the answer within the time limit.

        `send` reads the reply too, so that what is no answer counts against the server. Where a
        server is away, of several, that is said and not what became of the request. What is sent
        `elsewhere` takes room like all else, and says nothing of a server.
        """
        async with self.load_balancer.slot(trial.turned_down, trial.failed_at) as (server, round_):
            trial.server = server
            try:
                answer = await self._exchange(send, trial, server.semaphore, round_)
            except (TransientError, UnanswerableError) as fault:
                if not elsewhere:
                    await self._blame(server, fault, trial)
                raise
            server.semaphore.grow()
            if not elsewhere:
                self.load_balancer.record_success(server)
        return answer

    async def _blame(
        self, server: Server, fault: TransientError | UnanswerableError, trial: Attempt
    ) -> None:
        """Raise what is to be done instead where a server, of several, may be to blame."""
        match fault:
            case TransientError(kind="limit"):
                return
            case RejectedError():
                if self.load_balancer.several and fault.of_server:
                    self._ask_another(server, fault, trial)
            case UnanswerableError() | TransientError(kind="reply"):
                by = trial.turned_down
                if self.load_balancer.several and await self.load_balancer.unread(
                    server, str(fault), by
                ):
                    raise TransientError("unread", str(fault)) from None
            case TransientError():
                if await self.load_balancer.failed(server, fault.reason):
                    kind: ErrorKind = "absent" if fault.kind == "connect" else "lost"
                    raise TransientError(kind, f"the server went away ({fault.reason})") from None

    async def _exchange(
        self, send: Callable[[], Awaitable[T]], trial: Attempt, gate: AdaptiveSemaphore, round_: int
    ) -> T:
        self.tally.sent += 1
        trial.sent()
        try:
            async with asyncio.timeout(self.timeout):
                answer = await send()
        except TimeoutError:
            raise TransientError("hang", f"no reply within {self.timeout:g} s") from None
        except TransientError as fault:
            self.tally.heard += fault.kind == "reply"
            if fault.kind == "connect":
                trial.mark_uncharged()
            raise
        except UnanswerableError:
            self.tally.heard += 1
            raise
        except HttpStatusError as error:
            trial.mark_uncharged()
            self.tally.heard += 1
            self._status(error, gate, round_)
        self.tally.heard += 1
        return answer

    def _ask_another(self, server: Server, rejected: RejectedError, trial: Attempt) -> None:
        """Raise to that end where a server is to blame for turning a request down."""
        if self.load_balancer.turned_down(server, str(rejected), trial.turned_down):
            raise TransientError("absent", f"the server turned it down ({rejected})") from None
        # A firewall may turn down the first request, or all that an earlier session left; but where
        # the key is wrong, or not even models are listed, nothing else would fare better.
        if not self.tally.answered and (
            rejected.status == 401 or not self.load_balancer.lists_models
        ):
            raise self.load_balancer.all_rejected_error(
                trial.turned_down, self.key_variable
            ) from None

    def _give_up(self, fault: TransientError, attempts: int, *, silent: bool) -> NoReturn:
        reason = self.address.redact(with_attempts(fault.reason, attempts))
        if fault.kind == "connect" and silent:
            # Nobody has answered anyone all the while: each request would wait as long in vain.
            raise RunError(
                f"No server answers at {self.load_balancer.shown}: {reason}; "
                "start it or check the address, and run the same command again to go on."
            )
        raise UnanswerableError(reason)

    def _status(self, error: HttpStatusError, gate: AdaptiveSemaphore, round_: int) -> NoReturn:
        """Turn an error status into what it means for the request."""
        status, message = error.status, self.address.redact(error.message)
        if status == 429:
            self._too_many(error, message, gate, round_)
        if status == _PAYMENT_REQUIRED:
            raise _quota_error(message) from None
        if status == 401 and not self.tally.answered and not self.load_balancer.several:
            raise RunError(
                f"The server refuses the key (HTTP 401): set {self.key_variable} to one it accepts."
            ) from None
        if status in _TRANSIENT_STATUSES or (status >= 500 and status != _NOT_IMPLEMENTED):
            after = retry_after(error.headers)
            raise TransientError("server", f"HTTP {status}: {message}", after) from None
        raise RejectedError(
            status,
            message,
            parameter=error.parameter,
            code=error.code,
            error_type=error.error_type,
            sent=error.sent,
        ) from None

    def _too_many(
        self, error: HttpStatusError, message: str, gate: AdaptiveSemaphore, round_: int
    ) -> NoReturn:
        if error.code == "insufficient_quota":
            raise _quota_error(message) from None
        after = retry_after(error.headers)
        self.tally.rate_limited += 1
        gate.cut(round_)
        if after:
            gate.pause(min(after, self.patience.max_wait))
        raise TransientError("limit", f"HTTP 429: {message}", after) from None


def _quota_error(message: str) -> RunError:
    return RunError(
        f"The server says the account's quota is used up ({message}); "
        "mend that and run the same command again to go on."
    )


async def gather_all(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """All results in order. Where one fails the others come to their end first: what is called off
    may be paid for all the same.
    """
    results = await asyncio.gather(*work, return_exceptions=True)
    failures = [result for result in results if isinstance(result, BaseException)]
    if failures:  # what ends the run goes before what fails the request
        raise min(failures, key=lambda each: isinstance(each, UnanswerableError))
    return [result for result in results if not isinstance(result, BaseException)]
