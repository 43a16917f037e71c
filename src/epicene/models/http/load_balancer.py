"""Distribute requests over the servers of a model, and monitor which servers are up.

A single server gets every request. With several, each has a weight, and a request goes to the one
with the fewest requests in flight for its weight. After a failed request its server is checked; a
server that is down, or that rejects requests which others accept, gets none until it is back.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeAlias

from epicene.core.errors import InputError, RunError
from epicene.models.http.concurrency import AdaptiveSemaphore, WaitQueue
from epicene.models.http.errors import one_line, shorten

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence

    from epicene.models.http.address import Address
    from epicene.models.http.retry import RetryPolicy


class ServerDownError(Exception):
    """A server was checked and does not answer, or answers incorrectly."""

    def __init__(self, reason: str, *, unreachable: bool = False) -> None:
        super().__init__(reason)
        self.unreachable = unreachable  # whether there was not even a connection


class NoModelListError(Exception):
    """A server was checked and does not list its models."""

    def __init__(self, reason: str, status: int = 0) -> None:
        super().__init__(reason)
        self.status = status  # of its reply


class Server:
    """One server. It lives as long as the model; its semaphore as long as an event loop."""

    def __init__(self, address: Address, concurrency: int) -> None:
        self.address = address
        self.room = float(max(1, round(concurrency * address.weight)))
        self.semaphore = AdaptiveSemaphore(int(self.room))
        self.down_reason = ""  # why nothing is sent to it; "" while it is up
        self.last_down_reason = ""  # why nothing was sent to it when it was last down
        self.answered = 0
        self.went_away = 0
        self.failures = 0  # in a row
        # Whether it rejected a request that another was then sent, and has answered none since.
        self.suspect = False
        self.next_skips = 1  # how many checks it is left out of when it next fails too often
        self.skips_left = 0  # how many of these are left now
        self.check_lock = asyncio.Lock()

    def open(self) -> None:
        """Begin in a new event loop, with the concurrency that was found."""
        self.semaphore = AdaptiveSemaphore(self.semaphore.ceiling, self.room)
        self.check_lock = asyncio.Lock()
        self.mark_up()

    def close(self) -> None:
        """Keep the concurrency that was found."""
        self.room = self.semaphore.limit

    def mark_down(self, reason: str) -> None:
        """Send it nothing more, for this reason."""
        self.down_reason = self.last_down_reason = shorten(self.address.redact(reason))

    def mark_up(self) -> None:
        """Send it requests again."""
        self.down_reason = ""
        self.skips_left = 0


# The names of the models that a server lists, if it lists any.
ServerCheck: TypeAlias = Callable[[Server], Awaitable[frozenset[str]]]


class ModelListing:
    """Which models servers may list: all must list the model's name.

    A server with a single model may answer to any name: then all must list the same models instead.
    """

    def __init__(self, model: str) -> None:
        self.names: frozenset[str] = frozenset()  # what the servers list at the start
        self._model = model
        self._same: frozenset[str] = frozenset()  # the models that all list, if none lists the name

    def check_initial(self, listed: Sequence[tuple[Server, frozenset[str]]]) -> None:
        """Record what the servers list at the start; raise if one serves another model."""
        listed = [(server, models) for server, models in listed if models]
        self.names = frozenset().union(*(models for _, models in listed))
        if listed and not any(self._named_in(models) for _, models in listed):
            self._same = listed[0][1]
        for server, models in listed:
            if not self.accepts(models):
                raise InputError(
                    f"{self.mismatch_message(server, models)}; all must serve the same model."
                )

    @property
    def known(self) -> bool:
        """Whether any server lists its models."""
        return bool(self.names)

    @property
    def lacks_model(self) -> bool:
        """Whether servers list models, and not this one, which they may have nevertheless."""
        return self.known and not self._named_in(self.names)

    def accepts(self, models: frozenset[str]) -> bool:
        """Whether a server that lists these may serve the same model as the others."""
        return not models or (models == self._same if self._same else self._named_in(models))

    def mismatch_message(self, server: Server, models: frozenset[str]) -> str:
        """The message about a server that lists other models."""
        served = shorten(one_line(server.address.redact(", ".join(sorted(models)))))
        return f"The server {server.address.display} serves {served}, not {self._model}"

    def _named_in(self, models: frozenset[str]) -> bool:
        return self._model in models or f"{self._model}:latest" in models


# Failures in a row after which a server that answers its checks is suspended for a while.
_MAX_FAILURES = 5
# Checks that such a server is left out of at most: one at first, then twice as many each time.
_MAX_SKIPPED_CHECKS = 64

_log = logging.getLogger(__name__)


class LoadBalancer:
    """All servers of a model in one event loop."""

    def __init__(self, servers: Sequence[Server], model: str, retry_policy: RetryPolicy) -> None:
        self.servers = tuple(servers)
        self._retry_policy = retry_policy
        self.listing = ModelListing(model)
        self.key_refused_by: dict[Server, str] = {}  # when they were asked for their models
        self._check: ServerCheck | None = None
        self._turns = WaitQueue()
        self._end: RunError | None = None

    @property
    def several(self) -> bool:
        """Whether there is more than one server."""
        return len(self.servers) > 1

    @property
    def display(self) -> str:
        """All servers, as people may see them."""
        return " and ".join(server.address.display for server in self.servers)

    # --- choosing a server -----------------------------------------------------------------

    @asynccontextmanager
    async def slot(
        self, avoided: Collection[Server] = (), failed_at: Server | None = None
    ) -> AsyncIterator[tuple[Server, int]]:
        """Wait for a slot of a server and hold it: the server, and the round of its semaphore.

        `avoided` servers get the request only if no other is up; the one where it last failed, only
        if no other has a free slot.
        """
        server = await self._choose(avoided, failed_at)
        try:
            async with server.semaphore.slot() as round_:
                yield server, round_
        finally:
            self._turns.give()

    async def _choose(self, avoided: Collection[Server], failed_at: Server | None) -> Server:
        if not self.several:
            return self.servers[0]  # which has its own queue
        while True:
            if self._end:
                raise self._end
            if server := self._best(avoided, failed_at):
                return server
            await self._turns.wait(
                self._turns.give,
                # A rejected request suspends a server until another has answered it.
                first=bool(avoided),
                fits=lambda: self._end is not None or self._best(avoided, failed_at) is not None,
            )
            if not self._best(avoided, failed_at):
                self._turns.give()  # the slot was taken; the turn may suit the next request

    def _best(self, avoided: Collection[Server], failed_at: Server | None) -> Server | None:
        up = [server for server in self.servers if not server.down_reason]
        others = [server for server in up if server not in avoided]
        return min(
            (server for server in others or up if server.semaphore.free),
            key=lambda each: (
                each is failed_at,
                each.semaphore.pause_left,
                (each.semaphore.active + 1) / each.address.weight,
            ),
            default=None,
        )

    def _wake(self, count: int) -> None:
        """Let this many waiting requests look for a slot again."""
        while count and self._turns.give():
            count -= 1

    # --- which servers are up --------------------------------------------------------------

    async def report_failure(self, server: Server, reason: str) -> bool:
        """Record a failed request; returns whether its server is down."""
        if self._check is None:
            return False
        server.failures += 1
        async with server.check_lock:  # one check for all that failed together
            if not server.down_reason:
                try:
                    await self._models_of(server)
                except ServerDownError as error:
                    self._mark_down(server, f"{reason}, and then {error}")
                    server.failures = 0
        if not server.down_reason and server.failures >= _MAX_FAILURES and self._others({server}):
            self._suspend(
                server, f"{server.failures} requests in a row failed; the last error: {reason}"
            )
            server.failures = _MAX_FAILURES - 1  # when it is tried again, one more is enough
        return bool(server.down_reason)

    def report_rejection(self, server: Server, reason: str, by: dict[Server, str]) -> bool:
        """Record a rejected request; returns whether to ask another server.

        `by` maps the servers that rejected this request to their reasons. The request is invalid
        if all servers that are up rejected it, unless the last of them has never answered anything
        and another has: then the request waits for that other.
        """
        by[server] = reason
        known = any(each.answered for each in self.servers)
        if self._others(by) or (not _is_trusted(server) and known):
            server.suspect = True
            if not server.down_reason:  # or another request has suspended it meanwhile
                self._suspend(server, reason)
            return True
        self._clear_blame(by)
        return False

    def _clear_blame(self, servers: Iterable[Server]) -> None:
        """Undo the failures that an invalid request has caused for these servers."""
        for each in servers:
            each.failures = max(0, each.failures - 1)
            if each.suspect:
                each.suspect = False
                self._mark_up(each)

    async def report_unreadable(self, server: Server, reason: str, by: dict[Server, str]) -> bool:
        """Record a reply that holds no answer; returns whether to ask another server.

        `by` maps the servers that rejected this request or replied like that to their reasons. One
        that has never answered anything is suspended at once, as if it had rejected the request:
        another kind of service may be at its address.
        """
        if not _is_trusted(server):
            return self.report_rejection(server, reason, by)
        by[server] = reason
        await self.report_failure(server, reason)
        if self._others(by):
            return True
        self._clear_blame(by)
        return False

    def record_success(self, server: Server) -> None:
        """Record an answered request."""
        server.failures, server.next_skips = 0, 1
        server.answered += 1
        if not server.down_reason:  # or it was sent before the server became suspect
            server.suspect = False
        if server.semaphore.free:
            self._turns.give()  # its limit has just grown

    def all_rejected_error(self, by: Mapping[Server, str], key_variable: str) -> RunError:
        """The error that ends the run because every server rejects its first requests."""
        reasons = {server: by.get(server) or server.down_reason for server in self.servers}
        same = set(reasons.values())
        self._end = RunError(
            f"None of the {len(self.servers)} servers accepts the first requests "
            f"({(same.pop() if len(same) == 1 else self._each(reasons))}): check the key in "
            f"{key_variable}, the model's name and the addresses, which usually end in /v1."
        )
        self._wake(len(self._turns))
        return self._end

    @asynccontextmanager
    async def monitored(self, check: ServerCheck) -> AsyncIterator[None]:
        """Monitor several servers inside this block: which are up, and which are back."""
        if not self.several:
            yield
            return
        self._check = check
        await self._check_all()
        monitor = asyncio.create_task(self._monitor())
        try:
            yield
        finally:
            monitor.cancel()
            await asyncio.gather(monitor, return_exceptions=True)

    async def _check_all(self) -> None:
        """Before the first request: one server must be up, and all must serve the same model."""
        tries = self._retry_policy.max_attempts["connect"]
        for attempt in range(1, tries + 1):
            found = await asyncio.gather(*map(self._first_check, self.servers))
            if not all(server.down_reason for server in self.servers):
                break
            if attempt == tries:
                raise self._over(f"after {tries} attempts")
            await asyncio.sleep(self._retry_policy.wait(attempt, None))
        pairs = list(zip(self.servers, found, strict=True))
        self.listing.check_initial([(each, it) for each, it in pairs if isinstance(it, frozenset)])
        for server, unlisted in pairs:
            if isinstance(unlisted, NoModelListError) and unlisted.status == 401:
                self.key_refused_by[server] = str(unlisted)
            if isinstance(unlisted, NoModelListError) and self.listing.known:
                server.mark_down(_unlisted_reason(unlisted))
            if server.down_reason:
                _log.warning(
                    "The server %s is down: %s.", server.address.display, server.down_reason
                )

    async def _first_check(self, server: Server) -> frozenset[str] | NoModelListError:
        assert self._check
        server.down_reason = ""
        try:
            return await self._check(server)
        except NoModelListError as unlisted:
            return unlisted
        except ServerDownError as error:
            server.mark_down(str(error))
            return frozenset()

    async def _models_of(self, server: Server) -> frozenset[str]:
        """The models a server lists; listing none is an error only if another lists some."""
        assert self._check
        try:
            return await self._check(server)
        except NoModelListError as unlisted:
            if self.listing.known:
                raise ServerDownError(_unlisted_reason(unlisted)) from None
            return frozenset()

    async def _monitor(self) -> None:
        """Recheck servers that are down, and end the run if all have been down for too long."""
        loop = asyncio.get_running_loop()
        down_since: float | None = None
        while not self._end:
            await asyncio.sleep(self._retry_policy.check_interval)
            await asyncio.gather(*map(self._recheck, self._due()))
            if not all(server.down_reason or server.suspect for server in self.servers):
                down_since = None
            elif down_since is None:
                down_since = loop.time()
                _log.warning("%s; waiting for them.", self._all_down())
            elif loop.time() - down_since >= self._retry_policy.max_outage:
                self._end = self._over(f"for {self._retry_policy.max_outage:g} s")
                self._wake(len(self._turns))

    def _due(self) -> list[Server]:
        """Servers to recheck now: those that are due, or if none is up all but suspects."""
        down = [server for server in self.servers if server.down_reason]
        none_up = len(down) == len(self.servers)
        due = [each for each in down if not each.skips_left or (none_up and not each.suspect)]
        for server in down:
            server.skips_left = max(0, server.skips_left - 1)
        return due

    async def _recheck(self, server: Server) -> None:
        try:
            models = await self._models_of(server)
        except ServerDownError:
            return
        if not self.listing.accepts(models):
            server.mark_down(self.listing.mismatch_message(server, models))
            return
        self._mark_up(server)

    def _mark_up(self, server: Server) -> None:
        server.mark_up()
        _log.warning("The server %s is back.", server.address.display)
        self._wake(server.semaphore.ceiling)

    def _others(self, than: Collection[Server]) -> bool:
        """Whether another server than these is up."""
        return any(not each.down_reason for each in self.servers if each not in than)

    def _mark_down(self, server: Server, reason: str) -> None:
        server.mark_down(reason)
        server.went_away += 1
        self._wake(len(self._turns))  # requests that waited for this server only
        _log.warning(
            "No requests are sent to the server %s: %s.", server.address.display, server.down_reason
        )

    def _suspend(self, server: Server, reason: str) -> None:
        """Send nothing to a server that is up, for longer each time."""
        self._mark_down(server, reason)
        server.skips_left, server.next_skips = (
            server.next_skips,
            min(2 * server.next_skips, _MAX_SKIPPED_CHECKS),
        )

    def _all_down(self) -> str:
        reasons = {server: server.last_down_reason for server in self.servers}
        return f"None of the {len(self.servers)} servers answers ({self._each(reasons)})"

    def _each(self, reasons: Mapping[Server, str]) -> str:
        return "; ".join(f"{server.address.display}: {why}" for server, why in reasons.items())

    def _over(self, how_long: str) -> RunError:
        return RunError(
            f"{self._all_down()} {how_long}; start one and run the same command again to resume."
        )


def _is_trusted(server: Server) -> bool:
    """Whether it has answered a request, and rejected none since."""
    return bool(server.answered) and not server.suspect


def _unlisted_reason(unlisted: NoModelListError) -> str:
    return f"{unlisted}, which another lists"
