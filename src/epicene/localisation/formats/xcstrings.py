"""Apple's string catalogues (.xcstrings): JSON with every language in one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.localisation.file_languages import base_language
from epicene.localisation.json_texts import json_coding, read_values
from epicene.localisation.strings import FoundString, FoundStrings

if TYPE_CHECKING:
    from epicene.localisation.json_texts import Value
    from epicene.localisation.strings import FileText, ReadOptions


def read(file: FileText, _options: ReadOptions) -> FoundStrings:
    """The values in each language; those of variations have longer keys."""
    coding = json_coding(file)
    values = list(read_values(file))
    about = {value.path: value.text for value in values if value.path[-1:] != ("value",)}
    source = about.get(("sourceLanguage",), "")
    sources = {
        _key(value): value.text for value in values if _is_unit(value) and value.path[3] == source
    }
    return FoundStrings(
        [
            FoundString(
                key=_key(value),
                spans=((value.start, value.end),),
                coding=coding,
                language=base_language(value.path[3]),
                source=sources.get(_key(value), value.path[1]),
                comment=about.get((*value.path[:2], "comment"), ""),
                state=about.get((*value.path[:-1], "state"), ""),
                syntax="printf",
            )
            for value in values
            if _is_unit(value)
            and value.text
            and about.get((*value.path[:2], "shouldTranslate")) != "false"
        ]
    )


def _is_unit(value: Value) -> bool:
    """Whether this is strings / KEY / localizations / LANGUAGE / … / stringUnit / value."""
    path = value.path
    return len(path) > 5 and path[2] == "localizations" and path[-2:] == ("stringUnit", "value")


def _key(value: Value) -> str:
    """The key, and for a variation how it varies: KEY[plural.one]."""
    varies = [name for name in value.path[4:-2] if name != "variations"]
    return value.path[1] + (f"[{'.'.join(varies)}]" if varies else "")
