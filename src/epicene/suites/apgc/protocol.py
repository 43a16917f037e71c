"""The protocols of apgc: the paper's letter normalisation, or letters as written."""

from __future__ import annotations

from typing import Literal, TypeAlias

from epicene.core.errors import InputError
from epicene.core.records import Positive
from epicene.suites import Protocol
from epicene.suites.paper_material import EPICENES_WORDING
from epicene.suites.wordings import Wordings, refuse_wordings

Task: TypeAlias = Literal["identification", "rewriting", "translation", "post-editing"]
Labels: TypeAlias = Literal["words", "sentence"]


class ApgcProtocol(Protocol, frozen=True, kw_only=True):
    """The settings of an apgc protocol."""

    tasks: tuple[Task, ...] = ("identification", "rewriting", "translation", "post-editing")
    # One, several separated by commas, or "all"; by default dev of a folder, all of a file.
    split: str = ""
    # balanced: every form of a group is an input; original: only the sentence it was made from.
    corpus: Literal["balanced", "original"] = "balanced"
    english: str = ""  # a file with the English side, a sentence a line
    wording: Literal["ar", "en"] = "ar"  # in which language a chat model is asked
    new_tokens: Positive = 256
    # What identification asks for: a label per word, the sentence's label with N and !, or both.
    labels: tuple[Labels, ...] = ("words",)
    lemmas: str = ""  # a file with the lemmas of words, for statistics
    clean: bool = True  # take code fences, labels and quotes from around an answer
    wordings: Wordings = 1  # of the prompts for identification and rewriting

    def __post_init__(self) -> None:
        """Identification asks for one kind of label at least; translation has no prompt."""
        refuse_wordings(self, self.wordings)
        if self.wordings > 1 and not {"identification", "rewriting"} & set(self.tasks):
            raise InputError(
                "--set wordings applies only to the tasks identification and rewriting; name "
                "one of them."
            )
        if not self.labels:
            raise InputError("The setting labels must be words, sentence or both.")

    @property
    def whose_wording(self) -> str:
        """Ours under every protocol, because the paper has no prompt; translation has none."""
        if set(self.tasks) == {"translation"}:
            return ""
        return f"{EPICENES_WORDING}, in English" if self.wording == "en" else EPICENES_WORDING


PROTOCOLS = {
    "paper": ApgcProtocol(
        name="paper",
        about=(
            "Alif, ya and ta marbuta normalised before anything is compared, as all published "
            "figures are; words as the corpus cuts them."
        ),
        normalisers=("alif", "ya", "ta-marbuta"),
    ),
    "epicene": ApgcProtocol(
        name="epicene",
        about=(
            "Letters are compared as they are written: folding ta marbuta or ya can turn one "
            "gender into the other. Translations are scored with and without the paper's folding."
        ),
    ),
}

# The paper's normalisers, for figures that are computed both ways.
FOLDED = PROTOCOLS["paper"].normalisers
