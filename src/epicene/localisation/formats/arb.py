"""ARB: the catalogues of Flutter; texts are ICU messages, keys with @ are about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from epicene.localisation.file_languages import base_language
from epicene.localisation.json_texts import json_coding, read_values
from epicene.localisation.strings import FoundString, FoundStrings

if TYPE_CHECKING:
    from epicene.localisation.strings import FileText, ReadOptions


def read(file: FileText, _options: ReadOptions) -> FoundStrings:
    """The messages; `description` and `x-epicene` of "@name" are about the message `name`."""
    coding = json_coding(file)
    values = [value for value in read_values(file) if value.is_text and value.text]
    about = {
        value.path: value.text for value in values if value.path[:1] and value.path[0][:1] == "@"
    }
    messages = [value for value in values if len(value.path) == 1 and value.path[0][0] != "@"]
    for value in messages:
        if not any(_is_balanced(value.text, quotes=quotes) for quotes in (True, False)):
            raise file.error(
                value.start, f"{value.path[0]!r} is not an ICU message: its braces do not match"
            )
    return FoundStrings(
        [
            FoundString(
                value.path[0],
                ((value.start, value.end),),
                coding,
                comment=about.get((f"@{value.path[0]}", "description"), ""),
                people=about.get((f"@{value.path[0]}", "x-epicene"), ""),
                syntax="icu",
            )
            for value in messages
        ],
        base_language(about.get(("@@locale",), "")),
    )


def _is_balanced(message: str, *, quotes: bool) -> bool:
    """Whether every brace has its partner; `quotes` reads '{' as text, which Flutter may not do."""
    depth = 0
    for found in regex.finditer(r"''|'[{}][^']*'?|[{}]" if quotes else r"[{}]", message):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth < 0:
            return False
    return depth == 0
