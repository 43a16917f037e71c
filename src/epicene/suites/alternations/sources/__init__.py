"""Layouts of minimal pairs: recognised by the content of a file, and read pair by pair."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from epicene.core.data_files import ROW_FORMATS, iterate_lines, read_rows
from epicene.core.errors import InputError
from epicene.suites.alternations.sources import json_suites, labelled, rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from epicene.suites.alternations.sources.files import LocatedPair, PairFile

SUFFIXES = (*ROW_FORMATS, ".txt")
_PICKLES = (".pickle", ".pkl")
_SHOWN_COLUMNS = 12


class DetectedLayout(NamedTuple):
    """The layout of a file, what it was recognised by, and how its pairs are read."""

    name: str
    why: str
    read: Callable[[PairFile], Iterator[LocatedPair]]


KNOWN_LAYOUTS = {
    **{layout.name: layout.looks_like for layout in rows.ROW_LAYOUTS},
    "CLAMS": "lines of True or False, a tab and a sentence",
    "BLiMP-NL": f"the columns {', '.join(labelled.BLIMP_NL_COLUMNS)}",
    "SyntaxGym": "JSON with items, their conditions and regions, and predictions",
    "pairs of regions": "JSON with a list of regions [acceptable, other] per item",
}


def detect_layout(file: PairFile) -> DetectedLayout | None:
    """The layout of a file; None if it is empty. Raises if the layout is not known."""
    suffix = file.path.suffix.lower()
    if suffix in _PICKLES:
        raise InputError(
            f"{file.path} is a pickle, which could run any program when it is read; save its "
            "sentences as a table with the columns good and bad."
        )
    if suffix == ".txt":
        return _detect_text(file)
    if suffix == ".json" and (found := _detect_document(file.path)) is not None:
        return found
    return _detect_rows(file)


def _detect_text(file: PairFile) -> DetectedLayout | None:
    lines = (line for line in iterate_lines(file.path) if line.strip())
    first = next(lines, None)
    if first is None:
        return None
    if labelled.CLAMS_LINE.fullmatch(first.rstrip("\r\n")):
        return DetectedLayout("CLAMS", "its lines begin with True or False", labelled.read_clams)
    if "\t" in first:
        return _detect_rows(file, ".tsv")
    raise _unrecognised(file.path, f"its first line is {first.strip()[:80]!r}")


def _detect_document(path: Path) -> DetectedLayout | None:
    """The layout of a JSON file that is not a list of records."""
    document = json_suites.read_document(path)
    if json_suites.is_syntaxgym(document):
        why = "its items have conditions"
        return DetectedLayout("SyntaxGym", why, json_suites.read_syntaxgym)
    if json_suites.are_region_pairs(document):
        why = "each item is a list of regions in two versions"
        return DetectedLayout("pairs of regions", why, json_suites.read_region_pairs)
    if isinstance(document, dict):
        raise _unrecognised(path, f"its keys are {_listed(document)}")
    if isinstance(document, list) and (not document or isinstance(document[0], dict)):
        return None
    raise _unrecognised(path, "it is neither a list of records nor a suite")


def _detect_rows(file: PairFile, suffix: str | None = None) -> DetectedLayout | None:
    first = next(read_rows(file.path, file.columns, suffix), None)
    if first is None:
        return None
    names = first.values
    if all(name in names for name in labelled.BLIMP_NL_COLUMNS):
        why = f"it has {KNOWN_LAYOUTS['BLiMP-NL']}"
        return DetectedLayout("BLiMP-NL", why, labelled.read_blimp_nl)
    layout = rows.row_layout(names)
    if layout is None:
        columns = "column is" if len(names) == 1 else "columns are"
        raise _unrecognised(file.path, f"its {columns} {_listed(names)}")
    why = f"it has {layout.looks_like}"
    return DetectedLayout(layout.name, why, lambda file: rows.read_row_pairs(file, layout, suffix))


def _listed(names: dict[str, object]) -> str:
    shown = ", ".join(repr(str(name)[:80]) for name in islice(names, _SHOWN_COLUMNS))
    more = len(names) - _SHOWN_COLUMNS
    return f"{shown} and {more} more" if more > 0 else shown


def _unrecognised(path: Path, seen: str) -> InputError:
    known = "; ".join(f"{name}: {looks}" for name, looks in KNOWN_LAYOUTS.items())
    return InputError(
        f"{path} is not in a known layout ({seen}); name the columns of its two sentences "
        f"(--column good=NAME --column bad=NAME), or save it in one of these layouts: {known}."
    )
