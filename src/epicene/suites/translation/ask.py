"""Requests: translate the sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from epicene.core.records import Decoding, Expected, Translate
from epicene.suites.translation.entities import example_text
from epicene.suites.translation.items import MASCULINE, OTHER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from msgspec import UnsetType

    from epicene.core.records import Request
    from epicene.suites import Answers
    from epicene.suites.translation.items import Sentence
    from epicene.suites.translation.protocol import TranslationProtocol

TRANSLATION = "translation"


def ask(sentence: Sentence, _: Answers, protocol: TranslationProtocol) -> Iterator[Request]:
    """One translation; none for a sentence whose translation people have already judged."""
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
    """A reference of the right gender and of the wrong one; of a person, the bare words.

    If the source leaves the gender open, the masculine is what a model is expected to choose.
    """
    references = sentence.references
    if {"right", "wrong"} <= set(references):
        right, wrong = references["right"], references["wrong"]
    elif references:
        wrong, *_, right = references.values()  # all feminine, …, all masculine
    elif sentence.gender == "neutral":
        return UNSET
    else:
        gender = sentence.gender or MASCULINE
        right, wrong = (
            example_text(sentence.language, sentence.entity, each)
            for each in (gender, OTHER[gender])
        )
    return Expected(right=right, wrong=(wrong,)) if right and wrong else UNSET
