"""A model behind a server, as the runs know it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from epicene.errors import InputError
from epicene.models import Answered, Batch, BatchLimit, Files, ModelOptions
from epicene.models.openai_api import address, tally
from epicene.models.openai_api.conveyor import Work, convey
from epicene.models.openai_api.faults import UnansweredError
from epicene.records import (
    Answer,
    Draw,
    Failed,
    Generate,
    Identity,
    Look,
    Request,
    Score,
    Translate,
    verb,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping

    from epicene.models.openai_api.echo import Proof
    from epicene.models.openai_api.generate import Habits
    from epicene.models.openai_api.transport import Patience

KIND = "openai"
# Changed when the same server would give other answers to the same requests: how an echo is
# read, or the words in which a translation is asked for.
VERSION = "1"
# How many requests are read ahead, for each that may be under way.
_READ_AHEAD = 4


class ServedModel:
    """Any model that an OpenAI-compatible server serves."""

    def __init__(self, name: str, options: ModelOptions, patience: Patience | None = None) -> None:
        if options.concurrency < 1:
            raise InputError(f"--concurrency is {options.concurrency}; it must be at least 1.")
        if not options.timeout > 0:
            raise InputError(f"--timeout is {options.timeout:g}; it must be above 0 seconds.")
        self._name = name
        self._options = options
        self._patience = patience
        self._address = address.find(options.base_url)
        self._prices = tally.prices()
        self._tally = tally.Tally()
        self._habits: Habits | None = None
        self._proof: Proof | None = None
        self._room = float(options.concurrency)

    @property
    def identity(self) -> Identity:
        """The model's name and revision; where it is served is not part of it."""
        return Identity(
            kind=KIND,
            label=self._options.label or self._name,
            key={"model": self._name, "revision": self._options.revision, "version": VERSION},
            about={"name": self._name, "family": "", "parameters": None},
        )

    @property
    def verbs(self) -> frozenset[str]:
        """Score is proved with the first request of a run, and the run refused without it."""
        return frozenset(verb(each) for each in (Generate, Translate, Score, Draw, Look))

    @property
    def batch_limit(self) -> BatchLimit:
        """A server batches by itself; single requests spread evenly over whoever asks."""
        return BatchLimit(requests=1)

    def answer(self, batches: Iterator[Batch], files: Files) -> Iterator[Answered]:
        """Answer the requests as replies come, in no order."""
        capacity = _READ_AHEAD * self._options.concurrency
        return convey(partial(self._session, files), chain.from_iterable(batches), capacity)

    def notes(self) -> Mapping[str, object]:
        """What was sent, used and learnt of the server."""
        counts, habits = self._tally, self._habits
        notes: dict[str, object] = {
            "server": self._address.shown,
            "requests": counts.sent,
            "retries": counts.retries,
            "rate_limited": counts.rate_limited,
            "concurrency": int(self._room),
            "prompt_tokens": counts.prompt_tokens,
            "completion_tokens": counts.completion_tokens,
            "served_models": self._shown(counts.models),
            "system_fingerprints": self._shown(counts.fingerprints),
        }
        cost = counts.cost if counts.cost is not None else self._prices.cost(counts)
        if cost is not None:
            notes["cost"] = round(cost, 6)
        if counts.shorter_than_asked:
            notes["shorter_than_asked"] = counts.shorter_than_asked
        if habits:
            notes["seed"] = "sent" if habits.takes_seed else "not taken by the server"
            if not habits.takes_temperature:
                notes["temperature"] = "not taken by the server"
        return notes

    def close(self) -> None:
        """Nothing is held between answers: each call of `answer` has a client of its own."""

    def _shown(self, names: set[str]) -> list[str]:
        return sorted(self._address.redact(name) for name in names)

    @asynccontextmanager
    async def _session(self, files: Files) -> AsyncIterator[Work]:
        """A client with all that belongs to its event loop."""
        # The client library takes a second to import.
        from epicene.models.openai_api.draw import Drawer
        from epicene.models.openai_api.echo import Echo, Proof
        from epicene.models.openai_api.gate import Gate
        from epicene.models.openai_api.generate import Generator, Habits
        from epicene.models.openai_api.look import Looker
        from epicene.models.openai_api.transport import Patience, Transport

        self._habits = self._habits or Habits()
        self._proof = self._proof or Proof()
        gate = Gate(self._options.concurrency, self._room)
        transport = Transport(
            self._address,
            self._tally,
            gate,
            timeout=self._options.timeout,
            patience=self._patience or Patience(),
        )
        generator = Generator(transport, self._name, self._habits)
        echo = Echo(transport, self._name, self._proof)
        drawer = Drawer(transport, self._name, self._habits, files)
        looker = Looker(transport, self._name, self._habits, files)

        async def work(request: Request) -> Answer:
            try:
                match request:
                    case Generate():
                        return await generator.generate(request)
                    case Translate():
                        return await generator.translate(request)
                    case Score():
                        return await echo.score(request)
                    case Draw():
                        return await drawer.draw(request)
                    case Look():
                        return await looker.look(request)
                    case _:
                        raise UnansweredError(f"a server knows no verb {verb(request)}")
            except UnansweredError as given_up:
                return Failed(reason=self._address.redact(str(given_up)))

        try:
            yield work
        finally:
            self._room = gate.limit
            await transport.close()
