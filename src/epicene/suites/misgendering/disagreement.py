"""How often the formats conflict, and how often they must by the model's own probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Column, Estimate, Row, Table
from epicene.suites.misgendering.agreement_tables import NO_PRONOUN, published
from epicene.suites.misgendering.expected import BOUNDS, DISTRIBUTIONS
from epicene.suites.misgendering.formats import (
    MODES,
    chose_otherwise,
    converted,
    expected,
    generations,
    paired,
    probabilities,
    pronouns_of,
    right_or_not,
)
from epicene.suites.tabulate import mean, only, share, values_of

if TYPE_CHECKING:
    import polars

    from epicene.stats.betafit import BetaFit
    from epicene.suites import Results
    from epicene.suites.misgendering.protocol import MisgenderingProtocol

    Outcomes = Results[MisgenderingProtocol]


def all_pairs(frame: polars.DataFrame, protocol: MisgenderingProtocol) -> polars.DataFrame:
    """Probability beside generation, wherever an instance has both, whatever the dataset."""
    import polars as pl

    return pl.concat(paired(frame, family, setting, protocol) for family, setting in MODES)


def conflict(pairs: polars.DataFrame) -> Estimate:
    """The share of pairs in which one format is right and the other wrong."""
    import polars as pl

    return share(pairs, pl.col("a") != pl.col("b"))


def conflict_table(results: Outcomes) -> Table:
    """Conflict rate by pronoun, over everything and by dataset and setting."""
    frame, protocol = results.frame, results.protocol
    names = pronouns_of(frame)
    parts = {("all", "all"): all_pairs(frame, protocol)}
    parts |= {mode: paired(frame, *mode, protocol) for mode in MODES}
    rows = []
    for model in values_of(frame, "model"):
        for keys, pairs in parts.items():
            mine = only(pairs, model=model)
            if len(mine):
                cells = [conflict(mine), *(conflict(only(mine, pronoun=name)) for name in names)]
                rows.append(Row(keys=(model, *keys), cells=tuple(cells)))
    printed = published()["conflicts"]
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
    from epicene.stats.betafit import beta_by_moments

    return beta_by_moments(_chances(frame, family, setting, protocol))


def beta_table(results: Outcomes) -> Table:
    """The points of Figures 10, 13 and 16."""
    rows = []
    for model in values_of(results.frame, "model"):
        mine = only(results.frame, model=model)
        for family, setting in MODES:
            for name in pronouns_of(generations(mine, family, setting)):
                fit = beta_fit(only(mine, pronoun=name), family, setting, results.protocol)
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


def _chances(
    frame: polars.DataFrame, family: str, setting: str, protocol: MisgenderingProtocol
) -> list[float]:
    """For each instance, how often one format would be right and the other wrong."""
    import polars as pl

    scored = converted(frame) if family == "open" else probabilities(frame)
    chances = _mean_right(scored, protocol, "p").join(
        _mean_right(generations(frame, family, setting), protocol, "g"), on="item"
    )
    disagree = pl.col("p") * (1 - pl.col("g")) + (1 - pl.col("p")) * pl.col("g")
    return chances.select(disagree.alias("d"))["d"].to_list()


def _mean_right(
    frame: polars.DataFrame, protocol: MisgenderingProtocol, name: str
) -> polars.DataFrame:
    import polars as pl

    return (
        right_or_not(frame, protocol)
        .group_by("item", maintain_order=True)
        .agg(pl.col("right").mean().alias(name))
    )


# --- what next words let expect ------------------------------------------------------------


def disagreement_table(results: Outcomes) -> Table:
    """Observed disagreement beside the expected one and its floor (Appendix E)."""
    rows = []
    for model in values_of(results.frame, "model"):
        mine = only(results.frame, model=model)
        foreseen = expected(mine)
        for family, setting in MODES:
            pairs = paired(mine, family, setting, results.protocol)
            here = expected(foreseen, family, setting)
            if not len(pairs):
                continue
            rows.append(Row(keys=(model, family, setting, "all"), cells=_compared(pairs, here)))
            for name in pronouns_of(pairs):
                cells = _compared(only(pairs, pronoun=name), only(here, pronoun=name))
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


def _compared(pairs: polars.DataFrame, here: polars.DataFrame) -> tuple[Estimate, ...]:
    import polars as pl

    found = pairs.filter(pl.col("label_b").is_not_null())
    cells = [conflict(pairs), share(found, chose_otherwise())]
    cells += [
        _mean(only(here, distribution=distribution, bound=bound))
        for distribution in DISTRIBUTIONS
        for bound in BOUNDS
    ]
    drawn = only(here, distribution="drawn", bound="δ")
    cells.append(share(drawn, pl.col("value").is_not_null()) if len(drawn) else _unsaid())
    return tuple(cells)


def _mean(part: polars.DataFrame) -> Estimate:
    if not len(part):
        return _unsaid()
    if part["value"].null_count() == len(part):
        return Estimate(value=None, n=len(part), why="top-k and top-p leave no pronoun anywhere")
    return mean(part)


def _unsaid() -> Estimate:
    return Estimate(
        value=None, why="the model was not asked for next words, or does not say how it draws them"
    )
