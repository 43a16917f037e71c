"""How much a text repeats itself."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_ORDERS = (1, 2, 3, 4)


def repetition_rate(tokens: Sequence[str]) -> float | None:
    """The geometric mean over n = 1…4 of the share of n-gram types that come more than once.

    Undefined for fewer than four tokens.
    """
    if len(tokens) < _ORDERS[-1]:
        return None
    product = 1.0
    for order in _ORDERS:
        counts = Counter(zip(*(tokens[start:] for start in range(order)), strict=False))
        product *= sum(count > 1 for count in counts.values()) / len(counts)
    return float(product ** (1 / len(_ORDERS)))
