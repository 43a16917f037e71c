"""Send a request until it is answered or abandoned: timeouts, retries, rate limits, costs."""

from __future__ import annotations

import asyncio
import logging
import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from epicene.core.errors import RunError
from epicene.models import UnanswerableError
from epicene.models.http.errors import (
    ErrorKind,
    HttpStatusError,
    RejectedError,
    TransientError,
    is_transient_status,
    one_line,
    shorten,
    with_attempts,
)
from epicene.models.http.responses import MIB, LargeBodySlots
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
    heard: int = 0  # replies of any status, which show that a server is there
    answered: int = 0
    retries: int = 0
    moved: int = 0  # to another server: the first went down, or its reply held no answer
    rate_limited: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    pictures: int = 0
    refused: int = 0  # images that a filter withheld
    shorter_than_asked: int = 0
    invalid_usage: int = 0  # replies whose cost or tokens are negative or beyond all use
    models: set[str] = field(default_factory=set)
    fingerprints: set[str] = field(default_factory=set)


def remember_name(known: set[str], name: str | None) -> None:
    """Add a name that a server states; their length and number are up to the server."""
    if name and len(known) < _MAX_NAMES:
        known.add(one_line(name))


@dataclass
class CostMeter:
    """What a model charges and has charged, and the budget it is paid from."""

    price: Price
    budget: Budget = field(default_factory=Budget)
    charged: float | None = None
    in_doubt: float = 0.0  # perhaps charged, for replies that never came

    def charge(self, amount: float) -> None:
        """Record the cost of a reply, whether or not it held an answer."""
        self.charged = (self.charged or 0.0) + amount
        self.budget.charge(amount)

    def charge_in_doubt(self, max_cost: float) -> None:
        """Count a reply that never arrived against the limit, because it may be charged anyway."""
        self.in_doubt += max_cost
        self.budget.charge(max_cost)


class Attempt:
    """One attempt at a request, and what it costs.

    From when it is sent until its cost is known, it may be charged. An attempt that ends in between
    (no reply, an unreadable reply, cancelled) counts as charged, at its maximum cost.
    """

    def __init__(
        self,
        cost_meter: CostMeter,
        max_cost: float,
        failed_at: Server | None,
        rejected_by: dict[Server, str],
    ) -> None:
        self.gone = 0.0  # dollars spent
        # Where the previous attempt failed; which servers rejected the request, or replied without
        # an answer, and why.
        self.failed_at = failed_at
        self.rejected_by = rejected_by
        self.server: Server | None = None  # to which this one is sent
        self._cost_meter = cost_meter
        self._max_cost = max_cost
        self._may_be_charged = False

    def sent(self) -> None:
        """Record that it was sent."""
        self._may_be_charged = True

    def mark_uncharged(self) -> None:
        """Record that no server accepted it, so that it is not charged."""
        self._may_be_charged = False

    def cost(self, amount: float | None) -> None:
        """Record its cost, if that is known, whether or not it brought an answer."""
        if amount is not None:
            self._cost_meter.charge(amount)
            self.gone += amount
            self._may_be_charged = False

    def close(self) -> None:
        """Record that it has ended, in whatever way."""
        if self._may_be_charged:
            self._cost_meter.charge_in_doubt(self._max_cost)
            self.gone += self._max_cost
            self._may_be_charged = False


T = TypeVar("T")
_MAX_NAMES = 100  # of models that are noted

_PAYMENT_REQUIRED = 402
# Errors after which another server is asked at once.
_RETRY_ELSEWHERE = frozenset({"absent", "lost", "unread"})


class RedactingLogFilter(logging.Filter):
    """Redacts the addresses that the HTTP library logs, secrets included."""

    loggers = ("httpx", "httpx2", "openai._base_client")

    def __init__(self, address: Address) -> None:
        super().__init__()
        self._address = address

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self._address.redact(record.getMessage()), ()
        if record.exc_info:  # the client logs tracebacks too, and their errors name the address
            traceback = logging.Formatter().formatException(record.exc_info)
            record.exc_text, record.exc_info = self._address.redact(traceback), None
        return True

    def install(self) -> None:
        """Start to redact."""
        for name in self.loggers:
            logging.getLogger(name).addFilter(self)

    def remove(self) -> None:
        """Stop redacting."""
        for name in self.loggers:
            logging.getLogger(name).removeFilter(self)


@dataclass
class Sender:
    """What all requests of a model share, in one event loop."""

    key_variable: str
    stats: RequestStats
    cost_meter: CostMeter
    load_balancer: LoadBalancer
    timeout: float
    retry_policy: RetryPolicy
    max_response: int = 16 * MIB  # bytes of a reply, packed and unpacked
    large_bodies: LargeBodySlots = field(default_factory=LargeBodySlots)

    @property
    def address(self) -> Address:
        """The only server, or the first; the secrets are the same for all."""
        return self.load_balancer.servers[0].address

    async def send_with_retries(
        self, make_attempt: Callable[[Attempt], Awaitable[T]], max_cost: float = 0.0
    ) -> T:
        """Try until there is an answer; `UnanswerableError` if none came.

        An attempt costs `max_cost` dollars at most. What a failed one has cost is reserved again
        before the next is made.
        """
        heard, attempts = self.stats.heard, 0
        failed: Counter[ErrorKind] = Counter()
        failed_at: Server | None = None
        rejected_by: dict[Server, str] = {}
        while True:
            attempt = Attempt(self.cost_meter, max_cost, failed_at, rejected_by)
            try:
                return await make_attempt(attempt)
            except TransientError as error:
                fault, failed_at = error, attempt.server
            finally:
                attempt.close()
            attempts += fault.kind != "absent"
            failed[fault.kind] += 1
            if failed[fault.kind] >= self.retry_policy.max_attempts.get(fault.kind, math.inf):
                self._give_up(fault, attempts, silent=self.stats.heard == heard)
            if attempt.gone and not self.cost_meter.budget.reserve_more(attempt.gone):
                reason = with_attempts(fault.reason, attempts)
                raise UnanswerableError(f"{reason}; the cost limit does not allow another attempt")
            if fault.kind in _RETRY_ELSEWHERE:
                self.stats.moved += 1
                continue
            self.stats.retries += 1
            await asyncio.sleep(self.retry_policy.wait(attempts, fault.after))

    async def send_once(
        self, send: Callable[[], Awaitable[T]], attempt: Attempt, *, elsewhere: bool = False
    ) -> T:
        """Send when a slot is free, and wait for the answer within the time limit.

        `send` also parses the reply, so that one without an answer counts against the server. If
        one of several servers is down, the error says so. A request that goes `elsewhere` takes a
        slot like any other, but shows nothing of the server.
        """
        # Those who have a server's slot may wait for that of a large body, never the reverse.
        self.large_bodies.release()
        async with self.load_balancer.slot(attempt.rejected_by, attempt.failed_at) as (
            server,
            round_,
        ):
            attempt.server = server
            try:
                async with self.large_bodies.hold():
                    answer = await self._exchange(send, attempt, server.semaphore, round_)
            except (TransientError, UnanswerableError) as fault:
                # The frames of what was called hold the reply, and the error outlives it.
                fault.__traceback__ = fault.__context__ = None
                self.large_bodies.release()
                if not elsewhere:
                    await self._blame(server, fault, attempt)
                raise
            server.semaphore.grow()
            if not elsewhere:
                self.load_balancer.record_success(server)
        return answer

    async def _blame(
        self, server: Server, fault: TransientError | UnanswerableError, attempt: Attempt
    ) -> None:
        """Raise the error to handle instead if one of several servers may be to blame."""
        match fault:
            case TransientError(kind="limit"):
                return
            case RejectedError():
                if self.load_balancer.several and fault.of_server:
                    self._ask_another(server, fault, attempt)
            case UnanswerableError() | TransientError(kind="reply"):
                by = attempt.rejected_by
                if self.load_balancer.several and await self.load_balancer.report_unreadable(
                    server, str(fault), by
                ):
                    raise TransientError("unread", str(fault)) from None
            case TransientError():
                if await self.load_balancer.report_failure(server, fault.reason):
                    kind: ErrorKind = "absent" if fault.kind == "connect" else "lost"
                    raise TransientError(
                        kind, f"the server became unavailable ({fault.reason})"
                    ) from None

    async def _exchange(
        self,
        send: Callable[[], Awaitable[T]],
        attempt: Attempt,
        semaphore: AdaptiveSemaphore,
        round_: int,
    ) -> T:
        self.stats.sent += 1
        attempt.sent()
        try:
            async with self.large_bodies.timeout(self.timeout):
                answer = await send()
        except TimeoutError:
            raise TransientError("hang", f"no reply within {self.timeout:g} s") from None
        except TransientError as fault:
            self.stats.heard += fault.kind == "reply"
            if fault.kind == "connect":
                attempt.mark_uncharged()
            raise
        except UnanswerableError:
            self.stats.heard += 1
            raise
        except HttpStatusError as error:
            attempt.mark_uncharged()
            self.stats.heard += 1
            self._status(error, semaphore, round_)
        self.stats.heard += 1
        return answer

    def _ask_another(self, server: Server, rejected: RejectedError, attempt: Attempt) -> None:
        """Raise a transient error if the server, not the request, is to blame for a rejection."""
        if self.load_balancer.report_rejection(server, str(rejected), attempt.rejected_by):
            raise TransientError("absent", f"the server rejected it ({rejected})") from None
        # A firewall may reject the first request, or all that an earlier session left; but if the
        # key is wrong, or not even models are listed, no other request would fare better.
        if not self.stats.answered and (
            rejected.status == 401 or not self.load_balancer.listing.known
        ):
            raise self.load_balancer.all_rejected_error(
                attempt.rejected_by, self.key_variable
            ) from None

    def _give_up(self, fault: TransientError, attempts: int, *, silent: bool) -> NoReturn:
        reason = with_attempts(shorten(self.address.redact(fault.reason)), attempts)
        if fault.kind == "connect" and silent:
            # No request has had any reply meanwhile: each would wait as long in vain.
            raise RunError(
                f"No server answers at {self.load_balancer.display}: {reason}; start the server "
                "or check the address, and run the same command again to resume."
            )
        raise UnanswerableError(reason)

    def _status(
        self, error: HttpStatusError, semaphore: AdaptiveSemaphore, round_: int
    ) -> NoReturn:
        """Raise what an error status means for the request."""
        status, message = error.status, shorten(self.address.redact(error.details.message))
        if status == 429:
            self._too_many(error, message, semaphore, round_)
        if status == _PAYMENT_REQUIRED:
            raise _quota_error(message) from None
        if status == 401 and not self.stats.answered and not self.load_balancer.several:
            raise RunError(
                f"The server rejects the key (HTTP 401); set {self.key_variable} to a valid key."
            ) from None
        if is_transient_status(status):
            after = retry_after(error.headers)
            raise TransientError("server", f"HTTP {status}: {message}", after) from None
        raise RejectedError(status, error.details._replace(message=message), error.sent) from None

    def _too_many(
        self, error: HttpStatusError, message: str, semaphore: AdaptiveSemaphore, round_: int
    ) -> NoReturn:
        if error.details.code == "insufficient_quota":
            raise _quota_error(message) from None
        after = retry_after(error.headers)
        self.stats.rate_limited += 1
        semaphore.shrink(round_)
        if after:
            semaphore.pause(min(after, self.retry_policy.max_wait))
        raise TransientError("limit", f"HTTP 429: {message}", after) from None


def _quota_error(message: str) -> RunError:
    return RunError(
        f"The server says that the account's quota is used up ({message}); fix that and run the "
        "same command again to resume."
    )


async def gather_all(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """All results in order. If one fails, the others still finish, because they may be charged."""
    results = await asyncio.gather(*work, return_exceptions=True)
    failures = [result for result in results if isinstance(result, BaseException)]
    if failures:  # an error that ends the run goes before one that fails the request
        raise min(failures, key=lambda each: isinstance(each, UnanswerableError))
    return [result for result in results if not isinstance(result, BaseException)]
