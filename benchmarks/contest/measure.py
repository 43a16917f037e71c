"""Contenders in turns over the same texts: times, and whether all say the same."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import msgspec

from contest import floor
from contest.courses import CURVE
from contest.plain import OneByOne, Plain, SortedBatches
from contest.texts import CANDIDATES, first, with_candidates
from contest.ways import PEERS, Epicene, Peer
from epicene.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contest.courses import Course, Size
    from contest.plain import Row
    from contest.ways import Contender, Place, Took
    from epicene.core.records import Score

# How far a text's score may be from Epicene's: in nats, and as a share of the score. In bfloat16
# the peers add up in that format too, which has three digits.
SLACK = {"float32": (1e-3, 0.0), "bfloat16": (0.0, 0.01)}


class Line(Record, frozen=True, kw_only=True):
    """How one contender did; `apart` is the largest distance of a score from Epicene's."""

    contender: str
    batch: int
    sequences: int
    seconds: float
    processor: float
    apart: float


class Race(Record, frozen=True, kw_only=True):
    """One set of texts, scored by all."""

    name: str
    model: str
    device: str
    dtype: str
    sequences: int
    work: floor.Work
    rate: float  # operations a second of a large matrix product; on a CPU, of each core
    lines: tuple[Line, ...]

    @property
    def floor(self) -> float:
        """Seconds that the least arithmetic takes; on a CPU, of all cores together."""
        return self.work.flops / self.rate

    @property
    def ours(self) -> Line:
        """How Epicene did."""
        return next(line for line in self.lines if line.contender == Epicene.name)

    def cost(self, line: Line) -> float:
        """What all texts cost a contender, in the seconds of the floor."""
        spent = line.processor if self.device == "cpu" else line.seconds
        return spent * self.sequences / line.sequences


class Point(Record, frozen=True, kw_only=True):
    """What some number of candidates per item costs."""

    candidates: int
    sequences: int
    work: floor.Work
    ours: float  # seconds; on a CPU, of all cores together
    batches: float  # of sorted batches, likewise


class Results(msgspec.Struct):
    """All that was measured, and with which versions."""

    races: list[Race] = []
    curve: list[Point] = []
    notes: dict[str, dict[str, object]] = {}  # how Epicene did it, by model
    versions: dict[str, str] = {}


class Field:
    """All contenders with one model; without peers if there is no Python for them."""

    def __init__(self, place: Place, python: str) -> None:
        self._place = place
        self._plain = Plain(place)
        names = PEERS[place.kind] if python else ()
        # Peers load while we do.
        self._peers = [Peer(name, place, self._plain.tokenizer, python) for name in names]
        self._alone = OneByOne(self._plain)
        self._ours = Epicene(place)
        self._sorted = SortedBatches(self._plain)
        for peer in self._peers:
            peer.wait()
        self._rate = 0.0

    def run(self, course: Course, requests: Sequence[Score], size: Size, results: Results) -> None:
        """One course, added to the results."""
        print(f"{course.name} with {self._place.folder.name} …", file=sys.stderr)
        asked = first(requests, course.sequences)
        if course.name == CURVE:
            results.curve += self._curve(asked, course.batches[0], size.rounds)
        else:
            results.races.append(self._race(course, asked, size))
        results.versions |= {peer.name: peer.version for peer in self._peers}
        results.notes[f"{self._place.folder.name} {self._place.dtype}"] = self._ours.notes()

    def close(self) -> None:
        """Let go of all models."""
        for peer in self._peers:
            peer.close()
        self._ours.close()

    def _race(self, course: Course, requests: Sequence[Score], size: Size) -> Race:
        """Time everybody, in turns; the plain path scores the first texts only."""
        contenders: list[Contender] = [self._ours, self._sorted, *self._peers]
        suited = {each.name: _suited(each, requests, course.batches) for each in contenders}
        took: dict[str, list[Took]] = {each.name: [] for each in contenders}
        for _ in range(size.rounds):
            for contender in contenders:
                took[contender.name].append(contender.score(requests, suited[contender.name]))
        suited[self._alone.name] = 1
        took[self._alone.name] = [self._alone.score(first(requests, size.alone), 1)]
        # The best over all races: a busy machine shows its rate only now and then.
        self._rate = max(self._rate, floor.matrix_rate(self._place.device, course.dtype))
        ours = took[self._ours.name][0].scores
        for name, some in took.items():
            for each in some:
                hold(name, each.scores, ours, course.dtype)
        return Race(
            name=course.name,
            model=course.shape.name,
            device=self._place.device,
            dtype=course.dtype,
            sequences=len(ours),
            work=floor.least(self._rows(requests), self._plain),
            rate=self._rate,
            lines=tuple(_line(name, suited[name], some, ours) for name, some in took.items()),
        )

    def _curve(self, requests: Sequence[Score], batch: int, rounds: int) -> list[Point]:
        """What more candidates per item cost."""
        points = []
        for candidates in CANDIDATES:
            asked = with_candidates(requests, candidates)
            took = [
                min(self._cost(each.score(asked, batch)) for _ in range(rounds))
                for each in (self._ours, self._sorted)
            ]
            points.append(
                Point(
                    candidates=candidates,
                    sequences=candidates * len(requests),
                    work=floor.least(self._rows(asked), self._plain),
                    ours=took[0],
                    batches=took[1],
                )
            )
        return points

    def _cost(self, took: Took) -> float:
        """On a CPU the clock also counts what others do meanwhile."""
        return took.processor if self._place.device == "cpu" else took.seconds

    def _rows(self, requests: Sequence[Score]) -> list[Row]:
        return [row for some in self._plain.rows(requests) for row in some]


def _suited(contender: Contender, requests: Sequence[Score], batches: Sequence[int]) -> int:
    """The batch size that suits a contender best; to try them is also to warm it up."""
    few = first(requests, max(batches) * len(batches))
    return min(batches, key=lambda batch: contender.score(few, batch).seconds)


def _line(name: str, batch: int, took: Sequence[Took], ours: Sequence[float]) -> Line:
    scores = took[0].scores
    return Line(
        contender=name,
        batch=batch,
        sequences=len(scores),
        seconds=min(each.seconds for each in took),
        processor=min(each.processor for each in took),
        apart=max(abs(a - b) for a, b in zip(scores, ours, strict=False)),
    )


def hold(name: str, scores: Sequence[float], ours: Sequence[float], dtype: str) -> None:
    """Every score must be Epicene's, whoever made it."""
    fixed, share = SLACK[dtype]
    for number, score in enumerate(scores):
        # Written so that NaN is refused too.
        assert abs(score - ours[number]) <= fixed + share * abs(score), (
            f"{name} gives {score} for text {number}, and Epicene {ours[number]}"
        )
