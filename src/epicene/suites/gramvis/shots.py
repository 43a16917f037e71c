"""The images of a run, one by one, each with the judges' choices."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from epicene.records import Image, Images
from epicene.suites import Answers
from epicene.suites.gramvis.ask import DRAW, LOOK, look_name
from epicene.suites.gramvis.votes import Picture

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.suites import Given
    from epicene.suites.gramvis.prompted import Prompted
    from epicene.suites.gramvis.protocol import GramvisProtocol

_NONE_CAME = Image(refused="the model gave fewer images than were asked for")


class Shot(NamedTuple):
    """An image that was asked for, what the judges said of it, and why there is none, if so."""

    picture: Picture
    votes: Answers
    missing: str
    image: Image


def shots_of(item: Prompted, answers: Answers, protocol: GramvisProtocol) -> Iterator[Shot]:
    """Every image that was asked for, whether it came or not."""
    votes: dict[str, list[Given]] = defaultdict(list)
    for given in answers.where(stage=LOOK):
        votes[given.name].append(given)
    for drawn in answers.where(stage=DRAW):
        if isinstance(drawn.answer, Images):
            images = drawn.answer.images
            for number in range(1, protocol.shots + 1):
                image = images[number - 1] if number <= len(images) else _NONE_CAME
                yield Shot(
                    _picture(item, drawn, number),
                    Answers(votes[look_name(drawn.name, number)]),
                    "" if image.sha256 else image.refused or "no image came, and no reason",
                    image,
                )


def _picture(item: Prompted, drawn: Given, shot: int) -> Picture:
    word = item.entry
    return Picture(
        id=f"{item.id}/{drawn.name}/{shot}",
        group=item.cluster,
        language=item.language,
        drawer=drawn.model,
        grammar=word.grammar,
        category=word.category,
        word=word.word,
        condition=drawn.name,
        template=str(item.template),
        shot=str(shot),
        stereotype=word.stereotype,
    )
