"""The verb score: the log-probability of each word and mark of a text."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from epicene.languages.segment import count_words
from epicene.models.ngram.counts import START
from epicene.models.ngram.tokens import tokenise
from epicene.models.one_by_one import UnanswerableError
from epicene.records import DECIMALS, Scores, TextScore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.models.ngram.language_model import LanguageModel
    from epicene.models.ngram.tokens import Token
    from epicene.records import FirstToken, Prompt, Score


def plain(prompt: Prompt) -> str:
    """A prompt as running text; of a chat, what was said."""
    if isinstance(prompt, str):
        return prompt
    return "".join(f"{message.content}\n" for message in prompt)


def beginning(policy: FirstToken) -> list[str]:
    """What stands before all text. Left to itself, this model puts the mark of a start there."""
    return [] if policy == "none" else [START]


def logprobs(model: LanguageModel, history: Sequence[str], forms: Sequence[str]) -> list[float]:
    """The log-probability of each token, given the history and the tokens before it."""
    known = list(history)
    found = []
    for form in forms:
        found.append(model.logprob(form, known))
        known.append(form)
    return found


def score(model: LanguageModel, request: Score) -> Scores:
    """Score every text of a request."""
    context = plain(request.context)
    opening = beginning(request.first_token)
    texts = []
    for text in request.texts:
        tokens = tokenise(context + text)
        first = next((i for i, t in enumerate(tokens) if t.end > len(context)), len(tokens))
        if not text or first == len(tokens):
            raise UnanswerableError(f"the text {text!r} holds no word")
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
    found: list[float | None] = [round(p, DECIMALS) for p in logprobs(model, history, forms)]
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
                f"the text {forms[0]!r} is one word, which has no score under the first-token "
                "policy 'none'"
            )
    for (rest, first), (other_rest, other) in pairwise(sorted((x[1:], x[0]) for x in texts)):
        if rest == other_rest and first != other:
            raise UnanswerableError(
                f"two texts differ only in their first words, {first!r} and {other!r}, which have "
                "no score under the first-token policy 'none'"
            )
