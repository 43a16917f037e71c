"""Statistics of the corpus: sentences and words by label, and how words change with gender.

Whether a word's other gender is the same word reinflected, or another word, the paper decides by an
analyser's lemmas. No maintained package gives Arabic lemmas under a permissive licence, so
consonants are compared instead: affixes and weak letters vary within a paradigm, the rest of the
root does not. Words for kin and people that look alike but are different words are listed.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import regex

from epicene.core.records import Column, Estimate, Row, Table
from epicene.suites.apgc.items import WORD_LABELS, SentenceLabel, five_way_labels
from epicene.suites.apgc.judge import gendered_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from epicene.suites.apgc.items import Sentence

_WEAK = regex.compile("[اويىآأإٱؤئء]")
# The article is never spelt with a hamza: إلهي and ألقوا have none.
_ARTICLE = regex.compile("^[وف]?(?:[بك]?ال|لل)(?=...)")
_PRONOUN = regex.compile("(?<=..)(?:كما|هما|كم|كن|هم|هن|ها|نا|ني|ك|ه|ي)$")
_IMPERFECT = regex.compile("^[يت](?=..)")

# How much forms of one word have in common: consonants anywhere, or letters at the start.
_MIN_COMMON = 2

# Pronouns and the like that are one paradigm though their letters have little in common.
_ONE_PARADIGM = frozenset(
    {
        ("هو", "هي"),
        ("هم", "هن"),
        ("ايها", "ايتها"),
        ("الذي", "التي"),
        ("الذين", "اللاتي"),
        ("الذين", "اللواتي"),
        ("ذلك", "تلك"),
        ("ذا", "ذي"),
        ("ذو", "ذات"),
        ("ليس", "لست"),
    }
)

# Different words whose letters look like one's, without prefixes and suffixes.
_OTHER_WORDS = frozenset(
    {
        ("اخ", "اخت"),
        ("اخوه", "اخوات"),
        ("اخوت", "اخوات"),
        ("اخوان", "اخوات"),
        ("فتي", "فتاه"),
        ("فتيان", "فتيات"),
        ("فتيه", "فتيات"),
        ("اب", "ام"),
        ("رجل", "امراه"),
        ("رجل", "امرات"),
        ("ولد", "بنت"),
        ("ابن", "بنت"),
        ("عريس", "عروس"),
        ("عريس", "عروسه"),
        ("مستر", "مسز"),
        ("مستر", "مسيز"),
        ("مستر", "ميس"),
    }
)


def is_reinflection(masculine: str, feminine: str) -> bool:
    """Whether the two are forms of one word."""
    one, two = _fold_letters(masculine), _fold_letters(feminine)
    if (one, two) in _ONE_PARADIGM or (two, one) in _ONE_PARADIGM:
        return True
    if _is_listed_pair(one, two) or _is_listed_pair(two, one):
        return False
    if _IMPERFECT.sub("", one) == _IMPERFECT.sub("", two):
        return True
    if _ARTICLE.search(masculine) and _ARTICLE.search(feminine):
        one, two = _ARTICLE.sub("", one), _ARTICLE.sub("", two)
    if one[:_MIN_COMMON] == two[:_MIN_COMMON]:
        return True
    one, two = _without_shared_pronoun(one, two)
    return _common_subsequence(_WEAK.sub("", one), _WEAK.sub("", two)) >= _MIN_COMMON


def _fold_letters(word: str) -> str:
    """The word with letters unified that are often confused."""
    return regex.sub("[آأإٱ]", "ا", word).replace("ى", "ي").replace("ة", "ه")


def _without_shared_pronoun(one: str, two: str) -> tuple[str, str]:
    """The words without the pronoun suffix, if both have the same."""
    endings = [_PRONOUN.search(word) for word in (one, two)]
    found = {ending.group() for ending in endings if ending}
    if None in endings or len(found) > 1:
        return one, two
    return _PRONOUN.sub("", one), _PRONOUN.sub("", two)


def _is_listed_pair(one: str, two: str) -> bool:
    """Whether the pair is among the different words, with the same prefixes and suffixes."""
    for first, second in _OTHER_WORDS:
        at, there = one.find(first), two.find(second)
        if at < 0 or there < 0 or one[:at] != two[:there] or at > _MAX_PREFIX:
            continue
        rest_one, rest_two = one[at + len(first) :], two[there + len(second) :]
        # The long vowel of a case (ابو, ابا, ابي) is in one of the two only.
        if _WEAK.sub("", rest_one) == _WEAK.sub("", rest_two).removeprefix("ت"):
            return True
    return False


# و and ك and ال before a word.
_MAX_PREFIX = 4


def _common_subsequence(one: str, two: str) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(two) + 1)
    for letter in one:
        before = row
        row = [0]
        for index, other in enumerate(two):
            row.append(before[index] + 1 if letter == other else max(before[index + 1], row[index]))
    return row[-1]


def reinflection_table(sentences: Sequence[Sentence]) -> Table:
    """The numbers of gendered words that are reinflected and replaced."""
    flags = [
        is_reinflection(masculine, feminine)
        for sentence in sentences
        for _, masculine, feminine in gendered_words(sentence)
    ]
    total = len(flags)

    def row(name: str, number: int) -> Row:
        part = Estimate(value=number / total, n=total) if total else Estimate(
            value=None, why="no word shows gender"
        )  # fmt: skip
        return Row(keys=(name,), cells=(Estimate(value=number, n=number), part))

    return Table(
        name="changes",
        title="Gendered words whose other gender is a form of the same word",
        levels=("change",),
        columns=(Column(name="words", unit="count"), Column(name="share")),
        rows=(row("reinflection", sum(flags)), row("other word", total - sum(flags))),
        notes=("The paper counts 96.9 and 3.1 per cent, by an analyser's lemmas.",),
    )


_CONDENSED = ("BB", "FB", "MB", "BF", "BM", "FF", "FM", "MF", "MM")


def statistics(sentences: Sequence[Sentence]) -> Iterator[Table]:
    """Tables 3, 4, 7 and 8, and how words change."""
    originals = [sentence for sentence in sentences if sentence.original]
    yield _label_table("3", "Sentences by label", originals, sentences, _condensed, _CONDENSED)
    yield _label_table("4", "Words by label", originals, sentences, _word_labels, WORD_LABELS)
    fine = sorted({str(sentence.who) for sentence in sentences}, key=_label_order)
    if set(fine) - set(_CONDENSED):
        title = "Sentences by label, with N and !"
        yield _label_table("7", title, originals, sentences, _full_label, fine)
        plain, *gendered = WORD_LABELS
        marked = [plain, *(f"{label}{mark}" for label in gendered for mark in ("", "!"))]
        yield _label_table(
            "8", "Words by label, with !", originals, sentences, _marked_word_labels, marked
        )
    yield reinflection_table(originals)


def _condensed(sentence: Sentence) -> Counter[str]:
    return Counter([sentence.who.condensed])


def _full_label(sentence: Sentence) -> Counter[str]:
    return Counter([str(sentence.who)])


def _word_labels(sentence: Sentence) -> Counter[str]:
    return Counter(five_way_labels(sentence.who, sentence.targets))


def _marked_word_labels(sentence: Sentence) -> Counter[str]:
    """Word labels, with a mark if the sentence has several people of that person."""
    many = {"1": sentence.who.first_many, "2": sentence.who.second_many}
    return Counter(
        {
            f"{label}!" if many.get(label[0], False) else label: number
            for label, number in _word_labels(sentence).items()
        }
    )


def _label_order(label: str) -> tuple[str, ...]:
    """The sort key of Table 7: by the condensed label, then by the label without marks."""
    who = SentenceLabel(*label.replace("!", ""))
    return (str(_CONDENSED.index(who.condensed)), str(who), label)


def _label_table(
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
