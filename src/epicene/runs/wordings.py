"""Prompt sensitivity: results per wording, the share of variance, and changes of rank.

Computed from runs with `--set wordings=N`, whose judgements have the facet `wording`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from epicene.core.records import Column, Estimate, Row, Table
from epicene.runs.paired_differences import pairwise_differences
from epicene.stats.hypothesis_tests import holm
from epicene.stats.tabulate import distinct_values, group_codes, rows_where
from epicene.stats.variance_components import CrossedComponents, crossed_components
from epicene.suites.headline_metrics import headline_metrics_of
from epicene.suites.wordings import FACET, MARK, unmarked, wording_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import polars

    from epicene.runs.paired_differences import PairedDifference
    from epicene.suites import Results, Suite
    from epicene.suites.headline_metrics import HeadlineMetric

_ONE_OF_EACH = "an item has one judgement in each wording, so it is part of item × wording"


@dataclass(frozen=True)
class WordingResult:
    """A headline of one model, in one language if there are several."""

    title: str
    headline: HeadlineMetric
    model: str
    together: Estimate
    by_wording: Mapping[str, Estimate]
    components: CrossedComponents | None

    @property
    def values(self) -> dict[str, float]:
        """The value in each wording that has one."""
        return {
            wording: each.value
            for wording, each in self.by_wording.items()
            if each.value is not None
        }

    @property
    def column(self) -> dict[str, Any]:
        """How its values are shown."""
        share = self.headline.unit == "share"
        return {"unit": self.headline.unit, "decimals": 1 if share else 3}


def wordings_in(frame: polars.DataFrame) -> list[str]:
    """The wordings that items were asked in, in order; empty if there was only one, even if the
    user's data have a facet of this name.
    """
    if FACET not in frame.columns or not frame["item"].str.contains(MARK, literal=True).any():
        return []
    return sorted(distinct_values(frame, FACET), key=int)


def wording_tables(suite: Suite[Any, Any], results: Results[Any]) -> Iterator[Table]:
    """The tables on wordings; none if every run was asked in one wording."""
    wordings = wordings_in(results.frame)
    if not wordings:
        return
    found = list(wording_results(suite, results))
    if not found:  # no headline has a value
        return
    yield _values_table(found, wordings)
    yield _sensitivity_table(found)
    ranked = _by_title(each for each in found if each.headline.item_scores is not None)
    ranked = {title: models for title, models in ranked.items() if len(models) > 1}
    if ranked:
        yield _ranks_table(ranked, wordings)
        yield _rank_changes_table(ranked, wordings)


def wording_results(suite: Suite[Any, Any], results: Results[Any]) -> Iterator[WordingResult]:
    """Each model's headlines that have a value in some wording; then by language."""
    import polars as pl

    asked = results.frame.filter(pl.col(FACET).is_not_null())
    codes = [code for code in distinct_values(asked, "language") if code]
    for headline in headline_metrics_of(suite, results):
        by_language = codes if headline.by_language and len(codes) > 1 else []
        for code in ("", *by_language):
            for info in results.runs:
                where = {"run": info.run, **({"language": code} if code else {})}
                mine = replace(results, frame=rows_where(asked, **where), runs=(info,))
                if len(wordings_in(mine.frame)) > 1:
                    made = _wording_result(headline, code, mine)
                    if made.values:
                        yield made


def _wording_result(headline: HeadlineMetric, code: str, mine: Results[Any]) -> WordingResult:
    parts = {
        wording: replace(mine, frame=rows_where(mine.frame, wording=wording))
        for wording in wordings_in(mine.frame)
    }
    by_wording = {wording: headline.estimate(part) for wording, part in parts.items()}
    scores = None if headline.item_scores is None else headline.item_scores(mine)
    return WordingResult(
        title=f"{headline.name} · {code}" if code else headline.name,
        headline=headline,
        model=mine.runs[0].model,
        together=_mean(by_wording.values()) if scores is None else headline.estimate(mine),
        by_wording=by_wording,
        components=None if scores is None else components_of_scores(scores),
    )


def _mean(estimates: Iterable[Estimate]) -> Estimate:
    """The mean over wordings, without an interval: each has the same items."""
    values = [each.value for each in estimates if each.value is not None]
    return Estimate(value=float(np.mean(values)) if values else None, n=len(values))


def components_of_scores(scores: polars.DataFrame) -> CrossedComponents | None:
    """The variance components of item scores, by the wordings in the ids of items."""
    import polars as pl

    items = scores["item"].cast(pl.String).to_list()
    names = scores["name"].cast(pl.String).str.replace(r" \d+$", "")  # of the sample
    return crossed_components(
        scores["score"].to_numpy(),
        list(zip(map(unmarked, items), names, strict=True)),
        [wording_of(item) for item in items],
        group_codes(scores),
    )


def _by_title(found: Iterable[WordingResult]) -> dict[str, list[WordingResult]]:
    titled: dict[str, list[WordingResult]] = {}
    for each in found:
        titled.setdefault(each.title, []).append(each)
    return titled


# --- tables ----------------------------------------------------------------------------------


def _values_table(found: Sequence[WordingResult], wordings: Sequence[str]) -> Table:
    return Table(
        name="wordings",
        title="Headlines by the wording of the prompt",
        levels=("headline", "model"),
        columns=tuple(
            Column(name=name, **found[0].column)
            for name in (*(f"wording {each}" for each in wordings), "all wordings")
        ),
        rows=tuple(
            Row(
                keys=(each.title, each.model),
                cells=(
                    *(each.by_wording.get(name, _NOT_ASKED) for name in wordings),
                    each.together,
                ),
            )
            for each in found
        ),
        notes=(
            "The same items in every wording; requests with a single wording are left out. "
            "Wording 1 is the default. Intervals are over groups of items, not over wordings.",
        ),
    )


_NOT_ASKED = Estimate(value=None, why="this run was not asked in this wording")


def _sensitivity_table(found: Sequence[WordingResult]) -> Table:
    shown = found[0].column
    scored = any(each.headline.item_scores is not None for each in found)
    extremes = (
        Column(name="best", **shown),
        Column(name="best wording", unit="text"),
        Column(name="worst", **shown),
        Column(name="worst wording", unit="text"),
        Column(name="best − worst", **shown),
    )
    return Table(
        name="prompt sensitivity",
        title="How far headlines depend on the wording",
        levels=("headline", "model"),
        columns=(
            *extremes,
            Column(name="SD between wordings", **shown),
            *(Column(name=f"variance: {name}") for name in _PARTS),
            Column(name="items", unit="count"),
        )
        if scored
        else extremes,
        rows=tuple(
            Row(
                keys=(each.title, each.model),
                cells=(*_extreme_cells(each), *(_component_cells(each) if scored else ())),
            )
            for each in found
        ),
        notes=(_EXTREMES_NOTE, *((_COMPONENTS_NOTE,) if scored else (_UNSCORED_NOTE,))),
    )


_EXTREMES_NOTE = "The best of several wordings is partly luck: best − worst is never below 0."
_COMPONENTS_NOTE = (
    "SD between wordings is the part of their differences that is not explained by chance among "
    "items. The variance of one judgement is divided into what an item has in common in all "
    "wordings, what all items have in common in one wording, what is specific to an item in a "
    "wording, and samples of one prompt; over items that were judged in every wording."
)
_UNSCORED_NOTE = (
    "No value is better than another here: best means highest, worst means lowest. Single items "
    "have no score, so there are no shares of variance."
)


_PARTS = ("item", "wording", "item × wording", "sample")


def _extreme_cells(result: WordingResult) -> Iterator[Estimate | str]:
    values = result.values
    best = max(values, key=lambda name: (values[name], -int(name)))
    worst = min(values, key=lambda name: (values[name], int(name)))
    yield result.by_wording[best]
    yield best
    yield result.by_wording[worst]
    yield worst
    yield Estimate(value=values[best] - values[worst], n=len(values))


def _component_cells(result: WordingResult) -> Iterator[Estimate]:
    found = result.components
    if found is None:
        why = "fewer than two items were judged in every wording"
        yield from (Estimate(value=None, why=why) for _ in range(len(_PARTS) + 1))
        yield Estimate(value=0)
        return
    yield Estimate(value=float(np.sqrt(found.wording)), n=found.items)
    total = found.total
    for part in (found.item, found.wording, found.interaction, found.sample):
        if part is None:
            yield Estimate(value=None, why=_ONE_OF_EACH)
        else:
            why = "" if total else "all judgements are the same"
            yield Estimate(value=part / total if total else None, n=found.items, why=why)
    yield Estimate(value=found.items)


def _ranks_table(ranked: Mapping[str, Sequence[WordingResult]], wordings: Sequence[str]) -> Table:
    rows = []
    for title, models in ranked.items():
        ranks = [_ranks([each.values.get(name) for each in models]) for name in wordings]
        overall = _ranks([each.together.value for each in models])
        for index, each in enumerate(models):
            own = [column[index] for column in ranks]
            there = [rank for rank in own if rank is not None]
            cells = (*own, overall[index], min(there, default=None), max(there, default=None))
            rows.append(
                Row(keys=(title, each.model), cells=tuple(Estimate(value=rank) for rank in cells))
            )
    names = (*(f"wording {each}" for each in wordings), "all wordings", "best rank", "worst rank")
    return Table(
        name="wording ranks",
        title="Ranks of models by the wording of the prompt",
        levels=("headline", "model"),
        columns=tuple(Column(name=name, unit="count") for name in names),
        rows=tuple(rows),
        notes=(
            "Rank 1 is the highest value; models with the same value share a rank. Ranks are "
            "based on the values alone; `compare` and the report show which differences are "
            "significant.",
        ),
    )


def _ranks(values: Sequence[float | None]) -> list[int | None]:
    """The rank of each value from the highest, equal values sharing the better one."""
    there = [value for value in values if value is not None]
    return [
        None if value is None else 1 + sum(other > value for other in there) for value in values
    ]


def _rank_changes_table(
    ranked: Mapping[str, Sequence[WordingResult]], wordings: Sequence[str]
) -> Table:
    return Table(
        name="rank changes",
        title="Whether the order of models depends on the wording",
        levels=("headline",),
        columns=(
            Column(name="models", unit="count"),
            Column(name="pairs of models", unit="count"),
            Column(name="pairs that change order", unit="count"),
            Column(name="mean τ", unit="number", decimals=2),
            Column(name="lowest τ", unit="number", decimals=2),
            Column(name="first", unit="text"),
        ),
        rows=tuple(
            Row(keys=(title,), cells=tuple(_rank_change_cells(models, wordings)))
            for title, models in ranked.items()
        ),
        notes=(
            "A pair changes order if one model is ahead in one wording and behind in another. τ "
            "is Kendall's τ-b between the orders of models in two wordings, over all pairs of "
            "wordings. first: the models with the highest value, and in how many wordings.",
        ),
    )


def _rank_change_cells(
    models: Sequence[WordingResult], wordings: Sequence[str]
) -> Iterator[Estimate | str]:
    values = np.array(
        [[each.values.get(name, np.nan) for name in wordings] for each in models], dtype=np.float64
    )
    changed = 0
    for first, second in combinations(values, 2):
        gaps = first - second
        changed += bool((gaps > 0).any() and (gaps < 0).any())
    pairs = len(models) * (len(models) - 1) // 2
    yield Estimate(value=len(models))
    yield Estimate(value=pairs)
    yield Estimate(value=changed)
    compared = (_kendall(one, two) for one, two in combinations(values.T, 2))
    taus = [tau for tau in compared if tau is not None]
    why = (
        "" if taus else "in every pair of wordings, all models have the same value in at least one"
    )
    yield Estimate(value=float(np.mean(taus)) if taus else None, n=len(taus), why=why)
    yield Estimate(value=min(taus, default=None), n=len(taus), why=why)
    ahead = Counter(
        each.model
        for name in wordings
        for each in models
        if each.values.get(name) == max(other.values.get(name, -np.inf) for other in models)
    )
    yield ", ".join(f"{model} ({times})" for model, times in ahead.most_common())


def _kendall(one: Any, two: Any) -> float | None:
    """Kendall's τ-b of the values that both have; None if one order consists only of ties."""
    from scipy.stats import kendalltau

    there = ~np.isnan(one) & ~np.isnan(two)
    if there.sum() < 2 or not np.ptp(one[there]) or not np.ptp(two[there]):
        return None
    return float(kendalltau(one[there], two[there]).statistic)


# --- two runs --------------------------------------------------------------------------------


class HeadlineScores(NamedTuple):
    """A headline, the results of each of two runs, and the item scores of both, whose models are
    named by `positions`."""

    headline: HeadlineMetric
    parts: tuple[Results[Any], Results[Any]]
    scores: polars.DataFrame


def wording_differences_table(
    found: Sequence[HeadlineScores], positions: tuple[str, str], *, suite: str
) -> Table | None:
    """The difference between two runs in every wording that both have; None if there is only
    one.
    """
    import polars as pl

    rows: list[tuple[tuple[str, str], tuple[Estimate, ...], PairedDifference]] = []
    for headline, parts, scores in found:
        if FACET not in scores.columns:
            continue
        for wording in wordings_in(scores):
            mine = scores.filter(pl.col(FACET).cast(pl.String) == wording)
            values = tuple(
                headline.estimate(replace(part, frame=rows_where(part.frame, wording=wording)))
                for part in parts
                if wording in wordings_in(part.frame)
            )
            if len(values) == len(parts):
                changes = pairwise_differences(mine, positions, suite=suite)
                rows += [((headline.name, wording), values, change) for change in changes]
    if len({wording for (_, wording), *_ in rows}) < 2:
        return None
    adjusted = holm([change.test.p for *_, change in rows])
    return Table(
        name="wordings",
        title="The difference in every wording of the prompt",
        levels=("headline", "wording"),
        columns=(
            *(Column(name=position) for position in positions),
            Column(name="difference"),
            Column(name="p", unit="p"),
            Column(name="p (Holm)", unit="p"),
            Column(name="judgements", unit="count"),
        ),
        rows=tuple(
            Row(
                keys=keys,
                cells=(
                    *values,
                    change.difference,
                    Estimate(value=change.test.p, why=change.test.why),
                    Estimate(value=p, why=change.test.why),
                    Estimate(value=change.shared),
                ),
            )
            for (keys, values, change), p in zip(rows, adjusted, strict=True)
        ),
        notes=(
            "The second minus the first, paired by item in each wording; p comes from a "
            "permutation test over groups, and p (Holm) is corrected over all rows.",
            *(
                _order_sentence(name, [change for (title, _), _, change in rows if title == name])
                for name in dict.fromkeys(title for (title, _), *_ in rows)
            ),
        ),
    )


def _order_sentence(headline: str, changes: Sequence[PairedDifference]) -> str:
    """In how many wordings each run is ahead."""
    gaps = [change.difference.value or 0.0 for change in changes]
    second, first = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
    order = "the order changes" if first and second else "the order never changes"
    return (
        f"By “{headline}” the second is ahead in {second} of {len(gaps)} wordings and the first in "
        f"{first}: {order}."
    )
