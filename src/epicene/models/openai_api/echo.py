"""Scoring by echo: the completions endpoint gives back the prompt with its log-probabilities.

Many servers take `echo` without a word and ignore it, and some give tokens the scores of another
place, so the echo is proved before the first text is scored, and each echo is checked for the text
it should be of.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from epicene.errors import RunError
from epicene.languages.segment import count_words
from epicene.models.openai_api.align import Span, align
from epicene.models.openai_api.tokens import read_of
from epicene.models.remote.faults import PassingError, UnansweredError
from epicene.models.remote.sender import together
from epicene.records import DECIMALS, Score, Scores, TextScore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.models.openai_api.replies import Choice, Reply
    from epicene.models.openai_api.transport import Transport
    from epicene.records import FirstToken

METHOD = "causal (echo)"
# Several scripts, so that an echo that mangles one is found out at once.
PROBE = "The teacher said she was tired. La maîtresse était fatiguée. هي معلمة. वह थकी है।"
# Texts whose next token most models are sure of: its score when it is made is that of its echo.
CONTINUED = ("one two three four five six seven eight nine", "A B C D E F G H I J K L M N")
_OFF = 0.5  # by how much the two may differ: reading and writing are computed in other batches
_HIDDEN = "(not shown)"


@dataclass
class Proof:
    """What the proof found; it holds for the model's life."""

    proved: bool = False
    refused: str = ""
    new_tokens: int = 0  # some servers refuse to make no new token


class Token(NamedTuple):
    """A token of an echo with its characters."""

    logprob: float | None
    start: int
    end: int


class Echoed(NamedTuple):
    """An echo that was checked.

    `before` is the token shown before the text, `made` the text made after it, "" if none.
    """

    tokens: list[Token]
    before: str
    made: str


class Echo:
    """Answers score."""

    def __init__(self, transport: Transport, model: str, proof: Proof) -> None:
        self._transport = transport
        self._model = model
        self._proof = proof
        self._proving = asyncio.Lock()

    async def score(self, request: Score) -> Scores:
        """The log-probabilities of each text after the context.

        A server echoes each token's own log-probability and not those of all others, so nothing
        is said of how a text would be drawn under a request's `decoding`: `drawn` stays unset.
        """
        if not isinstance(request.context, str):
            raise UnansweredError(
                "a chat cannot be scored through a server: it does not show how it renders one; "
                "use the kind hf, or a context of plain text"
            )
        if not request.texts:
            raise UnansweredError("there is no text to score")
        if not all(request.texts):
            raise UnansweredError("an empty text has no tokens to score")
        async with self._proving:
            if not self._proof.proved:
                self._proof.refused = self._proof.refused or await self._prove()
        if self._proof.refused:
            raise RunError(self._proof.refused)
        context = request.context
        echoes = await together(self._ask(context + text) for text in request.texts)
        for echoed in echoes:
            _keep(request.first_token, echoed)
        scores = tuple(
            _text_score(echoed, text, len(context), request.language)
            for echoed, text in zip(echoes, request.texts, strict=True)
        )
        _refuse_unscored(request.texts, scores)
        return Scores(texts=scores, method=METHOD, conditioned_on=_conditioned_on(echoes))

    async def _ask(self, text: str) -> Echoed:
        return await self._transport.post(
            "completions",
            lambda: {
                "model": self._model,
                "prompt": text,
                "echo": True,
                "logprobs": 1,
                "max_tokens": self._proof.new_tokens,
                "temperature": 0,
            },
            lambda reply: read(reply, text),
            worth=self._transport.sender.till.price.tokens(read_of(text), 1),
        )

    async def _prove(self) -> str:
        """Why the server's echo cannot be scored by, or ""."""
        reason = await self._mute() or await self._misplaced()
        self._proof.proved = not reason
        if not reason:
            return ""
        return (
            f"The server cannot score {self._model}: its completions endpoint does not echo a "
            f"text with its log-probabilities ({reason}); use a server that does, e.g. vLLM, or "
            "open the model with the kind hf."
        )

    async def _mute(self) -> str:
        """Ask for one echo, without and then with a new token; why it is none, or ""."""
        reason = "text was made where none was asked for"
        for new_tokens in (0, 1):
            self._proof.new_tokens = new_tokens
            try:
                echoed = await self._ask(PROBE)
            except UnansweredError as failure:
                reason = str(failure)
                continue
            if new_tokens == 1 or not echoed.made:
                return ""
        return reason

    async def _misplaced(self) -> str:
        """What shows that the scores are not those of the tokens they stand at, or ""."""
        for text in CONTINUED:
            try:
                made, logprob = await self._continue(text)
            except UnansweredError:  # what it makes it does not score: nothing to compare with
                continue
            try:
                echoed = await self._ask(text + made)
            except UnansweredError as failure:
                return str(failure)
            last = echoed.tokens[-1]
            whole = last.start == len(text)  # else it was made of two, or is part of one
            if whole and last.logprob is not None and abs(last.logprob - logprob) > _OFF:
                return (
                    f"{made!r} after {text!r} has {logprob:.2f} when it is made and "
                    f"{last.logprob:.2f} in an echo"
                )
        return ""

    async def _continue(self, text: str) -> tuple[str, float]:
        """The token that the server makes after a text, and its log-probability."""
        return await self._transport.post(
            "completions",
            lambda: {
                "model": self._model,
                "prompt": text,
                "logprobs": 1,
                "max_tokens": 1,
                "temperature": 0,
            },
            _made,
            worth=self._transport.sender.till.price.tokens(read_of(text), 1),
        )


def _made(reply: Reply) -> tuple[str, float]:
    if not reply.choices:
        raise PassingError("reply", "the reply's list of choices is empty")
    choice = reply.choices[0]
    _, logprobs = _listed(choice)
    if not choice.text or len(logprobs) != 1 or logprobs[0] is None:
        raise UnansweredError("no token was made, or it came without its log-probability")
    return choice.text, logprobs[0]


def read(reply: Reply, text: str) -> Echoed:
    """An echo, or `UnansweredError` with what is missing in it."""
    if not reply.choices:
        raise PassingError("reply", "the reply's list of choices is empty")
    choice = reply.choices[0]
    whole = choice.text or ""
    if not whole.startswith(text):
        raise UnansweredError("the text did not come back")
    tokens, logprobs = _listed(choice)
    made = reply.usage.completion_tokens if reply.usage else None
    spans = _own_spans(text, tokens, len(whole) > len(text), made)
    if spans is None:
        raise UnansweredError("the tokens that came back do not spell the text")
    before = tokens[0] if spans[0].silent else ""
    own = [
        Token(logprob, span.start, span.end)
        for span, logprob in zip(spans, logprobs, strict=False)
        if not span.silent and span.start < len(text)
    ]
    if not before and own[0].logprob == 0:
        # A first token that is certain with nothing before it was not scored at all.
        own[0] = own[0]._replace(logprob=None)
    if not all(_sound(token.logprob) for token in own[1:]):
        raise UnansweredError("tokens of the text came back without log-probabilities")
    _count(reply, shown=len(spans))
    return Echoed(own, before, whole[len(text) :])


def _listed(choice: Choice) -> tuple[list[str], list[float | None]]:
    listed = choice.logprobs
    tokens, logprobs = (listed.tokens, listed.token_logprobs) if listed else (None, None)
    if not tokens or not logprobs or len(tokens) != len(logprobs):
        raise UnansweredError("the text came back without its tokens and their log-probabilities")
    return tokens, logprobs


def _own_spans(
    text: str, tokens: Sequence[str], has_more: bool, made: int | None
) -> list[Span] | None:
    """The spans of the tokens that are the text's: those before what the server made."""
    for new in dict.fromkeys((made or 0, 0, 1)):
        if new == 0 and has_more:
            continue
        spans = align(text, tokens[: max(0, len(tokens) - new)])
        if spans:
            return spans
    return None


def _sound(logprob: float | None) -> bool:
    return logprob is not None and math.isfinite(logprob) and logprob <= 0


def _count(reply: Reply, shown: int) -> None:
    """The server's own count of the prompt's tokens must fit; it may hide a beginning token."""
    counted = reply.usage.prompt_tokens if reply.usage else None
    if counted is not None and counted not in (shown, shown + 1):
        raise UnansweredError(f"{shown} tokens came back of a text of {counted}")


def _keep(policy: FirstToken, echoed: Echoed) -> None:
    """Refuse where the server did not do what the first-token policy says."""
    scored = echoed.tokens[0].logprob is not None
    if policy == "bos" and not scored:
        raise UnansweredError(
            "the server puts no beginning token before a text, so its first token has no score "
            "and the first-token policy bos cannot be kept; ask with tokenizer-default or none, "
            "or use the kind hf"
        )
    if policy == "none" and (scored or echoed.before):
        raise UnansweredError(
            f"the server puts {echoed.before or 'a token'} before a text, so the first-token "
            "policy none cannot be kept; ask with tokenizer-default or bos, or use the kind hf"
        )


def _conditioned_on(echoes: Sequence[Echoed]) -> str:
    first = echoes[0]
    scored = first.tokens[0].logprob is not None
    return first.before or (_HIDDEN if scored else "")


def _text_score(echoed: Echoed, text: str, boundary: int, language: str) -> TextScore:
    """The text's own tokens; one astride the boundary is the text's and starts at 0."""
    own = [token for token in echoed.tokens if token.end > boundary]
    return TextScore(
        logprobs=tuple(None if t.logprob is None else round(t.logprob, DECIMALS) for t in own),
        starts=tuple(max(0, token.start - boundary) for token in own),
        ends=tuple(token.end - boundary for token in own),
        words=count_words(text, language),
        characters=len(text),
    )


def _refuse_unscored(texts: Sequence[str], scores: Sequence[TextScore]) -> None:
    """Refuse texts of which nothing is scored, or that differ only in what is not."""
    way_out = "ask with a context before it, or with the first-token policy bos"
    seen: dict[tuple[str, ...], str] = {}
    for text, score in zip(texts, scores, strict=True):
        spans = zip(score.logprobs, score.starts, score.ends, strict=True)
        scored = tuple(text[start:end] for logprob, start, end in spans if logprob is not None)
        if not scored:
            raise UnansweredError(f"no token of the text {text!r} has a score; {way_out}")
        if seen.setdefault(scored, text) != text:
            raise UnansweredError(
                f"the texts {seen[scored]!r} and {text!r} differ only in a token that has no "
                f"score; {way_out}"
            )
