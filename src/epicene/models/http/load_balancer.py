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

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence

    from epicene.models.http.address import Address
    from epicene.models.http.retry import RetryPolicy


class ServerDownError(Exception):
    """A server was looked at and is not there, or not well."""


class NoModelListError(Exception):
    """A server was looked at and will not say which models it has."""


class Server:
    """One server. It lives as long as the model; its gate as long as an event loop."""

    def __init__(self, address: Address, concurrency: int) -> None:
        self.address = address
        self.room = float(max(1, round(concurrency * address.weight)))
        self.semaphore = AdaptiveSemaphore(int(self.room))
        self.away = ""  # why nothing is sent there; "" while it is well
        self.left_alone = ""  # why nothing was sent there when it was last away
        self.answered = 0
        self.went_away = 0
        self.failures = 0  # in a row
        # It turned down what another was asked then, and answered nothing since.
        self.doubted = False
        self.rest = 1  # how many looks it is left out of when it next fails too often
        self.left_out = 0  # and how many it still is now
        self.looking = asyncio.Lock()

    def open(self) -> None:
        """Begin in a new event loop, with the room that was found."""
        self.semaphore = AdaptiveSemaphore(self.semaphore.ceiling, self.room)
        self.looking = asyncio.Lock()
        self.welcome()

    def close(self) -> None:
        """Keep the room that was found."""
        self.room = self.semaphore.limit

    def leave(self, reason: str) -> None:
        """Send nothing there."""
        self.away = self.left_alone = self.address.redact(reason)

    def welcome(self) -> None:
        """Send there again."""
        self.away = ""
        self.left_out = 0


# The names of the models that a server lists, if it lists any.
ServerCheck: TypeAlias = Callable[[Server], Awaitable[frozenset[str]]]


class ModelListing:
    """What servers may list. Names alone tell models apart, so all must know the same ones.

    A server of one model may answer to any name: then all must list the same instead.
    """

    def __init__(self, model: str) -> None:
        self.known = False  # whether anybody lists models at all
        self._model = model
        self._same: frozenset[str] = frozenset()  # what all list, where none lists the name

    def settle(self, listed: Sequence[tuple[Server, frozenset[str]]]) -> None:
        """Take what the servers list at first; raise where one serves another model."""
        listed = [(server, models) for server, models in listed if models]
        self.known = bool(listed)
        if listed and not any(self._named_in(models) for _, models in listed):
            self._same = listed[0][1]
        for server, models in listed:
            if not self.fits(models):
                raise InputError(f"{self.wrong(server, models)}; all must serve the same model.")

    def fits(self, models: frozenset[str]) -> bool:
        """Whether a server that lists these may be the same as the others."""
        return not models or (models == self._same if self._same else self._named_in(models))

    def wrong(self, server: Server, models: frozenset[str]) -> str:
        """What to say of a server that lists others."""
        served = server.address.redact(", ".join(sorted(models)))
        return f"The server {server.address.shown} serves {served} and not {self._model}"

    def _named_in(self, models: frozenset[str]) -> bool:
        return self._model in models or f"{self._model}:latest" in models


_MAX_FAILURES = (
    5  # in a row, after which a server that is there all the same is left alone for a while
)
_MAX_SKIPPED_CHECKS = (
    64  # looks that such a server is left out of: one, then twice as many each time
)

_log = logging.getLogger(__name__)


class LoadBalancer:
    """All servers of a model in one event loop."""

    def __init__(self, servers: Sequence[Server], model: str, patience: RetryPolicy) -> None:
        self.servers = tuple(servers)
        self._patience = patience
        self._listing = ModelListing(model)
        self._look: ServerCheck | None = None
        self._turns = WaitQueue()
        self._end: RunError | None = None

    @property
    def several(self) -> bool:
        """Whether there is another to turn to."""
        return len(self.servers) > 1

    @property
    def shown(self) -> str:
        """All servers, as people may see them."""
        return " and ".join(server.address.shown for server in self.servers)

    # --- who gets a request ----------------------------------------------------------------

    @asynccontextmanager
    async def slot(
        self, shunned: Collection[Server] = (), failed_at: Server | None = None
    ) -> AsyncIterator[tuple[Server, int]]:
        """Wait for room at a server and hold it: the server, and the round of its gate.

        Those who are `shunned` get the request only where no other is there; the one where it
        failed last, only where no other has room.
        """
        server = await self._choose(shunned, failed_at)
        try:
            async with server.semaphore.slot() as round_:
                yield server, round_
        finally:
            self._turns.give()

    async def _choose(self, shunned: Collection[Server], failed_at: Server | None) -> Server:
        if not self.several:
            return self.servers[0]  # whose gate is where to wait
        while True:
            if self._end:
                raise self._end
            if server := self._best(shunned, failed_at):
                return server
            await self._turns.wait(
                self._turns.give,
                # One that was turned down keeps a server from work until another has spoken.
                first=bool(shunned),
                fits=lambda: self._end is not None or self._best(shunned, failed_at) is not None,
            )
            if not self._best(shunned, failed_at):
                self._turns.give()  # another was quicker, and this turn may still fit somebody

    def _best(self, shunned: Collection[Server], failed_at: Server | None) -> Server | None:
        there = [server for server in self.servers if not server.away]
        others = [server for server in there if server not in shunned]
        return min(
            (server for server in others or there if server.semaphore.free),
            key=lambda each: (
                each is failed_at,
                each.semaphore.quiet,
                (each.semaphore.active + 1) / each.address.weight,
            ),
            default=None,
        )

    def _wake(self, count: int) -> None:
        """Let so many of those who wait look for room again."""
        while count and self._turns.give():
            count -= 1

    # --- who is away -----------------------------------------------------------------------

    async def failed(self, server: Server, reason: str) -> bool:
        """A request failed there; whether that is because the server is away."""
        if self._look is None:
            return False
        server.failures += 1
        async with server.looking:  # one look for all that failed together
            if not server.away:
                try:
                    await self._models_of(server)
                except ServerDownError as away:
                    self._leave(server, f"{reason}, and then {away}")
                    server.failures = 0
        if not server.away and server.failures >= _MAX_FAILURES and self._others({server}):
            self._suspend(server, f"{server.failures} requests in a row failed, at last: {reason}")
            server.failures = _MAX_FAILURES - 1  # when it is tried again, one more is enough
        return bool(server.away)

    def turned_down(self, server: Server, reason: str, by: dict[Server, str]) -> bool:
        """A server would not take a request; whether another is to be asked.

        `by` is who has turned this request down. It is the request's fault where all who are there
        have, unless the last of them never answered anything and another did: that other is
        waited for.
        """
        by[server] = reason
        known = any(each.answered for each in self.servers)
        if self._others(by) or (not _is_proved(server) and known):
            server.doubted = True
            if not server.away:  # or it was found out by another request meanwhile
                self._suspend(server, reason)
            return True
        self._pardon(by)
        return False

    def _pardon(self, servers: Iterable[Server]) -> None:
        """It was the request's fault: what it cost these servers is taken back."""
        for each in servers:
            each.failures = max(0, each.failures - 1)
            if each.doubted:
                each.doubted = False
                self._welcome(each)

    async def unread(self, server: Server, reason: str, by: dict[Server, str]) -> bool:
        """A server replied with what is no answer; whether another is to be asked.

        `by` is who has turned this request down or replied like that. One that never answered
        anything is left alone at once, as one that turns requests down is: it may be a page of
        another kind that stands at its address.
        """
        if not _is_proved(server):
            return self.turned_down(server, reason, by)
        by[server] = reason
        await self.failed(server, reason)
        if self._others(by):
            return True
        self._pardon(by)
        return False

    def record_success(self, server: Server) -> None:
        """A request was answered there."""
        server.failures, server.rest = 0, 1
        server.answered += 1
        if not server.away:  # or it was under way before the server was doubted
            server.doubted = False
        if server.semaphore.free:
            self._turns.give()  # it has just grown

    @property
    def lists_models(self) -> bool:
        """Whether a server of these lists its models, so that its address is right."""
        return self._listing.known

    def all_rejected_error(self, by: Mapping[Server, str], key_variable: str) -> RunError:
        """Nothing more is asked, as nobody would take it: what to say of that."""
        reasons = {server: by.get(server) or server.away for server in self.servers}
        same = set(reasons.values())
        self._end = RunError(
            f"None of the {len(self.servers)} servers takes the first requests "
            f"({same.pop() if len(same) == 1 else self._each(reasons)}): check the key in "
            f"{key_variable}, the model's name and the addresses, which mostly end in /v1."
        )
        self._wake(len(self._turns))
        return self._end

    @asynccontextmanager
    async def monitored(self, look: ServerCheck) -> AsyncIterator[None]:
        """Look after several servers meanwhile: who is there, and who has come back."""
        if not self.several:
            yield
            return
        self._look = look
        await self._look_at_all()
        watching = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)

    async def _look_at_all(self) -> None:
        """Before the first request: somebody must be there, and all must serve the same model."""
        tries = self._patience.max_attempts["connect"]
        for attempt in range(1, tries + 1):
            found = await asyncio.gather(*map(self._first_look, self.servers))
            if not all(server.away for server in self.servers):
                break
            if attempt == tries:
                raise self._over(f"after {tries} attempts")
            await asyncio.sleep(self._patience.wait(attempt, None))
        pairs = list(zip(self.servers, found, strict=True))
        self._listing.settle([(each, it) for each, it in pairs if isinstance(it, frozenset)])
        for server, unlisted in pairs:
            if isinstance(unlisted, NoModelListError) and self._listing.known:
                server.leave(_unlisted_reason(unlisted))
            if server.away:
                _log.warning("The server %s is away: %s.", server.address.shown, server.away)

    async def _first_look(self, server: Server) -> frozenset[str] | NoModelListError:
        assert self._look
        server.away = ""
        try:
            return await self._look(server)
        except NoModelListError as unlisted:
            return unlisted
        except ServerDownError as away:
            server.leave(str(away))
            return frozenset()

    async def _models_of(self, server: Server) -> frozenset[str]:
        """Look at a server. One that lists none is believed where none does."""
        assert self._look
        try:
            return await self._look(server)
        except NoModelListError as unlisted:
            if self._listing.known:
                raise ServerDownError(_unlisted_reason(unlisted)) from None
            return frozenset()

    async def _watch(self) -> None:
        """See who has come back, and end the run where nobody has for too long."""
        loop = asyncio.get_running_loop()
        nobody_since: float | None = None
        while not self._end:
            await asyncio.sleep(self._patience.check_interval)
            await asyncio.gather(*map(self._look_again, self._due()))
            if not all(server.away or server.doubted for server in self.servers):
                nobody_since = None
            elif nobody_since is None:
                nobody_since = loop.time()
                _log.warning("%s; they are waited for.", self._nobody())
            elif loop.time() - nobody_since >= self._patience.max_outage:
                self._end = self._over(f"for {self._patience.max_outage:g} s")
                self._wake(len(self._turns))

    def _due(self) -> list[Server]:
        """Those who are away and to be looked at now: all but doubted ones if nobody is left."""
        away = [server for server in self.servers if server.away]
        nobody = len(away) == len(self.servers)
        due = [each for each in away if not each.left_out or (nobody and not each.doubted)]
        for server in away:
            server.left_out = max(0, server.left_out - 1)
        return due

    async def _look_again(self, server: Server) -> None:
        try:
            models = await self._models_of(server)
        except ServerDownError:
            return
        if not self._listing.fits(models):
            server.leave(self._listing.wrong(server, models))
            return
        self._welcome(server)

    def _welcome(self, server: Server) -> None:
        server.welcome()
        _log.warning("The server %s is back.", server.address.shown)
        self._wake(server.semaphore.ceiling)

    def _others(self, than: Collection[Server]) -> bool:
        """Whether somebody else is there."""
        return any(not each.away for each in self.servers if each not in than)

    def _leave(self, server: Server, reason: str) -> None:
        server.leave(reason)
        server.went_away += 1
        self._wake(len(self._turns))  # those who waited for it alone
        _log.warning("The server %s is left alone: %s.", server.address.shown, server.away)

    def _suspend(self, server: Server, reason: str) -> None:
        """Leave a server alone that is there, ever longer while it goes on like that."""
        self._leave(server, reason)
        server.left_out, server.rest = server.rest, min(2 * server.rest, _MAX_SKIPPED_CHECKS)

    def _nobody(self) -> str:
        reasons = {server: server.left_alone for server in self.servers}
        return f"None of the {len(self.servers)} servers answers ({self._each(reasons)})"

    def _each(self, reasons: Mapping[Server, str]) -> str:
        return "; ".join(f"{server.address.shown}: {why}" for server, why in reasons.items())

    def _over(self, how_long: str) -> RunError:
        return RunError(
            f"{self._nobody()} {how_long}; start one and run the same command again to go on."
        )


def _is_proved(server: Server) -> bool:
    """Whether it has answered something, and nothing speaks against it since."""
    return bool(server.answered) and not server.doubted


def _unlisted_reason(unlisted: NoModelListError) -> str:
    return f"{unlisted}, which another lists"
