"""One model's part in one stage: planned, asked, stored, and its time taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene.models.purse import paid
from epicene.runs.execute import execute
from epicene.runs.on_demand import load
from epicene.runs.plan import survey
from epicene.runs.stopwatch import Stopwatch

if TYPE_CHECKING:
    from epicene.models import Files, Model
    from epicene.runs.costs import Ledger
    from epicene.runs.execute import Watcher
    from epicene.runs.plan import Reader
    from epicene.runs.settings import Timing
    from epicene.runs.store import Store
    from epicene.suites import Stage


def do_section(
    reader: Reader,
    store: Store,
    stage: Stage[Any, Any],
    model: Model,
    files: Files,
    watcher: Watcher,
    ledger: Ledger,
    timings: list[Timing],
) -> None:
    """Ask a model all that is not answered of its part in a stage; note how long that took."""
    watch = Stopwatch()
    section = store.section(stage.name, stage.role, model.identity)
    charging = paid(model)
    pricing = {"cost_of": charging.cost_of} if charging else {}
    with watch.planning():
        progress = survey(reader, store, stage, section, **pricing)
    if progress.done == progress.total:
        return
    title = f"{stage.name} · {model.identity.label}"
    if charging:
        watcher.say(f"{title}: {ledger.estimate(charging, progress)}")

    def advance(answered: int, failed: int) -> None:
        ledger.save()
        watcher.advance(answered, failed)

    watcher.begin(title, progress.total, progress.done)
    try:
        load(model)
        watch.begin()
        execute(reader, store, stage, section, model, files, advance, watch)
    finally:
        watcher.end()
        ledger.save()
        timings += watch.read(stage.name, stage.role, model.identity.label)
