"""ARB: the catalogues of Flutter; texts are ICU messages, keys with @ are about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.localisation.file_languages import base_language
from epicene.localisation.json_texts import json_coding, read_values
from epicene.localisation.strings import FoundString, FoundStrings

if TYPE_CHECKING:
    from epicene.localisation.strings import FileText, ReadOptions


def read(file: FileText, _options: ReadOptions) -> FoundStrings:
    """The messages; `description` and `x-gender` of "@name" are about the message `name`."""
    coding = json_coding(file)
    values = [value for value in read_values(file) if value.is_text and value.text]
    about = {
        value.path: value.text for value in values if value.path[:1] and value.path[0][:1] == "@"
    }
    return FoundStrings(
        [
            FoundString(
                value.path[0],
                ((value.start, value.end),),
                coding,
                comment=about.get((f"@{value.path[0]}", "description"), ""),
                people=about.get((f"@{value.path[0]}", "x-gender"), ""),
                syntax="icu",
            )
            for value in values
            if len(value.path) == 1 and not value.path[0].startswith("@")
        ],
        base_language(about.get(("@@locale",), "")),
    )
