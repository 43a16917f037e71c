"""The base class of all hosted models, whatever protocol their server uses."""

from __future__ import annotations

import importlib.util
import logging
from abc import ABC, abstractmethod
from contextlib import asynccontextmanager
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from epicene.core.control_characters import escape_controls
from epicene.core.errors import EpiceneError, InputError, OptionError
from epicene.core.records import Answer, Draw, Failed, Identity, Image, Request, verb
from epicene.models import (
    Batch,
    BatchLimit,
    ImageStore,
    ModelOptions,
    NumberedAnswers,
    UnanswerableError,
)
from epicene.models.http import address
from epicene.models.http.async_bridge import AnswerRequest, answer_in_event_loop
from epicene.models.http.load_balancer import LoadBalancer, Server
from epicene.models.http.responses import MIB
from epicene.models.http.retry import RetryPolicy
from epicene.models.http.sender import CostMeter, RedactingLogFilter, RequestStats, Sender
from epicene.models.pricing import Price, find_price

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from epicene.models.http.client import HttpClient, ImageDownloader
    from epicene.models.http.image_samples import RequestImage
    from epicene.models.pricing import Budget

# How many requests are read ahead, for each that may be under way.
_READ_AHEAD = 4
_MAX_RESPONSE_LIMIT = 1024  # MiB
_MAX_REASON_LENGTH = 1000

_log = logging.getLogger(__name__)


class NoImages:
    """The images of a session that draws none and looks at none."""

    def put(self, data: bytes) -> str:  # noqa: ARG002 - the interface's
        raise AssertionError("a probe draws nothing")

    def path(self, sha256: str) -> Path:  # noqa: ARG002 - the interface's
        raise AssertionError("a probe looks at nothing")

    def drawn(self, request: Draw, index: int) -> Image | None:  # noqa: ARG002 - the interface's
        raise AssertionError("a probe draws nothing")

    def keep(self, request: Draw, index: int, image: Image) -> None:  # noqa: ARG002
        raise AssertionError("a probe draws nothing")


class HostedModel(ABC):
    """What all hosted models share; a kind defines its identity and how it answers."""

    library = "httpx"  # the client library, imported for the first request

    def __init__(
        self,
        identity: Identity,
        provider: address.Provider,
        options: ModelOptions,
        retry_policy: RetryPolicy | None = None,
    ) -> None:
        if importlib.util.find_spec(self.library) is None:
            raise InputError(
                f"The model kind {identity.kind!r} needs the {self.library} library; run "
                "`pip install 'epicene'`."
            )
        if options.concurrency < 1:
            raise OptionError(
                "concurrency", f"--concurrency must be at least 1, not {options.concurrency}."
            )
        if not options.timeout > 0:
            raise OptionError(
                "timeout", f"--timeout must be more than 0 seconds, not {options.timeout:g}."
            )
        if not 0 < options.max_response <= _MAX_RESPONSE_LIMIT:
            raise OptionError(
                "max_response",
                f"--max-response must be above 0 and at most {_MAX_RESPONSE_LIMIT} MiB, not "
                f"{options.max_response:g}.",
            )
        self._identity = identity
        self._provider = provider
        self._options = options
        self._retry_policy = retry_policy
        addresses = address.find_addresses(provider, options.base_url)
        self._servers = tuple(Server(each, options.concurrency) for each in addresses)
        self._address = addresses[0]  # the only one, or the first: all have the same secrets
        self._name = str(identity.about["name"])
        price = find_price(
            identity.kind, self._name, options.price, listed=self._address.is_default
        )
        self._stats = RequestStats()
        self._cost_meter = CostMeter(price)

    # --- for each kind ---------------------------------------------------------------------

    @property
    @abstractmethod
    def verbs(self) -> frozenset[str]:
        """The verbs it knows, by name."""

    @abstractmethod
    def _answering(
        self, sender: Sender, files: ImageStore
    ) -> AbstractAsyncContextManager[AnswerRequest]:
        """A session with the function that answers a request or raises `UnanswerableError`."""

    # --- for all kinds ---------------------------------------------------------------------

    @property
    def identity(self) -> Identity:
        """Which model answers; the server is not part of it."""
        return self._identity

    @property
    def batch_limit(self) -> BatchLimit:
        """Single requests, since a server batches by itself."""
        return BatchLimit(requests=1)

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        """Answer the requests as replies arrive, in any order."""
        capacity = _READ_AHEAD * sum(server.semaphore.ceiling for server in self._servers)
        return answer_in_event_loop(
            partial(self._session, files), chain.from_iterable(batches), capacity
        )

    def notes(self) -> Mapping[str, object]:
        """How many requests were sent, and what they cost."""
        counts, costs = self._stats, self._cost_meter
        notes: dict[str, object] = {
            **self._server_notes(),
            "requests": counts.sent,
            "retries": counts.retries,
            "rate_limited": counts.rate_limited,
            "concurrency": sum(int(server.room) for server in self._servers),
        }
        if costs.charged is not None:
            notes["cost"] = round(costs.charged, 6)
        if costs.in_doubt:
            notes["perhaps_charged"] = round(costs.in_doubt, 6)
        return notes

    def _server_notes(self) -> dict[str, object]:
        """The server, or each of several with what it did."""
        if len(self._servers) == 1:
            return {"server": self._address.display}
        each = [
            {
                "server": server.address.display,
                "weight": server.address.weight,
                "answered": server.answered,
                "went_away": server.went_away,
                **({"left_alone": server.last_down_reason} if server.last_down_reason else {}),
            }
            for server in self._servers
        ]
        return {"servers": each, "moved": self._stats.moved}

    def close(self) -> None:  # noqa: B027 - it is what every kind does
        """There is nothing to free: each call of `answer` has its own client."""

    # --- money -----------------------------------------------------------------------------

    @property
    def price(self) -> Price:
        """What it charges."""
        return self._cost_meter.price

    @property
    def spent(self) -> float | None:
        """What it has charged since it was opened; None if unknown."""
        if self._cost_meter.charged is None and self.price == Price():
            return None
        return (self._cost_meter.charged or 0.0) + self._cost_meter.in_doubt

    def cost_of(self, request: Request) -> float | None:
        """The expected maximum cost of a request; None if unknown."""
        return self.price.images(request.shots) if isinstance(request, Draw) else None

    def spend_from(self, budget: Budget) -> None:
        """Charge all further requests to this budget."""
        self._cost_meter.budget = budget

    # --- a session -------------------------------------------------------------------------

    @asynccontextmanager
    async def _session(self, files: ImageStore) -> AsyncIterator[AnswerRequest]:
        """A client with everything that belongs to its event loop."""
        retry_policy = self._retry_policy or RetryPolicy()
        for server in self._servers:
            server.open()
        sender = Sender(
            key_variable=self._provider.key_variable,
            stats=self._stats,
            cost_meter=self._cost_meter,
            load_balancer=LoadBalancer(self._servers, self._name, retry_policy),
            timeout=self._options.timeout,
            retry_policy=retry_policy,
            max_response=int(self._options.max_response * MIB),
        )
        log_filter = RedactingLogFilter(self._address)
        log_filter.install()
        try:
            async with self._answering(sender, files) as answer:
                yield partial(self._paid, answer)
        finally:
            for server in self._servers:
                server.close()
            log_filter.remove()

    async def _paid(self, answer: AnswerRequest, request: Request) -> Answer:
        """The answer, once the budget allows for it; `Failed` with the reason if none came."""
        try:
            async with self._cost_meter.budget.reserve(self.cost_of(request) or 0.0):
                return await answer(request)
        except UnanswerableError as given_up:
            return self._failed(str(given_up))
        except (EpiceneError, OSError, MemoryError):
            raise  # these end the run
        except Exception as error:
            # Whatever a reply can lead to that nobody thought of fails its own request only.
            _log.debug("A reply could not be interpreted.", exc_info=True)
            return self._failed(f"the reply caused an error ({type(error).__name__}: {error})")

    def _failed(self, reason: str) -> Failed:
        reason = escape_controls(self._address.redact(reason))
        cut = len(reason) > _MAX_REASON_LENGTH
        return Failed(reason=f"{reason[: _MAX_REASON_LENGTH - 1]}…" if cut else reason)

    def _redacted(self, names: set[str]) -> list[str]:
        return sorted(self._address.redact(name) for name in names)


class HostedImageModel(HostedModel):
    """A text-to-image model whose images are requested one at a time."""

    subject: str  # what it is called in messages

    @property
    def verbs(self) -> frozenset[str]:
        """Draw only."""
        return frozenset({verb(Draw)})

    def notes(self) -> Mapping[str, object]:
        """How many images were drawn and refused, in addition to the notes of all models."""
        counts = self._stats
        return {**super().notes(), "drawn": counts.pictures, "refused": counts.refused}

    @abstractmethod
    def _headers(self, key: str) -> dict[str, str]:
        """The headers with the key."""

    @abstractmethod
    def _requester(
        self, sender: Sender, client: HttpClient, downloads: ImageDownloader
    ) -> RequestImage:
        """The function that requests one image."""

    @asynccontextmanager
    async def _answering(self, sender: Sender, files: ImageStore) -> AsyncIterator[AnswerRequest]:
        from epicene.models.http.client import HttpClient, ImageDownloader
        from epicene.models.http.image_samples import ImageSampler

        async with (
            HttpClient(sender, self._headers(sender.address.key)) as client,
            ImageDownloader(sender) as downloads,
        ):
            sampler = ImageSampler(sender, files, self._requester(sender, client, downloads))

            async def answer(request: Request) -> Answer:
                if not isinstance(request, Draw):
                    raise UnanswerableError(
                        f"{self.subject} does not support the verb {verb(request)}"
                    )
                return await sampler.draw(request)

            yield answer
