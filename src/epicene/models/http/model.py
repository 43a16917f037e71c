"""The base class of all hosted models, whatever protocol their server uses."""

from __future__ import annotations

import importlib.util
from abc import ABC, abstractmethod
from contextlib import asynccontextmanager
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from epicene.core.errors import InputError, OptionError
from epicene.core.records import Answer, Draw, Failed, Identity, Request
from epicene.models import Batch, BatchLimit, ImageStore, ModelOptions, NumberedAnswers
from epicene.models.http import address
from epicene.models.http.async_bridge import AnswerRequest, answer_in_event_loop
from epicene.models.http.errors import UnanswerableError
from epicene.models.http.load_balancer import LoadBalancer, Server
from epicene.models.http.retry import RetryPolicy
from epicene.models.http.sender import CostMeter, RedactingLogFilter, RequestStats, Sender
from epicene.models.pricing import Price, find_price

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping
    from contextlib import AbstractAsyncContextManager

    from epicene.models.pricing import Budget

# How many requests are read ahead, for each that may be under way.
_READ_AHEAD = 4


class HostedModel(ABC):
    """What is the same for every server; a kind says who it is and how it answers."""

    library = "httpx"  # what speaks to the server, imported when the model is first asked

    def __init__(
        self,
        identity: Identity,
        provider: address.Provider,
        options: ModelOptions,
        patience: RetryPolicy | None = None,
    ) -> None:
        if importlib.util.find_spec(self.library) is None:
            raise InputError(
                f"The model kind {identity.kind!r} needs the {self.library} library; run "
                "`pip install 'epicene[api]'`."
            )
        if options.concurrency < 1:
            raise OptionError(
                "concurrency", f"--concurrency is {options.concurrency}; it must be at least 1."
            )
        if not options.timeout > 0:
            raise OptionError(
                "timeout", f"--timeout is {options.timeout:g}; it must be above 0 seconds."
            )
        self._identity = identity
        self._provider = provider
        self._options = options
        self._patience = patience
        addresses = address.find_addresses(provider, options.base_url)
        self._servers = tuple(Server(each, options.concurrency) for each in addresses)
        self._address = addresses[0]  # the only one, or the first: all have the same secrets
        self._name = str(identity.about["name"])
        price = find_price(identity.kind, self._name, options.price, listed=self._address.own)
        self._tally = RequestStats()
        self._cost_meter = CostMeter(price)

    # --- how a kind answers ----------------------------------------------------------------

    @property
    @abstractmethod
    def verbs(self) -> frozenset[str]:
        """The verbs it knows, by name."""

    @abstractmethod
    def _answering(
        self, sender: Sender, files: ImageStore
    ) -> AbstractAsyncContextManager[AnswerRequest]:
        """A client, and what it makes of a request; `UnansweredError` where that is nothing."""

    # --- the same for all ------------------------------------------------------------------

    @property
    def identity(self) -> Identity:
        """Who answers; where it is served is not part of it."""
        return self._identity

    @property
    def batch_limit(self) -> BatchLimit:
        """A server batches by itself; single requests spread evenly over whoever asks."""
        return BatchLimit(requests=1)

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        """Answer the requests as replies come, in no order."""
        capacity = _READ_AHEAD * sum(server.semaphore.ceiling for server in self._servers)
        return answer_in_event_loop(
            partial(self._session, files), chain.from_iterable(batches), capacity
        )

    def notes(self) -> Mapping[str, object]:
        """What was sent, and what it cost."""
        counts, till = self._tally, self._cost_meter
        notes: dict[str, object] = {
            **self._places(),
            "requests": counts.sent,
            "retries": counts.retries,
            "rate_limited": counts.rate_limited,
            "concurrency": sum(int(server.room) for server in self._servers),
        }
        if till.charged is not None:
            notes["cost"] = round(till.charged, 6)
        if till.doubtful:
            notes["perhaps_charged"] = round(till.doubtful, 6)
        return notes

    def _places(self) -> dict[str, object]:
        """Where it is served, and of several servers what each did."""
        if len(self._servers) == 1:
            return {"server": self._address.shown}
        each = [
            {
                "server": server.address.shown,
                "weight": server.address.weight,
                "answered": server.answered,
                "went_away": server.went_away,
                **({"left_alone": server.left_alone} if server.left_alone else {}),
            }
            for server in self._servers
        ]
        return {"servers": each, "moved": self._tally.moved}

    def close(self) -> None:  # noqa: B027 - it is what every kind does
        """Nothing is held between answers: each call of `answer` has a client of its own."""

    # --- money -----------------------------------------------------------------------------

    @property
    def price(self) -> Price:
        """What it charges."""
        return self._cost_meter.price

    @property
    def spent(self) -> float | None:
        """What it has charged since it was opened; None if that is not known."""
        if self._cost_meter.charged is None and self.price == Price():
            return None
        return (self._cost_meter.charged or 0.0) + self._cost_meter.doubtful

    def cost_of(self, request: Request) -> float | None:
        """The most that a request should cost; None if that is not known."""
        return self.price.images(request.shots) if isinstance(request, Draw) else None

    def spend_from(self, purse: Budget) -> None:
        """Pay from this purse from now on."""
        self._cost_meter.budget = purse

    # --- a session -------------------------------------------------------------------------

    @asynccontextmanager
    async def _session(self, files: ImageStore) -> AsyncIterator[AnswerRequest]:
        """A client with all that belongs to its event loop."""
        patience = self._patience or RetryPolicy()
        for server in self._servers:
            server.open()
        sender = Sender(
            key_variable=self._provider.key_variable,
            tally=self._tally,
            cost_meter=self._cost_meter,
            load_balancer=LoadBalancer(self._servers, self._name, patience),
            timeout=self._options.timeout,
            patience=patience,
        )
        discreet = RedactingLogFilter(self._address)
        discreet.begin()
        try:
            async with self._answering(sender, files) as answer:
                yield partial(self._paid, answer)
        finally:
            for server in self._servers:
                server.close()
            discreet.end()

    async def _paid(self, answer: AnswerRequest, request: Request) -> Answer:
        """The answer, once there is money for it; a `Failed` with the reason where none came."""
        try:
            async with self._cost_meter.budget.reserve(self.cost_of(request) or 0.0):
                return await answer(request)
        except UnanswerableError as given_up:
            return Failed(reason=self._address.redact(str(given_up)))

    def _shown(self, names: set[str]) -> list[str]:
        return sorted(self._address.redact(name) for name in names)
