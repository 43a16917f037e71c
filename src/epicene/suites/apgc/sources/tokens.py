"""Token files: `token label` a line, a blank line after every sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from epicene.datafiles import read_text
from epicene.errors import InputError
from epicene.suites.apgc.labels import parse_word_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


class Tokens(NamedTuple):
    """A sentence's words, their labels (none in a file without), and its first line's number."""

    words: tuple[str, ...]
    labels: tuple[str, ...]
    line: int

    @property
    def text(self) -> str:
        """The words with a blank between them."""
        return " ".join(self.words)


def read_tokens(path: Path) -> list[Tokens]:
    """The sentences of a token file."""
    sentences: list[Tokens] = []
    words: list[str] = []
    labels: list[str] = []
    start = 1
    lines = read_text(path).split("\n")
    for number, line in enumerate(lines, start=1):
        if line.strip():
            word, label = _token(line, f"{path}, line {number},")
            if words and bool(label) != bool(labels):
                raise InputError(f"{path}, line {number}, has {'a' if label else 'no'} label, "
                                 "unlike the line before it.")  # fmt: skip
            words.append(word)
            labels += [label] if label else []
        elif words:
            sentences.append(Tokens(tuple(words), tuple(labels), start))
            words, labels = [], []
        if not line.strip():
            start = number + 1
    if words:
        raise InputError(
            f"{path}, line {start}: the last sentence has no blank line after it; the file looks "
            "cut off."
        )
    return sentences


def _token(line: str, place: str) -> tuple[str, str]:
    word, *rest = line.split()
    if len(rest) > 1:
        raise InputError(f"{place} has {len(rest) + 1} parts; a line is a word and its label.")
    if rest:
        parse_word_label(rest[0], place)
    return word, rest[0] if rest else ""


def read_parallel_tokens(paths: Sequence[Path]) -> list[tuple[Tokens, ...]]:
    """Token files that stand line for line beside each other."""
    first, *others = (read_tokens(path) for path in paths)
    for path, other in zip(paths[1:], others, strict=True):
        for one, two in zip(first, other, strict=False):
            if len(one.words) != len(two.words):
                short = one.line + min(len(one.words), len(two.words))
                here, there = (path, paths[0])
                if len(two.words) < len(one.words):
                    here, there = there, here
                raise InputError(
                    f"{here}, line {short}, goes on with a sentence that ends there in {there}: a "
                    "blank line is missing, or the sentence has another number of words."
                )
        if len(first) != len(other):
            raise InputError(f"{path} has {len(other)} sentences, but {paths[0]} has {len(first)}.")
    return list(zip(first, *others, strict=True))


def write_tokens(path: Path, sentences: Iterable[tuple[Sequence[str], Sequence[str]]]) -> None:
    """Write words with their labels; without labels, the words alone."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for words, labels in sentences:
            beside = [f" {label}" for label in labels] or [""] * len(words)
            for word, label in zip(words, beside, strict=True):
                file.write(f"{word}{label}\n")
            file.write("\n")
