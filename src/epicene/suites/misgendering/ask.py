"""Templates are asked by probability and by generation, open contexts by generation.

Of templates also how likely each pronoun is as the next word, where generation begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Generate, Score
from epicene.suites.misgendering.expected import after_the_text, next_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.records import Request
    from epicene.suites import Answers
    from epicene.suites.misgendering.instances import Instance
    from epicene.suites.misgendering.protocol import MisgenderingProtocol

PROBABILITY = "probability"
PRE, POST, OPEN = "pre", "post", "open"


def ask(item: Instance, _answers: Answers, protocol: MisgenderingProtocol) -> Iterator[Request]:
    """The minimal contrast set of a template, and continuations of each of its contexts."""
    if item.is_template:
        yield Score(
            item=item.id,
            name=PROBABILITY,
            group=item.cluster,
            language=item.language,
            texts=tuple(item.filled(candidate) for candidate in item.candidates),
            first_token=protocol.first_token,
        )
    # Whose the first pronoun of a continuation is cannot be told where a second person was named.
    if item.distractors:
        return
    for setting, context in contexts(item, protocol):
        yield _continued(item, setting, context, protocol)
    if item.is_template:
        yield from next_words(item, PRE, item.before, item.candidates, protocol)
        yield from next_words(item, POST, *after_the_text(item, protocol), protocol)


def contexts(item: Instance, protocol: MisgenderingProtocol) -> Iterator[tuple[str, str]]:
    """What is to be continued: a template cut before its gap, and filled; or an open context."""
    if not item.is_template:
        yield OPEN, item.before
        return
    # Most tokenizers put the space with the next word: left at the end, it bars all such words.
    yield PRE, item.before.rstrip() if protocol.mended else item.before
    yield POST, item.filled(item.gold)


def _continued(
    item: Instance, setting: str, context: str, protocol: MisgenderingProtocol
) -> Generate:
    return Generate(
        item=item.id,
        name=setting,
        group=item.cluster,
        language=item.language,
        prompt=context,
        samples=protocol.samples,
        decoding=protocol.decoding,
        source=context,
        target={"pronoun": item.pronoun},
        choices=tuple(next(iter(each.forms.values())) for each in item.sets),
    )
