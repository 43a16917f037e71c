"""Reading minimal pairs: BLiMP-like JSON and JSONL, CSV, and folders of such files.

Texts reach the model as they stand in the file, byte for byte: published Hindi has letters that
Unicode normalisation would write otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epicene.datafiles import read_rows
from epicene.errors import InputError
from epicene.suites.alternations.pairs import Pair

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
VARIANTS = {"dv": "DV", "sv": "SV", "no_er": "No Case(E)", "no_inst": "No Case(I)"}

_KINDS = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")


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

    A pair without an id is numbered; where several files have the same ids, they are set apart by
    the file's name. A file's name is also the phenomenon of pairs that name none, and for the
    published Hindi files it decides the variant.
    """
    files = files_in(path)
    for file in files:
        variant = VARIANTS.get(file.stem) if len(files) > 1 or file.stem in VARIANTS else None
        for number, line in enumerate(read_rows(file, columns), start=1):
            yield _pair(line, file, number, variant, language, alone=len(files) == 1)


def _pair(
    line: Line, file: Path, number: int, variant: str | None, language: str, *, alone: bool
) -> Pair:
    values = dict(line.values)
    found: dict[str, str] = {}
    for field, names in NAMES.items():
        for name in names:
            value = values.get(name)
            if value not in (None, ""):
                found[field] = str(value)
                break
    for field in ("good", "bad"):
        if not found.get(field, "").strip():
            raise InputError(
                f"{line.place} lacks its {'acceptable' if field == 'good' else 'other'} sentence; "
                f"it is looked for in {' or '.join(NAMES[field])}, or name it: "
                f"--column {field}=NAME."
            )
    if found["good"] == found["bad"]:
        raise InputError(f"{line.place} has the same sentence twice.")
    name = found.get("id", str(number))
    taken = {name for names in NAMES.values() for name in names}
    return Pair(
        id=name if alone else f"{file.stem}-{name}",
        group=found.get("group") or ("" if alone else name if variant else ""),
        language=found.get("language", language),
        good=found["good"],
        bad=found["bad"],
        phenomenon=variant or found.get("phenomenon", file.stem),
        columns={
            key: _text(value)
            for key, value in values.items()
            if key not in taken and value is not None and not isinstance(value, list | dict)
        },
        prefix=found.get("prefix", ""),
        gold=found.get("gold", ""),
        after=found.get("after", ""),
        transliteration=found.get("transliteration", ""),
        gloss=found.get("gloss", ""),
    )


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
