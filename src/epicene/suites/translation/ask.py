"""Requests: translate the sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from epicene.core.records import Decoding, Expected, Translate
from epicene.suites.translation.entities import example_text
from epicene.suites.translation.items import OTHER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from msgspec import UnsetType

    from epicene.core.records import Request
    from epicene.suites import Answers
    from epicene.suites.translation.items import Sentence
    from epicene.suites.translation.protocol import TranslationProtocol

TRANSLATION = "translation"


def ask(sentence: Sentence, _: Answers, protocol: TranslationProtocol) -> Iterator[Request]:
    """One translation; none of a sentence whose translation people judged."""
    if sentence.human:
        return
    context = sentence.context if protocol.context == "before" else ""
    yield Translate(
        item=sentence.id,
        name=TRANSLATION,
        group=sentence.cluster,
        language="en",
        text=f"{context}\n{sentence.source}" if context else sentence.source,
        into=sentence.language,
        decoding=Decoding(max_new_tokens=protocol.new_tokens, seed=protocol.seed),
        expected=_expected(sentence),
    )


def _expected(sentence: Sentence) -> Expected | UnsetType:
    """A reference of the right gender and of the wrong one; of a person, the bare words."""
    if {"right", "wrong"} <= set(sentence.references):
        right, wrong = sentence.references["right"], sentence.references["wrong"]
    elif sentence.entity and sentence.gender in OTHER:
        right, wrong = (
            example_text(sentence.language, sentence.entity, gender)
            for gender in (sentence.gender, OTHER[sentence.gender])
        )
    else:
        return UNSET
    return Expected(right=right, wrong=(wrong,)) if right and wrong else UNSET
