"""One peer in a process of its own: a task a line comes in, its scores and seconds go out.

    python runner.py minicons|lm-eval causal|masked MODEL_FOLDER DEVICE DTYPE

A task is `{"pairs": [[context, text], …], "batch": N}`; a score is the sum of the text's
log-probabilities. Nothing of Epicene is imported here.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Pairs: TypeAlias = "Sequence[tuple[str, str]]"
Scorer: TypeAlias = "Callable[[Pairs, int], list[float]]"


def minicons_causal(folder: str, device: str, dtype: Any) -> Scorer:
    """minicons' scorer for causal models, a batch at a time in the order given."""
    from minicons.scorer import IncrementalLMScorer

    scorer = IncrementalLMScorer(folder, device, dtype=dtype)

    def score(pairs: Pairs, batch: int) -> list[float]:
        scores: list[float] = []
        for start in range(0, len(pairs), batch):
            contexts, texts = map(list, zip(*pairs[start : start + batch], strict=True))
            if any(contexts):
                scores += scorer.conditional_score(contexts, texts, separator="", reduction=_sum)
            else:
                scores += scorer.sequence_score(texts, reduction=_sum, bos_token=True)
        return scores

    return score


def minicons_masked(folder: str, device: str, dtype: Any) -> Scorer:
    """minicons' scorer for masked models; later tokens of a word are masked with the one scored."""
    from minicons.scorer import MaskedLMScorer

    scorer = MaskedLMScorer(folder, device, dtype=dtype)
    tokenizer = type(scorer.tokenizer)
    if not hasattr(tokenizer, "batch_encode_plus"):  # gone in transformers 5
        tokenizer.batch_encode_plus = tokenizer.__call__

    def score(pairs: Pairs, batch: int) -> list[float]:
        scores: list[float] = []
        for start in range(0, len(pairs), batch):
            texts = [text for _, text in pairs[start : start + batch]]
            scores += scorer.sequence_score(texts, reduction=_sum, PLL_metric="within_word_l2r")
        return scores

    return score


def harness_causal(folder: str, device: str, dtype: Any) -> Scorer:
    """lm-evaluation-harness' class for models of transformers; it sorts by length itself."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    class Harness(HFLM):  # type: ignore[misc]
        def _encode_pair(self, context: str, continuation: str) -> tuple[list[int], list[int]]:
            """As inherited, but the line break that ends a chat's context stays in it: the text
            alone is to be scored."""
            whole, before = self.tok_encode(context + continuation), self.tok_encode(context)
            return before, whole[len(before) :]

    harness = Harness(folder, device=device, dtype=dtype, batch_size=1)

    def score(pairs: Pairs, batch: int) -> list[float]:
        harness.batch_size_per_gpu = batch
        asked = [
            Instance("loglikelihood", doc={}, arguments=tuple(pair), idx=number)
            for number, pair in enumerate(pairs)
        ]
        return [found for found, _ in harness.loglikelihood(asked, disable_tqdm=True)]

    return score


SCORERS = {
    ("minicons", "causal"): minicons_causal,
    ("minicons", "masked"): minicons_masked,
    ("lm-eval", "causal"): harness_causal,
}
PACKAGES = {"minicons": "minicons", "lm-eval": "lm_eval"}


def _sum(scores: Any) -> float:
    return float(scores.float().sum())


def main() -> None:
    """Load, then answer until there are no more tasks."""
    peer, kind, folder, device, dtype = sys.argv[1:]
    # What libraries print must not come between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    import torch
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()

    def send(answer: object) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    score = SCORERS[peer, kind](folder, device, getattr(torch, dtype))
    send({"loaded": importlib.metadata.version(PACKAGES[peer])})
    for line in sys.stdin:
        task = json.loads(line)
        started, worked = time.perf_counter(), time.process_time()
        # Numbers come back, not tensors, so the device is done when they are here.
        scores = score(task["pairs"], task["batch"])
        seconds, processor = time.perf_counter() - started, time.process_time() - worked
        send({"seconds": seconds, "processor": processor, "scores": scores})


if __name__ == "__main__":
    main()
