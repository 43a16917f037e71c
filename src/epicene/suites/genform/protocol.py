"""The protocols of genform: the paper's, ours, and ours with English prompts."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from epicene.core.records import Positive
from epicene.suites import Protocol
from epicene.suites.answers import LikelihoodMeasure
from epicene.suites.genform.words import NORMALISERS, Tokenisation

Format: TypeAlias = Literal["generation", "probability", "translation"]


class GenformProtocol(Protocol, frozen=True, kw_only=True):
    """The settings of a genform protocol."""

    words: Tokenisation
    # generation: rewrite the sentence; probability: which of its two forms is likelier after the
    # same instruction; translation: from English, with no gender given.
    formats: tuple[Format, ...] = ("generation",)
    wording: Literal["target", "english"] = "target"
    prompt: dict[str, Any] = {}  # the content of the user's prompt file, instead of ours
    clean: bool = True
    measure: LikelihoodMeasure = "sum"
    new_tokens: Positive = 256
    language: str = ""  # of a file that has no column for it


PROTOCOLS = {
    "paper": GenformProtocol(
        name="paper",
        about=(
            "Words between spaces without outer punctuation, letters as they are, greedy decoding "
            "of 256 tokens; the prompt in the sentence's language is our wording unless a file is "
            "given (--set prompt=FILE), since the authors' translations are not published."
        ),
        words="whitespace",
    ),
    "epicene": GenformProtocol(
        name="epicene",
        about=(
            "Words by Epicene's segmenter, so that elided and enclitic words stand apart; the "
            "prompt in the sentence's language; greedy decoding of 256 tokens."
        ),
        words="epicene",
        normalisers=NORMALISERS["epicene"],
    ),
    "english": GenformProtocol(
        name="english",
        about="As `epicene`, with the prompt in English.",
        words="epicene",
        normalisers=NORMALISERS["epicene"],
        wording="english",
    ),
}
