"""Trees of strings whose roots are languages: `fr: {greeting: …}`, alone or with others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.core import registry
from epicene.localisation.file_languages import base_language
from epicene.localisation.strings import FoundString, FoundStrings

if TYPE_CHECKING:
    from collections.abc import Sequence


def name_by_path(strings: Sequence[tuple[Sequence[str], FoundString]]) -> FoundStrings:
    """The strings by their path; if all roots are languages, each root is the language of its
    strings.
    """
    roots = {path[0] if len(path) > 1 else "" for path, _ in strings}
    codes = {root: base_language(root) for root in roots}
    known = set(registry.names("languages"))
    if not roots or not set(codes.values()) <= known:
        return FoundStrings([found._replace(key=".".join(path)) for path, found in strings])
    if len(roots) == 1:
        named = [found._replace(key=".".join(path[1:])) for path, found in strings]
        return FoundStrings(named, codes[roots.pop()])
    return FoundStrings(
        [found._replace(key=".".join(path), language=codes[path[0]]) for path, found in strings]
    )
