"""The two protocols for minimal pairs and gaps: the paper's and Epicene's."""

from __future__ import annotations

from typing import Literal, TypeAlias

from epicene.core.errors import InputError
from epicene.core.records import Boundaries, FirstToken, Masking, Positive
from epicene.suites import Protocol
from epicene.suites.answers import LikelihoodMeasure
from epicene.suites.paper_material import EPICENES_WORDING
from epicene.suites.wordings import Wordings, refuse_wordings

Format: TypeAlias = Literal["acceptability", "cloze", "prompt"]
ACCEPTABILITY: Format = "acceptability"
CLOZE: Format = "cloze"
PROMPT: Format = "prompt"


class AlternationsProtocol(Protocol, frozen=True, kw_only=True):
    """The settings of asking and scoring.

    `acceptability` scores both sentences of a pair; `cloze` has the verb's gap filled; `prompt`
    asks a chat model to fill it.
    """

    formats: tuple[Format, ...] = (ACCEPTABILITY, CLOZE)
    measure: LikelihoodMeasure = "sum"
    first_token: FirstToken = "bos"
    # Several give a masked model's scores by each; a causal model has no masks.
    maskings: tuple[Masking, ...] = ("within-word",)
    boundaries: Boundaries = "epicene"
    phenomena: tuple[str, ...] = ()  # all there are, if none is named
    language: str = ""  # of a file that does not say
    masks: Positive = 4  # the most tokens of a verb in the gap
    top: Positive = 10
    new_tokens: Positive = 16
    # What a pair earns whose sentences have the same score.
    ties: Literal["half", "wrong"] = "half"
    wordings: Wordings = 1  # of the format `prompt`

    def __post_init__(self) -> None:
        """Only the format `prompt` has a prompt."""
        refuse_wordings(self, self.wordings)
        if self.wordings > 1 and PROMPT not in self.formats:
            raise InputError(
                "--set wordings applies only to the format prompt; add --set formats=prompt."
            )

    @property
    def whose_wording(self) -> str:
        """Ours under every protocol, because the paper has no prompt."""
        return EPICENES_WORDING if PROMPT in self.formats else ""


PROTOCOLS = {
    "paper": AlternationsProtocol(
        name="paper",
        about=(
            "The sum of log-probabilities with the tokenizer's own beginning; masked models "
            "by pseudo-log-likelihood within what the tokenizer takes for words."
        ),
        first_token="tokenizer-default",
        boundaries="tokenizer",
        ties="wrong",
    ),
    "epicene": AlternationsProtocol(
        name="epicene",
        about=(
            "The sum of log-probabilities after a beginning token, so that the first word "
            "counts for every model; masked models by pseudo-log-likelihood within words."
        ),
    ),
}
