"""The reference models: `random` guesses at chance, `planted` is right at a known rate, and `copy`
returns its input.
"""

from __future__ import annotations

import math
import struct
import zlib
from typing import TYPE_CHECKING, TypeAlias

from msgspec import UNSET

from epicene.core.records import (
    LOGPROB_DECIMALS,
    Choice,
    Completion,
    Completions,
    Draw,
    Expected,
    Fill,
    Generate,
    Identity,
    Image,
    Images,
    Look,
    Request,
    Score,
    Scores,
    Text,
    Texts,
    TextScore,
    Translate,
)
from epicene.languages.tokenisation import count_words, words
from epicene.models import UnanswerableError, model_kind
from epicene.models.rates import read_rate, read_seed, refuse_name, uniform_numbers
from epicene.models.simple_model import SimpleModel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from epicene.models import ImageStore, Model, ModelOptions

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER = struct.Struct(">IIBBBBB")
_EIGHT_BITS, _RGB = 8, 2
_CHANNELS = 3
_NO_FILTER = b"\0"


def noise_png(width: int, height: int, uniform: Callable[[], float]) -> bytes:
    """An RGB image of uniform noise; `uniform` returns numbers in [0, 1)."""
    rows = [
        _NO_FILTER + bytes(int(uniform() * 256) for _ in range(width * _CHANNELS))
        for _ in range(height)
    ]
    # Stored, not deflated: noise does not shrink, and every zlib stores the same bytes.
    pixels = zlib.compress(b"".join(rows), level=0)
    header = _HEADER.pack(width, height, _EIGHT_BITS, _RGB, 0, 0, 0)
    return b"".join(
        [_SIGNATURE, _chunk(b"IHDR", header), _chunk(b"IDAT", pixels), _chunk(b"IEND", b"")]
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


# Between one rank and the next, so that rounding never swaps two.
_MIN_COST_RATIO = 1.1

# The best text's log-probability is between -1 and -e⁵.
_MAX_LOG_COST = 5.0

# The longest side of a drawn image: noise need not be large.
_MAX_SIDE = 8


@model_kind(
    about="random guesses, at chance level",
    usage="random[:SEED]",
    options=("label",),
)
def open_random(name: str, options: ModelOptions) -> Model:
    """Open `random` or `random:SEED`."""
    seed = read_seed("random", name)
    label = options.label or ("random" if seed == 0 else f"random:{seed}")
    identity = Identity(kind="random", label=label, key={"seed": str(seed), "version": "2"})
    guess = _RandomAnswers(seed)
    return SimpleModel(
        identity,
        {
            "score": guess.score,
            "fill": guess.fill,
            "generate": guess.generate,
            "translate": guess.translate,
            "look": guess.look,
        },
        draw=guess.draw,
    )


class _SeededRandom:
    """Uniform numbers in [0, 1), derived from the seed, the request and the image's index alone."""

    def __init__(self, seed: int, request: Request, *index: int) -> None:
        self.uniform = uniform_numbers(seed, request, *index)

    def exponential(self) -> float:
        """A positive number from the exponential distribution."""
        return -math.log1p(-self.uniform())

    def index(self, size: int) -> int:
        return int(self.uniform() * size)

    def order(self, size: int) -> list[int]:
        """A permutation, each as likely as the others."""
        keys = [self.uniform() for _ in range(size)]
        return sorted(range(size), key=keys.__getitem__)


class _RandomAnswers:
    """One guess per verb."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def score(self, request: Score) -> Scores:
        """Every order of the texts is as likely as any other, by the sum and by each mean alike.

        Independent noise per token would not work: the shorter of two texts would have the higher
        sum. Instead, an order is drawn at random, and sums are chosen that keep this order when
        divided by tokens, words or characters. Equal texts get equal scores. A guess has no
        vocabulary to restrict, so a text is drawn with these probabilities however it is decoded.
        """
        return _scores(request, _SeededRandom(self._seed, request), "random")

    def fill(self, request: Fill) -> Completions:
        """Probabilities drawn evenly from all that the choices could have.

        Without choices, a guess is a word of the text around the gap.
        """
        noise = _SeededRandom(self._seed, request)
        choices = request.choices or _words_around(request)
        if not choices:
            raise UnanswerableError("the request has neither choices nor words to guess from")
        parts = {choice: noise.exponential() for choice in dict.fromkeys(choices)}
        total = sum(parts.values())
        logprobs = {
            choice: round(math.log(part / total), LOGPROB_DECIMALS)
            for choice, part in parts.items()
        }
        return Completions(
            completions=tuple(
                Completion(text=choice, logprob=logprob, tokens=1, with_after=logprob)
                for choice, logprob in sorted(logprobs.items(), key=lambda pair: -pair[1])[
                    : None if request.choices else request.top
                ]
            ),
            method="random",
        )

    def generate(self, request: Generate) -> Texts:
        """One of the choices per sample; without choices, the source's words in another order."""
        noise = _SeededRandom(self._seed, request)
        if request.choices:
            choices = request.choices
            drawn = [choices[noise.index(len(choices))] for _ in range(request.samples)]
        elif request.source:
            drawn = [
                _shuffled(request.source, request.language, noise) for _ in range(request.samples)
            ]
        else:
            raise UnanswerableError("the request has neither choices nor a source to guess from")
        return Texts(texts=tuple(Text(text=text) for text in drawn))

    def translate(self, request: Translate) -> Texts:
        """The text's words in another order."""
        noise = _SeededRandom(self._seed, request)
        return Texts(texts=(Text(text=_shuffled(request.text, request.language, noise)),))

    def look(self, request: Look) -> Choice:
        """One of the choices, without looking."""
        if not request.choices:
            raise UnanswerableError("a guess needs choices, but the request has none")
        noise = _SeededRandom(self._seed, request)
        return Choice(choice=request.choices[noise.index(len(request.choices))])

    def draw(self, request: Draw, files: ImageStore) -> Images:
        """Small images of noise, whatever the prompt."""
        width, height = min(request.width, _MAX_SIDE), min(request.height, _MAX_SIDE)
        return Images(
            images=tuple(
                Image(
                    sha256=files.put(
                        noise_png(width, height, _SeededRandom(self._seed, request, index).uniform)
                    ),
                    media_type="image/png",
                    width=width,
                    height=height,
                )
                for index in range(request.shots)
            )
        )


def _scores(request: Score, noise: _SeededRandom, method: str, best: str = "") -> Scores:
    """Scores in an order drawn at random, with the `best` text first if one is named."""
    if not all(text.strip() for text in request.texts):
        raise UnanswerableError("an empty text has no score")
    distinct = list(dict.fromkeys(request.texts))
    ends = {text: _token_ends(text, request.language) for text in distinct}
    sizes = [
        (len(ends[text]), count_words(text, request.language) or 1, len(text)) for text in distinct
    ]
    lowest = math.exp(_MAX_LOG_COST * noise.uniform())
    order = noise.order(len(distinct))
    order.sort(key=lambda index: distinct[index] != best)
    scores = {}
    for text, cost in zip(distinct, _costs(sizes, order, lowest), strict=True):
        parts = [noise.exponential() for _ in ends[text]]
        logprobs = tuple(round(-cost * part / sum(parts), LOGPROB_DECIMALS) for part in parts)
        scores[text] = TextScore(
            logprobs=logprobs,
            starts=(0, *ends[text][:-1]),
            ends=tuple(ends[text]),
            words=count_words(text, request.language),
            characters=len(text),
            drawn=UNSET if request.decoding is UNSET else logprobs,
        )
    return Scores(texts=tuple(scores[text] for text in request.texts), method=method)


def _words_around(request: Fill) -> tuple[str, ...]:
    """The words before and after a gap, with a space where the gap has none."""
    space = "" if not request.before or request.before[-1].isspace() else " "
    return tuple(
        space + text[span.start : span.end]
        for text in (request.before, request.after)
        for span in words(text, request.language)
    )


def _costs(sizes: Sequence[tuple[int, ...]], order: Sequence[int], cost: float) -> list[float]:
    """Minus the log-probability of each text, in that order; `cost` is the first one's.

    Each cost is above the one before it by more than the lengths differ, in whatever unit, so
    dividing by a length changes nothing in the order.
    """
    costs = [0.0] * len(sizes)
    before: tuple[int, ...] | None = None
    for index in order:
        if before:
            longer = max(new / old for new, old in zip(sizes[index], before, strict=True))
            cost *= _MIN_COST_RATIO * max(1.0, longer)
        costs[index] = cost
        before = sizes[index]
    if not math.isfinite(cost):
        raise UnanswerableError(
            "there are too many texts, and their lengths differ too much, to guess from"
        )
    return costs


def _token_ends(text: str, language: str) -> list[int]:
    """The end of each token: a word with what precedes it."""
    ends = [span.end for span in words(text, language)]
    return [*ends[:-1], len(text)] if ends else [len(text)]


def _shuffled(text: str, language: str, noise: _SeededRandom) -> str:
    """The words in a random order, with all that is between them left in place."""
    spans = words(text, language)
    pieces, reached = [], 0
    for span, index in zip(spans, noise.order(len(spans)), strict=True):
        taken = spans[index]
        pieces += [text[reached : span.start], text[taken.start : taken.end]]
        reached = span.end
    return "".join([*pieces, text[reached:]])


@model_kind(
    about="right answers at a known rate, a positive control",
    usage="planted[:SEED]",
    options=("label", "rate", "gap"),
)
def open_planted(name: str, options: ModelOptions) -> Model:
    """Open `planted` or `planted:SEED`."""
    seed = read_seed("planted", name)
    rate = read_rate("planted", options, "rate", 0.8)
    room = 2 * min(rate, 1 - rate)
    gap = read_rate("planted", options, "gap", 0.0, -room, room)
    named = f"planted:{seed}" if seed else "planted"
    label = f"{named} {rate:g}" + (f" gap {gap:g}" if gap else "")
    plants = _PlantedAnswers(seed, rate, gap)
    return SimpleModel(
        Identity(
            kind="planted",
            label=options.label or label,
            key={"seed": str(seed), "rate": repr(rate), "gap": repr(gap), "version": "1"},
            about={"rate": rate, "gap": gap},
        ),
        {
            "score": plants.score,
            "fill": plants.fill,
            "generate": plants.generate,
            "translate": plants.translate,
        },
    )


# The requests that say what is right and what is wrong.
_Expecting: TypeAlias = Score | Fill | Generate | Translate


class _PlantedAnswers:
    """What a request expects at the rate, else one of its wrong answers; each by itself."""

    def __init__(self, seed: int, rate: float, gap: float) -> None:
        self._seed, self._rate, self._gap = seed, rate, gap

    def score(self, request: Score) -> Scores:
        """The answer is the likeliest text, by the sum and by each mean alike."""
        answer, noise = self._answer(request)
        return _scores(request, noise, "planted", best=answer)

    def fill(self, request: Fill) -> Completions:
        """The answer comes first, the others after it."""
        answer, noise = self._answer(request)
        texts = list(request.choices or _answers(request))
        texts.sort(key=lambda text: text != answer)
        parts = sorted((noise.exponential() for _ in texts), reverse=True)
        logprobs = [round(math.log(part / sum(parts)), LOGPROB_DECIMALS) for part in parts]
        ranked = zip(texts, logprobs, strict=True)
        return Completions(
            completions=tuple(
                Completion(text=text, logprob=logprob, tokens=1, with_after=logprob)
                for text, logprob in ranked
            ),
            method="planted",
        )

    def generate(self, request: Generate) -> Texts:
        """An answer per sample."""
        answers = (self._answer(request, index)[0] for index in range(request.samples))
        return Texts(texts=tuple(Text(text=answer) for answer in answers))

    def translate(self, request: Translate) -> Texts:
        """The answer as a translation."""
        return Texts(texts=(Text(text=self._answer(request)[0]),))

    def _answer(self, request: _Expecting, *index: int) -> tuple[str, _SeededRandom]:
        right, *wrong = _answers(request)
        noise = _SeededRandom(self._seed, request, *index)
        if noise.uniform() < self._rate + self._gap / 2 * _side(request):
            return right, noise
        return wrong[noise.index(len(wrong))], noise


def _answers(request: _Expecting) -> tuple[str, ...]:
    """The right answer, then those that are wrong."""
    if not isinstance(request.expected, Expected) or not request.expected.wrong:
        raise UnanswerableError("the request does not say what is right and what is wrong")
    return (request.expected.right, *request.expected.wrong)


def _side(request: _Expecting) -> int:
    """On which side of the rate a gap puts a request: that of the gender it is asked for."""
    wanted = request.target.get("speaker") if isinstance(request, Generate) else None
    return {"masculine": 1, "feminine": -1}.get(wanted or "", 0)


@model_kind(
    about="returns its input",
    options=("label",),
)
def open_copy(name: str, options: ModelOptions) -> Model:
    """Open the kind `copy`."""
    refuse_name("copy", name)
    identity = Identity(kind="copy", label=options.label or "copy", key={"version": "1"})
    return SimpleModel(identity, {"generate": _generate, "translate": _translate})


def _generate(request: Generate) -> Texts:
    if not request.source:
        raise UnanswerableError("the request names no source text, so there is nothing to copy")
    return Texts(texts=(Text(text=request.source),) * request.samples)


def _translate(request: Translate) -> Texts:
    if not request.text:
        raise UnanswerableError("the text is empty, so there is nothing to copy")
    return Texts(texts=(Text(text=request.text),))
