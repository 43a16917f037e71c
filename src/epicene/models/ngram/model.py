"""The n-gram model: the verbs score, fill and generate, and its training on a file or on the suite.

Trained on the suite's own text it is cross-fitted: groups of items are assigned to folds, and a
request about a group is answered without the text of that group's fold.
"""

from __future__ import annotations

import hashlib
import math
from abc import ABC, abstractmethod
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from epicene.core.data_files import iterate_lines
from epicene.core.errors import InputError, RunError
from epicene.core.records import (
    LEARNT,
    LOGPROB_DECIMALS,
    Completion,
    Completions,
    Decoding,
    Identity,
    Scores,
    Text,
    Texts,
    TextScore,
    digest,
)
from epicene.languages.tokenisation import count_words
from epicene.models import UnanswerableError
from epicene.models.ngram.kneser_ney import END, START
from epicene.models.ngram.language_model import ORDER, Corpus, TrainingText, tokenise
from epicene.models.output_parsing import cut_at_stop
from epicene.models.rates import uniform_numbers
from epicene.models.simple_model import SimpleModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from epicene.core.records import Fill, FirstToken, Generate, Prompt, Request, Score
    from epicene.models import ModelOptions
    from epicene.models.ngram.language_model import LanguageModel, Token


def prompt_text(prompt: Prompt) -> str:
    """A prompt as plain text; of a chat, its contents."""
    if isinstance(prompt, str):
        return prompt
    return "".join(f"{message.content}\n" for message in prompt)


def start_history(policy: FirstToken) -> list[str]:
    """What precedes all text: the start symbol, unless the policy is none."""
    return [] if policy == "none" else [START]


def token_logprobs(
    model: LanguageModel, history: Sequence[str], forms: Sequence[str]
) -> list[float]:
    """The log-probability of each token, given the history and the tokens before it."""
    known = list(history)
    found = []
    for form in forms:
        found.append(model.logprob(form, known))
        known.append(form)
    return found


def score(model: LanguageModel, request: Score) -> Scores:
    """Score every text of a request."""
    context = prompt_text(request.context)
    opening = start_history(request.first_token)
    texts = []
    for text in request.texts:
        tokens = tokenise(context + text)
        first = next((i for i, t in enumerate(tokens) if t.end > len(context)), len(tokens))
        if not text or first == len(tokens):
            raise UnanswerableError(f"the text {text!r} contains no word")
        history = [*opening, *(token.form for token in tokens[:first])]
        texts.append((text, history, tokens[first:]))
    _refuse_unscored([[t.form for t in own] for _, history, own in texts if not history])
    return Scores(
        texts=tuple(
            _text_score(model, request.language, text, len(context), history, own)
            for text, history, own in texts
        ),
        method=f"{model.order}-gram",
        conditioned_on=START.strip() if opening else "",
    )


def _text_score(
    model: LanguageModel,
    language: str,
    text: str,
    boundary: int,
    history: Sequence[str],
    tokens: Sequence[Token],
) -> TextScore:
    forms = [token.form for token in tokens]
    found: list[float | None] = [
        round(p, LOGPROB_DECIMALS) for p in token_logprobs(model, history, forms)
    ]
    if not history:
        found[0] = None
    return TextScore(
        logprobs=tuple(found),
        starts=tuple(max(0, token.start - boundary) for token in tokens),
        ends=tuple(token.end - boundary for token in tokens),
        words=count_words(text, language),
        characters=len(text),
    )


def _refuse_unscored(texts: Sequence[Sequence[str]]) -> None:
    """Refuse texts whose first token has no score and that have no other, or differ in no other."""
    for forms in texts:
        if len(forms) == 1:
            raise UnanswerableError(
                f"the text {forms[0]!r} is a single word, which has no score under the "
                "first-token policy 'none'"
            )
    for (rest, first), (other_rest, other) in pairwise(sorted((x[1:], x[0]) for x in texts)):
        if rest == other_rest and first != other:
            raise UnanswerableError(
                f"two texts differ only in their first words, {first!r} and {other!r}, which have "
                "no score under the first-token policy 'none'"
            )


# Sequences of words kept after each step, where a gap may take several.
BEAM_WIDTH = 20


def fill(model: LanguageModel, request: Fill) -> Completions:
    """Rank the choices, or the words of the vocabulary, by their probability after `before`."""
    if request.choices:
        found = [_score_in_place(model, request, choice).completion for choice in request.choices]
    else:
        found = _fill_open_gap(model, request)
    ranked = sorted(found, key=lambda completion: (completion.tokens, -completion.logprob))
    return Completions(completions=tuple(ranked), method=f"{model.order}-gram")


class _PlacedCompletion(NamedTuple):
    """A completion, and its tokens within the sentence."""

    completion: Completion
    forms: list[str]


def _score_in_place(model: LanguageModel, request: Fill, text: str) -> _PlacedCompletion:
    """Score a completion in its context; a token that reaches into it belongs to it.

    One without a token of its own is certain.
    """
    start, end = len(request.before), len(request.before) + len(text)
    tokens = tokenise(request.before + text + request.after)
    forms = [token.form for token in tokens]
    first = sum(token.end <= start for token in tokens)
    last = max(first, sum(token.end - len(token.form) < end for token in tokens)) if text else first
    history = [*start_history(request.first_token), *forms[:first]]
    if not history:
        raise UnanswerableError(
            "nothing precedes the gap, and the first-token policy 'none' puts nothing there"
        )
    found = token_logprobs(model, history, forms[first:])
    own = sum(found[: last - first])
    completion = Completion(
        text=text,
        logprob=round(own, LOGPROB_DECIMALS),
        tokens=last - first,
        with_after=round(sum(found), LOGPROB_DECIMALS),
    )
    return _PlacedCompletion(completion, forms[first:last])


def _fill_open_gap(model: LanguageModel, request: Fill) -> list[Completion]:
    """The best completions of each number of words.

    Only those whose tokens, in place, are the ones that were chosen: others melt into their
    neighbours, and are another completion.
    """
    before = [token.form for token in tokenise(request.before)]
    history = [*start_history(request.first_token), *before]
    kept = []
    for candidates in _beam(model, history, request.max_tokens, max(BEAM_WIDTH, request.top)):
        fitting: list[Completion] = []
        for forms in candidates:
            text = model.spacing.join(request.before, before, forms)
            placed = _score_in_place(model, request, text)
            if placed.forms == list(forms):
                fitting.append(placed.completion)
            if len(fitting) == request.top:
                break
        kept += fitting
    return kept


def _beam(
    model: LanguageModel, history: Sequence[str], max_words: int, width: int
) -> Iterator[list[tuple[str, ...]]]:
    """The likeliest sequences of one word, of two, and so on, best first."""
    beam: list[tuple[float, tuple[str, ...]]] = [(0.0, ())]
    for _ in range(max_words):
        grown: list[tuple[float, tuple[str, ...]]] = []
        for total, forms in beam:
            following = model.following([*history, *forms])
            found = np.log(following.probabilities)
            # More than are kept: the text's end is no word, and some words may not fit.
            best = np.argsort(-found, kind="stable")[: 2 * width]
            grown += [
                (total + float(found[index]), (*forms, following.forms[index]))
                for index in best
                if following.forms[index] != END
            ]
        beam = sorted(grown, key=lambda pair: (-pair[0], pair[1]))
        yield [forms for _, forms in beam]
        beam = beam[:width]


def generate(model: LanguageModel, request: Generate) -> Texts:
    """Continue the prompt with words that the model has seen; `max_new_tokens` counts words."""
    temperature = 1.0 if request.decoding.temperature is None else request.decoding.temperature
    key = digest(request)
    texts: list[Text] = []
    for sample in range(request.samples):
        # Greedy samples are all alike, so one is generated for all.
        if temperature == 0 and texts:
            texts.append(texts[0])
        else:
            noise = uniform_numbers(key, sample)
            texts.append(_generate_one(model, request, temperature, noise))
    return Texts(texts=tuple(texts), temperature=temperature)


def _generate_one(
    model: LanguageModel, request: Generate, temperature: float, noise: Callable[[], float]
) -> Text:
    prompt = prompt_text(request.prompt)
    before = [token.form for token in tokenise(prompt)]
    decoding = request.decoding
    forms: list[str] = []
    text = ""
    finish: Literal["stop", "length"] = "length"
    while finish == "length" and len(forms) < decoding.max_new_tokens:
        following = model.following([START, *before, *forms])
        weights = following.probabilities.copy()
        if decoding.exact_length:
            weights[following.forms.index(END)] = 0.0
        form = following.forms[_draw_token(weights, temperature, decoding, noise())]
        if form == END:
            finish = "stop"
        else:
            forms.append(form)
            text = model.spacing.join(prompt, before, forms)
            finish = "stop" if any(mark in text for mark in decoding.stop) else "length"
    return Text(text=cut_at_stop(text, decoding.stop), finish=finish, tokens=len(forms))


def _draw_token(
    weights: NDArray[np.float64], temperature: float, decoding: Decoding, noise: float
) -> int:
    """The index of the next token: the likeliest, or one sampled by its probability."""
    if temperature == 0:
        return int(weights.argmax())
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
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
    if not summed[-1] > 0:  # NaN too: all weights are 0, or were divided by next to nothing
        raise UnanswerableError(f"no word can be sampled at a temperature of {temperature}")
    return int(np.searchsorted(summed, noise * summed[-1], side="right"))


# Raised when the same training text would give other numbers.
VERSION = "1"

# With no more groups than this each is a fold of its own.
FOLDS = 10


class _Ngram(SimpleModel, ABC):
    """The three verbs, each answered by the language model that may answer the request."""

    def __init__(self, identity: Identity) -> None:
        super().__init__(
            identity, {"score": self._score, "fill": self._fill, "generate": self._generate}
        )

    @abstractmethod
    def _model_for(self, request: Request) -> LanguageModel:
        """The language model that may answer a request."""

    def _score(self, request: Score) -> Scores:
        return score(self._model_for(request), request)

    def _fill(self, request: Fill) -> Completions:
        return fill(self._model_for(request), request)

    def _generate(self, request: Generate) -> Texts:
        return generate(self._model_for(request), request)


class FileNgram(_Ngram):
    """Trained on a text file, a text per line."""

    def __init__(self, name: str, options: ModelOptions) -> None:
        path = Path(name).expanduser()
        text = _read_training_file(path)
        lines = [line for line in text.splitlines() if line.strip()]
        self._language_model = Corpus(
            [TrainingText(None, tokenise(line)) for line in lines]
        ).without(None)
        training = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        super().__init__(
            _identity(options.label or f"ngram:{path.name}", training, "none", {"file": path.name})
        )

    def _model_for(self, request: Request) -> LanguageModel:  # noqa: ARG002
        return self._language_model


class SuiteNgram(_Ngram):
    """Trained on the suite's own text, never on the text of the group it is asked about."""

    def __init__(self, options: ModelOptions) -> None:
        self._label = options.label or "ngram"
        self._corpus: Corpus | None = None
        self._folds: dict[str, int] = {}
        self._strangers: Counter[str] = Counter()
        super().__init__(_identity(self._label, "", "", {}))

    def learn(self, texts: Iterable[tuple[str, str]]) -> None:
        """Take (group, text) pairs."""
        pairs = list(texts)
        if not any(text.strip() for _, text in pairs):
            raise InputError(
                "The suite has no text to train the n-gram model on; name a file: ngram:FILE."
            )
        self._folds = assign_folds({group for group, _ in pairs})
        self._corpus = Corpus(
            [TrainingText(self._folds[group], tokenise(text)) for group, text in pairs]
        )
        training = hashlib.sha256()
        for group, text in pairs:
            training.update(digest(group, text))
        self._identity = _identity(
            self._label,
            training.hexdigest(),
            f"{len(set(self._folds.values()))} folds by group",
            {"groups": len(self._folds), LEARNT: "training folds"},
        )

    @property
    def identity(self) -> Identity:
        """Which model answers, known once it is trained."""
        self._learnt()
        return self._identity

    def notes(self) -> Mapping[str, object]:
        """How many groups were asked about that the training text does not contain."""
        return {"groups_without_text": len(self._strangers)}

    def _model_for(self, request: Request) -> LanguageModel:
        group = request.group or request.item
        if group not in self._folds:
            self._strangers[group] += 1
        return self._learnt().without(self._folds.get(group))

    def _learnt(self) -> Corpus:
        if self._corpus is None:
            raise RunError("The n-gram model has not been trained yet; name a file: ngram:FILE.")
        return self._corpus


def assign_folds(groups: Iterable[str]) -> dict[str, int]:
    """The fold of each group: dealt out evenly in an order that depends on their names alone."""
    dealt = sorted(groups, key=lambda group: (digest(group), group))
    return {group: index % FOLDS for index, group in enumerate(dealt)}


def _identity(
    label: str, training: str, scheme: str, about: Mapping[str, str | int | float | None]
) -> Identity:
    key = {"training": training, "folds": scheme, "order": str(ORDER), "version": VERSION}
    return Identity(kind="ngram", label=label, key=key, about={"order": ORDER, **about})


def _read_training_file(path: Path) -> str:
    text = "\n".join(line.rstrip("\r\n") for line in iterate_lines(path))
    if not text.strip():
        raise InputError(f"The text file {path} is empty, so there is nothing to learn from.")
    return text
