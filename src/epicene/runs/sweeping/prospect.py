"""What is before a sweep: which of its runs are done, which cannot be, and what the rest takes."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from epicene.errors import EpiceneError, InputError, OptionError, RunError
from epicene.models import open_model
from epicene.models.purse import paid
from epicene.records import digest, verb
from epicene.runs.costs import check_prices, spending_in
from epicene.runs.on_demand import on_demand
from epicene.runs.refusals import many_roles
from epicene.runs.run import opened, settings_of
from epicene.runs.secrets import redact
from epicene.runs.settings import read_manifest, run_name
from epicene.runs.store import Store, is_complete
from epicene.runs.sweeping.counting import count
from epicene.runs.sweeping.plan import in_keys
from epicene.runs.sweeping.rates import Rates
from epicene.runs.sweeping.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from epicene.models import Model, Spec
    from epicene.runs.run import Order
    from epicene.runs.settings import Manifest, Settings
    from epicene.runs.sweeping.matrix import Cell
    from epicene.suites import Dataset

# open: to be run; complete: nothing is left; skipped: the plan leaves it out; cannot: a model does
# not know a verb; failed: a model cannot be reached, or what the run has kept cannot be read.
Standing: TypeAlias = Literal["open", "complete", "skipped", "cannot", "failed"]


@dataclass(frozen=True)
class Prospect:
    """One run of a sweep before it begins."""

    cell: Cell
    standing: Standing
    why: str = ""
    folder: Path | None = None
    tally: Tally | None = None  # of a run that is open or complete
    seconds: float | None = None  # about how long it will take; None if nobody knows
    spent: float = 0.0  # US dollars in earlier sessions
    unpriced: tuple[str, ...] = ()  # whose cost in them is not known

    @property
    def may_cost(self) -> bool:
        """Whether what is left may cost money."""
        return self.tally is not None and self.tally.cost != 0


class Surveyor:
    """Looks at the runs of a sweep one by one. No weights are loaded, nothing is asked."""

    def __init__(self, runs: Path, max_cost: float | None = None, *, strict: bool = False) -> None:
        self._rates = Rates(runs)
        self._max_cost = max_cost
        self._strict = strict
        self._counted: dict[bytes, Tally] = {}
        self._verbs: dict[Spec, frozenset[str]] = {}
        self._taken: dict[Path, Cell] = {}

    def look(self, cell: Cell) -> Prospect:
        """What is before one run. What is wrong with the data is raised; a model that cannot be
        reached, or cannot do what is asked, keeps only its own runs from being done.
        """
        if cell.skipped:
            return Prospect(cell, "skipped", cell.skipped)
        order = cell.order
        with _placed(cell):
            dataset = order.suite.read(order.source, order.protocol)
        with ExitStack() as stack:
            try:
                if lacking := self._lacking(order):
                    return self._hindered(cell, "cannot", lacking)
                models = stack.enter_context(opened(order, dataset, open_model))
            except EpiceneError as error:
                return self._hindered(cell, "failed", str(error))
            check_prices(order.suite, models, self._max_cost)
            return self._counted_out(cell, dataset, models)

    def _lacking(self, order: Order) -> str:
        """The verbs that a model would have to know and does not, in words; "" if none."""
        lacking = []
        for role, specs in order.models.items():
            needed = {verb(kind) for kind in order.suite.verbs_of(role)}
            found = sorted({each for spec in specs for each in needed - self._verbs_of(spec)})
            if found:
                whose = f" of its {role}" if len(order.models) > 1 else ""
                lacking.append(f"needs {' and '.join(found)}{whose}")
        return ", ".join(lacking)

    def _verbs_of(self, spec: Spec) -> frozenset[str]:
        """What a model can do, asked once for all its runs."""
        if spec not in self._verbs:
            model = on_demand(spec, open_model)
            self._verbs[spec] = model.verbs
            model.close()
        return self._verbs[spec]

    def _hindered(self, cell: Cell, standing: Standing, why: str) -> Prospect:
        if self._strict:
            raise InputError(f"{cell.title} cannot be done, and the plan is strict: {why}")
        return Prospect(cell, standing, redact(in_keys(why)))

    def _counted_out(
        self, cell: Cell, dataset: Dataset, models: Mapping[str, Sequence[Model]]
    ) -> Prospect:
        order, suite = cell.order, cell.order.suite
        with _placed(cell):
            settings = settings_of(order, dataset)
        identities = {role: tuple(m.identity for m in each) for role, each in models.items()}
        folder = order.under / run_name(settings, identities, many_roles(suite))
        other = self._taken.setdefault(folder, cell)
        if other is not cell:
            raise InputError(
                f"{other.title} and {cell.title} are one and the same run; leave one out."
            )
        cell = replace(cell, order=replace(order, out=folder))
        if not (folder / "manifest.json").exists():
            with _placed(cell):
                tally = self._fresh(cell, dataset, models, settings)
            seconds = self._rates.seconds(settings, identities, tally.parts)
            return Prospect(cell, "open", "", folder, tally, seconds)
        try:
            with _kept(folder) as (manifest, store):
                spent, unpriced = sum(store.spent().values()), manifest.unpriced
                # One that was killed at its very end has yet to say in its manifest how it went.
                if manifest.state == "complete" and is_complete(store, suite, identities):
                    done = _done(store)
                    return Prospect(cell, "complete", "", folder, done, 0.0, spent, unpriced)
                with _placed(cell):
                    tally = count(order, dataset, models, store)
        except RunError as error:  # its store is damaged, say
            hindered = self._hindered(cell, "failed", str(error))
            return replace(hindered, folder=folder, spent=spending_in([folder]).known)
        seconds = self._rates.seconds(settings, identities, tally.parts)
        return Prospect(cell, "open", "", folder, tally, seconds, spent, unpriced)

    def _fresh(
        self,
        cell: Cell,
        dataset: Dataset,
        models: Mapping[str, Sequence[Model]],
        settings: Settings,
    ) -> Tally:
        """What a run asks that has not begun: the same of every model, but for its price."""
        if any(paid(model) for each in models.values() for model in each):
            return count(cell.order, dataset, models, None)
        key = digest(settings, {role: len(each) for role, each in models.items()})
        if key not in self._counted:
            self._counted[key] = count(cell.order, dataset, models, None)
        return self._counted[key]


@contextmanager
def _placed(cell: Cell) -> Iterator[None]:
    """Say of what is wrong with the data where in the plan they are named."""
    try:
        yield
    except InputError as error:
        if cell.refuse is None:
            raise
        cell.refuse(error, error.option if isinstance(error, OptionError) else "data")


@contextmanager
def _kept(folder: Path) -> Iterator[tuple[Manifest, Store]]:
    """What a run has kept; `RunError` where half of it is lost."""
    try:
        manifest, store = read_manifest(folder), Store(folder / "answers.sqlite")
    except InputError as lost:
        raise RunError(str(lost)) from lost
    try:
        yield manifest, store
    finally:
        store.close()


def _done(store: Store) -> Tally:
    return Tally(answered=sum(store.counts(section)[0] for section in store.sections()))


@dataclass(frozen=True)
class Outlook:
    """All runs of a sweep together."""

    runs: int  # that are left
    tally: Tally
    seconds: float | None  # of those runs of which that is known; None if of none
    unknown: int  # runs of which nobody knows how long they take


def outlook(prospects: Sequence[Prospect]) -> Outlook:
    """What is left in all."""
    left = [each for each in prospects if each.standing == "open"]
    known = [each.seconds for each in left if each.seconds is not None]
    total = sum((each.tally for each in prospects if each.tally), start=Tally())
    return Outlook(
        runs=len(left),
        tally=total,
        seconds=sum(known) if known else None,
        unknown=len(left) - len(known),
    )
