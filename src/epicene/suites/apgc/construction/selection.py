"""Select sentence pairs to annotate, by first- and second-person pronouns in the English."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import regex

from epicene.core.data_files import read_rows
from epicene.core.errors import InputError
from epicene.core.records import Positive
from epicene.suites.construction import BuildSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.suites.construction import StepOutputs, StepRow

PersonsMentioned: TypeAlias = Literal["both", "first", "second"]

_FIRST = regex.compile(r"\b(?:I|me|my|mine|myself)\b", regex.I)
_SECOND = regex.compile(r"\b(?:you|your|yours|yourself)\b", regex.I)
_PUNCTUATION = regex.compile(r"([\p{P}\p{S}--[_]])", regex.V1)
_CONTROL = regex.compile(r"[\p{Cc}\p{Cf}--[\u200c\u200d]]", regex.V1)


# As in the paper's selection: pronouns of both persons, of the first only, of the second only.
_SHARES = (0.211, 0.425, 0.364)


class ApgcBuild(BuildSettings, frozen=True, kw_only=True):
    """The settings of the construction."""

    files: ClassVar[tuple[str, ...]] = ("bitext",)

    bitext: str = ""  # a file with the columns english and arabic
    size: Positive = 1000
    shares: tuple[float, ...] = _SHARES
    people: Positive = 2  # who label each sentence
    splits: tuple[float, ...] = (0.7, 0.1, 0.2)


def select(_outputs: StepOutputs, settings: ApgcBuild) -> Iterator[StepRow]:
    """Pairs with pronouns of the two persons, in the requested proportions."""
    if not settings.bitext:
        raise InputError("A corpus is built from a parallel file; set one with --set bitext=FILE.")
    pairs = list(read_pairs(Path(settings.bitext)))
    yield from sample_pairs(pairs, settings.size, settings.shares, settings.seed)


def persons_mentioned(english: str) -> PersonsMentioned | None:
    """Whether a sentence has pronouns of the first person, of the second, or both."""
    first, second = bool(_FIRST.search(english)), bool(_SECOND.search(english))
    if first and second:
        return "both"
    return "first" if first else "second" if second else None


def separate_punctuation(text: str) -> str:
    """The text with punctuation marks as separate words and without invisible characters."""
    return " ".join(_PUNCTUATION.sub(r" \1 ", _CONTROL.sub(" ", text)).split())


def read_pairs(path: Path) -> Iterator[StepRow]:
    """The pairs of a parallel file (`english`, `arabic`) with a pronoun of either person."""
    seen: set[str] = set()
    for number, line in enumerate(read_rows(path), start=1):
        english, arabic = line.values.get("english"), line.values.get("arabic")
        if not isinstance(english, str) or not isinstance(arabic, str):
            raise InputError(f"{line.location} lacks the field 'english' or 'arabic'.")
        people, text = persons_mentioned(english), separate_punctuation(arabic)
        if people is None or not text or text in seen:
            continue
        seen.add(text)
        yield {
            "id": str(line.values.get("id") or number),
            "english": english.strip(),
            "text": text,
            "people": people,
            "origin": str(line.values.get("origin") or ""),
        }


def sample_pairs(
    pairs: Sequence[StepRow], size: int, shares: Sequence[float], seed: int
) -> list[StepRow]:
    """A sample of `size` pairs, with these shares of each kind, in the file's order."""
    kinds: tuple[PersonsMentioned, ...] = ("both", "first", "second")
    if len(shares) != len(kinds) or min(shares) < 0 or sum(shares) <= 0:
        raise InputError(
            "The shares must be three numbers: for both persons, for the first, and for the second."
        )
    draw = random.Random(seed)
    chosen: set[str] = set()
    for kind, wanted in zip(kinds, _apportion(size, shares), strict=True):
        there = [pair["id"] for pair in pairs if pair["people"] == kind]
        if wanted > len(there):
            raise InputError(
                f"The file has {len(there)} pairs of the kind {kind!r}, but {wanted} are "
                "needed; ask for fewer, or for other shares."
            )
        chosen.update(draw.sample(there, wanted))
    return [pair for pair in pairs if pair["id"] in chosen]


def _apportion(size: int, shares: Sequence[float]) -> list[int]:
    """Whole numbers in these proportions that add up to `size`, by largest remainder."""
    exact = [size * share / sum(shares) for share in shares]
    whole = [int(number) for number in exact]
    by_remainder = sorted(range(len(exact)), key=lambda index: whole[index] - exact[index])
    for index in by_remainder[: size - sum(whole)]:
        whole[index] += 1
    return whole
