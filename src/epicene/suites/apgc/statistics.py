"""The paper's tables of the corpus itself: sentences and words by label, original and balanced."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from epicene.records import Column, Estimate, Row, Table
from epicene.suites.apgc.labels import WORD_LABELS, SentenceLabel, five_way_labels
from epicene.suites.apgc.lexical import share_of_reinflections

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from epicene.suites.apgc.sentences import Sentence

_CONDENSED = ("BB", "FB", "MB", "BF", "BM", "FF", "FM", "MF", "MM")


def statistics(sentences: Sequence[Sentence]) -> Iterator[Table]:
    """Tables 3, 4, 7 and 8, and how words were changed."""
    originals = [sentence for sentence in sentences if sentence.original]
    yield _table("3", "Sentences by label", originals, sentences, _condensed, _CONDENSED)
    yield _table("4", "Words by label", originals, sentences, _five_way, WORD_LABELS)
    fine = sorted({str(sentence.who) for sentence in sentences}, key=_order)
    if set(fine) - set(_CONDENSED):
        title = "Sentences by label, with N and !"
        yield _table("7", title, originals, sentences, _whole, fine)
        plain, *gendered = WORD_LABELS
        marked = [plain, *(f"{label}{mark}" for label in gendered for mark in ("", "!"))]
        yield _table("8", "Words by label, with !", originals, sentences, _marked, marked)
    yield share_of_reinflections(originals)


def _condensed(sentence: Sentence) -> Counter[str]:
    return Counter([sentence.who.condensed])


def _whole(sentence: Sentence) -> Counter[str]:
    return Counter([str(sentence.who)])


def _five_way(sentence: Sentence) -> Counter[str]:
    return Counter(five_way_labels(sentence.who, sentence.targets))


def _marked(sentence: Sentence) -> Counter[str]:
    """Word labels with a mark where the sentence has several people of that person."""
    many = {"1": sentence.who.first_many, "2": sentence.who.second_many}
    return Counter(
        {
            f"{label}!" if many.get(label[0], False) else label: number
            for label, number in _five_way(sentence).items()
        }
    )


def _order(label: str) -> tuple[str, ...]:
    """As in Table 7: by what the label is without marks, then by its marks."""
    who = SentenceLabel(*label.replace("!", ""))
    place = _CONDENSED.index(who.condensed)
    return (str(place), str(who), label)


def _table(
    name: str,
    title: str,
    originals: Sequence[Sentence],
    balanced: Sequence[Sentence],
    of: Callable[[Sentence], Counter[str]],
    labels: Sequence[str],
) -> Table:
    counts = [Counter[str](), Counter[str]()]
    for total, part in zip(counts, (originals, balanced), strict=True):
        for sentence in part:
            total.update(of(sentence))

    def row(label: str, numbers: Sequence[int]) -> Row:
        cells: list[Estimate] = []
        for number, total in zip(numbers, counts, strict=True):
            everything = sum(total.values())
            cells.append(Estimate(value=number, n=number))
            cells.append(
                Estimate(value=number / everything, n=everything)
                if everything
                else Estimate(value=None, why="there is nothing to count")
            )
        return Row(keys=(label,), cells=tuple(cells))

    rows = [row(label, [total[label] for total in counts]) for label in labels]
    return Table(
        name=name,
        title=title,
        levels=("label",),
        columns=(
            Column(name="original", unit="count"),
            Column(name="share of original"),
            Column(name="balanced", unit="count"),
            Column(name="share of balanced"),
        ),
        rows=(*rows, row("all", [sum(total.values()) for total in counts])),
    )
