"""The judgements of each format, and the two formats of one instance beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.suites.agreement import paired_outcomes

if TYPE_CHECKING:
    import polars

    from epicene.suites.misgendering.protocol import MisgenderingProtocol


class Family(NamedTuple):
    """Datasets of one kind: the published one and ours."""

    title: str
    datasets: tuple[str, ...]


FAMILIES = {
    "declared": Family("declared pronouns (MISGENDERED)", ("misgendered", "templates")),
    "open": Family("open contexts (TANGO)", ("tango", "contexts")),
    "occupation": Family("occupations (RUFF)", ("ruff", "occupations")),
}

# Where generations are compared with probabilities: family and setting.
MODES = (
    ("declared", "pre"),
    ("declared", "post"),
    ("occupation", "pre"),
    ("occupation", "post"),
    ("open", "open"),
)


_FACETS = (
    "dataset", "pronoun", "case", "names", "antecedent", "occupation", "format", "measure",
    "setting", "sample", "wrong_later", "extraneous", "distractors", "distribution", "bound",
)  # fmt: skip


def with_all_facets(frame: polars.DataFrame) -> polars.DataFrame:
    """The frame with a column for every facet, empty where no judgement has it."""
    import polars as pl

    missing = [name for name in _FACETS if name not in frame.columns]
    return frame.with_columns(pl.lit(None, dtype=pl.Categorical).alias(name) for name in missing)


def probabilities(frame: polars.DataFrame) -> polars.DataFrame:
    """The judgements by probability, by the protocol's measure."""
    import polars as pl

    return frame.filter(pl.col("name") == "probability")


def converted(frame: polars.DataFrame) -> polars.DataFrame:
    """The judgements by probability of templates made from the model's own generations."""
    import polars as pl

    return frame.filter(pl.col("format") == "converted")


def generations(
    frame: polars.DataFrame, family: str | None = None, setting: str | None = None
) -> polars.DataFrame:
    """The judgements by generation, all samples."""
    import polars as pl

    return _of_mode(frame.filter(pl.col("format") == "generation"), family, setting)


def expected(
    frame: polars.DataFrame, family: str | None = None, setting: str | None = None
) -> polars.DataFrame:
    """The disagreements to be expected of next words, δ and δ*, under both distributions."""
    import polars as pl

    return _of_mode(frame.filter(pl.col("format") == "expected"), family, setting)


def _of_mode(frame: polars.DataFrame, family: str | None, setting: str | None) -> polars.DataFrame:
    import polars as pl

    if family is not None:
        frame = frame.filter(pl.col("dataset").cast(pl.String).is_in(FAMILIES[family].datasets))
    if setting is not None:
        frame = frame.filter(pl.col("setting") == setting)
    return frame


def right_or_not(frame: polars.DataFrame, protocol: MisgenderingProtocol) -> polars.DataFrame:
    """A column `right`; no pronoun is right under `paper` and left out otherwise."""
    import polars as pl

    outcome = pl.col("outcome").cast(pl.String)
    if protocol.name != "paper":
        frame = frame.filter(outcome != "undetected")
    return frame.with_columns((outcome != "wrong").cast(pl.Float64).alias("right"))


def paired(
    frame: polars.DataFrame, family: str, setting: str, protocol: MisgenderingProtocol
) -> polars.DataFrame:
    """Right (1) or not by probability, `a`, and by the first generation, `b`."""
    import polars as pl

    first = generations(frame, family, setting).filter(pl.col("sample") == "1")
    if family == "open":
        scored = converted(frame).filter(pl.col("sample") == "1")
    else:
        scored = probabilities(frame)
    # A context that could not be converted has no pronoun, so there is nothing to pair.
    as_right = protocol.name == "paper" and family != "open"
    return paired_outcomes(scored, first, undetected="right" if as_right else "left out")


def chose_otherwise() -> polars.Expr:
    """Where the two formats chose different pronouns; null where one chose none."""
    import polars as pl

    return pl.col("label").cast(pl.String) != pl.col("label_b").cast(pl.String)


def pronouns_of(frame: polars.DataFrame) -> list[str]:
    """The pronouns that were measured, the paper's four first and in its order."""
    there = set(frame["pronoun"].cast(str).drop_nulls().unique().to_list())
    first = [name for name in ("he", "she", "they", "xe") if name in there]
    return [*first, *sorted(there - set(first))]
