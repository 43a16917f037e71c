"""Checks of a file of pairs: errors, warnings and near-duplicates."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import regex

from epicene import languages
from epicene.core.errors import unknown
from epicene.suites import DataIssue
from epicene.suites.genform.gendered_terms import MISSING, reference_of
from epicene.suites.genform.items import rules_of
from epicene.suites.genform.words import Words, are_forms, tokenise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.suites.genform.items import Gender, Pair
    from epicene.suites.genform.protocol import GenformProtocol

# Shorter sentences that differ in one word do not count as repetitions.
_MIN_WORDS = 5


class SentenceText(NamedTuple):
    """A sentence with its id and language."""

    id: str
    language: str
    text: str


class NearDuplicate(NamedTuple):
    """A sentence, the earlier one that it repeats, and whether one word differs."""

    id: str
    earlier: str
    but_for_one: bool

    def __str__(self) -> str:
        return f"repeats {self.earlier}{' but for one word' if self.but_for_one else ''}"


def near_duplicates(sentences: Iterable[SentenceText]) -> Iterator[NearDuplicate]:
    """The sentences that repeat an earlier one of the same language, ignoring case."""
    seen: dict[tuple[str, Words], str] = {}
    but_one: dict[tuple[str, Words], list[tuple[str, Words]]] = defaultdict(list)
    for id_, language, text in sentences:
        words = tokenise(text.casefold(), language, "epicene")
        earlier = seen.setdefault((language, words), id_)
        if earlier != id_:
            yield NearDuplicate(id_, earlier, but_for_one=False)
            continue
        near: list[str] = []
        for key in _leave_one_out(words) if len(words) >= _MIN_WORDS else ():
            near += [each for each, other in but_one[language, key] if other != words]
            but_one[language, key].append((id_, words))
        if near:
            yield NearDuplicate(id_, near[0], but_for_one=True)


def _leave_one_out(words: Words) -> Iterator[Words]:
    """The sentence, which one with a word more contains; then the sentence without each of its
    words in turn, which one that differs in that word shares."""
    yield words
    for index in range(len(words)):
        yield words[:index] + words[index + 1 :]


_LETTER = regex.compile(r"\p{L}")


def check(pairs: Sequence[Pair], _protocol: GenformProtocol) -> Iterator[DataIssue]:
    """Errors that make a pair useless, and warnings about pairs that a person should read."""
    yield from _without_rule(pairs)
    for pair in pairs:
        if not pair.masculine.strip() or not pair.feminine.strip():
            yield DataIssue("error", pair.id, "one of its forms is empty.")
            continue
        yield from _rule(pair)
        yield from _scripts(pair)
        yield from _differences(pair)
        if not pair.english.strip():
            yield DataIssue("warning", pair.id, "it has no English, so it cannot be translated.")
    texts = (SentenceText(pair.id, pair.language, pair.masculine) for pair in pairs)
    for duplicate in near_duplicates(texts):
        yield DataIssue("warning", duplicate.id, f"it {duplicate}.")


def _without_rule(pairs: Sequence[Pair]) -> Iterator[DataIssue]:
    """Pairs that name no rule; a single warning if no pair does."""
    nameless = [pair for pair in pairs if not pair.rule and rules_of(pair.language)]
    if len(nameless) == len(pairs) > 1:
        message = "neither this pair nor any other has a rule, so there are no tables by rule."
        yield DataIssue("warning", nameless[0].id, message)
        return
    for pair in nameless:
        yield DataIssue(
            "warning", pair.id, "it has no rule, so it is not counted in any table by rule."
        )


def _rule(pair: Pair) -> Iterator[DataIssue]:
    known = rules_of(pair.language)
    if not pair.rule:
        return
    if known and pair.rule not in known:
        yield DataIssue("warning", pair.id, str(unknown("rule", pair.rule, known)))
        return
    marks = known[pair.rule].marks if known else "some"
    if pair.is_neutral and marks == "yes":
        message = f"its forms are equal, which is unusual for the rule {pair.rule}."
        yield DataIssue("warning", pair.id, message)
    if not pair.is_neutral and marks == "no":
        message = f"its forms differ, which is unusual for the rule {pair.rule}."
        yield DataIssue("warning", pair.id, message)


def _scripts(pair: Pair) -> Iterator[DataIssue]:
    """Letters of another script than the language's; two scripts in one word are a mistake."""
    own = regex.compile(
        "|".join(rf"\p{{Script={s}}}" for s in languages.get(pair.language).scripts)
    )
    words = dict.fromkeys(pair.masculine.split() + pair.feminine.split())
    for word in words:
        letters = _LETTER.findall(word)
        foreign = [letter for letter in letters if not own.match(letter)]
        if foreign and len(foreign) < len(letters):
            yield DataIssue("error", pair.id, f"{word} mixes two scripts ({''.join(foreign)}).")
        elif foreign:
            yield DataIssue("warning", pair.id, f"{word} is in another script.")


def _differences(pair: Pair) -> Iterator[DataIssue]:
    """Differences between the forms that do not look like two forms of one word."""
    masculine, feminine = (
        tokenise(text, pair.language, "epicene") for text in (pair.masculine, pair.feminine)
    )
    found = reference_of(masculine, feminine)
    if pair.masculine != pair.feminine and not found.terms:
        yield DataIssue("warning", pair.id, "its forms differ only in punctuation or spelling.")
    partners = found.alignment.partners
    for index in sorted(found.gendered):
        word, partner = masculine[index], partners[index]
        beside = [partners[each] for each in (index - 1, index + 1) if 0 <= each < len(masculine)]
        if partner == MISSING:
            others = [feminine[each] for each in beside if each != MISSING]
            yield from _unpaired_word(pair, word, "masculine", others)
        elif not are_forms(word, feminine[partner], pair.language):
            message = f"{word} / {feminine[partner]} do not look like forms of the same word."
            yield DataIssue("warning", pair.id, message)
    for gap, indices in found.alignment.extra.items():
        for index in indices:
            yield from _unpaired_word(
                pair, feminine[index], "feminine", masculine[max(gap - 1, 0) : gap + 1]
            )


def _unpaired_word(
    pair: Pair, word: str, gender: Gender, beside: Sequence[str]
) -> Iterator[DataIssue]:
    """A word that only one form has, unless it is part of a contraction in the other: au, à la."""
    if not any(are_forms(word, other, pair.language) for other in beside):
        yield DataIssue("warning", pair.id, f"only the {gender} form has {word}.")
