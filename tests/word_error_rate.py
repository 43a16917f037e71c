"""Word error rate over white-space words, pooled over pairs, in per cent."""

from __future__ import annotations

from collections.abc import Iterable


def edits(guess: list[str], gold: list[str]) -> int:
    """The fewest words to insert, delete or replace."""
    row = list(range(len(guess) + 1))
    for count, word in enumerate(gold, start=1):
        diagonal, row[0] = row[0], count
        for at, other in enumerate(guess, start=1):
            changed = diagonal + (word != other)
            diagonal, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, changed)
    return row[-1]


def word_error_rate(pairs: Iterable[tuple[str, str]]) -> float:
    """Of pairs (guess, gold)."""
    wrong = words = 0
    for guess, gold in pairs:
        wrong += edits(guess.split(), gold.split())
        words += len(gold.split())
    return 100 * wrong / words
