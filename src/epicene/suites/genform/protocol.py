"""The protocols of genform: the paper's, ours, and ours with English prompts."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, TypeAlias

from epicene.core.records import Positive
from epicene.suites import Protocol
from epicene.suites.answers import LikelihoodMeasure
from epicene.suites.genform.words import NORMALISERS, Tokenisation

# What is done with spelling variants (हूं for हूँ). ignored: they are reported and change no score;
# counted: they are reported, and count as changes; off: as in runs of version 0.1.0, nobody looks
# for them, and an answer in another word order is no version of the sentence.
Spelling: TypeAlias = Literal["ignored", "counted", "off"]
Format: TypeAlias = Literal["generation", "probability", "translation"]


class GenformProtocol(Protocol, frozen=True, kw_only=True):
    """The settings of a genform protocol."""

    added: ClassVar[tuple[str, ...]] = ("spelling", "neutral")

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
    spelling: Spelling = "off"
    # Sentences without a gendered term: out of SGA and GIoU, or in, as 1 if unchanged, else 0.
    neutral: Literal["out", "in"] = "out"


PROTOCOLS = {
    "paper": GenformProtocol(
        name="paper",
        about=(
            "Words between spaces without outer punctuation, letters as they are, so that spelling "
            "variants count as changes; greedy decoding of 256 tokens; code fences, labels and "
            "quotes around an answer are removed, which the paper does not mention; the prompt in "
            "the sentence's language is our wording unless a file is given (--set prompt=FILE), "
            "since the authors' translations are not published."
        ),
        words="whitespace",
        spelling="counted",
    ),
    "epicene": GenformProtocol(
        name="epicene",
        about=(
            "Words by Epicene's segmenter, so that elided and enclitic words stand apart; spelling "
            "variants are reported and change no score; the prompt in the sentence's language; "
            "greedy decoding of 256 tokens; code fences, labels and quotes around an answer are "
            "removed before it is scored."
        ),
        words="epicene",
        spelling="ignored",
        normalisers=NORMALISERS["epicene"],
    ),
    "english": GenformProtocol(
        name="english",
        about="As `epicene`, with the prompt in English.",
        words="epicene",
        spelling="ignored",
        normalisers=NORMALISERS["epicene"],
        wording="english",
    ),
}
