"""Whether the 's of "she's" is "is" or "has"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.english.evidence import OBJECTS

if TYPE_CHECKING:
    from epicene.languages.rewriting import Sureness
    from epicene.languages.rewriting.english.line import Line

_PERFECT_ADVERBS = frozenset("already never ever always recently just long lately".split())
_QUANTITIES = frozenset("all more what everything something nothing anything".split())
# "all she's done", "how she's reacted": the object stands before.
_OBJECT_BEFORE = frozenset("all what everything anything something how".split())


def means_has(line: Line, clitic: int) -> tuple[bool, Sureness]:
    """Whether the clitic at that token is "has", and how surely."""
    lexicon = line.lexicon
    index = line.after_adverbs(clitic + 1)
    # "Where's she gone": the subject stands between.
    inverted = line[index] in lexicon.pronouns
    if inverted:
        index = line.after_adverbs(index + 1)
    word = line[index]
    if word in lexicon.has_participles:
        return True, "certain" if word in {"been", "had"} else "likely"
    if not lexicon.is_participle(word) or word in lexicon.adjectives:
        return False, "likely" if line.is_word(index) else "certain"
    if inverted:
        return True, "likely"
    perfect = any(line[at] in _PERFECT_ADVERBS for at in range(clitic + 1, index))
    if _takes_object(line, index + 1) or (perfect and word != "gone"):
        return True, "guess"
    if word in lexicon.is_participles:
        return word != "gone" and line[clitic - 2] in _OBJECT_BEFORE, "guess"
    return word in lexicon.participles, "guess"


def _takes_object(line: Line, index: int) -> bool:
    """Whether an object follows, as it does after "has taken" and not after "is taken"."""
    word = line[index]
    return (
        line.is_number(index)
        or word in line.lexicon.determiners
        or word in line.lexicon.numbers
        or word in OBJECTS
        or word in _QUANTITIES
    )
