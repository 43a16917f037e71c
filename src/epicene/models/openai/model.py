"""A model on a server with an OpenAI-compatible API."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from functools import partial
from pathlib import PureWindowsPath
from typing import TYPE_CHECKING

from epicene.core.records import (
    Answer,
    Decoding,
    Draw,
    Generate,
    Identity,
    Look,
    Message,
    Request,
    Score,
    Texts,
    Translate,
    verb,
)
from epicene.models import ProbeError, UnanswerableError, UnsupportedError
from epicene.models.http.address import Provider
from epicene.models.http.model import HostedModel, NoImages
from epicene.models.openai.generation import PROBE
from epicene.models.openai.token_bounds import IMAGE_TOKENS, max_request_tokens

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping, Sequence

    from epicene.models import Batch, ImageStore, ModelOptions
    from epicene.models.http.async_bridge import AnswerRequest
    from epicene.models.http.retry import RetryPolicy
    from epicene.models.http.sender import Sender
    from epicene.models.openai.echo_scoring import EchoCheck, EchoScorer
    from epicene.models.openai.generation import Generator, ServerCapabilities

KIND = "openai"
# Changed when the same server would give other answers to the same requests: how an echo is
# read, or the words in which a translation is asked for.
VERSION = "1"
PROVIDER = Provider(
    key_variable="OPENAI_API_KEY",
    url_variable="OPENAI_BASE_URL",
    url_option="--base-url",
    name="the client library's own server",
    several=True,
)


# Sent where the list of models lacks the model, as servers may have models that they do not list.
_CHAT_PROBE = Generate(
    item="",
    prompt=(Message(role="user", content=PROBE),),
    decoding=Decoding(max_new_tokens=1, temperature=None),
)


class OpenAIModel(HostedModel):
    """Any model that an OpenAI-compatible server serves."""

    library = "openai"

    def __init__(
        self, name: str, options: ModelOptions, retry_policy: RetryPolicy | None = None
    ) -> None:
        path = PureWindowsPath(name)  # which knows the separators of both
        identity = Identity(
            kind=KIND,
            # Many servers call a model by where its files are.
            label=options.label or (path.name if path.anchor else name),
            key={"model": name, "revision": options.revision, "version": VERSION},
            about={"name": name, "family": "", "parameters": None},
        )
        super().__init__(identity, PROVIDER, options, retry_policy)
        self._capabilities: ServerCapabilities | None = None
        self._echo_check: EchoCheck | None = None
        self._unsupported: list[tuple[Request, UnsupportedError]] | None = None  # while probing
        self._lacks_model = False  # whether the server lists models, and not this one

    @property
    def verbs(self) -> frozenset[str]:
        """Everything that an API offers; `probe` tests what this server supports."""
        return frozenset(verb(each) for each in (Generate, Translate, Score, Draw, Look))

    def cost_of(self, request: Request) -> float | None:
        """The expected maximum cost of a request; None if unknown."""
        if isinstance(request, Draw):
            return super().cost_of(request)
        return self.price.tokens(*max_request_tokens(request, self.price.picture or IMAGE_TOKENS))

    def notes(self) -> Mapping[str, object]:
        """Requests, usage, and what was learnt of the server."""
        counts, capabilities = self._stats, self._capabilities
        notes = {
            **super().notes(),
            "prompt_tokens": counts.prompt_tokens,
            "completion_tokens": counts.completion_tokens,
            "served_models": self._redacted(counts.models),
            "system_fingerprints": self._redacted(counts.fingerprints),
        }
        if counts.invalid_usage:
            notes["invalid_usage"] = counts.invalid_usage
        if counts.shorter_than_asked:
            notes["shorter_than_asked"] = counts.shorter_than_asked
        if counts.pictures or counts.refused:
            notes["prompt_rewriting"] = "the protocol cannot forbid it"
        if capabilities:
            notes["seed"] = "sent" if capabilities.takes_seed else "not taken by the server"
            if not capabilities.takes_temperature:
                notes["temperature"] = "not taken by the server"
        return notes

    def probe(self, requests: Sequence[Request]) -> None:
        """Test the key and the model's name at no cost; then the echo if texts are scored, and a
        continuation if plain texts are continued. A chat is tested only if the server lists models
        but not this one, and images are never tested. Raises `ProbeError` for what is not
        supported.
        """

        def tests() -> Iterator[Batch]:  # read after the list of models
            tested = [each for each in requests if isinstance(each, Score) or _continues(each)]
            if self._lacks_model and not all(isinstance(each, Draw) for each in requests):
                tested = tested or [_CHAT_PROBE]
            yield list(enumerate(tested))

        self._unsupported = []
        try:
            for _ in self.answer(tests(), NoImages()):
                pass
            if self._unsupported:
                raise ProbeError(self._unsupported)
        finally:
            self._unsupported = None

    @asynccontextmanager
    async def _answering(self, sender: Sender, files: ImageStore) -> AsyncIterator[AnswerRequest]:
        # The client library takes a second to import.
        from epicene.models.http.client import ImageDownloader
        from epicene.models.http.image_samples import ImageSampler
        from epicene.models.openai.client import OpenAIClient
        from epicene.models.openai.echo_scoring import EchoCheck, EchoScorer
        from epicene.models.openai.generation import Generator, ServerCapabilities
        from epicene.models.openai.images import Drawer, Looker

        self._capabilities = self._capabilities or ServerCapabilities()
        self._echo_check = self._echo_check or EchoCheck()
        client = OpenAIClient(sender)
        generator = Generator(client, self._name, self._capabilities)
        echo = EchoScorer(client, self._name, self._echo_check)
        looker = Looker(client, self._name, self._capabilities, files)

        async with (
            client,
            sender.load_balancer.monitored(client.list_models),
            ImageDownloader(sender) as downloads,
        ):
            drawer = Drawer(client, downloads, self._name, self._capabilities)
            sampler = ImageSampler(sender, files, drawer.ask)

            if self._unsupported is not None:
                await client.check_access()
                self._lacks_model = sender.load_balancer.listing.lacks_model
                yield partial(self._probe, self._unsupported, echo, generator, asyncio.Lock())
                return

            async def answer(request: Request) -> Answer:
                match request:
                    case Generate():
                        return await generator.generate(request)
                    case Translate():
                        return await generator.translate(request)
                    case Score():
                        return await echo.score(request)
                    case Draw():
                        return await sampler.draw(request)
                    case Look():
                        return await looker.look(request)
                    case _:
                        raise UnanswerableError(
                            f"a server does not support the verb {verb(request)}"
                        )

            yield answer

    @staticmethod
    async def _probe(
        unsupported: list[tuple[Request, UnsupportedError]],
        echo: EchoScorer,
        generator: Generator,
        one_by_one: asyncio.Lock,
        request: Request,
    ) -> Answer:
        """Test a request instead of answering it, and collect what the server does not support."""
        try:
            async with one_by_one:
                match request:
                    case Score():
                        await echo.probe(request)
                    case Generate():
                        await generator.probe(request)
        except UnsupportedError as reason:
            unsupported.append((request, reason))
        return Texts(texts=())


def _continues(request: Request) -> bool:
    return isinstance(request, Generate) and isinstance(request.prompt, str)
