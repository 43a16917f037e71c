"""Which verb a model puts in the gap, and whether its form fits the frame around it."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import regex

from epicene.languages.segment import words
from epicene.records import Completions, Decoding, Fill, Generate, Judgement, Message, Texts
from epicene.suites.alternations.acceptability import evidence, facets
from epicene.suites.alternations.analyser import INDIRECT, NOT_A_VERB, agrees, analyse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.records import Completion, Request
    from epicene.suites import Answers
    from epicene.suites.alternations.pairs import Pair
    from epicene.suites.alternations.protocol import AlternationsProtocol

CLOZE, PROMPT = "cloze", "prompt"

# How completions can be ranked: by the verb alone, or with the word after the gap.
BY_VERB, WITH_AFTER = "by the verb", "with what follows"

_GAP = "____"


def ask_fill(pair: Pair, _answers: Answers, protocol: AlternationsProtocol) -> Iterator[Request]:
    """The gap, to be filled with one to so many tokens."""
    if pair.prefix:
        yield Fill(
            item=pair.id,
            name=CLOZE,
            group=pair.cluster,
            language=pair.language,
            before=pair.prefix,
            after=f" {pair.after}" if pair.after else "",
            max_tokens=protocol.masks,
            top=protocol.top,
            first_token=protocol.first_token,
        )


def ask_prompt(pair: Pair, _answers: Answers, protocol: AlternationsProtocol) -> Iterator[Request]:
    """The gap as a question to a chat model."""
    if pair.prefix:
        wording = _wordings().get(pair.language, _wordings()["en"])
        sentence = f"{pair.prefix} {_GAP} {pair.after}".strip()
        yield Generate(
            item=pair.id,
            name=PROMPT,
            group=pair.cluster,
            language=pair.language,
            prompt=(
                Message(role="system", content=wording["system"]),
                Message(role="user", content=wording["user"].format(sentence=sentence)),
            ),
            decoding=Decoding(max_new_tokens=protocol.new_tokens, seed=protocol.seed),
            source=sentence,
            choices=tuple(dict.fromkeys((pair.gold, pair.bad.split()[-2]))),
        )


@cache
def _wordings() -> Any:
    path = Path(__file__).parent / "prompts.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


# --- judging -------------------------------------------------------------------------------


def judge(pair: Pair, answers: Answers, protocol: AlternationsProtocol) -> Iterator[Judgement]:
    """The first verb of each ranking, and of a chat model's answer."""
    for filled in answers.where(name=CLOZE).of(Completions):
        for ranking, texts in rankings(filled.completions, protocol.top).items():
            main = ranking == preferred(filled.completions)
            yield _judged(pair, CLOZE, texts, ranking, main=main)
    for written in answers.where(name=PROMPT).of(Texts):
        yield _judged(pair, PROMPT, [first_word(written.only, pair.language)], PROMPT, main=True)


def preferred(completions: Sequence[Completion]) -> str:
    """A causal model does not see what follows unless it is scored too; a masked one does."""
    return WITH_AFTER if any(each.with_after is not None for each in completions) else BY_VERB


def rankings(completions: Sequence[Completion], top: int) -> dict[str, list[str]]:
    """The texts best first, by each ranking there is."""
    ranked = {BY_VERB: sorted(completions, key=lambda each: -each.logprob)}
    rescored = [each for each in completions if each.with_after is not None]
    if rescored:
        ranked[WITH_AFTER] = sorted(rescored, key=lambda each: -(each.with_after or 0.0))
    return {name: [each.text.strip() for each in best[:top]] for name, best in ranked.items()}


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
            "gold_first": float(first == pair.gold),
            "gold_among": float(pair.gold in texts),
        },
        facets={
            **facets(pair),
            "format": form,
            "ranking": ranking,
            "main": "yes" if main else "no",
        },
        evidence={**evidence(pair), "answer": " / ".join(texts), "expected": pair.gold},
    )
