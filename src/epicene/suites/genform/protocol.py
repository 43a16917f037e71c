"""The protocols of genform: the paper's, ours, and ours with English prompts."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from epicene.core.errors import InputError
from epicene.core.records import Positive
from epicene.suites import Protocol
from epicene.suites.answers import LikelihoodMeasure
from epicene.suites.genform.items import TARGETS, Gender
from epicene.suites.genform.words import NORMALISERS, Tokenisation
from epicene.suites.paper_material import EPICENES_WORDING
from epicene.suites.wordings import Wordings, refuse_wordings

# What is done with spelling variants (हूं for हूँ). ignored: they are reported and change no score;
# counted: they are reported, and count as changes.
Spelling: TypeAlias = Literal["ignored", "counted"]
# Whose prompt, and in which language. target, epicene: ours, in the sentence's language; english:
# ours in English; paper: the paper's own, from the user's copy; mixed: the user's instead of it.
Wording: TypeAlias = Literal["target", "english", "epicene", "paper", "mixed"]
Format: TypeAlias = Literal["generation", "probability", "translation"]
Target: TypeAlias = Literal["masculine", "feminine", "neutral"]
# How the speaker's gender should be removed; "" leaves it to the model.
Style: TypeAlias = Literal["", "reword", "star", "colon", "pair", "median", "e", "schwa"]


class GenformProtocol(Protocol, frozen=True, kw_only=True):
    """The settings of a genform protocol."""

    words: Tokenisation
    # generation: rewrite the sentence; probability: which of its two forms is likelier after the
    # same instruction; translation: from English, with no gender given.
    formats: tuple[Format, ...] = ("generation",)
    wording: Wording = "target"
    prompt: dict[str, Any] = {}  # the content of a prompt file, the user's or the paper's
    clean: bool = True
    measure: LikelihoodMeasure = "sum"
    new_tokens: Positive = 256
    language: str = ""  # of a file that has no column for it
    spelling: Spelling = "ignored"
    # Sentences without a gendered term: out of SGA and GIoU, or in, as 1 if unchanged, else 0.
    neutral: Literal["out", "in"] = "out"
    wordings: Wordings = 1  # of the prompt, ours
    # What sentences are rewritten for: a man, a woman, or so that the gender does not show.
    targets: tuple[Target, ...] = ("masculine", "feminine")
    style: Style = ""

    def __post_init__(self) -> None:
        """Only our prompts have several wordings, and a translation has no prompt. A neutral form
        can only be written, since a pair does not have it."""
        if not self.targets:
            raise InputError("--set targets must name masculine, feminine or neutral.")
        if self.asks_neutral and self.wordings > 1:
            raise InputError("The prompt for neutral forms has one wording; leave out wordings.")
        if self.asks_neutral and "generation" not in self.formats:
            raise InputError("Neutral forms are generated: --set formats must have generation.")
        if self.style and not self.asks_neutral:
            raise InputError("--set style requires --set targets=neutral.")
        refuse_wordings(self, self.wordings, "prompt" if self.prompt else "")
        if self.wordings > 1 and set(self.formats) == {"translation"}:
            raise InputError("A translation has no prompt, so --set wordings has no effect.")

    @property
    def genders(self) -> tuple[Gender, ...]:
        """The genders that sentences are rewritten for, in the order of the data."""
        return tuple(each for each in TARGETS if each in self.targets)

    @property
    def asks_neutral(self) -> bool:
        """Whether sentences are rewritten so that the speaker's gender does not show."""
        return "neutral" in self.targets

    @property
    def whose_wording(self) -> str:
        """Whose prompt was sent."""
        if self.wording == "paper":
            return "the paper's own, in English" if self.in_one_language else "the paper's own"
        if self.prompt:
            return "yours"
        return f"{EPICENES_WORDING}, in English" if self.wording == "english" else EPICENES_WORDING

    @property
    def in_one_language(self) -> bool:
        """Whether the prompt file has one prompt for sentences in all languages."""
        return "system" in self.prompt


PROTOCOLS = {
    "paper": GenformProtocol(
        name="paper",
        about=(
            "Words between spaces without outer punctuation, letters as they are, so that "
            "spelling variants count as changes; greedy decoding of 256 tokens; code fences, "
            "labels and quotes around an answer are removed, which the paper does not "
            "mention. The prompt is the paper's own (Appendix F.2), as it is printed in "
            "English: the translations that the authors sent are not published."
        ),
        words="whitespace",
        spelling="counted",
        wording="paper",
    ),
    "epicene": GenformProtocol(
        name="epicene",
        about=(
            "Words by Epicene's segmenter, so that elided and enclitic words stand apart; "
            "spelling variants are reported and change no score; the prompt in the sentence's "
            "language; greedy decoding of 256 tokens; code fences, labels and quotes around "
            "an answer are removed before it is scored."
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
