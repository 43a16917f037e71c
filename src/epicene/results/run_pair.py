"""Two runs of one suite read together, so that their judgements can be paired."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.core.errors import InputError
from epicene.results.matching import match_items
from epicene.results.summary import incomplete_sentences, label_runs, settings_diff_sentences
from epicene.runs.frames import check_unique_judgements, judgement_frame
from epicene.runs.stored_run import RunJudgements, StoredRun
from epicene.suites import Results
from epicene.suites.headline_metrics import headline_metrics_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars

    from epicene.core.records import Estimate
    from epicene.results.paired_differences import FramePair
    from epicene.runs.manifest import Coverage
    from epicene.suites.headline_metrics import HeadlineMetric

POSITIONS = ("first", "second")


@dataclass(frozen=True)
class RunPair:
    """The judgements of two runs, with different names for different items."""

    runs: tuple[StoredRun, StoredRun]
    parts: tuple[Results[Any], Results[Any]]  # of each run under its own protocol
    coverages: tuple[Coverage, Coverage]
    notes: tuple[str, ...]

    @property
    def models(self) -> tuple[str, str]:
        """The labels of the two models."""
        first, second = self.parts
        return first.runs[0].model, second.runs[0].model

    @property
    def texts(self) -> FramePair:
        """The judgements with categories as strings, which can be compared."""
        import polars as pl

        words = pl.col("name", "outcome", "label").cast(pl.String)
        first, second = (part.frame.with_columns(words) for part in self.parts)
        return first, second

    def shares_nothing(self, what: str) -> InputError:
        """The error that the two have nothing in common, with how they differ."""
        first, second = (run.folder for run in self.runs)
        return InputError(" ".join((f"{first} and {second} share no {what}.", *self.notes)))


def read_pair(first: StoredRun, second: StoredRun) -> RunPair:
    """Read two runs; raises if they are of different suites."""
    if first.suite.name != second.suite.name:
        raise InputError(
            f"{first.folder} is a run of {first.suite.name} and {second.folder} is a run of "
            f"{second.suite.name}; only runs of the same suite can be compared."
        )
    runs = first, second
    same, infos = match_items(runs), label_runs(runs)
    judged = RunJudgements(first), RunJudgements(second)

    def part(index: int) -> Results[Any]:
        frame = judgement_frame(same.matched(index, judged[index]), infos[index])
        check_unique_judgements(frame, first.suite.name)
        return Results(frame, runs[index].protocol, (infos[index],))

    parts = part(0), part(1)
    coverages = judged[0].coverage, judged[1].coverage
    return RunPair(
        runs,
        parts,
        coverages,
        (
            *settings_diff_sentences(runs),
            *same.sentences([str(run.folder) for run in runs]),
            *incomplete_sentences(zip([info.model for info in infos], coverages, strict=True)),
        ),
    )


class HeadlineFigures(NamedTuple):
    """A headline, the results of each run by its position, and the scores of both under the
    positions as model names, or None if it has no scores to pair."""

    headline: HeadlineMetric
    parts: Mapping[str, Results[Any]]
    scores: polars.DataFrame | None

    @property
    def values(self) -> tuple[Estimate, ...]:
        """Each run's own value."""
        return tuple(self.headline.estimate(part) for part in self.parts.values())


def headline_figures(read: RunPair) -> Iterator[HeadlineFigures]:
    """Each headline with the judgements it is the mean of.

    Each run is identified by its position, because both may be the same run.
    """
    import polars as pl

    first, second = read.parts
    parts = dict(zip(POSITIONS, read.parts, strict=True))
    both = replace(first, frame=pl.concat([first.frame, second.frame], how="diagonal"))
    for headline in headline_metrics_of(read.runs[0].suite, both):
        scores = None
        if headline.item_scores is not None and len(first.frame) and len(second.frame):
            scores = pl.concat(
                [
                    headline.item_scores(part).with_columns(model=pl.lit(position))
                    for position, part in parts.items()
                ],
                how="diagonal_relaxed",
            )
        yield HeadlineFigures(headline, parts, scores)
