"""Judgements as a frame: one row per judgement, one column per facet and count."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from epicene.core.errors import InputError, RunError
from epicene.core.garbage import rare_garbage_collection
from epicene.suites import FRAME_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import polars

    from epicene.core.records import Judgement
    from epicene.suites import RunInfo

_CHUNK_SIZE = 50_000  # judgements turned into columns at a time


def judgement_frame(
    judgements: Iterable[Judgement], info: RunInfo, evidence: Sequence[str] = ()
) -> polars.DataFrame:
    """One row per judgement, one column per facet and count, built in chunks to keep only columns
    in memory.

    The columns for the named evidence are called `evidence NAME`.
    """
    import polars as pl

    return with_run(info, pl.concat(_pieces(judgements, evidence), how="diagonal"))


def _pieces(judgements: Iterable[Judgement], evidence: Sequence[str]) -> Iterator[polars.DataFrame]:
    """At least one."""
    stream = iter(judgements)
    # Judgements are in no cycles, and looking for cycles takes a fifth of the time.
    with rare_garbage_collection():
        yield _columns(list(islice(stream, _CHUNK_SIZE)), evidence)
        while chunk := list(islice(stream, _CHUNK_SIZE)):
            yield _columns(chunk, evidence)


def _columns(chunk: Sequence[Judgement], evidence: Sequence[str]) -> polars.DataFrame:
    import polars as pl

    facets = sorted({name for judgement in chunk for name in judgement.facets})
    counts = sorted({name for judgement in chunk for name in judgement.counts})
    clash = (set(facets) | set(counts)) & set(FRAME_COLUMNS) | set(facets) & set(counts)
    if clash:
        raise InputError(f"A facet or count must not be called {', '.join(sorted(clash))}.")
    items = [j.item for j in chunk]
    words: dict[str, list[str | None]] = {
        "group": [j.group or j.item for j in chunk],
        "language": [j.language for j in chunk],
        "name": [j.name for j in chunk],
        "outcome": [j.outcome for j in chunk],
        "label": [j.label for j in chunk],
        **{facet: [j.facets.get(facet) for j in chunk] for facet in facets},
        **{f"evidence {name}": [j.evidence.get(name) for j in chunk] for name in evidence},
    }
    numbers = {
        "value": [j.value for j in chunk],
        **{count: [j.counts.get(count) for j in chunk] for count in counts},
    }
    frame = pl.DataFrame(
        [
            pl.Series("item", items, dtype=pl.String),
            *(pl.Series(name, column, dtype=pl.Categorical) for name, column in words.items()),
            *(pl.Series(name, column, dtype=pl.Float64) for name, column in numbers.items()),
        ]
    )
    _check_finite(chunk, frame, numbers)
    return frame


def with_run(info: RunInfo, frame: polars.DataFrame) -> polars.DataFrame:
    """The frame with the columns that tell its run from others."""
    import polars as pl

    return frame.select(
        pl.lit(info.run, dtype=pl.Categorical).alias("run"),
        pl.lit(info.model, dtype=pl.Categorical).alias("model"),
        pl.lit(info.protocol, dtype=pl.Categorical).alias("protocol"),
        pl.all(),
    )


def _check_finite(
    chunk: Sequence[Judgement], frame: polars.DataFrame, columns: Iterable[str]
) -> None:
    """Raise if a value or count is NaN or infinite, because no table can be computed from it."""
    for name in columns:
        finite = frame[name].is_finite()
        if not finite.all():
            row = finite.to_list().index(False)
            judgement = chunk[row]
            which = f", judgement {judgement.name!r}" if judgement.name else ""
            raise RunError(
                f"The {name} of the item {judgement.item!r}{which} is {frame[name][row]}; the "
                "suite's judge must leave out what it cannot compute."
            )


def check_unique_judgements(frame: polars.DataFrame, suite: str) -> None:
    """Raise if a model has two judgements of an item with the same name: it is not clear which
    to pair.
    """
    import polars as pl

    keys = ["model", "item", "name"]
    twice = frame.filter(frame.select(keys).is_duplicated()).select(pl.col(keys).cast(pl.String))
    if len(twice):
        _, item, name = twice.row(0)
        raise RunError(
            f"The suite {suite} gives two judgements of the item {item!r} the name {name!r}, so "
            "runs of it cannot be paired; its judge must give each judgement of an item its own "
            "name."
        )
