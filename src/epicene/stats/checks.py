"""What every statistic asks of its arguments; a wrong call is said at once, in one sentence."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from epicene.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sized

    from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = "NDArray[np.float64]"
Ints: TypeAlias = "NDArray[np.int64]"

NORMAL = NormalDist()


def critical(level: float) -> float:
    """How many standard errors a two-sided interval of that level reaches."""
    if not 0 < level < 1:
        raise InputError(f"A confidence level lies between 0 and 1, e.g. 0.95; it was {level}.")
    return NORMAL.inv_cdf((1 + level) / 2)


def numbers(values: ArrayLike, what: str) -> Floats:
    """One-dimensional finite floats."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise InputError(f"The {what} are a table of {array.ndim} dimensions; give one row.")
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise InputError(
            f"The {what} hold {array[bad[0]]} at place {bad[0]}; leave out what has no number."
        )
    return array


def same_length(**named: Sized | None) -> int:
    """The common length of the sequences given."""
    lengths = {name: len(values) for name, values in named.items() if values is not None}
    if len(set(lengths.values())) > 1:
        raise InputError(
            "These must be equally long: "
            + ", ".join(f"{name} ({length})" for name, length in lengths.items())
            + "."
        )
    return next(iter(lengths.values()))


def unseen(n: int, level: float) -> float:
    """The largest share that may hide where none was seen among `n`.

    It is the upper Wilson limit of 0 in `n`. Where nothing varies, a standard error of 0 would
    pretend certainty from any amount of data; this share shrinks only as `n` grows.
    """
    z2 = critical(level) ** 2
    return z2 / (n + z2)


def ratio(above: Floats, below: Floats) -> Floats:
    """One divided by the other, NaN where the other is 0."""
    result = np.full(above.shape, np.nan)
    np.divide(above, below, out=result, where=below != 0)
    return result


def plain(value: Any) -> float | None:
    """A float, or None for what is not a number."""
    number = float(value)
    return number if np.isfinite(number) else None
