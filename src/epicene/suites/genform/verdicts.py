"""What the words of an answer say: how many gendered terms are right, what else was changed.

Most answers are one of the two forms: the one that is wanted, or the one that was given. Those are
compared once for every pair, however many models answer so.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from epicene.suites.genform.alignment import MISSING
from epicene.suites.genform.counts import Counts
from epicene.suites.genform.forms import are_forms
from epicene.suites.genform.pairs import other
from epicene.suites.genform.terms import Reference, Tally, reference_of, set_side_by_side, tally
from epicene.suites.genform.words import CUTTINGS, Words, cut, cut_both_ways

if TYPE_CHECKING:
    from epicene.records import Outcome
    from epicene.suites.genform.pairs import Gender, Pair
    from epicene.suites.genform.words import Cutting

# An answer that keeps fewer of the words that both forms share is no version of the sentence: a
# refusal, a remark, something in another script.
_RECOGNISED = 1 / 3

# Pairs, and pairs with one of their two forms for an answer, that are remembered: all runs of the
# same data need them, each from the first pair to the last.
_PAIRS_REMEMBERED = 2**15


class Verdict(NamedTuple):
    """What is said of an answer; `counts` by both ways of cutting words, the rest by one."""

    outcome: Outcome
    label: str | None
    value: float | None
    counts: dict[str, float]
    terms: str
    aligned: str


class Reading(NamedTuple):
    """An answer set against the reference, by one way of cutting words."""

    reference: Reference
    answer: Words
    tally: Tally


def verdict_on(pair: Pair, target: Gender, answer: str, words: Cutting) -> Verdict:
    """Compare an answer, words cut as said, unless that was done before."""
    is_form = answer == pair.masculine or answer == pair.feminine
    compare = _compare_form if is_form else _compare
    return compare(pair.masculine, pair.feminine, pair.language, target, answer, words)


def _compare(
    masculine: str, feminine: str, language: str, target: Gender, answer: str, words: Cutting
) -> Verdict:
    readings = _read(masculine, feminine, language, target, answer)
    main = readings[words]
    return Verdict(
        outcome=_outcome(main),
        label=_label(main, target),
        value=_counts(main).giou,
        counts={
            "length": len(main.reference.words),
            "others_changed": _others_changed(main, language),
            **_counts(readings["whitespace"]).named("whitespace"),
            **_counts(readings["epicene"]).named("epicene"),
        },
        terms=str(main.reference.terms),
        aligned=set_side_by_side(main.reference, main.tally, main.answer),
    )


_compare_form = lru_cache(maxsize=4 * _PAIRS_REMEMBERED)(_compare)


def _read(
    masculine: str, feminine: str, language: str, target: Gender, answer: str
) -> dict[Cutting, Reading]:
    """Set the words of an answer against those of the reference, by both ways of cutting words."""
    wanted, given = (masculine, feminine) if target == "masculine" else (feminine, masculine)
    answers = {} if answer in (wanted, given) else cut_both_ways(answer, language)
    made: dict[Cutting, Reading] = {}
    for how, references in _references(masculine, feminine, language).items():
        reference = references[target]
        form = reference.words if answer == wanted else reference.counterfactual
        words = answers.get(how, form)
        alike = (
            each for each in made.values() if each.reference is reference and each.answer == words
        )
        made[how] = next(alike, None) or Reading(reference, words, tally(reference, words))
    return made


@lru_cache(maxsize=_PAIRS_REMEMBERED)
def _references(
    masculine: str, feminine: str, language: str
) -> dict[Cutting, dict[Gender, Reference]]:
    """What is wanted in each direction; the same where both ways of cutting give the same words."""
    known: dict[tuple[Words, Words], dict[Gender, Reference]] = {}
    made: dict[Cutting, dict[Gender, Reference]] = {}
    for how in CUTTINGS:
        man, woman = cut(masculine, language, how), cut(feminine, language, how)
        if (man, woman) not in known:
            known[man, woman] = {
                "masculine": reference_of(man, woman),
                "feminine": reference_of(woman, man),
            }
        made[how] = known[man, woman]
    return made


def _counts(reading: Reading) -> Counts:
    """The sizes of the paper's sets."""
    terms = reading.reference.terms
    return Counts(reading.tally.right, terms, terms + reading.tally.spurious)


def _outcome(reading: Reading) -> Outcome:
    """Whether it is the sentence as it should be, or no version of it at all."""
    if not _is_recognised(reading):
        return "undetected"
    number = _counts(reading)
    return "right" if number.right == number.union else "wrong"


def _is_recognised(reading: Reading) -> bool:
    """Whether the answer is some version of the sentence."""
    common = len(reading.reference.words) - len(reading.reference.gendered)
    if not common:
        return bool(reading.tally.right or reading.tally.kept) and bool(reading.answer)
    return reading.tally.shared >= _RECOGNISED * common


def _label(reading: Reading, target: Gender) -> str | None:
    """Which gender the answer's gendered terms have; none where the sentence has no such term."""
    if not reading.reference.terms:
        return None
    right, kept = reading.tally.right > 0, reading.tally.kept > 0
    if right and kept:
        return "mixed"
    if right or kept:
        return target if right else other(target)
    return "neither"


def _others_changed(reading: Reading, language: str) -> int:
    """How many words that are not the speaker's the answer has in another form."""
    words, partners = reading.reference.words, reading.tally.alignment.partners
    return sum(
        are_forms(words[place], reading.answer[partners[place]], language)
        for place in reading.tally.mismatched
        if place not in reading.reference.gendered and partners[place] != MISSING
    )
