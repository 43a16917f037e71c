"""Which verb a model puts in the gap, and whether its form fits the frame around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from epicene.languages.normalise import nfc
from epicene.languages.segment import words
from epicene.records import Completions, Judgement, Texts
from epicene.suites.alternations.acceptability import evidence, facets
from epicene.suites.alternations.analyser import INDIRECT, NOT_A_VERB, agrees, analyse
from epicene.suites.alternations.protocol import CLOZE, PROMPT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.records import Completion
    from epicene.suites import Answers
    from epicene.suites.alternations.pairs import Pair
    from epicene.suites.alternations.protocol import AlternationsProtocol

# How completions can be ranked: by the verb alone, or with the word after the gap.
BY_VERB, WITH_AFTER = "by the verb", "with what follows"


def judge(pair: Pair, answers: Answers, protocol: AlternationsProtocol) -> Iterator[Judgement]:
    """The first verb of each ranking, and of a chat model's answer."""
    for form, ranking, texts, main in fillings(pair, answers, protocol):
        yield _judged(pair, form, texts, ranking, main=main)


def fillings(
    pair: Pair, answers: Answers, protocol: AlternationsProtocol
) -> Iterator[tuple[str, str, list[str], bool]]:
    """What fills the gap, best first: in which format, by which ranking, and whether that is the
    format's main one.
    """
    for filled in answers.where(name=CLOZE).of(Completions):
        own = preferred(filled.completions)
        for ranking, texts in rankings(filled.completions, protocol.top).items():
            yield CLOZE, ranking, texts, ranking == own
    for written in answers.where(name=PROMPT).of(Texts):
        yield PROMPT, PROMPT, [first_word(written.only, pair.language)], True


def preferred(completions: Sequence[Completion]) -> str:
    """A causal model does not see what follows unless it is scored too; a masked one does."""
    return WITH_AFTER if any(each.with_after is not None for each in completions) else BY_VERB


def rankings(completions: Sequence[Completion], top: int) -> dict[str, list[str]]:
    """The different texts best first, by each ranking there is."""
    ranked = {BY_VERB: sorted(completions, key=lambda each: -each.logprob)}
    rescored = [each for each in completions if each.with_after is not None]
    if rescored:
        ranked[WITH_AFTER] = sorted(rescored, key=lambda each: -(each.with_after or 0.0))
    return {
        name: list(dict.fromkeys(each.text.strip() for each in best))[:top]
        for name, best in ranked.items()
    }


def first_word(text: str, language: str) -> str:
    """The first word of an answer, "" if it has none."""
    stripped = regex.sub(r"^[\s\p{P}]+", "", text)
    spans = words(stripped, language)
    return stripped[spans[0].start : spans[0].end] if spans else ""


def _judged(pair: Pair, form: str, texts: list[str], ranking: str, *, main: bool) -> Judgement:
    """Right is the -vā causative in the form that agrees; a word that is no verb is undetected."""
    first = texts[0] if texts else ""
    reading = analyse(first)
    fits = agrees(reading, pair)
    right = reading.kind == INDIRECT and fits
    kinds = [analyse(text).kind for text in texts]
    # A model may spell a letter with its nukta in two characters, the data in one.
    written, gold = [nfc(text) for text in texts], nfc(pair.gold)
    return Judgement(
        item=pair.id,
        group=pair.cluster,
        language=pair.language,
        name=form if main else f"{form} ({ranking})",
        outcome="undetected" if reading.kind == NOT_A_VERB else "right" if right else "wrong",
        label=reading.kind,
        value=sum(kind == INDIRECT for kind in kinds) / len(kinds) if kinds else None,
        counts={
            "is_verb": float(reading.kind != NOT_A_VERB),
            "agrees": float(fits),
            "gold_first": float(written[:1] == [gold]),
            "gold_among": float(gold in written),
        },
        facets={
            **facets(pair),
            "format": form,
            "ranking": ranking,
            "main": "yes" if main else "no",
        },
        evidence={
            **evidence(pair),
            "answer": pair.filled(first),
            "completions": " / ".join(texts),
            "expected": pair.gold,
        },
    )
