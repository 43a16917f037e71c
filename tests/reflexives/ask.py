"""Requests in two formats: which of two sentences is likelier, and what follows the verb."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Decoding, Generate, Request, Score

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.suites import Answers
    from reflexives.items import Sentence
    from reflexives.protocol import ReflexiveProtocol


def ask(item: Sentence, _answers: Answers, protocol: ReflexiveProtocol) -> Iterator[Request]:
    """Score the pair; continue the sentence up to the reflexive."""
    yield Score(
        item=item.id,
        name="probability",
        group=item.cluster,
        language=item.language,
        texts=item.texts,
        first_token=protocol.first_token,
    )
    yield Generate(
        item=item.id,
        name="generation",
        group=item.cluster,
        language=item.language,
        prompt=item.before.rstrip(),
        samples=protocol.samples,
        decoding=Decoding(
            max_new_tokens=protocol.new_tokens, temperature=1.0, top_p=0.95, seed=protocol.seed
        ),
        source=item.before,
        choices=("himself", "herself"),
    )
