"""Which words are adjectives, and which of those agree."""

from __future__ import annotations

from functools import lru_cache

import regex

from epicene.languages.rewriting.hindi.inflection import Cell, inflected
from epicene.languages.rewriting.hindi.lexicon import function_words
from epicene.languages.rewriting.hindi.nouns import person, thing
from epicene.languages.rewriting.hindi.verb_forms import analyse

# शर्मीला, दूधवाला, दुगुना; पाँचवाँ, 5वाँ
_SUFFIXES = regex.compile(r".{2,}(?:ील[ाेी]|वाल[ाेी]|गुन[ाेी])$")
_ORDINAL = regex.compile(r"(?:.{2,}|\p{N}+)व(?:ां|ीं|ें)$")
_TO_MASCULINE = {"े": "ा", "ी": "ा", "ए": "या", "ई": "या"}
_PARTICIPLE_OF_BE = frozenset({"हुआ", "हुए", "हुई"})


def citation(word: str) -> str:
    """The key of an adjective's masculine singular: अच्छी, अच्छे → अच्छा."""
    return "-".join(
        part[:-1] + _TO_MASCULINE[part[-1]] if part and part[-1] in _TO_MASCULINE else part
        for part in word.split("-")
    )


@lru_cache(maxsize=65536)
def agrees(word: str) -> bool:
    """Whether the key is a form of an adjective that agrees; participles only in pairs."""
    words = function_words()
    if word in words.invariable_adjectives:
        return False
    if citation(word) in words.variable_adjectives:
        return True
    if "-" in word:
        *firsts, last = word.split("-")
        of_pair = last in {"सा", "से", "सी"} or agrees(last) or is_participle(last)
        return of_pair and all(agrees(first) or is_participle(first) for first in firsts)
    by_shape = _SUFFIXES.match(word) or _ORDINAL.match(word)
    return by_shape is not None and thing(word) is None and person(word) is None


def is_genitive(word: str) -> bool:
    """Whether it is का or the genitive of a pronoun."""
    return word in {"का", "के", "की"} or citation(word) in function_words().possessives


def is_participle(word: str) -> bool:
    """Whether it may be a participle that is used like an adjective: थका, हुआ, सोया."""
    return any(form.participle and form.cell for form in analyse(word))


def is_state(first: str, second: str) -> bool:
    """Whether two words are a participle with हुआ: थका हुआ."""
    return second in _PARTICIPLE_OF_BE and is_participle(first) and thing(first) is None


def is_adjective(word: str) -> bool:
    """Whether it is an adjective of the lexicon or by its shape."""
    return word in function_words().invariable_adjectives or agrees(word)


def cell_of(surface: str) -> Cell | None:
    """The cell of a word that agrees, by its end."""
    found = inflected(surface)
    return found.cell if found else None
