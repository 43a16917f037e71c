"""TMX: translation memories; the variants in one language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.localisation.file_languages import base_language
from epicene.localisation.strings import FoundString, FoundStrings, decoded
from epicene.localisation.xml_texts import charset as charset
from epicene.localisation.xml_texts import read_elements, xml_coding

if TYPE_CHECKING:
    from epicene.localisation.strings import FileText, ReadOptions

CODING = xml_coding(native=frozenset({"bpt", "ept", "ph", "it", "ut"}))


def read(file: FileText, options: ReadOptions) -> FoundStrings:
    """The variants of each unit, without those in the source language unless that is the requested
    one.

    A unit without a name has its number as its key.
    """
    strings: list[FoundString] = []
    unit: list[FoundString] = []
    notes: list[str] = []
    source_language, number = "", 0
    for begins, element in read_elements(file, "tmx"):
        if begins and element.name == "header":
            source_language = base_language(element.get("srclang"))
        elif begins and element.name == "tu":
            unit, notes, number = [], [], number + 1
        elif begins:
            continue
        elif element.name == "note":
            notes.append(file.text[element.start : element.end])
        elif element.name == "seg" and element.start < element.end and len(element.parents) > 1:
            around, variant = element.parents[-2:]
            language = base_language(variant.get("lang"))
            spans = ((element.start, element.end),)
            unit.append(FoundString(around.get("tuid") or str(number), spans, CODING, language))
        elif element.name == "tu":
            written_in = base_language(element.get("srclang")) or source_language
            source = next((each for each in unit if each.language == written_in), None)
            strings += [
                found._replace(
                    source=decoded(file.text, source) if source else "", comment="\n".join(notes)
                )
                for found in unit
                if found.language == (options.language or found.language)
                and (options.language or found.language != written_in)
            ]
    return FoundStrings(strings)
