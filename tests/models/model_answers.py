"""Ask a model, and take its answers in the order of the requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from epicene.core.records import Answer, Request
    from epicene.models import Batch, ImageStore, Model, NumberedRequest


class NoFiles:
    """The image store of a model that has no use for one."""

    def put(self, data: bytes) -> str:
        raise AssertionError

    def path(self, sha256: str) -> Path:
        raise AssertionError


def singly(requests: Iterable[Request]) -> Iterator[list[NumberedRequest]]:
    """Batches of one, as a plan would cut them."""
    for number, request in enumerate(requests):
        yield [(number, request)]


def answers(model: Model, *requests: Request, files: ImageStore | None = None) -> list[Answer]:
    """The answers to requests in batches of one."""
    return _collected(model, singly(requests), files)


def batch_answers(
    model: Model, *requests: Request, files: ImageStore | None = None
) -> list[Answer]:
    """The answers to requests in one batch."""
    return _collected(model, iter([list(enumerate(requests))]), files)


def _collected(model: Model, batches: Iterator[Batch], files: ImageStore | None) -> list[Answer]:
    """All answers; each must come exactly once."""
    found: dict[int, Answer] = {}
    for answered in model.answer(batches, files or NoFiles()):
        for number, answer in answered:
            assert number not in found
            found[number] = answer
    return [found[number] for number in range(len(found))]
