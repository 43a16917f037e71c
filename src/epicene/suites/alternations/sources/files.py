"""What the readers of all layouts share: the file, and the pairs with their locations in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from epicene.core.errors import InputError
from epicene.suites.alternations.items import VARIANTS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from epicene.suites.alternations.items import Pair

# The published files of the Hindi benchmark, by the variant that each holds.
PUBLISHED_FILES = dict(zip(("dv", "sv", "no_er", "no_inst"), VARIANTS, strict=True))

# The languages with rules of their own, by the other code that published sets have for them.
_TWO_LETTERS = {
    "ara": "ar", "arb": "ar", "cmn": "zh", "deu": "de", "eng": "en", "fra": "fr", "hin": "hi",
    "ita": "it", "por": "pt", "rus": "ru", "spa": "es", "zho": "zh",
}  # fmt: skip


@dataclass(frozen=True)
class PairFile:
    """A file of pairs, its name among the data, and how it is to be read."""

    path: Path
    name: str  # below the folder of the data
    alone: bool
    language: str  # that the user named for files that do not say
    columns: Mapping[str, str]

    @cached_property
    def prefix(self) -> str:
        """The prefix of the ids of its pairs, to distinguish them from those of other files."""
        return "" if self.alone else f"{self.name.removesuffix(self.path.suffix)}-"

    @cached_property
    def stem(self) -> str:
        """The file's name without its suffix."""
        return self.path.stem

    @cached_property
    def variant(self) -> str:
        """The variant of the published Hindi file of that name, "" of any other."""
        return PUBLISHED_FILES.get(self.stem, "")

    def refuse_columns(self) -> None:
        """Raise if the user named columns, because this layout has none."""
        if self.columns:
            raise InputError(f"{self.path} has no columns, so --column cannot be used with it.")


class LocatedPair(NamedTuple):
    """A pair and its location, as the beginning of a sentence."""

    location: str
    pair: Pair


def short_code(language: str) -> str:
    """Epicene's code for a language, if it has one."""
    return _TWO_LETTERS.get(language, language)
