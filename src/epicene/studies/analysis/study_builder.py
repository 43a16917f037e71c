"""Build a study by sampling items from runs, or from a suite's data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.errors import InputError
from epicene.runs.plan import filter_languages
from epicene.runs.stored_run import RunJudgements, StoredRun
from epicene.runs.summary import label_comparable_runs
from epicene.studies.design.schema import SamplingRecord
from epicene.suites import choose_protocol
from epicene.suites.studies import Material

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from epicene.studies.design.sampling import Candidate, SamplingOptions
    from epicene.studies.design.schema import Study
    from epicene.suites import DataSource, RunInfo, Suite
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
    name = _study_name(suite, study, from_runs=True)
    if not suite.studies[name].from_runs:
        raise InputError(
            f"The study {name} is drawn from data, not from runs; give --suite {suite.name}."
        )
    drawn = SamplingRecord(
        kind=name,
        protocol=protocol or runs[0].protocol.name,
        runs=tuple(info.run for info in infos),
        data=", ".join(dict.fromkeys(run.manifest.settings.data for run in runs)),
        suite_file=str(suite.file or ""),
        **msgspec.to_builtins(wanted),
    )
    return _sample(suite, drawn, lambda: _run_materials(runs, infos, languages), wanted)


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
    name = _study_name(suite, study, from_runs=False)
    if suite.studies[name].from_runs:
        raise InputError(f"The study {name} is about what models wrote; name the run folders.")
    how = choose_protocol(suite, protocol, {}, None)
    dataset = suite.read(source, how)

    def materials() -> Iterator[Material[Any, Any]]:
        for item in filter_languages(dataset.items, languages, dataset.name):
            yield Material(item=item, protocol=how)

    drawn = SamplingRecord(
        kind=name,
        protocol=how.name,
        data=dataset.name,
        suite_file=str(suite.file or ""),
        **msgspec.to_builtins(wanted),
    )
    return _sample(suite, drawn, materials, wanted)


def _study_name(suite: Suite[Any, Any], name: str, *, from_runs: bool) -> str:
    """The name of the study; required if the suite has several that are drawn in this way."""
    fitting = [key for key, kind in suite.studies.items() if kind.from_runs == from_runs]
    if not name and len(fitting) == 1:
        return fitting[0]
    if not name and len(suite.studies) > 1:
        raise InputError(
            f"The suite {suite.name} has the studies {', '.join(sorted(suite.studies))}; name one "
            "with --study."
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
                f"Every item of the study {drawn.kind} is for {whole.judgements} people already; "
                "leave --twice out."
            )
        wanted = msgspec.structs.replace(wanted, twice=0)
    items = kind.sample(_Candidates(kind, materials), protocol, wanted)
    made = msgspec.structs.replace(whole, suite=suite.name, items=items, drawn=drawn)
    return kind.for_items(made)


class _Candidates:
    """The candidates of the materials, made anew at each iteration."""

    def __init__(self, kind: StudyKind[Any, Any], materials: Callable[[], Materials]) -> None:
        self._kind = kind
        self._materials = materials

    def __iter__(self) -> Iterator[Candidate]:
        for material in self._materials():
            yield from self._kind.candidates(material)


def _run_materials(
    runs: Sequence[StoredRun], infos: Sequence[RunInfo], languages: tuple[str, ...]
) -> Iterator[Material[Any, Any]]:
    for run, info in zip(runs, infos, strict=True):
        for item, answers in RunJudgements(run).answered():
            if not languages or item.language in languages:
                yield Material(item=item, protocol=run.protocol, model=info.model, answers=answers)
