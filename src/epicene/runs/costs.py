"""The cost of a run: estimated before the first request, tracked, and stored with the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.core.errors import EpiceneError, InputError
from epicene.models import kind_info
from epicene.models.pricing import Budget, PaidModel, as_paid, format_dollars
from epicene.runs.manifest import Cost, Manifest, read_manifest
from epicene.runs.store import open_store

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.models import Model
    from epicene.runs.config import RunConfig
    from epicene.runs.estimate import RunEstimate
    from epicene.runs.store import AnswerStore


_FORGOTTEN = "forgotten"  # the payee of what the manifest says was spent and the store does not
_ROUNDING = 1e-5  # dollars, to which the manifest's sum is rounded


def check_prices(
    verbs: Mapping[str, Collection[str]],
    models: Mapping[str, Sequence[Model]],
    limit: float | None,
) -> None:
    """Raise if there is a cost limit but the price of one of the verbs that a role is asked for is
    unknown, because the limit could not be enforced.
    """
    if limit is None:
        return
    for role, each in models.items():
        for model in each:
            charging = as_paid(model)
            if charging and not all(map(charging.price.covers, verbs[role])):
                raise InputError(
                    f"--max-cost needs the price of {model.identity.label}, which is unknown; set "
                    "--price, or add it to the spec: SPEC?price=PRICE (0 if it is free)."
                )


class CostTracker:
    """Tracks the cost of a run per model, and stores it, so that it survives a killed process."""

    def __init__(
        self,
        store: AnswerStore,
        models: Mapping[str, Sequence[Model]],
        config: RunConfig,
        manifest: Manifest,
        estimate: RunEstimate | None,
    ) -> None:
        self._store = store
        self._estimates = estimate.costs if estimate else {}
        forgotten = manifest.spent - sum(store.spent().values())
        if forgotten > _ROUNDING:  # by a damaged store
            store.set_spent(_FORGOTTEN, store.spent().get(_FORGOTTEN, 0.0) + forgotten)
        self._before = store.spent()
        self._paid: dict[str, PaidModel] = {}
        for role, each in models.items():
            for model in each:
                if charging := as_paid(model):
                    self._paid[f"{role} {model.identity.digest.hex()}"] = charging
        spent = config.spent_elsewhere + sum(self._before.values())
        budget = Budget(config.max_cost, spent)
        for model in self._paid.values():
            model.spend_from(budget)

    def save(self) -> None:
        """Store what has been spent so far."""
        for payee, model in self._paid.items():
            if model.spent:
                self._store.set_spent(payee, self._before.get(payee, 0.0) + model.spent)

    def session(self) -> dict[str, Cost]:
        """What this session cost, by the models' labels."""
        costs: dict[str, Cost] = {}
        for model in self._paid.values():
            label = model.identity.label
            spent = _add_costs(costs[label].spent if label in costs else 0.0, model.spent)
            costs[label] = Cost(
                estimate=self._estimates.get(label), spent=spent, price=str(model.price)
            )
        return costs

    def total(self) -> float:
        """What all sessions cost, in US dollars."""
        return sum(self._store.spent().values())


def may_charge(kind: str) -> bool:
    """Whether models of that kind are behind a server and may charge for their answers."""
    return "price" in (kind_info(kind).options or ())


def spent_by_sibling_runs(folder: Path) -> float:
    """The cost of the other runs next to this folder, in US dollars."""
    return sum(
        map(
            _spent_in_store,
            _run_folders(path for path in folder.parent.glob("*") if path != folder),
        )
    )


class Spending(NamedTuple):
    """The cost of runs, in US dollars, and the runs whose cost is unknown."""

    known: float
    unknown: tuple[Path, ...] = ()


def read_spending(folders: Iterable[Path]) -> Spending:
    """The cost of the runs in these folders, as far as their files can be read.

    If a store cannot be read, the manifest is used, if the run's last session has written it.
    """
    known, unknown = 0.0, []
    for folder in _run_folders(folders):
        try:
            known += _spent_in_store(folder)
        except EpiceneError:
            said = _spent_in_manifest(folder)
            known += said or 0.0
            unknown += [folder] if said is None else []
    return Spending(known, tuple(unknown))


def _run_folders(folders: Iterable[Path]) -> Iterator[Path]:
    """The folders that contain a run; its manifest is written once its store is complete."""
    return (folder for folder in folders if (folder / "manifest.json").is_file())


def _spent_in_store(folder: Path) -> float:
    """What the run has spent according to its store."""
    with open_store(folder) as store:
        return sum(store.spent().values())


def _spent_in_manifest(folder: Path) -> float | None:
    """What the run has spent according to its manifest; 0 if no model charges, None if unknown."""
    try:
        manifest = read_manifest(folder)
        kinds = {identity.kind for each in manifest.models.values() for identity in each}
        if not any(map(may_charge, kinds)):
            return 0.0
    except EpiceneError:  # the manifest is damaged too, or a kind of model is not installed
        return None
    return manifest.spent if manifest.sessions and manifest.sessions[-1].ended else None


def cost_sentences(manifest: Manifest) -> Iterator[str]:
    """The cost of a run's last session, one sentence for each model whose price is known."""
    for label, cost in manifest.sessions[-1].costs.items():
        if cost.spent is not None and (cost.spent or cost.estimate):
            estimate = (
                ""
                if cost.estimate is None
                else f" (estimate: at most {format_dollars(cost.estimate)})"
            )
            yield f"{label} cost {format_dollars(cost.spent)}{estimate}."
    if len(manifest.sessions) > 1 and manifest.spent:
        yield f"All sessions of the run cost {format_dollars(manifest.spent)}."


def _add_costs(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other
