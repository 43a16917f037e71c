"""The verb fill: words for a gap, given what stands before it and, as a second number, after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from epicene.models.ngram.counts import END
from epicene.models.ngram.scoring import beginning, logprobs
from epicene.models.ngram.tokens import tokenise
from epicene.models.one_by_one import UnanswerableError
from epicene.records import DECIMALS, Completion, Completions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.models.ngram.language_model import LanguageModel
    from epicene.records import Fill

# Sequences of words kept after each step, where a gap may take several.
BEAM = 20


def fill(model: LanguageModel, request: Fill) -> Completions:
    """Rank the choices, or the words of the vocabulary, by their probability after `before`."""
    if request.choices:
        found = [_in_place(model, request, choice).completion for choice in request.choices]
    else:
        found = _open_gap(model, request)
    ranked = sorted(found, key=lambda completion: (completion.tokens, -completion.logprob))
    return Completions(completions=tuple(ranked), method=f"{model.order}-gram")


class _Placed(NamedTuple):
    """A completion, and the tokens it has in its place."""

    completion: Completion
    forms: list[str]


def _in_place(model: LanguageModel, request: Fill, text: str) -> _Placed:
    """Score a completion where it stands; a token that reaches into it belongs to it.

    One without a token of its own is certain.
    """
    start, end = len(request.before), len(request.before) + len(text)
    tokens = tokenise(request.before + text + request.after)
    forms = [token.form for token in tokens]
    first = sum(token.end <= start for token in tokens)
    last = max(first, sum(token.end - len(token.form) < end for token in tokens)) if text else first
    history = [*beginning(request.first_token), *forms[:first]]
    if not history:
        raise UnanswerableError(
            "nothing stands before the gap, and the first-token policy 'none' puts nothing there"
        )
    found = logprobs(model, history, forms[first:])
    own = sum(found[: last - first])
    completion = Completion(
        text=text,
        logprob=round(own, DECIMALS),
        tokens=last - first,
        with_after=round(sum(found), DECIMALS),
    )
    return _Placed(completion, forms[first:last])


def _open_gap(model: LanguageModel, request: Fill) -> list[Completion]:
    """The best completions of each number of words.

    Only those whose tokens, in place, are the ones that were chosen: others melt into their
    neighbours, and are another completion.
    """
    before = [token.form for token in tokenise(request.before)]
    history = [*beginning(request.first_token), *before]
    kept = []
    for candidates in _beam(model, history, request.max_tokens, max(BEAM, request.top)):
        fitting: list[Completion] = []
        for forms in candidates:
            text = model.spacing.join(request.before, before, forms)
            placed = _in_place(model, request, text)
            if placed.forms == list(forms):
                fitting.append(placed.completion)
            if len(fitting) == request.top:
                break
        kept += fitting
    return kept


def _beam(
    model: LanguageModel, history: Sequence[str], longest: int, width: int
) -> Iterator[list[tuple[str, ...]]]:
    """The likeliest sequences of one word, of two, and so on, best first."""
    beam: list[tuple[float, tuple[str, ...]]] = [(0.0, ())]
    for _ in range(longest):
        grown: list[tuple[float, tuple[str, ...]]] = []
        for total, forms in beam:
            following = model.following([*history, *forms])
            found = np.log(following.probabilities)
            # More than are kept: the text's end is no word, and some words may not fit.
            best = np.argsort(-found, kind="stable")[: 2 * width]
            grown += [
                (total + float(found[place]), (*forms, following.forms[place]))
                for place in best
                if following.forms[place] != END
            ]
        beam = sorted(grown, key=lambda pair: (-pair[0], pair[1]))
        yield [forms for _, forms in beam]
        beam = beam[:width]
