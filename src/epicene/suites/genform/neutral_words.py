"""The words of a sentence that show the speaker's gender, and what may stand in their place.

The words in which the masculine and the feminine form of a sentence differ form blocks. Spellings
that join both forms (Lehrer*in, étudiant·e, cansade, stancə) show neither gender, and a word that
agrees with a noun for anybody (une personne étudiante) shows the gender of that noun.
"""

from __future__ import annotations

import tomllib
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import msgspec
import regex

from epicene.core.records import Record
from epicene.languages.normalisers import normalise
from epicene.languages.tokenisation import words as word_spans
from epicene.suites.genform.gendered_terms import MISSING, align
from epicene.suites.genform.spelling import spelling_kinds
from epicene.suites.genform.words import NORMALISERS

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from epicene.suites.genform.items import Gender, Pair
    from epicene.suites.genform.words import Words

# How a word avoids showing a gender.
JoinedForm: TypeAlias = Literal["star", "colon", "median", "e", "schwa", "other mark"]


# --- what shows the speaker's gender ---------------------------------------------------------


class Block(NamedTuple):
    """Words in which the two forms differ: where they are in each form, and the words themselves.

    Neither side is empty: if one form has words that the other lacks, a word that both have is
    added.
    """

    masculine: slice
    feminine: slice
    slots: tuple[tuple[Words, Words], ...]  # masculine words and the feminine ones for them


def gendered_blocks(masculine: Words, feminine: Words) -> list[Block]:
    """The words in which two forms of a sentence differ."""
    partners = align(keys_of(masculine), keys_of(feminine)).partners
    same = [
        (mine, theirs)
        for mine, theirs in enumerate(partners)
        if theirs != MISSING and masculine[mine].casefold() == feminine[theirs].casefold()
    ]
    blocks: list[Block] = []
    end_mine = end_theirs = 0
    for mine, theirs in (*same, (len(masculine), len(feminine))):
        if mine > end_mine or theirs > end_theirs:
            blocks.append(_block(masculine, feminine, (end_mine, mine), (end_theirs, theirs)))
        end_mine, end_theirs = mine + 1, theirs + 1
    return blocks


def _block(
    masculine: Words, feminine: Words, mine: tuple[int, int], theirs: tuple[int, int]
) -> Block:
    if mine[0] == mine[1] or theirs[0] == theirs[1]:
        if mine[0] > 0:
            mine, theirs = (mine[0] - 1, mine[1]), (theirs[0] - 1, theirs[1])
        else:
            mine, theirs = (mine[0], mine[1] + 1), (theirs[0], theirs[1] + 1)
    here, there = slice(*mine), slice(*theirs)
    his, hers = masculine[here], feminine[there]
    slots: tuple[tuple[Words, Words], ...]
    if len(his) == len(hers):
        slots = tuple(((one,), (other,)) for one, other in zip(his, hers, strict=True))
    else:
        slots = ((_only_in(his, hers), _only_in(hers, his)),)
    return Block(here, there, slots)


def _only_in(words: Words, others: Words) -> Words:
    known = {other.casefold() for other in others}
    return tuple(word for word in words if word.casefold() not in known)


def keys_of(words: Iterable[str]) -> list[str]:
    """The words without case."""
    return [word.casefold() for word in words]


# --- a text and its words --------------------------------------------------------------------


class _NeutralWords(Record, frozen=True, kw_only=True):
    feminine: str
    masculine: str
    speaker: str
    joiners: str
    articles: str
    elisions: tuple[str, ...]


@cache
def _lists() -> dict[str, _NeutralWords]:
    text = (Path(__file__).parent / "neutral.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, _NeutralWords])


def neutral_languages() -> list[str]:
    """The languages in which neutral forms are judged."""
    return sorted(_lists())


@cache
def joiners(language: str) -> frozenset[str]:
    """The words that join both forms: and, or."""
    return frozenset(_lists()[language].joiners.split())


def are_articles(words: Iterable[str], language: str) -> bool:
    """Whether all words are indefinite articles, which may be left out."""
    return set(keys_of(words)) <= {*_lists()[language].articles.split()}


class TextWords(NamedTuple):
    """The words of a text, and where they are in it."""

    text: str
    words: Words
    spans: tuple[tuple[int, int], ...]
    ends: frozenset[int]  # indices of the words that begin a sentence


_END = regex.compile(r"[.!?…;]")


def words_of(text: str, language: str) -> TextWords:
    """The words of a text by Epicene's segmenter."""
    text = normalise(text, NORMALISERS["epicene"])
    spans = word_spans(text, language)
    ends = {
        index
        for index, (before, after) in enumerate(pairwise(spans), start=1)
        if _END.search(text[before.end : after.start])
    }
    return TextWords(
        text,
        tuple(text[span.start : span.end] for span in spans),
        tuple((span.start, span.end) for span in spans),
        frozenset(ends),
    )


def is_same(one: str, other: str, language: str) -> bool:
    """Whether two words differ at most in spelling or elision."""
    first, second = one.casefold(), other.casefold()
    return (
        first == second
        or f"{first} {second}" in _elisions(language)
        or bool(spelling_kinds(one, other, language))
    )


@cache
def _elisions(language: str) -> frozenset[str]:
    known = _lists()[language].elisions
    return frozenset((*known, *(" ".join(reversed(each.split())) for each in known)))


# --- spellings that join both forms ----------------------------------------------------------

_MARKS: tuple[tuple[str, JoinedForm], ...] = (
    ("*", "star"), (":", "colon"), ("·•⋅∙‧.", "median"), ("əɜ", "schwa"), ("@/(_-", "other mark"),
)  # fmt: skip


def joined_form(word: str, masculine: str, feminine: str) -> JoinedForm | None:
    """How a word joins both forms in its spelling; None if it does not."""
    lower, his, hers = word.casefold(), masculine.casefold(), feminine.casefold()
    if word != hers and lower == hers and regex.search(r"\p{Ll}I\p{Ll}", word):
        return "other mark"  # LehrerIn
    stem = _common_prefix(his, hers)
    for signs, form in _MARKS:
        at = next((index for index, letter in enumerate(lower) if letter in signs), None)
        if at is not None:
            head = lower[:at]
            tail = regex.sub(rf"[{regex.escape(signs)}\-)]", "", lower[at:])
            begins = head and (his.startswith(head) or hers.startswith(head))
            near = len(head) >= len(stem) - 1
            return (
                form if begins and near and (hers + " " + his + " ").find(tail + " ") >= 0 else None
            )
    if lower in _WHOLE_FORMS.get((his, hers), ()):
        return "e"
    return _joined_by_letter(lower, his, hers, stem)


def joined_words(text: str, masculine: str, feminine: str) -> JoinedForm | None:
    """How a text joins two forms of which one has several words: *au·à la*."""
    lower, forms = text.casefold(), (masculine.casefold(), feminine.casefold())
    for one, other in (forms, forms[::-1]):
        for signs, form in _MARKS:
            if any(one + sign + other in lower for sign in signs):
                return form
    return None


# The Spanish articles and pronouns with -e.
_WHOLE_FORMS = {("el", "la"): ("le",), ("él", "ella"): ("elle",), ("los", "las"): ("les",)}
# The last consonant of a stem as it is spelt before -e.
_BEFORE_E = (("gu", "gü"), ("c", "qu"), ("g", "gu"), ("z", "c"))


def _joined_by_letter(word: str, his: str, hers: str, stem: str) -> JoinedForm | None:
    """Cansade, amigue, cansadx, where the forms end in -o and -a, or in nothing and -a."""
    ends = (his.removeprefix(stem), hers.removeprefix(stem))
    if ends not in {("o", "a"), ("os", "as"), ("", "a"), ("es", "as")}:
        return None
    many = "s" if ends[1].endswith("s") else ""
    stems = {stem, *(stem.removesuffix(c) + e for c, e in _BEFORE_E if stem.endswith(c))}
    if ends != ("es", "as") and word in {each + "e" + many for each in stems}:
        return "e"
    return "other mark" if word == stem + "x" + many else None


def _common_prefix(one: str, other: str) -> str:
    at = 0
    while at < min(len(one), len(other)) and one[at] == other[at]:
        at += 1
    return one[:at]


# --- nouns for anybody -----------------------------------------------------------------------


def agreeing_words(answer: TextWords, new: Container[int], language: str) -> dict[Gender, set[int]]:
    """By gender, the indices of words that can agree with a noun for anybody (*une personne
    étudiante*): up to three words before it, and those after it until the speaker is the subject
    again or the sentence ends. Only a noun that the answer adds (`new`) counts."""
    lists = _lists()[language]
    nouns: dict[Gender, tuple[str, ...]] = {
        "masculine": tuple(lists.masculine.split()),
        "feminine": tuple(lists.feminine.split()),
    }
    speaker = frozenset(lists.speaker.split())
    keys = keys_of(answer.words)
    found: dict[Gender, set[int]] = {"masculine": set(), "feminine": set()}
    for gender, known in nouns.items():
        for at, key in enumerate(keys):
            is_noun = key.endswith(known) if language == "de" else key in known
            if at not in new or not is_noun:
                continue
            found[gender].update(range(max(0, at - 3), at + 1))
            for after in range(at + 1, len(keys)):
                if keys[after] in speaker or after in answer.ends:
                    break
                found[gender].add(after)
    return found


# --- both forms ------------------------------------------------------------------------------


def both_forms(pair: Pair) -> str:
    """The masculine form with both forms of each block, joined by a slash: a sentence that shows
    neither gender, which can be made for any pair."""
    masculine, feminine = (
        words_of(form, pair.language) for form in (pair.masculine, pair.feminine)
    )
    text, reached, pieces = masculine.text, 0, []
    for block in gendered_blocks(masculine.words, feminine.words):
        here, there = block.masculine, block.feminine
        if masculine.words[here.stop - 1][-1] == "'" or feminine.words[there.stop - 1][-1] == "'":
            here, there = slice(here.start, here.stop + 1), slice(there.start, there.stop + 1)
        end = masculine.spans[here.stop - 1][1]
        hers = feminine.text[feminine.spans[there.start][0] : feminine.spans[there.stop - 1][1]]
        pieces += [text[reached:end], f" / {hers}"]
        reached = end
    return "".join([*pieces, text[reached:]])
