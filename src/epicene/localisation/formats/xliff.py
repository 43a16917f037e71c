"""XLIFF 1.2 and 2.x: the targets of translation units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.localisation.file_languages import base_language
from epicene.localisation.strings import FoundString, FoundStrings, decoded
from epicene.localisation.xml_texts import charset as charset
from epicene.localisation.xml_texts import read_elements, xml_coding

if TYPE_CHECKING:
    from epicene.localisation.strings import FileText, ReadOptions
    from epicene.localisation.xml_texts import Element

# In 1.2 these hold codes of the original format; in 2.x they are empty.
_NATIVE = frozenset({"bpt", "ept", "ph", "it"})
_PARENTS = ("trans-unit", "segment", "bin-unit")
CODING = xml_coding(native=_NATIVE)


class _Unit:
    """A unit, as far as it was read; in 2.x it has several segments, whose notes come before."""

    def __init__(self) -> None:
        self.source = ""
        self.notes: list[str] = []
        self.found: list[FoundString] = []


def read(file: FileText, _options: ReadOptions) -> FoundStrings:
    """The targets that are translated and may be changed, without suggestions (alt-trans,
    matches).
    """
    strings: list[FoundString] = []
    unit = _Unit()
    for begins, element in read_elements(file, "xliff"):
        if begins:
            if element.name in ("trans-unit", "unit"):
                unit = _Unit()
        elif element.name in ("trans-unit", "unit"):
            comment = "\n".join(unit.notes)
            strings += [found._replace(comment=comment) for found in unit.found]
        elif element.name == "note" and any(
            each.name in ("trans-unit", "unit") for each in element.parents
        ):
            unit.notes.append(_text(file, element))
        elif element.parents and element.parents[-1].name in _PARENTS:
            if element.name == "source":
                unit.source = _text(file, element)
            elif element.name == "target" and _is_translated(element):
                unit.found.append(_found(element, unit.source))
    return FoundStrings(strings)


def _text(file: FileText, element: Element) -> str:
    return decoded(file.text, FoundString("", ((element.start, element.end),), CODING))


def _is_translated(target: Element) -> bool:
    """Whether the target has a text, and no enclosing element says that it is not translated."""
    said = [value for each in target.parents if (value := each.get("translate"))]
    return target.start < target.end and (not said or said[-1] != "no")


def _found(target: Element, source: str) -> FoundString:
    units = [each for each in target.parents if each.name in ("trans-unit", "unit")]
    segment = target.parents[-1]
    key = units[-1].get("resname") or units[-1].get("name") or units[-1].get("id")
    if segment.name == "segment" and segment.get("id"):
        key += f"/{segment.get('id')}"
    language = target.get("lang")
    for each in target.parents:
        language = language or each.get("target-language") or each.get("trgLang")
    return FoundString(
        key=key,
        spans=((target.start, target.end),),
        coding=CODING,
        language=base_language(language),
        source=source,
        state=target.get("state") or segment.get("state"),
    )
