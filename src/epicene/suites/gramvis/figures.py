"""Figures 4–11, and contact sheets with the images of each word and the judges' votes.

Sorted by effect, the contact sheets are the paper's Figures 4 and 5: words that behave as expected
and words that do the reverse.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from epicene import charts
from epicene.core.records import ContactSheet, Estimate, ImageStrip, SheetImage
from epicene.suites.gramvis.articles import with_article
from epicene.suites.gramvis.items import CATEGORIES, CONDITIONS, GRAMMARS, LABEL_OF_GRAMMAR, LABELS
from epicene.suites.gramvis.judge import VOTE_PREFIX, image_samples, judge
from epicene.suites.gramvis.metrics import (
    Average,
    count_array,
    divergent_words,
    ratio_terms,
    with_drawer,
)
from epicene.suites.gramvis.prompts import prompt_language, prompts_for, templates_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.core.records import Figure, Judgement
    from epicene.suites import Answers, Results
    from epicene.suites.gramvis.items import PromptItem, Word
    from epicene.suites.gramvis.judge import ImageSample
    from epicene.suites.gramvis.metrics import CountArray
    from epicene.suites.gramvis.protocol import GramvisProtocol

WORDS_PER_FIGURE = 12  # words a figure
EFFECT = "own gender's share, gendered less English"
SHARE = "share of words"
GENDERS = {"M": "masculine", "F": "feminine"}


def figures(results: Results[GramvisProtocol]) -> Iterator[Figure]:
    """Figures 4 to 11, those that have something to show."""
    counts = count_array(divergent_words(with_drawer(results)))
    if not counts.words:
        return
    for make in (_expected_figure, _reversed_figure):
        with suppress(charts.EmptyChartError):
            yield make(counts)
    yield from _word_figures(counts)
    with suppress(charts.EmptyChartError):
        yield _effects_figure(counts, results.protocol)


def word_effects(counts: CountArray) -> list[tuple[str, str, float]]:
    """Each word with its grammatical gender and the mean over models of its effect on English."""
    found = []
    for place, word in enumerate(counts.words):
        part = counts.part(np.array([place]))
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


def _expected_figure(counts: CountArray) -> Figure:
    return _strongest_words("4", "Words whose grammar moves who is shown most", counts, 1)


def _reversed_figure(counts: CountArray) -> Figure:
    return _strongest_words(
        "5", "Words that most show the other gender than their grammar's", counts, -1
    )


def _strongest_words(name: str, title: str, counts: CountArray, sign: int) -> Figure:
    """The words of the strongest effects with that sign."""
    words = sorted(word_effects(counts), key=lambda word: -sign * word[2])
    rows: list[dict[str, Any]] = [
        {"word": word, "grammar": GENDERS[grammar], EFFECT: effect}
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
            "The own gender's share under the gendered prompt less under English, all models.",
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
            "words": float(len(counts.which(category=category))),
            SHARE: len(counts.which(category=category)) / total,
        }
        for category in CATEGORIES
    ]
    yield charts.bars(
        "6",
        "Words by grammatical gender",
        [{"grammar": GENDERS[g], SHARE: len(counts.which(grammar=g)) / total} for g in GRAMMARS],
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
                "grammar": GENDERS[g],
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
            {"language": code, "grammar": GENDERS[g], "words": float(len(counts.which(code, g)))}
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
    whole = len(counts.which(language, grammar))
    if not whole:
        return Estimate(value=None, why="there are no such words")
    return Estimate(value=len(counts.which(language, grammar, category)) / whole, n=whole)


def _effects_figure(counts: CountArray, protocol: GramvisProtocol) -> Figure:
    """Every cell's effect against English with its interval, whatever the protocol."""
    average = Average("words", intervals=True, resamples=protocol.resamples, seed=protocol.seed)
    rows: list[dict[str, Any]] = [
        {
            "language": language,
            "model": drawer,
            "words": f"{GENDERS[grammar]} words",
            EFFECT: average.effect(part, "english", LABEL_OF_GRAMMAR[grammar]),
        }
        for (language, drawer, grammar), part in counts.cells()
    ]
    return charts.points_with_intervals(
        "effects",
        "The effect of grammatical gender against English",
        rows,
        x="language",
        y=EFFECT,
        color="model",
        facet="words",
        unit="difference",
        reference=0.0,
        notes=("Means over words; intervals resample words.",),
    )


_LETTERS = {"male": "M", "female": "F", "neither": "N", None: "–"}
_LEGEND = (
    "2.1 is the first shot of the second prompt; then come the label and the judges' votes: "
    "M male, F female, N neither, – unreadable."
)


class _JudgedImage(NamedTuple):
    """An image with what the judges said of it."""

    shot: ImageSample
    votes: Sequence[Judgement]
    label: str | None

    @property
    def order(self) -> tuple[int, int]:
        """The first shot of every template comes first."""
        return int(self.shot.picture.shot), int(self.shot.picture.template)


def contact_sheets(
    answered: Iterable[tuple[PromptItem, Answers]], protocol: GramvisProtocol
) -> Iterator[ContactSheet]:
    """A sheet for each word, in the order of the list."""
    words: dict[str, Word] = {}
    images: dict[str, dict[str, list[_JudgedImage]]] = defaultdict(lambda: defaultdict(list))
    for item, answers in answered:
        words[item.entry.id] = item.entry
        for looked in _judged_images(item, answers, protocol):
            images[item.entry.id][looked.shot.picture.condition].append(looked)
    for name, mine in images.items():
        yield _contact_sheet(words[name], mine, protocol)


def _judged_images(
    item: PromptItem, answers: Answers, protocol: GramvisProtocol
) -> Iterator[_JudgedImage]:
    judged: dict[str, list[Judgement]] = defaultdict(list)
    for judgement in judge(item, answers, protocol):
        judged[judgement.item].append(judgement)
    for shot in image_samples(item, answers, protocol):
        *votes, majority = judged[shot.picture.id]
        yield _JudgedImage(shot, votes, majority.label)


def _contact_sheet(
    word: Word, images: dict[str, list[_JudgedImage]], protocol: GramvisProtocol
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
    told = [f"{word.english}, {word.chinese}", facets["category"], kind]
    if effect is not None:
        told.append(f"effect on English {100 * effect:+.0f} points")
    return ContactSheet(
        name=with_article(word.article, word.word),
        language=word.language.lower(),
        about="; ".join(told),
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
    word: Word, condition: str, images: Sequence[_JudgedImage], protocol: GramvisProtocol
) -> ImageStrip:
    counts = Counter(each.label for each in images if not each.shot.missing)
    drawn = [f"{counts[label]} {label}" for label in LABELS]
    missing = sum(bool(each.shot.missing) for each in images)
    drawn += [f"{counts[None]} unreadable"] if counts[None] else []
    drawn += [f"{missing} not drawn"] if missing else []
    prompts = prompts_for(word, condition, templates_of(protocol))
    return ImageStrip(
        heading=f"{condition.capitalize()} prompts",
        summary=", ".join(drawn),
        prompts=prompts,
        language=prompt_language(word, condition).lower(),
        pictures=tuple(
            _captioned_image(word, condition, each)
            for each in sorted(images, key=lambda each: each.order)
        ),
    )


def _captioned_image(word: Word, condition: str, image: _JudgedImage) -> SheetImage:
    picture = image.shot.picture
    which = f"{picture.template}.{picture.shot}"
    prompt = f"{condition.capitalize()} prompt {picture.template}"
    from_what = f"{prompt} for {word.word}, shot {picture.shot}"
    if image.shot.missing:
        return SheetImage(
            caption=which,
            alt=f"No image of {from_what}: {image.shot.missing}.",
            missing=image.shot.missing,
        )
    votes = [(vote.name.removeprefix(VOTE_PREFIX), vote.label) for vote in image.votes]
    letters = " ".join(_LETTERS[label] for _, label in votes)
    said = ", ".join(f"{name} says {label or 'nothing readable'}" for name, label in votes)
    label = image.label or "unreadable"
    return SheetImage(
        sha256=image.shot.image.sha256,
        caption=f"{which} {label} ({letters})",
        alt=f"Image of {from_what}: judged {label}; {said}.",
    )


def _word_effect(word: Word, images: dict[str, list[_JudgedImage]]) -> float | None:
    """The own gender's share under the gendered prompt less under English, of men and women."""
    shares = []
    for condition in ("gendered", "english"):
        counts = Counter(each.label for each in images.get(condition, ()))
        people = counts["male"] + counts["female"]
        if not people:
            return None
        shares.append(counts[LABEL_OF_GRAMMAR[word.grammar]] / people)
    return shares[0] - shares[1]
