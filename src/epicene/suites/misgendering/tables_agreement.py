"""Tables on the agreement of the two formats: 1 to 7, conflicts, expected disagreement.

Tables 10 to 14, of repetition rates, are here too. The paper's models follow the user's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Column, Estimate, Row, Table
from epicene.stats import paired_agreement
from epicene.stats.tabulate import distinct_values, mean, rows_where, share
from epicene.suites.misgendering.expected_disagreement import BOUNDS, DISTRIBUTIONS
from epicene.suites.misgendering.metrics import (
    MODES,
    all_paired_formats,
    beta_fit,
    by_pronoun,
    conflict_rate,
    expected_disagreements,
    family_title,
    generation_judgements,
    is_own,
    paired_formats,
    pronouns_differ,
    pronouns_of,
)
from epicene.suites.misgendering.published import (
    NOT_PRINTED,
    published_figures,
    published_kappa,
    published_rows,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import polars

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


def _no_pronoun_note(results: Outcomes) -> str:
    """How generations without a pronoun count; of the user's own texts, without the paper."""
    own = is_own(results.frame)
    if results.protocol.name == "paper":
        right = "A generation without a pronoun counts as right here"
        return f"{right}." if own else f"{right}, as in the paper."
    left_out = "A generation without a pronoun is left out here"
    return f"{left_out}." if own else f"{left_out}; the paper counts it as right."


def _statistic(name: str, protocol: MisgenderingProtocol) -> Callable[..., Estimate]:
    """MCC or κ; under `paper`, κ as the authors computed it."""
    if name == "mcc":
        return paired_agreement.mcc
    return published_kappa if protocol.name == "paper" else paired_agreement.kappa


def agreement_tables(results: Outcomes) -> Iterator[Table]:
    """Tables 1 to 7."""
    for name, statistic, family, settings in _AGREEMENTS:
        yield _agreement_table(results, name, statistic, family, settings)


def format_table(results: Outcomes) -> Table:
    """Raw agreement with its standard error, MCC and κ of the two formats, side by side."""
    from epicene.stats.intervals import standard_error

    clustered = results.protocol.name != "paper"
    kappa = _statistic("kappa", results.protocol)
    rows = []
    for family, setting in MODES:
        pairs = paired_formats(results.frame, family, setting, results.protocol)
        for model in distinct_values(pairs, "model"):
            for name, here in by_pronoun(rows_where(pairs, model=model)):
                cells = (
                    paired_agreement.raw(here, clustered=clustered),
                    standard_error((here["a"] == here["b"]).to_numpy()),
                    paired_agreement.mcc(here, clustered=clustered),
                    kappa(here, clustered=clustered),
                )
                rows.append(Row(keys=(model, family, setting, name), cells=cells))
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
            _no_pronoun_note(results),
            "The standard error is for independent instances."
            if is_own(results.frame)
            else "The standard error is the paper's, for independent instances.",
        ),
    )


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
        for model in distinct_values(results.frame, "model"):
            cells = [
                measure(rows_where(pairs, model=model, pronoun=each), clustered=clustered)
                for each in names
            ]
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
            _no_pronoun_note(results),
            "Intervals resample templates."
            if clustered
            else "Intervals as the paper's, for independent instances.",
        ),
    )


def _repetition_table(results: Outcomes, name: str, family: str, setting: str) -> Table:
    part = generation_judgements(results.frame, family, setting)
    names = pronouns_of(results.frame)
    rows = [
        Row(
            keys=(model,),
            cells=tuple(mean(rows_where(part, model=model, pronoun=each)) for each in names),
        )
        for model in distinct_values(results.frame, "model")
    ]
    return Table(
        name=name,
        title=f"Repetition rate, {setting}: {family_title(results.frame, family)}",
        levels=("model",),
        columns=tuple(Column(name=each, unit="number", decimals=3) for each in names),
        rows=(*rows, *published_rows("repetition", f"{family} {setting}", (), names)),
        notes=(
            "Over the words of context and continuation together, as in the paper.",
            "The paper's ± is the standard deviation over texts, not an interval.",
        ),
    )


def conflict_table(results: Outcomes) -> Table:
    """Conflict rate by pronoun, over everything and by dataset and setting."""
    frame, protocol = results.frame, results.protocol
    names = pronouns_of(frame)
    parts = {("all", "all"): all_paired_formats(frame, protocol)}
    parts |= {mode: paired_formats(frame, *mode, protocol) for mode in MODES}
    rows = []
    for model in distinct_values(frame, "model"):
        for keys, pairs in parts.items():
            mine = rows_where(pairs, model=model)
            if len(mine):
                cells = [
                    conflict_rate(mine),
                    *(conflict_rate(rows_where(mine, pronoun=name)) for name in names),
                ]
                rows.append(Row(keys=(model, *keys), cells=tuple(cells)))
    notes = [
        "The first generation of each instance: one format is right and the other wrong.",
        _no_pronoun_note(results),
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
    for model in distinct_values(results.frame, "model"):
        mine = rows_where(results.frame, model=model)
        for family, setting in MODES:
            for name in pronouns_of(generation_judgements(mine, family, setting)):
                fit = beta_fit(rows_where(mine, pronoun=name), family, setting, results.protocol)
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


def disagreement_table(results: Outcomes) -> Table:
    """Observed disagreement beside the expected one and its floor (Appendix E)."""
    rows = []
    for model in distinct_values(results.frame, "model"):
        mine = rows_where(results.frame, model=model)
        for family, setting in MODES:
            pairs = paired_formats(mine, family, setting, results.protocol)
            expected = expected_disagreements(mine, family, setting)
            for name, part in by_pronoun(pairs) if len(pairs) else ():
                here = expected if name == "all" else rows_where(expected, pronoun=name)
                keys = (model, family, setting, name)
                rows.append(Row(keys=keys, cells=_disagreement_cells(part, here)))
    own = is_own(results.frame)
    equations = "" if own else " (Equations 15 to 20 of the paper)"
    as_paper = "" if own else ", as in the paper"
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
            f"Expected{equations}: one minus the share of the pronoun that "
            "probability chooses among all pronouns' probabilities as the next word; the floor "
            "takes the likeliest pronoun instead. A form of several tokens has the product of "
            "theirs. All suppose that the pronoun comes at once.",
            "Drawn: the same under the distribution that generation draws from (temperature, "
            "top-k, top-p), over the instances in which it leaves a pronoun: `can be drawn`.",
            f"After a whole text the pronoun is taken in the template's case{as_paper}. The "
            "generated contexts that are cut before the gap end in a space, which these leave to "
            "the next word."
            if results.protocol.name == "paper"
            else "After a whole text the pronoun is taken in the nominative.",
        ),
    )


_NOT_ASKED = Estimate(
    value=None, why="the model was not asked for next words, or does not say how it draws them"
)


def _disagreement_cells(
    pairs: polars.DataFrame, expected: polars.DataFrame
) -> tuple[Estimate, ...]:
    import polars as pl

    found = pairs.filter(pl.col("label_b").is_not_null())
    cells = [conflict_rate(pairs), share(found, pronouns_differ())]
    cells += [
        _mean(rows_where(expected, distribution=distribution, bound=bound))
        for distribution in DISTRIBUTIONS
        for bound in BOUNDS
    ]
    drawn = rows_where(expected, distribution="drawn", bound="δ")
    cells.append(share(drawn, pl.col("value").is_not_null()) if len(drawn) else _NOT_ASKED)
    return tuple(cells)


def _mean(part: polars.DataFrame) -> Estimate:
    if not len(part):
        return _NOT_ASKED
    if part["value"].null_count() == len(part):
        return Estimate(value=None, n=len(part), why="top-k and top-p leave no pronoun anywhere")
    return mean(part)
