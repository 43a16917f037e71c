"""JSON trees of texts, such as those of i18next; Chrome's messages.json with its descriptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.localisation.json_texts import json_coding, read_values
from epicene.localisation.language_roots import name_by_path
from epicene.localisation.strings import FoundString, FoundStrings

if TYPE_CHECKING:
    from epicene.localisation.strings import FileText, ReadOptions


def read(file: FileText, _options: ReadOptions) -> FoundStrings:
    """Every text of the tree, by its path; of a browser extension, every message."""
    coding = json_coding(file)
    values = [value for value in read_values(file) if value.is_text and value.text]
    if file.path.name == "messages.json" and any(
        value.path[1:] == ("message",) for value in values
    ):
        comments = {
            value.path[0]: value.text for value in values if value.path[1:] == ("description",)
        }
        return FoundStrings(
            [
                FoundString(
                    value.path[0],
                    ((value.start, value.end),),
                    coding,
                    comment=comments.get(value.path[0], ""),
                )
                for value in values
                if value.path[1:] == ("message",)
            ]
        )
    return name_by_path(
        [(value.path, FoundString("", ((value.start, value.end),), coding)) for value in values]
    )
