"""Whether the scores of a request's texts can be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.models import UnanswerableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.core.records import TextScore


def refuse_unscored(texts: Sequence[str], scores: Sequence[TextScore], way_out: str) -> None:
    """Raise for texts without a scored token, or that differ only in tokens without a score."""
    seen: dict[tuple[str, ...], str] = {}
    for text, score in zip(texts, scores, strict=True):
        spans = zip(score.logprobs, score.starts, score.ends, strict=True)
        scored = tuple(text[start:end] for logprob, start, end in spans if logprob is not None)
        if not scored:
            raise UnanswerableError(f"no token of the text {text!r} has a score; {way_out}")
        if seen.setdefault(scored, text) != text:
            raise UnanswerableError(
                f"the texts {seen[scored]!r} and {text!r} differ only in a token that has no "
                f"score; {way_out}"
            )
