"""Findings of one suite in sentences that say only what the tables on the same page support."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core.records import Column, Estimate, Record
from epicene.show.comparisons import p_text
from epicene.show.layout import FEW_GROUPS, FEW_GROUPS_NOTE, format_interval, format_number

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from epicene.results.summary import Summary
    from epicene.show.comparisons import Comparisons
    from epicene.show.contrasts import Agreement, Contrast
    from epicene.show.model_comparison import ModelComparison
    from epicene.show.model_profiles import HeadlineResult

PLACES, CHANGES, METRICS = "places", "changes", "metrics"  # tables that a finding is read from

_SPACE = "\N{NO-BREAK SPACE}"
PERCENT = f"{_SPACE}%"
_PER_CENT = Column(name="", unit="share", decimals=0)
_MAX_NAMED = 4  # models that a sentence names one by one
_MANY_UNDETECTED = 0.05  # of the judgements of a headline: from here on there is a warning


class Finding(Record, frozen=True, kw_only=True):
    """A sentence, the number it is about, and the name of the table it is based on.

    `sure` is whether intervals and tests support a difference; if not, the sentence says that they
    do not.
    """

    value: str
    about: str  # of which headline it is
    text: str
    table: str
    sure: bool = True
    kind: str = "headline"


def findings_of(
    comparison: ModelComparison,
    compared: Comparisons,
    chances: Mapping[str, float],
    contrasts: Sequence[Contrast],
    agreement: Agreement | None,
    controls: Collection[str] = (),
) -> tuple[Finding, ...]:
    """All findings of a suite: headlines, the first of which is its verdict; contrasts within
    models; formats.

    No sentence is about a control, unless nothing else was run.
    """
    table = CHANGES if comparison.changes is not None else PLACES
    return (
        *(
            headline_finding(entry, compared, table, chances, controls)
            for entry in comparison.entries
            if not entry.language
        ),
        *(finding for each in contrasts if (finding := _contrast(each, controls))),
        *((_agreement(agreement, controls),) if agreement is not None else ()),
    )


# --- headlines ------------------------------------------------------------------------------


def headline_finding(
    entry: HeadlineResult,
    compared: Comparisons,
    table: str,
    chances: Mapping[str, float],
    controls: Collection[str] = (),
) -> Finding:
    """Who is best by a headline, and whether the difference to the next is significant."""
    known = {model: each for model, each in entry.estimates.items() if each.value is not None}
    models = {model: each for model, each in known.items() if model not in controls}
    against = _against_chance(models, chances.get(entry.headline.name), entry)
    told, sure = _best(entry, models, compared)
    if not models:
        told = f"only controls were run: {_listed(known, entry)}" if known else "not measured"
    value = _range(models, entry)
    if entry.headline.item_scores is not None and models:
        value = number(max(each.value or 0.0 for each in models.values()), entry)
    return Finding(
        value=value,
        about=capital(entry.headline.name),
        text=" ".join((f"{told}.", *((against[0],) if against else ()))),
        table=table if len(models) > 1 and _was_compared(entry, compared) else METRICS,
        sure=sure or bool(against and against[1]),
    )


def _was_compared(entry: HeadlineResult, compared: Comparisons) -> bool:
    return any(headline == entry.headline.name for headline, *_ in compared)


def _best(
    entry: HeadlineResult, models: Mapping[str, Estimate], compared: Comparisons
) -> tuple[str, bool]:
    """The model with the highest value and the next one, and whether they differ."""
    if len(models) < 2 or entry.headline.item_scores is None:
        return _listed(models, entry), False
    best, second, *_ = sorted(models, key=lambda model: -(models[model].value or 0.0))
    ahead, behind = (f"{name} {figure(models[name], entry)}" for name in (best, second))
    if models[best].value == models[second].value:
        return f"{ahead} and {behind} have the same value", False
    pair = compared.get((entry.headline.name, best, second))
    if pair is None:
        return f"{ahead}, then {behind}; the two were not tested against each other", False
    p = f" (p {pair.p})" if pair.p else ""
    if pair.better:
        return f"{ahead}, significantly better than {behind}{p}", True
    if pair.worse:
        return (
            f"{ahead}, but on the items that both have, {behind} is significantly better{p}",
            True,
        )
    return f"{ahead}, not significantly better than {behind}{p}", False


def _against_chance(
    known: Mapping[str, Estimate], chance: float | None, entry: HeadlineResult
) -> tuple[str, bool] | None:
    if chance is None or not known:
        return None
    level = "0" if entry.headline.unit == "number" else f"chance ({number(chance, entry)})"
    sides: dict[str, list[str]] = {"above": [], "below": [], "not clearly different from": []}
    for model, each in known.items():
        if each.low is not None and each.low > chance:
            sides["above"].append(model)
        elif each.high is not None and each.high < chance:
            sides["below"].append(model)
        else:
            sides["not clearly different from"].append(model)
    told = [
        f"{side} {level}" + (f": {names(models, len(known))}" if len(known) > 1 else "")
        for side, models in sides.items()
        if models
    ]
    return f"{capital('; '.join(told))}.", bool(sides["above"] or sides["below"])


def _listed(known: Mapping[str, Estimate], entry: HeadlineResult) -> str:
    if len(known) <= _MAX_NAMED:
        return ", ".join(f"{model} {figure(each, entry)}" for model, each in known.items())
    return f"{len(known)} models, {_range(known, entry)}"


def _range(known: Mapping[str, Estimate], entry: HeadlineResult) -> str:
    """The only number, or the lowest and the highest."""
    values = sorted(each.value for each in known.values() if each.value is not None)
    if not values:
        return "–"
    low, high = number(values[0], entry), number(values[-1], entry)
    return high if low == high else f"{low.removesuffix(PERCENT)} to {high}"


# --- within models ---------------------------------------------------------------------------


def _contrast(contrast: Contrast, controls: Collection[str]) -> Finding | None:
    """The model with the widest significant gap, or that there is none."""
    entry = contrast.entry
    gaps = {model: gap for model, gap in contrast.gaps.items() if model not in controls}
    if not gaps:
        return None
    name, facet = entry.headline.name, contrast.facet
    sure = [model for model, gap in gaps.items() if gap.significant]
    if not sure:
        whom = "any model" if len(gaps) > 1 else next(iter(gaps))
        return Finding(
            value="no clear gap",
            about=f"{capital(name)}, by {facet}",
            text=f"no significant difference for {whom}.",
            table=contrast_name(contrast),
            sure=False,
            kind="contrast",
        )

    def width(model: str) -> float:
        gap = gaps[model]
        high, low = (contrast.cells[model, value].value or 0.0 for value in (gap.high, gap.low))
        return high - low

    widest = max(sure, key=width)
    gap = gaps[widest]
    high, low = (contrast.cells[widest, value] for value in (gap.high, gap.low))
    p = f"p {p_text(gap.p)}"
    if contrast.tests > 1:
        p += f", corrected for {contrast.tests} comparisons"
    further = len(sure) - 1
    also = (
        f" {further} other model{'s have' if further > 1 else ' has'} a significant gap too."
        if further
        else ""
    )
    return Finding(
        value=f"{number(high.value or 0.0, entry).removesuffix(PERCENT)} and "
        f"{number(low.value or 0.0, entry)}",
        about=f"{capital(name)}, by {facet}",
        text=f"{widest} has {figure(high, entry)} for {gap.high} and {figure(low, entry)} for "
        f"{gap.low}; the difference is significant ({p}).{also}",
        table=contrast_name(contrast),
        kind="contrast",
    )


def contrast_name(contrast: Contrast) -> str:
    """The name of the figure that shows a contrast."""
    return f"{contrast.entry.headline.name} by {contrast.facet}"


def _agreement(agreement: Agreement, controls: Collection[str]) -> Finding:
    known = {m: each for m, each in agreement.conflicts.items() if each.value is not None}
    shares = {m: each for m, each in known.items() if m not in controls} or known
    told = [
        f"{_percent(each)} of {each.n} instances for {model}"
        for model, each in list(shares.items())[:_MAX_NAMED]
    ]
    if len(shares) > _MAX_NAMED:
        ordered = sorted(shares, key=lambda model: shares[model].value or 0.0)
        ends = (f"{_percent(shares[model])} ({model})" for model in (ordered[0], ordered[-1]))
        said = f"{' to '.join(ends)} of instances"
    else:
        said = ", ".join(told)
    values = sorted(each.value or 0.0 for each in shares.values())
    least, most = (format_number(value, _PER_CENT) for value in (values[0], values[-1]))
    return Finding(
        value=(least if least == most else f"{least} to {most}") + PERCENT,
        about=f"{capital(agreement.first)} and {agreement.second}",
        text=f"the two disagree on {said}.",
        table=agreement.table,
        kind="agreement",
    )


# --- warnings --------------------------------------------------------------------------------


def warnings_of(summary: Summary, comparison: ModelComparison) -> Iterator[str]:
    """What a reader must know besides the numbers: coverage, undetected answers, few groups."""
    for run in summary.runs:
        if run.coverage is not None and not run.coverage.whole:
            yield f"{run.info.model} is incomplete: {run.coverage}."
    for entry in comparison.entries:
        many = {
            model: rate
            for model, rate in entry.undetected.items()
            if not entry.language and rate.value is not None and rate.value >= _MANY_UNDETECTED
        }
        if many:
            shown = sorted(many, key=lambda model: -(many[model].value or 0.0))[:_MAX_NAMED]
            listed = ", ".join(f"{_percent(many[model])} for {model}" for model in shown)
            more = f" and {len(many) - len(shown)} more models" if len(many) > len(shown) else ""
            yield f"No usable answer ({entry.headline.name}): {listed}{more}."
    estimates = [
        each for entry in comparison.entries for each in entry.estimates.values() if each.few_groups
    ]
    if estimates:
        yield f"{FEW_GROUPS} {capital(FEW_GROUPS_NOTE)}."


# --- words -----------------------------------------------------------------------------------


def capital(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def number(value: float, entry: HeadlineResult) -> str:
    """One headline number: `57 %`, `0.391`."""
    if entry.headline.unit == "share":
        return f"{format_number(value, _PER_CENT)}{PERCENT}"
    return format_number(value, entry.column)


def figure(estimate: Estimate, entry: HeadlineResult) -> str:
    """A headline number with its interval: `57 % [45, 68]`."""
    if estimate.value is None:
        return "–"
    column = _PER_CENT if entry.headline.unit == "share" else entry.column
    return _unbroken(number(estimate.value, entry), format_interval(estimate, column))


def _percent(estimate: Estimate) -> str:
    if estimate.value is None:
        return "–"
    value = f"{format_number(estimate.value, _PER_CENT)}{PERCENT}"
    return _unbroken(value, format_interval(estimate, _PER_CENT))


def _unbroken(value: str, interval: str) -> str:
    """A number and its interval, each on one line."""
    return f"{value} {interval.replace(' ', _SPACE)}".strip()


def names(those: Sequence[str], of: int = 0, what: str = "models", most: int = _MAX_NAMED) -> str:
    """`a`, `a and b`, `a, b and c`; if there are more than `most`, their number."""
    if len(those) == of > most:
        return f"all {of} {what}"
    if len(those) > most:
        return f"{len(those)} {what}"
    if len(those) < 2:
        return "".join(those)
    return f"{', '.join(those[:-1])} and {those[-1]}"
