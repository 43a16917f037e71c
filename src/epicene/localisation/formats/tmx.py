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
    """The variants of each unit, without those in the source language unless it is the one wanted.

    A unit without a name has its number as its key.
    """
    strings: list[FoundString] = []
    unit: dict[str, FoundString] = {}
    notes: list[str] = []
    source_language, number = "", 0
    for begins, element in read_elements(file, "tmx"):
        if begins and element.name == "header":
            source_language = base_language(element.get("srclang"))
        elif begins and element.name == "tu":
            unit, notes, number = {}, [], number + 1
        elif begins:
            continue
        elif element.name == "note":
            notes.append(file.text[element.start : element.end])
        elif element.name == "seg" and element.start < element.end:
            variant, around = element.parents[-1], element.parents[-2]
            language = base_language(variant.get("lang"))
            spans = ((element.start, element.end),)
            key = around.get("tuid") or str(number)
            unit[language] = FoundString(key, spans, CODING, language)
        elif element.name == "tu":
            source = unit.get(base_language(element.get("srclang")) or source_language)
            strings += [
                found._replace(
                    source=decoded(file.text, source) if source else "", comment="\n".join(notes)
                )
                for language, found in unit.items()
                if language == options.language or (not options.language and found is not source)
            ]
    return FoundStrings(strings)
