"""Reading minimal pairs: BLiMP-like JSON and JSONL, CSV, and folders of such files.

Texts reach the model as they stand in the file, byte for byte: published Hindi has letters that
Unicode normalisation would write otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.datafiles import read_rows
from epicene.errors import InputError
from epicene.suites.alternations.pairs import VARIANTS, Pair

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from epicene.datafiles import Line

# What a field of ours is called in published files; the first that a row has is taken.
NAMES: dict[str, tuple[str, ...]] = {
    "good": ("good", "sentence_good"),
    "bad": ("bad", "sentence_bad"),
    "phenomenon": ("phenomenon", "UID", "phenomena_type", "linguistics_term", "variant"),
    "id": ("id", "pair_id", "pairID"),
    "language": ("language", "lang"),
    "prefix": ("prefix",),
    "gold": ("gold",),
    "after": ("after",),
    "transliteration": ("transliteration",),
    "gloss": ("gloss",),
    "group": ("group",),
}

# The published files of the Hindi benchmark, by the variant that each holds.
PUBLISHED_FILES = dict(zip(("dv", "sv", "no_er", "no_inst"), VARIANTS, strict=True))

# What the columns of a frame of judgements are called; a column of the file is set apart.
TAKEN = frozenset(
    {
        "run", "model", "protocol", "item", "group", "language", "name", "outcome", "label",
        "value", "phenomenon", "format", "measure", "method", "main", "ranking", "credit",
        "is_verb", "agrees", "gold_first", "gold_among",
    }
)  # fmt: skip

_KINDS = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")


class _File(NamedTuple):
    """A file of pairs, and what it says of all of them."""

    path: Path
    alone: bool
    language: str

    @property
    def variant(self) -> str:
        """The variant of the published Hindi file of that name, "" of any other."""
        return PUBLISHED_FILES.get(self.path.stem, "")


def files_in(path: Path) -> list[Path]:
    """A file, or the files of pairs in a folder."""
    if not path.is_dir():
        return [path]
    found = sorted(each for each in path.iterdir() if each.suffix.lower() in _KINDS)
    if not found:
        raise InputError(f"{path} holds no file of pairs ({', '.join(_KINDS)}).")
    return found


def read_pairs(path: Path, columns: Mapping[str, str], language: str) -> Iterator[Pair]:
    """The pairs of a file, or of each file in a folder.

    A pair without an id is numbered; ids of several files are set apart by the file's name. A
    file's name is also the phenomenon of pairs that name none, and for the published Hindi files
    it decides the variant.
    """
    files = files_in(path)
    seen: dict[str, str] = {}
    for each in files:
        file = _File(each, alone=len(files) == 1, language=language)
        for number, line in enumerate(read_rows(each, columns), start=1):
            pair = _pair(line, number, file)
            if pair.id in seen:
                raise InputError(
                    f"{line.place} has the id {pair.id!r} again ({seen[pair.id]}); name another "
                    "column with --column id=NAME, or leave the ids away."
                )
            seen[pair.id] = line.place.rstrip(",")
            yield pair


def _pair(line: Line, number: int, file: _File) -> Pair:
    names = {field: _first(line.values, names) for field, names in NAMES.items()}
    if file.variant:
        names["phenomenon"] = ""
    found = {field: str(line.values[name]) for field, name in names.items() if name}
    _check(line, found)
    name = found.pop("id", str(number))
    made = {
        "group": name if file.variant and not file.alone else "",
        "language": file.language,
        "phenomenon": file.variant or file.path.stem,
        **(_gap(found["good"]) if file.variant else {}),
        **found,
    }
    return Pair(
        id=name if file.alone else f"{file.path.stem}-{name}",
        columns=_columns(line.values, set(names.values())),
        **made,
    )


def _first(values: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """The first name that a row has a value for, "" if it has none."""
    return next((name for name in names if values.get(name) not in (None, "")), "")


def _check(line: Line, found: Mapping[str, str]) -> None:
    for field, what in (("good", "acceptable"), ("bad", "other")):
        if not found.get(field, "").strip():
            raise InputError(
                f"{line.place} lacks its {what} sentence; it is looked for in "
                f"{' or '.join(NAMES[field])}, or name it: --column {field}=NAME."
            )
    if found["good"] == found["bad"]:
        raise InputError(f"{line.place} has the same sentence twice.")


def _gap(sentence: str) -> dict[str, str]:
    """In the published Hindi sentences the verb is the last word but one."""
    parts = sentence.rsplit(" ", 2)
    return dict(zip(("prefix", "gold", "after"), parts, strict=True)) if len(parts) == 3 else {}


def _columns(values: Mapping[str, Any], used: set[str]) -> dict[str, str]:
    """Whatever else the file says, as text; lists and records cannot be broken down by."""
    return {
        f"{name} (of the file)" if name in TAKEN else name: _text(value)
        for name, value in values.items()
        if name not in used and value is not None and not isinstance(value, list | dict)
    }


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
