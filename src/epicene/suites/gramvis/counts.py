"""Label counts per word and drawing model, summed from judgements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from epicene.suites.gramvis.items import CONDITIONS, GRAMMARS, LABEL_OF_GRAMMAR, LABELS, LANGUAGES
from epicene.suites.wordings import one_wording

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import polars
    from numpy.typing import NDArray

    from epicene.stats.arrays import Floats, Ints
    from epicene.suites import Results
    from epicene.suites.gramvis.protocol import GramvisProtocol

KeyT = TypeVar("KeyT")

_KEYS = ("language", "grammar", "category", "word")


class WordKey(NamedTuple):
    """A word of a language."""

    language: str
    grammar: str
    category: str
    word: str


class WordCounts(NamedTuple):
    """Counts of some words (row × condition × label), and the index of each row's word."""

    counts: Floats
    words: Ints


@dataclass(frozen=True)
class CountArray:
    """Counts by word and drawing model; `drawn` says which of them were drawn at all."""

    words: tuple[WordKey, ...]
    drawers: tuple[str, ...]
    values: Floats
    drawn: NDArray[np.bool_]

    @property
    def languages(self) -> list[str]:
        """The languages that have words, in the paper's order; then the user's own."""
        present = {word.language for word in self.words}
        return [code for code in (*LANGUAGES, *sorted(present - {*LANGUAGES})) if code in present]

    def word_indices(self, language: str = "", grammar: str = "", category: str = "") -> Ints:
        """The indices of the words of a language, grammatical gender and category, if given."""
        return np.array(
            [
                index
                for index, word in enumerate(self.words)
                if language in ("", word.language)
                and grammar in ("", word.grammar)
                and category in ("", word.category)
            ],
            dtype=np.int64,
        )

    def select(self, words: Ints, drawers: Sequence[str] = ()) -> WordCounts:
        """The counts of these words by some of the drawing models, or by all."""
        chosen = np.array([self.drawers.index(drawer) for drawer in drawers or self.drawers])
        rows, columns = np.nonzero(self.drawn[np.ix_(words, chosen)])
        indices = words[rows]
        return WordCounts(self.values[indices, chosen[columns]], indices)

    def cells(self, category: str = "") -> list[tuple[tuple[str, str, str], WordCounts]]:
        """The counts of each language, drawing model and grammatical gender that has words."""
        found: list[tuple[tuple[str, str, str], WordCounts]] = []
        for language in self.languages:
            for drawer in self.drawers:
                for grammar in GRAMMARS:
                    indices = self.word_indices(language, grammar, category)
                    part = self.select(indices, [drawer])
                    if len(part.counts):
                        found.append(((language, drawer, grammar), part))
        return found


def with_drawer(results: Results[GramvisProtocol]) -> polars.DataFrame:
    """The judgements with the model that drew; in a run, by the run's distinct label.

    Of several wordings of the judges' question the first: an image is no more than one.
    """
    import polars as pl

    frame = one_wording(results.frame)
    runs = [info.run for info in results.runs if info.identities]
    if not runs:
        return frame
    asked = pl.col("run").cast(pl.String).is_in(runs)
    names = [pl.col(name).cast(pl.String) for name in ("model", "drawer")]
    return frame.with_columns(pl.when(asked).then(names[0]).otherwise(names[1]).alias("drawer"))


def with_stereotype(frame: polars.DataFrame) -> polars.DataFrame:
    """The judgements on words whose stereotype is known."""
    import polars as pl

    if "stereotype" not in frame.columns:
        return frame.clear()
    return frame.filter(pl.col("stereotype").is_not_null())


def control_words(frame: polars.DataFrame) -> polars.DataFrame:
    """The judgements on words whose stereotype equals their grammar."""
    return frame.filter(_is_control()) if "stereotype" in frame.columns else frame.clear()


def divergent_words(frame: polars.DataFrame) -> polars.DataFrame:
    """All judgements but those on control words, as in the paper's tables.

    The published words all diverge.
    """
    return frame.filter(~_is_control()) if "stereotype" in frame.columns else frame


def _is_control() -> polars.Expr:
    import polars as pl

    own = pl.col("grammar").cast(pl.String).replace_strict(LABEL_OF_GRAMMAR, default=None)
    return (pl.col("stereotype").cast(pl.String) == own).fill_null(value=False)


def count_array(frame: polars.DataFrame) -> CountArray:
    """The label counts of judgements, summed; where no drawing model is named, the run's drew."""
    import polars as pl

    counted = frame.filter(pl.any_horizontal(pl.col(label).is_not_null() for label in LABELS))
    drawer = pl.col("model").cast(pl.String)
    if "drawer" in counted.columns:
        drawer = pl.coalesce(pl.col("drawer").cast(pl.String), drawer)
    keys = [
        pl.col("language").cast(pl.String).str.to_uppercase(),
        *(pl.col(key).cast(pl.String) for key in _KEYS[1:]),
    ]
    summed = counted.group_by(
        *keys, drawer.alias("drawn by"), pl.col("condition").cast(pl.String), maintain_order=True
    ).agg(pl.col(label).fill_null(0).sum() for label in LABELS)
    words = _indices(WordKey(*key) for key in summed.select(_KEYS).iter_rows())
    drawers = _indices(summed["drawn by"].to_list())
    values = np.zeros((len(words), len(drawers), len(CONDITIONS), len(LABELS)))
    drawn = np.zeros((len(words), len(drawers)), dtype=np.bool_)
    conditions = _indices(CONDITIONS)
    for language, grammar, category, word, drew, condition, *numbers in summed.iter_rows():
        cell = words[WordKey(language, grammar, category, word)], drawers[drew]
        values[(*cell, conditions[condition])] = numbers
        drawn[cell] = True
    return CountArray(tuple(words), tuple(drawers), values, drawn)


def _indices(keys: Iterable[KeyT]) -> dict[KeyT, int]:
    return {key: index for index, key in enumerate(dict.fromkeys(keys))}
