"""The frozen records that all packages exchange: items, requests, answers, judgements, tables.

Items become requests, requests become answers, answers become judgements. A record has no behaviour
beyond reading itself, and converts to JSON and back without loss.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

Facets: TypeAlias = dict[str, str]
Positive: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]

# A log-probability is stored to this many decimals, so that the noise of batching, which is
# some hundred times smaller, does not show in a table.
LOGPROB_DECIMALS = 5


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The base of all records: frozen, without unknown fields, and without cycles to collect."""


# --- items ---------------------------------------------------------------------------------


class Item(Record, frozen=True, kw_only=True):
    """One test unit. A suite subclasses it with the fields its benchmark needs.

    `group` is the unit of intervals and of cross-fitting: variants of one sentence share it.
    """

    id: str
    group: str = ""
    language: str = ""

    @property
    def cluster(self) -> str:
        """The group, or the item's own id if it has none."""
        return self.group or self.id


# --- requests: the six verbs ---------------------------------------------------------------


class Message(Record, frozen=True, kw_only=True):
    """One turn of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


# A text, or a chat that the model's own template renders.
Prompt: TypeAlias = str | tuple[Message, ...]


def prompt_texts(prompt: Prompt) -> tuple[str, ...]:
    """The text of a prompt, or of each message of a chat."""
    return (prompt,) if isinstance(prompt, str) else tuple(each.content for each in prompt)


# What the first token of a text is conditioned on, where it has no context:
#   bos                the tokenizer's beginning token (its end token where it has no other)
#   tokenizer-default  whatever the tokenizer prepends by itself, perhaps nothing
#   none               nothing: the first token has no score
FirstToken: TypeAlias = Literal["bos", "tokenizer-default", "none"]

# How a masked model takes a pseudo-log-likelihood; a causal model has no masks, and its answer
# says so in `method`.
Masking: TypeAlias = Literal["original", "within-word", "whole-word"]

# Whose word boundaries `within-word` and `whole-word` follow.
Boundaries: TypeAlias = Literal["epicene", "tokenizer"]


class Decoding(Record, frozen=True, kw_only=True):
    """How text is generated. `temperature` None uses the model's default; 0 is greedy."""

    max_new_tokens: Positive = 256
    temperature: float | None = 0.0
    top_k: int | None = None
    top_p: float | None = None
    exact_length: bool = False  # exactly max_new_tokens: the end token is suppressed
    stop: tuple[str, ...] = ()
    seed: int = 0


class Expected(Record, frozen=True, kw_only=True):
    """What is right and what is wrong as the answer to a request, as the suite will judge it.

    Only models with a known rate of right answers (`planted`, `sketch`) read it. For an image, the
    answers are the people it shows, and `words` the forms in which a prompt may write the noun.
    """

    right: str
    wrong: tuple[str, ...]
    words: tuple[str, ...] = ()


class _RequestFields(Record, frozen=True, kw_only=True, tag_field="verb"):
    """What every request contains: its item, and which of that item's requests it is.

    `expected` is not part of the request that is sent: no answer's key and no seed depends on it.
    """

    item: str = ""  # filled in for a suite that is defined in one file
    name: str = ""
    group: str = ""
    language: str = ""
    expected: Expected | msgspec.UnsetType = msgspec.UNSET


class Score(_RequestFields, frozen=True, kw_only=True, tag="score"):
    """Texts → the log-probability of each token of each, given the context.

    With `decoding`, also the log-probability with which a text generated that way would draw it: at
    that temperature, within top-k and top-p, without the end token if the length is exact.
    """

    texts: tuple[str, ...]
    context: Prompt = ""
    first_token: FirstToken = "bos"
    masking: Masking = "within-word"
    boundaries: Boundaries = "epicene"
    decoding: Decoding | msgspec.UnsetType = msgspec.UNSET


class Fill(_RequestFields, frozen=True, kw_only=True, tag="fill"):
    """A text with one gap → ranked completions. With `choices`, only those are ranked."""

    before: str
    after: str = ""
    max_tokens: int = 1
    top: int = 10
    choices: tuple[str, ...] = ()
    first_token: FirstToken = "bos"


class Generate(_RequestFields, frozen=True, kw_only=True, tag="generate"):
    """A prompt → `samples` texts.

    `source` is the text to work on, `target` the requested change (e.g. speaker: feminine), and
    `choices` the answers to guess from: models without language understanding (`copy`, `random`,
    `rules`) read these and never the prompt.
    """

    prompt: Prompt
    samples: Positive = 1
    decoding: Decoding = Decoding()
    source: str = ""
    target: Facets = {}
    choices: tuple[str, ...] = ()


class Translate(_RequestFields, frozen=True, kw_only=True, tag="translate"):
    """A text in `language` → its translation in `into`."""

    text: str
    into: str
    decoding: Decoding = Decoding()


class Draw(_RequestFields, frozen=True, kw_only=True, tag="draw"):
    """A prompt → `shots` images; each shot has its own seed if the model takes one.

    With `rewriting`, the provider may rewrite the prompt; if unset, it is asked not to.
    """

    prompt: str
    shots: int = 1
    width: int = 1024
    height: int = 1024
    seed: int = 0
    rewriting: bool | msgspec.UnsetType = msgspec.UNSET


class Look(_RequestFields, frozen=True, kw_only=True, tag="look"):
    """An image (its sha256 in the run's files), a question, choices → one choice or none.

    `temperature` applies to its words; 0 if unset.
    """

    image: str
    question: str
    choices: tuple[str, ...]
    temperature: float | msgspec.UnsetType = msgspec.UNSET


Request: TypeAlias = Score | Fill | Generate | Translate | Draw | Look
REQUESTS: tuple[type[Request], ...] = (Score, Fill, Generate, Translate, Draw, Look)


def verb(request: type[Request] | Request) -> str:
    """The verb's name: score, fill, generate, translate, draw, look."""
    return str(request.__struct_config__.tag)


# --- answers -------------------------------------------------------------------------------


class TextScore(Record, frozen=True, kw_only=True):
    """One text's tokens: log-probability (None: not scored) and characters [start, end).

    Offsets count characters of the text alone. A token that spans the boundary between context and
    text belongs to the text and starts at 0. `drawn` answers a request's `decoding`: None if the
    token would never be drawn; unset if it was not requested or the model cannot compute it.
    """

    logprobs: tuple[float | None, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    words: int
    characters: int
    drawn: tuple[float | None, ...] | msgspec.UnsetType = msgspec.UNSET

    @property
    def sum(self) -> float:
        """The total log-probability of the scored tokens."""
        return sum([p for p in self.logprobs if p is not None])

    @property
    def tokens(self) -> int:
        """The number of scored tokens."""
        return len(self.logprobs) - self.logprobs.count(None)


class Scores(Record, frozen=True, kw_only=True, tag_field="kind", tag="scores"):
    """The answer to Score, a TextScore per text in the order asked.

    `method` is causal, original, within-word, whole-word or any other way in which the numbers were
    computed; `conditioned_on` is the token put before the texts, "" if none.
    """

    texts: tuple[TextScore, ...]
    method: str
    conditioned_on: str = ""

    @property
    def best(self) -> int | None:
        """The index of the likeliest text; None if there is a tie, or if a text has no scored
        token.
        """
        sums = [text.sum for text in self.texts if text.tokens]
        if len(sums) < len(self.texts) or sums.count(max(sums, default=0.0)) != 1:
            return None
        return sums.index(max(sums))


class Completion(Record, frozen=True, kw_only=True):
    """One way to fill the gap.

    `logprob` is the log-probability of the completion, given the text before it (causal) or around
    it (masked); `with_after` adds the text after the gap, if the model ranks that way too.
    """

    text: str
    logprob: float
    tokens: int
    with_after: float | None = None


class Completions(Record, frozen=True, kw_only=True, tag_field="kind", tag="completions"):
    """The answer to Fill, best first within each number of tokens, fewer tokens first."""

    completions: tuple[Completion, ...]
    method: str


class Text(Record, frozen=True, kw_only=True):
    """One generated text. `finish` is stop (the model ended it) or length (it was cut off)."""

    text: str
    finish: Literal["stop", "length", "refused"] = "stop"
    tokens: int = 0
    thinking: int = 0  # characters of thinking that were taken out


class Texts(Record, frozen=True, kw_only=True, tag_field="kind", tag="texts"):
    """The answer to Generate and Translate. `temperature` is the one that was used.

    `system` says how a system message was sent: "" if there was none, `own` as a turn of its own,
    `user` as part of the user turn because the template has no system role.
    """

    texts: tuple[Text, ...]
    temperature: float | None = None
    system: str = ""

    @property
    def only(self) -> str:
        """The text, if only one was requested."""
        (text,) = self.texts
        return text.text


class Image(Record, frozen=True, kw_only=True):
    """One drawn image, by its hash in the run's files, or the reason why there is none."""

    sha256: str = ""
    media_type: str = ""
    width: int = 0
    height: int = 0
    seed: int | None = None
    revised_prompt: str = ""
    refused: str = ""


class Images(Record, frozen=True, kw_only=True, tag_field="kind", tag="images"):
    """The answer to Draw, one Image per shot."""

    images: tuple[Image, ...]


class Choice(Record, frozen=True, kw_only=True, tag_field="kind", tag="choice"):
    """The answer to Look: one of the choices, or None if the words named none of them."""

    choice: str | None
    text: str = ""
    logprobs: tuple[float, ...] = ()


class Failed(Record, frozen=True, kw_only=True, tag_field="kind", tag="failed"):
    """The reason why there is no answer. It is not a judgement: the request is sent again on
    resume.
    """

    reason: str


Answer: TypeAlias = Scores | Completions | Texts | Images | Choice | Failed


# --- judgements ----------------------------------------------------------------------------

Outcome: TypeAlias = Literal["right", "wrong", "undetected"]


class Judgement(Record, frozen=True, kw_only=True):
    """A suite's judgement of an answer: an outcome, a label and a value, each if it has one.

    `name` says which of an item's judgements this is (a format, a sample, a direction, a judge); no
    two of them share a name. `NAME (HOW)` next to `NAME` is the same answer judged in another way.
    `counts` are numbers that are summed over a whole corpus (edits made, words matched); `credit`
    among them says how much of a right answer it is, where a tie counts as half. `evidence` is what
    a person would want to read next to it. Some of its names have a meaning: the `answer` is
    compared word by word with the `reference`, or the reference with a `counterfactual`; `aligned`
    contains all three, as `genform` writes them.
    """

    item: str = ""  # filled in for a suite that is defined in one file
    group: str = ""
    language: str = ""
    name: str = ""
    outcome: Outcome | None = None
    label: str | None = None
    value: int | float | None = None
    counts: dict[str, int | float] = {}
    facets: Facets = {}
    evidence: Facets = {}


# From this many effective groups on, an interval covers what it says; below, it is marked.
ENOUGH_GROUPS = 20


class Estimate(Record, frozen=True, kw_only=True):
    """A number with its interval, or a dash with the reason in `why`."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    why: str = ""
    mark: str = ""  # what the paper sets beside a number: stars, a dagger
    groups: float | None = None  # how many groups the interval rests on, in effect

    @property
    def few_groups(self) -> bool:
        """Whether the interval is based on too few groups to guarantee its level."""
        return self.low is not None and self.groups is not None and self.groups < ENOUGH_GROUPS


# --- tables --------------------------------------------------------------------------------


class Column(Record, frozen=True, kw_only=True):
    """A column's name and how its numbers are shown; in JSON they are never rounded."""

    name: str
    unit: Literal["share", "number", "count", "p", "text"] = "share"
    decimals: int = 1


class Row(Record, frozen=True, kw_only=True):
    """One row: one key per level of the table, one cell per column.

    `origin` distinguishes rows of the user's run from rows printed in the paper.
    """

    keys: tuple[str, ...]
    cells: tuple[Estimate | str, ...]
    origin: Literal["run", "published"] = "run"


class Table(Record, frozen=True, kw_only=True):
    """A table with the name its paper gives it. As JSON: keys, level by level, then columns."""

    name: str
    title: str
    levels: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()


class Figure(Record, frozen=True, kw_only=True):
    """A figure with the name its paper gives it, as a Vega-Lite specification with its data."""

    name: str
    title: str
    spec: dict[str, Any]
    notes: tuple[str, ...] = ()


# --- images --------------------------------------------------------------------------------


class SheetImage(Record, frozen=True, kw_only=True):
    """A drawn image on a contact sheet, by its hash, or why there is none.

    `caption` is the short text below it; `alt` describes it for people who cannot see it.
    """

    sha256: str = ""
    caption: str = ""
    alt: str = ""
    missing: str = ""


class ImageStrip(Record, frozen=True, kw_only=True):
    """Images to show side by side, what they were drawn from, and how they were judged."""

    heading: str
    summary: str = ""
    prompts: tuple[str, ...] = ()
    language: str = ""  # of the prompts
    images: tuple[SheetImage, ...] = ()


class ContactSheet(Record, frozen=True, kw_only=True):
    """All images of one thing. Sheets are sorted by `value` and filtered by `facets`.

    `legend` explains how to read the captions.
    """

    name: str
    language: str = ""
    about: str = ""
    legend: str = ""
    value: float | None = None
    facets: Facets = {}
    strips: tuple[ImageStrip, ...] = ()


# --- models --------------------------------------------------------------------------------


# Under this name `about` lists the parts of a key that a model learnt from the suite it was asked.
LEARNT = "learnt"


class Identity(Record, frozen=True, kw_only=True):
    """Which model answered.

    `key` contains everything that could change an answer (weights, dtype, tokenizer, scorer
    version) and nothing else: neither the host nor the batch size. `about` is for people and
    tables.
    """

    kind: str
    label: str
    key: dict[str, str]
    about: dict[str, str | int | float | None] = {}

    @property
    def digest(self) -> bytes:
        """Sixteen bytes that differ if an answer could differ."""
        return digest({"kind": self.kind, "key": self.key})

    def differs_in(self, other: Identity) -> list[str]:
        """The parts of the key in which the two differ."""
        names = self.key.keys() | other.key.keys()
        return sorted(name for name in names if self.key.get(name) != other.key.get(name))


_encoder = msgspec.json.Encoder(order="deterministic")


def to_json(record: object) -> bytes:
    """The canonical JSON form of a record: equal records give equal bytes."""
    return _encoder.encode(record)


def digest(*parts: object) -> bytes:
    """A sixteen-byte hash of records or plain values."""
    state = hashlib.blake2b(digest_size=16)
    for part in parts:
        state.update(part if isinstance(part, bytes) else to_json(_as_asked(part)))
        state.update(b"\0")
    return state.digest()


def _as_asked(part: object) -> object:
    """A request without what is expected; anything else as it is."""
    if isinstance(part, _RequestFields) and part.expected is not msgspec.UNSET:
        return msgspec.structs.replace(part, expected=msgspec.UNSET)
    return part


def answer_keys(model: Identity) -> Callable[[Request], bytes]:
    """The keys that stored answers of a model are checked against: the whole request and the model.

    Millions are computed in a row, so what does not change is computed once.
    """
    rest = b"\0" + model.digest + b"\0"

    def key(request: Request) -> bytes:
        state = hashlib.blake2b(to_json(_as_asked(request)), digest_size=16)
        state.update(rest)
        return state.digest()

    return key
