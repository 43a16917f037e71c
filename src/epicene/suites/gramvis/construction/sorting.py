"""The fourth step: a majority of chat models says which category a meaning belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from epicene.records import Decoding, Generate, Texts, digest
from epicene.suites.construction import kept
from epicene.suites.gramvis.construction.proposing import prompts
from epicene.suites.gramvis.construction.suggesting import meanings
from epicene.suites.gramvis.names import CATEGORIES
from epicene.suites.gramvis.people.word_studies import agreed, meaning_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from epicene.suites.construction import Made, Reply, Row
    from epicene.suites.gramvis.construction.proposing import GramvisBuild


# A name may come with a space or a hyphen, and a plural or singular s more or less.
def _pattern(category: str) -> regex.Pattern[str]:
    parts = (f"{part.removesuffix('s')}s?" for part in category.split("_"))
    return regex.compile(rf"\b{'[_ -]'.join(parts)}\b", regex.IGNORECASE)


_NAMES = {category: _pattern(category) for category in CATEGORIES}


def ask_to_sort(made: Made, settings: GramvisBuild) -> Iterator[Generate]:
    """Every meaning that is left, once."""
    for rows in meanings(kept(made["diverge"])).values():
        meaning = rows[0]["english"]
        yield Generate(
            item=_request_id(meaning),
            language="en",
            prompt=prompts().sort.messages(meaning=meaning),
            decoding=Decoding(max_new_tokens=256, seed=settings.seed),
            choices=CATEGORIES,
        )


def _request_id(meaning: str) -> str:
    """Answers are stored under it, so it stays as it is, whatever people are asked under."""
    return digest("meaning", meaning_key(meaning)).hex()[:12]


def read_sorted(made: Made, _settings: GramvisBuild, replies: Iterable[Reply]) -> Iterator[Row]:
    """What each model called each meaning, and what more than half of them did."""
    said: dict[str, dict[str, str]] = {}
    for reply in replies:
        assert isinstance(reply.answer, Texts)
        mine = said.setdefault(reply.request.item, {})
        mine[reply.described] = category_in(reply.answer.only)
    for rows in meanings(kept(made["diverge"])).values():
        meaning = rows[0]["english"]
        mine = said[_request_id(meaning)]
        category = agreed(filter(None, mine.values()), len(mine) // 2 + 1)
        yield {
            "english": meaning,
            "said": mine,
            "category": category,
            "dropped": "" if category else "models do not agree on a category",
        }


def category_in(answer: str) -> str:
    """The one category that an answer names; empty if none or several."""
    named = [category for category, pattern in _NAMES.items() if pattern.search(answer)]
    return named[0] if len(named) == 1 else ""


def categories(made: Made) -> dict[str, Row]:
    """What became of each meaning."""
    return {meaning_key(row["english"]): row for row in made["sort"]}
