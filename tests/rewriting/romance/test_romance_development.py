"""Sentences written while the Romance rules were extended, by what they are about.

`{masculine|feminine}` where the two forms differ; a sentence without braces must stay.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rewriting.person_cases import turned

SENTENCES: dict[str, dict[str, list[str]]] = {
    language: json.loads((Path(__file__).parent / f"{language}.json").read_text("utf-8"))
    for language in ("es", "it", "pt")
}
_DIFFERS = re.compile(r"\{([^|{}]*)\|([^|{}]*)\}")


@pytest.mark.parametrize(
    ("language", "about"),
    [(language, about) for language, kinds in SENTENCES.items() for about in kinds],
)
def test_both_ways(language: str, about: str) -> None:
    for sentence in SENTENCES[language][about]:
        masculine, feminine = (_DIFFERS.sub(group, sentence) for group in (r"\1", r"\2"))
        assert turned(language, masculine, "speaker", "feminine") == feminine
        assert turned(language, feminine, "speaker", "masculine") == masculine
        assert turned(language, masculine, "speaker", "masculine") == masculine
        assert turned(language, feminine, "speaker", "feminine") == feminine
