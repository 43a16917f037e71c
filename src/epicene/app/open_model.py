"""An open model in Python: send it requests directly and get answers as polars frames.

Requests are processed as in a run: split into batches within the model's limit, answered by the
model, and checked for non-finite numbers. Nothing is stored.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeVar

import msgspec
import polars as pl

from epicene.core.errors import InputError, RunError
from epicene.core.files import ImageFolder
from epicene.core.finite import finite_or_failed
from epicene.core.records import (
    Completions,
    Decoding,
    Failed,
    Fill,
    Generate,
    Message,
    Prompt,
    Score,
    Scores,
    Texts,
    Translate,
    verb,
)
from epicene.languages.tokenisation import words
from epicene.models.function_results import WHOLE_TEXTS
from epicene.runs.execute import make_batches
from epicene.runs.plan import PlannedRequest

if TYPE_CHECKING:
    from types import TracebackType

    from epicene.core.records import Answer, FirstToken, Identity, Masking, Request, TextScore
    from epicene.models import Model, ModelSpec

    # A text, or a chat: messages with `role` and `content`.
    PromptInput: TypeAlias = str | Sequence[Mapping[str, str] | Message]

AnswerT = TypeVar("AnswerT", bound="Answer")

_SHOWN = 60  # characters of a text in an error
_DONE = {
    "score": "scored",
    "fill": "filled",
    "generate": "continued",
    "translate": "translated",
}
_SCORE_COLUMNS = {
    "text": pl.String,
    "sum": pl.Float64,
    "per_token": pl.Float64,
    "per_word": pl.Float64,
    "per_character": pl.Float64,
    "tokens": pl.Int64,
    "words": pl.Int64,
    "method": pl.String,
}
_TOKEN_COLUMNS = {
    "index": pl.Int64,
    "token": pl.String,
    "start": pl.Int64,
    "end": pl.Int64,
    "logprob": pl.Float64,
    "surprisal": pl.Float64,
    "word": pl.Int64,
}
_FILL_COLUMNS = {
    "text": pl.String,
    "completion": pl.String,
    "logprob": pl.Float64,
    "with_after": pl.Float64,
    "tokens": pl.Int64,
    "method": pl.String,
}
_GENERATE_COLUMNS = {
    "prompt": pl.String,
    "sample": pl.Int64,
    "text": pl.String,
    "finish": pl.String,
}
_TRANSLATE_COLUMNS = {"text": pl.String, "translation": pl.String, "finish": pl.String}


class OpenModel:
    """An open model. Close it, or use it in a `with` block, to free its memory.

    >>> with epicene.open_model("random") as m:
    ...     m.score(["She is late.", "He is late."]).height
    2

    You can pass it to `epicene.run`, which leaves it open. A `transformers` model or a Python
    function that it was made from belongs to you and is never closed.
    """

    def __init__(
        self,
        model: Model,
        spec: ModelSpec | None = None,
        reopen: Callable[[], Model] | None = None,
    ) -> None:
        self._model: Model | None = model
        self._identity = model.identity
        self.spec = spec
        self.reopen = reopen  # a view of the same thing as it is now
        self.asked = False

    @property
    def model(self) -> Model:
        """The model itself; raises if it is closed."""
        if self._model is None:
            raise InputError(f"The model {self._identity.label} is closed; open it again.")
        return self._model

    @property
    def identity(self) -> Identity:
        """The identity of the model, which is part of the key of every stored answer."""
        return self._identity

    @property
    def verbs(self) -> frozenset[str]:
        """The verbs it supports: score, fill, generate, translate, draw, look."""
        return self.model.verbs

    def close(self) -> None:
        """Free its memory, threads and connections."""
        if self._model is not None:
            self._model.close()
            self._model = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        can = ", ".join(sorted(self._model.verbs)) if self._model else "closed"
        return f"<OpenModel {self._identity.label}: {can}>"

    def score(
        self,
        texts: str | Iterable[str],
        context: PromptInput = "",
        *,
        first_token: FirstToken = "bos",
        masking: Masking = "within-word",
        language: str = "",
    ) -> pl.DataFrame:
        """The log-probability of each text after the context, in nats.

        Columns: text, sum, per_token, per_word, per_character, tokens, words, method. The context
        (a text or a chat) is conditioned on but not counted. `tokens` counts the tokens that have a
        log-probability; it is null if the model gives one number for a whole text. A masked model
        gives a pseudo-log-likelihood; `masking` selects which. `language` is used to count words.

        >>> m = epicene.open_model(score=lambda texts: [-len(text) / 2 for text in texts])
        >>> m.score(["She is late.", "He is late."])["sum"].to_list()
        [-6.0, -5.5]
        """
        scored = self._scores(texts, context, first_token, masking, language)
        return _frame(_SCORE_COLUMNS, (_score_row(*each) for each in scored))

    def tokens(
        self,
        texts: str | Iterable[str],
        context: PromptInput = "",
        *,
        first_token: FirstToken = "bos",
        masking: Masking = "within-word",
        language: str = "",
    ) -> pl.DataFrame:
        """One row per token of each text, with its log-probability (nats) and surprisal (bits).

        Columns: index (of the text, from 0), token, start, end, logprob, surprisal, word. A token
        covers the characters from `start` up to `end` of its text; the space before a word belongs
        to the word's first token. `word` is the index of the word that the token is part of, or
        null for punctuation. logprob and surprisal are null for a token without a score.

        >>> epicene.open_model("random").tokens("She is late.")["token"].to_list()
        ['She', ' is', ' late.']
        """
        scored = self._scores(texts, context, first_token, masking, language)
        return _frame(
            _TOKEN_COLUMNS,
            (
                row
                for index, (text, score, _) in enumerate(scored)
                for row in _token_rows(index, text, score, language)
            ),
        )

    def fill(
        self,
        texts: str | Iterable[str],
        choices: Sequence[str] = (),
        *,
        gap: str = "___",
        top: int = 10,
        max_tokens: int = 1,
        first_token: FirstToken = "bos",
        language: str = "",
    ) -> pl.DataFrame:
        """Completions of the gap in each text, shortest (in tokens) first, then best first.

        Columns: text, completion, logprob, with_after, tokens, method. With `choices`, only those
        are ranked; otherwise the `top` completions of each length up to `max_tokens`. A causal
        model ranks by what precedes the gap; `with_after` is the log-probability including what
        follows it.

        >>> m = epicene.open_model(fill=lambda gaps, choices: [[-2.5, -1.5] for _ in gaps])
        >>> m.fill("The nurse said ___ was late.", choices=["he", "she"])["completion"].to_list()
        ['she', 'he']
        """
        given = _texts(texts)
        requests = []
        for number, text in enumerate(given):
            if text.count(gap) != 1 or not gap:
                raise InputError(
                    f"Text {number} ({_shown(text)}) must contain the gap {gap!r} exactly once."
                )
            before, _, after = text.partition(gap)
            requests.append(
                Fill(
                    before=before,
                    after=after,
                    choices=tuple(choices),
                    top=top,
                    max_tokens=max_tokens,
                    first_token=first_token,
                    language=language,
                )
            )
        answers = self._ask(requests, Completions, given)
        return _frame(
            _FILL_COLUMNS,
            (
                (text, each.text, each.logprob, each.with_after, each.tokens, answer.method)
                for text, answer in zip(given, answers, strict=True)
                for each in answer.completions
            ),
        )

    def generate(
        self,
        prompts: PromptInput | Iterable[PromptInput],
        *,
        samples: int = 1,
        max_new_tokens: int = 256,
        temperature: float | None = 0.0,
        top_k: int | None = None,
        top_p: float | None = None,
        stop: Sequence[str] = (),
        seed: int = 0,
        exact_length: bool = False,
        language: str = "",
    ) -> pl.DataFrame:
        """Texts that the model writes after each prompt.

        Columns: prompt, sample, text, finish (stop, length or refused). A prompt is either a text,
        which the model continues, or a chat: a list of messages with `role` and `content`, rendered
        with the model's own chat template. A temperature of 0 means greedy decoding; None uses the
        model's default.

        >>> m = epicene.open_model(generate=lambda prompts: [f"{len(p)}" for p in prompts])
        >>> m.generate(["Who?", [{"role": "user", "content": "Who?"}]])["text"].to_list()
        ['4', '1']
        """
        given = _prompts(prompts)
        decoding = Decoding(
            max_new_tokens=max_new_tokens,
            temperature=temperature,
            top_k=top_k,
            top_p=top_p,
            stop=tuple(stop),
            seed=seed,
            exact_length=exact_length,
        )
        shown = [_as_text(prompt) for prompt in given]
        answers = self._ask(
            [
                Generate(prompt=prompt, samples=samples, decoding=decoding, language=language)
                for prompt in given
            ],
            Texts,
            shown,
        )
        return _frame(
            _GENERATE_COLUMNS,
            (
                (prompt, sample, each.text, each.finish)
                for prompt, answer in zip(shown, answers, strict=True)
                for sample, each in enumerate(answer.texts)
            ),
        )

    def translate(
        self,
        texts: str | Iterable[str],
        source: str,
        target: str,
        *,
        max_new_tokens: int = 256,
        temperature: float | None = 0.0,
        seed: int = 0,
    ) -> pl.DataFrame:
        """Translate each text; `source` and `target` are language codes such as en and fr.

        Columns: text, translation, finish.

        >>> m = epicene.open_model("copy")
        >>> m.translate("The doctor is here.", "en", "fr")["translation"].to_list()
        ['The doctor is here.']
        """
        given = _texts(texts)
        decoding = Decoding(max_new_tokens=max_new_tokens, temperature=temperature, seed=seed)
        answers = self._ask(
            [
                Translate(text=text, language=source, into=target, decoding=decoding)
                for text in given
            ],
            Texts,
            given,
        )
        return _frame(
            _TRANSLATE_COLUMNS,
            (
                (text, each.text, each.finish)
                for text, answer in zip(given, answers, strict=True)
                for each in answer.texts
            ),
        )

    def _scores(
        self,
        texts: str | Iterable[str],
        context: PromptInput,
        first_token: FirstToken,
        masking: Masking,
        language: str,
    ) -> list[tuple[str, TextScore, str]]:
        """Each text with its score and how it was computed."""
        given = _texts(texts)
        before = _prompt(context, "The context")
        requests = [
            Score(
                texts=(text,),
                context=before,
                first_token=first_token,
                masking=masking,
                language=language,
            )
            for text in given
        ]
        answers = self._ask(requests, Scores, given)
        return [
            (text, answer.texts[0], answer.method)
            for text, answer in zip(given, answers, strict=True)
        ]

    def _ask(
        self, requests: Sequence[Request], kind: type[AnswerT], shown: Sequence[str]
    ) -> list[AnswerT]:
        """The answers in the order of the requests; raises if a request has no answer."""
        if not requests:
            return []
        asked = verb(requests[0])
        if asked not in self.verbs:
            raise InputError(
                f"The model {self.identity.label} cannot {asked}; it can "
                f"{', '.join(sorted(self.verbs))}."
            )
        self.asked = True
        planned = [PlannedRequest(number, b"", each) for number, each in enumerate(requests)]
        batches = (
            [(each.number, each.request) for each in batch]
            for batch in make_batches(planned, self.model.batch_limit, cheapest_first=False)
        )
        no_images = ImageFolder(Path())
        found: dict[int, Answer] = {}
        for answered in self.model.answer(batches, no_images):
            found.update((number, finite_or_failed(answer)) for number, answer in answered)
        failed = [number for number in range(len(requests)) if not isinstance(found[number], kind)]
        if failed:
            reason = found[failed[0]]
            assert isinstance(reason, Failed)
            others = f" ({len(failed) - 1} more failed)" if len(failed) > 1 else ""
            raise RunError(
                f"Text {failed[0]} ({_shown(shown[failed[0]])}) could not be {_DONE[asked]}: "
                f"{reason.reason.rstrip('.')}{others}."
            ) from getattr(self.model, "last_error", None)
        return [
            answer for number in range(len(requests)) if isinstance(answer := found[number], kind)
        ]


# --- input -------------------------------------------------------------------------------------


def _texts(texts: str | Iterable[str]) -> list[str]:
    given = [texts] if isinstance(texts, str) else list(texts)
    for number, text in enumerate(given):
        if not isinstance(text, str):
            raise InputError(f"Text {number} must be a string, not {type(text).__name__}.")
    return given


def _prompts(prompts: PromptInput | Iterable[PromptInput]) -> list[Prompt]:
    """The prompts; a single text or chat becomes a list of one."""
    given: list[Any] = [prompts] if isinstance(prompts, str) else list(prompts)
    if given and all(isinstance(each, (Mapping, Message)) for each in given):
        given = [given]
    return [_prompt(each, f"Prompt {number}") for number, each in enumerate(given)]


def _prompt(prompt: Any, name: str) -> Prompt:
    if isinstance(prompt, str):
        return prompt
    try:
        return tuple(
            each if isinstance(each, Message) else msgspec.convert(each, Message) for each in prompt
        )
    except (TypeError, msgspec.ValidationError) as error:
        raise InputError(
            f"{name} must be a text, or a list of messages with role and content: {error}."
        ) from None


# --- output ------------------------------------------------------------------------------------


def _frame(columns: Mapping[str, Any], rows: Iterable[Sequence[Any]]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=dict(columns), orient="row")


def _score_row(text: str, score: TextScore, method: str) -> tuple[Any, ...]:
    tokens = None if method == WHOLE_TEXTS else score.tokens
    means = (score.sum / size if size else None for size in (tokens, score.words, score.characters))
    return text, score.sum, *means, tokens, score.words, method


def _token_rows(
    index: int, text: str, score: TextScore, language: str
) -> Iterable[tuple[Any, ...]]:
    spans = words(text, language)
    at = 0
    for logprob, start, end in zip(score.logprobs, score.starts, score.ends, strict=True):
        while at < len(spans) and spans[at].end <= start:
            at += 1
        inside = at < len(spans) and spans[at].start < end
        surprisal = None if logprob is None else -logprob / math.log(2)
        yield index, text[start:end], start, end, logprob, surprisal, at if inside else None


def _as_text(prompt: Prompt) -> str:
    """A prompt as readable text: a chat becomes one line per message."""
    if isinstance(prompt, str):
        return prompt
    return "\n".join(f"{message.role}: {message.content}" for message in prompt)


def _shown(text: str) -> str:
    return repr(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!r}…"
