"""The tokens of a German text."""

from __future__ import annotations

from epicene.rewriting import text as shared
from epicene.rewriting.german.inflection import noun_readings
from epicene.rewriting.german.lexicon import words

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

    def is_capital(self, at: int) -> bool:
        """Whether the token is a word with a capital."""
        return self.is_word(at) and self.tokens[at].text[:1].isupper()

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
        if self[at + 1] in {"ich", "du", "er", "wir", "man"} and word.endswith(
            ("e", "st", "t", "en")
        ):
            return word not in lists.subordinators and word not in lists.not_adjectives
        past = word.endswith(("te", "ten", "test")) and len(word) > 4
        return past and not self.is_noun(at + 1) and word not in lists.not_adjectives


def read_line(text: str) -> Line:
    """The words and marks of a text."""
    return Line(text, shared.tokenise(text, "de", str.lower))


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
