"""The tokens of an Arabic text."""

from __future__ import annotations

from epicene.languages import tokenisation
from epicene.rewriting import text as shared
from epicene.rewriting.arabic.spelling import fold_letters, strip_marks


class Token(shared.Token, frozen=True, gc=False):
    """A word or a punctuation mark; `letters` are without diacritics, the key is folded as well."""

    letters: str


class Line(shared.Line[Token]):
    """The tokens of an Arabic text, or of a part of one, in order."""

    sentence_ends = frozenset(".!?؟…؛;")

    def token(self, at: int) -> Token:
        """The token at an index, an empty mark outside the line."""
        return self.tokens[at] if 0 <= at < len(self.tokens) else _OUTSIDE

    def letters(self, at: int) -> str:
        """The letters of the token at an index, "" outside the line."""
        return self.tokens[at].letters if 0 <= at < len(self.tokens) else ""

    def after_mark(self, at: int) -> bool:
        """Whether the token before it is a mark, or there is none."""
        return self.is_mark(at - 1)

    def ends_sentence(self, at: int) -> bool:
        """Whether the token is a mark that ends a sentence, alone or with others: ?!"""
        return self[at][:1] in self.sentence_ends


_OUTSIDE = Token(0, 0, "", "", is_word=False, letters="")


def read_line(text: str) -> Line:
    """The words and marks of a text."""
    return Line(text, [_token(text, span) for span in tokenisation.tokens(text, "ar")])


def _token(text: str, span: tokenisation.Span) -> Token:
    written = text[span.start : span.end]
    is_word = span.kind == "word"
    letters = strip_marks(written) if is_word else written
    return Token(span.start, span.end, written, fold_letters(letters), is_word, letters)
