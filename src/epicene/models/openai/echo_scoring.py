"""The verb score: the completions endpoint echoes the prompt with its log-probabilities.

Many servers ignore `echo` silently, and some return the scores of other tokens, so the echo is
tested before the first text is scored, and each echo is checked against its text.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from epicene.core.errors import RunError
from epicene.core.records import LOGPROB_DECIMALS, Score, Scores, TextScore
from epicene.languages.tokenisation import count_words
from epicene.models import UnanswerableError, UnsupportedError, check_not_empty
from epicene.models.http.errors import TransientError
from epicene.models.http.sender import gather_all
from epicene.models.openai.token_alignment import TokenSpan, align_tokens
from epicene.models.openai.token_bounds import max_prompt_tokens
from epicene.models.score_checks import refuse_unscored

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from epicene.core.records import FirstToken
    from epicene.models.openai.client import Body, Choice, OpenAIClient, Reply

T = TypeVar("T")

METHOD = "causal (echo)"
# Several scripts, to find an echo that mangles one of them.
ECHO_PROBE = "The teacher said she was tired. La maîtresse était fatiguée. هي معلمة. वह थकी है।"
# Texts whose next token most models are sure of: its score when it is made is that of its echo.
CONTINUATION_PROBES = (
    "one two three four five six seven eight nine",
    "A B C D E F G H I J K L M N",
)
# By how much the two may differ: they are computed in different batches.
_TOLERANCE = 0.5
_HIDDEN = "(not shown)"
# JSON has no -inf: vLLM writes this number for it, llama.cpp the lowest float32.
_STANDS_FOR_MINUS_INFINITY = -9999.0


@dataclass
class EchoCheck:
    """The result of the echo's test; it holds for the model's life."""

    passed: bool = False
    refused: str = ""
    new_tokens: int = 0  # some servers refuse to make no new token
    echoed: EchoResult | None = None  # of the probe


class EchoToken(NamedTuple):
    """A token of an echo with its characters."""

    logprob: float | None
    start: int
    end: int


class EchoResult(NamedTuple):
    """An echo that was checked.

    `before` is the token shown before the text, `made` the text made after it, "" if none.
    """

    tokens: list[EchoToken]
    before: str
    made: str


class EchoScorer:
    """Answers score."""

    def __init__(self, client: OpenAIClient, model: str, echo_check: EchoCheck) -> None:
        self._client = client
        self._model = model
        self._echo_check = echo_check
        self._check_lock = asyncio.Lock()

    async def score(self, request: Score) -> Scores:
        """The log-probabilities of each text after the context.

        A server echoes each token's own log-probability and not those of all others, so nothing
        is said of how a text would be drawn under a request's `decoding`: `drawn` stays unset.
        """
        _check_plain_context(request)
        check_not_empty(request)
        if not all(request.texts):
            raise UnanswerableError("an empty text has no tokens to score")
        if refused := await self._refused():
            raise RunError(refused)
        context = request.context
        assert isinstance(context, str)
        echoes = await gather_all(self._ask(context + text) for text in request.texts)
        for echoed in echoes:
            _check_first_token_policy(request.first_token, echoed)
        scores = tuple(
            _text_score(echoed, text, len(context), request.language)
            for echoed, text in zip(echoes, request.texts, strict=True)
        )
        refuse_unscored(
            request.texts,
            scores,
            "add a context before it, or use the first-token policy bos",
        )
        return Scores(texts=scores, method=METHOD, conditioned_on=_conditioned_on(echoes))

    async def probe(self, request: Score) -> None:
        """Raise `UnsupportedError` if the server cannot score requests like this one."""
        _check_plain_context(request)
        if refused := await self._refused():
            raise UnsupportedError(refused)
        assert self._echo_check.echoed is not None, "an echo that passed was read"
        _check_first_token_policy(request.first_token, self._echo_check.echoed)

    async def _refused(self) -> str:
        """Why the echo cannot be used, or "" if it can; it is tested once."""
        async with self._check_lock:
            if not self._echo_check.passed:
                self._echo_check.refused = self._echo_check.refused or await self._test()
        return self._echo_check.refused

    async def _ask(self, text: str) -> EchoResult:
        return await self._post(
            text,
            lambda: {"echo": True, "max_tokens": self._echo_check.new_tokens},
            lambda reply: parse_echo(reply, text),
        )

    async def _post(self, text: str, settings: Callable[[], Body], read: Callable[[Reply], T]) -> T:
        """What `read` finds in the reply to a text, with the log-probabilities of its tokens."""
        shared = {"model": self._model, "prompt": text, "logprobs": 1, "temperature": 0}
        return await self._client.post(
            "completions",
            lambda: {**shared, **settings()},
            read,
            max_cost=self._client.sender.cost_meter.price.tokens(max_prompt_tokens(text), 1),
        )

    async def _test(self) -> str:
        """Why the server's echo cannot be used for scores, or ""."""
        reason = await self._find_missing_echo() or await self._find_misplaced_scores()
        self._echo_check.passed = not reason
        if not reason:
            return ""
        return (
            f"The server cannot score {self._model}: its completions endpoint does not echo a "
            f"text with its log-probabilities ({reason}); use a server that does, e.g. vLLM, or "
            "open the model with the kind hf."
        )

    async def _find_missing_echo(self) -> str:
        """Request one echo, without and then with a new token; return why it is not an echo, or
        "".
        """
        reason = "text was generated although none was requested"
        for new_tokens in (0, 1):
            self._echo_check.new_tokens = new_tokens
            try:
                echoed = await self._ask(ECHO_PROBE)
            except UnanswerableError as failure:
                reason = str(failure)
                continue
            if new_tokens == 1 or not echoed.made:
                self._echo_check.echoed = echoed
                return ""
        return reason

    async def _find_misplaced_scores(self) -> str:
        """Why the scores seem to be those of other tokens, or ""."""
        for text in CONTINUATION_PROBES:
            try:
                made, logprob = await self._continue(text)
            except UnanswerableError:  # what it makes it does not score: nothing to compare with
                continue
            try:
                echoed = await self._ask(text + made)
            except UnanswerableError as failure:
                return str(failure)
            last = echoed.tokens[-1]
            whole = last.start == len(text)  # else it was made of two, or is part of one
            if whole and last.logprob is not None and abs(last.logprob - logprob) > _TOLERANCE:
                return (
                    f"{made!r} after {text!r} has {logprob:.2f} when it is generated but "
                    f"{last.logprob:.2f} in an echo"
                )
        return ""

    async def _continue(self, text: str) -> tuple[str, float]:
        """The token that the server makes after a text, and its log-probability."""
        return await self._post(text, lambda: {"max_tokens": 1}, _parse_continuation)


def _parse_continuation(reply: Reply) -> tuple[str, float]:
    choice = _first_choice(reply)
    _, logprobs = _tokens_and_logprobs(choice)
    if not choice.text or len(logprobs) != 1 or logprobs[0] is None:
        raise UnanswerableError("no token was generated, or it came without its log-probability")
    return choice.text, logprobs[0]


def _first_choice(reply: Reply) -> Choice:
    if not reply.choices:
        raise TransientError("reply", "the reply's list of choices is empty")
    return reply.choices[0]


def parse_echo(reply: Reply, text: str) -> EchoResult:
    """An echo, or `UnanswerableError` with what is missing in it."""
    choice = _first_choice(reply)
    whole = choice.text or ""
    if not whole.startswith(text):
        raise UnanswerableError("the text was not returned")
    tokens, logprobs = _tokens_and_logprobs(choice)
    made = reply.usage.completion_tokens if reply.usage else None
    spans = _own_spans(text, tokens, len(whole) > len(text), made)
    if spans is None:
        raise UnanswerableError("the returned tokens do not spell the text")
    before = tokens[0] if spans[0].silent else ""
    own = [
        EchoToken(logprob, span.start, span.end)
        for span, logprob in zip(spans, logprobs, strict=False)
        if not span.silent and span.start < len(text)
    ]
    if not before and own[0].logprob == 0:
        # A first token that is certain with nothing before it was not scored at all.
        own[0] = own[0]._replace(logprob=None)
    for number, token in enumerate(own, start=1):
        if token.logprob is None and number > 1:
            raise UnanswerableError("tokens of the text were returned without log-probabilities")
        if token.logprob is not None and not _is_logprob(token.logprob):
            raise UnanswerableError(
                f"the server gives token {number} of {len(own)} "
                f"({text[token.start : token.end]!r}) of {text[:60]!r} the log-probability "
                f"{token.logprob:g}, which is above 0 or means -inf; serve the "
                "model in float32 or bfloat16"
            )
    _check_token_count(reply, shown=len(spans))
    return EchoResult(own, before, whole[len(text) :])


def _tokens_and_logprobs(choice: Choice) -> tuple[list[str], list[float | None]]:
    listed = choice.logprobs
    tokens, logprobs = (listed.tokens, listed.token_logprobs) if listed else (None, None)
    if not tokens or not logprobs or len(tokens) != len(logprobs):
        raise UnanswerableError(
            "the text was returned without its tokens and their log-probabilities"
        )
    return tokens, logprobs


def _own_spans(
    text: str, tokens: Sequence[str], has_more: bool, made: int | None
) -> list[TokenSpan] | None:
    """The spans of the tokens that are the text's: those before what the server made."""
    for new in dict.fromkeys((made or 0, 0, 1)):
        if new == 0 and has_more:
            continue
        spans = align_tokens(text, tokens[: max(0, len(tokens) - new)])
        if spans:
            return spans
    return None


def _is_logprob(logprob: float) -> bool:
    return math.isfinite(logprob) and _STANDS_FOR_MINUS_INFINITY < logprob <= 0


def _check_token_count(reply: Reply, shown: int) -> None:
    """The server's own count of the prompt's tokens must fit; it may hide a beginning token."""
    counted = reply.usage.prompt_tokens if reply.usage else None
    if counted is not None and counted not in (shown, shown + 1):
        raise UnanswerableError(f"{shown} tokens were returned for a text of {counted}")


def _check_plain_context(request: Score) -> None:
    if not isinstance(request.context, str):
        raise UnsupportedError(
            "a chat cannot be scored through a server, because the server does not show how it "
            "renders the chat; use the kind hf, or a plain-text context"
        )


def _check_first_token_policy(policy: FirstToken, echoed: EchoResult) -> None:
    """Raise if the server did not follow the first-token policy."""
    scored = echoed.tokens[0].logprob is not None
    if policy == "bos" and not scored:
        raise UnsupportedError(
            "the server puts no beginning token before a text, so its first token has no score "
            "and the first-token policy bos cannot be applied; use tokenizer-default or none, or "
            "the kind hf",
            setting="first_token",
            value="tokenizer-default",
        )
    if policy == "none" and (scored or echoed.before):
        raise UnsupportedError(
            f"the server puts {echoed.before or 'a token'} before a text, so the first-token "
            "policy none cannot be applied; use tokenizer-default or bos, or the kind hf",
            setting="first_token",
            value="tokenizer-default",
        )


def _conditioned_on(echoes: Sequence[EchoResult]) -> str:
    first = echoes[0]
    scored = first.tokens[0].logprob is not None
    return first.before or (_HIDDEN if scored else "")


def _text_score(echoed: EchoResult, text: str, boundary: int, language: str) -> TextScore:
    """The scores of the text's own tokens; one across the boundary is its own and starts at 0."""
    own = [token for token in echoed.tokens if token.end > boundary]
    return TextScore(
        logprobs=tuple(
            None if t.logprob is None else round(t.logprob, LOGPROB_DECIMALS) for t in own
        ),
        starts=tuple(max(0, token.start - boundary) for token in own),
        ends=tuple(token.end - boundary for token in own),
        words=count_words(text, language),
        characters=len(text),
    )
