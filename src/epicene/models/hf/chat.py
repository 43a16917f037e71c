"""Chats as the model's own template renders them.

- A chat that ends with the assistant's turn is continued; otherwise the template opens one.
- A template that refuses or drops a system message gets it at the head of the first user turn.
- Thinking is switched off where the template knows how (`enable_thinking`).
- A template that asks for the date gets always the same one: an answer must not depend on the
  day it was asked.
- A model without a template gets the turns' contents joined by blank lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from epicene.models.hf.tokens import UnanswerableError
from epicene.records import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.records import Prompt

# Stands before a template and hides the function of that name: the date is that of the day
# which the templates that ask for one give when there is no such function.
_SAME_DAY = (
    "{%- macro strftime_now(format) -%}{{ format | replace('%d', '26') | replace('%b', 'Jul')"
    " | replace('%B', 'July') | replace('%m', '07') | replace('%Y', '2024') }}{%- endmacro -%}"
)

BLANK_LINE = "\n\n"


def same_day(template: str) -> str:
    """The template, for which it is always the same day."""
    return _SAME_DAY + template if "strftime_now" in template else template


def switches(template: str) -> dict[str, bool]:
    """What to render the template with: without thinking, where it knows how."""
    return {"enable_thinking": False} if "enable_thinking" in template else {}


@dataclass(frozen=True)
class Rendered:
    """A prompt as text; `system` as in records.Texts.

    What a template made (`templated`) opens as the template wants; all other text is plain.
    """

    text: str
    system: Literal["", "own", "user"] = ""
    templated: bool = False


class Chat:
    """Renders chats for one tokenizer."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self.used = False
        named = tokenizer.get_chat_template() if tokenizer.chat_template else ""
        self._template = same_day(named)

    def render(self, prompt: Prompt) -> Rendered:
        """The text a model reads for a prompt."""
        if isinstance(prompt, str):
            return Rendered(prompt)
        self.used = True
        return self._render(prompt)

    @cached_property
    def facts(self) -> dict[str, object]:
        """For the manifest: what the template does by itself."""
        if not self._template:
            return {"template": "none: contents joined by blank lines"}
        facts: dict[str, object] = {"template": "own"}
        if "enable_thinking" in self._template:
            facts["thinking"] = "switched off"
        if "strftime_now" in self._template:
            facts["date"] = "26 July 2024"
        if inserted := self._inserted_system():
            facts["inserted system prompt"] = inserted
        return facts

    def _render(self, messages: Sequence[Message]) -> Rendered:
        if not messages:
            raise UnanswerableError("a chat needs at least one turn")
        has_system = messages[0].role == "system"
        if not self._template:
            return Rendered(_joined(messages), "user" if has_system else "")
        if not has_system:
            return Rendered(self._apply(messages), templated=True)
        folded = self._apply(_fold(messages))
        try:
            whole = self._apply(messages)
        except UnanswerableError:
            return Rendered(folded, "user", templated=True)
        # Some templates drop a system message without a word, some fold it themselves.
        if messages[0].content.strip() not in whole or whole == folded:
            return Rendered(folded, "user", templated=True)
        return Rendered(whole, "own", templated=True)

    def _inserted_system(self) -> str:
        """The system prompt the template writes where none was asked for."""
        asked, turn = "\N{SECTION SIGN}SYSTEM\N{SECTION SIGN}", Message(role="user", content="u")
        try:
            bare = self._apply((turn,))
            with_system = self._apply((Message(role="system", content=asked), turn))
        except UnanswerableError:
            return ""
        before, found, after = with_system.partition(asked)
        if not found or not (bare.startswith(before) and bare.endswith(after)):
            return ""
        return bare[len(before) : len(bare) - len(after)].strip()

    def _apply(self, messages: Sequence[Message]) -> str:
        continued = messages[-1].role == "assistant"
        try:
            rendered = self._tokenizer.apply_chat_template(
                [msgspec.structs.asdict(message) for message in messages],
                chat_template=self._template,
                tokenize=False,
                add_generation_prompt=not continued,
                continue_final_message=continued,
                **switches(self._template),
            )
        except Exception as error:
            # A template is a program of the model's author and may raise anything.
            raise UnanswerableError(
                f"the model's chat template refused the chat: {error}"
            ) from error
        return str(rendered)


def _fold(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The chat with its system message at the head of the first user turn."""
    system, *turns = messages
    for place, turn in enumerate(turns):
        if turn.role == "user":
            content = system.content + BLANK_LINE + turn.content
            turns[place] = Message(role="user", content=content)
            return tuple(turns)
    return (Message(role="user", content=system.content), *turns)


def _joined(messages: Sequence[Message]) -> str:
    """Contents with blank lines between them, and one to open the assistant's turn."""
    text = BLANK_LINE.join(message.content for message in messages)
    return text if messages[-1].role == "assistant" else text + BLANK_LINE
