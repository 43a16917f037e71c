"""Exported items described in Croissant 1.1, with fields for responsible AI."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from epicene import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import polars

    from epicene.export.hf_dataset import DatasetFile
    from epicene.export.selection import Selection

FILE = "croissant.json"
CONFORMS_TO = ("http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0")

# The names of Croissant's own vocabulary that stand in its standard context.
_TERMS = (
    "arrayShape citeAs column containedIn equivalentProperty extract field fileProperty fileObject "
    "fileSet format includes isArray isLiveDataset jsonPath key md5 parentField path recordSet "
    "references regex repeated replace samplingRate separator source subField transform"
).split()
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "description": {"@container": "@language"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
    **{term: f"cr:{term}" for term in _TERMS},
}


def croissant(
    selection: Selection, parts: Sequence[DatasetFile], frame: polars.DataFrame, folder: Path
) -> dict[str, Any]:
    """The description of a folder whose data files are written."""
    card = selection.card
    title = f"{card.title} ({selection.data})"
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": list(CONFORMS_TO),
        "name": title,
        "description": card.about,
        "license": _licence(selection),
        "url": "README.md",
        "version": __version__,
        "datePublished": datetime.now(UTC).date().isoformat(),
        "creator": {"@type": "sc:Organization", "name": "The Epicene authors"}
        if selection.own
        else {"@type": "sc:Organization", "name": f"the authors of {selection.data}"},
        "citeAs": card.source or title,
        **({"inLanguage": selection.languages} if selection.languages else {}),
        "rai:dataCollection": " ".join(
            line for line in selection.origin_lines() if line and not line.startswith("- ")
        ),
        "rai:dataUseCases": (
            "Measuring what generative models do with grammatical gender and agreement; not for "
            "training: a model that has read the items cannot be measured with them."
        ),
        "rai:dataLimitations": list(card.faults) or ["None are known to the exporter."],
        "rai:dataBiases": (
            "Items were chosen to show grammatical gender; how often a form occurs in them says "
            "nothing about how often it is used."
        ),
        "distribution": [_file(part, folder) for part in parts],
        "recordSet": [_record_set(part, frame) for part in parts],
    }


def _licence(selection: Selection) -> str:
    if selection.own:
        return "https://spdx.org/licenses/Apache-2.0"
    return selection.licence or "not stated; see README.md"


def _file(part: DatasetFile, folder: Path) -> dict[str, Any]:
    data = (folder / part.path).read_bytes()
    return {
        "@type": "cr:FileObject",
        "@id": part.path,
        "name": part.path,
        "contentUrl": part.path,
        "contentSize": f"{len(data)} B",
        "encodingFormat": "application/x-parquet",
        "sha256": hashlib.sha256(data).hexdigest(),
    }


def _record_set(part: DatasetFile, frame: polars.DataFrame) -> dict[str, Any]:
    name = f"{part.config}/{part.split}"
    nested = [column for column, kind in frame.schema.items() if _is_nested(kind)]
    without = f" Lists of records are not described: {', '.join(nested)}." if nested else ""
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"{part.items} items: {part.config}, split {part.split}.{without}",
        "field": [
            _field(f"{name}/{column}", column, kind, part)
            for column, kind in frame.schema.items()
            if column not in nested
        ],
    }


def _is_nested(kind: Any) -> bool:
    """Whether it is a list of records, or of lists, for which Croissant has no type."""
    import polars as pl

    return isinstance(kind, pl.List) and isinstance(kind.inner, pl.Struct | pl.List)


def _field(name: str, column: str, kind: Any, part: DatasetFile, inner: str = "") -> dict[str, Any]:
    """A column; of a column with named parts, each part too."""
    import polars as pl

    source = {
        "fileObject": {"@id": part.path},
        "extract": {"column": column},
        **({"transform": {"jsonPath": f"$.'{inner}'"}} if inner else {}),
    }
    # An id has no white space.
    described: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": "_".join(name.split()),
        "name": inner or column,
    }
    if isinstance(kind, pl.Struct) and not inner:
        parts = [_field(f"{name}/{each.name}", column, each.dtype, part, each.name)
                 for each in kind.fields]  # fmt: skip
        return {**described, "source": source, "subField": parts}
    array = {"isArray": True, "arrayShape": "-1"} if isinstance(kind, pl.List) else {}
    return {**described, "dataType": _data_type(kind), **array, "source": source}


def _data_type(kind: Any) -> str:
    import polars as pl

    if isinstance(kind, pl.List):
        return _data_type(kind.inner)
    if kind.is_integer():
        return "sc:Integer"
    if kind.is_float():
        return "sc:Float"
    return "sc:Boolean" if kind == pl.Boolean else "sc:Text"
