"""What people are asked: which sentence, which word, and what is wrong with a completion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.suites.alternations.people import choice, cloze_choice, completions
from epicene.suites.studies import StudyKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from epicene.suites.alternations.pairs import Pair
    from epicene.suites.alternations.protocol import AlternationsProtocol

STUDIES: Mapping[str, StudyKind[Pair, AlternationsProtocol]] = {
    "choice": StudyKind(
        study=choice.study,
        candidates=choice.candidates,
        draw=choice.draw,
        judge=choice.judge,
        metrics=choice.metrics,
        tables=choice.tables,
        from_runs=False,
    ),
    "cloze-choice": StudyKind(
        study=cloze_choice.study,
        candidates=cloze_choice.candidates,
        draw=cloze_choice.draw,
        judge=cloze_choice.judge,
        metrics=cloze_choice.metrics,
        tables=cloze_choice.tables,
    ),
    "completions": StudyKind(
        study=completions.study,
        candidates=completions.candidates,
        judge=completions.judge,
        automatic=completions.automatic,
        metrics=completions.metrics,
        tables=completions.tables,
    ),
}
