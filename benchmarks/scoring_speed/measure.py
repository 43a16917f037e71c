"""Time all contenders on the same texts, and check that all give the same scores."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import msgspec

from epicene.core.records import Record
from scoring_speed import lower_bound
from scoring_speed.comparisons import CURVE
from scoring_speed.contenders import PEERS, Epicene, Peer
from scoring_speed.plain import OneByOne, Plain, SortedBatches
from scoring_speed.texts import CANDIDATES, first, with_candidates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.core.records import Score
    from scoring_speed.comparisons import Comparison, Size
    from scoring_speed.contenders import Contender, ModelSetup, Timing
    from scoring_speed.plain import Row

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


class ComparisonResult(Record, frozen=True, kw_only=True):
    """One set of texts, scored by all."""

    name: str
    model: str
    device: str
    dtype: str
    sequences: int
    work: lower_bound.Work
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
    work: lower_bound.Work
    ours: float  # seconds; on a CPU, of all cores together
    batches: float  # of sorted batches, likewise


class Results(msgspec.Struct):
    """All that was measured, and with which versions."""

    races: list[ComparisonResult] = []
    curve: list[Point] = []
    notes: dict[str, dict[str, object]] = {}  # how Epicene did it, by model
    versions: dict[str, str] = {}


class Contest:
    """All contenders with one model; without peers if there is no Python for them."""

    def __init__(self, setup: ModelSetup, python: str) -> None:
        self._setup = setup
        self._plain = Plain(setup)
        names = PEERS[setup.kind] if python else ()
        # Peers load while we do.
        self._peers = [Peer(name, setup, self._plain.tokenizer, python) for name in names]
        self._alone = OneByOne(self._plain)
        self._ours = Epicene(setup)
        self._sorted = SortedBatches(self._plain)
        for peer in self._peers:
            peer.wait()
        self._rate = 0.0

    def run(
        self, comparison: Comparison, requests: Sequence[Score], size: Size, results: Results
    ) -> None:
        """Run one comparison and add it to the results."""
        print(f"{comparison.name} with {self._setup.folder.name} …", file=sys.stderr)
        asked = first(requests, comparison.sequences)
        if comparison.name == CURVE:
            results.curve += self._curve(asked, comparison.batches[0], size.rounds)
        else:
            results.races.append(self._race(comparison, asked, size))
        results.versions |= {peer.name: peer.version for peer in self._peers}
        results.notes[f"{self._setup.folder.name} {self._setup.dtype}"] = self._ours.notes()

    def close(self) -> None:
        """Free all models."""
        for peer in self._peers:
            peer.close()
        self._ours.close()

    def _race(
        self, comparison: Comparison, requests: Sequence[Score], size: Size
    ) -> ComparisonResult:
        """Time all contenders in turn; the plain path scores the first texts only."""
        contenders: list[Contender] = [self._ours, self._sorted, *self._peers]
        suited = {each.name: _suited(each, requests, comparison.batches) for each in contenders}
        took: dict[str, list[Timing]] = {each.name: [] for each in contenders}
        for _ in range(size.rounds):
            for contender in contenders:
                took[contender.name].append(contender.score(requests, suited[contender.name]))
        suited[self._alone.name] = 1
        took[self._alone.name] = [self._alone.score(first(requests, size.alone), 1)]
        # The best over all races: a busy machine shows its rate only now and then.
        self._rate = max(self._rate, lower_bound.matrix_rate(self._setup.device, comparison.dtype))
        ours = took[self._ours.name][0].scores
        for name, some in took.items():
            for each in some:
                check_scores(name, each.scores, ours, comparison.dtype)
        return ComparisonResult(
            name=comparison.name,
            model=comparison.shape.name,
            device=self._setup.device,
            dtype=comparison.dtype,
            sequences=len(ours),
            work=lower_bound.least(self._rows(requests), self._plain),
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
                    work=lower_bound.least(self._rows(asked), self._plain),
                    ours=took[0],
                    batches=took[1],
                )
            )
        return points

    def _cost(self, took: Timing) -> float:
        """On a CPU the clock also counts what others do meanwhile."""
        return took.processor if self._setup.device == "cpu" else took.seconds

    def _rows(self, requests: Sequence[Score]) -> list[Row]:
        return [row for some in self._plain.rows(requests) for row in some]


def _suited(contender: Contender, requests: Sequence[Score], batches: Sequence[int]) -> int:
    """The batch size that suits a contender best; to try them is also to warm it up."""
    few = first(requests, max(batches) * len(batches))
    return min(batches, key=lambda batch: contender.score(few, batch).seconds)


def _line(name: str, batch: int, took: Sequence[Timing], ours: Sequence[float]) -> Line:
    scores = took[0].scores
    return Line(
        contender=name,
        batch=batch,
        sequences=len(scores),
        seconds=min(each.seconds for each in took),
        processor=min(each.processor for each in took),
        apart=max(abs(a - b) for a, b in zip(scores, ours, strict=False)),
    )


def check_scores(name: str, scores: Sequence[float], ours: Sequence[float], dtype: str) -> None:
    """Raise if a score differs from Epicene's."""
    fixed, share = SLACK[dtype]
    for number, score in enumerate(scores):
        # Written so that NaN is refused too.
        assert abs(score - ours[number]) <= fixed + share * abs(score), (
            f"{name} gives {score} for text {number}, and Epicene {ours[number]}"
        )
