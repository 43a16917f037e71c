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

# Shorter sentences that differ in one word are no repetition of each other.
_MIN_WORDS = 5


class SentenceText(NamedTuple):
    """A text with its name."""

    id: str
    language: str
    text: str


class NearDuplicate(NamedTuple):
    """A sentence, the earlier one that it repeats, and whether it does so but for one word."""

    id: str
    earlier: str
    but_for_one: bool

    def __str__(self) -> str:
        return f"repeats {self.earlier}{' but for one word' if self.but_for_one else ''}"


def near_duplicates(sentences: Iterable[SentenceText]) -> Iterator[NearDuplicate]:
    """The sentences that repeat an earlier one of the same language, whatever their capitals."""
    seen: dict[tuple[str, Words], str] = {}
    but_one: dict[tuple[str, Words], list[tuple[str, Words]]] = defaultdict(list)
    for name, language, text in sentences:
        words = tokenise(text.casefold(), language, "epicene")
        earlier = seen.setdefault((language, words), name)
        if earlier != name:
            yield NearDuplicate(name, earlier, but_for_one=False)
            continue
        near: dict[str, None] = {}
        for key in _leave_one_out(words) if len(words) >= _MIN_WORDS else ():
            near |= {each: None for each, other in but_one[language, key] if other != words}
            but_one[language, key].append((name, words))
        for each in list(near)[:1]:
            yield NearDuplicate(name, each, but_for_one=True)


def _leave_one_out(words: Words) -> Iterator[Words]:
    """The sentence without each of its words in turn: what it shares with one that differs in
    one word. The whole sentence is what it shares with one that has a word more."""
    yield words
    for place in range(len(words)):
        yield words[:place] + words[place + 1 :]


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
    for repetition in near_duplicates(texts):
        yield DataIssue("warning", repetition.id, f"it {repetition}.")


def _without_rule(pairs: Sequence[Pair]) -> Iterator[DataIssue]:
    """Pairs that name no rule; said once where none of them does."""
    nameless = [pair for pair in pairs if not pair.rule and rules_of(pair.language)]
    if len(nameless) == len(pairs) > 1:
        message = "neither this pair nor any other names a rule, so that no table has rules."
        yield DataIssue("warning", nameless[0].id, message)
        return
    for pair in nameless:
        yield DataIssue("warning", pair.id, "it names no rule, so that no rule's row counts it.")


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
    """Differences between the forms that are no two forms of one word."""
    masculine, feminine = (
        tokenise(text, pair.language, "epicene") for text in (pair.masculine, pair.feminine)
    )
    found = reference_of(masculine, feminine)
    if pair.masculine != pair.feminine and not found.terms:
        yield DataIssue("warning", pair.id, "its forms differ in punctuation or spelling only.")
    partners = found.alignment.partners
    for place in sorted(found.gendered):
        word, partner = masculine[place], partners[place]
        beside = [partners[each] for each in (place - 1, place + 1) if 0 <= each < len(masculine)]
        if partner == MISSING:
            others = [feminine[each] for each in beside if each != MISSING]
            yield from _unpaired_word(pair, word, "masculine", others)
        elif not are_forms(word, feminine[partner], pair.language):
            message = f"{word} / {feminine[partner]} do not look like one word."
            yield DataIssue("warning", pair.id, message)
    for gap, places in found.alignment.extra.items():
        for place in places:
            yield from _unpaired_word(
                pair, feminine[place], "feminine", masculine[max(gap - 1, 0) : gap + 1]
            )


def _unpaired_word(
    pair: Pair, word: str, gender: Gender, beside: Sequence[str]
) -> Iterator[DataIssue]:
    """A word that one form has and the other has not, unless it is part of a contraction there:
    au, à la."""
    if not any(are_forms(word, other, pair.language) for other in beside):
        yield DataIssue("warning", pair.id, f"only the {gender} form has {word}.")
