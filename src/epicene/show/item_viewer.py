"""Pack scored items for the item viewer of the HTML page: integer columns and a table of texts.

Runs are read item by item and never kept in memory as records; the page's script decodes only the
rows in view.
"""

from __future__ import annotations

import base64
import gzip
import sys
from array import array
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.core.control_characters import escape_controls
from epicene.core.records import Judgement, to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from epicene.suites import ScoredText

# What a column is for: the run, the item's name, a filter, a number or a text to show. The others
# are not searched: an alignment of texts that other columns hold, the texts that models scored (a
# line each: request, candidate, 1 if it is the right one or 0, text) and a run's log-probabilities
# of these.
ColumnRole: TypeAlias = Literal[
    "run", "item", "filter", "value", "text", "aligned", "scored", "scores"
]
_ALIGNED = "aligned"  # the name of such evidence
_UNSEARCHED = ("aligned", "scored", "scores")

_ALIGNMENT = 8  # bytes, so that the script can read numbers without copying them
_END = "\0"  # after each text; inside a text it is escaped


class PackedItems(NamedTuple):
    """Base64 of what the script unpacks, and how many items and judgements it holds.

    Inside is gzip of: the length of the header in eight bytes, the header, then blocks, each at a
    multiple of eight bytes. The header is JSON `{"count", "texts", "searched", "bytes", "columns":
    [{"name", "role", "width", "first", "size"}]}`. The blocks are the columns' numbers, `width`
    bytes each, and then the texts in UTF-8, each ended by a zero. A number n > 0 of a column means
    the text `first + n - 1`; it has `size` of them. The first `searched` texts are searched.
    """

    data: str
    items: int
    judgements: int


class _Texts:
    """Distinct texts in the order of their first occurrence."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers) + 1)


class _Column:
    """One column: the number of each row's text."""

    def __init__(self, name: str, role: ColumnRole, texts: _Texts) -> None:
        self.name = name
        self.role = role
        self.texts = texts
        self.numbers = array("I")

    def add(self, row: int, text: str) -> None:
        """Put a text in a row, after rows without one."""
        if gap := row - len(self.numbers):
            self.numbers.frombytes(bytes(gap * self.numbers.itemsize))
        self.numbers.append(self.texts.number(text))

    def fill(self, rows: int) -> None:
        """Rows without a text up to the end."""
        self.numbers.frombytes(bytes((rows - len(self.numbers)) * self.numbers.itemsize))

    @property
    def kind(self) -> str:
        """The `array` type code of the smallest unsigned integer that holds all of them."""
        size = len(self.texts.numbers)
        return "B" if size < 2**8 else "H" if size < 2**16 else "I"


_JUDGEMENT_COLUMNS: tuple[tuple[str, ColumnRole, Callable[[Judgement], str | None]], ...] = (
    ("item", "item", lambda judgement: judgement.item),
    ("outcome", "filter", lambda judgement: judgement.outcome),
    ("label", "filter", lambda judgement: judgement.label),
    ("language", "filter", lambda judgement: judgement.language or None),
    ("part", "filter", lambda judgement: judgement.name or None),
    (
        "value",
        "value",
        lambda judgement: None if judgement.value is None else f"{judgement.value:.6g}",
    ),
)
_MODEL = "model"


class ItemPacker:
    """Collects judgements one by one, run by run."""

    def __init__(self) -> None:
        self.rows = 0
        self._passages = _Texts()  # shared, since an answer is often another column's reference
        self._columns: dict[tuple[str, str], _Column] = {}
        self._scored: dict[tuple[str, str], tuple[str, str]] = {}

    def add_scores(self, model: str, item: str, texts: Iterable[ScoredText]) -> None:
        """Keep a model's scores until the first judgement of the item, which comes later."""
        if kept := list(texts):
            sums = " ".join(f"{each.score.sum:.6g}" for each in kept)
            self._scored[model, item] = "\n".join(map(_scored_line, kept)), sums

    def add_judgement(self, model: str, judgement: Judgement) -> None:
        """Add one judgement; those without an outcome and texts are for tables only and are
        skipped."""
        if judgement.outcome is None and not judgement.evidence:
            return
        row = self.rows
        self.rows += 1
        if model:
            self._column("own", _MODEL, "run").add(row, model)
        for name, role, read in _JUDGEMENT_COLUMNS:
            if (text := read(judgement)) is not None:
                self._column("own", name, role).add(row, text)
        for name, text in judgement.facets.items():
            self._column("facet", name, "filter").add(row, text)
        for name, text in judgement.evidence.items():
            self._column("text", name, "aligned" if name == _ALIGNED else "text").add(row, text)
        if scored := self._scored.pop((model, judgement.item), None):
            self._column("text", "scored", "scored").add(row, scored[0])
            self._column("text", "scores", "scores").add(row, scored[1])

    def packed(self) -> PackedItems:
        """The packed items, without a timestamp, so that the same items give the same page."""
        raw = b"".join(self._blocks())
        data = gzip.compress(raw, compresslevel=6, mtime=0)
        items = self._columns.get(("own", "item"))
        return PackedItems(
            base64.b64encode(data).decode("ascii"),
            len(items.texts.numbers) if items else 0,
            self.rows,
        )

    def _column(self, kind: str, name: str, role: ColumnRole) -> _Column:
        found = self._columns.get((kind, name))
        if found is None:
            texts = self._passages if role == "text" else _Texts()
            found = self._columns[kind, name] = _Column(name, role, texts)
        return found

    def _blocks(self) -> Iterator[bytes]:
        columns = list(self._chosen())
        firsts: dict[int, int] = {}  # by the identity of a column's texts
        texts: list[str] = []
        searched = 0
        for _, column in columns:
            if id(column.texts) not in firsts:
                firsts[id(column.texts)] = len(texts)
                texts += column.texts.numbers
            if column.role not in _UNSEARCHED:
                searched = len(texts)
        written = "".join(escape_controls(text) + _END for text in texts)
        encoded = written.encode("utf-8", "replace")
        header = to_json(
            {
                "count": self.rows,
                "texts": len(texts),
                "searched": searched,
                "bytes": len(encoded),
                "columns": [
                    {
                        "name": name,
                        "role": column.role,
                        "width": array(column.kind).itemsize,
                        "first": firsts[id(column.texts)],
                        "size": len(column.texts.numbers),
                    }
                    for name, column in columns
                ],
            }
        )
        yield len(header).to_bytes(_ALIGNMENT, "little")
        yield _padded(header)
        for _, column in columns:
            numbers = array(column.kind, column.numbers)
            if sys.byteorder == "big":
                numbers.byteswap()
            yield _padded(numbers.tobytes())
        yield encoded

    def _chosen(self) -> Iterator[tuple[str, _Column]]:
        """Columns with their names, standard ones first, without facets that repeat one of them."""
        for column in self._columns.values():
            column.fill(self.rows)
        own = {name: self._columns[kind, name] for kind, name in self._columns if kind == "own"}
        ordered = [
            name for name in (*(each[0] for each in _JUDGEMENT_COLUMNS), _MODEL) if name in own
        ]
        yield from ((name, own[name]) for name in ordered)
        for (kind, name), column in self._columns.items():
            if kind == "facet" and not (name in own and _same_texts(column, own[name])):
                yield (f"{name} (facet)" if name in own else name), column
        read = [column for (kind, _), column in self._columns.items() if kind == "text"]
        yield from ((column.name, column) for column in sorted(read, key=_is_unsearched))


def _same_texts(one: _Column, other: _Column) -> bool:
    return one.numbers == other.numbers and list(one.texts.numbers) == list(other.texts.numbers)


def _is_unsearched(column: _Column) -> bool:
    return column.role in _UNSEARCHED


def _scored_line(scored: ScoredText) -> str:
    right = "" if scored.right is None else str(int(scored.right))
    fields = (scored.request, scored.candidate, right, scored.text)
    return "\t".join(" ".join(field.split()) for field in fields)


def _padded(block: bytes) -> bytes:
    return block + bytes(-len(block) % _ALIGNMENT)
