"""Figures 4–11, and contact sheets with the images of each word and the judges' votes.

Sorted by effect, the contact sheets are the paper's Figures 4 and 5: words that behave as expected
and words that do the reverse.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from epicene.core.records import ContactSheet, Estimate, ImageStrip, SheetImage
from epicene.show import charts
from epicene.suites.gramvis.articles import with_article
from epicene.suites.gramvis.counts import count_array, divergent_words, with_drawer
from epicene.suites.gramvis.items import (
    CATEGORIES,
    CONDITIONS,
    GRAMMAR_NAMES,
    GRAMMARS,
    LABEL_OF_GRAMMAR,
    LABELS,
)
from epicene.suites.gramvis.judge import VOTE_PREFIX, judged_images
from epicene.suites.gramvis.metrics import ratio_terms, word_average
from epicene.suites.gramvis.prompts import prompt_language, prompts_for, templates_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.core.records import Figure
    from epicene.suites import Answers, Results
    from epicene.suites.gramvis.counts import CountArray
    from epicene.suites.gramvis.items import PromptItem, Word
    from epicene.suites.gramvis.judge import JudgedImage
    from epicene.suites.gramvis.protocol import GramvisProtocol

WORDS_PER_FIGURE = 12
EFFECT = "own gender's share, gendered less English"
SHARE = "share of words"


def figures(results: Results[GramvisProtocol]) -> Iterator[Figure]:
    """Figures 4 to 11, those that have something to show."""
    counts = count_array(divergent_words(with_drawer(results)))
    if not counts.words:
        return
    for name, title, sign in (
        ("4", "Words whose grammar changes most who is shown", 1),
        ("5", "Words that most often show the gender opposite to their grammar", -1),
    ):
        with suppress(charts.EmptyChartError):
            yield _strongest_words(name, title, counts, sign)
    yield from _word_figures(counts)
    with suppress(charts.EmptyChartError):
        yield _effects_figure(counts)


def word_effects(counts: CountArray) -> list[tuple[str, str, float]]:
    """Each word with its grammatical gender and the mean over models of its effect on English."""
    found = []
    for index, word in enumerate(counts.words):
        part = counts.select(np.array([index]))
        gendered, neutral = (
            ratio_terms(part, condition, LABEL_OF_GRAMMAR[word.grammar], "words")
            for condition in ("gendered", "english")
        )
        both = (gendered[1] > 0) & (neutral[1] > 0)
        if both.any():
            effect = float(np.mean(gendered[0][both] - neutral[0][both]))
            name = word.word.replace("_", " ").strip()
            found.append((f"{name} ({word.language})", word.grammar, effect))
    return found


def _strongest_words(name: str, title: str, counts: CountArray, sign: int) -> Figure:
    """The words of the strongest effects with that sign."""
    words = sorted(word_effects(counts), key=lambda word: -sign * word[2])
    rows: list[dict[str, Any]] = [
        {"word": word, "grammar": GRAMMAR_NAMES[grammar], EFFECT: effect}
        for word, grammar, effect in words
        if sign * effect > 0
    ]
    left_out = len(rows) - WORDS_PER_FIGURE
    return charts.bars(
        name,
        title,
        rows[:WORDS_PER_FIGURE],
        x=EFFECT,
        y="word",
        color="grammar",
        unit="difference",
        notes=(
            "The share of the word's own gender under the gendered prompt minus that under "
            "English, all models.",
            *([f"{left_out} words with a weaker effect are left out."] if left_out > 0 else ()),
        ),
    )


def _word_figures(counts: CountArray) -> Iterator[Figure]:
    """Figures 6 to 11."""
    total = len(counts.words)
    names = {category: category.replace("_", " ") for category in CATEGORIES}
    by_category: list[dict[str, Any]] = [
        {
            "category": names[category],
            "words": float(len(counts.word_indices(category=category))),
            SHARE: len(counts.word_indices(category=category)) / total,
        }
        for category in CATEGORIES
    ]
    yield charts.bars(
        "6",
        "Words by grammatical gender",
        [
            {"grammar": GRAMMAR_NAMES[g], SHARE: len(counts.word_indices(grammar=g)) / total}
            for g in GRAMMARS
        ],
        x="grammar",
        y=SHARE,
        unit="share",
    )
    yield charts.bars("7", "Words by category", by_category, x="category", y=SHARE, unit="share")
    yield charts.heatmap(
        "8",
        "Categories by grammatical gender",
        [
            {
                "grammar": GRAMMAR_NAMES[g],
                "category": names[c],
                SHARE: _category_share(counts, c, grammar=g),
            }
            for g in GRAMMARS
            for c in CATEGORIES
        ],
        x="category",
        y="grammar",
        value=SHARE,
        unit="share",
    )
    yield charts.bars("9", "Words by category", by_category, x="category", y="words", unit="count")
    yield charts.heatmap(
        "10",
        "Categories by language",
        [
            {
                "language": code,
                "category": names[c],
                SHARE: _category_share(counts, c, language=code),
            }
            for code in counts.languages
            for c in CATEGORIES
        ],
        x="category",
        y="language",
        value=SHARE,
        unit="share",
    )
    yield charts.bars(
        "11",
        "Words by language and grammatical gender",
        [
            {
                "language": code,
                "grammar": GRAMMAR_NAMES[g],
                "words": float(len(counts.word_indices(code, g))),
            }
            for code in counts.languages
            for g in GRAMMARS
        ],
        x="language",
        y="words",
        color="grammar",
        unit="count",
    )


def _category_share(
    counts: CountArray, category: str, language: str = "", grammar: str = ""
) -> Estimate:
    whole = len(counts.word_indices(language, grammar))
    if not whole:
        return Estimate(value=None, why="there are no such words")
    return Estimate(value=len(counts.word_indices(language, grammar, category)) / whole, n=whole)


def _effects_figure(counts: CountArray) -> Figure:
    """Every cell's effect against English with its interval, whatever the protocol."""
    average = word_average()
    rows: list[dict[str, Any]] = [
        {
            "language": language,
            "model": drawer,
            "words": f"{GRAMMAR_NAMES[grammar]} words",
            EFFECT: average.effect(part, "english", LABEL_OF_GRAMMAR[grammar]),
        }
        for (language, drawer, grammar), part in counts.cells()
    ]
    return charts.points_with_intervals(
        "effects",
        "Effect of grammatical gender compared with English",
        rows,
        x="language",
        y=EFFECT,
        color="model",
        facet="words",
        unit="difference",
        reference=0.0,
        notes=("Means over words; intervals are over words.",),
    )


_LETTERS = {"male": "M", "female": "F", "neither": "N", None: "–"}
_LEGEND = (
    "2.1 is the first shot of the second prompt; the label and the judges' votes follow: M "
    "male, F female, N neither, – unreadable."
)


def contact_sheets(
    answered: Iterable[tuple[PromptItem, Answers]], protocol: GramvisProtocol
) -> Iterator[ContactSheet]:
    """A sheet for each word, in the order of the list."""
    words: dict[str, Word] = {}
    images: dict[str, dict[str, list[JudgedImage]]] = defaultdict(lambda: defaultdict(list))
    for item, answers in answered:
        words[item.entry.id] = item.entry
        for image in judged_images(item, answers, protocol):
            images[item.entry.id][image.sample.item.condition].append(image)
    for word_id, by_condition in images.items():
        yield _contact_sheet(words[word_id], by_condition, protocol)


def _contact_sheet(
    word: Word, images: dict[str, list[JudgedImage]], protocol: GramvisProtocol
) -> ContactSheet:
    effect = _word_effect(word, images)
    kind = "control" if word.control else "divergent"
    facets = {
        "language": word.language.lower(),
        "grammar": word.grammar,
        "stereotype": word.stereotype,
        "category": word.category.replace("_", " "),
        "kind": kind,
    }
    about = [f"{word.english}, {word.chinese}", facets["category"], kind]
    if effect is not None:
        about.append(f"effect on English {100 * effect:+.0f} points")
    return ContactSheet(
        name=with_article(word.article, word.word),
        language=word.language.lower(),
        about="; ".join(about),
        legend=_LEGEND,
        value=effect,
        facets=facets,
        strips=tuple(
            _strip(word, condition, images[condition], protocol)
            for condition in CONDITIONS
            if images.get(condition)
        ),
    )


def _strip(
    word: Word, condition: str, images: Sequence[JudgedImage], protocol: GramvisProtocol
) -> ImageStrip:
    counts = Counter(each.majority.label for each in images if not each.sample.missing)
    drawn = [f"{counts[label]} {label}" for label in LABELS]
    missing = sum(bool(each.sample.missing) for each in images)
    drawn += [f"{counts[None]} unreadable"] if counts[None] else []
    drawn += [f"{missing} not drawn"] if missing else []
    prompts = prompts_for(word, condition, templates_of(protocol))
    return ImageStrip(
        heading=f"{condition.capitalize()} prompts",
        summary=", ".join(drawn),
        prompts=prompts,
        language=prompt_language(word, condition).lower(),
        images=tuple(
            _captioned_image(word, condition, each) for each in sorted(images, key=_image_order)
        ),
    )


def _image_order(image: JudgedImage) -> tuple[int, int]:
    """The first shot of every template comes first."""
    return int(image.sample.item.shot), int(image.sample.item.template)


def _captioned_image(word: Word, condition: str, image: JudgedImage) -> SheetImage:
    sample = image.sample
    number = f"{sample.item.template}.{sample.item.shot}"
    prompt = f"{condition.capitalize()} prompt {sample.item.template}"
    source = f"{prompt} for {word.word}, shot {sample.item.shot}"
    if sample.missing:
        return SheetImage(
            caption=number,
            alt=f"No image of {source}: {sample.missing}.",
            missing=sample.missing,
        )
    votes = [(vote.name.removeprefix(VOTE_PREFIX), vote.label) for vote in image.votes]
    letters = " ".join(_LETTERS[label] for _, label in votes)
    said = ", ".join(f"{name} says {label or 'nothing readable'}" for name, label in votes)
    label = image.majority.label or "unreadable"
    return SheetImage(
        sha256=sample.image.sha256,
        caption=f"{number} {label} ({letters})",
        alt=f"Image of {source}: labelled {label}; {said}.",
    )


def _word_effect(word: Word, images: dict[str, list[JudgedImage]]) -> float | None:
    """The own gender's share under the gendered prompt less under English, of men and women."""
    shares = []
    for condition in ("gendered", "english"):
        counts = Counter(each.majority.label for each in images.get(condition, ()))
        people = counts["male"] + counts["female"]
        if not people:
            return None
        shares.append(counts[LABEL_OF_GRAMMAR[word.grammar]] / people)
    return shares[0] - shares[1]
