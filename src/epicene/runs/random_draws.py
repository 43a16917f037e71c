"""How headlines vary over a model's own random draws: samples of one run, or repeated runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from epicene.core.errors import InputError
from epicene.core.records import Column, Estimate, Row, Table
from epicene.runs.summary import protocol_method, settings_diff_sentences
from epicene.stats.draws import mean_over_draws
from epicene.stats.intervals import clustered_mean
from epicene.stats.tabulate import group_codes
from epicene.stats.two_way import crossed_mean
from epicene.suites.headline_metrics import headline_metrics_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars

    from epicene.runs.stored_run import StoredRun
    from epicene.runs.summary import Summary

_NOTES = (
    "A draw is one sample of each prompt in one run; prompts that a draw lacks are left out. "
    "Over groups: an interval for new items, which includes each answer's own randomness. Over "
    "groups and draws: also includes what the answers of one draw have in common, as in the "
    "table `crossed`. These items: an interval for new draws of the same items.",
    "p (independent): whether draws differ more than independent answers would (F test); if it "
    "is below 5 %, use the interval over groups and draws, and the interval for these items is "
    "computed from the means of draws.",
)


def draws_table(summary: Summary, runs: Sequence[StoredRun]) -> Table:
    """The headlines over all draws, with the variance between them."""
    _check_one_model(runs)
    rows = []
    for headline in headline_metrics_of(summary.suite, summary.results):
        if headline.item_scores is None:
            continue
        frame = _balanced(headline.item_scores(summary.results))
        if frame["draw"].n_unique() < 2:
            continue
        rows.append(Row(keys=(headline.name,), cells=_cells(frame)))
    if not rows:
        raise InputError(
            f"No headline of {runs[0].folder} was drawn twice for the same prompt; use several "
            "runs that differ only in --seed, or a run with several samples."
        )
    return Table(
        name="draws",
        title=f"{runs[0].info.model}: headlines over random draws",
        levels=("headline",),
        columns=(
            Column(name="over groups"),
            Column(name="over groups and draws"),
            Column(name="these items"),
            Column(name="standard deviation of draws"),
            Column(name="lowest draw"),
            Column(name="highest draw"),
            Column(name="p (independent)", unit="p"),
            Column(name="prompts that change"),
            Column(name="draws", unit="count"),
            Column(name="prompts", unit="count"),
        ),
        rows=tuple(rows),
        notes=_NOTES,
    )


def _check_one_model(runs: Sequence[StoredRun]) -> None:
    """Raise if the runs differ in anything but the seed."""
    first = runs[0]
    for run in runs[1:]:
        if run.info.identities != first.info.identities:
            raise InputError(
                f"{first.folder} and {run.folder} are runs of different models; draws must be of "
                "one model."
            )
        if protocol_method(run) != protocol_method(first):
            told = " ".join(settings_diff_sentences([first, run]))
            raise InputError(f"{told} Draws must be repeated under the same method.")


def _balanced(scores: polars.DataFrame) -> polars.DataFrame:
    """The scores with their `prompt` and `draw`, without prompts that some draws lack."""
    import polars as pl

    name = pl.col("name").cast(pl.String)
    sample = name.str.extract(r" (\d+)$").fill_null("")
    frame = scores.select(
        "group",
        "score",
        prompt=pl.concat_str(pl.col("item"), pl.lit("\0"), name.str.replace(r" \d+$", "")),
        draw=pl.concat_str(pl.col("run").cast(pl.String), pl.lit("\0"), sample),
    )
    draws = frame["draw"].n_unique()
    whole = frame.group_by("prompt").len().filter(pl.col("len") == draws)
    return frame.join(whole, on="prompt", how="semi", maintain_order="left")


def _cells(frame: polars.DataFrame) -> tuple[Estimate, ...]:
    values, groups = frame["score"].to_numpy(), group_codes(frame)
    table = frame.pivot("draw", index="prompt", values="score").drop("prompt").to_numpy()
    drawn, means = mean_over_draws(table), np.sort(table.mean(axis=0))
    changing = float(np.mean(np.ptp(table, axis=1) > 0))
    prompts, draws = table.shape
    return (
        clustered_mean(values, groups=groups, bounds=(0, 1)),
        crossed_mean(values, groups, frame["draw"].to_list()),
        drawn.estimate,
        *(Estimate(value=float(x), n=draws) for x in (means.std(ddof=1), means[0], means[-1])),
        Estimate(value=drawn.alike.p, n=draws, why=drawn.alike.why),
        Estimate(value=changing, n=prompts),
        Estimate(value=draws),
        Estimate(value=prompts),
    )
