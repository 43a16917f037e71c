"""What a sweep will do: which runs are complete, impossible or left, and what the rest will take.

A sweep that would exceed its limits is rejected before the first request.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from epicene.core.errors import EpiceneError, InputError, OptionError, RunError
from epicene.core.records import digest
from epicene.core.redaction import redact
from epicene.models import open_model
from epicene.models.pricing import as_paid, format_dollars
from epicene.runs.capabilities import check_installed, find_verbs, missing_verbs
from epicene.runs.checked_tables import DamagedStoreError
from epicene.runs.completion import count_answers
from epicene.runs.costs import check_prices, read_spending, stored_costs
from epicene.runs.executors import open_lazily
from epicene.runs.items import select_items
from epicene.runs.manifest import read_manifest, run_name
from epicene.runs.preflight import (
    asked_protocol,
    multi_model_roles,
    run_settings,
)
from epicene.runs.run import open_models
from epicene.runs.store import AnswerStore, is_complete, open_store
from epicene.runs.sweep.plan import options_to_keys
from epicene.runs.workload import MeasuredTimes, Workload, count_workload

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.models import Model, ModelSpec
    from epicene.runs.config import RunConfig
    from epicene.runs.costs import Spending
    from epicene.runs.manifest import Manifest, RunSettings
    from epicene.runs.sweep.matrix import SweepRun
    from epicene.runs.sweep.plan import SweepLimits
    from epicene.suites import Dataset

# open: to be run; complete: every request is answered; skipped: left out by the plan; cannot: a
# model lacks a verb; failed: a model cannot be reached, or the stored run cannot be read.
RunStatus: TypeAlias = Literal["open", "complete", "skipped", "cannot", "failed"]


@dataclass(frozen=True)
class RunForecast:
    """One run of a sweep before it starts."""

    sweep_run: SweepRun
    status: RunStatus
    why: str = ""
    folder: Path | None = None
    workload: Workload | None = None  # of a run that is open or complete
    seconds: float | None = None  # about how long it will take; None if unknown
    spent: float = 0.0  # US dollars in earlier sessions
    unpriced: tuple[str, ...] = ()  # models whose cost is unknown

    @property
    def may_cost(self) -> bool:
        """Whether what is left may cost money."""
        return self.workload is not None and self.workload.cost != 0


class Forecaster:
    """Forecasts the runs of a sweep one by one, without loading weights or sending requests."""

    def __init__(self, runs: Path, max_cost: float | None = None, *, strict: bool = False) -> None:
        self._rates = MeasuredTimes(runs)
        self._max_cost = max_cost
        self._strict = strict
        self._counted: dict[bytes, Workload] = {}
        self._verbs: dict[ModelSpec, frozenset[str]] = {}
        self._taken: dict[Path, SweepRun] = {}

    def forecast(self, sweep_run: SweepRun) -> RunForecast:
        """The forecast of one run. Errors in the data are raised; a model that cannot be reached or
        lacks a verb blocks only its own runs.
        """
        if sweep_run.skipped:
            return RunForecast(sweep_run, "skipped", sweep_run.skipped)
        config = sweep_run.config
        with _errors_at_plan_key(sweep_run):
            dataset = config.suite.read(config.source, config.protocol)
            items = select_items(config, dataset)
            config = replace(config, suite=find_verbs(config.suite, config.protocol, items))
        try:
            check_installed(config, dataset)
            for spec in (spec for specs in config.models.values() for spec in specs):
                self._verbs_of(spec)
        except EpiceneError as error:
            return self._blocked(sweep_run, "failed", str(error))
        with _errors_at_plan_key(sweep_run):
            lacking = self._missing_verbs(config, dataset)
        if lacking:
            return self._blocked(sweep_run, "cannot", lacking)
        with ExitStack() as stack:
            try:
                models = stack.enter_context(open_models(config, dataset, open_model))
            except EpiceneError as error:
                return self._blocked(sweep_run, "failed", str(error))
            check_prices(config.suite, models, self._max_cost)
            return self._forecast_workload(sweep_run, dataset, models)

    def _missing_verbs(self, config: RunConfig, dataset: Dataset) -> str:
        """A description of the verbs that a model needs but lacks; "" if none."""
        lacking = []
        for role, specs in config.models.items():
            verbs = frozenset[str].intersection(*map(self._verbs_of, specs))
            if found := missing_verbs(config, dataset, role, verbs):
                whose = f" of its {role}" if len(config.models) > 1 else ""
                lacking.append(f"needs {' and '.join(found)}{whose}")
        return ", ".join(lacking)

    def _verbs_of(self, spec: ModelSpec) -> frozenset[str]:
        """The verbs of a model, looked up once for all its runs."""
        if spec not in self._verbs:
            model = open_lazily(spec, open_model)
            self._verbs[spec] = model.verbs
            model.close()
        return self._verbs[spec]

    def _blocked(self, sweep_run: SweepRun, status: RunStatus, why: str) -> RunForecast:
        if self._strict:
            raise InputError(f"{sweep_run.title} cannot be run, and the plan is strict: {why}")
        return RunForecast(sweep_run, status, redact(options_to_keys(why)))

    def _forecast_workload(
        self, sweep_run: SweepRun, dataset: Dataset, models: Mapping[str, Sequence[Model]]
    ) -> RunForecast:
        config, suite = sweep_run.config, sweep_run.config.suite
        identities = {role: tuple(m.identity for m in each) for role, each in models.items()}
        with _errors_at_plan_key(sweep_run, "settings"):
            config = replace(config, protocol=asked_protocol(config))
        with _errors_at_plan_key(sweep_run):
            settings = run_settings(config, dataset)
        folder = config.out or config.under / run_name(
            settings, identities, multi_model_roles(suite)
        )
        other = self._taken.setdefault(folder, sweep_run)
        if other is not sweep_run:
            raise InputError(
                f"{other.title} and {sweep_run.title} are the same run; leave one out."
            )
        sweep_run = replace(sweep_run, config=replace(config, out=folder))
        if not (folder / "manifest.json").exists():
            with _errors_at_plan_key(sweep_run):
                workload = self._new_run_workload(sweep_run, dataset, models, settings)
            seconds = self._rates.seconds(settings, identities, workload.parts)
            return RunForecast(sweep_run, "open", "", folder, workload, seconds)
        try:
            with _open_stored(folder) as (manifest, store):
                spent, unpriced = sum(stored_costs(store).values()), manifest.unpriced
                # A run that was killed at its very end may have an outdated manifest.
                if manifest.state == "complete" and is_complete(store, suite, identities):
                    store.tables.content_digest()  # raises if a row is damaged
                    done = Workload(answered=count_answers(store))
                    return RunForecast(
                        sweep_run, "complete", "", folder, done, 0.0, spent, unpriced
                    )
                with _errors_at_plan_key(sweep_run):
                    workload = count_workload(config, dataset, models, store)
        except DamagedStoreError:  # the run repairs it
            with _errors_at_plan_key(sweep_run):
                workload = count_workload(config, dataset, models, None)
            spent, unpriced = read_spending([folder]).known, ()
        except RunError as error:  # e.g. its store cannot be opened
            blocked = self._blocked(sweep_run, "failed", str(error))
            return replace(blocked, folder=folder, spent=read_spending([folder]).known)
        seconds = self._rates.seconds(settings, identities, workload.parts)
        return RunForecast(sweep_run, "open", "", folder, workload, seconds, spent, unpriced)

    def _new_run_workload(
        self,
        sweep_run: SweepRun,
        dataset: Dataset,
        models: Mapping[str, Sequence[Model]],
        settings: RunSettings,
    ) -> Workload:
        """The workload of a new run, counted once for all models without a price."""
        if any(as_paid(model) for each in models.values() for model in each):
            return count_workload(sweep_run.config, dataset, models, None)
        key = digest(settings, {role: len(each) for role, each in models.items()})
        if key not in self._counted:
            self._counted[key] = count_workload(sweep_run.config, dataset, models, None)
        return self._counted[key]


@contextmanager
def _errors_at_plan_key(sweep_run: SweepRun, key: str = "data") -> Iterator[None]:
    """Add to errors in the data where the plan names the data, or another key."""
    try:
        yield
    except InputError as error:
        if sweep_run.refuse is None:
            raise
        sweep_run.refuse(error, error.option if isinstance(error, OptionError) else key)


@contextmanager
def _open_stored(folder: Path) -> Iterator[tuple[Manifest, AnswerStore]]:
    """The manifest and store of a run; raises `RunError` if one of them is missing."""
    try:
        manifest, opened = read_manifest(folder), open_store(folder)
    except InputError as lost:
        raise RunError(str(lost)) from lost
    with opened as store:
        yield manifest, store


@dataclass(frozen=True)
class SweepForecast:
    """All runs of a sweep together."""

    runs: int  # that are left
    workload: Workload
    seconds: float | None  # over the runs with a time estimate; None if there are none
    unknown: int  # runs without a time estimate


def total_forecast(forecasts: Sequence[RunForecast]) -> SweepForecast:
    """The forecast of all runs together."""
    left = [each for each in forecasts if each.status == "open"]
    known = [each.seconds for each in left if each.seconds is not None]
    total = sum((each.workload for each in forecasts if each.workload), start=Workload())
    return SweepForecast(
        runs=len(left),
        workload=total,
        seconds=sum(known) if known else None,
        unknown=len(left) - len(known),
    )


HOUR = 3600.0


def unknown_spending_message(spending: Spending) -> str:
    """Why a sweep stops if the cost of earlier runs is unknown."""
    runs = " and ".join(map(str, spending.unknown))
    return (
        f"the cost of {runs} cannot be read, so max_cost cannot be enforced: fix it, or move it "
        "away and subtract its cost from max_cost, or remove the limit"
    )


def check_limits(limits: SweepLimits, ahead: SweepForecast, spent: float) -> None:
    """Raise if what is left, together with what is `spent` in dollars, exceeds a limit."""
    over = list(_exceeded_limits(limits, ahead, spent))
    if over:
        raise InputError(
            f"The sweep exceeds its limits, so no request was sent: {'; '.join(over)}. Raise the "
            "limit, or reduce the plan."
        )


def _exceeded_limits(limits: SweepLimits, ahead: SweepForecast, spent: float) -> Iterator[str]:
    workload = ahead.workload
    tokens = workload.tokens_read + workload.tokens_written
    counts = (
        ("requests", "max_requests", workload.left, limits.max_requests),
        ("tokens", "max_tokens", tokens, limits.max_tokens),
        ("images", "max_images", workload.images, limits.max_images),
    )
    for what, name, number, limit in counts:
        if limit is not None and number > limit:
            yield f"{number:,} {what}, but {name} is {limit:,}"
    cost, most = workload.cost, limits.max_cost
    if most is not None and workload.left and cost is not None and spent + cost > most:
        before = f" in addition to the {format_dollars(spent)} already spent" if spent else ""
        yield f"it may cost {format_dollars(cost)}{before}, but max_cost is {format_dollars(most)}"
    seconds, hours = ahead.seconds, limits.max_hours
    if hours is not None and seconds is not None and seconds > hours * HOUR:
        yield f"about {seconds / HOUR:.2g} hours, but max_hours is {hours:g}"
