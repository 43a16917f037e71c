"""How source and target language are stated to a translation model: four ways, detected.

`fr` is fra_Latn to NLLB, fr_XX to mBART, fr to M2M100 and MADLAD, fra or fr to Marian.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from epicene.models import UnanswerableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# For each language: its code with the script it is mostly written in, then other codes of three
# letters in use. Of several, the first that a model knows is taken.
_SPELLINGS: dict[str, tuple[str, ...]] = {
    "ar": ("arb_Arab", "ara"),
    "bg": ("bul_Cyrl",),
    "bn": ("ben_Beng",),
    "ca": ("cat_Latn",),
    "cs": ("ces_Latn",),
    "da": ("dan_Latn",),
    "de": ("deu_Latn",),
    "el": ("ell_Grek",),
    "en": ("eng_Latn",),
    "es": ("spa_Latn",),
    "et": ("est_Latn",),
    "fa": ("pes_Arab", "fas"),
    "fi": ("fin_Latn",),
    "fr": ("fra_Latn",),
    "he": ("heb_Hebr",),
    "hi": ("hin_Deva",),
    "hr": ("hrv_Latn",),
    "hu": ("hun_Latn",),
    "id": ("ind_Latn",),
    "is": ("isl_Latn",),
    "it": ("ita_Latn",),
    "ja": ("jpn_Jpan",),
    "ko": ("kor_Hang",),
    "lt": ("lit_Latn",),
    "lv": ("lvs_Latn", "lav"),
    "mr": ("mar_Deva",),
    "nl": ("nld_Latn",),
    "no": ("nob_Latn", "nor"),
    "pl": ("pol_Latn",),
    "pt": ("por_Latn",),
    "ro": ("ron_Latn",),
    "ru": ("rus_Cyrl",),
    "sk": ("slk_Latn",),
    "sl": ("slv_Latn",),
    "sr": ("srp_Cyrl",),
    "sv": ("swe_Latn",),
    "tr": ("tur_Latn",),
    "uk": ("ukr_Cyrl",),
    "ur": ("urd_Arab",),
    "vi": ("vie_Latn",),
    "zh": ("zho_Hans", "cmn_Hans", "cmn"),
}


def two_letter_code(code: str) -> str:
    """The two letters of a code in any spelling; the code itself where none are known."""
    plain = code.replace("-", "_")
    base = plain.partition("_")[0].lower()
    for letters, spellings in _SPELLINGS.items():
        if base == letters or base in {spelling.partition("_")[0] for spelling in spellings}:
            return letters
    return code


def model_language_code(language: str, known: Iterable[str]) -> str:
    """The one of a model's codes that means the language; its own spelling is taken as it is."""
    codes = sorted(known)
    plain = language.replace("-", "_")
    letters = plain.partition("_")[0].lower()
    written = _SPELLINGS.get(letters, ())
    wanted = (language, plain, letters, *written, *(code.partition("_")[0] for code in written))
    for spelling in wanted:
        if spelling in codes:
            return spelling
    for code in codes:  # mBART's: the letters and a region
        if code.startswith(f"{letters}_"):
            return code
    shown = ", ".join(codes[:40]) + (" …" if len(codes) > 40 else "")
    raise UnanswerableError(
        f"the model does not support the language {language!r}; it supports {shown}"
    )


# NLLB's language tokens; those of mBART and M2M100 are listed by their tokenizers.
_NLLB_CODE = re.compile(r"[a-z]{3}_[A-Z][a-z]{3}")
# Tokens before the text: Marian's >>fra<<, MADLAD's <2fr>.
_TARGET_TOKEN = re.compile(r">>([\w-]+)<<|<2([\w-]+)>")
_TRANSLATION_TASK = re.compile(r"translation_(\w+)_to_(\w+)")


@dataclass(frozen=True)
class EncoderInput:
    """What the encoder reads, and the token that the translation must begin with, if any."""

    ids: tuple[int, ...]
    forced_bos: int | None = None


class LanguageMarking(Protocol):
    """One way to tell a model the languages."""

    @property
    def description(self) -> str:
        """How languages are marked, in a few words, for the manifest."""

    def for_translation(self, text: str, source: str, target: str) -> EncoderInput:
        """The input that makes the model translate a text."""

    def for_text(self, text: str, language: str) -> EncoderInput:
        """The input for anything but a translation."""


def find_language_marking(tokenizer: Any, config: Any) -> LanguageMarking:
    """The way that a model expects."""
    if hasattr(tokenizer, "src_lang") and (codes := _language_tokens(tokenizer)):
        return _LanguageTokens(tokenizer, codes, tokenizer.src_lang)
    tasks = getattr(config, "task_specific_params", None) or {}
    if pairs := {key: task["prefix"] for key, task in tasks.items() if _is_translation(key, task)}:
        return _TaskPrefix(tokenizer, pairs)
    if marks := {found[1] or found[2]: found[0] for found in _target_tokens(tokenizer)}:
        return _TargetToken(tokenizer, marks)
    return _SinglePair(tokenizer)


def _language_tokens(tokenizer: Any) -> dict[str, int]:
    listed: dict[str, int] = getattr(tokenizer, "lang_code_to_id", None) or {}
    special = {*tokenizer.all_special_tokens, *tokenizer.get_added_vocab()}
    return dict(listed) or {
        token: tokenizer.convert_tokens_to_ids(token)
        for token in sorted(special)
        if _NLLB_CODE.fullmatch(token)
    }


def _is_translation(key: str, task: Mapping[str, Any]) -> bool:
    return _TRANSLATION_TASK.fullmatch(key) is not None and "prefix" in task


def _target_tokens(tokenizer: Any) -> list[re.Match[str]]:
    return [found for token in tokenizer.get_vocab() if (found := _TARGET_TOKEN.fullmatch(token))]


def _token_ids(tokenizer: Any, text: str) -> tuple[int, ...]:
    return tuple(tokenizer(text, verbose=False)["input_ids"])


@dataclass(frozen=True)
class _LanguageTokens:
    """A token for the source language beside the text, one for the target opens the answer."""

    tokenizer: Any
    codes: Mapping[str, int]
    default: str  # the source where none is stated
    description = (
        "language tokens: the source's beside the text, the target's opens the translation"
    )

    def for_translation(self, text: str, source: str, target: str) -> EncoderInput:
        forced_bos = self.codes[model_language_code(target, self.codes)]
        return EncoderInput(self._read(text, model_language_code(source, self.codes)), forced_bos)

    def for_text(self, text: str, language: str) -> EncoderInput:
        return EncoderInput(
            self._read(text, model_language_code(language or self.default, self.codes))
        )

    def _read(self, text: str, code: str) -> tuple[int, ...]:
        self.tokenizer.src_lang = code  # stays set, so it is set each time
        return _token_ids(self.tokenizer, text)


@dataclass(frozen=True)
class _PlainInput:
    """An input that names no language for a plain text."""

    tokenizer: Any

    def for_text(self, text: str, language: str) -> EncoderInput:  # noqa: ARG002
        return EncoderInput(_token_ids(self.tokenizer, text))


@dataclass(frozen=True)
class _TaskPrefix(_PlainInput):
    """A sentence of instruction for each pair that the configuration lists."""

    prefixes: Mapping[str, str]
    description = "the prefix that the configuration gives for the pair"

    def for_translation(self, text: str, source: str, target: str) -> EncoderInput:
        key = f"translation_{two_letter_code(source)}_to_{two_letter_code(target)}"
        if key not in self.prefixes:
            raise UnanswerableError(
                f"the model has no prefix to translate from {source!r} into {target!r}; it has "
                f"{', '.join(sorted(self.prefixes))}"
            )
        return EncoderInput(_token_ids(self.tokenizer, self.prefixes[key] + text))


@dataclass(frozen=True)
class _TargetToken(_PlainInput):
    """A token for the target language before the text; the source is not stated."""

    marks: Mapping[str, str]
    description = "a token for the target before the text"

    def for_translation(self, text: str, source: str, target: str) -> EncoderInput:  # noqa: ARG002
        return EncoderInput(
            _token_ids(
                self.tokenizer, f"{self.marks[model_language_code(target, self.marks)]} {text}"
            )
        )


@dataclass(frozen=True)
class _SinglePair(_PlainInput):
    """The model has one language pair, so nothing is stated."""

    description = "none: the model has one pair"

    def for_translation(self, text: str, source: str, target: str) -> EncoderInput:
        for asked, attribute in ((source, "source_lang"), (target, "target_lang")):
            own = getattr(self.tokenizer, attribute, None)
            if own and two_letter_code(own) != two_letter_code(asked) and _is_one_language(own):
                raise UnanswerableError(
                    f"the model translates from {self.tokenizer.source_lang} into "
                    f"{self.tokenizer.target_lang}, not from {source} into {target}"
                )
        return EncoderInput(_token_ids(self.tokenizer, text))


def _is_one_language(code: str) -> bool:
    """Marian's `roa` and the like are families of languages."""
    return len(two_letter_code(code)) == 2
