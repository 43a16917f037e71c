"""Requests for a pair: scores of both sentences, and a filler for the gap."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from epicene.core.records import Decoding, Expected, Fill, Generate, Message, Score
from epicene.suites.alternations.protocol import ACCEPTABILITY, CLOZE, PROMPT
from epicene.suites.wordings import wording_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.core.records import Masking, Request
    from epicene.suites import Answers
    from epicene.suites.alternations.items import Pair
    from epicene.suites.alternations.protocol import AlternationsProtocol


def scores_name(masking: Masking) -> str:
    """The name of the request for scores with one kind of masking."""
    return f"{ACCEPTABILITY} {masking}"


def ask_scores(pair: Pair, _answers: Answers, protocol: AlternationsProtocol) -> Iterator[Request]:
    """Both sentences, or one per condition of a test, with each kind of masking."""
    if wording_of(pair.id) > 1:
        return
    for masking in protocol.maskings:
        yield Score(
            item=pair.id,
            name=scores_name(masking),
            group=pair.cluster,
            language=pair.language,
            expected=Expected(right=pair.good, wrong=(pair.bad,)) if pair.test is UNSET else UNSET,
            texts=pair.texts,
            first_token=protocol.first_token,
            masking=masking,
            boundaries=protocol.boundaries,
        )


def ask_gap(pair: Pair, _answers: Answers, protocol: AlternationsProtocol) -> Iterator[Request]:
    """The gap, to be filled with up to `masks` tokens."""
    if pair.has_gap and wording_of(pair.id) == 1:
        yield Fill(
            item=pair.id,
            name=CLOZE,
            group=pair.cluster,
            language=pair.language,
            expected=Expected(right=pair.gold, wrong=(_other_verb(pair),)),
            # The space says that a new word begins; without it the last one may be continued.
            before=f"{pair.prefix} ",
            after=f" {pair.after}" if pair.after else "",
            max_tokens=protocol.masks,
            top=protocol.top,
            first_token=protocol.first_token,
        )


def ask_prompt(pair: Pair, _answers: Answers, protocol: AlternationsProtocol) -> Iterator[Request]:
    """The gap as a question to a chat model."""
    if pair.has_gap:
        wording = prompt_wording(pair.language, wording_of(pair.id))
        yield Generate(
            item=pair.id,
            name=PROMPT,
            group=pair.cluster,
            language=pair.language,
            expected=Expected(right=pair.gold, wrong=(_other_verb(pair),)),
            prompt=(
                Message(role="system", content=wording["system"]),
                Message(role="user", content=wording["user"].format(sentence=pair.gapped)),
            ),
            decoding=Decoding(max_new_tokens=protocol.new_tokens, seed=protocol.seed),
            source=pair.gapped,
            choices=(pair.gold, _other_verb(pair)),
        )


def _other_verb(pair: Pair) -> str:
    """The verb of the other sentence."""
    return pair.bad.removeprefix(pair.prefix).removesuffix(pair.after).strip()


def prompt_wording(language: str, number: int) -> dict[str, str]:
    """One of our wordings; in English if the language has none."""
    first, others = _prompt_texts("prompts"), _prompt_texts("wordings")
    code = language if language in first else "en"
    return dict(first[code] if number == 1 else others[code][number - 2])


@cache
def _prompt_texts(name: str) -> Any:
    path = Path(__file__).parent / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))
