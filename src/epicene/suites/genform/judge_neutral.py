"""Judge sentences that should no longer show the speaker's gender.

An answer is right if

- no block of words that show the speaker's gender has a word of either form left, except for both
  forms side by side (a pair), spellings that join them, and words that agree with a noun for
  anybody;
- no other word shows the speaker's gender, as far as the rewriter of the language finds it;
- every block has something in its place, because leaving words out would always succeed; only an
  indefinite article may be left out (sono artista);
- all other words are as they were.

A sentence whose two forms are equal is right if its words are unchanged.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.core.records import Judgement
from epicene.rewriting.persons import assumed_gender
from epicene.suites.answers import clean_answer
from epicene.suites.genform.ask import NEUTRAL, request_name
from epicene.suites.genform.gendered_terms import MISSING, align
from epicene.suites.genform.items import TARGETS as GENDERS
from epicene.suites.genform.items import pair_facets
from epicene.suites.genform.neutral_words import (
    JoinedForm,
    agreeing_words,
    are_articles,
    gendered_blocks,
    is_same,
    joined_form,
    joined_words,
    joiners,
    keys_of,
    words_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.core.records import Outcome, Text
    from epicene.suites.answers import CleanedAnswer
    from epicene.suites.genform.items import Gender, Pair
    from epicene.suites.genform.neutral_words import Block, TextWords
    from epicene.suites.genform.protocol import GenformProtocol
    from epicene.suites.genform.words import Words

# How an answer avoids gender (`several`: in more than one way), or why it does not.
Form: TypeAlias = (
    JoinedForm
    | Literal["reworded", "pair", "several", "left out", "masculine", "feminine", "both genders"]
)
NEUTRAL_FORMS: tuple[Form, ...] = (
    "reworded", "star", "colon", "median", "e", "schwa", "pair", "other mark", "several",
)  # fmt: skip
FAILURES: tuple[Form, ...] = ("masculine", "feminine", "both genders", "left out")

# An answer that keeps fewer of the shared words, in order, is no version of the sentence.
_MIN_SHARED = 1 / 3
# What takes the place of n words has at most 2n + 3: ein Lehrer, eine Lehrerin oder ein Lehrer.
_MORE_WORDS = 3


class NeutralScore(NamedTuple):
    """How an answer was judged: its outcome and form, and the words behind them."""

    outcome: Outcome
    form: Form | None  # None if the sentence shows no gender, or the answer is no version of it
    left: Words = ()  # words that show the speaker's gender
    others: Words = ()  # other words that were changed, left out or added
    missing: int = 0  # blocks with nothing in their place
    terms: int = 0  # words that show the speaker's gender in the sentence that was given
    freed: int = 0  # of them, those that the answer replaced by something without gender

    @property
    def overlap(self) -> float | None:
        """Like GIoU: freed terms over all terms and other changed words; None without a term."""
        return self.freed / (self.terms + len(self.others)) if self.terms else None


def score_neutral(pair: Pair, source: Gender, answer: str) -> NeutralScore:
    """Judge the answer to one form of a sentence."""
    language = pair.language
    masculine, feminine = (
        words_of(form, language).words for form in (pair.masculine, pair.feminine)
    )
    given = masculine if source == "masculine" else feminine
    written = words_of(answer, language)
    blocks = gendered_blocks(masculine, feminine)
    ranges = [block.masculine if source == "masculine" else block.feminine for block in blocks]
    slots = (slot for block in blocks for slot in block.slots)
    gendered = {key for slot in slots for key in keys_of(sum(slot, ()))}
    placed = _place(given, written.words, ranges, gendered, language)
    terms = sum(len(block.slots) for block in blocks)
    if not _is_version(given, ranges, placed, written.words):
        return NeutralScore("undetected", None, terms=terms)
    if not blocks:
        return NeutralScore("wrong" if placed.others else "right", None, others=placed.others)
    forms_of: dict[Gender, Words] = {"masculine": masculine, "feminine": feminine}
    for gender, form in forms_of.items():
        if keys_of(form) == keys_of(written.words):  # a copy of one of the forms
            return NeutralScore("wrong", gender, _differing(blocks, gender), terms=terms)
    left, forms, kept = _gender_left(pair, blocks, placed, written)
    gone = [
        block
        for block, each, inside in zip(blocks, ranges, placed.inside, strict=True)
        if not inside and not are_articles(given[each], language)
    ]
    missing, lost = len(gone), sum(len(block.slots) for block in gone)
    right = not (left["masculine"] or left["feminine"] or placed.others or missing)
    return NeutralScore(
        "right" if right else "wrong",
        _form(left, forms, missing),
        tuple(dict.fromkeys((*left["masculine"], *left["feminine"]))),
        placed.others,
        missing,
        terms,
        max(0, terms - kept - lost),
    )


def _differing(blocks: Sequence[Block], gender: Gender) -> Words:
    at = GENDERS.index(gender)
    return tuple(word for block in blocks for slot in block.slots for word in slot[at])


class _Placed(NamedTuple):
    """The answer's words by where they are: in the place of each block (indices), or other words
    that changed; `kept` is how many words outside the blocks are as they were."""

    inside: list[list[int]]
    others: Words
    outside: list[int]  # indices of words that the answer has beside the blocks and the kept words
    kept: int


def _place(
    given: Words, answer: Words, ranges: Sequence[slice], forms: set[str], language: str
) -> _Placed:
    found = align(keys_of(given), keys_of(answer))
    block_of = {
        index: number
        for number, each in enumerate(ranges)
        for index in range(each.start, each.stop)
    }
    inside: list[list[int]] = [[] for _ in ranges]
    others: list[str] = []
    outside: list[int] = []
    kept = 0
    for index, partner in enumerate(found.partners):
        if index in block_of:
            if partner != MISSING:
                inside[block_of[index]].append(partner)
        elif partner != MISSING and is_same(given[index], answer[partner], language):
            kept += 1
        else:
            others.append(given[index])
            outside += [partner] if partner != MISSING else []
    repeated = forms | set(keys_of(given)) | set(joiners(language))
    for gap, indices in found.extra.items():
        number = block_of.get(gap, block_of.get(gap - 1))
        keys = set(keys_of(answer[index] for index in indices))
        if number is None and keys <= repeated and keys & forms:  # un artista o un'artista giovane
            number = max(sum(each.stop <= gap for each in ranges) - 1, 0)
        if number is None:
            others += [answer[index] for index in indices]
            outside += indices
        else:
            inside[number] += indices
    for number, each in enumerate(ranges):
        inside[number].sort()
        room = 2 * (each.stop - each.start) + _MORE_WORDS
        others += [answer[index] for index in inside[number][room:]]
    return _Placed(inside, tuple(others), outside, kept)


def _is_version(given: Words, ranges: Sequence[slice], placed: _Placed, answer: Words) -> bool:
    shared = len(given) - sum(each.stop - each.start for each in ranges)
    return bool(answer) and placed.kept >= _MIN_SHARED * shared


def _gender_left(
    pair: Pair, blocks: Sequence[Block], placed: _Placed, written: TextWords
) -> tuple[dict[Gender, list[str]], set[Form], int]:
    """The words that show each gender, how the blocks avoid showing one, and for how many terms
    a gender still shows."""
    new = {*chain.from_iterable(placed.inside), *placed.outside}
    agreeing = agreeing_words(written, new, pair.language)
    flagged = _flagged_words(written.text, pair.language)
    keys = keys_of(written.words)
    left: dict[Gender, list[str]] = {"masculine": [], "feminine": []}
    forms: set[Form] = set()
    neutral: set[str] = set()  # words of the answer that are part of a neutral form
    kept = 0
    for block, inside in zip(blocks, placed.inside, strict=True):
        here = [*inside, *placed.outside]
        sides = [each for slot in block.slots for each in zip(GENDERS, slot, strict=True)]
        agree = {
            index
            for gender, words in sides
            for index in agreeing[gender].intersection(here)
            if keys[index] in keys_of(words) and keys[index] not in flagged[gender]
        }
        neutral.update(keys[index] for index in agree)
        free = [written.words[index] for index in here if index not in agree]
        form: Form = "reworded"
        for slot in block.slots:
            everything = [written.words[index] for index in here]
            joined = _slot_form(*slot, everything, written.text, pair.language)
            if joined is not None:
                form = joined
                neutral.update(keys_of(sum(slot, ())))
                continue
            here_left = [
                (gender, word)
                for gender, words in zip(GENDERS, slot, strict=True)
                for word in words
                if word.casefold() in keys_of(free)
            ]
            kept += bool(here_left)
            for gender, word in here_left:
                left[gender].append(word)
        forms.add(form)
    there = {keys[index] for index in new}
    for gender, shown in flagged.items():
        added = sorted((shown & there) - neutral - set(keys_of(left[gender])))
        left[gender] += added
        kept += len(added)
    return left, forms, kept


def _slot_form(
    his: Words, hers: Words, here: Sequence[str], text: str, language: str
) -> Form | None:
    """How the answer joins the two forms of a slot; None if it has neither, or one."""
    there = set(keys_of(here))
    if {*keys_of(his), *keys_of(hers)} <= there:
        joined = joined_words(text, " ".join(his), " ".join(hers))
        if joined in ("star", "colon", "median"):  # der:die, which is two words
            return joined
        return "pair" if "/" in text or joiners(language) & there else None
    if len(his) == len(hers) == 1:
        found = (joined_form(word, his[0], hers[0]) for word in here)
        return next((form for form in found if form is not None), None)
    return joined_words(" ".join(here), " ".join(his), " ".join(hers))


def _flagged_words(answer: str, language: str) -> dict[Gender, set[str]]:
    """The words by which the rewriter of the language finds the speaker's gender."""
    found = assumed_gender(answer, language)
    keys = {word.casefold() for part in found.words for word in words_of(part, language).words}
    if found.gender == "mixed":
        return {"masculine": keys, "feminine": keys}
    return {
        "masculine": keys if found.gender == "masculine" else set(),
        "feminine": keys if found.gender == "feminine" else set(),
    }


def _form(left: dict[Gender, list[str]], forms: set[Form], missing: int) -> Form:
    if left["masculine"] and left["feminine"]:
        return "both genders"
    if left["masculine"] or left["feminine"]:
        return "masculine" if left["masculine"] else "feminine"
    if missing:
        return "left out"
    return forms.pop() if len(forms) == 1 else "several"


def by_neutral(pair: Pair, source: Gender, text: Text, protocol: GenformProtocol) -> Judgement:
    """Right if no word shows the speaker's gender and all other words are as they were."""
    given = pair.form(source)
    cleaned = clean_answer(text.text, given, clean=protocol.clean)
    score = score_neutral(pair, source, cleaned.text)
    if text.finish == "refused":
        score = NeutralScore("undetected", None, terms=score.terms)
    return Judgement(
        item=pair.id,
        group=pair.cluster,
        language=pair.language,
        name=request_name(NEUTRAL, source),
        outcome=score.outcome,
        label=score.form,
        value=score.overlap,
        counts={
            "neutral terms": score.terms,
            "gender left": len(score.left),
            "others changed": len(score.others),
            "blocks left out": score.missing,
        },
        facets={
            **pair_facets(pair),
            "format": NEUTRAL,
            "target": NEUTRAL,
            "source": source,
            "cleaned": cleaned.how,
        },
        evidence=dict(_evidence(score, given, cleaned, text)),
    )


def _evidence(
    score: NeutralScore, given: str, cleaned: CleanedAnswer, text: Text
) -> Iterator[tuple[str, str]]:
    yield "answer", cleaned.text
    yield "sentence", given
    if score.left:
        yield "words that show the speaker's gender", ", ".join(score.left)
    if score.others:
        yield "other words that changed", ", ".join(score.others)
    if cleaned.by:
        yield "answer as it came", text.text
