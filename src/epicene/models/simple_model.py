"""A model made of one function per verb, without batches, devices or network access."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import (
    Answer,
    Draw,
    Failed,
    Fill,
    Generate,
    Identity,
    Request,
    Score,
    verb,
)
from epicene.models import Batch, BatchLimit, NumberedAnswers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from epicene.models import ImageStore


class UnanswerableError(Exception):
    """This request has no answer from this model; the message is the reason."""


class SimpleModel:
    """Answers by one function per verb, each request by itself.

    `draw` is apart from the others: it needs the run's files to put its pictures in.
    """

    def __init__(
        self,
        identity: Identity,
        verbs: Mapping[str, Callable[[Any], Answer]],
        draw: Callable[[Draw, ImageStore], Answer] | None = None,
    ) -> None:
        self._identity = identity
        self._verbs = dict(verbs)
        self._draw = draw

    @property
    def identity(self) -> Identity:
        """Who answers; part of every answer's key."""
        return self._identity

    @property
    def verbs(self) -> frozenset[str]:
        """The verbs it knows, by name."""
        return frozenset(self._verbs) | ({verb(Draw)} if self._draw else frozenset())

    @property
    def batch_limit(self) -> BatchLimit:
        """A batch is only what is committed together."""
        return BatchLimit()

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        """Answer every request of every batch, in order."""
        for batch in batches:
            yield [(place, self._one(request, files)) for place, request in batch]

    def _one(self, request: Request, files: ImageStore) -> Answer:
        try:
            _check_not_empty(request)
            if isinstance(request, Draw) and self._draw:
                return self._draw(request, files)
            return self._verbs[verb(request)](request)
        except UnanswerableError as error:
            return Failed(reason=str(error))

    def notes(self) -> Mapping[str, object]:
        """Nothing to tell."""
        return {}

    def close(self) -> None:
        """Nothing to let go of."""


def _check_not_empty(request: Request) -> None:
    """Refuse a request that asks for no answer at all."""
    match request:
        case Score(texts=()):
            raise UnanswerableError("there is no text to score")
        case Generate() if request.samples < 1 or request.decoding.max_new_tokens < 1:
            raise UnanswerableError("at least one sample of at least one token must be asked for")
        case Fill() if request.top < 1 or request.max_tokens < 1:
            raise UnanswerableError("at least one completion of one token must be asked for")
        case Draw() if min(request.shots, request.width, request.height) < 1:
            raise UnanswerableError("at least one image of one pixel must be asked for")
