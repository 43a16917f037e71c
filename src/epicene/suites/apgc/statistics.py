"""Statistics of the corpus: sentences and words by label, and how words change with gender.

The paper uses an analyser's lemmas to decide whether a word's counterpart is the same word
reinflected or another word; so does this module if the user gives a file of lemmas. No maintained
package gives Arabic lemmas under a permissive licence, so otherwise consonants are compared:
affixes and weak letters vary within a paradigm, the rest of the root does not. Words for kin and
people that look alike but are different words are listed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import regex

from epicene.core.data_files import read_rows
from epicene.core.errors import InputError
from epicene.core.records import Column, Estimate, Row, Table
from epicene.suites.apgc.items import (
    OTHER_GENDER,
    TARGETS,
    WORD_LABELS,
    SentenceLabel,
    five_way_labels,
    parse_label,
)
from epicene.suites.apgc.judge import gendered_words
from epicene.suites.apgc.published import SENTENCES_BY_LABEL, WORD_CHANGES, WORDS_BY_LABEL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from epicene.suites.apgc.items import Sentence
    from epicene.suites.apgc.protocol import ApgcProtocol

    Lemmas = Mapping[str, frozenset[str]]

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
    """Whether the two are forms of the same word."""
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


def read_lemmas(path: Path) -> Lemmas:
    """The lemmas of each word, from a file with the columns `word` and `lemma`; a word with several
    lemmas has several rows.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for line in read_rows(path):
        word, lemma = line.values.get("word"), line.values.get("lemma")
        if not isinstance(word, str) or not isinstance(lemma, str) or not (word and lemma):
            raise InputError(f"{line.location} lacks the field 'word' or 'lemma'.")
        found[word].add(lemma)
    return {word: frozenset(lemmas) for word, lemmas in found.items()}


def reinflection_table(sentences: Sequence[Sentence], lemmas: Lemmas | None = None) -> Table:
    """The numbers of gendered words that are reinflected and replaced.

    Two words that share a lemma are forms of the same word; for words without a lemma, the
    consonants decide.
    """
    known = lemmas or {}
    flags: list[bool] = []
    looked_up = 0
    for sentence in sentences:
        for _, masculine, feminine in gendered_words(sentence):
            if masculine in known and feminine in known:
                looked_up += 1
                flags.append(not known[masculine].isdisjoint(known[feminine]))
            else:
                flags.append(is_reinflection(masculine, feminine))
    total = len(flags)
    how = (
        f"Lemmas decide for {looked_up} of the {total} words; consonants decide for the "
        "others, which are not in the file."
        if lemmas is not None
        else "Consonants decide; `--set lemmas=FILE` uses an analyser's lemmas instead."
    )

    def row(name: str, number: int, published: int) -> Row:
        counts = (number, total), (published, sum(WORD_CHANGES))
        return Row(keys=(name,), cells=tuple(c for pair in counts for c in _count_and_share(*pair)))

    return Table(
        name="changes",
        title="Gendered words whose counterpart is a form of the same word",
        levels=("change",),
        columns=(
            Column(name="words", unit="count"),
            Column(name="share"),
            Column(name="published words", unit="count"),
            Column(name="published share"),
        ),
        rows=(
            row("reinflection", sum(flags), WORD_CHANGES[0]),
            row("other word", total - sum(flags), WORD_CHANGES[1]),
        ),
        notes=(how, f"{_PUBLISHED}, Section 5.1: decided by an analyser's lemmas."),
    )


_PUBLISHED = "Published: the whole corpus 2.0, as in the paper"


def _count_and_share(number: int, total: int) -> tuple[Estimate, Estimate]:
    share = (
        Estimate(value=number / total, n=total)
        if total
        else Estimate(value=None, why="there is nothing to count")
    )
    return Estimate(value=number, n=number), share


_CONDENSED = ("BB", "FB", "MB", "BF", "BM", "FF", "FM", "MF", "MM")


def statistics(
    sentences: Sequence[Sentence], protocol: ApgcProtocol | None = None
) -> Iterator[Table]:
    """Tables 3, 4, 7 and 8, and how words change."""
    originals = [sentence for sentence in sentences if sentence.original]
    corpora = (originals, sentences)
    by_sentence = _count_labels(corpora, _full_label, SENTENCES_BY_LABEL)
    by_word = _count_labels(corpora, _marked_word_labels, WORDS_BY_LABEL)
    yield _label_table("3", "Sentences by label", _condensed(by_sentence), _CONDENSED)
    yield _label_table("4", "Words by label", _condensed(by_word), WORD_LABELS)
    fine = sorted(by_sentence.balanced, key=_label_order)
    if set(fine) - set(_CONDENSED):
        yield _label_table("7", "Sentences by label, with N and !", by_sentence, fine)
        plain, *gendered = WORD_LABELS
        marked = [plain, *(f"{label}{mark}" for label in gendered for mark in ("", "!"))]
        yield _label_table("8", "Words by label, with !", by_word, marked)
    file = protocol.lemmas if protocol else ""
    yield reinflection_table(originals, read_lemmas(Path(file)) if file else None)


class _LabelCounts(NamedTuple):
    """How often each label is in the original and in the balanced corpus, here and in the paper."""

    original: Counter[str]
    balanced: Counter[str]
    published_original: Counter[str]
    published_balanced: Counter[str]


def _count_labels(
    corpora: Sequence[Sequence[Sentence]],
    of: Callable[[Sentence], Counter[str]],
    published: Mapping[str, tuple[int, int]],
) -> _LabelCounts:
    ours = [Counter[str](), Counter[str]()]
    for total, part in zip(ours, corpora, strict=True):
        for sentence in part:
            total.update(of(sentence))
    theirs = (Counter({label: each[n] for label, each in published.items()}) for n in range(2))
    return _LabelCounts(*ours, *theirs)


def _condensed(counts: _LabelCounts) -> _LabelCounts:
    """The counts without the marks of duals and plurals, and with N as B."""
    found = [Counter[str]() for _ in counts]
    for total, part in zip(found, counts, strict=True):
        for label, number in part.items():
            total[label.replace("!", "").replace("N", "B")] += number
    return _LabelCounts(*found)


def _full_label(sentence: Sentence) -> Counter[str]:
    return Counter([str(sentence.who)])


def _marked_word_labels(sentence: Sentence) -> Counter[str]:
    """Word labels, with a mark if the sentence has several people of that person."""
    many = {"1": sentence.who.first_many, "2": sentence.who.second_many}
    return Counter(
        f"{label}!" if many.get(label[0], False) else label
        for label in five_way_labels(sentence.who, sentence.targets)
    )


def _label_order(label: str) -> tuple[str, ...]:
    """The sort key of Table 7: by the condensed label, then by the label without marks."""
    who = SentenceLabel(*label.replace("!", ""))
    return (str(_CONDENSED.index(who.condensed)), str(who), label)


def _other_labels(label: str) -> tuple[str, ...]:
    """The labels of the other forms of a sentence or a word, then those of the four targets."""
    if label == "B":
        return ("", *[label] * len(TARGETS))
    if label[0] in "12":
        person, gender = int(label[0]) - 1, label[1]
        forms = (label.replace(gender, target[person]) for target in TARGETS)
        return (label.replace(gender, OTHER_GENDER[gender]), *forms)
    versions = parse_label(label, "A table").versions
    forms = (next(str(each) for each in versions if each.fits(target)) for target in TARGETS)
    return (" ".join(map(str, versions[1:])), *forms)


def _label_table(name: str, title: str, counts: _LabelCounts, labels: Sequence[str]) -> Table:
    def row(label: str, numbers: Sequence[int], others: Sequence[str]) -> Row:
        cells = [
            cell
            for number, total in zip(numbers, counts, strict=True)
            for cell in _count_and_share(number, total.total())
        ]
        return Row(keys=(label,), cells=(*cells, *others))

    rows = [row(label, [each[label] for each in counts], _other_labels(label)) for label in labels]
    everything = row("all", [total.total() for total in counts], [""] * (1 + len(TARGETS)))
    return Table(
        name=name,
        title=title,
        levels=("label",),
        columns=(
            *(
                column
                for corpus in ("original", "balanced", "published original", "published balanced")
                for column in (Column(name=corpus, unit="count"), Column(name=f"share of {corpus}"))
            ),
            Column(name="other forms", unit="text"),
            *(Column(name=target, unit="text") for target in TARGETS),
        ),
        rows=(*rows, everything),
        notes=(f"{_PUBLISHED}, Table {name}. MM to FF: the label of the form for each target.",),
    )
