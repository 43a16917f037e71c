"""Metrics, tables and figures of runs of one suite, and how their settings differ."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.errors import InputError
from epicene.core.records import digest
from epicene.results.matching import SHORT_HASH, ItemMatching, describe_data_files, match_items
from epicene.results.wordings import wording_tables, wordings_in
from epicene.runs.frames import judgement_frame
from epicene.runs.stored_run import RunJudgements, StoredRun
from epicene.stats.tabulate import undetected_share
from epicene.suites import Protocol, Results, RunInfo, Suite
from epicene.suites.paper_material import UNKNOWN_WORDING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import polars

    from epicene.core.records import Estimate, Figure, Judgement, Table
    from epicene.runs.manifest import Coverage

_QUALIFIER = r" \([^()]*\)$"


@dataclass(frozen=True)
class RunSummary:
    """One run's metrics."""

    info: RunInfo
    data: str
    metrics: Mapping[str, Estimate]
    undetected: Estimate  # an answer that is judged in several ways counts once
    coverage: Coverage | None = None  # None if it is unknown what was asked


@dataclass(frozen=True)
class Summary:
    """Some runs of one suite under one protocol."""

    suite: Suite[Any, Any]
    protocol: Protocol
    runs: tuple[RunSummary, ...]
    undetected: Estimate
    results: Results[Any]
    same: ItemMatching | None = None  # None where there is one run, or none
    wording: str = ""  # whose words the models were asked in; "" in a suite without the choice
    requested: tuple[Table, ...] = ()  # tables that were asked for beside the suite's
    # Headlines by people's labels, where a study was given.
    corrected: Mapping[str, Estimate] = field(default_factory=dict)

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The suite's tables, made on first use; their titles name the wording."""
        if not len(self.results.frame):
            return ()
        made = tuple(self.suite.tables(self.results))
        if wordings_in(self.results.frame):
            note = self.suite.wordings_note
            made = tuple(
                msgspec.structs.replace(table, notes=(*table.notes, note)) for table in made
            )
        made = (*self.requested, *made, *wording_tables(self.suite, self.results))
        if not self.wording:
            return made
        return tuple(
            msgspec.structs.replace(table, title=f"{table.title} (wording: {self.wording})")
            for table in made
        )

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The suite's figures, made on each use."""
        return tuple(self.suite.figures(self.results)) if len(self.results.frame) else ()

    @property
    def metrics(self) -> dict[str, Estimate]:
        """All metrics, and the headlines corrected by people; with several runs, each is called
        `MODEL/NAME`.
        """
        if len(self.runs) == 1:
            return {**self.runs[0].metrics, **self.corrected}
        named = {
            f"{run.info.model}/{name}": estimate
            for run in self.runs
            for name, estimate in run.metrics.items()
        }
        return {**named, **self.corrected}


def summarise(
    runs: Sequence[StoredRun], seen: Callable[[RunInfo, Judgement], None] | None = None
) -> Summary:
    """Read the folders and compute all tables of their suite; `seen` is called with every
    judgement.
    """
    infos = label_comparable_runs(runs)
    same = match_items(runs)
    frames, coverages = [], []
    for index, (run, info) in enumerate(zip(runs, infos, strict=True)):
        judged = RunJudgements(run)
        if seen or same.renamed[index]:
            matched = same.matched(index, judged)
            judgements = _observed(matched, info, seen) if seen else matched
            frames.append(judgement_frame(judgements, info, run.suite.tabled_evidence))
        else:
            frames.append(judged.frame(info))
        coverages.append(judged.coverage)
    data = [run.manifest.settings.data for run in runs]
    made = _summary(runs[0].suite, runs[0].protocol, infos, data, frames, coverages)
    return replace(made, same=same, wording=_wording(runs, infos))


def _wording(runs: Sequence[StoredRun], infos: Sequence[RunInfo]) -> str:
    """Whose wording the models were asked in; if runs differ, each wording with its models."""
    models: dict[str, list[str]] = {}
    for run, info in zip(runs, infos, strict=True):
        models.setdefault(run.protocol.whose_wording, []).append(info.model)
    if len(models) == 1:
        return next(iter(models))
    return "; ".join(f"{wording} in {', '.join(who)}" for wording, who in models.items())


def _observed(
    judgements: Iterable[Judgement], info: RunInfo, seen: Callable[[RunInfo, Judgement], None]
) -> Iterator[Judgement]:
    for judgement in judgements:
        seen(info, judgement)
        yield judgement


def group_by_protocol(runs: Iterable[StoredRun]) -> dict[tuple[str, str], list[StoredRun]]:
    """Runs of one suite under one protocol together, by their names, in the order given."""
    groups: dict[tuple[str, str], list[StoredRun]] = {}
    for run in runs:
        groups.setdefault((run.suite.name, run.protocol.name), []).append(run)
    return groups


def label_comparable_runs(runs: Sequence[StoredRun]) -> list[RunInfo]:
    """The runs with distinct labels; raises if they are of several suites or protocols."""
    first = runs[0]
    for other in runs[1:]:
        if other.suite.name != first.suite.name:
            raise InputError(
                f"{first.folder} is a run of {first.suite.name} and {other.folder} is a run of "
                f"{other.suite.name}; tables compare runs of one suite."
            )
        if other.protocol.name != first.protocol.name:
            raise InputError(
                f"{first.folder} was run under the protocol {first.protocol.name} and "
                f"{other.folder} under {other.protocol.name}; their numbers cannot be compared."
            )
    if len({run.folder.resolve() for run in runs}) < len(runs):
        raise InputError("The same run folder was given twice; give each folder once.")
    _check_no_trial(runs)
    return label_runs(runs)


def _check_no_trial(runs: Sequence[StoredRun]) -> None:
    """Raise if two runs differ in nothing but their limit: their model would count twice."""
    seen: dict[bytes, StoredRun] = {}
    for run in runs:
        manifest = run.manifest
        key = digest(msgspec.structs.replace(manifest.settings, limit=None), manifest.models)
        other = seen.setdefault(key, run)
        limits = [each.manifest.settings.limit or "none" for each in (other, run)]
        if limits[0] != limits[1]:
            raise InputError(
                f"{other.folder} and {run.folder} are one run with different limits ({limits[0]} "
                f"and {limits[1]}), so its model would count twice; name only one of them."
            )


def summarise_external_answers(
    suite: Suite[Any, Any],
    protocol: Protocol,
    judgements: Mapping[str, Iterable[Judgement]],
    *,
    data: str,
    coverages: Mapping[str, Coverage | None] | None = None,
    prompts_known: bool = False,
) -> Summary:
    """Compute all tables from the judgements of external answers, by the labels of the models.

    `prompts_known` says whether the models were given the prompts of the protocol.
    """
    infos = [
        RunInfo(run=label, model=label, protocol=protocol.name, identities={})
        for label in judgements
    ]
    frames = [
        judgement_frame(judgements[info.model], info, suite.tabled_evidence) for info in infos
    ]
    covered = [(coverages or {}).get(info.model) for info in infos]
    made = _summary(suite, protocol, infos, [data] * len(infos), frames, covered)
    wording = protocol.whose_wording
    return replace(made, wording=UNKNOWN_WORDING if wording and not prompts_known else wording)


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
    primary = [primary_judgements(frame) for frame in frames]
    for info, name, frame, own, coverage in zip(
        infos, data, frames, primary, coverages, strict=True
    ):
        results = Results(frame, protocol, (info,))
        headlines.append(
            RunSummary(
                info=info,
                data=name,
                metrics=dict(suite.metrics(results)) if len(frame) else {},
                undetected=undetected_share(own),
                coverage=coverage,
            )
        )
    return Summary(
        suite=suite,
        protocol=protocol,
        runs=tuple(headlines),
        undetected=undetected_share(pl.concat(primary, how="diagonal")),
        results=Results(pl.concat(frames, how="diagonal"), protocol, tuple(infos)),
    )


def primary_judgements(frame: polars.DataFrame) -> polars.DataFrame:
    """One run's judgements, without second judgements of the same answer: of `probability` and
    `probability (per token)`, the plain name is the protocol's own.
    """
    import numpy as np
    import polars as pl

    names = frame.select("item", name=pl.col("name").cast(pl.String))
    known, own = names["name"].unique(), pl.col("name").str.replace(_QUALIFIER, "")
    ways = known.to_frame().with_columns(own=own)
    ways = ways.filter(pl.col("own") != pl.col("name"), pl.col("own").is_in(known.implode()))
    if not len(ways):
        return frame
    again = names.with_row_index("row").join(ways, on="name")
    plain = names.join(ways, left_on="name", right_on="own", how="semi")
    again = again.join(plain, left_on=["item", "own"], right_on=["item", "name"], how="semi")
    first = np.ones(len(frame), np.bool_)
    first[again["row"].to_numpy()] = False
    return frame.filter(pl.Series(first))


def incomplete_run_sentences(runs: Iterable[RunSummary]) -> Iterator[str]:
    """A sentence about each incomplete run, with the fix."""
    return incomplete_sentences((run.info.model, run.coverage) for run in runs)


def incomplete_sentences(runs: Iterable[tuple[str, Coverage | None]]) -> Iterator[str]:
    """A sentence about each incomplete run, by the labels of the models."""
    for model, coverage in runs:
        if coverage is not None and not coverage.whole:
            yield f"{model}: {coverage}; run the same command again to resume."


# --- telling runs apart --------------------------------------------------------------------


def label_runs(runs: Sequence[StoredRun]) -> list[RunInfo]:
    """The runs with distinct labels: models that share a label get their run's name added to it."""
    names = _folder_names(runs)
    folders: dict[str, set[Path]] = {}
    for run in runs:
        folders.setdefault(run.info.model, set()).add(run.folder.absolute())
    labelled = []
    for run, name in zip(runs, names, strict=True):
        model = run.info.model
        label = f"{model} ({name})" if len(folders[model]) > 1 else model
        labelled.append(msgspec.structs.replace(run.info, model=label, run=name))
    return labelled


def _folder_names(runs: Sequence[StoredRun]) -> list[str]:
    """The names of the folders; if several share a name, with as many parent folders as make
    them distinct, and never with a whole path.
    """
    sharing: dict[str, set[Path]] = {}
    for run in runs:
        sharing.setdefault(run.info.run, set()).add(run.folder.absolute())
    return [
        _distinct_name(run.info.run, run.folder.absolute(), sharing[run.info.run]) for run in runs
    ]


def _distinct_name(name: str, folder: Path, sharing: Iterable[Path]) -> str:
    """A folder's name, or the end of its path that no other folder of this name has."""
    others = [other.parts for other in sharing if other != folder]
    if not others:
        return name
    depth = 2
    while any(other[-depth:] == folder.parts[-depth:] for other in others):
        depth += 1
    return "/".join(folder.relative_to(folder.anchor).parts[-depth:])


_MAX_NAMED_RUNS = 6  # runs that a sentence names one by one
_MAX_CHARACTERS = 80  # characters of a setting; of a longer one its hash is said


def data_notes(runs: Sequence[StoredRun]) -> tuple[str, ...]:
    """What was left out of the data files, each sentence once."""
    found = (run.manifest.data_notes for run in runs)
    return tuple(dict.fromkeys(note for notes in found for note in notes or ()))


def settings_diff_sentences(runs: Sequence[StoredRun]) -> Iterator[str]:
    """A sentence about the settings in which the runs differ, if any."""
    if different := differing_run_settings(runs):
        yield f"These runs differ in {', '.join(different)}."


def differing_run_settings(runs: Sequence[StoredRun]) -> list[str]:
    """The settings in which the runs differ, with each run's value; and the models other than
    the measured one (judges, a translator), if they are not the same.
    """
    names = [info.run for info in label_runs(runs)]
    asked = _differing(names, [_run_options(run) for run in runs])
    set_to = _differing(names, [_protocol_settings(run) for run in runs])
    settings = "; ".join(f"{name}: {values}" for name, values in set_to.items())
    return [
        *(f"{name} ({values})" for name, values in asked.items()),
        *([f"settings ({settings})"] if settings else ()),
        *_differing_roles(runs),
    ]


def _run_options(run: StoredRun) -> dict[str, object]:
    """What a run was asked, except the settings of its protocol."""
    settings = run.manifest.settings
    return {
        "columns": settings.columns,
        "data": settings.data,
        "files": describe_data_files(run),
        "languages": settings.languages,
        "limit": settings.limit,
        "protocol": run.protocol.name,
        "stages": settings.stages,
        "suite version": settings.suite_version,
    }


def _protocol_settings(run: StoredRun) -> dict[str, object]:
    settings: dict[str, object] = msgspec.to_builtins(run.protocol)
    return {name: value for name, value in settings.items() if name not in ("name", "about")}


def protocol_method(run: StoredRun) -> dict[str, object]:
    """How a run was asked: the protocol and its settings except the seed."""
    settings: dict[str, object] = msgspec.to_builtins(run.protocol)
    return {name: value for name, value in settings.items() if name not in ("about", "seed")}


def _format_value(value: object) -> str:
    """A value as on the command line."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        text = ",".join(f"{name}={each}" for name, each in value.items())
    else:
        text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    if value is None or not text:
        return "none"
    return text if len(text) <= _MAX_CHARACTERS else f"#{digest(value).hex()[:SHORT_HASH]}"


def _differing(runs: Sequence[str], settings: Sequence[Mapping[str, object]]) -> dict[str, str]:
    """The settings that differ, with the value of each run."""
    names = dict.fromkeys(name for each in settings for name in each)
    found = {}
    for name in names:
        having: dict[str, list[str]] = {}
        for run, each in zip(runs, settings, strict=True):
            having.setdefault(_format_value(each.get(name)), []).append(run)
        if len(having) > 1:
            found[name] = ", ".join(
                _format_runs(value, who, len(runs)) for value, who in having.items()
            )
    return found


def _format_runs(value: str, runs: Sequence[str], of: int) -> str:
    if of > _MAX_NAMED_RUNS and len(runs) > 1:
        return f"{len(runs)} runs {value}"
    return ", ".join(f"{run} {value}" for run in runs)


def _differing_roles(runs: Sequence[StoredRun]) -> Iterator[str]:
    measured = {run.suite.roles[0].name for run in runs}
    roles = dict.fromkeys(role for run in runs for role in run.manifest.models)
    for role in roles:
        models = dict.fromkeys(other_role_models(run).get(role, "none") for run in runs)
        if role not in measured and len(models) > 1:
            yield f"{role} ({' against '.join(models)})"


def other_role_models(run: StoredRun) -> dict[str, str]:
    """The models other than the measured one, by role, each with label and digest."""
    return {
        role: ", ".join(
            sorted(f"{each.label} {each.digest.hex()[:SHORT_HASH]}" for each in identities)
        )
        for role, identities in run.manifest.models.items()
        if role != run.suite.roles[0].name and identities
    }
