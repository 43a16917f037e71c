"""The items of a suite defined in one file: from a file, a list, a frame or a dataset."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from epicene.core.data_files import FileRow, read_rows
from epicene.core.errors import InputError, unknown
from epicene.core.records import Item, to_json
from epicene.suites import Dataset
from epicene.suites.data_origin import user_data_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.suites import DataSource

# What `items` may be: a path, rows, or a function that returns one of these.
ItemSource: TypeAlias = str | Path | Iterable[Any] | Callable[[], Any]

IN_MEMORY = "items"  # the name of data that come from no file


class RowItem(Item, frozen=True, kw_only=True):
    """An item with the columns of its row as attributes: `item.before` or `item["before"]`."""

    columns: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        """The value of a column."""
        if name in self.columns:
            return self.columns[name]
        raise AttributeError(f"it has no column {name!r}; it has {', '.join(self.columns)}")

    def __getitem__(self, name: str) -> Any:
        """The value of a column, or of `id`, `group` and `language`."""
        return getattr(self, name)


# Names that attributes of an item have already.
_TAKEN = frozenset(
    name for name in dir(RowItem) if not name.startswith("_") and name not in Item.__struct_fields__
)


def item_fields(item: Item) -> dict[str, Any]:
    """The fields of an item; columns are fields."""
    fields: dict[str, Any] = msgspec.to_builtins(item)
    columns = fields.pop("columns") if isinstance(item, RowItem) else {}
    return {**fields, **columns}


class ItemReader:
    """Reads the items of a suite: its own, or those of another file."""

    def __init__(
        self,
        items: ItemSource,
        kind: type[Item],
        *,
        folder: Path,
        columns: Mapping[str, str],
        languages: Sequence[str],
        facets: Sequence[str],
    ) -> None:
        self._items = items
        self._kind = kind
        self._folder = folder
        self._columns = dict(columns)
        self._language = languages[0] if len(languages) == 1 else ""
        self._facets = [name for name in facets if name != "language"]

    @property
    def own_data(self) -> str:
        """The file name of the suite's own items, or the name of those without a file."""
        return Path(self._items).name if isinstance(self._items, str | Path) else IN_MEMORY

    def read(self, source: DataSource) -> Dataset:
        """The items of the user's file, or the suite's own."""
        columns = {**self._columns, **source.columns}
        if source.path is not None:
            items = self._converted(read_rows(source.path, columns))
            return Dataset(user_data_name(source.path.name), (source.path,), items)
        given = self._items() if callable(self._items) else self._items
        if isinstance(given, str | Path):
            path = self._folder / given
            return Dataset(path.name, (path,), self._converted(read_rows(path, columns)))
        items = self._converted(_memory_rows(given, columns))
        content = hashlib.sha256(b"\n".join(map(to_json, items))).hexdigest()
        return Dataset(IN_MEMORY, (), items, content)

    def _converted(self, rows: Iterable[FileRow]) -> tuple[Item, ...]:
        """The rows as items. If the first row has no id, rows are numbered."""
        items: list[Item] = []
        seen: dict[str, str] = {}
        numbered = None
        for number, row in enumerate(rows, start=1):
            if numbered is None:
                numbered = "id" not in row.values
            item = self._convert(row, number, numbered)
            if item.id in seen:
                raise InputError(f"{row.location} repeats the id {item.id!r} ({seen[item.id]}).")
            seen[item.id] = row.location.rstrip(",")
            items.append(item)
        return tuple(items)

    def _convert(self, row: FileRow, number: int, numbered: bool) -> Item:
        values = _plain(row)
        if numbered and "id" in values:
            raise InputError(
                f"{row.location} has an id, but the first row has none; give every item an id or "
                "none."
            )
        name = str(number) if numbered else values.get("id")
        if name in ("", None):
            raise InputError(f"{row.location} has no id; give every item an id or none.")
        values["id"] = str(name)
        values["group"] = str(values.get("group") or "")
        values["language"] = values.get("language") or self._language
        try:
            item = msgspec.convert(self._arranged(values, row), self._kind, strict=False)
        except msgspec.ValidationError as error:
            raise InputError(f"{row.location} is invalid: {error}.") from None
        for facet in self._facets:
            if not hasattr(item, facet):
                known = (name for name in values if name not in Item.__struct_fields__)
                raise InputError(f"{row.location} has no facet: {unknown('column', facet, known)}")
        return item

    def _arranged(self, values: dict[str, Any], row: FileRow) -> dict[str, Any]:
        """The values by the fields of the kind of item; columns without a field are left out or,
        for a `RowItem`, put into `columns`."""
        if self._kind is not RowItem:
            return {
                key: each for key, each in values.items() if key in self._kind.__struct_fields__
            }
        own = {key: values.pop(key) for key in Item.__struct_fields__}
        if clash := _TAKEN & values.keys():
            raise InputError(
                f"{row.location} has a column {min(clash)!r}, a name that is reserved in "
                "items; rename it."
            )
        return {**own, "columns": values}


def _memory_rows(given: Any, columns: Mapping[str, str]) -> Iterator[FileRow]:
    """The rows of a list, a frame or a dataset."""
    if hasattr(given, "iter_rows"):  # polars
        given = given.iter_rows(named=True)
    elif hasattr(given, "to_dict") and hasattr(given, "columns"):  # pandas
        given = given.to_dict("records")
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        parts = (
            f" with the parts {', '.join(map(str, given))}" if isinstance(given, Mapping) else ""
        )
        raise InputError(
            f"The items are a {type(given).__name__}{parts}; give a list of rows, a frame, a "
            "dataset or the path of a file."
        )
    for number, row in enumerate(given, start=1):
        location = f"{IN_MEMORY}, row {number},"
        values = row if isinstance(row, Mapping) else _fields(row, location)
        found = {name: values[name] for name in values}
        for ours, theirs in columns.items():
            if theirs not in found:
                raise InputError(f"{location} has no column {theirs!r}; it has {', '.join(found)}.")
            found[ours] = found.pop(theirs)
        yield FileRow(location, found)


def _fields(row: object, location: str) -> dict[str, Any]:
    """The fields of a record, a dataclass or a named tuple."""
    if isinstance(row, RowItem):
        return item_fields(row)
    if isinstance(row, msgspec.Struct):
        return {name: getattr(row, name) for name in row.__struct_fields__}
    if isinstance(row, tuple) and hasattr(row, "_asdict"):
        return dict(row._asdict())
    if hasattr(row, "__dataclass_fields__"):
        return {name: getattr(row, name) for name in row.__dataclass_fields__}
    raise InputError(f"{location} is a {type(row).__name__}, not a row with named columns.")


def _plain(row: FileRow) -> dict[str, Any]:
    """The values as a stored item has them, so that a resumed run reads the same values."""
    try:
        return msgspec.json.decode(  # type: ignore[no-any-return]
            msgspec.json.encode(row.values, enc_hook=_number), strict=False
        )
    except (TypeError, UnicodeEncodeError, msgspec.MsgspecError) as error:
        raise InputError(f"{row.location} has a value that cannot be stored: {error}.") from None


def _number(value: Any) -> Any:
    """A NumPy number as a Python number."""
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__}")
