"""Score translations: the gender of the person, or the words of the references."""

from __future__ import annotations

from string import punctuation
from typing import TYPE_CHECKING

import regex

from epicene.core.records import Judgement, Texts
from epicene.languages.tokenisation import words
from epicene.suites.answers import clean_answer
from epicene.suites.translation.entities import entity_gender
from epicene.suites.translation.items import OTHER
from epicene.suites.translation.protocol import NOUN, PERSON

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from epicene.core.records import Outcome
    from epicene.suites import Answers
    from epicene.suites.translation.entities import EntityReading
    from epicene.suites.translation.items import Sentence
    from epicene.suites.translation.protocol import Reading, TranslationProtocol

GENDER, JUDGE = "gender", "judge"
REFERENCES, PUBLISHED = "references", "as published"
MIXED = "mixed"

_NO_PUNCTUATION = str.maketrans(punctuation, " " * len(punctuation))
_SENTENCE_END = regex.compile(r"(?<=[.!?؟।])[\"'»”’)]*\s+")


def judge(
    sentence: Sentence, answers: Answers, protocol: TranslationProtocol
) -> Iterator[Judgement]:
    """All judgements of one sentence; `NAME (HOW)` is a reading that the protocol does not use."""
    if sentence.human:
        yield from _by_people(sentence, protocol)
        return
    for answer in answers.of(Texts):
        text = answer.only
        if protocol.clean:
            text = clean_answer(text, sentence.source).text
        if not sentence.references:
            yield from _by_entity(sentence, text, answer.only, protocol)
        elif sentence.is_open:
            yield from _by_alternatives(sentence, text, answer.only)
        else:
            yield from _by_references(sentence, text, answer.only, protocol)


def _judgement(
    sentence: Sentence,
    name: str,
    reading: str,
    answer: str,
    *,
    outcome: Outcome | None = None,
    label: str | None = None,
    evidence: Mapping[str, str] | None = None,
) -> Judgement:
    return Judgement(
        item=sentence.id,
        group=sentence.cluster,
        language=sentence.language,
        name=name,
        outcome=outcome,
        label=label,
        facets={
            "set": sentence.origin,
            "reading": reading,
            "gender": sentence.gender or "open",
            "stereotype": sentence.stereotype or "none",
            "role": sentence.entity or "none",
        },
        evidence={"english": sentence.source, "answer": answer, **(evidence or {})},
    )


def is_untranslated(text: str, sentence: Sentence) -> bool:
    """Whether most words of the English are still there: `director` is also Spanish."""
    english = language_words(sentence.source, "en")
    return 2 * len(english & language_words(text, "en")) > len(english)


# --- a person ------------------------------------------------------------------------------


def readings(sentence: Sentence, text: str) -> dict[Reading, EntityReading]:
    """The gender of the person by the noun, and, if the pronoun can change it, by both."""

    def read(*, with_pronoun: bool) -> EntityReading:
        language, entity, where = sentence.language, sentence.entity, sentence.where
        return entity_gender(text, language, entity, where=where, with_pronoun=with_pronoun)

    return {NOUN: read(with_pronoun=False), PERSON: read(with_pronoun=sentence.has_pronoun)}


def _by_entity(
    sentence: Sentence, text: str, answer: str, protocol: TranslationProtocol
) -> Iterator[Judgement]:
    if protocol.clean and is_untranslated(text, sentence):
        text = ""
    for reading, found in readings(sentence, text).items():
        outcome: Outcome | None = None
        if sentence.gender:
            if found.gender == sentence.gender:
                outcome = "right"
            elif found.gender is None or (found.gender == "neutral" and sentence.gender in OTHER):
                outcome = "undetected"
            else:
                outcome = "wrong"
        yield _judgement(
            sentence,
            _name(GENDER, reading, protocol),
            reading,
            answer,
            outcome=outcome,
            label=found.gender,
            evidence={"found": found.found},
        )


def _by_people(sentence: Sentence, protocol: TranslationProtocol) -> Iterator[Judgement]:
    """Whether our scoring finds the gender that people found; a person not found is undetected."""
    for reading, found in readings(sentence, sentence.translation).items():
        agrees = found.gender == sentence.human
        yield _judgement(
            sentence,
            _name(JUDGE, reading, protocol),
            reading,
            sentence.translation,
            outcome="undetected" if found.gender is None else "right" if agrees else "wrong",
            label=found.gender,
            evidence={"found": found.found, "people": sentence.human},
        )


def _name(name: str, reading: str, protocol: TranslationProtocol) -> str:
    return name if reading == protocol.reading else f"{name} ({reading})"


# --- references ----------------------------------------------------------------------------


def last_part(text: str, sentence: Sentence) -> str:
    """The translation of the sentence, without that of its context, if both were translated."""
    if not sentence.context:
        return text
    if "\n" in text.strip():
        return text.strip().rpartition("\n")[2]
    wanted = len(_SENTENCE_END.split(sentence.source.strip()))
    return " ".join(_SENTENCE_END.split(text.strip())[-wanted:])


def published_words(text: str) -> set[str]:
    """The words as in MT-GenEval's own script: split at spaces and ASCII punctuation."""
    return set(text.lower().translate(_NO_PUNCTUATION).split())


def language_words(text: str, language: str) -> set[str]:
    """The words by the rules of the language."""
    lower = text.lower()
    return {lower[span.start : span.end] for span in words(lower, language)}


def _by_references(
    sentence: Sentence, text: str, answer: str, protocol: TranslationProtocol
) -> Iterator[Judgement]:
    """Whether the translation has words of the right reference and none of the wrong one; also the
    published measure, for which the second is enough.
    """
    right, wrong = sentence.references["right"], sentence.references["wrong"]
    main = REFERENCES if protocol.evidence == "needed" else PUBLISHED
    for reading in (REFERENCES, PUBLISHED):
        if reading == REFERENCES:
            texts = (last_part(text, sentence), right, wrong)
            found, ours, theirs = (language_words(each, sentence.language) for each in texts)
        else:
            texts = (last_part(answer, sentence), right, wrong)
            found, ours, theirs = map(published_words, texts)
        good, bad = found & (ours - theirs), found & (theirs - ours)
        if reading == REFERENCES and (ours <= theirs or theirs <= ours):
            continue  # no word is there by which one of the genders could be told
        outcome: Outcome = "wrong" if bad else "right"
        if reading == REFERENCES and not good and not bad:
            outcome = "undetected"
        yield _judgement(
            sentence,
            GENDER if reading == main else f"{GENDER} ({reading})",
            reading,
            answer,
            outcome=outcome,
            label=_label(sentence, good, bad),
            evidence={
                "reference": right,
                "counterfactual": wrong,
                "found": ", ".join(sorted(good)),
                "found wrong": ", ".join(sorted(bad)),
            },
        )


def _label(sentence: Sentence, good: set[str], bad: set[str]) -> str | None:
    if good and bad:
        return MIXED
    if sentence.gender not in OTHER or not (good or bad):
        return None
    return sentence.gender if good else OTHER[sentence.gender]


def _by_alternatives(sentence: Sentence, text: str, answer: str) -> Iterator[Judgement]:
    """Which gender each person got, by words that all alternatives of one gender have and none of
    the other. No translation is wrong: the source leaves the gender open.
    """
    found = language_words(text, sentence.language)
    variants = {
        name: language_words(each, sentence.language) for name, each in sentence.references.items()
    }
    for person in range(len(next(iter(variants)))):
        own: dict[str, set[str]] = {}
        for gender in "fm":
            mine = [each for name, each in variants.items() if name[person] == gender]
            others = [each for name, each in variants.items() if name[person] != gender]
            own[gender] = set.intersection(*mine) - set().union(*others)
        if not all(own.values()):
            continue  # no word is there by which one of the genders could be told
        women, men = found & own["f"], found & own["m"]
        label = MIXED if women and men else "feminine" if women else "masculine" if men else None
        yield _judgement(
            sentence,
            f"{GENDER} of person {person + 1}",
            REFERENCES,
            answer,
            label=label,
            evidence={"found": ", ".join(sorted(women | men))},
        )
