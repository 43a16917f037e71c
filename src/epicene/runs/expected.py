"""What items would be judged on that no answer came for, so that nobody gains by their absence.

Which judgements an item has is decided by what its suite asks of it, hardly by what is answered.
So every request gets an answer that says nothing, the suite judges these, and of the outcome only
the keys are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from epicene.records import (
    Answer,
    Choice,
    Completion,
    Completions,
    Draw,
    Fill,
    Generate,
    Image,
    Images,
    Look,
    Request,
    Score,
    Scores,
    Text,
    Texts,
    TextScore,
    Translate,
)
from epicene.runs.results import Judged, frame_of
from epicene.suites import Answers, Given

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars

    from epicene.records import Item, Judgement
    from epicene.runs.pairing import SameItems
    from epicene.runs.results import Finished

_METHOD = "none"
_NO_IMAGE = "0" * 64


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
    """The judgements of an item of which every model of the run says nothing."""
    suite, protocol = run.suite, run.protocol
    given: list[Given] = []
    for stage in suite.stages:
        seen = suite.needed_by(stage)
        earlier = Answers(each for each in given if each.stage in seen)
        requests = list(stage.ask(item, earlier, protocol))
        given += [
            Given(stage.name, stage.role, identity.label, request.name, stand_in(request))
            for identity in run.manifest.models[stage.role]
            for request in requests
        ]
    yield from suite.judge(item, Answers(given), protocol)


def stand_in(request: Request) -> Answer:
    """An answer of the right shape that prefers nothing."""
    match request:
        case Score():
            return Scores(texts=tuple(map(_unscored, request.texts)), method=_METHOD)
        case Fill():
            return Completions(
                completions=tuple(
                    Completion(text=choice, logprob=0.0, tokens=1, with_after=0.0)
                    for choice in request.choices
                ),
                method=_METHOD,
            )
        case Generate():
            said = Text(text=request.choices[0] if request.choices else request.source)
            return Texts(texts=(said,) * request.samples)
        case Translate():
            return Texts(texts=(Text(text=request.text),))
        case Draw():
            drawn = Image(
                sha256=_NO_IMAGE,
                media_type="image/png",
                width=request.width,
                height=request.height,
            )
            return Images(images=(drawn,) * request.shots)
        case Look():
            return Choice(choice=request.choices[0] if request.choices else None)


def _unscored(text: str) -> TextScore:
    return TextScore(
        logprobs=(0.0,),
        drawn=(0.0,),
        starts=(0,),
        ends=(len(text),),
        words=1,
        characters=len(text) or 1,
    )
