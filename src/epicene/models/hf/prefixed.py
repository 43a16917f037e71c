"""The route of shared beginnings: what rows have in common is run once, then the rest of each.

For models that attend but cannot be packed: their keys and values are kept and handed to every
row that begins with them. Beginnings of one length are run together, so nothing stands between a
beginning and what follows it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from epicene.models.hf import trees
from epicene.models.hf.routes import Limits, Padded, Pass, Ran, right_padded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.models.hf.network import Network
    from epicene.models.hf.routes import A
    from epicene.models.hf.rows import Runnable
    from epicene.models.hf.trees import Ints, Table


@dataclass(frozen=True)
class _Family:
    """Rows that begin alike, and how long."""

    rows: tuple[Any, ...]
    shared: int

    @property
    def widest(self) -> int:
        """The tokens of its longest row behind the beginning."""
        return max(len(row.read) for row in self.rows) - self.shared

    @property
    def size(self) -> int:
        """The tokens held for it, the beginning once a row."""
        return len(self.rows) * (self.shared + self.widest)


class Prefixed:
    """Rows behind their beginnings."""

    name = "shared beginnings"

    def __init__(self, network: Network, limits: Limits) -> None:
        self._network, self._limits = network, limits
        self._padded = Padded(network, limits)

    def passes(self, rows: Sequence[A]) -> Iterator[Pass[A, Any]]:
        """Beginnings of one length together; rows that share nothing as a padded batch."""
        ordered = sorted(rows, key=lambda row: row.read)
        families = [
            _Family(tuple(ordered[part.rows]), part.shared)
            for part in _families(trees.table([row.read for row in ordered]))
        ]
        if single := [row for family in families if not family.shared for row in family.rows]:
            yield from self._padded.passes(single)
        shared = [family for family in families if family.shared]
        shared.sort(key=lambda family: (-family.shared, -family.size))
        for _, alike in groupby(shared, key=lambda family: family.shared):
            for units in self._limits.cut(list(alike), lambda f: f.size, lambda f: len(f.rows)):
                yield Pass(units, lambda family: family.size, lambda f: f.rows, self._run)

    def _run(self, families: Sequence[_Family]) -> Ran[Any]:
        import torch
        from transformers import DynamicCache

        shared = families[0].shared
        rows = [row for family in families for row in family.rows]
        owner = np.repeat(np.arange(len(families)), [len(family.rows) for family in families])
        cache = DynamicCache()
        beginnings = np.array([family.rows[0].read[:shared] for family in families])
        rests, mask = right_padded([row.read[shared:] or (0,) for row in rows])
        first, second = _wanted(rows, owner, shared, rests.shape[1])
        where_first, places_first = np.unique(first, return_inverse=True)
        where_second, places_second = np.unique(second, return_inverse=True)
        send = self._network.send
        with torch.inference_mode():
            states = [
                self._network.states(
                    self._inputs(beginnings, np.ones_like(beginnings), 0, cache), send(where_first)
                )
            ]
            cache.batch_select_indices(torch.from_numpy(owner))  # layers lie where they lie
            seen = np.concatenate([np.ones((len(rows), shared), np.int64), mask], axis=1)
            states.append(
                self._network.states(self._inputs(rests, seen, shared, cache), send(where_second))
            )
        places = _merged(rows, shared, places_first, places_second + len(where_first))
        tokens = beginnings.size + sum(len(row.read) - shared for row in rows)
        return Ran(rows, self._network.cells(torch.cat(states)), places, tokens)

    def _inputs(self, ids: Any, mask: Any, depth: int, cache: Any) -> dict[str, Any]:
        send = self._network.send
        inputs = {
            "input_ids": send(ids),
            "attention_mask": send(mask),
            "past_key_values": cache,
            "use_cache": True,
        }
        if "position_ids" in self._network.takes:
            inputs["position_ids"] = send(np.arange(depth, depth + ids.shape[1])[None])
        return inputs


def _families(rows: Table) -> Iterator[trees.Stretch]:
    """Neighbours taken together as long as that saves more tokens than stopping would."""
    first, shared = 0, 0
    for number in range(1, len(rows.lengths) + 1):
        behind = int(rows.shared[number]) if number < len(rows.lengths) else 0
        count = number - first  # rows taken so far
        joint = behind if count == 1 else min(shared, behind)
        if joint and count * joint >= (count - 1) * shared:
            shared = joint
            continue
        yield trees.Stretch(slice(first, number), shared if count > 1 else 0)
        first, shared = number, 0


def _wanted(rows: Sequence[Runnable], owner: Any, shared: int, width: int) -> tuple[Ints, Ints]:
    """Where wanted positions lie: in the beginnings, and in what follows them."""
    first: list[int] = []
    second: list[int] = []
    for line, row in enumerate(rows):
        wanted = row.wanted
        cut = min(max(wanted.start, shared), wanted.stop)
        first += range(owner[line] * shared + wanted.start, owner[line] * shared + cut)
        base = line * width - shared
        second += range(base + cut, base + wanted.stop)
    return np.array(first, np.int64), np.array(second, np.int64)


def _merged(rows: Sequence[Runnable], shared: int, first: Any, second: Any) -> Any:
    """Row after row: the cells in the beginning, then those behind it."""
    parts = []
    at, other = 0, 0
    for row in rows:
        inside = min(max(row.wanted.start, shared), row.wanted.stop) - row.wanted.start
        behind = len(row.wanted) - inside
        parts += [first[at : at + inside], second[other : other + behind]]
        at, other = at + inside, other + behind
    return np.concatenate(parts)
