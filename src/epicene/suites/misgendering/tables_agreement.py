"""Tables on the agreement of the two formats: 1 to 7, conflicts, expected disagreement.

Tables 10 to 14, of repetition rates, are here too. The paper's models follow the user's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Column, Estimate, Row, Table
from epicene.stats import paired_agreement
from epicene.stats.tabulate import (
    NOTHING_JUDGED,
    distinct_values,
    mean_of_parts,
    measured_rows,
    rows_by,
    rows_where,
    share_of_parts,
)
from epicene.suites.misgendering.expected_disagreement import BOUNDS, DISTRIBUTIONS
from epicene.suites.misgendering.metrics import (
    MODES,
    all_paired_formats,
    beta_fits,
    conflict_rate,
    expected_disagreements,
    family_title,
    generation_judgements,
    is_own,
    paired_formats,
    pronouns_differ,
    pronouns_of,
    rows_by_pronoun,
)
from epicene.suites.misgendering.published import (
    NOT_PRINTED,
    deviation_mark,
    published_figures,
    published_kappa,
    published_rows,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import polars

    from epicene.stats.arrays import Ints
    from epicene.stats.tabulate import PartEstimator
    from epicene.suites.misgendering.metrics import Outcomes
    from epicene.suites.misgendering.protocol import MisgenderingProtocol

_NAMES = {"mcc": "MCC", "kappa": "κ"}

# The paper's tables by number: statistic, family of datasets, settings.
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


def _no_pronoun_note(results: Outcomes, *families: str) -> str:
    """How generations without a pronoun count in these families of datasets, and in the paper.

    The paper counts them as right, except for open contexts, where they yield no template.
    """
    own, as_paper = is_own(results.frame), results.protocol.name == "paper"
    text = "A generation without a pronoun"
    if own:
        return f"{text} counts as right here." if as_paper else f"{text} is left out here."
    if set(families) == {"open"}:
        return f"{text} is left out here, as in the paper: there is no template to score."
    with_open = "open" in families
    if not as_paper:
        theirs = "the paper counts it as right"
        return f"{text} is left out here; {theirs}{', except for TANGO' if with_open else ''}."
    apart = "; in open contexts it is left out, because there is no template to score"
    return f"{text} counts as right here, as in the paper{apart if with_open else ''}."


def _statistic(name: str, protocol: MisgenderingProtocol) -> Callable[..., PartEstimator]:
    """MCC or κ; under `paper`, κ as the authors computed it."""
    if name == "mcc":
        return paired_agreement.mcc_of_parts
    return published_kappa if protocol.name == "paper" else paired_agreement.kappa_of_parts


def agreement_tables(results: Outcomes) -> Iterator[Table]:
    """Tables 1 to 7."""
    for name, statistic, family, settings in _AGREEMENTS:
        yield _agreement_table(results, name, statistic, family, settings)


def format_table(results: Outcomes) -> Table:
    """Raw agreement with its standard error, MCC and κ of the two formats, side by side."""
    clustered = results.protocol.name != "paper"
    kappa = _statistic("kappa", results.protocol)
    rows = []
    for mode in MODES:
        pairs = paired_formats(results.frame, *mode, results.protocol)
        measures = (
            paired_agreement.raw_of_parts(pairs, clustered=clustered),
            standard_error_of_parts(pairs),
            paired_agreement.mcc_of_parts(pairs, clustered=clustered),
            kappa(pairs, clustered=clustered),
        )
        rows += measured_rows(rows_by_pronoun(pairs, *mode), measures)
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
            _no_pronoun_note(results, *(family for family, _ in MODES)),
            "The standard error assumes independent instances."
            if is_own(results.frame)
            else "The standard error is the paper's, which assumes independent instances.",
        ),
    )


def standard_error_of_parts(pairs: polars.DataFrame) -> PartEstimator:
    """The standard error of the raw agreement, as if the pairs were independent."""
    from epicene.stats.intervals import standard_error

    same = (pairs["a"] == pairs["b"]).to_numpy()
    return lambda parts: [standard_error(same[rows]) for rows in parts]


def repetition_tables(results: Outcomes) -> Iterator[Table]:
    """Tables 10 to 14."""
    for name, family, setting in _REPETITIONS:
        yield _repetition_table(results, name, family, setting)


def _agreement_table(
    results: Outcomes, name: str, statistic: str, family: str, settings: tuple[str, ...]
) -> Table:
    """Model × pronoun; with two settings, the setting is a level above."""
    protocol = results.protocol
    clustered = protocol.name != "paper"
    measure = _statistic(statistic, protocol)
    names = pronouns_of(results.frame)
    rows = []
    for setting in settings:
        above = (setting,) if len(settings) > 1 else ()
        pairs = paired_formats(results.frame, family, setting, protocol)
        estimate, of = measure(pairs, clustered=clustered), rows_by(pairs, "model", "pronoun")
        for model in distinct_values(results.frame, "model"):
            cells = estimate([of[model, each] for each in names])
            rows.append(Row(keys=(*above, model), cells=tuple(cells)))
        rows += published_rows(statistic, f"{family} {setting}", above, names)
    return Table(
        name=name,
        title=f"{_NAMES[statistic]} of probability and generation ({' and '.join(settings)}): "
        f"{family_title(results.frame, family)}",
        levels=("setting", "model") if len(settings) > 1 else ("model",),
        columns=tuple(Column(name=each, unit="number", decimals=3) for each in names),
        rows=tuple(rows),
        notes=(
            "The first generation of each instance.",
            _no_pronoun_note(results, family),
            "Intervals are over templates."
            if clustered
            else "Intervals are computed as in the paper, assuming independent instances.",
        ),
    )


def _repetition_table(results: Outcomes, name: str, family: str, setting: str) -> Table:
    part = generation_judgements(results.frame, family, setting)
    names = pronouns_of(results.frame)
    as_paper = results.protocol.counts_as_paper
    rate = _mean_and_deviation(part) if as_paper else mean_of_parts(part, bounds=(0, 1))
    of = rows_by(part, "model", "pronoun")
    rows = [
        Row(keys=(model,), cells=tuple(rate([of[model, each] for each in names])))
        for model in distinct_values(results.frame, "model")
    ]
    return Table(
        name=name,
        title=f"Repetition rate, {setting}: {family_title(results.frame, family)}",
        levels=("model",),
        columns=tuple(Column(name=each, unit="number", decimals=3) for each in names),
        rows=(*rows, *published_rows("repetition", f"{family} {setting}", (), names)),
        notes=(
            "Computed over the words of context and continuation together, as in the paper.",
            f"{'' if as_paper else 'In the published rows '}± is the standard deviation over "
            "texts, not an interval.",
        ),
    )


def _mean_and_deviation(frame: polars.DataFrame) -> PartEstimator:
    """The mean of `value` with its standard deviation (denominator n), as printed in the paper."""
    known = frame["value"].is_not_null().to_numpy()
    values = frame["value"].to_numpy()

    def estimate(rows: Ints) -> Estimate:
        found = values[rows[known[rows]]]
        if not len(found):
            return NOTHING_JUDGED
        return Estimate(
            value=float(found.mean()), n=len(found), mark=deviation_mark(float(found.std()))
        )

    return lambda parts: [estimate(rows) for rows in parts]


def conflict_table(results: Outcomes) -> Table:
    """Conflict rate by pronoun, over everything and by dataset and setting."""
    frame, protocol = results.frame, results.protocol
    names = pronouns_of(frame)
    parts = {("all", "all"): all_paired_formats(frame, protocol)}
    parts |= {mode: paired_formats(frame, *mode, protocol) for mode in MODES}
    rows = []
    for keys, pairs in parts.items():
        rate, of = conflict_rate(pairs), rows_by(pairs, "model", "pronoun")
        for (model,), here in rows_by(pairs, "model").items():
            cells = rate([here, *(of[model, name] for name in names)])
            rows.append(Row(keys=(model, *keys), cells=tuple(cells)))
    rows.sort(key=lambda row: row.keys[0])
    notes = [
        "For the first generation of each instance: one format is right and the other wrong.",
        _no_pronoun_note(results, *(family for family, _ in MODES)),
    ]
    if not is_own(frame):
        rows.append(_published_conflicts(names))
        notes.append("How the paper pooled its instances is not known.")
    return Table(
        name="conflicts",
        title="Instances on which probability and generation conflict",
        levels=("model", "family", "setting"),
        columns=tuple(Column(name=name) for name in ("all", *names)),
        rows=tuple(rows),
        notes=tuple(notes),
    )


def _published_conflicts(names: Sequence[str]) -> Row:
    printed = published_figures()["conflicts"]
    theirs = [
        Estimate(value=printed[name]) if name in printed else NOT_PRINTED
        for name in ("all", *names)
    ]
    keys = ("the paper's six models", "all", "all")
    return Row(keys=keys, cells=tuple(theirs), origin="published")


def beta_table(results: Outcomes) -> Table:
    """The points of Figures 10, 13 and 16."""
    rows = []
    for mode in MODES:
        fits = beta_fits(results.frame, *mode, results.protocol)
        generated = generation_judgements(results.frame, *mode)
        for model in distinct_values(generated, "model"):
            for name in pronouns_of(rows_where(generated, model=model)):
                fit = fits(model, name)
                cells = tuple(
                    Estimate(value=value, n=fit.n, why=fit.why) for value in (fit.alpha, fit.beta)
                )
                rows.append(Row(keys=(model, *mode, name), cells=cells))
    return Table(
        name="beta",
        title="Beta distributions of the probability that probability and generation disagree",
        levels=("model", "family", "setting", "pronoun"),
        columns=tuple(Column(name=name, unit="number", decimals=3) for name in ("α", "β")),
        rows=tuple(sorted(rows, key=lambda row: row.keys[0])),
        notes=("Fitted by the method of moments. If α < β, agreement is more likely.",),
    )


def disagreement_table(results: Outcomes) -> Table:
    """Observed disagreement next to the expected one and its floor (Appendix E)."""
    rows = []
    for mode in MODES:
        pairs = paired_formats(results.frame, *mode, results.protocol)
        expected = _expected_cells(expected_disagreements(results.frame, *mode))
        for row in measured_rows(
            rows_by_pronoun(pairs, *mode), (conflict_rate(pairs), _pronouns_differ(pairs))
        ):
            model, *_, name = row.keys
            cells = (*row.cells, *expected(model, name))
            rows.append(Row(keys=row.keys, cells=cells))
    own = is_own(results.frame)
    equations = "" if own else " (Equations 15 to 20 of the paper)"
    as_paper = "" if own else ", as in the paper"
    heads = ("observed outcome", "observed pronoun", "expected δ", "floor δ*", "drawn δ")
    return Table(
        name="disagreement",
        title="Observed and expected disagreement of probability and generation",
        levels=("model", "family", "setting", "pronoun"),
        columns=tuple(Column(name=head) for head in (*heads, "drawn floor δ*", "can be drawn")),
        rows=tuple(sorted(rows, key=lambda row: row.keys[0])),
        notes=(
            "Observed: how often one format is right and the other wrong, and how often they "
            "choose different pronouns where the generation has one.",
            f"Expected{equations}: one minus the share that the pronoun chosen by probability "
            "has among all pronouns' probabilities as the next word; the floor uses the "
            "likeliest pronoun instead. A form of several tokens has the product of their "
            "probabilities. All of these assume that the pronoun is the next word.",
            "Drawn: the same under the distribution that generation samples from "
            "(temperature, top-k, top-p), over the instances in which it leaves at least one "
            "pronoun (`can be drawn`).",
            f"After a whole text, the pronoun is taken in the template's case{as_paper}. "
            "Contexts for generation that are cut before the gap end in a space; here the "
            "space belongs to the next word."
            if results.protocol.name == "paper"
            else "After a whole text, the pronoun is taken in the nominative.",
        ),
    )


_NOT_ASKED = Estimate(
    value=None, why="the model was not asked for next words, or does not say how it draws them"
)


def _pronouns_differ(pairs: polars.DataFrame) -> PartEstimator:
    """How often the two formats choose different pronouns if the generation has one."""
    differ = share_of_parts(pairs, pronouns_differ())
    found = pairs.select(known=pronouns_differ().is_not_null())["known"].to_numpy()
    return lambda parts: differ([rows[found[rows]] for rows in parts])


def _expected_cells(expected: polars.DataFrame) -> Callable[[str, str], Iterator[Estimate]]:
    """By model and pronoun: each expected disagreement, and how often a pronoun can be drawn."""
    import polars as pl

    mean, known = mean_of_parts(expected, bounds=(0, 1)), expected["value"].is_not_null().to_numpy()
    drawable = share_of_parts(expected, pl.col("value").is_not_null())
    of = rows_by(expected, "model", "distribution", "bound", "pronoun")
    of_all = rows_by(expected, "model", "distribution", "bound")

    def cells(model: str, pronoun: str) -> Iterator[Estimate]:
        def part(*keys: str) -> Ints:
            return of_all[model, *keys] if pronoun == "all" else of[model, *keys, pronoun]

        parts = [part(distribution, bound) for distribution in DISTRIBUTIONS for bound in BOUNDS]
        for rows, found in zip(parts, mean(parts), strict=True):
            if len(rows) and not known[rows].any():
                yield Estimate(value=None, n=len(rows), why=_NONE_DRAWN)
            else:
                yield found if len(rows) else _NOT_ASKED
        drawn = part("drawn", "δ")
        yield drawable([drawn])[0] if len(drawn) else _NOT_ASKED

    return cells


_NONE_DRAWN = "top-k and top-p leave no pronoun in any instance"
