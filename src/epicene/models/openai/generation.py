"""The verbs generate and translate: completions for a plain prompt, chat completions for a chat."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from epicene import languages
from epicene.core import registry
from epicene.core.records import Decoding, Generate, Message, Prompt, Text, Texts, Translate, digest
from epicene.models import UnanswerableError, UnsupportedError, check_not_empty, sample_seed
from epicene.models.http.errors import RejectedError, TransientError
from epicene.models.http.sender import gather_all
from epicene.models.openai.token_bounds import IMAGE_TOKENS, max_prompt_tokens
from epicene.models.output_parsing import strip_thinking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.models.openai.client import (
        Body,
        ChatMessage,
        Choice,
        Endpoint,
        OpenAIClient,
        Reply,
        Usage,
    )

_BLANK_LINE = "\n\n"
PROBE = "one two three four five"
# The characters that a text may have in any case, and for each token: few have more than 128.
_MIN_LIMIT = 100_000
_TOKEN_LENGTH = 256
# The settings of a request that a user chose and a server may not know.
_SETTINGS = (
    "temperature",
    "top_p",
    "top_k",
    "stop",
    "ignore_eos",
    "min_tokens",
    "max_completion_tokens",
    "max_tokens",
)
# What does without them: the setting that they are sent for, and its value.
_WITHOUT = {
    "top_k": ("top_k", "0"),
    "ignore_eos": ("exact_length", "false"),
    "min_tokens": ("exact_length", "false"),
}

_SYSTEM_ROLE_MESSAGE = re.compile(
    r"system\W+(role|message|prompt|instruction)|role\W.*system", re.IGNORECASE
)


@dataclass
class ServerCapabilities:
    """What was learnt about the server from its errors; it applies to all later requests."""

    length_setting: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    many_choices: bool = True
    takes_seed: bool = True
    takes_system: bool = True
    takes_temperature: bool = True  # in looks only; a text's temperature is the user's
    takes_response_format: bool = True


class Generator:
    """Answers generate and translate."""

    def __init__(self, client: OpenAIClient, model: str, capabilities: ServerCapabilities) -> None:
        self._client = client
        self._model = model
        self._capabilities = capabilities

    async def generate(self, request: Generate) -> Texts:
        """The texts that continue a prompt or reply to a chat."""
        return await self._texts(request, request.prompt, request.samples, request.decoding)

    async def probe(self, request: Generate) -> None:
        """Request one token in the same way; raises `UnsupportedError` if it is rejected."""
        decoding = msgspec.structs.replace(request.decoding, max_new_tokens=1)
        prompt: Prompt = PROBE
        if not isinstance(request.prompt, str):
            prompt = (Message(role="user", content=PROBE),)
        ask = PromptSender(
            self._client, self._model, self._capabilities, prompt, decoding, key=digest(PROBE)
        )
        try:
            await ask.choices(0, 1)
        except UnsupportedError:
            raise
        except UnanswerableError:
            return  # for a reason that may be this text's own; the requests themselves will tell

    async def translate(self, request: Translate) -> Texts:
        """A translation, by an instruction in plain words."""
        return await self._texts(request, translation_prompt(request), 1, request.decoding)

    async def _texts(
        self, request: Generate | Translate, prompt: Prompt, samples: int, decoding: Decoding
    ) -> Texts:
        if not prompt:
            raise UnanswerableError("the prompt is empty")
        check_not_empty(request)
        ask = PromptSender(
            self._client,
            self._model,
            self._capabilities,
            prompt,
            decoding,
            key=digest(request),
            folds_system=not self._capabilities.takes_system,
        )
        texts: list[Text] = []
        while len(texts) < samples:
            missing = range(len(texts), samples)
            if self._capabilities.many_choices:
                got = await ask.choices(missing.start, len(missing))
                if len(got) == 1 < len(missing):
                    self._capabilities.many_choices = False  # it always makes one
                texts += got
            else:
                singles = await gather_all(ask.choices(index, 1) for index in missing)
                texts += [text for single in singles for text in single]
        if decoding.exact_length:
            stats = self._client.sender.stats
            stats.shorter_than_asked += sum(text.finish == "stop" for text in texts)
        return Texts(texts=tuple(texts), temperature=decoding.temperature, system=ask.system)


def language_name(code: str) -> str:
    """The English name of a language, or its code if Epicene does not know it."""
    return languages.get(code).name if code in registry.names("languages") else code


def translation_prompt(request: Translate) -> tuple[Message, ...]:
    """The prompt for a translation; docs/guides/openai.md prints this wording."""
    source = f" from {language_name(request.language)}" if request.language else ""
    instruction = (
        f"Translate the following text{source} into {language_name(request.into)}. "
        "Reply with the translation only."
    )
    return (Message(role="user", content=instruction + _BLANK_LINE + request.text),)


@dataclass
class PromptSender:
    """One prompt with its decoding, sent as often as needed.

    `image` is the data URL of an image in the last turn.
    """

    client: OpenAIClient
    model: str
    capabilities: ServerCapabilities
    prompt: Prompt
    decoding: Decoding
    key: bytes
    folds_system: bool = False
    image: str = ""

    @property
    def endpoint(self) -> Endpoint:
        return "completions" if isinstance(self.prompt, str) else "chat/completions"

    @property
    def system(self) -> str:
        """How a system message was sent, as in records.Texts."""
        if isinstance(self.prompt, str) or not any(m.role == "system" for m in self.prompt):
            return ""
        return "user" if self.folds_system else "own"

    async def choices(self, first: int, count: int) -> list[Text]:
        """One to `count` texts, for the samples from `first` on."""
        while True:
            try:
                texts = await self.client.post(
                    self.endpoint,
                    lambda: self._body(first, count),
                    lambda reply: _parse_texts(reply, count, self._max_characters),
                    max_cost=self._max_cost(count),
                )
                if self.folds_system:
                    self.capabilities.takes_system = False  # now that the other way has worked
                return texts
            except RejectedError as rejected:
                if rejected.filtered:
                    return [Text(text="", finish="refused")] * count
                if self._learn(rejected):
                    continue
                if count == 1:
                    raise self._explained(rejected) from None
            # Some servers make one choice at a time and say so in many ways. If the trouble
            # is another, this raises it.
            return await self.choices(first, 1)

    @property
    def _max_characters(self) -> int:
        """The most that a text may have; a server that makes more than was asked is out of hand."""
        return _MIN_LIMIT + _TOKEN_LENGTH * self.decoding.max_new_tokens

    def _max_cost(self, count: int) -> float | None:
        """The most that this number of choices costs; None if that is not known."""
        price = self.client.sender.cost_meter.price
        read = max_prompt_tokens(self.prompt) + (
            (price.picture or IMAGE_TOKENS) if self.image else 0
        )
        return price.tokens(count * read, count * self.decoding.max_new_tokens)

    def _body(self, first: int, count: int) -> Body:
        decoding, capabilities = self.decoding, self.capabilities
        chat = self.endpoint == "chat/completions"
        body: Body = {"model": self.model}
        if isinstance(self.prompt, str):
            body["prompt"] = self.prompt
        else:
            body["messages"] = self._messages(self.prompt)
        body[capabilities.length_setting if chat else "max_tokens"] = decoding.max_new_tokens
        if count > 1:
            body["n"] = count
        if decoding.temperature is not None and (capabilities.takes_temperature or not self.image):
            body["temperature"] = decoding.temperature
        if decoding.top_p is not None:
            body["top_p"] = decoding.top_p
        if decoding.stop:
            body["stop"] = list(decoding.stop)
        if capabilities.takes_seed:
            body["seed"] = sample_seed(self.key, decoding.seed, first)
        if extra := _extra_settings(decoding):
            body["extra_body"] = extra
        return body

    def _messages(self, chat: tuple[Message, ...]) -> list[dict[str, Any]]:
        turns = fold_system(chat) if self.folds_system else chat
        messages: list[dict[str, Any]] = [{"role": t.role, "content": t.content} for t in turns]
        if self.image:
            messages[-1]["content"] = [
                {"type": "text", "text": turns[-1].content},
                {"type": "image_url", "image_url": {"url": self.image}},
            ]
        return messages

    def _learn(self, rejected: RejectedError) -> bool:
        """Leave out or rename a setting that the server rejects; returns whether there was one."""
        capabilities, sent, chat = (
            self.capabilities,
            rejected.sent,
            self.endpoint == "chat/completions",
        )
        if chat and "max_tokens" in sent and rejected.names("max_completion_tokens"):
            capabilities.length_setting = "max_completion_tokens"
            return True
        if "seed" in sent and rejected.names("seed"):
            capabilities.takes_seed = False
            return True
        if self.image and "temperature" in sent and rejected.names("temperature"):
            capabilities.takes_temperature = False
            return True
        has_system = any(turn["role"] == "system" for turn in sent.get("messages", ()))
        if has_system and _SYSTEM_ROLE_MESSAGE.search(rejected.message):
            self.folds_system = True
            return True
        return False

    def _explained(self, rejected: RejectedError) -> UnanswerableError:
        """The rejection, with what the user can do about it."""
        named = self.model in rejected.message or rejected.code == "model_not_found"
        if rejected.status in {404, 405, 501} and not named:
            if self.endpoint == "completions":
                return UnsupportedError(
                    f"the server has no completions endpoint for this model ({rejected}): "
                    "it answers chats, but cannot continue a plain text",
                    other_verbs=("score",),
                )
            return UnsupportedError(f"the server has no chat endpoint for this model ({rejected})")
        sent = {**rejected.sent, **rejected.sent.get("extra_body", {})}
        for setting in _SETTINGS:
            if setting in sent and rejected.names(setting):
                name, value = _WITHOUT.get(setting, (setting, ""))
                return UnsupportedError(
                    f"the server does not accept {setting} = {sent[setting]!r} ({rejected}); use "
                    "another decoding",
                    setting=name,
                    value=value,
                )
        return rejected


def fold_system(chat: Sequence[Message]) -> tuple[Message, ...]:
    """The chat with its system messages at the head of the first user turn."""
    system = [turn.content for turn in chat if turn.role == "system"]
    turns = [turn for turn in chat if turn.role != "system"]
    first = next((i for i, turn in enumerate(turns) if turn.role == "user"), None)
    if first is None:
        return (Message(role="user", content=_BLANK_LINE.join(system)), *turns)
    content = _BLANK_LINE.join([*system, turns[first].content])
    turns[first] = Message(role="user", content=content)
    return tuple(turns)


def _extra_settings(decoding: Decoding) -> dict[str, Any]:
    """Settings that only some servers know, sent only when asked for."""
    extra: dict[str, Any] = {}
    if decoding.top_k is not None:
        extra["top_k"] = decoding.top_k
    if decoding.exact_length:
        extra |= {"ignore_eos": True, "min_tokens": decoding.max_new_tokens}
    return extra


def _parse_texts(reply: Reply, count: int, max_characters: int) -> list[Text]:
    """The texts of a reply, at most `count`; `TransientError` if it holds none."""
    choices = sorted(reply.choices or [], key=lambda choice: choice.index or 0)
    if not choices:
        raise TransientError("reply", "the reply's list of choices is empty")
    tokens = _tokens_without_thinking(reply.usage) if len(choices) == 1 else 0
    texts = [text for choice in choices if (text := _parse_choice(choice, tokens, max_characters))]
    if not texts:
        raise TransientError(
            "reply", f"no choice contains a text (finish: {choices[0].finish_reason})"
        )
    return texts[:count]


def _parse_choice(choice: Choice, tokens: int, max_characters: int) -> Text | None:
    """A choice as a text; None if it is empty for no known reason."""
    message = choice.message
    content, thinking = _parse_message(message) if message else (choice.text, 0)
    refusal = message.refusal if message else None
    finish = _FINISH.get(choice.finish_reason or "", "stop")
    if refusal:
        content, finish = content or refusal, "refused"
    if content is None:
        if finish == "stop" and not thinking:
            return None
        content = ""
    if len(content) > max_characters:
        raise UnanswerableError(
            f"a text of {len(content):,} characters was returned, more than the requested number "
            "of tokens can contain"
        )
    text, taken_out = strip_thinking(content)
    return Text(text=text, finish=finish, tokens=tokens, thinking=thinking + taken_out)


_FINISH: dict[str, Literal["stop", "length", "refused"]] = {
    "length": "length",
    "content_filter": "refused",
}


def _parse_message(message: ChatMessage) -> tuple[str | None, int]:
    """A message's text, and the characters of thinking that came beside it."""
    thinking = len(message.reasoning_content or message.reasoning or "")
    if not isinstance(message.content, list):
        return message.content, thinking
    text = "".join(part.text or "" for part in message.content if part.type == "text")
    for part in message.content:
        inner = part.thinking or ""
        thinking += len(inner if isinstance(inner, str) else "".join(p.text or "" for p in inner))
    return text, thinking


def _tokens_without_thinking(usage: Usage | None) -> int:
    """The tokens of the text itself, thinking apart."""
    if usage is None:
        return 0
    details = usage.completion_tokens_details
    thinking = max(0, details.reasoning_tokens or 0) if details else 0
    return max(0, usage.written - thinking)
