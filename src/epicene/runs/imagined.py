"""Answers that nobody gave, to learn what would be asked about real ones and be judged of them.

They prefer nothing, and hold what a later stage looks for wherever they can: every picture is
drawn, every text has the first of the choices and is as long as it may be. So what is counted is
about the most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import (
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

if TYPE_CHECKING:
    from epicene.records import Answer, Request

BYTES_A_TOKEN = 4  # of English in today's vocabularies; other languages have fewer
_FILLER = " and so on"


def imagined(request: Request) -> Answer:
    """An answer of the right shape."""
    match request:
        case Generate():
            return Texts(texts=(Text(text=_written(request)),) * request.samples)
        case Translate():
            return Texts(texts=(Text(text=request.text),))
        case Draw():
            return Images(images=tuple(_drawn(request, shot) for shot in range(request.shots)))
        case Look():
            return Choice(choice=next(iter(request.choices), None))
        case Fill():
            texts = request.choices or ("",)
            return Completions(
                completions=tuple(
                    Completion(text=text, logprob=0.0, tokens=1, with_after=0.0) for text in texts
                ),
                method="imagined",
            )
        case Score():
            return Scores(texts=tuple(map(_scored, request.texts)), method="imagined")


def _written(request: Generate) -> str:
    begun = request.choices[0] if request.choices else request.source
    missing = request.decoding.max_new_tokens * BYTES_A_TOKEN - len(begun.encode())
    return begun + _FILLER * max(0, missing // len(_FILLER))


def _drawn(request: Draw, shot: int) -> Image:
    return Image(
        sha256=digest(request, shot).hex() * 2,
        media_type="image/png",
        width=request.width,
        height=request.height,
    )


def _scored(text: str) -> TextScore:
    return TextScore(
        logprobs=(0.0,),
        drawn=(0.0,),
        starts=(0,),
        ends=(len(text),),
        words=1,
        characters=len(text) or 1,
    )
