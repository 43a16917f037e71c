"""All counts as one array: word × drawing model × condition × label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from epicene.suites.gramvis.names import CONDITIONS, GRAMMARS, LABELS, LANGUAGES, OWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeVar

    import polars
    from numpy.typing import NDArray

    from epicene.stats.checks import Floats, Ints
    from epicene.suites import Results
    from epicene.suites.gramvis.protocol import GramvisProtocol

    KeyT = TypeVar("KeyT")

_KEYS = ("language", "grammar", "category", "word")


class Word(NamedTuple):
    """A word of a language."""

    language: str
    grammar: str
    category: str
    word: str


class Part(NamedTuple):
    """Some words' counts (row × condition × label) and which word each row is of."""

    counts: Floats
    words: Ints


@dataclass(frozen=True)
class Counts:
    """Counts by word and drawing model; `drawn` says which of them were drawn at all."""

    words: tuple[Word, ...]
    drawers: tuple[str, ...]
    values: Floats
    drawn: NDArray[np.bool_]

    @property
    def languages(self) -> list[str]:
        """Those that have words, in the paper's order."""
        here = {word.language for word in self.words}
        return [code for code in LANGUAGES if code in here]

    def which(self, language: str = "", grammar: str = "", category: str = "") -> Ints:
        """The places of the words that fit all that is named."""
        return np.array(
            [
                place
                for place, word in enumerate(self.words)
                if language in ("", word.language)
                and grammar in ("", word.grammar)
                and category in ("", word.category)
            ],
            dtype=np.int64,
        )

    def part(self, words: Ints, drawers: Sequence[str] = ()) -> Part:
        """Those words' counts by one, some or (if none is named) all of the drawing models."""
        chosen = np.array([self.drawers.index(drawer) for drawer in drawers or self.drawers])
        rows, columns = np.nonzero(self.drawn[np.ix_(words, chosen)])
        places = words[rows]
        return Part(self.values[places, chosen[columns]], places)

    def cells(self, category: str = "") -> list[tuple[tuple[str, str, str], Part]]:
        """A part for each language, drawing model and grammatical gender that has words."""
        found: list[tuple[tuple[str, str, str], Part]] = []
        for language in self.languages:
            for drawer in self.drawers:
                for grammar in GRAMMARS:
                    part = self.part(self.which(language, grammar, category), [drawer])
                    if len(part.counts):
                        found.append(((language, drawer, grammar), part))
        return found


def drawn(results: Results[GramvisProtocol]) -> polars.DataFrame:
    """The judgements with who drew: in a run its model, under the name that tells runs apart."""
    import polars as pl

    runs = [info.run for info in results.runs if info.identities]
    if not runs:
        return results.frame
    asked = pl.col("run").cast(pl.String).is_in(runs)
    names = [pl.col(name).cast(pl.String) for name in ("model", "drawer")]
    return results.frame.with_columns(
        pl.when(asked).then(names[0]).otherwise(names[1]).alias("drawer")
    )


def stereotyped(frame: polars.DataFrame) -> polars.DataFrame:
    """The judgements on words of which a stereotype is known."""
    import polars as pl

    if "stereotype" not in frame.columns:
        return frame.clear()
    return frame.filter(pl.col("stereotype").is_not_null())


def control_words(frame: polars.DataFrame) -> polars.DataFrame:
    """Those on words whose stereotype is their grammar's."""
    return frame.filter(_is_control()) if "stereotype" in frame.columns else frame.clear()


def divergent(frame: polars.DataFrame) -> polars.DataFrame:
    """All but control words: what the paper's tables are about. Published words all diverge."""
    return frame.filter(~_is_control()) if "stereotype" in frame.columns else frame


def _is_control() -> polars.Expr:
    import polars as pl

    own = pl.col("grammar").cast(pl.String).replace_strict(OWN, default=None)
    return (pl.col("stereotype").cast(pl.String) == own).fill_null(value=False)


def counts_of(frame: polars.DataFrame) -> Counts:
    """The counts that the judgements bring, added up. A run's own model is what drew."""
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
    words = _numbered(Word(*key) for key in summed.select(_KEYS).iter_rows())
    drawers = _numbered(summed["drawn by"].to_list())
    values = np.zeros((len(words), len(drawers), len(CONDITIONS), len(LABELS)))
    drawn = np.zeros((len(words), len(drawers)), dtype=np.bool_)
    conditions = {name: place for place, name in enumerate(CONDITIONS)}
    for language, grammar, category, word, drew, condition, *numbers in summed.iter_rows():
        place, by = words[Word(language, grammar, category, word)], drawers[drew]
        values[place, by, conditions[condition]] = numbers
        drawn[place, by] = True
    return Counts(tuple(words), tuple(drawers), values, drawn)


def _numbered(keys: Iterable[KeyT]) -> dict[KeyT, int]:
    return {key: place for place, key in enumerate(dict.fromkeys(keys))}
