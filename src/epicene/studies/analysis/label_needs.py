"""How many items of runs a study needs for a precision, and of which cells.

What labels correct varies from cell to cell: a pilot study tells by how much, otherwise it is
assumed. Cells get labels in proportion to their size times that deviation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from epicene.core.errors import InputError
from epicene.stats.arrays import critical_value
from epicene.stats.label_needs import allocate, labels_needed, smoothed_deviations, variance_of
from epicene.studies.analysis.corrections import correct_headlines
from epicene.studies.analysis.study_summary import study_results
from epicene.studies.design.sampling import UNCERTAIN
from epicene.studies.design.schema import SamplingRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.runs.stored_run import StoredRun
    from epicene.stats.arrays import Floats, Ints
    from epicene.stats.corrected import CheckedRate
    from epicene.studies.analysis.corrections import CorrectedHeadline
    from epicene.studies.analysis.study_summary import AnsweredStudy
    from epicene.studies.design.sampling import DesignCell, SamplingOptions
    from epicene.suites import Suite
    from epicene.suites.studies import StudyKind

_LEVEL = 0.95
# How often a judge is assumed to be right where nothing is known and uncertain answers come first.
_ASSUMED_ACCURACY = 0.95
_WORST_DEVIATION = 0.5


def allocate_labels(
    runs: Sequence[StoredRun],
    name: str,
    wanted: SamplingOptions,
    *,
    pilot: AnsweredStudy | None = None,
    accuracy: float | None = None,
    languages: tuple[str, ...] = (),
) -> SamplingOptions:
    """The options with a number for each cell, for a precision or a total; of items in these
    languages, or in all.

    `accuracy` is how often the automatic judgement is assumed to be right; with neither it nor a
    pilot, nothing is assumed of it, and as many labels are needed as without it.
    """
    if wanted.per_cell is not None or (wanted.precision is None) == (wanted.total is None):
        raise InputError(
            "Use either --precision or --n to distribute labels over cells, without --per-cell."
        )
    suite = runs[0].suite
    kind = suite.studies[name]
    if kind.checks is None:
        raise InputError(
            f"The study {name} checks no headline of {suite.name}, so there is no rate whose "
            "precision could be computed; give --n or --per-cell."
        )
    found = _headlines(suite, kind, runs, name, wanted, pilot, languages)
    if not found:
        raise InputError("The runs contain no judgements that this study could check.")
    allocation: dict[DesignCell, int] = {}
    models = list(dict.fromkeys(each.model for each in found))
    for model in models:
        own = [each for each in found if each.model == model]
        numbers = (
            allocate_precision(own, wanted, accuracy)
            if wanted.total is None
            else _allocate_total(own, wanted, wanted.total // len(models), accuracy)
        )
        # The headlines of a run have the same cells.
        for cell, number in zip(own[0].cells, numbers.tolist(), strict=True):
            if number:
                allocation[cell] = max(allocation.get(cell, 0), number)
    return msgspec.structs.replace(
        wanted,
        total=None,
        allocation=allocation,
        pilot=pilot.study.name if pilot else "",
    )


def _headlines(
    suite: Suite[Any, Any],
    kind: StudyKind[Any, Any],
    runs: Sequence[StoredRun],
    name: str,
    wanted: SamplingOptions,
    pilot: AnsweredStudy | None,
    languages: tuple[str, ...],
) -> Sequence[CorrectedHeadline]:
    """The headlines with the pilot's labels, or with none, in the cells of the new study."""
    drawn = SamplingRecord(
        kind=name,
        protocol=runs[0].protocol.name,
        total=1,  # all cells are part of the whole
        languages=languages,
        uncertain_first=wanted.uncertain_first,
    )
    if pilot is not None:
        if pilot.study.drawn is None or pilot.study.drawn.kind != name:
            raise InputError(f"The pilot {pilot.study.name} is a different study from {name}.")
        study = msgspec.structs.replace(pilot.study, drawn=drawn)
        results = study_results(suite, study, pilot.responses, (), pilot.adjudications)
    else:
        study = msgspec.structs.replace(
            kind.study(runs[0].protocol), suite=suite.name, items=(), drawn=drawn
        )
        results = study_results(suite, study, ())
    return correct_headlines(results, kind, runs, unlabelled=pilot is None).headlines


def allocate_precision(
    headlines: Sequence[CorrectedHeadline], wanted: SamplingOptions, accuracy: float | None
) -> Ints:
    """As many of each cell as the headline that needs most of it does."""
    assert wanted.precision is not None
    numbers = []
    for headline in headlines:
        sizes = _cell_sizes(headline)
        deviations = _deviations(headline, accuracy, uncertain_first=wanted.uncertain_first)
        total = _needed(headline, sizes, deviations, wanted.precision)
        # A cell's items are of this headline only as often as its judgements are.
        raised = np.array(headline.cell_sizes) / np.maximum(sizes, 1)
        numbers.append(np.ceil(allocate(sizes, deviations, total) * raised).astype(np.int64))
    found: Ints = np.max(numbers, axis=0)
    return found


def _allocate_total(
    headlines: Sequence[CorrectedHeadline],
    wanted: SamplingOptions,
    total: int,
    accuracy: float | None,
) -> Ints:
    """The total spread over the cells of all headlines of a model."""
    sizes = np.max([_cell_sizes(each) for each in headlines], axis=0)
    cells = int((sizes > 0).sum())
    if total < cells:
        raise InputError(
            f"{headlines[0].model} has {cells} cells, and each needs at least one item; increase "
            "--n."
        )
    first = wanted.uncertain_first
    deviations = [_deviations(each, accuracy, uncertain_first=first) for each in headlines]
    return allocate(sizes, np.max(deviations, axis=0), total)


def _cell_sizes(headline: CorrectedHeadline) -> Floats:
    """How many judgements of a headline each cell has."""
    sizes = np.zeros(len(headline.cells))
    for rate in headline.rates:
        strata = np.asarray(rate.strata)
        sizes += np.bincount(strata[strata >= 0], minlength=len(sizes))
    return sizes


def _deviations(
    headline: CorrectedHeadline, accuracy: float | None, *, uncertain_first: bool
) -> Floats:
    """How much labels correct in each cell varies: by the pilot's labels, or as assumed."""
    if headline.estimates.tuning:
        values, cells = zip(
            *(
                _pilot_corrections(rate, tuning)
                for rate, tuning in zip(headline.rates, headline.estimates.tuning, strict=True)
            ),
            strict=True,
        )
        return smoothed_deviations(
            np.concatenate(values), np.concatenate(cells), len(headline.cells)
        )
    if accuracy is None and not uncertain_first:
        return np.full(len(headline.cells), _WORST_DEVIATION)
    errors = 1 - (_ASSUMED_ACCURACY if accuracy is None else accuracy)
    usual = min(np.sqrt(errors), _WORST_DEVIATION)
    return np.array(
        [
            _WORST_DEVIATION if uncertain_first and cell[-1] == UNCERTAIN else usual
            for cell in headline.cells
        ]
    )


def _pilot_corrections(rate: CheckedRate, tuning: float) -> tuple[Floats, Ints]:
    """By how much each label differs from λ times the automatic value, and its cell."""
    strata = np.asarray(rate.strata)
    labelled = np.isfinite(rate.human) & (strata >= 0)
    return (rate.human - tuning * rate.automatic)[labelled], strata[labelled]


def _needed(
    headline: CorrectedHeadline, sizes: Floats, deviations: Floats, precision: float
) -> int:
    """The labels of one model's headline."""
    critical = critical_value(_LEVEL)
    target = variance_of(precision, critical)
    automatic = headline.estimates.automatic
    if automatic.low is None or automatic.high is None:
        raise InputError(
            f"{headline.headline} of {headline.model} has no interval, so the number of labels "
            "cannot be computed."
        )
    # What varies even if everything is labelled: there are only so many groups.
    half_width = (automatic.high - automatic.low) / 2
    left = target - variance_of(half_width, critical)
    # A difference of two rates halves what each may vary.
    needed = labels_needed(
        sizes, deviations * len(headline.rates), left, design_effect=_design_effect(headline)
    )
    if needed is None:
        raise InputError(
            f"No number of labels makes {headline.headline} of {headline.model} precise to "
            f"±{100 * precision:g} points: the run's own groups limit it to "
            f"±{100 * half_width:.1f}; run more items, or use a larger --precision."
        )
    return needed


def _design_effect(headline: CorrectedHeadline) -> float:
    """How many times more the pilot's labels vary than independent ones; 1 without a pilot."""
    rate = headline.rates[0]
    corrected, automatic = headline.estimates.corrected, headline.estimates.automatic
    if not headline.estimates.tuning or corrected.low is None or automatic.low is None:
        return 1.0
    assert corrected.high is not None
    assert automatic.high is not None
    critical = critical_value(_LEVEL)
    tuning = headline.estimates.tuning[0]
    values, _ = _pilot_corrections(rate, tuning)
    whole = variance_of((corrected.high - corrected.low) / 2, critical)
    groups = variance_of((automatic.high - automatic.low) / 2, critical) * tuning**2
    independent = max(float(values.var(ddof=1)), 1 / (len(values) + 2)) / len(values)
    return float(np.clip((whole - groups) / independent, 1.0, 10.0))
