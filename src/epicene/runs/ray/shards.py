"""Shards: whole batches of one verb, handed to a worker together.

Batches are those of a run on one machine, so what is computed together is the same wherever it is
computed. Only a batch that ends its workers is taken apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from epicene.records import Draw, Fill, Generate, Look, Prompt, Request, Score, Translate, verb

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from epicene.models import Batch

# Batches that are put in order together. This and the shards in flight are all that is held of a
# plan, whatever its size.
WINDOW = 64

# A request that was in every one of so many shards that ended their workers is the culprit.
KILLS = 2

_OPENING = 200  # characters of a request's beginning by which batches are put in order


@dataclass(frozen=True)
class Shard:
    """Batches of one verb; `kills` counts the workers that ended over them."""

    batches: tuple[Batch, ...]
    kills: int = 0

    @property
    def requests(self) -> int:
        """How many requests it has."""
        return sum(map(len, self.batches))


def cut(batches: Iterator[Batch], size: Callable[[], int]) -> Iterator[Shard]:
    """Shards of `size()` batches at most, those that begin alike together.

    A model keeps what it has read of a common beginning (an instruction, a chat's opening) for the
    batches that come next. One batch at a time is taken of images, which are large.
    """
    while window := list(islice(batches, WINDOW)):
        window.sort(key=lambda batch: (verb(batch[0][1]), opening(batch[0][1])))
        first = 0
        while first < len(window):
            asked = verb(window[first][0][1])
            end = first + 1
            most = first + (1 if asked in ("draw", "look") else size())
            while end < min(most, len(window)) and verb(window[end][0][1]) == asked:
                end += 1
            yield Shard(tuple(window[first:end]))
            first = end


def halves(shard: Shard) -> tuple[Shard, Shard] | None:
    """A shard that ended its workers, in two: between batches, or inside the only one.

    None where it is a single request. Each half was there when workers ended, so the next one that
    ends over it is enough.
    """
    whole, *others = shard.batches
    if others:
        middle = len(shard.batches) // 2
        return _part(*shard.batches[:middle]), _part(*shard.batches[middle:])
    middle = len(whole) // 2
    return (_part(whole[:middle]), _part(whole[middle:])) if middle else None


def _part(*batches: Batch) -> Shard:
    return Shard(batches, KILLS - 1)


def opening(request: Request) -> str:
    """How a request begins."""
    match request:
        case Score():
            return (_text(request.context) + next(iter(request.texts), ""))[:_OPENING]
        case Fill():
            return request.before[:_OPENING]
        case Generate():
            return _text(request.prompt)[:_OPENING]
        case Translate():
            return request.text[:_OPENING]
        case Draw():
            return request.prompt[:_OPENING]
        case Look():
            return request.question[:_OPENING]


def _text(prompt: Prompt) -> str:
    if isinstance(prompt, str):
        return prompt[:_OPENING]
    return "\n".join(message.content for message in prompt)[:_OPENING]
