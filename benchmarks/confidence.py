"""Fit how likely a change of `epicene rewrite` is to be right, and check it on other sentences.

    python benchmarks/confidence.py [--write] [LANGUAGE …]      (default: all)

The changes of the starter set and of the odd lines of MT-GenEval's development set, in both
directions, are the examples (of English, from he to she and back, and half of the published pairs
for neutral English, from he to they): a change is right if it alone brings the text nearer to the
wanted one, word by word. The regression (logistic, penalised) is then checked on the even lines:
the changes by their probability, and how many of them were right. The rules' writers have read
errors of both. `--write` keeps the weights in the language's folder. Needs EPICENE_PUBLISHED_DATA.
"""

from __future__ import annotations

import itertools
import os
import sys
from difflib import SequenceMatcher
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.optimize import minimize

from epicene import languages
from epicene.languages.tokenisation import tokens
from epicene.rewriting import Change, Rewriting, find_rewriter, rewritable_languages
from epicene.rewriting.confidence import change_features
from epicene.rewriting.persons import GENDERS, PERSONS, apply_changes, other_gender
from epicene.suites.genform.data import STARTER
from rewrite_gender import Pairs, published, starter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

PENALTY = 1.0  # of the squared weights, the intercept excepted
EDGES = (0.0, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0)  # of the reliability table
PRONOUNS = {"masculine": "he", "feminine": "she"}


class Example(NamedTuple):
    """A change: what is known of it, what the rule says, and whether it is right."""

    features: dict[str, float]
    sure: str
    right: bool


def examples(language: str, person: str, pairs: Pairs) -> Iterator[Example]:
    """All changes of the pairs, in both directions."""
    for gender in GENDERS:
        options: dict[str, str] = {person: gender}
        if language == "en":
            options = {"pronouns": PRONOUNS[gender]}
        wanted = [(pair[other_gender(gender)], pair[gender]) for pair in pairs]
        yield from _directed(language, options, wanted)


def neutral_examples(lines: slice) -> Iterator[Example]:
    """All changes from he to they in the published pairs for neutral English."""
    folder = Path(os.environ["EPICENE_PUBLISHED_DATA"], "misgendering/neutral")
    sides = [(folder / f"male.{side}").read_text("utf-8").splitlines()[lines]
             for side in ("source", "target")]  # fmt: skip
    yield from _directed("en", {"pronouns": "they"}, zip(*sides, strict=True))


def _directed(
    language: str, options: dict[str, str], pairs: Iterable[tuple[str, str]]
) -> Iterator[Example]:
    rewrite = find_rewriter(language).open(options)
    for source, wanted in pairs:
        (made,) = rewrite([source])
        yield from _rate(language, source, wanted, made)


def _rate(language: str, source: str, wanted: str, made: Rewriting) -> Iterator[Example]:
    before = _distance(language, source, wanted)
    for change, features in zip(made.changes, change_features(made), strict=True):
        alone = apply_changes(source, _same_word(source, change, made)).text
        yield Example(features, change.sure, _distance(language, alone, wanted) < before)


def _same_word(source: str, change: Change, made: Rewriting) -> list[Change]:
    """The change and those that belong to the same word: 's becomes 're only where she is they."""
    return [
        each
        for each in made.changes
        if " " not in source[min(each.end, change.end) : max(each.start, change.start)]
    ]


def _distance(language: str, text: str, wanted: str) -> int:
    """How many words differ."""
    made, right = (
        [side[each.start : each.end] for each in tokens(side, language)] for side in (text, wanted)
    )
    return sum(
        max(end - start, other_end - other_start)
        for kind, start, end, other_start, other_end in SequenceMatcher(
            None, made, right, autojunk=False
        ).get_opcodes()
        if kind != "equal"
    )


def fit(found: Sequence[Example]) -> dict[str, float]:
    """The weights that make the examples likeliest, small ones preferred."""
    names = sorted({name for each in found for name in each.features})
    x = np.array([[each.features.get(name, 0.0) for name in names] for each in found])
    sign = np.array([1.0 if each.right else -1.0 for each in found])
    penalty = np.array([0.0 if name == "intercept" else PENALTY for name in names])

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        margin = sign * (x @ w)
        wrongness = sign / (1 + np.exp(margin))
        value = np.logaddexp(0, -margin).sum() + (penalty * w * w).sum() / 2
        return float(value), penalty * w - x.T @ wrongness

    weights = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B").x
    return {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)}


def print_reliability(weights: dict[str, float], found: Sequence[Example]) -> None:
    """The changes by probability and by what the rule says, and how many of each were right."""
    sums = [sum(weights.get(n, 0.0) * v for n, v in each.features.items()) for each in found]
    probability = 1 / (1 + np.exp(-np.array(sums)))
    right = np.array([each.right for each in found], float)
    print("  | probability | changes | mean | right |\n  |---|--:|--:|--:|")
    for low, high in itertools.pairwise(EDGES):
        inside = (probability >= low) & ((probability < high) | (high == 1))
        if inside.any():
            mean, share = probability[inside].mean(), right[inside].mean()
            print(f"  | {low}–{high} | {inside.sum()} | {mean:.3f} | {share:.3f} |")
    for sure in ("certain", "likely", "guess"):
        of_it = [each.right for each in found if each.sure == sure]
        if of_it:
            print(f"  {sure}: {sum(of_it)} of {len(of_it)} right ({np.mean(of_it):.3f})")
    brier = ((probability - right) ** 2).mean()
    constant = (right.mean() * (1 - right.mean())).item()
    print(f"  Brier score {brier:.4f}; of the mean rate alone {constant:.4f}")


def main() -> None:
    """Fit and check each language."""
    wanted = [each for each in sys.argv[1:] if not each.startswith("--")]
    for language in wanted or rewritable_languages():
        rewriter = find_rewriter(language)
        by_gender = {*PERSONS} <= {*rewriter.takes}
        pairs = published(language) if by_gender else published("fr", "en")
        if not pairs:
            sys.exit(f"There is no MT-GenEval for {language}; set EPICENE_PUBLISHED_DATA.")
        known = list(examples(language, "others", pairs[::2]))
        checked = list(examples(language, "others", pairs[1::2]))
        if by_gender:
            known += examples(language, "speaker", starter(STARTER / f"{language}.jsonl"))
        else:
            known += neutral_examples(slice(0, None, 2))
            checked += neutral_examples(slice(1, None, 2))
        weights = fit(known)
        print(f"{language}: fitted on {len(known)} changes, checked on {len(checked)}")
        print_reliability(weights, checked)
        if "--write" in sys.argv:
            package = languages.get(language).rewriter.partition(":")[0]
            lines = [f'"{name}" = {weight}' for name, weight in weights.items()]
            head = "# Fitted by benchmarks/confidence.py; how it is used: rewriting/confidence.py."
            path = Path(str(files(package).joinpath("confidence.toml")))
            path.write_text("\n".join([head, *lines, ""]), "utf-8")


if __name__ == "__main__":
    main()
