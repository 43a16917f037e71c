"""How often the two formats must disagree, given the model's next-word probabilities (Appendix E).

If a continuation begins with a pronoun, it is drawn from the model's distribution over the next
word, while probability always takes the pronoun that makes the whole text most likely. δ is the
share of that distribution, among the pronouns, that falls on the others; its floor δ* is the share
on all but the likeliest next word. Each is computed under the full distribution, as in the paper,
and under the one that generation samples from (temperature, top-k, top-p).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.core.records import Judgement, Score
from epicene.suites.misgendering.items import begins_sentence, candidate_forms

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.core.records import Scores, TextScore
    from epicene.suites.misgendering.items import Candidate, Instance
    from epicene.suites.misgendering.protocol import MisgenderingProtocol

# How a request for next words is named: this, and the setting it belongs to.
NEXT_WORD = "next"
EXPECTED = "expected"

Distribution: TypeAlias = Literal["full", "drawn"]
DISTRIBUTIONS: tuple[Distribution, ...] = ("full", "drawn")
BOUNDS = ("δ", "δ*")


class DisagreementBounds(NamedTuple):
    """δ and its floor δ*."""

    delta: float
    floor: float


# --- requests ------------------------------------------------------------------------------


def ask_next_word(
    item: Instance,
    setting: str,
    context: str,
    choices: Sequence[Candidate],
    protocol: MisgenderingProtocol,
) -> Iterator[Score]:
    """Score each choice as the next word of a context, with and without the decoding settings."""
    before = context.rstrip()
    if not before:
        return  # a first word would have nothing to be predicted from
    # Most tokenizers put the space with the next word.
    texts = tuple(context[len(before) :] + choice.form for choice in choices)
    yield Score(
        item=item.id,
        name=f"{NEXT_WORD} {setting}",
        group=item.cluster,
        language=item.language,
        expected=item.expected(choices, texts),
        context=before,
        texts=texts,
        # As the contexts are opened from which texts are generated.
        first_token="tokenizer-default",
        decoding=protocol.decoding,
    )


def after_filled_template(
    item: Instance, protocol: MisgenderingProtocol
) -> tuple[str, tuple[Candidate, ...]]:
    """The filled template with a space after it, and the pronouns that may come next.

    The paper assumes a pronoun of the template's own case. What follows a whole text usually starts
    a sentence, so the corrected protocol assumes a nominative.
    """
    filled = item.filled(item.gold)
    context = filled if filled[-1:].isspace() else f"{filled} "
    capital = begins_sentence(context, mended=protocol.mended)
    case = "nominative" if protocol.mended else item.case
    return context, candidate_forms(item.sets, case, capital=capital)


# --- judgements ----------------------------------------------------------------------------


def by_expectation(
    item: Instance, setting: str, scores: Scores, choices: Sequence[Candidate], chosen: str
) -> Iterator[Judgement]:
    """δ and δ* given the pronoun that probability chose, under each distribution that is known.

    If top-k and top-p exclude every choice, the judgement has no value.
    """
    forms = {choice.pronoun: choice.form for choice in choices}
    for distribution in DISTRIBUTIONS:
        logprobs = _log_probabilities(scores, distribution)
        if logprobs is None:
            continue
        # Two sets may share a form, which is one next word.
        words = dict(zip((choice.form for choice in choices), logprobs, strict=True))
        bounds = disagreement_bounds(words, forms[chosen])
        for name, value in zip(BOUNDS, bounds or (None, None), strict=True):
            yield Judgement(
                item=item.id,
                group=item.cluster,
                language=item.language,
                name=f"{name} {setting} ({distribution})",
                label=chosen,
                value=value,
                facets={
                    **item.facets,
                    "format": EXPECTED,
                    "setting": setting,
                    "distribution": distribution,
                    "bound": name,
                },
            )


def disagreement_bounds(logprobs: Mapping[str, float], chosen: str) -> DisagreementBounds | None:
    """Equations 15 and 16 of the paper, from log-probabilities; None if all are impossible."""
    top = max(logprobs.values())
    if top == -math.inf:
        return None
    shares = {word: math.exp(logprob - top) for word, logprob in logprobs.items()}
    total = sum(shares.values())
    return DisagreementBounds(1 - shares[chosen] / total, 1 - 1 / total)


def _log_probabilities(scores: Scores, distribution: Distribution) -> list[float] | None:
    """The log-probability of each text under the distribution; None if one is not known."""
    found = [_log_probability(text, distribution) for text in scores.texts]
    known = [each for each in found if each is not None]
    return known if len(known) == len(found) else None


def _log_probability(text: TextScore, distribution: Distribution) -> float | None:
    """The sum over the text's tokens; −∞ where sampling excludes one of them."""
    if None in text.logprobs:
        return None
    if distribution == "full":
        return text.sum
    if not isinstance(text.drawn, tuple):
        return None
    return sum(-math.inf if token is None else token for token in text.drawn)
