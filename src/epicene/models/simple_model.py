"""A model made of one function per verb, without batches, devices or network access."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Answer, Failed, Identity, Request, verb
from epicene.models import Batch, BatchLimit, NumberedAnswers, UnanswerableError, check_not_empty

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from epicene.core.records import Draw, Look
    from epicene.models import ImageStore


class SimpleModel:
    """Answer each request by itself, with one function per verb.

    `draw` and `look` are separate from the others because they need the run's image store.
    """

    def __init__(
        self,
        identity: Identity,
        verbs: Mapping[str, Callable[[Any], Answer]],
        draw: Callable[[Draw, ImageStore], Answer] | None = None,
        look: Callable[[Look, ImageStore], Answer] | None = None,
    ) -> None:
        self._identity = identity
        self._verbs = dict(verbs)
        with_images: dict[str, Callable[[Any, ImageStore], Answer] | None] = {
            "draw": draw,
            "look": look,
        }
        self._with_images = {name: each for name, each in with_images.items() if each}

    @property
    def identity(self) -> Identity:
        """Which model answers; part of every answer's key."""
        return self._identity

    @property
    def verbs(self) -> frozenset[str]:
        """The verbs it knows, by name."""
        return frozenset(self._verbs) | frozenset(self._with_images)

    @property
    def batch_limit(self) -> BatchLimit:
        """The default: requests are only batched to be committed together."""
        return BatchLimit()

    def answer(self, batches: Iterator[Batch], files: ImageStore) -> Iterator[NumberedAnswers]:
        """Answer every request of every batch, in order."""
        for batch in batches:
            yield [(number, self._one(request, files)) for number, request in batch]

    def _one(self, request: Request, files: ImageStore) -> Answer:
        try:
            check_not_empty(request)
            asked = verb(request)
            if asked in self._with_images:
                return self._with_images[asked](request, files)
            return self._verbs[asked](request)
        except UnanswerableError as error:
            return Failed(reason=str(error))
        except MemoryError:
            return Failed(reason="there is not enough memory to answer this request")

    def notes(self) -> Mapping[str, object]:
        """None by default."""
        return {}

    def close(self) -> None:
        """There is nothing to free."""
