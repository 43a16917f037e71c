"""The verb generate: words one after another, until the text's end is drawn."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

import numpy as np

from epicene.models.ngram.counts import END, START
from epicene.models.ngram.scoring import plain
from epicene.models.ngram.tokens import tokenise
from epicene.records import Decoding, Text, Texts, digest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from epicene.models.ngram.language_model import LanguageModel
    from epicene.records import Generate


def generate(model: LanguageModel, request: Generate) -> Texts:
    """Continue the prompt with words that the model has seen; `max_new_tokens` counts words."""
    temperature = 1.0 if request.decoding.temperature is None else request.decoding.temperature
    key = digest(request)
    texts: list[Text] = []
    for sample in range(request.samples):
        # Greedy samples are all alike, so one is written for all.
        if temperature == 0 and texts:
            texts.append(texts[0])
        else:
            texts.append(_one(model, request, temperature, _noise(key, sample)))
    return Texts(texts=tuple(texts), temperature=temperature)


def _noise(key: bytes, sample: int) -> Iterator[float]:
    """Even numbers that depend on the request and the sample alone, one per step."""
    # Of Python's generator only `random` is promised to stay the same in later versions.
    draw = random.Random(digest(key, sample)).random
    while True:
        yield draw()


def _one(
    model: LanguageModel, request: Generate, temperature: float, noise: Iterator[float]
) -> Text:
    prompt = plain(request.prompt)
    before = [token.form for token in tokenise(prompt)]
    forms: list[str] = []
    while len(forms) < request.decoding.max_new_tokens:
        following = model.following([START, *before, *forms])
        weights = following.probabilities.copy()
        if request.decoding.exact_length:
            weights[following.forms.index(END)] = 0.0
        form = following.forms[_choose(weights, temperature, request.decoding, next(noise))]
        if form == END:
            return _text(model.spacing.join(prompt, before, forms), forms, request.decoding, True)
        forms.append(form)
        text = model.spacing.join(prompt, before, forms)
        if any(stop in text for stop in request.decoding.stop):
            return _text(text, forms, request.decoding, True)
    return _text(model.spacing.join(prompt, before, forms), forms, request.decoding, False)


def _text(text: str, forms: list[str], decoding: Decoding, ended: bool) -> Text:
    """The text up to the first stop string, if it holds one."""
    cuts = [place for stop in decoding.stop if (place := text.find(stop)) >= 0]
    return Text(
        text=text[: min(cuts)] if cuts else text,
        finish="stop" if ended else "length",
        tokens=len(forms),
    )


def _choose(
    weights: NDArray[np.float64], temperature: float, decoding: Decoding, noise: float
) -> int:
    """The place of the next token: the likeliest, or one drawn by its probability."""
    if temperature == 0:
        return int(weights.argmax())
    with np.errstate(divide="ignore"):
        scaled = np.log(weights) / temperature
    scaled = np.exp(scaled - scaled.max())
    if decoding.top_k or decoding.top_p is not None:
        order = np.argsort(-scaled, kind="stable")
        scaled[order[decoding.top_k or len(order) :]] = 0.0
        share = scaled[order] / scaled.sum()
        reached = np.cumsum(share) - share
        outside = reached >= (math.inf if decoding.top_p in (None, 1.0) else decoding.top_p)
        outside[0] = False
        scaled[order[outside]] = 0.0
    summed = np.cumsum(scaled)
    return int(np.searchsorted(summed, noise * summed[-1], side="right"))
