"""What a person wants of one or more runs of a suite: metrics, undetected, tables, figures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.errors import InputError
from epicene.runs.pairing import SameItems, same_items
from epicene.runs.results import Coverage, Finished, Judged, frame_of
from epicene.suites import Protocol, Results, RunInfo, Suite
from epicene.suites.tabulate import undetected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import polars

    from epicene.records import Estimate, Figure, Judgement, Table


@dataclass(frozen=True)
class RunSummary:
    """One run's headline."""

    info: RunInfo
    data: str
    metrics: Mapping[str, Estimate]
    undetected: Estimate  # an answer that is judged in several ways counts once
    coverage: Coverage | None = None  # None where nobody knows what was asked


@dataclass(frozen=True)
class Summary:
    """Some runs of one suite under one protocol."""

    suite: Suite[Any, Any]
    protocol: Protocol
    runs: tuple[RunSummary, ...]
    undetected: Estimate
    results: Results[Any]
    same: SameItems | None = None  # None where there is one run, or none

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The tables, made when somebody first wants to see them."""
        return tuple(self.suite.tables(self.results)) if len(self.results.frame) else ()

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures, drawn only when somebody wants to see them."""
        return tuple(self.suite.figures(self.results)) if len(self.results.frame) else ()

    @property
    def metrics(self) -> dict[str, Estimate]:
        """All metrics; with several runs each under `MODEL/NAME`."""
        if len(self.runs) == 1:
            return dict(self.runs[0].metrics)
        return {
            f"{run.info.model}/{name}": estimate
            for run in self.runs
            for name, estimate in run.metrics.items()
        }


def summarise(
    runs: Sequence[Finished], seen: Callable[[RunInfo, Judgement], None] | None = None
) -> Summary:
    """Read the folders and make all tables of their suite; `seen` is shown every judgement."""
    infos = together(runs)
    same = same_items(runs)
    frames, coverages = [], []
    for place, (run, info) in enumerate(zip(runs, infos, strict=True)):
        judged = Judged(run)
        named = same.named(place, judged)
        frames.append(frame_of(_shown(named, info, seen) if seen else named, info))
        coverages.append(judged.coverage)
    data = [run.manifest.settings.data for run in runs]
    made = _summary(runs[0].suite, runs[0].protocol, infos, data, frames, coverages)
    return replace(made, same=same)


def _shown(
    judgements: Iterable[Judgement], info: RunInfo, seen: Callable[[RunInfo, Judgement], None]
) -> Iterator[Judgement]:
    for judgement in judgements:
        seen(info, judgement)
        yield judgement


def together(runs: Sequence[Finished]) -> list[RunInfo]:
    """Which runs these are, told apart; raises if they are not of one suite and protocol."""
    first = runs[0]
    for other in runs[1:]:
        if other.suite.name != first.suite.name:
            raise InputError(
                f"{first.folder} is a run of {first.suite.name} and {other.folder} one of "
                f"{other.suite.name}; tables compare runs of one suite."
            )
        if other.protocol.name != first.protocol.name:
            raise InputError(
                f"{first.folder} was run under the protocol {first.protocol.name} and "
                f"{other.folder} under {other.protocol.name}; their numbers do not compare."
            )
    if len({run.folder.resolve() for run in runs}) < len(runs):
        raise InputError("One run folder was given twice.")
    return told_apart(runs)


def summarise_given(
    suite: Suite[Any, Any],
    protocol: Protocol,
    judgements: Iterable[Judgement],
    *,
    label: str,
    data: str,
    coverage: Coverage | None = None,
) -> Summary:
    """The same for judgements of answers that were made elsewhere."""
    info = RunInfo(run=label, model=label, protocol=protocol.name, identities={})
    return _summary(suite, protocol, [info], [data], [frame_of(judgements, info)], [coverage])


def _summary(
    suite: Suite[Any, Any],
    protocol: Protocol,
    infos: Sequence[RunInfo],
    data: Sequence[str],
    frames: Sequence[polars.DataFrame],
    coverages: Sequence[Coverage | None],
) -> Summary:
    import polars as pl

    headlines = []
    for info, name, frame, coverage in zip(infos, data, frames, coverages, strict=True):
        results = Results(frame, protocol, (info,))
        headlines.append(
            RunSummary(
                info=info,
                data=name,
                metrics=dict(suite.metrics(results)) if len(frame) else {},
                undetected=undetected(judged_once(frame)),
                coverage=coverage,
            )
        )
    once = pl.concat([judged_once(frame) for frame in frames], how="diagonal")
    return Summary(
        suite=suite,
        protocol=protocol,
        runs=tuple(headlines),
        undetected=undetected(once),
        results=Results(pl.concat(frames, how="diagonal"), protocol, tuple(infos)),
    )


def judged_once(frame: polars.DataFrame) -> polars.DataFrame:
    """One run's judgements without those of an answer that is judged in another way too: of
    `probability` and `probability (per token)` the bare name is the protocol's own."""
    import polars as pl

    name = pl.col("name").cast(pl.String)
    names = frame.select("item", name, own=name.str.replace(r" \([^()]*\)$", ""))
    again = names.filter(pl.col("own") != pl.col("name")).join(
        names, left_on=["item", "own"], right_on=["item", "name"], how="semi"
    )
    if not len(again):
        return frame
    # By their rows, so that names keep their type: frames of several runs are put together.
    left = names.with_row_index("row").join(again, on=["item", "name"], how="anti")
    return frame[left["row"].sort()]


def lacking(runs: Iterable[RunSummary]) -> Iterator[str]:
    """Which runs are not whole, and the way out, in a sentence each."""
    for run in runs:
        if run.coverage is not None and not run.coverage.whole:
            yield f"{run.info.model}: {run.coverage}; run the same command again to go on."


# --- telling runs apart --------------------------------------------------------------------


def told_apart(runs: Sequence[Finished]) -> list[RunInfo]:
    """Which runs these are, by their folders' names; models of one label by that of their run."""
    names = _folder_names(runs)
    folders: dict[str, set[Path]] = {}
    for run in runs:
        folders.setdefault(run.info.model, set()).add(run.folder.absolute())
    told = []
    for run, name in zip(runs, names, strict=True):
        model = run.info.model
        label = f"{model} ({name})" if len(folders[model]) > 1 else model
        told.append(msgspec.structs.replace(run.info, model=label, run=name))
    return told


def _folder_names(runs: Sequence[Finished]) -> list[str]:
    """The names of the folders; where several share one, with as many of the folders above as
    tell them apart, and never with a whole path."""
    sharing: dict[str, set[Path]] = {}
    for run in runs:
        sharing.setdefault(run.info.run, set()).add(run.folder.absolute())
    return [_told(run.info.run, run.folder.absolute(), sharing[run.info.run]) for run in runs]


def _told(name: str, folder: Path, sharing: Iterable[Path]) -> str:
    """A folder's name, or the end of its path that no other folder of this name has."""
    others = [other.parts for other in sharing if other != folder]
    if not others:
        return name
    depth = 2
    while any(other[-depth:] == folder.parts[-depth:] for other in others):
        depth += 1
    return "/".join(folder.relative_to(folder.anchor).parts[-depth:])
