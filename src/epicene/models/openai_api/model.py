"""A model behind a server that speaks the OpenAI protocol."""

from __future__ import annotations

from contextlib import asynccontextmanager
from pathlib import PureWindowsPath
from typing import TYPE_CHECKING

from epicene.models.openai_api.tokens import PICTURE, at_most
from epicene.models.remote.address import Provider
from epicene.models.remote.faults import UnansweredError
from epicene.models.remote.model import RemoteModel
from epicene.records import (
    Answer,
    Draw,
    Generate,
    Identity,
    Look,
    Request,
    Score,
    Translate,
    verb,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from epicene.models import Files, ModelOptions
    from epicene.models.openai_api.echo import Proof
    from epicene.models.openai_api.generate import Habits
    from epicene.models.remote.conveyor import Work
    from epicene.models.remote.patience import Patience
    from epicene.models.remote.sender import Sender

KIND = "openai"
# Changed when the same server would give other answers to the same requests: how an echo is
# read, or the words in which a translation is asked for.
VERSION = "1"
PROVIDER = Provider(
    key_variable="OPENAI_API_KEY",
    url_variable="OPENAI_BASE_URL",
    url_option="--base-url",
    own="the client library's own server",
    several=True,
)


class ServedModel(RemoteModel):
    """Any model that an OpenAI-compatible server serves."""

    library = "openai"

    def __init__(self, name: str, options: ModelOptions, patience: Patience | None = None) -> None:
        path = PureWindowsPath(name)  # which knows the separators of both
        identity = Identity(
            kind=KIND,
            # Many servers call a model by where its files are.
            label=options.label or (path.name if path.anchor else name),
            key={"model": name, "revision": options.revision, "version": VERSION},
            about={"name": name, "family": "", "parameters": None},
        )
        super().__init__(identity, PROVIDER, options, patience)
        self._habits: Habits | None = None
        self._proof: Proof | None = None

    @property
    def verbs(self) -> frozenset[str]:
        """Score is proved with the first request of a run, and the run refused without it."""
        return frozenset(verb(each) for each in (Generate, Translate, Score, Draw, Look))

    def cost_of(self, request: Request) -> float | None:
        """The most that a request should cost; None if that is not known."""
        if isinstance(request, Draw):
            return super().cost_of(request)
        return self.price.tokens(*at_most(request, self.price.picture or PICTURE))

    def notes(self) -> Mapping[str, object]:
        """What was sent, used and learnt of the server."""
        counts, habits = self._tally, self._habits
        notes = {
            **super().notes(),
            "prompt_tokens": counts.prompt_tokens,
            "completion_tokens": counts.completion_tokens,
            "served_models": self._shown(counts.models),
            "system_fingerprints": self._shown(counts.fingerprints),
        }
        if counts.shorter_than_asked:
            notes["shorter_than_asked"] = counts.shorter_than_asked
        if counts.pictures or counts.refused:
            notes["prompt_rewriting"] = "the protocol cannot forbid it"
        if habits:
            notes["seed"] = "sent" if habits.takes_seed else "not taken by the server"
            if not habits.takes_temperature:
                notes["temperature"] = "not taken by the server"
        return notes

    @asynccontextmanager
    async def _answering(self, sender: Sender, files: Files) -> AsyncIterator[Work]:
        # The client library takes a second to import.
        from epicene.models.openai_api.draw import Drawer
        from epicene.models.openai_api.echo import Echo, Proof
        from epicene.models.openai_api.generate import Generator, Habits
        from epicene.models.openai_api.look import Looker
        from epicene.models.openai_api.transport import Transport
        from epicene.models.remote.http import Downloads
        from epicene.models.remote.shots import Shots

        self._habits = self._habits or Habits()
        self._proof = self._proof or Proof()
        transport = Transport(sender)
        generator = Generator(transport, self._name, self._habits)
        echo = Echo(transport, self._name, self._proof)
        looker = Looker(transport, self._name, self._habits, files)

        async with (
            transport,
            sender.fleet.watched(transport.look),
            Downloads(sender) as downloads,
        ):
            drawer = Drawer(transport, downloads, self._name, self._habits)
            shots = Shots(sender, files, drawer.ask)

            async def answer(request: Request) -> Answer:
                match request:
                    case Generate():
                        return await generator.generate(request)
                    case Translate():
                        return await generator.translate(request)
                    case Score():
                        return await echo.score(request)
                    case Draw():
                        return await shots.draw(request)
                    case Look():
                        return await looker.look(request)
                    case _:
                        raise UnansweredError(f"a server knows no verb {verb(request)}")

            yield answer
