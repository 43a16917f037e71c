"""The protocols of misgendering: the paper's and ours."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from epicene.core.errors import InputError
from epicene.core.records import Decoding, FirstToken, Positive
from epicene.suites import Protocol
from epicene.suites.answers import LikelihoodMeasure
from epicene.suites.wordings import Wordings, refuse_wordings

Format: TypeAlias = Literal["probability", "generation"]
PROBABILITY: Format = "probability"
GENERATION: Format = "generation"
FORMATS = (PROBABILITY, GENERATION)


class MisgenderingProtocol(Protocol, frozen=True, kw_only=True):
    """The settings of a misgendering protocol."""

    measure: LikelihoodMeasure
    first_token: FirstToken
    # Use the published texts without the faults on the card, and contexts without the space
    # before the gap.
    mended: bool
    # Which tokeniser finds the first pronoun.
    tokeniser: Literal["spacy", "epicene"]
    # Which of MISGENDERED's template files, and whether all eleven of its pronoun sets are taken.
    declaration: str = "explicit_template_31"
    all_sets: bool = False
    # How many sentences about somebody else RUFF puts in between, 0 to 5; for these the full tables
    # task.tsv and context.tsv are read. None: RUFF without distractors, as in the paper.
    distractors: tuple[int, ...] = ()
    datasets: tuple[str, ...] = ()  # all there are, if none is named
    pronouns: tuple[str, ...] = ()  # likewise
    pronoun_file: str = ""  # a TOML file of the user's own sets, for the starter set
    samples: Positive = 5
    new_tokens: Positive = 50
    top_k: int = 50  # 0: no such limit
    top_p: float = 0.95
    # Whether a continuation may not end before `new_tokens`; some servers cannot forbid it.
    exact_length: bool = True
    # Each can be run alone; they are compared, and generations converted, where there are both.
    formats: tuple[Format, ...] = FORMATS
    # How accuracy and repetition are counted.
    counting: Literal["no-misgendering", "right-pronoun"] = "right-pronoun"
    wordings: Wordings = 1  # of the sentence that declares the pronouns

    def __post_init__(self) -> None:
        """There must be at least one format; their order does not matter."""
        refuse_wordings(self, self.wordings)
        named = tuple(name for name in FORMATS if name in self.formats)
        if not named:
            raise InputError(f"The setting formats must be {' or '.join(FORMATS)}, or both.")
        msgspec.structs.force_setattr(self, "formats", named)

    @property
    def counts_as_paper(self) -> bool:
        """Whether accuracy is Equation 4's, and repetition rates have the paper's ± SD."""
        return self.counting == "no-misgendering"

    @property
    def both_formats(self) -> bool:
        """Whether both probability and generation are measured, so that they can be compared."""
        return set(FORMATS) <= set(self.formats)

    @property
    def decoding(self) -> Decoding:
        """The decoding of continuations, at the model's own temperature."""
        return Decoding(
            max_new_tokens=self.new_tokens,
            temperature=None,
            top_k=self.top_k or None,
            top_p=self.top_p,
            exact_length=self.exact_length,
            seed=self.seed,
        )


PROTOCOLS = {
    "paper": MisgenderingProtocol(
        name="paper",
        about=(
            "The authors' instances byte for byte, mean log-likelihood of the whole sequence, "
            "the tokenizer's own beginning, spaCy's tokeniser for the first pronoun."
        ),
        seed=42,
        measure="per token",
        first_token="tokenizer-default",
        mended=False,
        tokeniser="spacy",
        counting="no-misgendering",
    ),
    "epicene": MisgenderingProtocol(
        name="epicene",
        about=(
            "Texts without the published faults, the log-likelihood of the whole sequence, a "
            "beginning token before every text, Epicene's words for the first pronoun."
        ),
        measure="sum",
        first_token="bos",
        mended=True,
        tokeniser="epicene",
    ),
}
