"""Read votes collected outside Epicene: one line per image and judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

import msgspec

from epicene.core.data_files import read_rows, read_text_lines
from epicene.core.errors import InputError
from epicene.core.records import Choice, Failed
from epicene.suites import AnsweredRequest, Answers
from epicene.suites.gramvis.ask import JUDGES, LOOK
from epicene.suites.gramvis.items import ImageItem, word_condition

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from epicene.suites import Dataset
    from epicene.suites.gramvis.items import WordCondition
    from epicene.suites.gramvis.protocol import GramvisProtocol

_ABSENT = Failed(reason="the file has no line of this judge on this image")
NonEmptyText: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]


class Vote(msgspec.Struct, frozen=True, gc=False):
    """One line: an image, a judge, and the judge's words (null: none came)."""

    language: NonEmptyText
    model: NonEmptyText
    grammar: NonEmptyText
    category: NonEmptyText
    word: NonEmptyText
    condition: NonEmptyText
    template: NonEmptyText | int
    shot: NonEmptyText | int
    judge: NonEmptyText
    choice: str | None


def read_votes(
    path: Path, _dataset: Dataset, protocol: GramvisProtocol
) -> Iterator[tuple[ImageItem, Answers]]:
    """Each image with the votes on it; a line per vote with the fields of `Vote`.

    A judge that has lines on other images of the same model, and none on this, failed to vote.
    """
    votes: dict[tuple[WordCondition, str, str], dict[str, Choice]] = {}
    choices: dict[str | None, Choice] = {}  # judges say the same few things of many images
    known: dict[tuple[str, ...], WordCondition] = {}
    for location, vote in _read_vote_lines(path):
        names = (vote.language, vote.model, vote.grammar, vote.category, vote.word, vote.condition)
        if names not in known:
            known[names] = word_condition(*names, location, protocol.languages)
        on_image = votes.setdefault((known[names], str(vote.template), str(vote.shot)), {})
        if vote.judge in on_image:
            raise InputError(f"{location} has a second vote of {vote.judge!r} on the same image.")
        if vote.choice not in choices:
            # The protocol decides which label the words are.
            choices[vote.choice] = Choice(choice=None, text=vote.choice or "")
        on_image[vote.judge] = choices[vote.choice]
    judges: dict[str, dict[str, None]] = {}  # of each drawing model's images
    for (described, _, _), on_image in votes.items():
        judges.setdefault(described.drawer, {}).update(dict.fromkeys(on_image))
    for (described, template, shot), on_image in votes.items():
        absent = judges[described.drawer].keys() - on_image.keys()
        item = ImageItem(
            id="/".join((*described, template, shot)),
            **described.item_fields(),
            template=template,
            shot=shot,
        )
        given = [AnsweredRequest(LOOK, JUDGES, judge, "", vote) for judge, vote in on_image.items()]
        given += [
            AnsweredRequest(LOOK, JUDGES, judge, f"vote of {judge}", _ABSENT)
            for judge in sorted(absent)
        ]
        yield item, Answers(given)


def _read_vote_lines(path: Path) -> Iterator[tuple[str, Vote]]:
    """The votes of a file. Votes come by the hundred thousand, so JSONL is decoded as such."""
    location = str(path)
    try:
        if path.suffix.lower() in (".jsonl", ".ndjson"):
            decoder = msgspec.json.Decoder(Vote)
            for number, text in enumerate(read_text_lines(path), start=1):
                if text.strip():
                    location = f"{path}, line {number},"
                    yield location, decoder.decode(text)
        else:
            for location, values in read_rows(path):
                yield location, msgspec.convert(values, Vote, strict=False)
    except msgspec.DecodeError as error:
        raise InputError(f"{location} is not a vote: {error}.") from None
