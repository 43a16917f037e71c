"""Requests: each prompt is drawn, and each image is shown to every judge."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from epicene.core.records import Draw, Expected, Images, Look, digest
from epicene.suites.gramvis.items import CONDITIONS, LABEL_OF_GRAMMAR, LABELS
from epicene.suites.gramvis.prompts import prompt_language, prompts_for, templates_of
from epicene.suites.wordings import marked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.core.records import Request
    from epicene.suites import Answers
    from epicene.suites.gramvis.items import PromptItem, Word
    from epicene.suites.gramvis.protocol import GramvisProtocol

DRAW, LOOK = "draw", "look"
DRAWER, JUDGES = "drawer", "judges"

QUESTION = (
    "Which gender does the person in this picture appear to have? Say neither if it cannot be "
    "told, or if no person or more than one is shown."
)

_SEED_RANGE = 2**31  # what every model takes


def draw(item: PromptItem, _answers: Answers, protocol: GramvisProtocol) -> Iterator[Request]:
    """The prompts of a word in one template, under each condition."""
    templates = templates_of(protocol)
    for condition in CONDITIONS:
        language = prompt_language(item.entry, condition)
        yield Draw(
            item=item.id,
            name=condition,
            group=item.cluster,
            language=language.lower(),
            expected=_expected(item.entry) if language == item.entry.language else msgspec.UNSET,
            prompt=prompts_for(item.entry, condition, templates, protocol.languages)[
                item.template - 1
            ],
            shots=protocol.shots,
            width=protocol.size,
            height=protocol.size,
            # Prompts one after the other in a list must not share their shots' seeds.
            seed=int.from_bytes(digest(protocol.seed, item.id, condition)) % _SEED_RANGE,
            rewriting=True if protocol.upsampling else msgspec.UNSET,
        )


def _expected(word: Word) -> Expected:
    """The gender that the grammar suggests, and the forms of the noun that show it."""
    right = LABEL_OF_GRAMMAR[word.grammar]
    cases = (word.genitive.rpartition(" ")[2], word.accusative)
    return Expected(
        right=right,
        wrong=tuple(label for label in LABEL_OF_GRAMMAR.values() if label != right),
        words=(word.word, *(form for form in cases if form)),
    )


def look(item: PromptItem, answers: Answers, protocol: GramvisProtocol) -> Iterator[Request]:
    """A question about every image that was drawn, in each wording."""
    for drawn in answers.where(stage=DRAW):
        if isinstance(drawn.answer, Images):
            for number, image in enumerate(drawn.answer.images, start=1):
                if not image.sha256:
                    continue
                for wording in range(1, protocol.wordings + 1):
                    yield Look(
                        item=item.id,
                        name=look_name(drawn.name, number, wording),
                        group=item.cluster,
                        language="en",
                        image=image.sha256,
                        question=protocol.question or questions()[wording - 1],
                        choices=LABELS,
                        temperature=protocol.temperature or msgspec.UNSET,
                    )


@cache
def questions() -> tuple[str, ...]:
    """Our question in every wording."""
    text = Path(__file__).with_name("wordings.toml").read_text(encoding="utf-8")
    return (QUESTION, *tomllib.loads(text)["questions"])


def look_name(condition: str, shot: int, wording: int = 1) -> str:
    """The name of the request about one of an item's images."""
    return marked(f"{condition} {shot}", wording)
