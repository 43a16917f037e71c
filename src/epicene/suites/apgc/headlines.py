"""What is read first: whole sentences, labelled and rewritten."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.suites.apgc.ask import IDENTIFICATION, REWRITING
from epicene.suites.apgc.tables import of_task
from epicene.suites.headlines import share_right

if TYPE_CHECKING:
    import polars

    from epicene.suites import Results
    from epicene.suites.apgc.protocol import ApgcProtocol

    Outcomes = Results[ApgcProtocol]


def _labelled(results: Outcomes) -> polars.DataFrame:
    return of_task(results.frame, IDENTIFICATION, unit="sentence")


def _rewritten(results: Outcomes) -> polars.DataFrame:
    return of_task(results.frame, REWRITING)


HEADLINES = (
    share_right("every word labelled right", _labelled),
    share_right("whole sentence rewritten right", _rewritten),
)
