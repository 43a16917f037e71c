"""Read what a user's function returned as the answer to a request.

Nothing is guessed: a result of an unexpected shape raises a `ReturnedError` that describes it.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from epicene.core.records import (
    LOGPROB_DECIMALS,
    Choice,
    Completion,
    Completions,
    Draw,
    Fill,
    Generate,
    Image,
    Images,
    Look,
    Score,
    Scores,
    Text,
    Texts,
    TextScore,
    Translate,
)
from epicene.languages.tokenisation import count_words
from epicene.models import UnanswerableError, sample_seed
from epicene.models import images as pictures
from epicene.models.output_parsing import cut_at_stop, match_choice, strip_thinking
from epicene.models.score_checks import refuse_unscored

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from epicene.core.records import Answer, Request
    from epicene.models import ImageStore

BY_TOKEN, WHOLE_TEXTS = "python", "python, whole texts"
# Above 0 by rounding alone; what is more is no logarithm of a probability.
_ROUNDING = 1e-4
_SHOWN = 60  # characters of a result in a message


class ReturnedError(UnanswerableError):
    """What a function returned is not an answer; the message follows "the function returned"."""


def as_list(returned: Any) -> list[Any]:
    """The results of a call, one per input."""
    if isinstance(returned, (str, bytes, Mapping)):
        raise ReturnedError(f"a {type(returned).__name__} instead of a list of results")
    try:
        return list(returned)
    except TypeError:
        raise ReturnedError(f"{_show(returned)} instead of a list of results") from None


def read_results(
    request: Request, results: Sequence[Any], taken: Collection[str], files: ImageStore
) -> Answer:
    """The answer to a request, for which there is one result, or one per text that is scored."""
    match request:
        case Score():
            return _scores(request, results, taken)
        case Fill():
            return _completions(request, results[0])
        case Generate() | Translate():
            return _texts(request, results[0], taken)
        case Draw():
            return _images(request, results[0], taken, files)
        case Look():
            return _choice(request, results[0])


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _number(value: Any, what: str) -> float:
    """A log-probability; the caller checks for NaN and infinity."""
    try:
        if isinstance(value, (str, bytes, bool)):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError, RuntimeError):
        raise ReturnedError(f"{_show(value)} instead of {what}") from None
    if number > _ROUNDING:
        raise ReturnedError(f"{number}, which is above 0, so it is not a log-probability")
    return round(number, LOGPROB_DECIMALS)


# --- scores ----------------------------------------------------------------------------------


def _scores(request: Score, results: Sequence[Any], taken: Collection[str]) -> Scores:
    # A context that the function was not given is part of each text that it scored.
    context = "" if "context" in taken else str(request.context)
    methods = {BY_TOKEN if isinstance(result, (list, tuple)) else WHOLE_TEXTS for result in results}
    if len(methods) > 1:
        raise ReturnedError("tokens for some texts and one number for others")
    (method,) = methods
    if context and method == WHOLE_TEXTS:
        raise UnanswerableError(
            "one number cannot be split between a text and its context: add an argument "
            "`context` to the function score, or return the tokens of each text with their "
            "log-probabilities"
        )
    scores = tuple(
        _text_score(context, text, result, request.language)
        for text, result in zip(request.texts, results, strict=True)
    )
    refuse_unscored(request.texts, scores, "return a log-probability for every token")
    return Scores(texts=scores, method=method)


def _text_score(context: str, text: str, result: Any, language: str) -> TextScore:
    if isinstance(result, (list, tuple)):
        logprobs, starts, ends = _tokens(result, context + text, len(context))
    else:
        logprobs, starts, ends = [_number(result, "a log-probability")], [0], [len(text)]
    if not text or not logprobs:
        raise UnanswerableError(f"the text {_show(text)} has no token to score")
    return TextScore(
        logprobs=tuple(logprobs),
        starts=tuple(starts),
        ends=tuple(ends),
        words=count_words(text, language),
        characters=len(text),
    )


def _tokens(
    tokens: Sequence[Any], whole: str, cut: int
) -> tuple[list[float | None], list[int], list[int]]:
    """The log-probabilities and characters of the tokens that reach beyond `cut`.

    Tokens are (text, log-probability), or (start, end, log-probability) if tokens are parts of
    characters. The texts are located one after another; white space between two of them belongs to
    the second.
    """
    logprobs: list[float | None] = []
    starts: list[int] = []
    ends: list[int] = []
    reached = 0
    for number, token in enumerate(tokens, start=1):
        if not isinstance(token, (list, tuple)) or len(token) not in (2, 3):
            raise ReturnedError(f"{_show(token)} instead of (token, log-probability)")
        *where, value = token
        start, end = _span(where, number, whole, reached)
        reached = max(reached, end)
        if end > cut:
            logprobs.append(None if value is None else _number(value, "a log-probability"))
            starts.append(max(0, start - cut))
            ends.append(end - cut)
    if whole[reached:].strip():
        raise ReturnedError(
            f"tokens that end before {_show(whole[reached:])} of the text {_show(whole)}"
        )
    return logprobs, starts, ends


def _span(where: Sequence[Any], number: int, whole: str, reached: int) -> tuple[int, int]:
    """The characters of a token."""
    if len(where) == 2:
        start, end = where
        if not (isinstance(start, int) and isinstance(end, int) and 0 <= start <= end):
            raise ReturnedError(f"{_show(tuple(where))} instead of (start, end)")
        if end > len(whole) or (start > reached and whole[reached:start].strip()):
            raise ReturnedError(f"token {number} at {start} to {end}, not within {_show(whole)}")
        return min(start, reached), end
    (text,) = where
    if not isinstance(text, str) or not text:
        raise ReturnedError(f"{_show(text)} instead of the text of a token")
    space = len(whole) - reached - len(whole[reached:].lstrip())
    for begins in (reached, reached + space):
        if whole.startswith(text, begins):
            return reached, begins + len(text)
    raise ReturnedError(
        f"the token {text!r}, which is not what the text continues with: {_show(whole[reached:])}"
    )


# --- the other verbs ---------------------------------------------------------------------------


def _completions(request: Fill, result: Any) -> Completions:
    pairs = _pairs(request, result)
    if request.choices:
        missing = [choice for choice in request.choices if choice not in pairs]
        if missing:
            raise ReturnedError(f"no log-probability for the choice {missing[0]!r}")
        pairs = {choice: pairs[choice] for choice in request.choices}
    ranked = sorted(
        (
            Completion(text=text, logprob=_number(value, "a log-probability"), tokens=1)
            for text, value in pairs.items()
        ),
        key=lambda completion: -completion.logprob,
    )
    return Completions(
        completions=tuple(ranked[: None if request.choices else request.top]), method=BY_TOKEN
    )


def _pairs(request: Fill, result: Any) -> dict[str, Any]:
    """Log-probabilities by completion: a dictionary, pairs, or numbers in the choices' order."""
    if isinstance(result, Mapping):
        return {str(text): value for text, value in result.items()}
    values = list(result) if hasattr(result, "__iter__") and not isinstance(result, str) else None
    if values is None:
        raise ReturnedError(f"{_show(result)} instead of completions")
    if all(isinstance(each, (list, tuple)) and len(each) == 2 for each in values):
        return {str(text): value for text, value in values}
    if len(values) != len(request.choices):
        raise ReturnedError(f"{len(values)} numbers instead of {len(request.choices)}")
    return dict(zip(request.choices, values, strict=True))


def _texts(request: Generate | Translate, result: Any, taken: Collection[str]) -> Texts:
    samples = request.samples if isinstance(request, Generate) else 1
    decoding = request.decoding
    return Texts(
        texts=tuple(_text(each, decoding.stop) for each in _several(result, samples, "texts")),
        temperature=decoding.temperature if "temperature" in taken else None,
    )


def _text(value: Any, stop: Sequence[str]) -> Text:
    if not isinstance(value, str):
        raise ReturnedError(f"{_show(value)} instead of a text")
    shown, thinking = strip_thinking(cut_at_stop(value, stop))
    return Text(text=shown, thinking=thinking)


def _several(result: Any, count: int, what: str) -> list[Any]:
    values = list(result) if isinstance(result, (list, tuple)) else [result]
    if len(values) != count:
        raise ReturnedError(f"{len(values)} {what} instead of {count}")
    return values


def _images(request: Draw, result: Any, taken: Collection[str], files: ImageStore) -> Images:
    seeded = "seed" in taken and "shots" not in taken
    images = []
    for index, value in enumerate(_several(result, request.shots, "images")):
        data = _image_bytes(value)
        facts = pictures.inspect_image(data)
        images.append(
            Image(
                sha256=files.put(data),
                media_type=facts.media_type,
                width=facts.width,
                height=facts.height,
                seed=sample_seed(request.seed, index) if seeded else None,
            )
        )
    return Images(images=tuple(images))


def _image_bytes(value: Any) -> bytes:
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    if not hasattr(value, "save"):
        raise ReturnedError(f"{_show(value)} instead of an image")
    packed = io.BytesIO()
    value.save(packed, "PNG")
    return packed.getvalue()


def _choice(request: Look, result: Any) -> Choice:
    if result is None:
        return Choice(choice=None)
    if not isinstance(result, str):
        raise ReturnedError(f"{_show(result)} instead of a choice")
    exact = result if result in request.choices else match_choice(result, request.choices)
    return Choice(choice=exact, text=result)
