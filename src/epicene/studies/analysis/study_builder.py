"""Build a study by sampling items from runs, or from a suite's data."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.errors import InputError
from epicene.results.summary import label_comparable_runs
from epicene.runs.items import filter_languages
from epicene.runs.stored_run import RunJudgements, StoredRun
from epicene.studies.design.schema import SampledCell, SamplingRecord
from epicene.suites import choose_protocol
from epicene.suites.studies import Material

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from epicene.studies.design.sampling import Candidate, DesignCell, SamplingOptions
    from epicene.studies.design.schema import Study, StudyItem
    from epicene.suites import DataSource, Protocol, RunInfo, Suite
    from epicene.suites.studies import StudyKind

    Materials = Iterable[Material[Any, Any]]


def study_from_runs(
    runs: Sequence[StoredRun],
    wanted: SamplingOptions,
    *,
    study: str = "",
    protocol: str = "",
    languages: tuple[str, ...] = (),
) -> Study:
    """Sample a study from runs, by the named protocol or that of the runs; from items in the named
    languages, or in all.
    """
    infos = label_comparable_runs(runs)
    suite = runs[0].suite
    name = study_kind_of_runs(suite, study, runs[0].protocol)
    drawn = SamplingRecord(
        kind=name,
        protocol=protocol or runs[0].protocol.name,
        runs=tuple(info.run for info in infos),
        languages=languages,
        data=", ".join(dict.fromkeys(run.manifest.settings.data for run in runs)),
        suite_file=str(suite.file or ""),
        **_recorded(wanted),
    )
    return _sample(suite, drawn, lambda: _run_materials(runs, infos, languages), wanted)


def study_kind_of_runs(suite: Suite[Any, Any], study: str, protocol: Protocol) -> str:
    """The name of a suite's study that is drawn from runs under a protocol."""
    name = _study_name(suite, study, protocol, from_runs=True)
    if not suite.studies[name].from_runs:
        raise InputError(
            f"The study {name} is sampled from data, not from runs; use --suite {suite.name}."
        )
    return name


def study_from_data(
    suite: Suite[Any, Any],
    source: DataSource,
    wanted: SamplingOptions,
    *,
    study: str = "",
    protocol: str = "epicene",
    languages: tuple[str, ...] = (),
) -> Study:
    """Sample a study from a suite's data, without model answers."""
    how = choose_protocol(suite, protocol, {}, None)
    name = _study_name(suite, study, how, from_runs=False)
    if suite.studies[name].from_runs:
        raise InputError(f"The study {name} is about answers of models; name the run folders.")
    dataset = suite.read(source, how)

    def materials() -> Iterator[Material[Any, Any]]:
        for item in filter_languages(dataset.items, languages, dataset.name):
            yield Material(item=item, protocol=how)

    drawn = SamplingRecord(
        kind=name,
        protocol=how.name,
        data=dataset.name,
        suite_file=str(suite.file or ""),
        **_recorded(wanted),
    )
    return _sample(suite, drawn, materials, wanted)


def _study_name(suite: Suite[Any, Any], name: str, protocol: Protocol, *, from_runs: bool) -> str:
    """The name of the study; required if the suite has several that are drawn in this way."""
    fitting = [
        key
        for key, kind in suite.studies.items()
        if kind.from_runs == from_runs and kind.fits(protocol)
    ]
    if not name and len(fitting) == 1:
        return fitting[0]
    if not name and len(suite.studies) > 1:
        raise InputError(
            f"The suite {suite.name} has the studies {', '.join(sorted(suite.studies))}; choose "
            "one with --study."
        )
    return suite.study_name(name)


def _sample(
    suite: Suite[Any, Any],
    drawn: SamplingRecord,
    materials: Callable[[], Materials],
    wanted: SamplingOptions,
) -> Study:
    kind = suite.studies[drawn.kind]
    protocol = choose_protocol(suite, drawn.protocol, {}, None)
    whole = kind.study(protocol)
    if whole.judgements > 1:
        if wanted.twice is not None:
            raise InputError(
                f"Every item of the study {drawn.kind} already goes to {whole.judgements} people; "
                "leave out --twice."
            )
        wanted = msgspec.structs.replace(wanted, twice=0)
    candidates = _Candidates(kind, materials, wanted)
    items = kind.sample(candidates, protocol, wanted)
    drawn = msgspec.structs.replace(drawn, cells=_sampled_cells(items, candidates.sizes, wanted))
    made = msgspec.structs.replace(whole, suite=suite.name, items=items, drawn=drawn)
    return kind.for_items(made)


def _recorded(wanted: SamplingOptions) -> dict[str, Any]:
    """The options as the study keeps them; what each cell got is with the cells."""
    return {
        name: value for name, value in msgspec.to_builtins(wanted).items() if name != "allocation"
    }


class _Candidates:
    """The candidates of the materials, made again at each iteration; how many each cell
    has is known once it has ended."""

    def __init__(
        self,
        kind: StudyKind[Any, Any],
        materials: Callable[[], Materials],
        wanted: SamplingOptions,
    ) -> None:
        self._kind = kind
        self._materials = materials
        self._wanted = wanted
        self.sizes: Counter[DesignCell] = Counter()

    def __iter__(self) -> Iterator[Candidate]:
        self.sizes = Counter()
        for material in self._materials():
            for candidate in self._kind.candidates(material):
                cell = candidate.sampling_cell(uncertain_first=self._wanted.uncertain_first)
                self.sizes[cell] += 1
                yield candidate


def _sampled_cells(
    items: Iterable[StudyItem], sizes: Counter[DesignCell], wanted: SamplingOptions
) -> tuple[SampledCell, ...]:
    """The cells with their sizes; none where items are made of several candidates."""
    sampled = Counter(item.cell for item in items)
    if not set(sampled) <= set(sizes):
        return ()
    return tuple(
        SampledCell(
            cell=cell,
            size=size,
            sampled=sampled[cell],
            wanted=wanted.allocation.get(cell, 0) if wanted.allocation else None,
        )
        for cell, size in sorted(sizes.items())
    )


def _run_materials(
    runs: Sequence[StoredRun], infos: Sequence[RunInfo], languages: tuple[str, ...]
) -> Iterator[Material[Any, Any]]:
    for run, info in zip(runs, infos, strict=True):
        for item, answers in RunJudgements(run).answered():
            if not languages or item.language in languages:
                yield Material(item=item, protocol=run.protocol, model=info.model, answers=answers)
