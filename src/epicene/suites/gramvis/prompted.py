"""What a run asks about: a word in a template, in its own language and in both controls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.records import Item, Positive
from epicene.suites.gramvis.counts import word_group
from epicene.suites.gramvis.words import Word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.suites import Stratum
    from epicene.suites.gramvis.prompts import Templates


class Prompted(Item, frozen=True, kw_only=True):
    """A word and the number of a template, counted from 1.

    Its three prompts are one item, so that what is left out (by `--limit`, or because an answer
    never came) is left out of the gendered prompt and its controls alike.
    """

    entry: Word
    template: Positive


def prompted(word: Word, templates: Templates) -> Iterator[Prompted]:
    """A word in each template."""
    for number in range(1, templates.count(word) + 1):
        yield Prompted(
            id=f"{word.id}/{number}",
            group=word_group(word.language, word.word),
            language=word.language.lower(),
            entry=word,
            template=number,
        )


def stratum(item: Prompted) -> Stratum:
    """A limited run takes of every language, gender, stereotype and category."""
    word = item.entry
    return "", f"{word.language}/{word.grammar}/{word.stereotype}/{word.category}"
