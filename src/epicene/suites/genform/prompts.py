"""The prompts: ours in the sentence's language or in English, or those of a file."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from epicene import languages
from epicene.core.errors import InputError, unknown
from epicene.core.records import Message, Record

if TYPE_CHECKING:
    from epicene.core.records import Prompt
    from epicene.suites.genform.items import Gender
    from epicene.suites.genform.protocol import GenformProtocol

SENTENCE, LANGUAGE = "[sentence]", "[language]"


class Instruction(Record, frozen=True, kw_only=True):
    """What is asked, by requested gender."""

    masculine: str
    feminine: str


class NeutralTemplate(Record, frozen=True, kw_only=True):
    """The prompt that removes the speaker's gender, and what is added for a style."""

    system: str
    user: str
    then: str
    styles: dict[str, str] = {}

    def prompt(self, sentence: str, style: str, language: str) -> Prompt:
        """The chat for one sentence."""
        if style and style not in self.styles:
            raise unknown(f"style for neutral forms in {language}", style, sorted(self.styles))
        instruction = " ".join(filter(None, (self.user, self.styles.get(style))))
        return _chat(self.system, instruction, self.then, sentence, language)


class PromptTemplate(Record, frozen=True, kw_only=True):
    """One prompt: a system message, then the instruction and the sentence as the user's."""

    system: str
    user: Instruction
    then: str
    note: str = ""
    neutral: NeutralTemplate | None = None

    def prompt(self, sentence: str, target: Gender, language: str) -> Prompt:
        """The chat for one sentence."""
        instruction = self.user.masculine if target == "masculine" else self.user.feminine
        return _chat(self.system, instruction, self.then, sentence, language)


def _chat(system: str, instruction: str, then: str, sentence: str, language: str) -> Prompt:
    asked = f"{instruction}\n{then}".replace(LANGUAGE, language)
    return (
        Message(role="system", content=system.replace(LANGUAGE, language)),
        Message(role="user", content=asked.replace(SENTENCE, sentence)),
    )


def make_prompt(
    sentence: str, target: Gender, language: str, protocol: GenformProtocol, wording: int = 1
) -> Prompt:
    """The chat that asks for a sentence in one gender, under a protocol."""
    name = languages.get(language).name
    return prompt_template(language, protocol, wording).prompt(sentence, target, name)


def make_neutral_prompt(sentence: str, language: str, protocol: GenformProtocol) -> Prompt:
    """The chat that asks for a sentence that does not show the speaker's gender."""
    template, name = prompt_template(language, protocol).neutral, languages.get(language).name
    if template is None:
        raise InputError(
            f"The prompt for {name} has no `neutral`; add it to your file (`system`, `user` and "
            "`then`), or use ours."
        )
    return template.prompt(sentence, protocol.style, name)


def prompt_template(language: str, protocol: GenformProtocol, wording: int = 1) -> PromptTemplate:
    """The wording of a file if there is one, otherwise ours in the protocol's language."""
    if protocol.prompt:
        known = read_prompt_templates(protocol.prompt)
        found = known.get(language) or known.get("")
        if found is None:
            raise InputError(
                f"The prompt file has no wording for {language!r}; it has {', '.join(known)}."
            )
        return found
    wanted = "en" if protocol.wording == "english" else language
    if wanted not in _shipped_prompts():
        raise InputError(
            f"There is no prompt in {languages.get(language).name}; use the English one "
            "(--protocol english) or your own (--set prompt=FILE)."
        )
    return _shipped_prompts()[wanted] if wording == 1 else other_wordings()[wanted][wording - 2]


def read_prompt_templates(content: dict[str, Any]) -> dict[str, PromptTemplate]:
    """A prompt file's wordings by language, or one for all of them under the empty name.

    The file has `system`, `user` (with `masculine` and `feminine`) and `then`, where `[sentence]`
    is replaced by the sentence; or such a record for each language, by its code.
    """
    by_language = {"": content} if "system" in content else content
    try:
        found = msgspec.convert(by_language, dict[str, PromptTemplate])
    except msgspec.ValidationError as error:
        raise InputError(
            f"The prompt file is invalid: {error}; it must have `system`, `user` (`masculine` "
            "and `feminine`) and `then`, or these for each language, by its code."
        ) from None
    for each in found.values():
        if SENTENCE not in each.then or (each.neutral and SENTENCE not in each.neutral.then):
            raise InputError(f"The prompt file's `then` has no {SENTENCE} for the sentence.")
    return found


@cache
def _shipped_prompts() -> dict[str, PromptTemplate]:
    text = (Path(__file__).parent / "prompts.toml").read_text(encoding="utf-8")
    return read_prompt_templates(tomllib.loads(text))


@cache
def other_wordings() -> dict[str, tuple[PromptTemplate, ...]]:
    """Our wordings other than the first, by language."""
    text = (Path(__file__).parent / "wordings.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, tuple[PromptTemplate, ...]])
