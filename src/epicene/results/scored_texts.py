"""The texts that models scored, with their log-probabilities, as rows for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene.core.errors import InputError
from epicene.results.summary import label_comparable_runs
from epicene.runs.stored_run import RunJudgements

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.runs.stored_run import StoredRun


def scored_text_fields(runs: Sequence[StoredRun]) -> Iterator[dict[str, Any]]:
    """Every text that was scored in these runs, item by item.

    `logprob` is the sum over the tokens that have a score, `logprobs` those of all tokens.
    """
    hook = runs[0].suite.scored_texts
    if hook is None:
        raise InputError(
            f"The suite {runs[0].suite.name} scores no texts, so --scores cannot be used."
        )
    for run, info in zip(runs, label_comparable_runs(runs), strict=True):
        for item, answers in RunJudgements(run).answered():
            for request, candidate, right, text, score in hook(item, answers, run.protocol):
                yield {
                    "model": info.model,
                    "item": item.id,
                    "group": item.cluster,
                    "language": item.language,
                    "request": request,
                    "candidate": candidate,
                    "right": right,
                    "text": text,
                    "logprob": score.sum,
                    "tokens": score.tokens,
                    "words": score.words,
                    "characters": score.characters,
                    "logprobs": score.logprobs,
                }
