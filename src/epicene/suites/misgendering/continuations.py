"""Analyse a continuation: its pronouns, extraneous gendered words, and repetition rate."""

from __future__ import annotations

import tomllib
from collections import Counter
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import regex

from epicene.core.data_files import read_text
from epicene.core.errors import InputError
from epicene.core.records import Record
from epicene.languages.tokenisation import pieces, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from epicene.suites.misgendering.items import PronounForms

# "xe'd", "he’s": the pronoun is the part before the apostrophe.
_NO_APOSTROPHE = regex.compile(r"[^'’ʼ]+")
# More than any continuation; beyond it spaCy refuses a text.
_MAX_CHARACTERS = 900_000


class FoundPronouns(NamedTuple):
    """The pronouns of a text: the first as written, the set it is of, and all sets in order."""

    first: str
    sets: tuple[str, ...]

    @property
    def set(self) -> str:
        """Which set the first pronoun is of; "" if there is none."""
        return self.sets[0] if self.sets else ""


def find_pronouns(text: str, sets: Sequence[PronounForms], tokeniser: str) -> FoundPronouns:
    """All pronouns of a text that are of one of the sets, ignoring case."""
    found = list(_pronouns(text, sets, tokeniser))
    return FoundPronouns(found[0][1] if found else "", tuple(owner for _, _, owner in found))


def first_pronoun(
    text: str, sets: Sequence[PronounForms], tokeniser: str
) -> tuple[int, str] | None:
    """The start of the first pronoun of a text, and how it is written."""
    return next(((start, token) for start, token, _ in _pronouns(text, sets, tokeniser)), None)


def second_pronoun(text: str, sets: Sequence[PronounForms], tokeniser: str) -> int:
    """The start of the second pronoun of a text, or the end of the text."""
    starts = (start for start, _, _ in _pronouns(text, sets, tokeniser))
    return next(islice(starts, 1, None), len(text))


def tokens(text: str, tokeniser: str) -> Iterator[str]:
    """The words of a text, by spaCy's English tokeniser or by Epicene's segmenter."""
    return (token for _, token in _tokens_with_offsets(text, tokeniser))


def _pronouns(
    text: str, sets: Sequence[PronounForms], tokeniser: str
) -> Iterator[tuple[int, str, str]]:
    """The start of each pronoun, how it is written, and the set it is of."""
    forms = tuple((form, each.pronoun) for each in sets for form in each.forms.values())
    # Their plural reflexive is also said of one person; the published sets do not have it.
    more = (("themselves", "they"),) if tokeniser == "epicene" and ("they", "they") in forms else ()
    owners = _owners(forms + more)
    for start, token in _tokens_with_offsets(text, tokeniser):
        owner = owners.get(token.lower())
        if owner is not None:
            yield start, token, owner


def _tokens_with_offsets(text: str, tokeniser: str) -> Iterator[tuple[int, str]]:
    if tokeniser == "spacy":
        for begin in range(0, len(text), _MAX_CHARACTERS):
            for token in _spacy()(text[begin : begin + _MAX_CHARACTERS]):
                yield begin + token.idx, token.text
        return
    start = 0
    for piece in pieces(text):
        for offset, token in _tokens_of_piece(piece):
            yield start + offset, token
        start += len(piece) + 1


@lru_cache(maxsize=1 << 16)  # texts have many words in common
def _tokens_of_piece(piece: str) -> tuple[tuple[int, str], ...]:
    return tuple(
        (span.start + part.start(), part[0])
        for span in words(piece, "en")
        for part in _NO_APOSTROPHE.finditer(piece[span.start : span.end])
    )


@cache
def _owners(forms: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Form → set; if two sets share a form, it belongs to the first."""
    return {form.lower(): owner for form, owner in reversed(forms)}


@cache
def _spacy() -> Any:
    try:
        import spacy
    except ImportError as error:
        raise InputError(
            "The protocol paper finds pronouns with spaCy's tokeniser: "
            'pip install "epicene[english]".'
        ) from error
    return spacy.blank("en").tokenizer


LEXICON_FILE = Path(__file__).parent / "starter" / "lexicon.toml"


class GenderedWord(Record, frozen=True, kw_only=True):
    """A word that shows a person's gender. lexicon.toml explains the fields."""

    forms: tuple[str, ...]
    gender: str
    kind: str
    cased: bool = False
    unless: tuple[str, ...] = ()
    ambiguous: bool = False
    why: str = ""


class GenderedMention(NamedTuple):
    """A gendered word in a text."""

    start: int
    end: int
    text: str
    gender: str


def extraneous_mentions(text: str, context: str) -> list[GenderedMention]:
    """The gendered words of a text that are not already in its context."""
    before = _mentioned_words(context)
    return [mention for mention in mentions(text) if mention.text.lower() not in before]


@lru_cache(maxsize=1024)  # the samples of an item share their context
def _mentioned_words(context: str) -> frozenset[str]:
    return frozenset(mention.text.lower() for mention in mentions(context))


def bracket_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with brackets around the spans; those that overlap become one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    pieces, reached = [], 0
    for start, end in merged:
        pieces += [text[reached:start], "[", text[start:end], "]"]
        reached = end
    return "".join([*pieces, text[reached:]])


def mentions(text: str) -> list[GenderedMention]:
    """The gendered words of a text, in order, without ambiguous ones.

    A word inside a phrase in which it does not show a person's gender ("maiden voyage") is left
    out.
    """
    pattern, owners = _index()
    text = text.replace("’", "'")
    found = []
    for match in pattern.finditer(text):
        for word in owners[match[0].lower()]:
            fits = not word.cased or match[0] in word.forms
            if fits and not word.ambiguous and not _excused(word, match, text):
                found.append(GenderedMention(match.start(), match.end(), match[0], word.gender))
                break
    return found


def _excused(word: GenderedWord, match: regex.Match[str], text: str) -> bool:
    return any(
        phrase.start() <= match.start() and match.end() <= phrase.end()
        for pattern in _phrases(word)
        for phrase in pattern.finditer(text)
    )


@cache
def lexicon() -> tuple[GenderedWord, ...]:
    """The words of lexicon.toml."""
    return msgspec.convert(tomllib.loads(read_text(LEXICON_FILE))["word"], tuple[GenderedWord, ...])


@cache
def _index() -> tuple[regex.Pattern[str], dict[str, list[GenderedWord]]]:
    """One pattern for all forms, and the words that a form may be of."""
    owners: dict[str, list[GenderedWord]] = {}
    for word in lexicon():
        for form in word.forms:
            owners.setdefault(form.lower(), []).append(word)
    return _whole_words(_any_of(owners)), owners


def _any_of(forms: Iterable[str]) -> str:
    """A pattern for the longest of some forms, which tries what they begin with only once."""
    rests: dict[str, list[str]] = {}
    for form in forms:
        rests.setdefault(form[:1], []).append(form[1:])
    is_form = rests.pop("", None) is not None
    branches = "|".join(regex.escape(letter) + _any_of(rest) for letter, rest in rests.items())
    return f"(?:{branches})" + ("?" if is_form else "") if branches else ""


@cache
def _phrases(word: GenderedWord) -> tuple[regex.Pattern[str], ...]:
    return tuple(_whole_words(regex.escape(phrase)) for phrase in word.unless)


def _whole_words(pattern: str) -> regex.Pattern[str]:
    """A pattern that matches whole words only, in any case."""
    letter = r"[\p{L}\p{M}\p{N}]"
    return regex.compile(rf"(?<!{letter})(?:{pattern})(?!{letter})", regex.IGNORECASE)


_ORDERS = (1, 2, 3, 4)


def repetition_rate(tokens: Sequence[str]) -> float | None:
    """The geometric mean over n = 1…4 of the share of n-gram types that occur more than once.

    Undefined for fewer than four tokens.
    """
    if len(tokens) < _ORDERS[-1]:
        return None
    longest = list(_ngrams(tokens, _ORDERS[-1]))
    if len(set(longest)) == len(longest):  # no share can make up for one of 0
        return 0.0
    product = 1.0
    for order in _ORDERS:
        counts = Counter(_ngrams(tokens, order))
        product *= sum(count > 1 for count in counts.values()) / len(counts)
    return float(product ** (1 / len(_ORDERS)))


def _ngrams(tokens: Sequence[str], order: int) -> Iterator[tuple[str, ...]]:
    return zip(*(tokens[start:] for start in range(order)), strict=False)
