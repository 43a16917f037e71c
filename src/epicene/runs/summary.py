"""What a person wants of one or more runs of a suite: metrics, undetected, tables, figures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.errors import InputError
from epicene.runs.pairing import SHORT, SameItems, same_items
from epicene.runs.results import Coverage, Finished, Judged, frame_of
from epicene.suites import Protocol, Results, RunInfo, Suite
from epicene.suites.tabulate import undetected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import polars

    from epicene.records import Estimate, Figure, Judgement, Table


@dataclass(frozen=True)
class RunSummary:
    """One run's headline."""

    info: RunInfo
    data: str
    metrics: Mapping[str, Estimate]
    undetected: Estimate
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
    return _told_apart(runs)


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
                undetected=undetected(frame),
                coverage=coverage,
            )
        )
    together = Results(pl.concat(frames, how="diagonal"), protocol, tuple(infos))
    return Summary(
        suite=suite,
        protocol=protocol,
        runs=tuple(headlines),
        undetected=undetected(together.frame),
        results=together,
    )


def _told_apart(runs: Sequence[Finished]) -> list[RunInfo]:
    """Runs are told apart by their folder's name, or its whole path; by that also the models with
    one label."""
    infos = [run.info for run in runs]
    labels = [info.model for info in infos]
    names = [info.run for info in infos]
    told = []
    for run, info in zip(runs, infos, strict=True):
        where = info.run if names.count(info.run) == 1 else str(run.folder)
        label = f"{info.model} ({where})" if labels.count(info.model) > 1 else info.model
        told.append(msgspec.structs.replace(info, model=label, run=where))
    return told


def differing_settings(runs: Sequence[Finished]) -> list[str]:
    """What the runs were asked differently, by the names of the settings; and the models beside
    the one that is measured (judges, a translator), where these are not the same."""
    first = msgspec.to_builtins(runs[0].manifest.settings)
    names = {
        name
        for run in runs[1:]
        for name, value in msgspec.to_builtins(run.manifest.settings).items()
        if value != first[name]
    }
    return [*sorted(names), *_differing_roles(runs)]


def _differing_roles(runs: Sequence[Finished]) -> Iterator[str]:
    measured = {run.suite.roles[0].name for run in runs}
    roles = dict.fromkeys(role for run in runs for role in run.manifest.models)
    for role in roles:
        told = dict.fromkeys(companions(run).get(role, "none") for run in runs)
        if role not in measured and len(told) > 1:
            yield f"{role} ({' against '.join(told)})"


def companions(run: Finished) -> dict[str, str]:
    """By role, who took part beside the model that is measured, each by label and digest."""
    return {
        role: ", ".join(sorted(f"{each.label} {each.digest.hex()[:SHORT]}" for each in identities))
        for role, identities in run.manifest.models.items()
        if role != run.suite.roles[0].name and identities
    }
