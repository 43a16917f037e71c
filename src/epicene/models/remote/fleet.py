"""The servers of a model, one or several: who gets the next request, and who is away.

One server is simply sent to. Of several each has room by its weight, and a request goes to the one
that has least under way for its weight. A server at which a request fails is looked at; one that is
away gets nothing until it is back, and its requests go to the others.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeAlias

from epicene.errors import InputError, RunError
from epicene.models.remote.gate import Gate

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from epicene.models.remote.address import Address
    from epicene.models.remote.patience import Patience

_FAILURES = 5  # in a row, after which a server that is there all the same is left alone for a while
_LONGEST_REST = 64  # looks that such a server is left out of: one, then twice as many each time

_log = logging.getLogger(__name__)


class AwayError(Exception):
    """A server was looked at and is not there, or not well."""


class Server:
    """One server. It lives as long as the model; its gate as long as an event loop."""

    def __init__(self, address: Address, concurrency: int) -> None:
        self.address = address
        self.room = float(max(1, round(concurrency * address.weight)))
        self.gate = Gate(int(self.room))
        self.away = ""  # why nothing is sent there; "" while it is well
        self.answered = 0
        self.went_away = 0
        self.failures = 0  # in a row
        self.rest = 1  # how many looks it is left out of when it next fails too often
        self.left_out = 0  # and how many it still is now
        self.looking = asyncio.Lock()

    def open(self) -> None:
        """Begin in a new event loop, with the room that was found."""
        self.gate = Gate(self.gate.ceiling, self.room)
        self.looking = asyncio.Lock()
        self.away = ""
        self.left_out = 0

    def close(self) -> None:
        """Keep the room that was found."""
        self.room = self.gate.limit


# The names of the models that a server lists, if it lists any; `AwayError` where it is not there.
Look: TypeAlias = Callable[[Server], Awaitable[frozenset[str]]]


class Fleet:
    """All servers of a model in one event loop."""

    def __init__(self, servers: Sequence[Server], model: str, patience: Patience) -> None:
        self.servers = tuple(servers)
        self._model = model
        self._patience = patience
        self._look: Look | None = None
        self._listed: frozenset[str] = frozenset()  # by all, where none lists the model's name
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._end: RunError | None = None

    @property
    def shown(self) -> str:
        """All servers, as people may see them."""
        return " and ".join(server.address.shown for server in self.servers)

    # --- who gets a request ----------------------------------------------------------------

    @asynccontextmanager
    async def slot(self, shunned: Server | None = None) -> AsyncIterator[tuple[Server, int]]:
        """Wait for room at a server and hold it: the server, and the round of its gate."""
        server = await self._choose(shunned)
        try:
            async with server.gate.slot() as round_:
                yield server, round_
        finally:
            self._wake(1)

    async def _choose(self, shunned: Server | None) -> Server:
        if len(self.servers) == 1:
            return self.servers[0]  # whose gate is where to wait
        while True:
            if self._end:
                raise self._end
            if server := self._best(shunned):
                return server
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._wake(1)  # its turn came in the moment it was cancelled
                raise

    def _best(self, shunned: Server | None) -> Server | None:
        ready = [server for server in self.servers if not server.away and server.gate.free]
        return min(
            ready,
            key=lambda each: (
                each is shunned,
                each.gate.quiet,
                (each.gate.active + 1) / each.address.weight,
            ),
            default=None,
        )

    def _wake(self, count: int) -> None:
        """Let so many of those who wait look for room again."""
        while self._waiting and count:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
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
                    await self._look(server)
                except AwayError as away:
                    self._leave(server, f"{reason}, and then {away}")
                    server.failures = 0
        others = any(not each.away for each in self.servers if each is not server)
        if not server.away and server.failures >= _FAILURES and others:
            self._leave(server, f"{server.failures} requests in a row failed, at last: {reason}")
            server.failures = _FAILURES - 1  # when it is tried again, one more is enough
            server.left_out, server.rest = server.rest, min(2 * server.rest, _LONGEST_REST)
        return bool(server.away)

    def succeeded(self, server: Server) -> None:
        """A request was answered there."""
        server.failures, server.rest = 0, 1
        server.answered += 1
        if server.gate.free:
            self._wake(1)  # it has just grown

    @asynccontextmanager
    async def watched(self, look: Look) -> AsyncIterator[None]:
        """Look after several servers meanwhile: who is there, and who has come back."""
        if len(self.servers) == 1:
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
        tries = self._patience.tries["connect"]
        for attempt in range(1, tries + 1):
            listed = await asyncio.gather(*map(self._listed_by, self.servers))
            if not all(server.away for server in self.servers):
                break
            if attempt == tries:
                raise self._over(f"after {tries} attempts")
            await asyncio.sleep(self._patience.wait(attempt, None))
        pairs = zip(self.servers, listed, strict=True)
        self._refuse_another_model([(server, models) for server, models in pairs if models])

    async def _listed_by(self, server: Server) -> frozenset[str]:
        assert self._look
        try:
            models = await self._look(server)
        except AwayError as away:
            server.away = server.address.redact(str(away))
            _log.warning("The server %s is away: %s.", server.address.shown, server.away)
            return frozenset()
        server.away = ""
        return models

    def _refuse_another_model(self, listed: Sequence[tuple[Server, frozenset[str]]]) -> None:
        """Names alone tell models apart, so all servers must know the same ones.

        A server of one model may answer to any name: then all must list the same instead.
        """
        named = any(self._named_in(models) for _, models in listed)
        if not named and listed:
            self._listed = listed[0][1]
        for server, models in listed:
            if not self._fits(models):
                raise InputError(f"{self._wrong(server, models)}; all must serve the same model.")

    def _named_in(self, models: frozenset[str]) -> bool:
        return self._model in models or f"{self._model}:latest" in models

    def _fits(self, models: frozenset[str]) -> bool:
        return not models or (models == self._listed if self._listed else self._named_in(models))

    def _wrong(self, server: Server, models: frozenset[str]) -> str:
        served = server.address.redact(", ".join(sorted(models)))
        return f"The server {server.address.shown} serves {served} and not {self._model}"

    async def _watch(self) -> None:
        """See who has come back, and end the run where nobody has for too long."""
        loop = asyncio.get_running_loop()
        nobody_since: float | None = None
        while not self._end:
            await asyncio.sleep(self._patience.between_looks)
            await asyncio.gather(*map(self._look_again, self._due()))
            if not all(server.away for server in self.servers):
                nobody_since = None
            elif nobody_since is None:
                nobody_since = loop.time()
                _log.warning("%s; they are waited for.", self._nobody())
            elif loop.time() - nobody_since >= self._patience.outage:
                self._end = self._over(f"for {self._patience.outage:g} s")
                self._wake(len(self._waiting))

    def _due(self) -> list[Server]:
        """Those who are away and to be looked at now: all of them if nobody is left."""
        away = [server for server in self.servers if server.away]
        due = [server for server in away if not server.left_out]
        for server in away:
            server.left_out = max(0, server.left_out - 1)
        return away if len(away) == len(self.servers) else due

    async def _look_again(self, server: Server) -> None:
        assert self._look
        try:
            models = await self._look(server)
        except AwayError:
            return
        if not self._fits(models):
            server.away = self._wrong(server, models)
            return
        server.away = ""
        _log.warning("The server %s is back.", server.address.shown)
        self._wake(server.gate.ceiling)

    def _leave(self, server: Server, reason: str) -> None:
        server.away = server.address.redact(reason)
        server.went_away += 1
        _log.warning("The server %s is left alone: %s.", server.address.shown, server.away)

    def _nobody(self) -> str:
        each = "; ".join(f"{server.address.shown}: {server.away}" for server in self.servers)
        return f"None of the {len(self.servers)} servers answers ({each})"

    def _over(self, how_long: str) -> RunError:
        return RunError(
            f"{self._nobody()} {how_long}; start one and run the same command again to go on."
        )
