"""How a translation model is told the two languages: four ways, found from what it came with."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from epicene.models.hf.language_codes import spelled, two_letters
from epicene.models.hf.tokens import UnanswerableError

if TYPE_CHECKING:
    from collections.abc import Mapping

# NLLB's language tokens; those of mBART and M2M100 are listed by their tokenizers.
_CODE = re.compile(r"[a-z]{3}_[A-Z][a-z]{3}")
# Tokens that stand before the text: Marian's >>fra<<, MADLAD's <2fr>.
_TARGET = re.compile(r">>([\w-]+)<<|<2([\w-]+)>")
_TASK = re.compile(r"translation_(\w+)_to_(\w+)")


@dataclass(frozen=True)
class Marked:
    """What the encoder reads, and the token that the translation must open with, if any."""

    ids: tuple[int, ...]
    opening: int | None = None


class Languages(Protocol):
    """One way to tell a model the languages."""

    @property
    def way(self) -> str:
        """The way, in a few words, for the manifest."""

    def mark(self, text: str, source: str, target: str) -> Marked:
        """A text as the model must be given it to translate it."""

    def plain(self, text: str, language: str) -> Marked:
        """A text as the model is given it for anything else."""


def languages_of(tokenizer: Any, config: Any) -> Languages:
    """The way that suits a model."""
    if hasattr(tokenizer, "src_lang") and (codes := _codes(tokenizer)):
        return _Codes(tokenizer, codes, tokenizer.src_lang)
    tasks = getattr(config, "task_specific_params", None) or {}
    if pairs := {key: task["prefix"] for key, task in tasks.items() if _is_translation(key, task)}:
        return _Task(tokenizer, pairs)
    if marks := {found[1] or found[2]: found[0] for found in _marks(tokenizer)}:
        return _TargetToken(tokenizer, marks)
    return _OnePair(tokenizer)


def _codes(tokenizer: Any) -> dict[str, int]:
    listed: dict[str, int] = getattr(tokenizer, "lang_code_to_id", None) or {}
    special = {*tokenizer.all_special_tokens, *tokenizer.get_added_vocab()}
    return dict(listed) or {
        token: tokenizer.convert_tokens_to_ids(token)
        for token in sorted(special)
        if _CODE.fullmatch(token)
    }


def _is_translation(key: str, task: Mapping[str, Any]) -> bool:
    return _TASK.fullmatch(key) is not None and "prefix" in task


def _marks(tokenizer: Any) -> list[re.Match[str]]:
    return [found for token in tokenizer.get_vocab() if (found := _TARGET.fullmatch(token))]


def _ids(tokenizer: Any, text: str) -> tuple[int, ...]:
    return tuple(tokenizer(text, verbose=False)["input_ids"])


@dataclass(frozen=True)
class _Codes:
    """A token for the source language beside the text, one for the target opens the answer."""

    tokenizer: Any
    codes: Mapping[str, int]
    default: str  # the source where none is told
    way = "language tokens: the source's beside the text, the target's opens the translation"

    def mark(self, text: str, source: str, target: str) -> Marked:
        opening = self.codes[spelled(target, self.codes)]
        return Marked(self._read(text, spelled(source, self.codes)), opening)

    def plain(self, text: str, language: str) -> Marked:
        return Marked(self._read(text, spelled(language or self.default, self.codes)))

    def _read(self, text: str, code: str) -> tuple[int, ...]:
        self.tokenizer.src_lang = code  # stays set, so it is set each time
        return _ids(self.tokenizer, text)


@dataclass(frozen=True)
class _Unmarked:
    """What needs no language beside a text."""

    tokenizer: Any

    def plain(self, text: str, language: str) -> Marked:  # noqa: ARG002
        return Marked(_ids(self.tokenizer, text))


@dataclass(frozen=True)
class _Task(_Unmarked):
    """A sentence of instruction for each pair that the configuration lists."""

    prefixes: Mapping[str, str]
    way = "the prefix that the configuration gives for the pair"

    def mark(self, text: str, source: str, target: str) -> Marked:
        key = f"translation_{two_letters(source)}_to_{two_letters(target)}"
        if key not in self.prefixes:
            raise UnanswerableError(
                f"the model has no prefix to translate from {source!r} into {target!r}; "
                f"it has {', '.join(sorted(self.prefixes))}"
            )
        return Marked(_ids(self.tokenizer, self.prefixes[key] + text))


@dataclass(frozen=True)
class _TargetToken(_Unmarked):
    """A token for the target language before the text; the source is not told."""

    marks: Mapping[str, str]
    way = "a token for the target before the text"

    def mark(self, text: str, source: str, target: str) -> Marked:  # noqa: ARG002
        return Marked(_ids(self.tokenizer, f"{self.marks[spelled(target, self.marks)]} {text}"))


@dataclass(frozen=True)
class _OnePair(_Unmarked):
    """The model translates from one language into one other and is told nothing."""

    way = "none: the model has one pair"

    def mark(self, text: str, source: str, target: str) -> Marked:
        for asked, attribute in ((source, "source_lang"), (target, "target_lang")):
            own = getattr(self.tokenizer, attribute, None)
            if own and two_letters(own) != two_letters(asked) and _is_one_language(own):
                raise UnanswerableError(
                    f"the model translates from {self.tokenizer.source_lang} into "
                    f"{self.tokenizer.target_lang}, not from {source} into {target}"
                )
        return Marked(_ids(self.tokenizer, text))


def _is_one_language(code: str) -> bool:
    """Marian's `roa` and the like are families of languages."""
    return len(two_letters(code)) == 2
