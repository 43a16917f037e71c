"""Headlines over groups and a factor that is crossed with them, such as names or verbs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from epicene.core.errors import InputError, unknown
from epicene.core.records import Column, Estimate, Item, Row, Table
from epicene.runs.matching import match_items
from epicene.runs.paired_differences import paired_scores
from epicene.runs.stored_run import stored_items
from epicene.stats.hypothesis_tests import holm
from epicene.stats.intervals import clustered_difference, clustered_mean
from epicene.stats.tabulate import group_codes
from epicene.stats.two_way import crossed_mean, crossed_test
from epicene.suites import FRAME_COLUMNS
from epicene.suites.headline_metrics import headline_metrics_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars

    from epicene.runs.compare import HeadlineFigures
    from epicene.runs.matching import ItemMatching
    from epicene.runs.stored_run import StoredRun
    from epicene.runs.summary import Summary
    from epicene.stats.arrays import Ints

_METHOD = (
    "Intervals over groups treat the values of {field} as fixed; those over groups and {field} "
    "also generalise to new values: the variance over groups plus that over {field} minus that "
    "over their combinations, Student's t with Satterthwaite's degrees of freedom."
)
_WITHOUT = "Judgements without {field} count by their group alone."


class Factor(NamedTuple):
    """A field of items, or a facet, that is crossed with groups."""

    field: str
    of_items: Mapping[str, str]  # its values, by the name an item is paired under

    def codes(self, frame: polars.DataFrame) -> tuple[Ints, int]:
        """Each row's value as a number, with a separate number for each group that has no value;
        and the number of values.
        """
        groups = group_codes(frame)
        first = int(groups.max(initial=0)) + 1
        numbers: dict[str, int] = {}
        codes = [
            first + numbers.setdefault(value, len(numbers)) if value else int(group)
            for value, group in zip(map(self.of_items.get, frame["item"]), groups, strict=True)
        ]
        return np.array(codes, dtype=np.int64), len(numbers)


def read_factor(
    field: str, runs: Sequence[StoredRun], same: ItemMatching, frame: polars.DataFrame
) -> Factor:
    """The field of the runs' items that has this name, or the facet of their judgements."""
    kinds = msgspec.structs.fields(runs[0].suite.item)
    fields = {each.name for each in kinds if each.type in (str, int)} - {*Item.__struct_fields__}
    facets = {name for name in frame.columns if not name.startswith("evidence ")}
    facets = {name for name in facets if not frame[name].dtype.is_numeric()}
    facets -= fields | {*FRAME_COLUMNS}
    if field not in fields | facets:
        raise unknown("field of items or facet", field, fields | facets, every=True)
    if field in facets:
        return Factor(field, _values_of_facet(frame, field))
    found: dict[str, str] = {}
    for index, run in enumerate(runs):
        for item in stored_items(run):
            value = getattr(item, field)
            name = same.renamed[index].get(item.id, item.id)
            found[name] = "" if value is None else str(value)
    return Factor(field, found)


def _values_of_facet(frame: polars.DataFrame, facet: str) -> dict[str, str]:
    import polars as pl

    values = frame.select("item", pl.col(facet).cast(pl.String)).drop_nulls().unique()
    if values["item"].is_duplicated().any():
        raise InputError(f"{facet!r} varies within items, so it cannot be crossed with groups.")
    return dict(values.iter_rows())


def crossed_table(summary: Summary, runs: Sequence[StoredRun], field: str) -> Table:
    """The headlines of each run, over groups alone and over groups and the factor."""
    factor = read_factor(field, runs, match_items(runs), summary.results.frame)
    rows = []
    for headline in headline_metrics_of(summary.suite, summary.results):
        if headline.item_scores is None:
            continue
        for run in summary.runs:
            part = summary.results.frame.filter(summary.results.frame["run"] == run.info.run)
            scores = headline.item_scores(replace(summary.results, frame=part, runs=(run.info,)))
            if not len(scores):
                continue
            values, groups = scores["score"].to_numpy(), group_codes(scores)
            codes, count = factor.codes(scores)
            rows.append(
                Row(
                    keys=(headline.name, run.info.model),
                    cells=(
                        clustered_mean(values, groups=groups, bounds=(0, 1)),
                        crossed_mean(values, groups, codes),
                        Estimate(value=len(np.unique(groups))),
                        Estimate(value=count),
                    ),
                )
            )
    return Table(
        name="crossed",
        title=f"Headlines over groups and {field}",
        levels=("headline", "model"),
        columns=(
            Column(name="over groups"),
            Column(name=f"over groups and {field}"),
            *_counts(field),
        ),
        rows=_checked(rows, field, summary.suite.name),
        notes=(_METHOD.format(field=field), _WITHOUT.format(field=field)),
    )


def crossed_changes_table(
    figures: Iterator[HeadlineFigures], factor: Factor, positions: tuple[str, str], suite: str
) -> Table:
    """The differences of two runs by headline, over groups alone and over groups and the factor."""
    made = []
    for each in figures:
        if each.scores is None:
            continue
        both = paired_scores(each.scores, positions, suite=suite)
        if not len(both):
            continue
        first, second = both["score"].to_numpy(), both["score_2"].to_numpy()
        groups, (codes, count) = group_codes(both), factor.codes(both)
        one = clustered_difference(second, first, groups, bounds=(-1, 1))
        gap = crossed_mean(second - first, groups, codes, bounds=(-1, 1), scale="difference")
        counts = Estimate(value=len(np.unique(groups))), Estimate(value=count)
        test = crossed_test(second, first, groups, codes)
        made.append((each.headline.name, (one, gap), test, counts))
    adjusted = holm([test.p for _, _, test, _ in made])
    rows = [
        Row(
            keys=(name,),
            cells=(
                *estimates,
                *(Estimate(value=each, n=test.n, why=test.why) for each in (test.p, p)),
                *counts,
            ),
        )
        for (name, estimates, test, counts), p in zip(made, adjusted, strict=True)
    ]
    field = factor.field
    return Table(
        name="crossed",
        title=f"Differences over groups and {field}",
        levels=("headline",),
        columns=(
            Column(name="difference over groups"),
            Column(name=f"difference over groups and {field}"),
            Column(name="p (means)", unit="p"),
            Column(name="p (Holm)", unit="p"),
            *_counts(field),
        ),
        rows=_checked(rows, field, suite),
        notes=(
            "The second minus the first, over the judgements that both runs have.",
            _METHOD.format(field=field),
            "p (means) comes from the same t statistic, which tests whether the mean difference "
            "is zero; p (Holm) is corrected over all rows of this table.",
            _WITHOUT.format(field=field),
        ),
    )


def _counts(field: str) -> tuple[Column, Column]:
    return Column(name="groups", unit="count"), Column(name=f"values of {field}", unit="count")


def _checked(rows: Sequence[Row], field: str, suite: str) -> tuple[Row, ...]:
    """The rows whose judgements have several values of the factor; raises if there are none."""
    if not rows:
        raise InputError(f"No headline of {suite} is a mean of scores, so nothing can be crossed.")
    one = Estimate(value=1)
    several = tuple(row for row in rows if row.cells[-1] not in (one, Estimate(value=0)))
    if not several:
        raise InputError(
            f"No headline of these runs has two values of {field!r}, so nothing can be crossed "
            "with it."
        )
    return several
