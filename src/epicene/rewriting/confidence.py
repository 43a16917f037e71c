"""How likely a change is to be right, as a calibrated probability.

The model is a logistic regression over the features of a change: its rule, the rule's own
confidence, whose gender it shows, how long the text is and how many changes it has. The weights of
each language are in its own file, `confidence.toml`, which `benchmarks/confidence.py` fits on the
starter set and on MT-GenEval's development set; docs/guides/rewrite.md says how far they can be
trusted. Without such a file, as for a trained tagger, there is no probability.
"""

from __future__ import annotations

import math
from collections import defaultdict
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

import msgspec

from epicene import languages
from epicene.rewriting.neutral import is_neutral
from epicene.rewriting.persons import apply_changes
from epicene.rewriting.word_lists import read_toml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from epicene.rewriting import Rewriting


def change_features(rewriting: Rewriting) -> Iterator[dict[str, float]]:
    """The features of each change."""
    shared = {
        "intercept": 1.0,
        "log2 words": math.log2(1 + len(rewriting.text.split())),
        "log2 changes": math.log2(1 + len(rewriting.changes)),
    }
    for change in rewriting.changes:
        yield {
            **shared,
            f"sure {change.sure}": 1.0,
            f"whose {change.whose}": 1.0,
            # A French rule begins with the person and the gender.
            f"rule {change.rule.rpartition(': ')[2]}": 1.0,
        }


def knows_probabilities(language: str) -> bool:
    """Whether the language has weights."""
    return bool(_weights(language))


def add_probabilities(language: str, rewriting: Rewriting) -> Rewriting:
    """The rewriting, each change with its probability of being right.

    Neutral forms have none: the weights were fitted to changes between genders.
    """
    weights = _weights(language)
    if not weights or not rewriting.changes:
        return rewriting
    rated = (
        change
        if is_neutral(change)
        else msgspec.structs.replace(change, probability=_probability(weights, features))
        for change, features in zip(rewriting.changes, change_features(rewriting), strict=True)
    )
    return msgspec.structs.replace(rewriting, changes=tuple(rated))


def leave_out_doubtful(rewriting: Rewriting, least: float) -> Rewriting:
    """The rewriting with only the changes that are likely enough; the others are in `left_out`.

    The changes of one person in a text belong together (an article and its noun): they are made if
    the least likely of them has at least the probability `least`; otherwise all are left out.
    Changes of unknown probability are left out too.
    """
    lowest: dict[str, float] = defaultdict(lambda: 1.0)
    for each in rewriting.changes:
        lowest[each.whose] = min(lowest[each.whose], each.probability or 0.0)
    doubtful = tuple(each for each in rewriting.changes if lowest[each.whose] < least)
    if not doubtful:
        return rewriting
    kept = (each for each in rewriting.changes if lowest[each.whose] >= least)
    kept_only = apply_changes(_original_text(rewriting), kept)
    return msgspec.structs.replace(kept_only, left_out=(*rewriting.left_out, *doubtful))


def _original_text(rewriting: Rewriting) -> str:
    """The text before its changes."""
    pieces: list[str] = []
    reached = shift = 0  # in the rewritten text; how much longer it is than the original so far
    for change in rewriting.changes:
        start = change.start + shift
        pieces += [rewriting.text[reached:start], change.before]
        reached = start + len(change.after)
        shift += len(change.after) - len(change.before)
    return "".join([*pieces, rewriting.text[reached:]])


def _probability(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    """Rounded to three digits, and never 0 or 1: no set of examples could show that."""
    total = sum(weights.get(name, 0.0) * x for name, x in features.items())
    return min(max(round(1 / (1 + math.exp(-total)), 3), 0.001), 0.999)


@cache
def _weights(language: str) -> dict[str, float]:
    """The weights of a language's model; empty if it has none."""
    package = languages.get(language).rewriter.partition(":")[0]
    if not hasattr(import_module(package), "__path__"):
        return {}  # a single module has no files beside it
    try:
        return {name: float(weight) for name, weight in read_toml(package, "confidence").items()}
    except FileNotFoundError:
        return {}
