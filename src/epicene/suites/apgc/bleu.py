"""BLEU from counts per sentence that add up, for any part of a corpus.

Tokens (13a), smoothing (exp) and the formula are sacrebleu's; a test checks that the counts per
sentence are too.
"""

from __future__ import annotations

from collections import Counter
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

ORDER = 4

# The names of the counts of one sentence: matched and possible n-grams, and the two lengths.
COUNTS = (
    *(f"bleu_matched_{n}" for n in range(1, ORDER + 1)),
    *(f"bleu_possible_{n}" for n in range(1, ORDER + 1)),
    "bleu_length",
    "bleu_reference_length",
)


@cache
def _tokenizer() -> Any:
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    return Tokenizer13a()  # type: ignore[no-untyped-call]


@lru_cache(maxsize=64)
def _ngrams(text: str) -> list[Counter[tuple[str, ...]]]:
    """The counts of the n-grams of each order; cached, since each text is needed several times."""
    tokens = _tokenizer()(text.rstrip()).split()
    return [
        Counter(tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1))
        for n in range(1, ORDER + 1)
    ]


def bleu_counts(output: str, references: Sequence[str]) -> tuple[int, ...]:
    """The counts of one sentence, in the order of `COUNTS`.

    An n-gram is matched as often as it occurs in the reference that has it most often; of several
    references the closest length counts, the shorter of two.
    """
    own = _ngrams(output)
    possible = [found.total() for found in own]
    length = possible[0]
    if output in references:  # then every n-gram is matched, and no length is closer
        return (*possible, *possible, length, length)
    wanted = [_ngrams(reference) for reference in references]
    matched = [
        sum(
            min(count, max([reference[order].get(gram, 0) for reference in wanted]))
            for gram, count in own[order].items()
        )
        for order in range(ORDER)
    ]
    closest = min(
        (reference[0].total() for reference in wanted), key=lambda size: (abs(size - length), size)
    )
    return (*matched, *possible, length, closest)


def bleu(sums: NDArray[Any]) -> NDArray[Any]:
    """BLEU, 0 to 100, of each row of summed counts."""
    import numpy as np
    from sacrebleu.metrics.bleu import BLEU

    return np.array(
        [
            BLEU.compute_bleu(
                correct=[int(n) for n in row[:ORDER]],
                total=[int(n) for n in row[ORDER : 2 * ORDER]],
                sys_len=int(row[-2]),
                ref_len=int(row[-1]),
                smooth_method="exp",
            ).score
            for row in np.rint(sums)
        ]
    )
