"""Whether a word's other gender is the same word reinflected, or another word.

The paper asks an analyser whether the two share a lemma. No kept package gives Arabic lemmas
under a permissive licence, so this looks at consonants instead: affixes and weak letters come and
go in a paradigm, the rest of the root does not. Words for kin and people that sound alike but are
other words stand in a list of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from epicene.records import Column, Estimate, Row, Table
from epicene.suites.apgc.judge import gendered_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.suites.apgc.sentences import Sentence

_WEAK = regex.compile("[اويىآأإٱؤئء]")
# The article is never spelt with a hamza: إلهي and ألقوا have none.
_ARTICLE = regex.compile("^[وف]?(?:[بك]?ال|لل)(?=...)")
_PRONOUN = regex.compile("(?<=..)(?:كما|هما|كم|كن|هم|هن|ها|نا|ني|ك|ه|ي)$")
_IMPERFECT = regex.compile("^[يت](?=..)")

# So much in common makes two words forms of one: consonants anywhere, or letters at the start.
_ENOUGH = 2

# Pronouns and the like, which are one paradigm however little their letters have in common.
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

# Other words whose letters may look like one's, without what stands before and after them.
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
    one, two = _folded(masculine), _folded(feminine)
    if (one, two) in _ONE_PARADIGM or (two, one) in _ONE_PARADIGM:
        return True
    if _listed(one, two) or _listed(two, one):
        return False
    if _IMPERFECT.sub("", one) == _IMPERFECT.sub("", two):
        return True
    if _ARTICLE.search(masculine) and _ARTICLE.search(feminine):
        one, two = _ARTICLE.sub("", one), _ARTICLE.sub("", two)
    if one[:_ENOUGH] == two[:_ENOUGH]:
        return True
    one, two = _without_shared_pronoun(one, two)
    return _in_common(_WEAK.sub("", one), _WEAK.sub("", two)) >= _ENOUGH


def _folded(word: str) -> str:
    """Letters that are spelt one for another."""
    return regex.sub("[آأإٱ]", "ا", word).replace("ى", "ي").replace("ة", "ه")


def _without_shared_pronoun(one: str, two: str) -> tuple[str, str]:
    """The words without a pronoun that both carry: it says nothing of what it is joined to."""
    endings = [_PRONOUN.search(word) for word in (one, two)]
    found = {ending.group() for ending in endings if ending}
    if None in endings or len(found) > 1:
        return one, two
    return _PRONOUN.sub("", one), _PRONOUN.sub("", two)


def _listed(one: str, two: str) -> bool:
    """Whether the pair is among the other words, with whatever stands before or after both."""
    for first, second in _OTHER_WORDS:
        at, there = one.find(first), two.find(second)
        if at < 0 or there < 0 or one[:at] != two[:there] or at > _LONGEST_BEFORE:
            continue
        rest_one, rest_two = one[at + len(first) :], two[there + len(second) :]
        # The long vowel of a case (ابو, ابا, ابي) stands in one of the two only.
        if _WEAK.sub("", rest_one) == _WEAK.sub("", rest_two).removeprefix("ت"):
            return True
    return False


# و and ك and ال before a word.
_LONGEST_BEFORE = 4


def _in_common(one: str, two: str) -> int:
    """How many letters the two have in the same order."""
    row = [0] * (len(two) + 1)
    for letter in one:
        before = row
        row = [0]
        for place, other in enumerate(two):
            row.append(before[place] + 1 if letter == other else max(before[place + 1], row[place]))
    return row[-1]


def share_of_reinflections(sentences: Sequence[Sentence]) -> Table:
    """How many gendered words are reinflected, and how many replaced."""
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
