"""What is wrong with a file of pairs, or should be looked at."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from epicene.suites import Finding
from epicene.suites.alternations.design import check_pair, check_set, is_designed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.suites.alternations.pairs import Pair
    from epicene.suites.alternations.protocol import AlternationsProtocol

# Writing that mixes scripts in one word by rights.
_MIXING = {"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"}


def check(pairs: Sequence[Pair], _protocol: AlternationsProtocol) -> Iterator[Finding]:
    """What holds of any pairs; and for those built to the Hindi design, all of its rules."""
    for pair in pairs:
        yield from _sentences(pair)
        yield from _cloze(pair)
    yield from _repetitions(pairs)
    designed = [pair for pair in pairs if is_designed(pair)]
    for pair in designed:
        for message in check_pair(pair):
            yield Finding("error", pair.id, message)
    for place, message in check_set(designed):
        yield Finding("error", place, message)


def _sentences(pair: Pair) -> Iterator[Finding]:
    if not pair.good.strip() or not pair.bad.strip():
        yield Finding("error", pair.id, "one of its sentences is empty.")
    if pair.good == pair.bad:
        yield Finding("error", pair.id, "its sentences are the same.")
    elif pair.good.split() == pair.bad.split():
        yield Finding("error", pair.id, "its sentences differ in white space only.")
    elif unicodedata.normalize("NFC", pair.good) == unicodedata.normalize("NFC", pair.bad):
        yield Finding("error", pair.id, "its sentences differ in encoding only.")
    for word in dict.fromkeys(f"{pair.good} {pair.bad}".split()):
        scripts = _scripts(word)
        if len(scripts) > 1 and not scripts & _MIXING:
            names = " and ".join(sorted(name.capitalize() for name in scripts))
            yield Finding("error", pair.id, f"{word} mixes {names} letters.")


def _scripts(word: str) -> set[str]:
    """The scripts of a word's letters, by the first word of each letter's name."""
    letters = (letter for letter in word if unicodedata.category(letter).startswith("L"))
    return {unicodedata.name(letter, "?").split()[0] for letter in letters}


def _cloze(pair: Pair) -> Iterator[Finding]:
    parts = (pair.prefix, pair.gold, pair.after)
    if any(parts[:2]) and " ".join(filter(None, parts)) != pair.good:
        message = "its prefix, its verb and what follows do not make up its acceptable sentence."
        yield Finding("error", pair.id, message)


def _repetitions(pairs: Sequence[Pair]) -> Iterator[Finding]:
    """The same pair twice, and a sentence that is good here and bad there."""
    seen: dict[tuple[str, str], str] = {}
    acceptable = {pair.good: pair.id for pair in pairs}
    for pair in pairs:
        both = (pair.good, pair.bad)
        if both in seen:
            yield Finding("error", pair.id, f"it repeats {seen[both]}.")
        seen.setdefault(both, pair.id)
        if pair.bad in acceptable and pair.good != pair.bad:
            other = acceptable[pair.bad]
            yield Finding("error", pair.id, f"its bad sentence is the acceptable one of {other}.")
