"""The tokens of a German text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from epicene.rewriting import text as shared
from epicene.rewriting.german.inflection import determiner, is_superlative, noun_readings
from epicene.rewriting.german.lexicon import words

if TYPE_CHECKING:
    from collections.abc import Sequence

# Past tenses at the end of a subordinate clause: gegenüberstand, zurückkam.
_PARTICLE_VERBS = tuple(
    word for word in words().irregular_past if len(word) > 3 and word[-1] != "e"
)
_POLITE = frozenset("sie ihnen ihr ihre ihrem ihren ihrer ihres du dir dich dein deine".split())


class Line(shared.Line[shared.Token]):
    """The tokens of a German text, or of a part of one, in order; keys are in small letters."""

    sentence_ends = frozenset({".", "!", "?", "…", "...", ";", "!!", "?!", "!?"})
    # After these a capital says nothing.
    openings = sentence_ends | {":", "„", '"', "»", "“", "–"}

    @property
    def is_small(self) -> bool:
        """Whether the text is written without capitals."""
        return self.text == self.text.lower()

    def ends_sentence(self, at: int) -> bool:
        """Whether the token is a mark that ends a sentence, or several of them."""
        key = self[at]
        return key in self.sentence_ends or (key != "" and not set(key) - set(".!?…"))

    def is_capital(self, at: int) -> bool:
        """Whether the token is a word with a capital, after a number too: 34-Jährige."""
        if not self.is_word(at):
            return False
        text = self.tokens[at].text
        return (text.partition("-")[2] if text[0].isdigit() else text)[:1].isupper()

    def starts_sentence(self, at: int) -> bool:
        """Whether no word precedes the token in its sentence."""
        at -= 1
        while at >= 0 and self.is_mark(at) and self[at] not in self.openings and self[at] != ",":
            at -= 1
        return at < 0 or self[at] in self.openings

    def is_noun(self, at: int) -> bool:
        """Whether the word looks like a noun or a name: a capital inside a sentence."""
        return self.is_capital(at) and self[at] not in _POLITE and not self.starts_sentence(at)

    def is_finite(self, at: int) -> bool:
        """Whether the word looks like a finite verb."""
        word = self[at]
        if not self.is_word(at) or self.is_noun(at):
            return False
        lists = words()
        known = (lists.be, lists.become, lists.have, lists.modals, lists.finite)
        if any(word in each for each in (*known, lists.irregular_past)):
            return True
        if word.endswith(_PARTICLE_VERBS) and word not in lists.not_adjectives:
            return True
        if word in lists.not_adjectives or word in lists.subordinators:
            return False
        if self[at - 1] == "ich" and word.endswith("e"):
            return not self.is_finite(at - 2)
        if self[at - 1] == "wir" and word.endswith("en"):
            return not self.is_finite(at - 2)
        if self[at - 1] in {"er", "sie", "es"} and self.is_mark(at - 2) and word.endswith("t"):
            return word not in lists.adverbs
        if self[at + 1] in {"ich", "du", "er", "wir", "man"} and word.endswith(
            ("e", "st", "t", "en")
        ):
            return word not in lists.subordinators and word not in lists.not_adjectives
        past = word.endswith(("te", "ten", "test")) and len(word) > 4
        superlative = is_superlative(word.removesuffix("n").removesuffix("e"))
        return past and not self.is_noun(at + 1) and not superlative


def read_line(text: str) -> Line:
    """The words and marks of a text, abbreviations and ordinals with their full stop."""
    tokens = _join_stops(text, shared.tokenise(text, "de", str.lower))
    if text == text.lower():
        tokens = [_with_capital(token) for token in tokens]
    return Line(text, tokens)


def is_ordinal(word: str) -> bool:
    """Whether the word is a number with a full stop: 3., 100.000."""
    return word[:1].isdigit() and word.endswith(".")


def _join_stops(text: str, tokens: Sequence[shared.Token]) -> list[shared.Token]:
    found: list[shared.Token] = []
    for at, token in enumerate(tokens):
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        if token.text == "." and found and _is_abbreviated(found[-1], token, after):
            before = found.pop()
            span = text[before.start : token.end]
            token = shared.Token(before.start, token.end, span, span.lower(), is_word=True)
        found.append(token)
    return found


def _is_abbreviated(word: shared.Token, stop: shared.Token, after: shared.Token | None) -> bool:
    """Whether the full stop belongs to the word before it: Dr. Kim, H. Wolf, der 3. Mann."""
    if word.end != stop.start or after is None or not (after.is_word or after.text.isalnum()):
        return False
    if word.text[:1].isdigit():
        function_word = determiner(after.key) is not None or after.key in words().sentence_openers
        return len(word.text.partition(".")[0]) < 4 and not function_word
    initial = len(word.text) == 1 and word.text.isupper() and after.text[:1].isupper()
    return word.key in words().abbreviations or initial


def _with_capital(token: shared.Token) -> shared.Token:
    """A noun for a person as it would be written in a text that has capitals."""
    capital = token.text[:1].upper() + token.text[1:]
    known = token.is_word and token.key not in words().no_nouns and len(token.key) > 2
    if not known or not any(each.noun is not None for each in noun_readings(capital)):
        return token
    return msgspec.structs.replace(token, text=capital)


def opens_with_subject(line: Line, start: int, verb: int) -> bool:
    """Whether what precedes the verb can be its subject: no adverb, no preposition."""
    while start < verb and (line.is_mark(start) or line[start] in words().coordinators):
        start += 1
    first = line[start]
    lists = words()
    if start >= verb:
        return False
    if first in {"ihr", "ihre", "sein", "seine"}:  # ihr Debüt gab sie, but ihre Chefin mag sie
        return any(noun_readings(line.tokens[at].text) for at in range(start + 1, verb))
    if first in lists.prepositions | lists.openers | lists.adverbs | lists.subordinators:
        return False
    if first in {"im", "am", "zum", "zur", "vom", "beim", "ins", "ans"} or first[:1].isdigit():
        return False
    if first.endswith(("weise", "mals", "end")) and verb == start + 1:
        return False
    return any(line.is_capital(at) for at in range(start, verb))
