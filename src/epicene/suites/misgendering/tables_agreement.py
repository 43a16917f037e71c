"""Tables on agreement of the two formats: 1 to 7, 10 to 14, conflicts, expected disagreement.

Tables 10 to 14 are repetition rates. Every table has the user's models above the paper's own.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epicene.core.records import Column, Estimate, Row, Table
from epicene.stats import paired_agreement
from epicene.stats.tabulate import distinct_values, mean, rows_where, share
from epicene.suites.misgendering.expected_disagreement import BOUNDS, DISTRIBUTIONS
from epicene.suites.misgendering.metrics import (
    FAMILIES,
    MODES,
    conversion_judgements,
    expected_disagreements,
    generation_judgements,
    paired_formats,
    probability_judgements,
    pronouns_differ,
    pronouns_of,
    with_right_column,
)
from epicene.suites.misgendering.published import published_kappa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import polars

    from epicene.stats.beta_fit import BetaFit
    from epicene.suites import Results
    from epicene.suites.misgendering.protocol import MisgenderingProtocol

if TYPE_CHECKING:
    Outcomes = Results[MisgenderingProtocol]

# What becomes of a generation without a pronoun where formats are paired.
NO_PRONOUN = {
    "paper": "A generation without a pronoun counts as right here, as in the paper.",
    "epicene": "A generation without a pronoun is left out here; the paper counts it as right.",
}

_STATISTICS: dict[str, Callable[..., Estimate]] = {
    "mcc": paired_agreement.mcc,
    "kappa": paired_agreement.kappa,
}
_NAMES = {"mcc": "MCC", "kappa": "κ"}

# The paper's tables by number: what, of which datasets, in which settings.
_AGREEMENTS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("1", "mcc", "declared", ("pre",)),
    ("2", "mcc", "open", ("open",)),
    ("3", "mcc", "declared", ("post",)),
    ("4", "kappa", "declared", ("pre", "post")),
    ("5", "kappa", "open", ("open",)),
    ("6", "mcc", "occupation", ("pre", "post")),
    ("7", "kappa", "occupation", ("pre", "post")),
)
_REPETITIONS = (
    ("10", "declared", "pre"),
    ("11", "declared", "post"),
    ("12", "open", "open"),
    ("13", "occupation", "pre"),
    ("14", "occupation", "post"),
)


def agreement_tables(results: Outcomes) -> Iterator[Table]:
    """Tables 1 to 7."""
    for name, statistic, family, settings in _AGREEMENTS:
        yield _agreement_table(results, name, statistic, family, settings)


def format_table(results: Outcomes) -> Table:
    """Raw agreement with its standard error, MCC and κ of the two formats, side by side."""
    from epicene.stats.intervals import standard_error

    clustered = results.protocol.name != "paper"
    rows = []
    for family, setting in MODES:
        pairs = paired_formats(results.frame, family, setting, results.protocol)
        for model in distinct_values(pairs, "model"):
            mine = rows_where(pairs, model=model)
            for name in ("all", *pronouns_of(mine)):
                here = mine if name == "all" else rows_where(mine, pronoun=name)
                cells = (
                    paired_agreement.raw(here, clustered=clustered),
                    standard_error((here["a"] == here["b"]).to_numpy()),
                    paired_agreement.mcc(here, clustered=clustered),
                    (paired_agreement.kappa if clustered else published_kappa)(
                        here, clustered=clustered
                    ),
                )
                rows.append(Row(keys=(model, family, setting, name), cells=cells))
    return Table(
        name="agreement",
        title="Agreement of probability and generation",
        levels=("model", "family", "setting", "pronoun"),
        columns=(
            Column(name="raw agreement"),
            Column(name="standard error"),
            Column(name="MCC", unit="number", decimals=3),
            Column(name="κ", unit="number", decimals=3),
        ),
        rows=tuple(sorted(rows, key=lambda row: row.keys[0])),
        notes=(
            "The first generation of each instance.",
            NO_PRONOUN["epicene" if clustered else "paper"],
            "The standard error is the paper's, for independent instances.",
        ),
    )


def repetition_tables(results: Outcomes) -> Iterator[Table]:
    """Tables 10 to 14."""
    for name, family, setting in _REPETITIONS:
        yield _repetition_table(results, name, family, setting)


def _agreement_table(
    results: Outcomes, name: str, statistic: str, family: str, settings: tuple[str, ...]
) -> Table:
    """Model × pronoun; with two settings, a level more."""
    protocol = results.protocol
    clustered = protocol.name != "paper"
    names = pronouns_of(results.frame)
    rows = []
    for setting in settings:
        above = (setting,) if len(settings) > 1 else ()
        pairs = paired_formats(results.frame, family, setting, protocol)
        measure = _STATISTICS[statistic]
        if statistic == "kappa" and not clustered:
            measure = published_kappa
        for model in distinct_values(results.frame, "model"):
            cells = [
                measure(rows_where(pairs, model=model, pronoun=each), clustered=clustered)
                for each in names
            ]
            rows.append(Row(keys=(*above, model), cells=tuple(cells)))
        rows += published_rows(statistic, f"{family} {setting}", above, names)
    return Table(
        name=name,
        title=f"{_NAMES[statistic]} of probability and generation ({' and '.join(settings)}): "
        f"{FAMILIES[family].title}",
        levels=("setting", "model") if len(settings) > 1 else ("model",),
        columns=tuple(Column(name=each, unit="number", decimals=3) for each in names),
        rows=tuple(rows),
        notes=(
            "The first generation of each instance.",
            NO_PRONOUN["epicene" if clustered else "paper"],
            "Intervals resample templates."
            if clustered
            else "Intervals as the paper's, for independent instances.",
        ),
    )


def _repetition_table(results: Outcomes, name: str, family: str, setting: str) -> Table:
    part = generation_judgements(results.frame, family, setting)
    names = pronouns_of(results.frame)
    rows = [
        Row(
            keys=(model,),
            cells=tuple(mean(rows_where(part, model=model, pronoun=each)) for each in names),
        )
        for model in distinct_values(results.frame, "model")
    ]
    return Table(
        name=name,
        title=f"Repetition rate, {setting}: {FAMILIES[family].title}",
        levels=("model",),
        columns=tuple(Column(name=each, unit="number", decimals=3) for each in names),
        rows=(*rows, *published_rows("repetition", f"{family} {setting}", (), names)),
        notes=(
            "Over the words of context and continuation together, as in the paper.",
            "The paper's ± is the standard deviation over texts, not an interval.",
        ),
    )


# --- the paper's own numbers ---------------------------------------------------------------


@cache
def published_figures() -> Any:
    """The numbers that the paper prints."""
    return json.loads((Path(__file__).parent / "published.json").read_text(encoding="utf-8"))


def published_rows(
    what: str, place: str, above: tuple[str, ...], names: Sequence[str]
) -> list[Row]:
    """The rows that the paper prints, for the pronouns it has."""
    return [
        Row(
            keys=(*above, model),
            cells=tuple(_published_cell(what, cells.get(name)) for name in names),
            origin="published",
        )
        for model, cells in published_figures()[what][place].items()
    ]


def _published_cell(what: str, cell: Sequence[float | None] | None) -> Estimate:
    if cell is None or cell[0] is None:
        return Estimate(value=None, why="the paper prints no number")
    if what == "repetition":  # value and standard deviation
        return Estimate(value=cell[0], mark=f" ± {cell[1]:.3f}")
    if what == "kappa":  # value and half the width of its interval
        value, half = cell[0], cell[1] or 0.0
        return Estimate(value=value, low=value - half, high=value + half)
    return Estimate(value=cell[0], low=cell[1], high=cell[2])


def all_paired_formats(frame: polars.DataFrame, protocol: MisgenderingProtocol) -> polars.DataFrame:
    """Probability beside generation, wherever an instance has both, whatever the dataset."""
    import polars as pl

    return pl.concat(paired_formats(frame, family, setting, protocol) for family, setting in MODES)


def conflict_rate(pairs: polars.DataFrame) -> Estimate:
    """The share of pairs in which one format is right and the other wrong."""
    import polars as pl

    return share(pairs, pl.col("a") != pl.col("b"))


def conflict_table(results: Outcomes) -> Table:
    """Conflict rate by pronoun, over everything and by dataset and setting."""
    frame, protocol = results.frame, results.protocol
    names = pronouns_of(frame)
    parts = {("all", "all"): all_paired_formats(frame, protocol)}
    parts |= {mode: paired_formats(frame, *mode, protocol) for mode in MODES}
    rows = []
    for model in distinct_values(frame, "model"):
        for keys, pairs in parts.items():
            mine = rows_where(pairs, model=model)
            if len(mine):
                cells = [
                    conflict_rate(mine),
                    *(conflict_rate(rows_where(mine, pronoun=name)) for name in names),
                ]
                rows.append(Row(keys=(model, *keys), cells=tuple(cells)))
    printed = published_figures()["conflicts"]
    theirs = [
        Estimate(value=printed[name])
        if name in printed
        else Estimate(value=None, why="the paper prints no number")
        for name in ("all", *names)
    ]
    rows.append(
        Row(keys=("the paper's six models", "all", "all"), cells=tuple(theirs), origin="published")
    )
    return Table(
        name="conflicts",
        title="Instances on which probability and generation conflict",
        levels=("model", "family", "setting"),
        columns=tuple(Column(name=name) for name in ("all", *names)),
        rows=tuple(rows),
        notes=(
            "The first generation of each instance: one format is right and the other wrong.",
            NO_PRONOUN["paper" if protocol.name == "paper" else "epicene"],
            "How the paper pooled its instances is not known.",
        ),
    )


# --- how likely the formats are to disagree on an instance ---------------------------------


def beta_fit(
    frame: polars.DataFrame, family: str, setting: str, protocol: MisgenderingProtocol
) -> BetaFit:
    """A beta distribution of the probability of disagreement over instances (Equations 8 to 13)."""
    from epicene.stats.beta_fit import beta_by_moments

    return beta_by_moments(_disagreement_by_instance(frame, family, setting, protocol))


def beta_table(results: Outcomes) -> Table:
    """The points of Figures 10, 13 and 16."""
    rows = []
    for model in distinct_values(results.frame, "model"):
        mine = rows_where(results.frame, model=model)
        for family, setting in MODES:
            for name in pronouns_of(generation_judgements(mine, family, setting)):
                fit = beta_fit(rows_where(mine, pronoun=name), family, setting, results.protocol)
                cells = tuple(
                    Estimate(value=value, n=fit.n, why=fit.why) for value in (fit.alpha, fit.beta)
                )
                rows.append(Row(keys=(model, family, setting, name), cells=cells))
    return Table(
        name="beta",
        title="Beta distributions of the probability that probability and generation disagree",
        levels=("model", "family", "setting", "pronoun"),
        columns=tuple(Column(name=name, unit="number", decimals=3) for name in ("α", "β")),
        rows=tuple(rows),
        notes=("Fitted by moments. Where α < β agreement is likelier.",),
    )


def _disagreement_by_instance(
    frame: polars.DataFrame, family: str, setting: str, protocol: MisgenderingProtocol
) -> list[float]:
    """For each instance, how often one format would be right and the other wrong."""
    import polars as pl

    scored = conversion_judgements(frame) if family == "open" else probability_judgements(frame)
    chances = _mean_right(scored, protocol, "p").join(
        _mean_right(generation_judgements(frame, family, setting), protocol, "g"), on="item"
    )
    disagree = pl.col("p") * (1 - pl.col("g")) + (1 - pl.col("p")) * pl.col("g")
    return chances.select(disagree.alias("d"))["d"].to_list()


def _mean_right(
    frame: polars.DataFrame, protocol: MisgenderingProtocol, name: str
) -> polars.DataFrame:
    import polars as pl

    return (
        with_right_column(frame, protocol)
        .group_by("item", maintain_order=True)
        .agg(pl.col("right").mean().alias(name))
    )


# --- what next words let expect ------------------------------------------------------------


def disagreement_table(results: Outcomes) -> Table:
    """Observed disagreement beside the expected one and its floor (Appendix E)."""
    rows = []
    for model in distinct_values(results.frame, "model"):
        mine = rows_where(results.frame, model=model)
        foreseen = expected_disagreements(mine)
        for family, setting in MODES:
            pairs = paired_formats(mine, family, setting, results.protocol)
            here = expected_disagreements(foreseen, family, setting)
            if not len(pairs):
                continue
            rows.append(
                Row(keys=(model, family, setting, "all"), cells=_disagreement_cells(pairs, here))
            )
            for name in pronouns_of(pairs):
                cells = _disagreement_cells(
                    rows_where(pairs, pronoun=name), rows_where(here, pronoun=name)
                )
                rows.append(Row(keys=(model, family, setting, name), cells=cells))
    heads = ("observed outcome", "observed pronoun", "expected δ", "floor δ*", "drawn δ")
    return Table(
        name="disagreement",
        title="Observed and expected disagreement of probability and generation",
        levels=("model", "family", "setting", "pronoun"),
        columns=tuple(Column(name=head) for head in (*heads, "drawn floor δ*", "can be drawn")),
        rows=tuple(rows),
        notes=(
            "Observed: how often one format is right and the other wrong, and how often they "
            "choose different pronouns where the generation has one.",
            "Expected (Equations 15 to 20 of the paper): one minus the share of the pronoun that "
            "probability chooses among all pronouns' probabilities as the next word; the floor "
            "takes the likeliest pronoun instead. A form of several tokens has the product of "
            "theirs. All suppose that the pronoun comes at once.",
            "Drawn: the same under the distribution that generation draws from (temperature, "
            "top-k, top-p), over the instances in which it leaves a pronoun: `can be drawn`.",
            "After a whole text the pronoun is taken in the template's case, as in the paper. The "
            "generated contexts that are cut before the gap end in a space, which these leave to "
            "the next word."
            if results.protocol.name == "paper"
            else "After a whole text the pronoun is taken in the nominative.",
        ),
    )


def _disagreement_cells(pairs: polars.DataFrame, here: polars.DataFrame) -> tuple[Estimate, ...]:
    import polars as pl

    found = pairs.filter(pl.col("label_b").is_not_null())
    cells = [conflict_rate(pairs), share(found, pronouns_differ())]
    cells += [
        _mean(rows_where(here, distribution=distribution, bound=bound))
        for distribution in DISTRIBUTIONS
        for bound in BOUNDS
    ]
    drawn = rows_where(here, distribution="drawn", bound="δ")
    cells.append(share(drawn, pl.col("value").is_not_null()) if len(drawn) else _not_asked())
    return tuple(cells)


def _mean(part: polars.DataFrame) -> Estimate:
    if not len(part):
        return _not_asked()
    if part["value"].null_count() == len(part):
        return Estimate(value=None, n=len(part), why="top-k and top-p leave no pronoun anywhere")
    return mean(part)


def _not_asked() -> Estimate:
    return Estimate(
        value=None, why="the model was not asked for next words, or does not say how it draws them"
    )
