"""A study's texts in fewer languages than they were written in."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec

from epicene.studies.checks import IN_WORDS

if TYPE_CHECKING:
    from collections.abc import Collection

PartT = TypeVar("PartT")


def in_languages(part: PartT, codes: Collection[str]) -> PartT:
    """The study, or a part of one, with its texts in these languages alone."""
    if isinstance(part, tuple):
        return type(part)(in_languages(inner, codes) for inner in part)
    if not isinstance(part, msgspec.Struct):
        return part
    kept = {}
    for name in part.__struct_fields__:
        value = getattr(part, name)
        if name in IN_WORDS and isinstance(value, dict):
            kept[name] = {code: text for code, text in value.items() if code in codes}
        else:
            kept[name] = in_languages(value, codes)
    return msgspec.structs.replace(part, **kept)
