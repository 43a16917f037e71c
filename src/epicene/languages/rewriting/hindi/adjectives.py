"""Which words are adjectives, and which of those agree."""

from __future__ import annotations

import regex

from epicene.languages.rewriting.hindi.inflection import Cell, inflected
from epicene.languages.rewriting.hindi.lexicon import function_words
from epicene.languages.rewriting.hindi.verb_forms import analyse

# शर्मीला, पाँचवाँ, दूधवाला, चोर-सा
_SUFFIXES = regex.compile(r".{2,}(?:ीला|ीले|ीली|वाला|वाले|वाली|गुना|गुने|गुनी|-सा|-सी|-से)$")
_ORDINAL = regex.compile(r"(?:.{2,}|\p{N}+)व(?:ां|ीं|ें)$")
_TO_MASCULINE = {"े": "ा", "ी": "ा", "ए": "या", "ई": "या"}


def citation(word: str) -> str:
    """The key of an adjective's masculine singular: अच्छी, अच्छे → अच्छा."""
    return word[:-1] + _TO_MASCULINE[word[-1]] if word and word[-1] in _TO_MASCULINE else word


def agrees(word: str) -> bool:
    """Whether the key is a form of an adjective that agrees (no participle)."""
    words = function_words()
    if word in words.invariable_adjectives:
        return False
    return (
        citation(word) in words.variable_adjectives
        or bool(_SUFFIXES.match(word))
        or bool(_ORDINAL.match(word))
    )


def is_genitive(word: str) -> bool:
    """Whether it is का or the genitive of a pronoun."""
    return word in {"का", "के", "की"} or citation(word) in function_words().possessives


def is_participle(word: str) -> bool:
    """Whether it may be a participle that is used like an adjective: थका, हुआ, सोया."""
    return any(form.participle and form.cell for form in analyse(word))


def is_adjective(word: str) -> bool:
    """Whether it is an adjective of the lexicon or by its shape."""
    return word in function_words().invariable_adjectives or agrees(word)


def cell_of(surface: str) -> Cell | None:
    """The cell of a word that agrees, by its end."""
    found = inflected(surface)
    return found.cell if found else None
