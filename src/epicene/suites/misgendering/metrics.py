"""The metrics of misgendering: accuracy of each format, their agreement, and variation.

The variation σ of five generations is 0, 0.40 or 0.49, as none, one or two of them differ from the
rest; the paper shows how many instances have each value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from epicene.core.records import Estimate
from epicene.stats import paired_agreement
from epicene.stats.tabulate import (
    accuracy,
    distinct_values,
    estimate_all,
    rows_by,
    share_of_parts,
    undetected_share,
)
from epicene.suites.headline_metrics import FormatPairs, accuracy_metric
from epicene.suites.misgendering.protocol import FORMATS, PROBABILITY
from epicene.suites.misgendering.sources.own import (
    OWN_CONTEXTS,
    OWN_DATASETS,
    OWN_OCCUPATIONS,
    OWN_TEMPLATES,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import polars

    from epicene.stats.arrays import Ints
    from epicene.stats.beta_fit import BetaFit
    from epicene.stats.tabulate import PartEstimator
    from epicene.suites import Results
    from epicene.suites.misgendering.protocol import MisgenderingProtocol

    Outcomes: TypeAlias = Results[MisgenderingProtocol]


class DatasetFamily(NamedTuple):
    """Datasets of one kind: the published one, ours and the user's."""

    title: str
    datasets: tuple[str, ...]


FAMILIES = {
    "declared": DatasetFamily("declared pronouns", ("misgendered", "templates")),
    "open": DatasetFamily("open contexts", ("tango", "contexts", OWN_CONTEXTS)),
    "occupation": DatasetFamily("occupations", ("ruff", "occupations", OWN_OCCUPATIONS)),
    "own": DatasetFamily("own templates", (OWN_TEMPLATES,)),
}

_STARTER_SETS = ("templates", "contexts", "occupations")


def family_title(frame: polars.DataFrame, family: str) -> str:
    """What a family is, and which of its datasets these judgements are about."""
    title, datasets = FAMILIES[family]
    there = distinct_values(frame, "dataset")
    names = dict.fromkeys(_dataset_title(name) for name in datasets if name in there)
    return f"{title} ({', '.join(names)})" if names and title not in names else title


def _dataset_title(name: str) -> str:
    if name in _STARTER_SETS:
        return "starter set"
    return name if name in OWN_DATASETS else name.upper()


def is_own(frame: polars.DataFrame) -> bool:
    """Whether all judgements are about the user's own texts, which no paper covers."""
    there = set(distinct_values(frame, "dataset"))
    return bool(there) and there <= set(OWN_DATASETS)


# Where generations are compared with probabilities: family and setting.
MODES = (
    ("declared", "pre"),
    ("declared", "post"),
    ("occupation", "pre"),
    ("occupation", "post"),
    ("open", "open"),
    ("own", "pre"),
    ("own", "post"),
)


_FACETS = (
    "dataset", "pronoun", "case", "names", "antecedent", "occupation", "format", "measure",
    "setting", "sample", "wrong_later", "extraneous", "distractors", "distribution", "bound",
)  # fmt: skip


def with_all_facets(frame: polars.DataFrame) -> polars.DataFrame:
    """The frame with a column for every facet, null where no judgement has it."""
    import polars as pl

    missing = [name for name in _FACETS if name not in frame.columns]
    return frame.with_columns(pl.lit(None, dtype=pl.Categorical).alias(name) for name in missing)


def probability_judgements(frame: polars.DataFrame) -> polars.DataFrame:
    """The judgements by probability, by the protocol's measure."""
    import polars as pl

    return frame.filter(pl.col("name") == "probability")


def conversion_judgements(frame: polars.DataFrame) -> polars.DataFrame:
    """The judgements by probability of templates converted from the model's own generations."""
    import polars as pl

    return frame.filter(pl.col("format") == "converted")


def generation_judgements(
    frame: polars.DataFrame, family: str | None = None, setting: str | None = None
) -> polars.DataFrame:
    """The judgements by generation, all samples."""
    return _of_mode(frame, "generation", family, setting)


def expected_disagreements(
    frame: polars.DataFrame, family: str | None = None, setting: str | None = None
) -> polars.DataFrame:
    """The expected disagreements δ and δ*, under both distributions."""
    return _of_mode(frame, "expected", family, setting)


def _of_mode(
    frame: polars.DataFrame, form: str, family: str | None, setting: str | None
) -> polars.DataFrame:
    import polars as pl

    conditions = [pl.col("format") == form]
    if family is not None:
        conditions.append(pl.col("dataset").is_in(FAMILIES[family].datasets))
    if setting is not None:
        conditions.append(pl.col("setting") == setting)
    return frame.filter(conditions)


def as_counted(frame: polars.DataFrame, protocol: MisgenderingProtocol) -> polars.DataFrame:
    """The judgements as accuracy counts them: by Equation 4, a text without a pronoun is right."""
    import polars as pl

    if not protocol.counts_as_paper:
        return frame
    outcome = pl.col("outcome").cast(pl.String)
    return frame.with_columns(outcome.replace("undetected", "right"))


def with_right_column(frame: polars.DataFrame, protocol: MisgenderingProtocol) -> polars.DataFrame:
    """With a column `right`; a text without a pronoun counts as right under `paper` and is left out
    otherwise."""
    import polars as pl

    outcome = pl.col("outcome")
    if protocol.name != "paper":
        frame = frame.filter(outcome != "undetected")
    return frame.with_columns((outcome != "wrong").cast(pl.Float64).alias("right"))


def paired_formats(
    frame: polars.DataFrame, family: str, setting: str, protocol: MisgenderingProtocol
) -> polars.DataFrame:
    """Right (1) or not by probability, `a`, and by the first generation, `b`."""
    import polars as pl

    first = generation_judgements(frame, family, setting).filter(pl.col("sample") == "1")
    if family == "open":
        scored = conversion_judgements(frame).filter(pl.col("sample") == "1")
    else:
        scored = probability_judgements(frame)
    # A context that could not be converted has no pronoun, so there is nothing to pair.
    as_right = protocol.name == "paper" and family != "open"
    return paired_agreement.paired_outcomes(
        scored, first, undetected="right" if as_right else "left out"
    )


def pronouns_differ() -> polars.Expr:
    """Whether the two formats chose different pronouns; null if one chose none."""
    import polars as pl

    return pl.col("label").cast(pl.String) != pl.col("label_b").cast(pl.String)


def pronouns_of(frame: polars.DataFrame) -> list[str]:
    """The pronouns that were measured, the paper's four first and in its order."""
    return _in_order(distinct_values(frame, "pronoun"))


def _in_order(pronouns: Iterable[str]) -> list[str]:
    there = set(pronouns)
    first = [name for name in ("he", "she", "they", "xe") if name in there]
    return [*first, *sorted(there - set(first))]


def rows_by_pronoun(
    frame: polars.DataFrame, *between: str
) -> Iterator[tuple[tuple[str, ...], Ints]]:
    """For each model all rows, then those of each pronoun that it has, by table keys.

    These are the model, the keys in `between`, and the pronoun or "all".
    """
    parts = rows_by(frame, "model", "pronoun")
    for (model,), here in rows_by(frame, "model").items():
        yield (model, *between, "all"), here
        for name in _in_order(name for owner, name in parts if owner == model):
            yield (model, *between, name), parts[model, name]


# The setting under which the templates converted from generations are shown.
TEMPLATES = "templates"


def sigma_by_instance(frame: polars.DataFrame, protocol: MisgenderingProtocol) -> polars.DataFrame:
    """A row per instance: `sigma` over its judgements, and the other columns of its first one.

    An instance with a single judgement, which cannot vary, is counted only under `paper`.
    """
    import polars as pl

    fewest = 1 if protocol.name == "paper" else 2
    return (
        with_right_column(frame, protocol)
        .group_by("model", "item", maintain_order=True)
        .agg(
            pl.col("right").std(ddof=0).alias("sigma"),
            pl.len().alias("judgements"),
            pl.exclude("right").first(),
        )
        .filter(pl.col("judgements") >= fewest)
        .with_columns(pl.col("sigma").map_elements(_level, return_dtype=pl.String).alias("level"))
    )


# Of the standard deviation of right and wrong answers.
SIGMA_BOUNDS = (0.0, 0.5)


def _level(sigma: float) -> str:
    """σ as the figures write it: 0, 0.40, 0.49."""
    return f"{sigma:.2f}" if sigma else "0"


def sigma_shares(instances: polars.DataFrame, levels: Iterable[str]) -> dict[str, PartEstimator]:
    """The share of instances with each of these values of σ, in parts of them."""
    import polars as pl

    return {level: share_of_parts(instances, pl.col("level") == level) for level in levels}


def all_paired_formats(frame: polars.DataFrame, protocol: MisgenderingProtocol) -> polars.DataFrame:
    """The pairs of all datasets and settings."""
    import polars as pl

    return pl.concat(paired_formats(frame, family, setting, protocol) for family, setting in MODES)


def conflict_rate(pairs: polars.DataFrame) -> PartEstimator:
    """The share of pairs in which one format is right and the other wrong, in parts of them."""
    import polars as pl

    return share_of_parts(pairs, pl.col("a") != pl.col("b"))


def beta_fits(
    frame: polars.DataFrame, family: str, setting: str, protocol: MisgenderingProtocol
) -> Callable[[str, str], BetaFit]:
    """By model and pronoun, a beta distribution of the probability of disagreement over instances.

    Equations 8 to 13 of the paper.
    """
    import polars as pl

    from epicene.stats.beta_fit import beta_by_moments

    scored = conversion_judgements(frame) if family == "open" else probability_judgements(frame)
    chances = _mean_right(scored, protocol, "p").join(
        _mean_right(generation_judgements(frame, family, setting), protocol, "g"),
        on=list(_INSTANCE),
        maintain_order="left",
    )
    # For each instance, how often one format would be right and the other wrong.
    disagree = pl.col("p") * (1 - pl.col("g")) + (1 - pl.col("p")) * pl.col("g")
    shares = chances.select(disagree.alias("d"))["d"].to_numpy()
    parts = rows_by(chances, "model", "pronoun")
    return lambda model, pronoun: beta_by_moments(shares[parts[model, pronoun]])


_INSTANCE = ("model", "pronoun", "item")


def _mean_right(
    frame: polars.DataFrame, protocol: MisgenderingProtocol, name: str
) -> polars.DataFrame:
    import polars as pl

    return (
        with_right_column(frame, protocol)
        .group_by(_INSTANCE, maintain_order=True)
        .agg(pl.col("right").mean().alias(name))
    )


def not_run(results: Outcomes) -> str:
    """The format that the runs' settings left out, "" if both were asked."""
    found = set(results.frame["format"].cast(str)) if "format" in results.frame.columns else set()
    left_out = [name for name in FORMATS if name not in results.protocol.formats]
    return next((name for name in left_out if name not in found), "")


def not_run_estimate(name: str) -> Estimate:
    """What replaces a number that needs a format that was not run."""
    return Estimate(value=None, why=f"the format {name} was not run")


def all_metrics(results: Outcomes) -> Mapping[str, Estimate]:
    """Accuracy by each format, the share without a pronoun, and the agreement of the formats."""
    found = _metrics(results)
    if missing := not_run(results):
        dash = not_run_estimate(missing)
        found |= {name: dash for name in found if name.startswith(("agreement_", "mcc_"))}
        found |= {f"accuracy_{missing}": dash, "conflict": dash}
    return found


def _metrics(results: Outcomes) -> dict[str, Estimate]:
    frame = with_all_facets(results.frame)
    found = {}
    generated, scored = generation_judgements(frame), probability_judgements(frame)
    if len(generated):
        found["accuracy_generation"] = accuracy(as_counted(generated, results.protocol))
        found["no_pronoun"] = undetected_share(generated)
    if len(scored):
        found["accuracy_probability"] = accuracy(scored)
    for family, setting in MODES:
        name = setting if setting == "open" else f"{family}_{setting}"
        part = generation_judgements(frame, family, setting)
        if len(part):
            found[f"accuracy_{name}"] = accuracy(as_counted(part, results.protocol))
            found[f"no_pronoun_{name}"] = undetected_share(part)
            pairs = paired_formats(frame, family, setting, results.protocol)
            found[f"agreement_{name}"] = paired_agreement.raw(pairs, clustered=True)
            found[f"mcc_{name}"] = paired_agreement.mcc(pairs, clustered=True)
    pairs = all_paired_formats(frame, results.protocol)
    if len(pairs):
        found["conflict"] = estimate_all(conflict_rate(pairs), pairs)
    return found


BY_GENERATION = "right pronoun by generation"

HEADLINE_METRICS = (
    accuracy_metric(
        "right pronoun by probability",
        lambda results: probability_judgements(with_all_facets(results.frame)),
        chance_request=PROBABILITY,
        contrasts=("pronoun",),
    ),
    accuracy_metric(
        BY_GENERATION,
        lambda results: as_counted(
            generation_judgements(with_all_facets(results.frame)), results.protocol
        ),
        contrasts=("pronoun",),
    ),
)

FORMAT_PAIRS = FormatPairs(
    "probability",
    "generation",
    "conflicts",
    lambda results: all_paired_formats(with_all_facets(results.frame), results.protocol),
)
