"""Sentences that came before, or came before but for one word."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from epicene.suites.genform.words import Words, cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Shorter sentences that differ in one word are no repetition of each other.
_SHORTEST = 5


class Sentence(NamedTuple):
    """A text with its name."""

    id: str
    language: str
    text: str


class Repetition(NamedTuple):
    """A sentence, the earlier one that it repeats, and whether it does so but for one word."""

    id: str
    earlier: str
    but_for_one: bool

    def __str__(self) -> str:
        return f"repeats {self.earlier}{' but for one word' if self.but_for_one else ''}"


def repetitions(sentences: Iterable[Sentence]) -> Iterator[Repetition]:
    """The sentences that repeat an earlier one of the same language, whatever their capitals."""
    seen: dict[tuple[str, Words], str] = {}
    but_one: dict[tuple[str, Words], list[tuple[str, Words]]] = defaultdict(list)
    for name, language, text in sentences:
        words = cut(text.casefold(), language, "epicene")
        earlier = seen.setdefault((language, words), name)
        if earlier != name:
            yield Repetition(name, earlier, but_for_one=False)
            continue
        near: dict[str, None] = {}
        for key in _without_each(words) if len(words) >= _SHORTEST else ():
            near |= {each: None for each, other in but_one[language, key] if other != words}
            but_one[language, key].append((name, words))
        for each in list(near)[:1]:
            yield Repetition(name, each, but_for_one=True)


def _without_each(words: Words) -> Iterator[Words]:
    """The sentence without each of its words in turn: what it shares with one that differs in
    one word. The whole sentence is what it shares with one that has a word more."""
    yield words
    for place in range(len(words)):
        yield words[:place] + words[place + 1 :]
