"""Read votes collected outside Epicene: one line per image and judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

import msgspec

from epicene.core.data_files import read_rows, read_text
from epicene.core.errors import InputError
from epicene.core.records import Choice, Item
from epicene.suites import AnsweredRequest, Answers
from epicene.suites.gramvis.ask import JUDGES, LOOK
from epicene.suites.gramvis.items import (
    WordCondition,
    category_of,
    condition_of,
    grammar_of,
    language_of,
    word_group,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from epicene.suites import Dataset
    from epicene.suites.gramvis.protocol import GramvisProtocol

NonEmptyText: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]


class ImageItem(Item, frozen=True, kw_only=True):
    """One image of a word: by which model, under which condition, of which template and shot."""

    drawer: str
    grammar: str
    category: str
    word: str
    condition: str
    template: str
    shot: str
    stereotype: str = ""  # of votes made elsewhere nobody says it


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
    path: Path, _dataset: Dataset, _protocol: GramvisProtocol
) -> Iterator[tuple[ImageItem, Answers]]:
    """Each image with the votes on it; a line per vote with the fields of `Vote`."""
    votes: dict[tuple[str, ...], dict[str, Choice]] = {}
    said: dict[str | None, Choice] = {}  # judges say the same few things of many images
    known: dict[tuple[str, ...], WordCondition] = {}
    for place, each in _read_vote_lines(path):
        named = (each.language, each.model, each.grammar, each.category, each.word, each.condition)
        if named not in known:
            known[named] = _word_condition(named, place)
        cast = votes.setdefault((*known[named], str(each.template), str(each.shot)), {})
        if each.judge in cast:
            raise InputError(f"{place} has a second vote of {each.judge!r} on the same image.")
        if each.choice not in said:
            # What label the words are is the protocol's business.
            said[each.choice] = Choice(choice=None, text=each.choice or "")
        cast[each.judge] = said[each.choice]
    for key, cast in votes.items():
        yield (
            _image_item(key),
            Answers(
                AnsweredRequest(LOOK, JUDGES, judge, "", choice) for judge, choice in cast.items()
            ),
        )


def _read_vote_lines(path: Path) -> Iterator[tuple[str, Vote]]:
    """The votes of a file. Votes come by the hundred thousand, so JSONL is decoded as such."""
    place = str(path)
    try:
        if path.suffix.lower() in (".jsonl", ".ndjson"):
            decoder = msgspec.json.Decoder(Vote)
            for number, text in enumerate(read_text(path).split("\n"), start=1):
                if text.strip():
                    place = f"{path}, line {number},"
                    yield place, decoder.decode(text)
        else:
            for place, values in read_rows(path):
                yield place, msgspec.convert(values, Vote, strict=False)
    except msgspec.DecodeError as error:
        raise InputError(f"{place} is not a vote: {error}.") from None


def _word_condition(named: tuple[str, ...], place: str) -> WordCondition:
    language, model, grammar, category, word, condition = named
    return WordCondition(
        language_of(language, place),
        model,
        grammar_of(grammar, place),
        category_of(category, place),
        word,
        condition_of(condition, place),
    )


def _image_item(key: tuple[str, ...]) -> ImageItem:
    language, drawer, grammar, category, word, condition, template, shot = key
    return ImageItem(
        id="/".join(key),
        group=word_group(language, word),
        language=language.lower(),
        drawer=drawer,
        grammar=grammar,
        category=category,
        word=word,
        condition=condition,
        template=template,
        shot=shot,
    )
