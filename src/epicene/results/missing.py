"""The judgements that runs would have if every request were answered.

The judgements that an item has depend on what its suite asks and hardly on the answers, so judging
dummy answers gives the keys of the missing ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from epicene.runs.dummy_answers import dummy_answer
from epicene.runs.frames import judgement_frame
from epicene.runs.stored_run import RunJudgements
from epicene.suites import AnsweredRequest, Answers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars

    from epicene.core.records import Item, Judgement
    from epicene.results.matching import ItemMatching
    from epicene.runs.stored_run import StoredRun

NO_MODEL = ""  # the model name of missing judgements


def missing_judgements(runs: Sequence[StoredRun], same: ItemMatching) -> polars.DataFrame:
    """One row, without a model, for each expected judgement of items that lack an answer."""
    import polars as pl

    frames = []
    for index, run in enumerate(runs):
        info = msgspec.structs.replace(run.info, run=NO_MODEL, model=NO_MODEL)
        judgements = (
            each for item in RunJudgements(run).lacking() for each in expected_judgements(run, item)
        )
        frames.append(judgement_frame(same.matched(index, judgements), info))
    return pl.concat(frames, how="diagonal")


def expected_judgements(run: StoredRun, item: Item) -> Iterator[Judgement]:
    """The judgements of an item based on dummy answers."""
    suite, protocol = run.suite, run.protocol
    given: list[AnsweredRequest] = []
    for stage in suite.stages:
        seen = suite.dependencies_of(stage)
        earlier = Answers(each for each in given if each.stage in seen)
        requests = list(stage.ask(item, earlier, protocol))
        given += [
            AnsweredRequest(
                stage.name, stage.role, identity.label, request.name, dummy_answer(request)
            )
            for identity in run.manifest.models[stage.role]
            for request in requests
        ]
    yield from suite.judge(item, Answers(given), protocol)
