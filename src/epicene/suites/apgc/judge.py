"""Score answers: word labels, edits of a rewriting, gender and BLEU of a translation."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import regex

from epicene.core.records import Judgement, Texts
from epicene.languages.normalisers import normalise
from epicene.suites.answers import clean_answer
from epicene.suites.apgc.ask import (
    IDENTIFICATION,
    POST_EDITING,
    REWRITING,
    SENTENCE_LABEL,
    TRANSLATION,
    request_name,
    translation_of,
)
from epicene.suites.apgc.bleu import COUNTS, bleu_counts
from epicene.suites.apgc.english import english_gender
from epicene.suites.apgc.items import OTHER_GENDER, TARGETS
from epicene.suites.apgc.m2 import count_edits, gold_edits
from epicene.suites.apgc.protocol import FOLDED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.core.records import Facets, Outcome
    from epicene.suites import Answers
    from epicene.suites.apgc.items import Sentence
    from epicene.suites.apgc.protocol import ApgcProtocol

MULTI_REFERENCE = "multi"
FULL_LABEL = "full label"  # the unit of judgements of a sentence's label with N and !

_CODE = regex.compile(r"B|[12][FM]")
_SENTENCE_LABEL = regex.compile(r"(?:[MFB]!?|N){2}")


def judge(sentence: Sentence, answers: Answers, protocol: ApgcProtocol) -> Iterator[Judgement]:
    """All judgements of one sentence."""
    for labelled in answers.where(name=IDENTIFICATION).of(Texts):
        yield from by_labels(sentence, labelled.only, protocol)
    for labelled in answers.where(name=SENTENCE_LABEL).of(Texts):
        yield by_sentence_label(sentence, labelled.only, protocol)
    for target in TARGETS:
        for written in answers.where(name=request_name(REWRITING, target)).of(Texts):
            yield by_edits(sentence, target, written.only, protocol)
    if TRANSLATION in protocol.tasks:
        for translated in answers.where(name=TRANSLATION).of(Texts):
            yield from by_translation(sentence, translated.only, protocol)
    before = translation_of(sentence, answers)
    for target in TARGETS if before.strip() else ():
        for written in answers.where(name=request_name(POST_EDITING, target)).of(Texts):
            yield by_post_editing(sentence, target, before, written.only, protocol)


def _judgement(
    sentence: Sentence,
    name: str,
    *,
    outcome: Outcome | None = None,
    label: str | None = None,
    value: float | None = None,
    counts: dict[str, float] | None = None,
    facets: Facets | None = None,
    evidence: Facets | None = None,
) -> Judgement:
    return Judgement(
        item=sentence.id,
        group=sentence.cluster,
        language="ar",
        name=name,
        outcome=outcome,
        label=label,
        value=value,
        counts=counts or {},
        facets={"sentence label": sentence.who.condensed, **(facets or {})},
        evidence=evidence or {},
    )


# --- identification ------------------------------------------------------------------------


def read_labels(answer: str, words: int) -> list[str] | None:
    """The labels of an answer, if it is one line with a label for each word and nothing else."""
    labels = answer.split()
    if len(labels) != words or "\n" in answer.strip():
        return None
    return labels if all(_CODE.fullmatch(label) for label in labels) else None


def sentence_label(labels: Sequence[str]) -> str:
    """The sentence's label that follows from its words': each person's gender, else B.

    If a person has two genders, the more common one counts; if tied, the first.
    """
    letters = []
    for person in "12":
        genders = Counter(label[1] for label in labels if label[0] == person)
        letters.append(genders.most_common(1)[0][0] if genders else "B")
    return "".join(letters)


def by_labels(sentence: Sentence, answer: str, protocol: ApgcProtocol) -> Iterator[Judgement]:
    """The sentence's label, with the share of words that are labelled right; then each word's.

    Only the answer as a whole has an outcome; a word has its label and the true one.
    """
    truth = [label.condensed.five_way for label in sentence.word_labels]
    cleaned = clean_answer(answer, clean=protocol.clean)
    found = read_labels(cleaned.text, len(truth))
    # Where one word shows both persons, even the true labels tell one of them only.
    right = found is not None and (
        found == truth or sentence_label(found) == sentence.who.condensed
    )
    predicted = [None] * len(truth) if found is None else found
    yield _judgement(
        sentence,
        IDENTIFICATION,
        outcome="undetected" if found is None else "right" if right else "wrong",
        label=None if found is None else sentence_label(found),
        value=sum(one == two for one, two in zip(predicted, truth, strict=True)) / len(truth),
        facets={
            "task": IDENTIFICATION,
            "unit": "sentence",
            "truth": sentence.who.condensed,
            "cleaned": cleaned.how,
        },
        evidence={
            "sentence": sentence.text,
            "answer": answer if found is None else " ".join(found),
            "reference": " ".join(truth),
        },
    )
    for number, (label, true) in enumerate(zip(predicted, truth, strict=True), start=1):
        yield _judgement(
            sentence,
            f"{IDENTIFICATION} word {number}",
            label=label,
            facets={"task": IDENTIFICATION, "unit": "word", "truth": true},
        )


def by_sentence_label(sentence: Sentence, answer: str, protocol: ApgcProtocol) -> Judgement:
    """The label of the whole sentence, with N and !; right if all of it is."""
    cleaned = clean_answer(answer, clean=protocol.clean)
    found = cleaned.text if _SENTENCE_LABEL.fullmatch(cleaned.text) else None
    return _judgement(
        sentence,
        SENTENCE_LABEL,
        outcome="undetected" if found is None else "right" if found == sentence.label else "wrong",
        label=found,
        facets={
            "task": IDENTIFICATION,
            "unit": FULL_LABEL,
            "truth": sentence.label,
            "cleaned": cleaned.how,
        },
        evidence={"sentence": sentence.text, "answer": answer, "reference": sentence.label},
    )


# --- rewriting -----------------------------------------------------------------------------


def by_edits(sentence: Sentence, target: str, answer: str, protocol: ApgcProtocol) -> Judgement:
    """Counts of edits and n-grams, and the share of words in place; right if all words are."""
    cleaned = clean_answer(answer, sentence.text, clean=protocol.clean)
    written = " ".join(cleaned.text.split())
    source, wanted, found = (
        normalise(text, protocol.normalisers)
        for text in (sentence.text, sentence.targets[target], written)
    )
    before, after, aim = source.split(), found.split(), wanted.split()
    edits = count_edits(before, after, gold_edits(before, aim))
    right = after == aim
    return _judgement(
        sentence,
        request_name(REWRITING, target),
        outcome="undetected" if not found else "right" if right else "wrong",
        value=words_in_place(normalise(cleaned.text, protocol.normalisers), wanted),
        counts={
            "correct": edits.correct,
            "proposed": edits.proposed,
            "gold": edits.gold,
            **dict(zip(COUNTS, bleu_counts(found, [wanted]), strict=True)),
        },
        facets={"task": REWRITING, "target": target, "cleaned": cleaned.how},
        evidence={
            "answer": written,
            "reference": sentence.targets[target],
            "counterfactual": sentence.text,
        },
    )


def words_in_place(found: str, wanted: str) -> float:
    """The share of the expected words that are in the same position, as the published scorer
    computes it: split at every single space, with the line end left on the last word.
    """
    here, there = f"{found}\n".split(" "), f"{wanted}\n".split(" ")
    return sum(one == two for one, two in zip(here, there, strict=False)) / len(there)


# --- translation ---------------------------------------------------------------------------


def by_translation(
    sentence: Sentence, translation: str, protocol: ApgcProtocol
) -> Iterator[Judgement]:
    """BLEU's counts against each form and against all; the gender of the gendered words."""
    english: Facets = {}
    if sentence.english:
        english["english gender"] = sentence.english_gender or english_gender(sentence.english)
    for letters, names in (("folded", FOLDED), ("written", ())):
        output = normalise(translation, names).strip()
        forms = [normalise(sentence.targets[target], names) for target in TARGETS]
        references = {target: [form] for target, form in zip(TARGETS, forms, strict=True)}
        for reference, wanted in {**references, MULTI_REFERENCE: forms}.items():
            yield _judgement(
                sentence,
                f"{TRANSLATION} {reference} {letters}",
                counts=dict(zip(COUNTS, bleu_counts(output, wanted), strict=True)),
                facets={
                    "task": TRANSLATION,
                    "unit": "sentence",
                    "reference": reference,
                    "letters": letters,
                    **english,
                },
                evidence={
                    "english": sentence.english,
                    "answer": translation,
                    "reference": sentence.targets["MM"],
                    "counterfactual": sentence.targets["FF"],
                }
                if reference == MULTI_REFERENCE and letters == "written"
                else {},
            )
    if sentence.original:
        yield from _judge_word_genders(sentence, translation, protocol, english)


def gendered_words(sentence: Sentence) -> Iterator[tuple[str, str, str]]:
    """The person, masculine form and feminine form of each word that shows gender."""
    own = sentence.who.own_target
    others = {"1": OTHER_GENDER[own[0]] + own[1], "2": own[0] + OTHER_GENDER[own[1]]}
    words = sentence.targets[own].split()
    for person, other in others.items():
        gender = own[int(person) - 1]
        for word, changed in zip(words, sentence.targets[other].split(), strict=True):
            if word != changed:
                pair = (word, changed) if gender == "M" else (changed, word)
                yield person, *pair


def _judge_word_genders(
    sentence: Sentence, translation: str, protocol: ApgcProtocol, english: Facets
) -> Iterator[Judgement]:
    """Which form of each gendered word the translation has; each of its words counts once."""
    left = Counter(normalise(translation, protocol.normalisers).split())
    for number, (person, *forms) in enumerate(gendered_words(sentence), start=1):
        masculine, feminine = (normalise(form, protocol.normalisers) for form in forms)
        found = [form for form in (masculine, feminine) if left[form]]
        label = "neither"
        if len(found) == 1 and masculine != feminine:
            left[found[0]] -= 1
            label = "masculine" if found[0] == masculine else "feminine"
        yield _judgement(
            sentence,
            f"{TRANSLATION} word {number}",
            label=label,
            facets={"task": TRANSLATION, "unit": "word", "person": person, **english},
            evidence={"answer": translation, "masculine": forms[0], "feminine": forms[1]},
        )


# --- post-editing --------------------------------------------------------------------------


def by_post_editing(
    sentence: Sentence, target: str, before: str, after: str, protocol: ApgcProtocol
) -> Judgement:
    """BLEU's counts for the expected form, before and after the rewriting, with letters folded."""
    cleaned = clean_answer(after, before, clean=protocol.clean)
    wanted, raw, edited = (
        normalise(" ".join(text.split()), FOLDED)
        for text in (sentence.targets[target], before, cleaned.text)
    )
    counts = dict(zip(COUNTS, bleu_counts(edited, [wanted]), strict=True))
    earlier = dict(zip(COUNTS, bleu_counts(raw, [wanted]), strict=True))
    return _judgement(
        sentence,
        request_name(POST_EDITING, target),
        outcome="undetected" if not edited else "right" if edited == wanted else "wrong",
        counts={**counts, **{f"before_{name}": value for name, value in earlier.items()}},
        facets={"task": POST_EDITING, "target": target, "cleaned": cleaned.how},
        evidence={
            "answer": cleaned.text,
            "counterfactual": before,
            "reference": sentence.targets[target],
        },
    )
