"""Encode texts and chats as the tokens a causal model reads, and decode tokens to text.

Context and text are tokenised as one string, since tokens form across the boundary between them. A
character that a tokenizer's offsets leave to no token (some count the space before a word as the
word's, some count it as nobody's) belongs to the token after it, so a span means the same whatever
the tokenizer.

Chats are rendered with the model's own template:

- A chat that ends with the assistant's turn is continued; otherwise the template starts one.
- A system message that the template refuses or drops goes at the start of the first user turn.
- Thinking is switched off where the template has a switch (`enable_thinking`).
- A template that asks for the date always gets the same one: an answer must not depend on the day.
- A model without a template gets the turns' contents joined by blank lines.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec
import numpy as np

from epicene.core.records import Message
from epicene.models import UnanswerableError
from epicene.models.output_parsing import THINK_CLOSE, THINK_OPEN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from epicene.core.records import FirstToken, Prompt

    IntArray: TypeAlias = NDArray[np.int64]

T = TypeVar("T")


class EncodedText(NamedTuple):
    """The tokens for one text in its context, and which of them are the text's own."""

    ids: tuple[int, ...]
    first: int  # index of the text's first token; 0 means that nothing precedes it
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    conditioned_on: str = ""

    @property
    def unscored(self) -> int:
        """How many of the text's tokens have nothing to be predicted from: one or none."""
        return int(self.first == 0)


class TextInContext(NamedTuple):
    """A text to encode, after its context; `templated` if a chat template made that."""

    context: str
    text: str
    policy: FirstToken
    templated: bool = False


class TokenSpans:
    """The character spans of the tokens of many strings, from a boundary in each, without gaps.

    Arithmetic over all of them at once: there are many texts, and each is short.
    """

    def __init__(
        self,
        offsets: Sequence[Sequence[tuple[int, int]]],
        strings: Sequence[str],
        cuts: Sequence[int],
    ) -> None:
        counts = np.fromiter(map(len, offsets), np.int64, len(offsets))
        flat = np.fromiter(chain.from_iterable(chain.from_iterable(offsets)), np.int64)
        starts, ends = flat[::2], flat[1::2]
        # Of a lone space some tokenizers say that it ends where it begins.
        (filled,) = np.nonzero(counts)
        lasts = np.cumsum(counts)[filled] - 1
        for index in np.flatnonzero(ends[lasts] == 0).tolist():
            ends[lasts[index]] = len(strings[int(filled[index])])
        owner = np.repeat(np.arange(len(counts)), counts)
        starts = close_gaps(starts, ends, owner)
        cut = np.array(cuts, np.int64)[owner]
        self._starts = np.maximum(0, starts - cut).tolist()
        self._ends = np.maximum(0, ends - cut).tolist()
        self._edges = [0, *np.cumsum(counts).tolist()]
        # A string's own tokens begin with the first that reaches beyond the boundary; with nothing
        # before it even a token of no characters is the text's.
        beyond = np.append(np.flatnonzero(ends > cut), len(ends))
        indices = beyond[np.searchsorted(beyond, self._edges[:-1])].tolist()
        self.first: list[int | None] = [
            (index - start if cut else 0) if index < end else None
            for index, cut, (start, end) in zip(indices, cuts, pairwise(self._edges), strict=True)
        ]

    def of(self, number: int, first: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Where a string's tokens from `first` on begin and end, counted from the boundary."""
        own = slice(self._edges[number] + first, self._edges[number + 1])
        return tuple(self._starts[own]), tuple(self._ends[own])


def close_gaps(starts: IntArray, ends: IntArray, owner: IntArray) -> IntArray:
    """Where tokens start if each takes the unclaimed characters before it in its own string."""
    if not len(starts):
        return starts
    # Strings are concatenated, so that no token reaches into the next string.
    base = owner * (int(max(starts.max(), ends.max())) + 1)
    reached = np.maximum.accumulate(ends + base)
    before = np.concatenate([[0], reached[:-1]])
    closed: IntArray = np.minimum(starts + base, np.maximum(before, base)) - base
    return closed


def in_background(work: Callable[[], T]) -> Callable[[], T]:
    """Start work in a thread; the returned function waits for its result."""
    # A thread of its own each time: one that is kept would be missing in a forked process.
    thread = ThreadPoolExecutor(1, "tokenising")
    result = thread.submit(work)
    thread.shutdown(wait=False)
    return result.result


class TextEncoder:
    """A tokenizer with the limits of the model it feeds."""

    def __init__(self, tokenizer: Any, *, vocabulary: int, max_length: int | None) -> None:
        self._tokenizer = tokenizer
        # Ten times as fast as the wrapper around it; a file may have cutting and padding set.
        self._backend = tokenizer.backend_tokenizer
        self._backend.no_truncation()
        self._backend.no_padding()
        self._vocabulary = vocabulary
        self._names: dict[tuple[int, ...], str] = {}
        self.max_length = max_length

    def encode(self, context: str, text: str, policy: FirstToken) -> EncodedText:
        """The tokens of a text after its context."""
        (encoded,) = self.encode_all([TextInContext(context, text, policy)])
        if isinstance(encoded, UnanswerableError):
            raise encoded
        return encoded

    def encode_all(self, wanted: Sequence[TextInContext]) -> list[EncodedText | UnanswerableError]:
        """The tokens of many texts, or why there are none; all cores tokenise."""
        strings = [one.context + one.text for one in wanted]
        return self._all_encoded(wanted, strings, self._encode_batch(strings))

    def begin(
        self, wanted: Sequence[TextInContext]
    ) -> Callable[[], list[EncodedText | UnanswerableError]]:
        """Tokenise in the background; the returned function waits for the tokens.

        Tokenising needs no Python, so this thread can work in the meantime.
        """
        strings = [one.context + one.text for one in wanted]
        encodings = in_background(partial(self._encode_batch, strings))
        return lambda: self._all_encoded(wanted, strings, encodings())

    def _encode_batch(self, strings: Sequence[str]) -> Sequence[Any]:
        found: Sequence[Any] = self._backend.encode_batch(strings, add_special_tokens=False)
        return found

    def _all_encoded(
        self, wanted: Sequence[TextInContext], strings: Sequence[str], encodings: Sequence[Any]
    ) -> list[EncodedText | UnanswerableError]:
        all_ids = [encoding.ids for encoding in encodings]
        spans = TokenSpans(
            [encoding.offsets for encoding in encodings],
            strings,
            [len(one.context) for one in wanted],
        )
        return [
            self._encoded(one, ids, spans, number)
            for number, (one, ids) in enumerate(zip(wanted, all_ids, strict=True))
        ]

    def _encoded(
        self, one: TextInContext, ids: list[int], spans: TokenSpans, number: int
    ) -> EncodedText | UnanswerableError:
        _, text, policy, templated = one
        if not text:
            return UnanswerableError("an empty text has no tokens to score")
        first = spans.first[number]
        if first is None:
            return UnanswerableError(f"the tokenizer makes no token from the text {text!r}")
        try:
            self._refuse_unknown(ids)
            opening = () if templated else self._opening(policy, ids)
            # The last token is predicted, never read.
            self.check(len(opening) + len(ids) - 1)
        except UnanswerableError as error:
            return error
        starts, ends = spans.of(number, first)
        return EncodedText(
            (*opening, *ids), len(opening) + first, starts, ends, self._name(opening)
        )

    def prompt(self, text: str, policy: FirstToken, *, templated: bool = False) -> tuple[int, ...]:
        """The tokens of a text that is to be continued."""
        ids: Sequence[int] = self._tokenise(text) if text else ()
        opening = () if templated else self._opening(policy, ids)
        if not opening and not ids:
            raise UnanswerableError("there is no token to start from: the prompt is empty")
        self.check(len(opening) + len(ids))
        return (*opening, *ids)

    def check(self, read: int) -> None:
        """Raise for more tokens than the model can read."""
        if self.max_length is not None and read > self.max_length:
            raise UnanswerableError(
                f"{read} tokens exceed the {self.max_length} tokens that the model can read at once"
            )

    def decode(self, ids: Sequence[int]) -> str:
        """The text of tokens that continue a text: a leading space stays, special tokens go."""
        return self._after_anchor([token for token in ids if token not in self.special])

    @cached_property
    def special(self) -> frozenset[int]:
        """Tokens that are not text. Those around thinking are kept, so that it can be found."""
        marked = {
            token for token, what in self._tokenizer.added_tokens_decoder.items() if what.special
        }
        thinking = {
            self._tokenizer.convert_tokens_to_ids(mark) for mark in (THINK_OPEN, THINK_CLOSE)
        }
        return frozenset(marked.union(self._tokenizer.all_special_ids) - thinking)

    @cached_property
    def spaced(self) -> list[bool]:
        """For each token of the vocabulary, whether its text begins with a space."""
        return [self._after_anchor([token])[:1] == " " for token in range(len(self._tokenizer))]

    @cached_property
    def default_opening(self) -> tuple[int, ...]:
        """The tokens that the tokenizer puts before a text by itself."""
        bare = self._tokenise("a")
        dressed = self._backend.encode("a").ids
        for cut in range(len(dressed) - len(bare) + 1):
            if dressed[cut : cut + len(bare)] == bare:
                return tuple(dressed[:cut])
        raise UnanswerableError("the tokenizer changes a text when it adds its special tokens")

    @cached_property
    def _anchor(self) -> tuple[list[int], str]:
        """Tokens to decode after, since many decoders drop the space at the very beginning."""
        ids = self._tokenise("a")
        return ids, self._backend.decode(ids, skip_special_tokens=False)

    def _after_anchor(self, ids: list[int]) -> str:
        anchor, text = self._anchor
        whole: str = self._backend.decode(anchor + ids, skip_special_tokens=False)
        return whole.removeprefix(text)

    def _tokenise(self, text: str) -> list[int]:
        ids: list[int] = self._backend.encode(text, add_special_tokens=False).ids
        self._refuse_unknown(ids)
        return ids

    def _refuse_unknown(self, ids: Sequence[int]) -> None:
        if ids and max(ids) >= self._vocabulary:
            raise UnanswerableError(
                f"the tokenizer gives token {max(ids)}, but the model's vocabulary has only "
                f"{self._vocabulary} tokens"
            )

    def _name(self, opening: tuple[int, ...]) -> str:
        """How the tokenizer writes the tokens put first."""
        if opening not in self._names:
            tokens = self._tokenizer.convert_ids_to_tokens(list(opening))
            self._names[opening] = "".join(tokens)
        return self._names[opening]

    def _opening(self, policy: FirstToken, ids: Sequence[int]) -> tuple[int, ...]:
        """The tokens to put first, unless the text brings them itself."""
        if policy == "none":
            return ()
        opening = self.default_opening if policy == "tokenizer-default" else (self._beginning,)
        return () if tuple(ids[: len(opening)]) == opening else opening

    @cached_property
    def _beginning(self) -> int:
        for token in (self._tokenizer.bos_token_id, self._tokenizer.eos_token_id):
            if token is not None:
                return int(token)
        raise UnanswerableError(
            "the tokenizer has no beginning or end token to put before the text; use the "
            "first-token policy tokenizer-default or none"
        )


def decode_text(tokenizer: Any, ids: Sequence[int]) -> str:
    """The text of tokens without context, without special tokens."""
    return str(
        tokenizer.decode(list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False)
    )


# Put before a template to hide the function of that name. The date is the one that templates use
# when there is no such function.
_FIXED_DATE_MACRO = (
    "{%- macro strftime_now(format) -%}{{ format | replace('%d', '26') | replace('%b', 'Jul')"
    " | replace('%B', 'July') | replace('%m', '07') | replace('%Y', '2024') }}{%- endmacro -%}"
)

BLANK_LINE = "\n\n"
# What a tokenizer decodes part of a character to.
PARTIAL_CHARACTER = "\N{REPLACEMENT CHARACTER}"


def apply_template(
    renderer: Any, messages: Sequence[Mapping[str, object]], template: str, **settings: bool
) -> str:
    """The chat that a tokenizer or processor renders, with a fixed date if the template asks for
    one, and without thinking where it knows how.
    """
    if "strftime_now" in template:
        template = _FIXED_DATE_MACRO + template
    if "enable_thinking" in template:
        settings["enable_thinking"] = False
    try:
        rendered = renderer.apply_chat_template(
            messages, chat_template=template, tokenize=False, **settings
        )
    except Exception as error:
        # A template is a program of the model's author and may raise anything.
        raise UnanswerableError(f"the model's chat template rejected the chat: {error}") from error
    return str(rendered)


@dataclass(frozen=True)
class RenderedPrompt:
    """A prompt as text; `system` as in records.Texts.

    What a template made (`templated`) opens as the template wants; all other text is plain.
    """

    text: str
    system: Literal["", "own", "user"] = ""
    templated: bool = False


class ChatTemplate:
    """Renders chats for one tokenizer."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self.used = False
        self._template = tokenizer.get_chat_template() if tokenizer.chat_template else ""

    def render(self, prompt: Prompt) -> RenderedPrompt:
        """The text a model reads for a prompt."""
        if isinstance(prompt, str):
            return RenderedPrompt(prompt)
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

    def _render(self, messages: Sequence[Message]) -> RenderedPrompt:
        if not messages:
            raise UnanswerableError("a chat needs at least one turn")
        has_system = messages[0].role == "system"
        if not self._template:
            return RenderedPrompt(_join_contents(messages), "user" if has_system else "")
        if not has_system:
            return RenderedPrompt(self._apply(messages), templated=True)
        folded = self._apply(_fold_system_message(messages))
        try:
            whole = self._apply(messages)
        except UnanswerableError:
            return RenderedPrompt(folded, "user", templated=True)
        # Some templates drop a system message without a word, some fold it themselves.
        if messages[0].content.strip() not in whole or whole == folded:
            return RenderedPrompt(folded, "user", templated=True)
        return RenderedPrompt(whole, "own", templated=True)

    def _inserted_system(self) -> str:
        """The system prompt that the template inserts by itself."""
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
        return apply_template(
            self._tokenizer,
            [msgspec.structs.asdict(message) for message in messages],
            self._template,
            add_generation_prompt=not continued,
            continue_final_message=continued,
        )


def _fold_system_message(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The chat with its system message at the head of the first user turn."""
    system, *turns = messages
    for index, turn in enumerate(turns):
        if turn.role == "user":
            content = system.content + BLANK_LINE + turn.content
            turns[index] = Message(role="user", content=content)
            return tuple(turns)
    return (Message(role="user", content=system.content), *turns)


def _join_contents(messages: Sequence[Message]) -> str:
    """Contents with blank lines between them, and one to open the assistant's turn."""
    text = BLANK_LINE.join(message.content for message in messages)
    return text if messages[-1].role == "assistant" else text + BLANK_LINE
