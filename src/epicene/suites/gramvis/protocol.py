"""The two GramVis protocols: the paper's way of scoring and averaging, and Epicene's."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec

from epicene.core.errors import InputError
from epicene.core.records import Positive
from epicene.suites import Protocol
from epicene.suites.gramvis.items import LANGUAGES
from epicene.suites.gramvis.own_languages import OwnLanguages
from epicene.suites.paper_material import EPICENES_WORDING
from epicene.suites.wordings import Wordings, refuse_wordings

Averaging: TypeAlias = Literal["as printed", "words"]
Parsing: TypeAlias = Literal["substring", "strict"]
Wording: TypeAlias = Literal["epicene", "paper", "mixed"]
Words: TypeAlias = Literal["epicene", "paper"]
# Why a word is doubtful: it means a woman or a man by definition, several people, or a thing.
Remark: TypeAlias = Literal["sex", "collective", "object"]
_TAKEN = {"EN": "english", "ZH": "chinese", **LANGUAGES}
Temperature: TypeAlias = Annotated[float, msgspec.Meta(ge=0)]


class GramvisProtocol(Protocol, frozen=True, kw_only=True):
    """The settings of asking, scoring and tabulating."""

    # Each table by its own average, or the mean over words in all.
    averaging: Averaging
    # How a judge's words become a label.
    parsing: Parsing
    # Whether the mixed-effects model is fitted (extra `stats`).
    mixed: bool
    # Images of each prompt, and the pixels of their sides.
    shots: Positive = 4
    size: Positive = 1024
    # A file's templates (by language, then gender) instead of ours.
    templates: dict[str, dict[str, tuple[str, ...]]] = {}
    # Whose templates and question: ours, the paper's, or the paper's but for what the user sets.
    wording: Wording = "epicene"
    question: str = ""  # instead of ours
    # Which words, where the user brings none: ours or the paper's 200.
    words: Words = "epicene"
    controls: bool = True  # whether words are drawn whose stereotype equals their grammar
    leave_out: tuple[Remark, ...] = ()
    # Whether the provider may rewrite prompts: Flux is told to, others do as they are used to.
    upsampling: bool = False
    temperature: Temperature = 0.0  # of the judges
    languages: OwnLanguages = {}  # the user's own, from a file
    wordings: Wordings = 1  # of the judges' question; templates are wordings of the prompt

    def __post_init__(self) -> None:
        """A user's language must not be one of the built-in ones."""
        refuse_wordings(self, self.wordings, "question" if self.question else "")
        for code, own in self.languages.items():
            if code in _TAKEN or own.name in _TAKEN.values():
                raise InputError(
                    f"The file of languages contains {code} ({own.name}), which GramVis already "
                    "has; use --set templates=FILE to set other templates for it."
                )

    @property
    def whose_wording(self) -> str:
        """Whose templates and question the run used."""
        added = f", templates of {' and '.join(self.languages)} yours" if self.languages else ""
        if self.wording == "paper":
            return f"the paper's own, Chinese templates Epicene's{added}"
        if self.wording == "mixed":
            return (
                f"yours where you set it, otherwise the paper's; Chinese templates Epicene's{added}"
            )
        set_by_user = self.templates or self.question
        return f"{'yours where you set it' if set_by_user else EPICENES_WORDING}{added}"

    @property
    def as_printed(self) -> bool:
        """Whether each table has the paper's own average."""
        return self.averaging == "as printed"


PROTOCOLS = {
    "paper": GramvisProtocol(
        name="paper",
        about=(
            "Every table by the average that reproduces it from the published counts, "
            "p-values without correction and stars left out where the authors leave them out; "
            "a judge's words read by substring. Templates and the judges' question are the "
            "paper's own, the words its 200 with our glosses and no control words; providers "
            "may rewrite prompts, and judges answer at temperature 0.7."
        ),
        averaging="as printed",
        parsing="substring",
        mixed=False,
        wording="paper",
        words="paper",
        controls=False,
        upsampling=True,
        temperature=0.7,
    ),
    "epicene": GramvisProtocol(
        name="epicene",
        about=(
            "The mean over words in every table, words without a labelled image left out, "
            "with intervals over words and p-values after Holm; a judge's words read "
            "strictly."
        ),
        averaging="words",
        parsing="strict",
        mixed=True,
        words="epicene",
        leave_out=("sex",),
    ),
}
