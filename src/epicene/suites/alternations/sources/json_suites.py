"""Suites that are one JSON document: SyntaxGym, and pairs of regions (Basque, Hindi, Swahili)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import regex

from epicene.core.data_files import parse_json, read_text
from epicene.core.errors import InputError
from epicene.suites.alternations.formulas import FormulaError, parse_formula
from epicene.suites.alternations.items import Condition, Pair, Region, RegionMetric, RegionTest
from epicene.suites.alternations.sources.files import LocatedPair

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from epicene.suites.alternations.sources.files import PairFile


def read_document(path: Path) -> Any:
    """The value of a JSON file."""
    return parse_json(read_text(path), str(path))


# --- pairs of regions ------------------------------------------------------------------------

_NAMED_LANGUAGE = regex.compile(r"(basque|hindi|swahili)[-_ ](.+)", regex.I)
_CODES = {"basque": "eu", "hindi": "hi", "swahili": "sw"}


def are_region_pairs(document: Any) -> bool:
    """Whether a document is a list of items, each a list of regions `[good, bad]`."""
    return isinstance(document, list) and bool(document) and _is_region_pair(document[0])


def _is_region_pair(item: Any) -> bool:
    return (
        isinstance(item, list)
        and bool(item)
        and all(isinstance(part, list) and len(part) == 2 for part in item)
        and all(isinstance(text, str) for part in item for text in part)
    )


def read_region_pairs(file: PairFile) -> Iterator[LocatedPair]:
    """The pairs of a document; the file's name says what is tested, and the language."""
    file.refuse_columns()
    named = _NAMED_LANGUAGE.fullmatch(file.path.stem)
    language = file.language or (_CODES[named[1].lower()] if named else "")
    for number, item in enumerate(read_document(file.path), start=1):
        location = f"{file.path}, item {number},"
        if not _is_region_pair(item):
            raise InputError(f"{location} is not a list of regions, each [acceptable, other].")
        good, bad = (" ".join(part[side].strip() for part in item).strip() for side in (0, 1))
        if not good or not bad:
            raise InputError(f"{location} lacks a sentence: its regions are empty.")
        pair = Pair(
            id=f"{file.prefix}{number}",
            language=language,
            good=good,
            bad=bad,
            phenomenon=named[2] if named else file.path.stem,
        )
        yield LocatedPair(location, pair)


# --- SyntaxGym -------------------------------------------------------------------------------


class _Region(msgspec.Struct, frozen=True):
    region_number: int
    content: str


class _Condition(msgspec.Struct, frozen=True):
    condition_name: str
    regions: list[_Region]


class _Item(msgspec.Struct, frozen=True):
    item_number: int
    conditions: list[_Condition]


class _Prediction(msgspec.Struct, frozen=True):
    formula: str
    type: str = "formula"


class _Meta(msgspec.Struct, frozen=True):
    name: str = ""
    metric: RegionMetric = "sum"
    string_predictions: list[str] = []  # where some files have their formulas


class _Suite(msgspec.Struct, frozen=True):
    items: list[_Item]
    meta: _Meta = _Meta()
    predictions: list[_Prediction] = []

    @property
    def formulas(self) -> list[str]:
        """The formulas of its predictions."""
        named = [each.formula for each in self.predictions if each.type == "formula"]
        return named or self.meta.string_predictions


def is_syntaxgym(document: Any) -> bool:
    """Whether a document is a SyntaxGym suite: items with conditions."""
    items = document.get("items") if isinstance(document, dict) else None
    return (
        isinstance(items, list)
        and bool(items)
        and isinstance(items[0], dict)
        and "conditions" in items[0]
    )


def read_syntaxgym(file: PairFile) -> Iterator[LocatedPair]:
    """One item per item and prediction of a suite."""
    file.refuse_columns()
    try:
        suite = msgspec.convert(read_document(file.path), _Suite, strict=False)
    except msgspec.ValidationError as error:
        raise InputError(f"{file.path} is not a SyntaxGym suite: {error}.") from None
    if not suite.formulas:
        raise InputError(f"{file.path} has no predictions, so there is nothing to score.")
    several = len(suite.formulas) > 1
    for item in suite.items:
        location = f"{file.path}, item {item.item_number},"
        conditions = _conditions(item, location)
        name = f"{file.prefix}{item.item_number}"
        for number, formula in enumerate(suite.formulas, start=1):
            _check_formula(formula, conditions, location)
            pair = Pair(
                id=f"{name}-{number}" if several else name,
                group=name if several else "",
                language=file.language,
                good="",
                bad="",
                phenomenon=suite.meta.name or file.path.stem,
                columns={"prediction": str(number)} if several else {},
                test=RegionTest(conditions=conditions, formula=formula, metric=suite.meta.metric),
            )
            yield LocatedPair(location, pair)


def _conditions(item: _Item, location: str) -> tuple[Condition, ...]:
    found: dict[str, Condition] = {}
    for each in item.conditions:
        name = each.condition_name
        numbers = {region.region_number for region in each.regions}
        if name in found or len(numbers) < len(each.regions):
            raise InputError(f"{location} has the condition {name!r} or one of its regions twice.")
        regions = (
            Region(number=region.region_number, text=region.content.strip())
            for region in each.regions
        )
        found[name] = Condition(name=name, regions=tuple(regions))
        if not found[name].sentence:
            raise InputError(f"{location} has no text in its condition {name!r}.")
    return tuple(found.values())


def _check_formula(formula: str, conditions: tuple[Condition, ...], location: str) -> None:
    """Raise if a formula cannot be read, or names a region that the item lacks."""
    try:
        references = parse_formula(formula).references
    except FormulaError as error:
        raise InputError(f"{location} has the prediction {formula!r}: {error}.") from None
    known = {each.name: {region.number for region in each.regions} for each in conditions}
    for condition, number in references:
        if condition not in known:
            raise InputError(
                f"{location} lacks the condition {condition!r} of its prediction; it has "
                f"{', '.join(known)}."
            )
        if number is not None and number not in known[condition]:
            raise InputError(
                f"{location} lacks region {number} in its condition {condition!r}, which its "
                "prediction names."
            )
