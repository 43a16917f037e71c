"""The tables of a run, and every measure by case, list of names, antecedent and occupation."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby, islice
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from epicene.core.records import Column, Row, Table
from epicene.stats import paired_agreement
from epicene.stats.tabulate import (
    NOTHING_JUDGED,
    accuracy_of_parts,
    distinct_values,
    mean_of_parts,
    measured_rows,
    parts_by,
    rows_by,
    rows_where,
    share_of_parts,
    undetected_share_of_parts,
)
from epicene.suites.answers import LIKELIHOOD_MEASURES
from epicene.suites.misgendering.metrics import (
    FAMILIES,
    MODES,
    SIGMA_BOUNDS,
    TEMPLATES,
    as_counted,
    conflict_rate,
    conversion_judgements,
    expected_disagreements,
    generation_judgements,
    is_own,
    not_run,
    not_run_estimate,
    paired_formats,
    probability_judgements,
    pronouns_of,
    rows_by_pronoun,
    sigma_by_instance,
    sigma_shares,
    with_all_facets,
)
from epicene.suites.misgendering.protocol import FORMATS, GENERATION, PROBABILITY
from epicene.suites.misgendering.tables_agreement import (
    agreement_tables,
    beta_table,
    conflict_table,
    disagreement_table,
    format_table,
    repetition_tables,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import polars

    from epicene.stats.arrays import Ints
    from epicene.stats.tabulate import PartEstimator
    from epicene.suites.misgendering.metrics import Outcomes
    from epicene.suites.misgendering.protocol import Format, MisgenderingProtocol

    # Judgements of one model, by dataset family and setting or format.
    _Parts = Mapping[tuple[str, str], polars.DataFrame]

FACETS = ("case", "names", "antecedent", "occupation")


def _mean_share(frame: polars.DataFrame) -> PartEstimator:
    return mean_of_parts(frame, bounds=(0, 1))


class _Measure(NamedTuple):
    """A measure, the judgements it is computed from, and whether it is a share."""

    name: str
    title: str
    parts: Callable[[polars.DataFrame, MisgenderingProtocol], _Parts]
    of: Callable[[polars.DataFrame], PartEstimator]
    is_share: bool = True


def facet_tables(results: Outcomes) -> Iterator[Table]:
    """A table per measure: model, dataset, setting and facet by pronoun."""
    names = pronouns_of(results.frame)
    rows: dict[str, list[Row]] = {measure.name: [] for measure in _MEASURES}
    for (model,), mine in parts_by(results.frame, "model"):
        for make, measures in groupby(_MEASURES, key=lambda measure: measure.parts):
            parts = make(mine, results.protocol)
            cells = {keys: list(_facet_cells(part, names)) for keys, part in parts.items()}
            for measure in measures:
                for keys, part in parts.items():
                    rows[measure.name] += _facet_rows((model, *keys), measure.of(part), cells[keys])
    for measure in _MEASURES:
        number = {"unit": "share"} if measure.is_share else {"unit": "number", "decimals": 3}
        title = _accuracy_title(results) if measure.name == "accuracy" else measure.title
        yield Table(
            name=f"{measure.name} by facet",
            title=f"{title}, by grammatical case, list of names, antecedent and occupation",
            levels=("model", "family", "setting", "facet", "of"),
            columns=tuple(Column(name=name, **number) for name in ("all", *names)),
            rows=tuple(rows[measure.name]),
        )


def _facet_cells(
    part: polars.DataFrame, names: list[str]
) -> Iterator[tuple[tuple[str, str], list[Ints]]]:
    """For each value of each facet, the rows of all pronouns and of each pronoun."""
    for facet in FACETS:
        of = rows_by(part, facet, "pronoun")
        for (value,), here in rows_by(part, facet).items():
            yield (facet, value), [here, *(of[value, name] for name in names)]


def _facet_rows(
    above: tuple[str, ...],
    measure: PartEstimator,
    cells: Sequence[tuple[tuple[str, str], Sequence[Ints]]],
) -> Iterator[Row]:
    """The rows of a measure, all of its cells estimated together."""
    found = iter(measure([part for _, parts in cells for part in parts]))
    for which, parts in cells:
        estimates = zip(parts, islice(found, len(parts)), strict=True)
        shown = (each if len(part) else NOTHING_JUDGED for part, each in estimates)
        yield Row(keys=(*above, *which), cells=tuple(shown))


# --- which judgements ----------------------------------------------------------------------


def _generated(frame: polars.DataFrame, _protocol: MisgenderingProtocol) -> _Parts:
    return {mode: generation_judgements(frame, *mode) for mode in MODES}


def _all_outcomes(frame: polars.DataFrame, protocol: MisgenderingProtocol) -> _Parts:
    """The judgements by probability and by generation."""
    import polars as pl

    scored = {
        (name, "probability"): probability_judgements(frame).filter(
            pl.col("dataset").is_in(family.datasets)
        )
        for name, family in FAMILIES.items()
    }
    generated = _generated(as_counted(frame, protocol), protocol)
    return {**scored, ("open", TEMPLATES): conversion_judgements(frame), **generated}


def _paired(frame: polars.DataFrame, protocol: MisgenderingProtocol) -> _Parts:
    return {mode: paired_formats(frame, *mode, protocol) for mode in MODES}


def _varying(frame: polars.DataFrame, protocol: MisgenderingProtocol) -> _Parts:
    return {
        mode: sigma_by_instance(generation_judgements(frame, *mode), protocol) for mode in MODES
    }


def _expected(frame: polars.DataFrame, _protocol: MisgenderingProtocol) -> _Parts:
    return {
        mode: rows_where(expected_disagreements(frame, *mode), distribution="full", bound="δ")
        for mode in MODES
    }


_MEASURES = (
    _Measure("accuracy", "Right pronoun", _all_outcomes, accuracy_of_parts),
    _Measure("no pronoun", "Generations without a pronoun", _generated, undetected_share_of_parts),
    _Measure("conflict", "Probability and generation conflict", _paired, conflict_rate),
    _Measure(
        "MCC",
        "MCC of probability and generation",
        _paired,
        lambda pairs: paired_agreement.mcc_of_parts(pairs, clustered=True),
        is_share=False,
    ),
    _Measure(
        "κ",
        "κ of probability and generation",
        _paired,
        lambda pairs: paired_agreement.kappa_of_parts(pairs, clustered=True),
        is_share=False,
    ),
    _Measure(
        "variation",
        "Mean σ over the generations of an instance",
        _varying,
        lambda instances: mean_of_parts(instances, "sigma", bounds=SIGMA_BOUNDS),
        is_share=False,
    ),
    _Measure("repetition", "Repetition rate", _generated, _mean_share, is_share=False),
    _Measure("expected disagreement", "Expected disagreement δ", _expected, _mean_share),
)


def tables(results: Outcomes) -> Iterator[Table]:
    """The numeric tables of the paper, then ours."""
    results = replace(results, frame=with_all_facets(results.frame))
    missing = not_run(results)
    models = distinct_values(results.frame, "model")
    for table in _all_tables(results):
        needed = _FORMATS_OF.get(table.name, FORMATS)
        yield _with_dashes(table, models, missing) if missing in needed else table


# The tables that do not compare the formats, and the format that each needs; those of accuracy
# show either.
_FORMATS_OF: Mapping[str, tuple[Format, ...]] = {
    "accuracy": (),
    "accuracy by facet": (),
    "measures": (PROBABILITY,),
    "distractors": (PROBABILITY,),
    **dict.fromkeys(("10", "11", "12", "13", "14", "outcomes", "variation"), (GENERATION,)),
    **{f"{name} by facet": (GENERATION,) for name in ("no pronoun", "variation", "repetition")},
}


def _with_dashes(table: Table, models: Sequence[str], missing: str) -> Table:
    """A table that needs a format that was not run: its cells say so."""
    own = [row for row in table.rows if row.origin == "run"]
    dashes = (not_run_estimate(missing),) * len(table.columns)
    beside = ("all",) * (len(table.levels) - 1)
    rows = [
        msgspec.structs.replace(row, cells=dashes) if row.origin == "run" else row
        for row in table.rows
    ]
    added = [] if own else [Row(keys=(model, *beside), cells=dashes) for model in models]
    return msgspec.structs.replace(table, rows=(*added, *rows))


def _all_tables(results: Outcomes) -> Iterator[Table]:
    if not is_own(results.frame):  # the paper's tables, which have the paper's numbers
        yield from agreement_tables(results)
        yield from repetition_tables(results)
    yield _accuracy_table(results)
    yield _outcome_table(results)
    yield _measure_table(results)
    yield format_table(results)
    yield variation_table(results)
    yield conflict_table(results)
    yield beta_table(results)
    yield disagreement_table(results)
    yield from facet_tables(results)
    if distinct_values(results.frame, "distractors"):
        yield distractor_table(results)


def _accuracy_title(results: Outcomes) -> str:
    """What accuracy counts as right: by Equation 4, a text without a pronoun is correct too."""
    return "No misgendering" if results.protocol.counts_as_paper else "Right pronoun"


def _accuracy_table(results: Outcomes) -> Table:
    """Every dataset and format by pronoun; texts without a pronoun are counted both ways."""
    import polars as pl

    names = pronouns_of(results.frame)
    as_paper = results.protocol.counts_as_paper
    formats = {"probability": probability_judgements(results.frame)}
    for setting in ("pre", "post", "open"):
        formats[setting] = generation_judgements(results.frame, setting=setting)
    rows = []
    for form, judged in formats.items():
        right = accuracy_of_parts(as_counted(judged, results.protocol))
        undetected = undetected_share_of_parts(judged)
        otherwise = share_of_parts(
            judged, pl.col("outcome") == "right" if as_paper else pl.col("outcome") != "wrong"
        )
        of = rows_by(judged, "model", "dataset", "pronoun")
        for keys, here in rows_by(judged, "model", "dataset").items():
            cells = right([here, *(of[*keys, name] for name in names)])
            cells += [*otherwise([here]), *undetected([here])]
            rows.append(Row(keys=(*keys, form), cells=tuple(cells)))
    other = "right pronoun" if as_paper else "no misgendering"
    heads = ("all", *names, other, "no pronoun")
    own = is_own(results.frame)
    return Table(
        name="accuracy",
        title=_accuracy_title(results),
        levels=("model", "dataset", "format"),
        columns=tuple(Column(name=head) for head in heads),
        rows=tuple(sorted(rows, key=lambda row: row.keys[:2])),
        notes=(
            f"A generation without a pronoun is correct{'' if own else ' (Equation 4)'}; in the "
            "column `right pronoun` it is not."
            if as_paper
            else "A generation without a pronoun is not right; in the column `no misgendering` it "
            f"counts as correct{'' if own else ', as in the paper'}.",
        ),
    )


_OUTCOMES = ("right", "wrong", "undetected")


def _outcome_table(results: Outcomes) -> Table:
    """The first pronouns of continuations, by dataset, setting and pronoun."""
    import polars as pl

    judged = generation_judgements(results.frame)
    shares = [
        *(share_of_parts(judged, pl.col("outcome") == each) for each in _OUTCOMES),
        share_of_parts(judged, pl.col("outcome") != "wrong"),
        *(
            share_of_parts(judged, pl.col(facet) == "yes")
            for facet in ("wrong_later", "extraneous")
        ),
    ]
    of = rows_by(judged, "model", "dataset", "setting", "pronoun")
    keys = [
        (model, dataset, setting, name)
        for model, dataset, setting in rows_by(judged, "model", "dataset", "setting")
        for name in pronouns_of(rows_where(judged, model=model, dataset=dataset))
    ]
    heads = (
        "correct",
        "misgendering",
        "no pronoun",
        "not misgendering" if is_own(results.frame) else "correct as the paper counts",
        "any wrong pronoun",
        "extraneous gendered words",
    )
    return Table(
        name="outcomes",
        title="Continuations by their first pronoun",
        levels=("model", "dataset", "setting", "pronoun"),
        columns=tuple(Column(name=head) for head in heads),
        rows=tuple(measured_rows(((each, of[each]) for each in keys), shares)),
        notes=()
        if is_own(results.frame)
        else ("The paper counts a text without a pronoun as correct.",),
    )


def _measure_table(results: Outcomes) -> Table:
    import polars as pl

    frame = results.frame.filter(pl.col("format") == "probability")
    right, of = accuracy_of_parts(frame), rows_by(frame, "model", "dataset", "measure")
    return Table(
        name="measures",
        title="Right pronoun by probability, by normalisation of the likelihood",
        levels=("model", "dataset"),
        columns=tuple(Column(name=measure) for measure in LIKELIHOOD_MEASURES),
        rows=tuple(
            Row(keys=keys, cells=tuple(right([of[*keys, each] for each in LIKELIHOOD_MEASURES])))
            for keys in rows_by(frame, "model", "dataset")
        ),
        notes=(f"The protocol's measure is {results.protocol.measure}.",),
    )


def variation_table(results: Outcomes) -> Table:
    """The share of instances with each σ, and the mean σ, by dataset, setting and pronoun."""
    parts = {
        (family, setting): sigma_by_instance(
            generation_judgements(results.frame, family, setting), results.protocol
        )
        for family, setting in MODES
    }
    parts["open", TEMPLATES] = sigma_by_instance(
        conversion_judgements(results.frame), results.protocol
    )
    levels = sorted({level for part in parts.values() for level in distinct_values(part, "level")})
    rows = []
    for mode, part in parts.items():
        measures = [
            *sigma_shares(part, levels).values(),
            mean_of_parts(part, "sigma", bounds=SIGMA_BOUNDS),
        ]
        rows += measured_rows(rows_by_pronoun(part, *mode), measures)
    return Table(
        name="variation",
        title="Instances by variation of their generations or templates (σ)",
        levels=("model", "family", "setting", "pronoun"),
        columns=(
            *(Column(name=f"σ = {level}") for level in levels),
            Column(name="mean σ", unit="number", decimals=3),
        ),
        rows=tuple(sorted(rows, key=lambda row: row.keys[0])),
        notes=(
            "σ is the standard deviation of right (1) and not right (0) over the samples of an "
            "instance.",
            "A generation without a pronoun counts as right"
            f"{'' if is_own(results.frame) else ', as in the paper'}."
            if results.protocol.name == "paper"
            else "Generations without a pronoun are left out, and so are instances with fewer "
            "than two generations that have one.",
        ),
    )


def distractor_table(results: Outcomes) -> Table:
    """Accuracy by probability over the number of sentences about somebody else (RUFF in full)."""
    import polars as pl

    scored = probability_judgements(results.frame).filter(pl.col("dataset") == "ruff")
    scored = scored.with_columns(pl.col("distractors").cast(pl.String).fill_null("0"))
    numbers = distinct_values(scored, "distractors")
    right = accuracy_of_parts(scored)
    of = rows_by(scored, "model", "pronoun", "distractors")
    of_all = rows_by(scored, "model", "distractors")
    rows = []
    for (model,) in rows_by(scored, "model"):
        cells = right([of_all[model, number] for number in numbers])
        rows.append(Row(keys=(model, "all"), cells=tuple(cells)))
        for name in pronouns_of(scored):
            cells = right([of[model, name, number] for number in numbers])
            rows.append(Row(keys=(model, name), cells=tuple(cells)))
    return Table(
        name="distractors",
        title="Right pronoun by probability, by number of distractors",
        levels=("model", "pronoun"),
        columns=tuple(Column(name=number) for number in numbers),
        rows=tuple(rows),
    )
