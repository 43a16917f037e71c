"""Dummy answers, to find out what later stages will ask.

They have no preferences, and contain what a later stage looks for if possible (every image is
drawn, every text has the first choice and the maximum length), so counts are upper bounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
from epicene.suites import AnsweredRequest, Answers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.core.records import Answer, Item, Request
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
