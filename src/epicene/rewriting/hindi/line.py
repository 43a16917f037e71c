"""The tokens of a Hindi text."""

from __future__ import annotations

from msgspec.structs import replace

from epicene.rewriting import text as shared
from epicene.rewriting.hindi import inflection
from epicene.rewriting.hindi.inflection import TRADER, is_agreeing_adjective
from epicene.rewriting.hindi.lexicon import function_words
from epicene.rewriting.hindi.spelling import key


class Line(shared.Line[shared.Token]):
    """The tokens of a Hindi text, or of a part of one, in order."""

    sentence_ends = frozenset("। ॥ | ? ! . … ; ।। !! ?? ... ..".split())

    def before(self, at: int) -> int:
        """The index of the nearest word on the left that is not a particle."""
        at -= 1
        while self[at] in function_words().particles:
            at -= 1
        return at

    def has_postposition(self, at: int) -> bool:
        """Whether a postposition follows the word, which is then in the oblique case."""
        after = at + 1
        while self[after] in {"ही", "भी", "तो", "जी"}:
            after += 1
        return self[after] in function_words().clitics


def read_line(text: str) -> Line:
    """The words and marks of a text; वाला after a trade is looked up as a noun: दूध वाला."""
    tokens = shared.tokenise(text, "hi", key)
    for at in range(1, len(tokens)):
        following = tokens[at + 1].key if at + 1 < len(tokens) else ""
        noun = inflection.person_noun(TRADER + tokens[at].key)
        if noun and tokens[at - 1].key in function_words().trades and not _is_nominal(following):
            tokens[at] = replace(tokens[at], key=TRADER + tokens[at].key)
    return Line(text, tokens)


def _is_nominal(word: str) -> bool:
    """Whether the word is a noun or an adjective, which वाला before it would modify."""
    noun = inflection.thing_gender(word) or inflection.person_noun(word)
    return bool(noun or is_agreeing_adjective(word))
