"""Headlines of runs corrected by the labels of a study, and how people and judge compare.

Every judgement of a run that could have been sampled for the study is found again, with the cell it
belongs to, so that each label represents its cell by its true size.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from epicene.core.errors import InputError, pluralise
from epicene.core.records import Column, Estimate, Row, Table
from epicene.results.summary import label_comparable_runs
from epicene.runs.stored_run import RunJudgements
from epicene.stats.annotator_agreement import majority_labels, without_ties
from epicene.stats.corrected import (
    CheckedRate,
    CorrectedEstimates,
    corrected_combination,
    rogan_gladen,
)
from epicene.studies.design.schema import visible_values
from epicene.suites import Results
from epicene.suites.headline_metrics import headline_metrics_of
from epicene.suites.studies import Material

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import polars

    from epicene.runs.stored_run import StoredRun
    from epicene.studies.design.sampling import Candidate, DesignCell
    from epicene.studies.design.schema import Study, StudyItem
    from epicene.suites import RunInfo
    from epicene.suites.studies import HeadlineCheck, StudyKind, StudyResults

    JudgementKey = tuple[str, str]  # the item's id, the judgement's name


class LeftOut(NamedTuple):
    """How many labels and judgements a correction does without, and why."""

    ties: int = 0  # equally many people gave another label
    open: int = 0  # the label does not say what is right
    changed: int = 0  # the run has another answer there than people saw
    elsewhere: int = 0  # judgements in languages that the study was not drawn from
    outside: int = 0  # judgements that the study could not have sampled

    @property
    def sentence(self) -> str:
        """What is left out, in a sentence; "" if nothing is."""
        told = [
            (
                self.ties,
                "label",
                "people disagree on (settle them with `epicene annotate adjudicate`)",
            ),
            (self.open, "label", "do not decide what is right"),
            (self.changed, "label", "belong to answers that the run does not contain"),
            (self.elsewhere, "judgement", "are in languages that the study does not cover"),
            (self.outside, "judgement", "could not have been sampled"),
        ]
        parts = [f"{pluralise(number, noun)} that {why}" for number, noun, why in told if number]
        return f"Left out: {'; '.join(parts)}." if parts else ""


@dataclass(frozen=True)
class CorrectedHeadline:
    """A headline of a run: its rates with their labels, and the estimates."""

    headline: str
    model: str
    rates: tuple[CheckedRate, ...]
    signs: tuple[int, ...]
    left_out: LeftOut
    cells: tuple[DesignCell, ...]  # by the numbers of the strata
    cell_sizes: tuple[int, ...]  # also of judgements that are not of this headline

    @cached_property
    def estimates(self) -> CorrectedEstimates:
        """By automatic judgements, by people alone, and corrected."""
        return corrected_combination(self.rates, self.signs)

    @property
    def rogan_gladen(self) -> Estimate:
        """The second method, for one rate of right and wrong answers."""
        if len(self.rates) > 1:
            return Estimate(
                value=None, why="the method works for a single rate, not for a difference"
            )
        return rogan_gladen(self.rates[0])

    @property
    def notes(self) -> str:
        """What is left out and what is not corrected, in sentences; "" if nothing is."""
        kept = sum(int((np.asarray(rate.strata) < 0).sum()) for rate in self.rates)
        if not kept:
            return self.left_out.sentence
        answers = pluralise(kept, "answer")
        told = f"{answers} had nothing to label and kept the automatic value."
        return f"{self.left_out.sentence} {told}".lstrip()

    @property
    def confusion(self) -> Counter[tuple[str, str]]:
        """How many labelled judgements have which verdict by people and automatically."""
        found: Counter[tuple[str, str]] = Counter()
        for rate in self.rates:
            labelled = np.isfinite(rate.human)
            people = rate.human_columns[labelled].tolist()
            automatic = rate.columns[labelled].tolist()
            found.update(
                (_verdict(*one), _verdict(*other))
                for one, other in zip(people, automatic, strict=True)
            )
        return found


RIGHT, PARTLY, NOT_RIGHT, NOT_COUNTED = "right", "partly right", "not right", "not counted"
_VERDICTS = (RIGHT, PARTLY, NOT_RIGHT, NOT_COUNTED)


def _verdict(score: float, below: float) -> str:
    if not below:
        return NOT_COUNTED
    return RIGHT if score >= 1 else NOT_RIGHT if score <= 0 else PARTLY


@dataclass(frozen=True)
class Corrections:
    """The headlines of some runs that a study's labels correct."""

    study: str
    headlines: tuple[CorrectedHeadline, ...]
    several: bool  # whether there are several runs, though perhaps not all are in the study

    @property
    def tables(self) -> tuple[Table, ...]:
        """The corrected headlines, their differences between models, people against the judge."""
        made = (_corrected_table(self), _differences_table(self), _confusion_table(self))
        return tuple(table for table in made if table.rows)

    @property
    def metrics(self) -> dict[str, Estimate]:
        """Each headline by both and by people alone; of several runs under `MODEL/NAME`."""
        found = {}
        for each in self.headlines:
            name = f"{each.model}/{each.headline}" if self.several else each.headline
            found[f"{name} (corrected)"] = each.estimates.corrected
            found[f"{name} (people alone)"] = each.estimates.human
            found[f"{name} (automatic)"] = each.estimates.automatic
        return found


def correct_headlines(
    results: StudyResults[Any],
    kind: StudyKind[Any, Any],
    runs: Sequence[StoredRun],
    *,
    unlabelled: bool = False,
) -> Corrections:
    """The headlines of these runs that the study's labels correct.

    Raises if none of the runs is in the study, or if it measures no headline. `unlabelled` takes
    runs that the study does not have yet.
    """
    study = results.study
    if kind.checks is None:
        raise InputError(
            f"The study {study.name} does not measure any headline of {study.suite}, so its "
            "labels cannot correct one."
        )
    found: list[CorrectedHeadline] = []
    missing = []
    for run, info in zip(runs, label_comparable_runs(runs), strict=True):
        if run.suite.name != study.suite:
            raise InputError(
                f"{run.folder} is a run of {run.suite.name}, but the study belongs to "
                f"{study.suite}."
            )
        model = info.model if unlabelled else _name_in_study(study, kind, run, info)
        if model is None:
            missing.append(info.model)
            continue
        found += _correct_run(results, kind, run, info, model)
    if missing and not found:
        named = sorted({item.fields.get("model", "") for item in study.items})
        raise InputError(
            f"The study {study.name} is about {', '.join(named)}, not about {', '.join(missing)}."
        )
    return Corrections(study.name, tuple(found), several=len(runs) > 1)


def _name_in_study(
    study: Study, kind: StudyKind[Any, Any], run: StoredRun, info: RunInfo
) -> str | None:
    """What the study calls the model of a run; None if it is not in it."""
    if not kind.from_runs:
        return ""
    models = {item.fields.get("model", "") for item in study.items}
    own = run.info
    for name in (info.model, f"{own.model} ({own.run})", own.model):
        if name in models:
            return name
    return None


def _correct_run(
    results: StudyResults[Any],
    kind: StudyKind[Any, Any],
    run: StoredRun,
    info: RunInfo,
    model: str,
) -> Iterator[CorrectedHeadline]:
    frame = RunJudgements(run).frame(info)
    of_run = Results(frame, run.protocol, (info,))
    checks = list(kind.checks(of_run)) if kind.checks else []
    if not checks or not len(frame):
        return
    languages = results.study.drawn.languages if results.study.drawn else ()
    shown = [item for item in results.study.items if item.fields.get("model", "") == model]
    by_key = {check.judged(item): item for check in checks[:1] for item in shown}
    sampled = _sampled_judgements(results.study, kind, run, model, by_key)
    known = {each.name: each for each in headline_metrics_of(run.suite, of_run)}
    for check in checks:
        headline = known[check.headline]
        if check.rates is not None:
            parts = check.rates(of_run)
        else:
            assert headline.item_scores is not None
            parts = [(1, headline.item_scores(of_run))]
        labels = _Labels.of(results, check, shown)
        asked = [_in_languages(part, languages) for _, part in parts]
        elsewhere = sum(len(part) for _, part in parts) - sum(map(len, asked))
        made = [_checked_rate(part, check, labels, sampled) for part in asked]
        if sum(len(rate.automatic) for rate, _ in made):
            yield CorrectedHeadline(
                headline=check.headline,
                model=info.model,
                rates=tuple(rate for rate, _ in made),
                signs=tuple(sign for sign, _ in parts),
                cells=sampled.cells,
                cell_sizes=sampled.sizes,
                left_out=LeftOut(
                    ties=labels.ties,
                    open=sum(open_ for _, (open_, _) in made),
                    changed=len(sampled.changed & set(labels.labels)),
                    elsewhere=elsewhere,
                    outside=sum(outside for _, (_, outside) in made),
                ),
            )


def _in_languages(part: polars.DataFrame, languages: Sequence[str]) -> polars.DataFrame:
    """The judgements of items that could be sampled by their language."""
    import polars as pl

    if not languages:
        return part
    return part.filter(pl.col("language").cast(pl.String).is_in(languages))


class _Sampled(NamedTuple):
    """The judgements that the study could sample, with the number of their cell; the items that
    show what the run does not have."""

    strata: polars.DataFrame  # item, name, stratum
    changed: frozenset[str]
    cells: tuple[DesignCell, ...]
    sizes: tuple[int, ...]


def _sampled_judgements(
    study: Study,
    kind: StudyKind[Any, Any],
    run: StoredRun,
    model: str,
    shown: dict[JudgementKey, StudyItem],
) -> _Sampled:
    import polars as pl

    assert study.drawn is not None
    uncertain_first = study.drawn.uncertain_first
    items: list[str] = []
    names: list[str] = []
    strata: list[int] = []
    codes: dict[DesignCell, int] = {}
    used: set[int] = set()
    unlike = {item.id for item in shown.values()}
    for candidate in _candidates(kind, run, model, study.drawn.languages):
        if candidate.judged is None:
            continue
        cell = candidate.sampling_cell(uncertain_first=uncertain_first)
        code = codes.setdefault(cell, len(codes))
        item, name = candidate.judged
        items.append(item)
        names.append(name)
        strata.append(code)
        if seen := shown.get(candidate.judged):
            used.add(code)
            if visible_values(study, candidate.make()) == visible_values(study, seen):
                unlike.discard(seen.id)
    sizes = tuple(np.bincount(strata, minlength=len(codes)).tolist())
    # A cell without an item is part of the whole only if chance left it without one.
    if study.drawn.total is None:
        strata = [code if code in used else -1 for code in strata]
    frame = pl.DataFrame(
        {"item": items, "name": names, "stratum": strata},
        schema={"item": pl.String, "name": pl.String, "stratum": pl.Int64},
    )
    there = frame.filter(pl.col("stratum") >= 0)
    return _Sampled(there, frozenset(unlike), tuple(codes), sizes)


def _candidates(
    kind: StudyKind[Any, Any], run: StoredRun, model: str, languages: Sequence[str]
) -> Iterator[Candidate]:
    for item, answers in RunJudgements(run).answered():
        if not languages or item.language in languages:
            yield from kind.candidates(
                Material(item=item, protocol=run.protocol, model=model, answers=answers)
            )


class _Labels(NamedTuple):
    """People's labels of the items, by the judgement that they show."""

    items: dict[JudgementKey, StudyItem]
    labels: dict[str, str]  # by the item's id
    ties: int

    @classmethod
    def of(
        cls, results: StudyResults[Any], check: HeadlineCheck, shown: Iterable[StudyItem]
    ) -> _Labels:
        import polars as pl

        items = {check.judged(item): item for item in shown}
        ids = [item.id for item in items.values()]
        given = results.adjudicated.filter(
            (pl.col("name") == check.judgement) & pl.col("item").cast(pl.String).is_in(ids)
        )
        if not len(given):
            return cls(items, {}, 0)
        decided = majority_labels(without_ties(given))
        labels = dict(decided.select("item", "label").iter_rows())
        return cls(items, labels, given["item"].n_unique() - len(labels))


def _checked_rate(
    part: polars.DataFrame, check: HeadlineCheck, labels: _Labels, sampled: _Sampled
) -> tuple[CheckedRate, tuple[int, int]]:
    """A rate with its labels; how many labels leave it open, how many rows are outside."""
    import polars as pl

    texts = part.select(
        pl.col("item", "name", "group", "outcome").cast(pl.String),
        "score",
        (pl.col("below") if "below" in part.columns else pl.lit(1.0)).alias("below"),
    )
    rows = texts.join(sampled.strata, on=["item", "name"], how="left", maintain_order="left")
    # An answer that could not be judged was not shown to people, as nothing is right in it.
    unjudged = (pl.col("outcome") == "undetected") | (pl.col("below") == 0)
    rows = rows.with_columns(stratum=pl.col("stratum").fill_null(pl.when(unjudged).then(-1)))
    outside = rows["stratum"].null_count()
    rows = rows.filter(pl.col("stratum").is_not_null())
    human = np.full(len(rows), np.nan)
    human_below = rows["below"].to_numpy().copy()
    weights = np.ones(len(rows))
    open_ = 0
    keys = rows.select("item", "name", "score").iter_rows()
    for number, (item, name, score) in enumerate(keys):
        shown = labels.items.get((item, name))
        if shown is None or shown.id in sampled.changed or shown.id not in labels.labels:
            continue
        label = labels.labels[shown.id]
        value = check.value(label, score, shown)
        if value is None:
            open_ += 1
            continue
        human[number] = value if check.counted(label) else 0.0
        human_below[number] = float(check.counted(label))
        weights[number] = 1 / (shown.inclusion or 1.0)
    rate = CheckedRate(
        automatic=rows["score"].to_numpy(),
        human=human,
        groups=rows["group"].to_list(),
        strata=rows["stratum"].to_numpy(),
        weights=weights,
        below=rows["below"].to_numpy(),
        human_below=human_below,
    )
    return rate, (open_, outside)


# --- tables ----------------------------------------------------------------------------------

_METHOD = (
    "Corrected: the automatic judgements of all answers minus their error as estimated from "
    "people's labels (PPI++); each label is weighted by the part of its cell that it represents. "
    "λ is the weight of the automatic judgements; it is 0 if people's labels alone are as precise. "
    "Intervals are over groups."
)


def _corrected_table(found: Corrections) -> Table:
    rows = tuple(
        Row(
            keys=(each.headline, each.model),
            cells=(
                each.estimates.corrected,
                each.estimates.human,
                each.estimates.automatic,
                each.rogan_gladen,
                _tuning(each),
                Estimate(value=each.estimates.human.n),
                Estimate(value=sum(len(rate.automatic) for rate in each.rates)),
            ),
        )
        for each in found.headlines
    )
    return Table(
        name="corrected",
        title="Headlines corrected by people's labels",
        levels=("headline", "model"),
        columns=(
            Column(name="corrected"),
            Column(name="people alone"),
            Column(name="automatic"),
            Column(name="Rogan–Gladen"),
            Column(name="λ", unit="number", decimals=2),
            Column(name="labels", unit="count"),
            Column(name="judgements", unit="count"),
        ),
        rows=rows,
        notes=(_METHOD, *_left_out_notes(found)),
    )


def _tuning(each: CorrectedHeadline) -> Estimate:
    if not each.estimates.tuning:
        return Estimate(value=None, why=each.estimates.corrected.why)
    return Estimate(value=float(np.mean(each.estimates.tuning)))


def _left_out_notes(found: Corrections) -> Iterator[str]:
    several = len({(each.headline, each.model) for each in found.headlines}) > 1
    for each in found.headlines:
        if sentence := each.notes:
            yield f"{each.headline}, {each.model}: {sentence}" if several else sentence


def _differences_table(found: Corrections) -> Table:
    rows = []
    for one, other in combinations(found.headlines, 2):
        if one.headline == other.headline:
            signs = (*other.signs, *(-sign for sign in one.signs))
            estimates = corrected_combination((*other.rates, *one.rates), signs)
            cells = (estimates.corrected, estimates.human, estimates.automatic)
            rows.append(Row(keys=(one.headline, one.model, other.model), cells=cells))
    return Table(
        name="corrected differences",
        title="Differences of models, corrected by people's labels",
        levels=("headline", "first", "second"),
        columns=tuple(Column(name=name) for name in ("corrected", "people alone", "automatic")),
        rows=tuple(rows),
        notes=("The second minus the first; a group is left out of both models together.",),
    )


def _confusion_table(found: Corrections) -> Table:
    counts = [each.confusion for each in found.headlines]
    used = [
        verdict for verdict in _VERDICTS if any(verdict in pair for each in counts for pair in each)
    ]
    rows = tuple(
        Row(
            keys=(each.headline, each.model, verdict),
            cells=tuple(Estimate(value=count[verdict, other]) for other in used),
        )
        for each, count in zip(found.headlines, counts, strict=True)
        for verdict in used
    )
    return Table(
        name="headline confusion",
        title="What people said (rows) and what the suite judged (columns)",
        levels=("headline", "model", "people"),
        columns=tuple(Column(name=verdict, unit="count") for verdict in used),
        rows=rows,
        notes=("Counts are from the sample, in which some cells may be overrepresented.",),
    )
