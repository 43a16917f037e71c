"""Dummy answers, to estimate what later stages will ask and which judgements a run is missing.

They have no preferences, and contain what a later stage looks for if possible (every image is
drawn, every text has the first choice and the maximum length), so counts are upper bounds. The
judgements that an item has depend on what its suite asks and hardly on the answers, so judging
dummy answers gives the keys of the missing judgements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.records import (
    Choice,
    Completion,
    Completions,
    Draw,
    Fill,
    Generate,
    Image,
    Images,
    Look,
    Score,
    Scores,
    Text,
    Texts,
    TextScore,
    Translate,
    digest,
)
from epicene.runs.frames import judgement_frame
from epicene.runs.stored_run import RunJudgements
from epicene.suites import AnsweredRequest, Answers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars

    from epicene.core.records import Answer, Item, Judgement, Request
    from epicene.runs.matching import ItemMatching
    from epicene.runs.stored_run import StoredRun
    from epicene.suites import Protocol, Stage, Suite

BYTES_PER_TOKEN = 4  # of English in today's vocabularies; other languages have fewer
_FILLER = " and so on"


def dummy_answer(request: Request) -> Answer:
    """An answer of the right shape."""
    match request:
        case Generate():
            return Texts(texts=(Text(text=_dummy_text(request)),) * request.samples)
        case Translate():
            return Texts(texts=(Text(text=request.text),))
        case Draw():
            return Images(
                images=tuple(_dummy_image(request, shot) for shot in range(request.shots))
            )
        case Look():
            return Choice(choice=next(iter(request.choices), None))
        case Fill():
            texts = request.choices or ("",)
            return Completions(
                completions=tuple(
                    Completion(text=text, logprob=0.0, tokens=1, with_after=0.0) for text in texts
                ),
                method="dummy",
            )
        case Score():
            return Scores(texts=tuple(map(_dummy_score, request.texts)), method="dummy")


def _dummy_text(request: Generate) -> str:
    begun = request.choices[0] if request.choices else request.source
    missing = request.decoding.max_new_tokens * BYTES_PER_TOKEN - len(begun.encode())
    return begun + _FILLER * max(0, missing // len(_FILLER))


def _dummy_image(request: Draw, shot: int) -> Image:
    return Image(
        sha256=digest(request, shot).hex() * 2,
        media_type="image/png",
        width=request.width,
        height=request.height,
    )


def _dummy_score(text: str) -> TextScore:
    return TextScore(
        logprobs=(0.0,),
        drawn=(0.0,),
        starts=(0,),
        ends=(len(text),),
        words=1,
        characters=len(text) or 1,
    )


def dummy_requests(
    suite: Suite[Any, Any], protocol: Protocol, item: Item
) -> Iterator[tuple[Stage[Any, Any], Request]]:
    """What all stages would ask about an item if everything they need had dummy answers."""
    given: list[AnsweredRequest] = []
    for stage in suite.stages:
        seen = suite.dependencies_of(stage)
        for request in stage.ask(item, Answers(a for a in given if a.stage in seen), protocol):
            yield stage, request
            answer = dummy_answer(request)
            given.append(AnsweredRequest(stage.name, stage.role, "", request.name, answer))


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
