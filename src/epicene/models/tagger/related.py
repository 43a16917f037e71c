"""What a list of word frequencies says of a word: how common it and its related forms are.

A form is related to a word by an edit script. Which of them exist, and how often they are used,
tells a verb from a noun and a person from a thing, also for words that were never seen in training.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from epicene.core.errors import InputError
from epicene.models.tagger.encoding import EditScript

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from epicene.models.tagger.encoding import Inventory, Vocabulary
    from epicene.models.tagger.network import FloatArray

# Words, and the logarithm (to base 10) of how often each is used in a billion words.
Frequencies: TypeAlias = "Mapping[str, float]"

# The related forms that are looked up beside the counterparts: the commonest in the language.
_COMMON_SCRIPTS = 160
# From how many of the commonest words they are taken, and how much of a word they may touch.
_COMMON_WORDS = 10_000
_MOST_LETTERS = 3
_SHORTEST_STEM = 3
# A counterpart's script may have so many letters in all.
_LONGEST_SCRIPT = 8


def known_frequencies(language: str, vocabulary: Vocabulary) -> dict[str, float]:
    """The words of the package wordfreq that are spelt with known letters; none if it lacks the
    language.
    """
    try:
        from wordfreq import available_languages, get_frequency_dict
    except ModuleNotFoundError as error:
        raise InputError(
            f"Training needs the package {error.name}, which is not installed; run `pip install "
            "'epicene[hf,morphology]'`."
        ) from error
    if language not in available_languages("best"):
        return {}
    letters = set(vocabulary.letters)
    return {
        word: round(math.log10(share) + 9, 2)
        for word, share in get_frequency_dict(language, "best").items()
        if letters.issuperset(word)
    }


def related_scripts(inventory: Inventory, frequencies: Frequencies) -> tuple[EditScript, ...]:
    """The scripts of the counterparts, and those by which most common words differ."""
    counterparts = {
        outcome.script
        for outcome in inventory.outcomes
        if outcome.script and sum(map(len, outcome.script)) <= _LONGEST_SCRIPT
    }
    common = sorted(frequencies, key=lambda word: (-frequencies[word], word))[:_COMMON_WORDS]
    swaps = _common_swaps(tuple(common))
    return (*sorted(counterparts), *(swap for swap in swaps if swap not in counterparts))


@cache
def _common_swaps(words: tuple[str, ...]) -> tuple[EditScript, ...]:
    """The beginnings and endings that most often replace one another."""
    endings, beginnings = defaultdict(list), defaultdict(list)
    for word in words:
        for size in range(min(_MOST_LETTERS, len(word) - _SHORTEST_STEM) + 1):
            cut = len(word) - size
            endings[word[:cut]].append(word[cut:])
            beginnings[word[size:]].append(word[:size])
    found = Counter(
        EditScript("", "", one, other)
        for ends in endings.values()
        for one, other in combinations(sorted(ends), 2)
        if _differ(one[:1], other[:1])
    )
    found += Counter(
        EditScript(one, other, "", "")
        for starts in beginnings.values()
        for one, other in combinations(sorted(starts), 2)
        if _differ(one[-1:], other[-1:])
    )
    best = sorted(found, key=lambda script: (-found[script], script))[: _COMMON_SCRIPTS // 2]
    return tuple(way for script in best for way in (script, _reversed(script)))


def _differ(one: str, other: str) -> bool:
    """Whether two letters differ; the same would belong to the stem."""
    return not one or one != other


def _reversed(script: EditScript) -> EditScript:
    return EditScript(script.new_start, script.start, script.new_end, script.end)


class RelatedForms:
    """Looks the related forms of words up."""

    def __init__(self, scripts: Sequence[EditScript], frequencies: Frequencies) -> None:
        self._frequencies = frequencies
        self._count = len(scripts)
        self._by_ends: dict[tuple[str, str], list[tuple[int, str, str]]] = defaultdict(list)
        for number, script in enumerate(scripts):
            ends = self._by_ends[script.start, script.end]
            ends.append((number, script.new_start, script.new_end))
        self._lengths = sorted({(len(start), len(end)) for start, end in self._by_ends})

    def features(self, words: Sequence[str]) -> FloatArray:
        """A row for each word: how common each form is, as such and beside the word; the word."""
        rows = np.zeros((len(words), feature_count(self._count)), np.float32)
        for row, word in zip(rows, words, strict=True):
            own = self._frequencies.get(word, 0.0)
            row[-2:] = own / 4, own > 0
            for number, form in self._forms(word):
                common = self._frequencies.get(form)
                if common:
                    row[number] = common / 4
                    row[self._count + number] = max(-1, min(1, (common - max(own, 1.0)) / 2))
        return rows

    def _forms(self, word: str) -> Iterable[tuple[int, str]]:
        for start, end in self._lengths:
            if (cut := len(word) - end) > start:
                stem = word[start:cut]
                for number, new_start, new_end in self._by_ends.get((word[:start], word[cut:]), ()):
                    yield number, new_start + stem + new_end


def feature_count(scripts: int) -> int:
    """How many numbers there are for each word; none without scripts."""
    return 2 * scripts + 2 if scripts else 0
