"""The forward pass of a causal model over many rows of tokens, by the cheapest route it bears."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

from epicene.models.hf import finishing, trial
from epicene.models.hf.memory import TooLargeError, fitting
from epicene.models.hf.network import Network
from epicene.models.hf.positions import steady_length
from epicene.models.hf.routes import ByLength, Limits, Padded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from epicene.models.hf.loading import Loaded
    from epicene.models.hf.routes import Pass, Ran, Route
    from epicene.models.hf.rows import Row, Runnable, Scored, Stem

    A = TypeVar("A", bound=Runnable)
R = TypeVar("R")


class Forward:
    """Runs rows through the model in passes that fit in memory."""

    def __init__(self, loaded: Loaded, notes: dict[str, Any]) -> None:
        asked = loaded.options.batch_size
        self._rows = None if asked == "auto" else asked
        self._network = Network(loaded, notes)
        self.vocabulary = self._network.vocabulary
        # Whether work can be put on the device and left there.
        self.runs_ahead = loaded.device.type == "cuda"
        self._notes = notes
        notes.update(rows=0, tokens=0, distinct_tokens=0)

    def score(self, rows: Iterable[Row]) -> Iterator[dict[Row, Scored | TooLargeError]]:
        """The log-probabilities of the scored tokens, part by part; equal rows run once.

        Where the device works by itself, all parts are handed to it before this returns.
        """
        launched = self._launch(set(rows), partial(finishing.scored, self._network))
        return _collected(list(launched) if self.runs_ahead else launched)

    def continuations(
        self, stems: Iterable[Stem], allowed: Callable[[Stem], Any]
    ) -> dict[Stem, list[tuple[int, float]] | TooLargeError]:
        """For each stem its best allowed next tokens with their log-probabilities, best first.

        `allowed` gives a boolean tensor over the vocabulary.
        """
        found: dict[Stem, list[tuple[int, float]] | TooLargeError] = {}
        finish = partial(finishing.continued, allowed, self._network)
        for done in _collected(self._launch(set(stems), finish)):
            found.update(done)
        return found

    @cached_property
    def route(self) -> Route:
        """The way this model's rows are run."""
        route, why = trial.best_route(self._network, self._limits)
        longest = steady_length(self._network.model.config)
        if longest is not None:
            route = ByLength(route, self._network, self._limits, longest)
        self._notes["path"] = route.name
        self._notes["path_because"] = why
        return route

    @cached_property
    def _limits(self) -> Limits:
        return Limits(self._network, self._rows)

    def _launch(
        self, rows: Iterable[A], finish: Callable[[Ran[A]], Callable[[], list[R]]]
    ) -> Iterator[tuple[Sequence[A], Callable[[], list[R]] | TooLargeError]]:
        ordered = list(rows)
        if not ordered:
            return
        for some in self.route.passes(ordered):
            for chunk, done in self._fitting(some, finish):
                if not isinstance(done, TooLargeError) or some.plain:
                    yield chunk, done
                    continue
                # A pack that does not fit, with its mask: its rows may, one by one.
                for single in Padded(self._network, self._limits).passes(chunk):
                    yield from self._fitting(single, finish)

    def _fitting(
        self, some: Pass[A, Any], finish: Callable[[Ran[A]], Callable[[], list[R]]]
    ) -> Iterator[tuple[Sequence[A], Callable[[], list[R]] | TooLargeError]]:
        def run(units: Sequence[Any]) -> tuple[Sequence[A], Callable[[], list[R]]]:
            ran = some.run(units)
            later = finish(ran)
            self._notes["rows"] += len(ran.rows)
            self._notes["tokens"] += sum(len(row.read) for row in ran.rows)
            self._notes["distinct_tokens"] += ran.tokens
            return ran.rows, later

        for units, done in fitting(run, some.units, self._notes, some.size):
            if isinstance(done, TooLargeError):
                yield [row for unit in units for row in some.rows(unit)], done
            else:
                yield done


def _collected(
    launched: Iterable[tuple[Sequence[A], Callable[[], list[R]] | TooLargeError]],
) -> Iterator[dict[A, R | TooLargeError]]:
    for rows, later in launched:
        if isinstance(later, TooLargeError):
            yield dict.fromkeys(rows, later)
        else:
            yield dict(zip(rows, later(), strict=True))
