"""Which texts are scored with which model, and how many of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from scoring_speed.weights import LLAMA_1B, LLAMA_135M, LLAMA_TINY, XLMR_BASE, XLMR_TINY

if TYPE_CHECKING:
    from scoring_speed.weights import Shape

Source: TypeAlias = Literal["misgendered", "hindi", "genform", "curve"]


class Comparison(NamedTuple):
    """One comparison; each contender takes the batch size that suits it best.

    The curve's sequences are those of its widest point.
    """

    name: str
    texts: Source
    shape: Shape
    dtype: str
    sequences: int
    batches: tuple[int, ...]


class Size(NamedTuple):
    """All comparisons of one run; those with the same weights stand together."""

    comparisons: tuple[Comparison, ...]
    rounds: int  # the best of so many counts
    alone: int  # how many texts the plain path scores


CURVE = "curve"


def _on_cpu(llama: Shape, xlmr: Shape, *sequences: int) -> tuple[Comparison, ...]:
    english, hindi, genform, masked, items = sequences
    return (
        Comparison("misgendered", "misgendered", llama, "float32", english, (16,)),
        Comparison("hindi", "hindi", llama, "float32", hindi, (16,)),
        Comparison("genform", "genform", llama, "float32", genform, (4,)),
        Comparison(CURVE, "curve", llama, "float32", 16 * items, (16,)),
        Comparison("masked hindi", "hindi", xlmr, "float32", masked, (2,)),
    )


SIZES = {
    "tiny": Size(_on_cpu(LLAMA_TINY, XLMR_TINY, 16, 4, 4, 4, 2), rounds=1, alone=4),
    "quick": Size(_on_cpu(LLAMA_135M, XLMR_BASE, 48, 8, 4, 4, 2), rounds=2, alone=4),
    "full": Size(_on_cpu(LLAMA_135M, XLMR_BASE, 800, 96, 60, 60, 16), rounds=3, alone=16),
    "gpu": Size(
        (
            Comparison("misgendered", "misgendered", LLAMA_1B, "bfloat16", 6000, (64, 256)),
            Comparison("hindi", "hindi", LLAMA_1B, "bfloat16", 580, (64, 256)),
            Comparison("genform", "genform", LLAMA_1B, "bfloat16", 1000, (16, 64)),
            Comparison(CURVE, "curve", LLAMA_1B, "bfloat16", 4000, (256,)),
            # In bfloat16 nobody is exact; here it is proved that all compute the same.
            Comparison("misgendered in float32", "misgendered", LLAMA_1B, "float32", 256, (64,)),
            Comparison("genform in float32", "genform", LLAMA_1B, "float32", 32, (16,)),
            Comparison("masked hindi", "hindi", XLMR_BASE, "float32", 580, (4, 16)),
            Comparison("masked hindi in bfloat16", "hindi", XLMR_BASE, "bfloat16", 580, (4, 16)),
        ),
        rounds=3,
        alone=64,
    ),
}
NAMES = dict.fromkeys(comparison.name for size in SIZES.values() for comparison in size.comparisons)
