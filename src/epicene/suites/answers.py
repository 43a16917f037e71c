"""Prepare answers for scoring: strip wrappers from texts, normalise log-likelihoods by length.

The cleaning rule, applied repeatedly until nothing changes:

1. A code fence: of an answer with exactly one fenced block, only the block is kept.
2. A label: a few words for “sentence”, “answer”, “codes” or “here is …” with a colon at the very
   beginning.
3. Quotes: a pair of quotation marks, backticks or asterisks around the whole answer.

A label or pair of quotes that the source sentence itself has is kept. Nothing else is changed: an
explanation after the sentence, or a second sentence, remains and counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import regex

if TYPE_CHECKING:
    from collections.abc import Callable

    from epicene.core.records import Scores, TextScore

FENCE, LABEL, QUOTES = "fence", "label", "quotes"

_FENCE = regex.compile(r"^\s*```[^\n`]*\n(.*?)\n?\s*```\s*$", regex.S | regex.M)

# What models put before the sentence, in the languages of the prompts, after it is folded.
_LABELS = (
    r"(?:here(?:'s| is| are)(?: the)?|the)?\s*"
    r"(?:modified|transformed|rewritten|converted|corrected)?\s*"
    r"(?:sentence|output|answer|result|translation|response|codes?|labels?)(?: to transform)?",
    r"(?:voici\s+)?(?:la\s+)?(?:phrase|réponse|sortie|résultat|transformation|réécriture)"
    r"(?:\s+(?:modifiée|transformée|réécrite|convertie|corrigée|à transformer|à réécrire))?",
    r"(?:(?:هذه|إليك|ها)\s+)?(?:هي\s+)?(?:ال)?(?:جملة|إجابة|جواب|ناتج|نتيجة|رموز)"
    r"(?:\s+(?:ال)?(?:معدلة|معدّلة|محولة|محوّلة|مطلوبة|جديدة|مصححة))?(?:\s+هي)?",
    r"(?:यह रहा\s+|यहाँ\s+)?(?:संशोधित|परिवर्तित|बदला हुआ|रूपांतरित|नया)?\s*"
    r"(?:वाक्य|उत्तर|परिणाम|जवाब)(?:\s+(?:है|यह है))?",
)
_LABEL = regex.compile(rf"^[*_#\s]*(?:{'|'.join(_LABELS)})[*_\s]*[:：][*_\s]*", regex.I)

_PAIRS = (
    ('"', '"'), ("'", "'"), ("“", "”"), ("”", "”"), ("„", "“"), ("‘", "’"), ("«", "»"), ("‹", "›"),
    ("```", "```"), ("`", "`"), ("**", "**"), ("*", "*"), ("__", "__"),
)  # fmt: skip
_OPENINGS = tuple(opening for opening, _ in _PAIRS)


def said_twice(text: str) -> str:
    """A text with its longest word repeated at the end: wrong for any text."""
    return f"{text} {max(text.split(), key=len, default='…')}"


class CleanedAnswer(NamedTuple):
    """The text of an answer, and the wrappers that were removed, in the order of the rule."""

    text: str
    by: tuple[str, ...]

    @property
    def how(self) -> str:
        """The removed wrappers joined by +, or `no`."""
        return "+".join(self.by) or "no"


def clean_answer(answer: str, source: str = "", *, clean: bool = True) -> CleanedAnswer:
    """The answer without its wrappers, or only stripped unless it is to be made `clean`; `source`
    is the sentence to be rewritten, if any."""
    text, source = answer.strip(), source.strip()
    if not clean:
        return CleanedAnswer(text, ())
    removed: set[str] = set()
    while True:
        for name, strip in _STEPS:
            shorter = strip(text, source)
            if shorter != text:
                text = shorter
                removed.add(name)
                break
        else:
            return CleanedAnswer(text, tuple(name for name, _ in _STEPS if name in removed))


def _strip_fence(text: str, _source: str) -> str:
    if "```" not in text:
        return text
    blocks = _FENCE.findall(text)
    return str(blocks[0]).strip() if len(blocks) == 1 else text


def _strip_label(text: str, source: str) -> str:
    found = _LABEL.match(text) if ":" in text or "：" in text else None
    if found is None or source.startswith(found[0].strip()):
        return text
    return text[found.end() :].strip()


def _strip_quotes(text: str, source: str) -> str:
    if not text.startswith(_OPENINGS):
        return text
    for opening, closing in _PAIRS:
        if _is_around(text, opening, closing) and not _is_around(source, opening, closing):
            return text[len(opening) : -len(closing)].strip()
    return text


_STEPS = ((FENCE, _strip_fence), (LABEL, _strip_label), (QUOTES, _strip_quotes))


def _is_around(text: str, opening: str, closing: str) -> bool:
    """Whether the marks enclose the whole text, with no such mark inside."""
    inside = text[len(opening) : -len(closing)]
    return (
        len(text) > len(opening) + len(closing)
        and text.startswith(opening)
        and text.endswith(closing)
        and closing not in inside
        and opening not in inside
    )


LikelihoodMeasure: TypeAlias = Literal["sum", "per token", "per word", "per character"]
LIKELIHOOD_MEASURES: tuple[LikelihoodMeasure, ...] = (
    "sum",
    "per token",
    "per word",
    "per character",
)


# How the method of scores ends that are one number per text, as the tokens are not known.
WHOLE_TEXTS = "whole texts"


def measures_of(scores: Scores, own: str) -> tuple[LikelihoodMeasure, ...]:
    """The measures that scores have: if the tokens are not known, there is no number per token,
    unless it is the protocol's `own` measure."""
    if not scores.method.endswith(WHOLE_TEXTS):
        return LIKELIHOOD_MEASURES
    return tuple(each for each in LIKELIHOOD_MEASURES if each in (own, *_WITHOUT_TOKENS))


_WITHOUT_TOKENS: tuple[LikelihoodMeasure, ...] = ("sum", "per word", "per character")


def normalised_likelihood(text: TextScore, measure: LikelihoodMeasure) -> float:
    """The log-likelihood of a text, in total or per unit."""
    return text.sum / max(_UNITS[measure](text), 1)


_UNITS: dict[LikelihoodMeasure, Callable[[TextScore], int]] = {
    "sum": lambda _: 1,
    "per token": lambda text: text.tokens,
    "per word": lambda text: text.words,
    "per character": lambda text: text.characters,
}
