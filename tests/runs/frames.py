"""Judgements as the results of one run, without a run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from epicene.core.records import Judgement
from epicene.runs.frames import judgement_frame
from epicene.suites import Results, RunInfo

INFO = RunInfo(run="run", model="model", protocol="paper", identities={})


def results_of(judgements: Iterable[Judgement], protocol: Any) -> Results[Any]:
    return Results(judgement_frame(judgements, INFO), protocol, (INFO,))
