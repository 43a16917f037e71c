"""Metrics and tables of sentences that should no longer show the speaker's gender."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Column, Estimate, Row, Table
from epicene.stats.tabulate import accuracy, mean, parts_by, share, undetected_share
from epicene.suites.genform.ask import NEUTRAL
from epicene.suites.genform.judge_neutral import FAILURES, NEUTRAL_FORMS
from epicene.suites.genform.metrics import HEADLINE_METRICS, of_format
from epicene.suites.genform.metrics import all_metrics as gendered_metrics
from epicene.suites.genform.statistics import rules_in
from epicene.suites.headline_metrics import accuracy_metric

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import polars

    from epicene.suites.genform.metrics import Outcomes
    from epicene.suites.headline_metrics import HeadlineMetric

NEUTRAL_RIGHT = "neutral form right"


def neutral_frame(frame: polars.DataFrame) -> polars.DataFrame:
    """The sentences that were to show no gender."""
    return of_format(frame, NEUTRAL)


def gendered_sentences(frame: polars.DataFrame) -> polars.DataFrame:
    """Those of them that showed one."""
    import polars as pl

    asked = neutral_frame(frame)
    return asked.filter(pl.col("neutral terms") > 0) if len(asked) else asked


# By chance: one of the masculine form, the feminine form and both forms side by side.
_HEADLINE = accuracy_metric(
    NEUTRAL_RIGHT,
    lambda results: gendered_sentences(results.frame),
    chance=1 / 3,
    contrasts=("source",),
)


def _gender_free(frame: polars.DataFrame) -> Estimate:
    """The share of answers without a word that shows the speaker's gender."""
    import polars as pl

    detected = pl.col("outcome").cast(pl.String) != "undetected"
    return share(frame, detected & (pl.col("gender left") == 0) & (pl.col("blocks left out") == 0))


def _rest_unchanged(frame: polars.DataFrame) -> Estimate:
    import polars as pl

    detected = pl.col("outcome").cast(pl.String) != "undetected"
    return share(frame, detected & (pl.col("others changed") == 0))


def _overlap(frame: polars.DataFrame) -> Estimate:
    """The mean of freed terms over terms and other changed words."""
    return mean(frame, bounds=(0, 1))


def _right_as(*forms: str) -> Callable[[polars.DataFrame], Estimate]:
    def measure(frame: polars.DataFrame) -> Estimate:
        import polars as pl

        right = pl.col("outcome").cast(pl.String) == "right"
        return share(frame, right & pl.col("label").cast(pl.String).is_in(forms).fill_null(False))

    return measure


_MEASURES: tuple[tuple[str, Callable[[polars.DataFrame], Estimate]], ...] = (
    ("neutral", accuracy),
    ("neutral_gender_free", _gender_free),
    ("neutral_rest_unchanged", _rest_unchanged),
    ("neutral_overlap", _overlap),
    ("neutral_reworded", _right_as("reworded")),
    ("neutral_marked", _right_as(*(form for form in NEUTRAL_FORMS if form != "reworded"))),
    ("neutral_undetected", undetected_share),
)


def neutral_metrics(frame: polars.DataFrame) -> dict[str, Estimate]:
    """The share of neutral forms that are right, its two halves, and how they were made."""
    import polars as pl

    asked = neutral_frame(frame)
    if not len(asked):
        return {}
    gendered = gendered_sentences(frame)
    found = {name: measure(gendered) for name, measure in _MEASURES}
    found["neutral_left_alone"] = accuracy(asked.filter(pl.col("neutral terms") == 0))
    return found


def all_metrics(results: Outcomes) -> Mapping[str, Estimate]:
    """The metrics of all targets."""
    return {**gendered_metrics(results), **neutral_metrics(results.frame)}


def headline_metrics(results: Outcomes) -> tuple[HeadlineMetric, ...]:
    """Those of the targets that were asked for."""
    neutral = (_HEADLINE,) if len(neutral_frame(results.frame)) else ()
    return (*HEADLINE_METRICS, *neutral) if results.protocol.genders else neutral


def neutral_tables(results: Outcomes) -> Iterator[Table]:
    """How many are right, how gender is avoided, and the scores by rule."""
    import polars as pl

    asked = neutral_frame(results.frame)
    if not len(asked):
        return
    scores, forms, rules = [], [], []
    labels = [each for each in (*NEUTRAL_FORMS, *FAILURES) if len(asked.filter(_has_label(each)))]
    for keys, part in parts_by(asked, "model", "language"):
        gendered, plain = (
            part.filter(condition)
            for condition in (pl.col("neutral terms") > 0, pl.col("neutral terms") == 0)
        )
        both = {"both": gendered}
        both |= {of: each for (of,), each in parts_by(gendered, "source")}
        for source, each in both.items():
            cells = tuple(measure(each) for _, measure in _MEASURES)
            alone = (accuracy(plain),) if source == "both" else (_ONE_FORM,)
            scores.append(Row(keys=(*keys, source), cells=(*cells, *alone)))
            shares = (share(each, _has_label(form)) for form in labels)
            forms.append(Row(keys=(*keys, source), cells=tuple(shares)))
        for rule in rules_in(gendered, keys[1]):
            named = gendered.filter(pl.col("rule").cast(pl.String).fill_null("") == rule)
            cells = tuple(measure(named) for _, measure in _MEASURES[:4])
            rules.append(Row(keys=(*keys, rule or "–"), cells=cells))
    yield Table(
        name="neutral",
        title="Sentences that should no longer show the speaker's gender",
        levels=("model", "language", "from"),
        columns=tuple(
            Column(name=head)
            for head in (
                *("right", "gender-free", "rest unchanged", "overlap", "right, reworded"),
                *("right, marked or pair", "undetected", "left alone"),
            )
        ),
        rows=tuple(scores),
        notes=(
            "right: no word shows the speaker's gender, something stands for every word that "
            "did, and all other words are as they were; gender-free and rest unchanged are its "
            "two halves. overlap: words that no longer show gender, over all that did and all "
            "other words that changed. marked: a spelling that joins both forms, such as "
            "Lehrer*in. left alone: sentences that show no gender and stay as they are. A word "
            "that agrees with a noun for anybody (une personne étudiante) shows no gender.",
            "Intervals are over pairs; both forms of a pair count together.",
        ),
    )
    yield Table(
        name="neutral forms",
        title="How answers avoid the speaker's gender, or show it",
        levels=("model", "language", "from"),
        columns=tuple(Column(name=head) for head in labels),
        rows=tuple(forms),
        notes=(
            "All answers to sentences with a gendered word, right or not; the rest of 100 % is "
            "undetected, and forms that no answer has are left out. masculine, feminine, both "
            "genders: words of these forms are left. left out: nothing stands for a gendered "
            "word. several: in more than one way.",
        ),
    )
    yield Table(
        name="neutral rules",
        title="Neutral forms by rule",
        levels=("model", "language", "rule"),
        columns=tuple(
            Column(name=head) for head in ("right", "gender-free", "rest unchanged", "overlap")
        ),
        rows=tuple(rules),
    )


_ONE_FORM = Estimate(value=None, why="a sentence that shows no gender has one form")


def _has_label(label: str) -> polars.Expr:
    import polars as pl

    return pl.col("label").cast(pl.String).eq_missing(pl.lit(label))
