"""Ask a model, and take its answers in the order of the requests."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import pytest

from epicene.core.records import Failed, Images

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from epicene.core.records import Answer, Draw, Image, Request
    from epicene.models import Batch, ImageStore, Model, NumberedRequest


class NoFiles:
    """The image store of a model that has no use for one."""

    def put(self, data: bytes) -> str:
        raise AssertionError

    def path(self, sha256: str) -> Path:
        raise AssertionError

    def drawn(self, _request: Draw, _index: int) -> Image | None:
        raise AssertionError

    def keep(self, _request: Draw, _index: int, _image: Image) -> None:
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


def reason(answer: Answer) -> str:
    """Why a request failed, as it must have."""
    assert isinstance(answer, Failed), answer
    return answer.reason


def drawn(answer: Answer) -> tuple[Image, ...]:
    """The images of an answer that must have some."""
    assert isinstance(answer, Images), answer
    return answer.images


def assert_alike(found: Sequence[Answer], sound: Sequence[Answer]) -> None:
    """The answers are the same except for the last digits, which depend on a machine's kernels."""
    pattern = re.compile(r"-?\d+\.\d+")
    for one, other in zip(found, sound, strict=True):
        here, there = (msgspec.json.encode(each).decode() for each in (one, other))
        assert pattern.sub("#", here) == pattern.sub("#", there)
        numbers = [float(number) for number in pattern.findall(here)]
        assert numbers == pytest.approx([*map(float, pattern.findall(there))], abs=1e-4)
