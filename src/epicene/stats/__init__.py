"""Confidence intervals, paired tests, corrections and agreement, seeded and clustered by group.

One module per question: `intervals` (how often, how much, how large a difference),
`hypothesis_tests` (could a paired difference be chance; corrections for multiple tests),
`agreement` (do raters agree), `paired_agreement` (its coefficients for frames of pairs),
`annotator_agreement` (pairs and tables of people's labels), `ranking` (which systems differ
significantly), `paired_spread` (how precisely a paired difference of shares is known), `power` (how
much data it takes to find one), `tabulate` (estimates from frames of judgements), `jackknife` (how
wide an interval over groups is). This package imports nothing heavy; its modules import NumPy,
and SciPy where used.
"""

from __future__ import annotations

from epicene.core.records import Record


class SignificanceResult(Record, frozen=True, kw_only=True):
    """The outcome of a test on `n` pairs or groups; if undefined, None with the reason in `why`."""

    statistic: float | None
    p: float | None
    n: int = 0
    why: str = ""
