"""Key-value caches whose rows come and go while texts are written.

Rows stand flush right: the newest token of every row is in the last column, and what a shorter
row lacks on the left is padding. Windows and relative positions count columns back from the
newest, so a row may be moved to a cache of another width, or joined with others, and still
attend to what it attended to alone.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Piece(NamedTuple):
    """Rows of a cache, in the order wanted; one may be named several times.

    A cache that is `spent` is let go of layer by layer as it is copied, so that no more than one
    layer is held twice.
    """

    cache: Any
    rows: Sequence[int]
    spent: bool = True


def fresh(model: Any) -> Any:
    """An empty cache as the library makes it for this model."""
    from transformers import DynamicCache

    return DynamicCache(config=model.config.get_text_config(decoder=True))


def obstacle(cache: Any) -> str:
    """Why the rows of a filled cache cannot come and go; empty if they can."""
    from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

    kinds = (DynamicLayer, DynamicSlidingWindowLayer)
    odd = {type(layer).__name__ for layer in cache.layers if type(layer) not in kinds}
    if odd:
        return f"the cache holds {', '.join(sorted(odd))}"
    if not cache.layers or not all(layer.is_initialized for layer in cache.layers):
        return "the model does not use the cache"
    return ""


def windows(cache: Any) -> set[int]:
    """The lengths of the local windows among the layers."""
    return {layer.sliding_window for layer in cache.layers if layer.is_sliding}


def assemble(pieces: Sequence[Piece], width: int, spare: int) -> Any:
    """One cache of all the pieces' rows, `width` columns wide, with room for `spare` more."""
    from transformers import DynamicCache

    whole = DynamicCache()
    for number in range(len(pieces[0].cache.layers)):
        whole.layers.append(_joined(pieces, number, width, spare))
        for piece in pieces:
            if piece.spent:
                piece.cache.layers[number] = None
    return whole


def _joined(pieces: Sequence[Piece], number: int, width: int, spare: int) -> Any:
    """Layer `number` of the assembled cache."""
    old = [piece.cache.layers[number] for piece in pieces]
    roomy_full, roomy_sliding = _layer_classes()
    if old[0].is_sliding:
        layer = roomy_sliding(old[0].sliding_window)
        layer.cumulative_length = width
        held = min(width, old[0].sliding_window - 1)
    else:
        layer = roomy_full()
        held = width
    rows = [piece.rows for piece in pieces]
    layer.hold(
        _stack([each.keys for each in old], rows, held, spare),
        _stack([each.values for each in old], rows, held, spare),
        held,
        spare,
    )
    return layer


def _stack(tensors: Sequence[Any], rows: Sequence[Sequence[int]], columns: int, spare: int) -> Any:
    """Rows of several tensors under one another, each flush with column `columns`."""
    import torch

    _, heads, _, size = tensors[0].shape
    whole = tensors[0].new_empty(sum(map(len, rows)), heads, columns + spare, size)
    first = 0
    for tensor, chosen in zip(tensors, rows, strict=True):
        taken = min(tensor.shape[-2], columns)
        place = whole[first : first + len(chosen)]
        # Never read, but a stray NaN would come through a weight of nought.
        place[:, :, : columns - taken] = 0
        at = torch.tensor(chosen, device=tensor.device)
        place[:, :, columns - taken : columns] = tensor[:, :, tensor.shape[-2] - taken :][at]
        first += len(chosen)
    return whole


@cache
def _layer_classes() -> tuple[Any, Any]:
    """Layers that append in place; the library's own copy all they hold at every token."""
    from transformers.cache_utils import DynamicLayer, DynamicSlidingWindowLayer

    class Roomy:
        """Holds columns `first` to `end` of two tensors that are wider than that."""

        def hold(self, keys: Any, values: Any, columns: int, spare: int) -> None:
            self.dtype, self.device, self.is_initialized = keys.dtype, keys.device, True
            self._all_keys, self._all_values = keys, values
            self._first, self._end, self._spare = 0, columns, spare
            self._show()

        def _show(self) -> None:
            columns = slice(self._first, self._end)
            self.keys = self._all_keys[:, :, columns]
            self.values = self._all_values[:, :, columns]

        def _append(self, keys: Any, values: Any) -> None:
            if self._end + keys.shape[-2] > self._all_keys.shape[-2]:
                self._widen(keys.shape[-2])
            columns = slice(self._end, self._end + keys.shape[-2])
            self._all_keys[:, :, columns] = keys
            self._all_values[:, :, columns] = values
            self._end = columns.stop
            self._show()

        def _widen(self, needed: int) -> None:
            import torch

            more = (0, 0, 0, max(needed, self._spare))
            self._all_keys = torch.nn.functional.pad(self.keys, more)
            self._all_values = torch.nn.functional.pad(self.values, more)
            self._first, self._end = 0, self._end - self._first

    class RoomyFull(Roomy, DynamicLayer):  # type: ignore[misc]
        def update(self, keys: Any, values: Any, *_: Any, **__: Any) -> tuple[Any, Any]:
            self._append(keys, values)
            return self.keys, self.values

    class RoomySliding(Roomy, DynamicSlidingWindowLayer):  # type: ignore[misc]
        def update(self, keys: Any, values: Any, *_: Any, **__: Any) -> tuple[Any, Any]:
            self._append(keys, values)
            self.cumulative_length += keys.shape[-2]
            seen = self.keys, self.values
            self._first = max(self._first, self._end - self.sliding_window + 1)
            self._show()
            return seen

    return RoomyFull, RoomySliding
