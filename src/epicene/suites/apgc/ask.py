"""Requests: label words, rewrite for each pair of genders, translate, post-edit."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from epicene.core.records import Decoding, Expected, Generate, Message, Texts, Translate
from epicene.suites.answers import said_twice
from epicene.suites.apgc.items import TARGETS, WORD_LABELS
from epicene.suites.wordings import wording_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.core.records import Prompt, Request
    from epicene.suites import Answers
    from epicene.suites.apgc.items import Sentence
    from epicene.suites.apgc.protocol import ApgcProtocol

IDENTIFICATION, TRANSLATION = "identification", "translation"
REWRITING, POST_EDITING = "rewriting", "post-editing"
# The request for the label of the sentence, which is part of identification.
SENTENCE_LABEL = "identification label"

# What a guess at a sentence's label is drawn from.
_PARTS = ("M", "M!", "F", "F!", "B", "B!", "N")
_LABEL_CHOICES = tuple(first + second for first in _PARTS for second in _PARTS)

_PERSON = {"M": "masculine", "F": "feminine"}


def request_name(task: str, target: str) -> str:
    """The name of a request for one target, and of its judgement."""
    return f"{task} {target}"


def ask_labels(sentence: Sentence, _: Answers, protocol: ApgcProtocol) -> Iterator[Request]:
    """One label for each word; the sentence's label, with N and !."""
    wording = wording_of(sentence.id)
    if "words" in protocol.labels:
        words = len(sentence.text.split())
        yield Generate(
            item=sentence.id,
            name=IDENTIFICATION,
            group=sentence.cluster,
            language="ar",
            expected=_expected_labels(sentence),
            prompt=_prompt(IDENTIFICATION, sentence.text, protocol, wording=wording),
            decoding=_greedy(protocol),
            source=sentence.text,
            choices=tuple(" ".join([label] * words) for label in WORD_LABELS),
        )
    if "sentence" in protocol.labels:
        # Without a source: models that only copy, rewrite or label words are not to answer.
        yield Generate(
            item=sentence.id,
            name=SENTENCE_LABEL,
            group=sentence.cluster,
            language="ar",
            expected=Expected(
                right=sentence.label,
                wrong=tuple(label for label in _LABEL_CHOICES if label != sentence.label),
            ),
            prompt=_prompt("label", sentence.text, protocol, wording=wording),
            decoding=_greedy(protocol),
            choices=_LABEL_CHOICES,
        )


def ask_rewriting(sentence: Sentence, _: Answers, protocol: ApgcProtocol) -> Iterator[Request]:
    """The sentence for each pair of gender preferences."""
    choices = tuple(dict.fromkeys(sentence.targets.values()))
    for target in TARGETS:
        yield _rewriting(REWRITING, sentence, sentence.text, target, choices, protocol)


def ask_translation(sentence: Sentence, _: Answers, protocol: ApgcProtocol) -> Iterator[Request]:
    """Translate the English side, which usually shows no gender."""
    if sentence.english.strip() and wording_of(sentence.id) == 1:
        yield Translate(
            item=sentence.id,
            name=TRANSLATION,
            group=sentence.cluster,
            language="en",
            text=sentence.english,
            into="ar",
            decoding=_greedy(protocol),
        )


def ask_post_editing(
    sentence: Sentence, answers: Answers, protocol: ApgcProtocol
) -> Iterator[Request]:
    """The machine's translation, rewritten for each pair of gender preferences; in the first
    wording only, as there is one translation."""
    if wording_of(sentence.id) > 1:
        return
    translated = translation_of(sentence, answers)
    if translated.strip():
        for target in TARGETS:
            yield _rewriting(POST_EDITING, sentence, translated, target, (), protocol)


def translation_of(sentence: Sentence, answers: Answers) -> str:
    """The translator's answer; if none was asked, the translation in the data."""
    answered = answers.where(name=TRANSLATION).of(Texts)
    return answered[0].only if answered else sentence.translation


def _expected_labels(sentence: Sentence) -> Expected:
    """The true labels; the wrong ones give the first person a gender that the sentence does not
    show."""
    truth = [label.condensed.five_way for label in sentence.word_labels]
    other = "1F" if sentence.who.condensed[0] == "M" else "1M"
    return Expected(right=" ".join(truth), wrong=(" ".join([other] * len(truth)),))


def _expected_form(sentence: Sentence, target: str, choices: tuple[str, ...]) -> Expected:
    """The form for those genders; the others are wrong or, if there are none, a changed copy is."""
    right = sentence.targets[target]
    others = tuple(text for text in choices if text != right)
    return Expected(right=right, wrong=others or (said_twice(right),))


def _rewriting(
    task: str,
    sentence: Sentence,
    text: str,
    target: str,
    choices: tuple[str, ...],
    protocol: ApgcProtocol,
) -> Generate:
    return Generate(
        item=sentence.id,
        name=request_name(task, target),
        group=sentence.cluster,
        language="ar",
        expected=_expected_form(sentence, target, choices) if choices else UNSET,
        prompt=_prompt(REWRITING, text, protocol, target, wording_of(sentence.id)),
        decoding=_greedy(protocol),
        source=text,
        target={"speaker": _PERSON[target[0]], "listener": _PERSON[target[1]]},
        choices=choices,
    )


@cache
def _prompt_texts() -> Any:
    path = Path(__file__).parent / "prompts.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def other_wordings() -> Any:
    """Our wordings other than the first, by language and task."""
    path = Path(__file__).parent / "wordings.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _prompt(
    task: str, text: str, protocol: ApgcProtocol, target: str = "MM", wording: int = 1
) -> Prompt:
    words = _prompt_texts()[protocol.wording]
    chosen = words[task] if wording == 1 else other_wordings()[protocol.wording][task][wording - 2]
    person = {"M": words["man"], "F": words["woman"]}
    asked = chosen["user"].format(
        sentence=text,
        words=len(text.split()),
        speaker=person[target[0]],
        listener=person[target[1]],
    )
    return (
        Message(role="system", content=chosen["system"]),
        Message(role="user", content=asked),
    )


def _greedy(protocol: ApgcProtocol) -> Decoding:
    return Decoding(max_new_tokens=protocol.new_tokens, seed=protocol.seed)
