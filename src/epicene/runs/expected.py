"""What items would be judged on that no answer came for, so that nobody gains by their absence.

Which judgements an item has is decided by what its suite asks of it, hardly by what is answered.
So every request gets an imagined answer, the suite judges these, and of the outcome only the keys
are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from epicene.runs.imagined import imagined
from epicene.runs.results import Judged, frame_of
from epicene.suites import Answers, Given

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars

    from epicene.records import Item, Judgement
    from epicene.runs.pairing import SameItems
    from epicene.runs.results import Finished

NOBODY = ""  # the model of judgements that nobody has


def unjudged(runs: Sequence[Finished], same: SameItems) -> polars.DataFrame:
    """A row by nobody for each judgement that was to be had of items that lack an answer."""
    import polars as pl

    frames = []
    for place, run in enumerate(runs):
        info = msgspec.structs.replace(run.info, run=NOBODY, model=NOBODY)
        judgements = (each for item in Judged(run).lacking() for each in expected(run, item))
        frames.append(frame_of(same.named(place, judgements), info))
    return pl.concat(frames, how="diagonal")


def expected(run: Finished, item: Item) -> Iterator[Judgement]:
    """The judgements of an item by answers that nobody gave."""
    suite, protocol = run.suite, run.protocol
    given: list[Given] = []
    for stage in suite.stages:
        seen = suite.needed_by(stage)
        earlier = Answers(each for each in given if each.stage in seen)
        requests = list(stage.ask(item, earlier, protocol))
        given += [
            Given(stage.name, stage.role, identity.label, request.name, imagined(request))
            for identity in run.manifest.models[stage.role]
            for request in requests
        ]
    yield from suite.judge(item, Answers(given), protocol)
