"""What is read first: the acceptable sentence is likelier, and the causative that agrees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.suites.alternations.accuracy import accuracy, scored
from epicene.suites.alternations.protocol import CLOZE, PROMPT
from epicene.suites.headlines import Headline, share_right, with_figures
from epicene.suites.tabulate import only

if TYPE_CHECKING:
    import polars

    from epicene.suites.alternations.accuracy import Outcomes


def _cloze(results: Outcomes) -> polars.DataFrame:
    return only(results.frame, format=CLOZE, main="yes")


def _prompt(results: Outcomes) -> polars.DataFrame:
    return only(results.frame, format=PROMPT, main="yes")


HEADLINES = (
    Headline(
        name="acceptable sentence likelier",
        estimate=lambda results: accuracy(scored(results)),
        figures=lambda results: with_figures(scored(results)),
    ),
    share_right("agreeing causative in the gap", _cloze),
    share_right("agreeing causative when asked", _prompt),
)
