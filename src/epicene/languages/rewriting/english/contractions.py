"""Whether the 's of "she's" is "is" or "has"."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from epicene.languages.rewriting import Sureness
    from epicene.languages.rewriting.english.line import Line

_PERFECT_ADVERBS = frozenset("already never ever always recently since just long lately".split())
_POSSESSIVES = frozenset("my your his her its our their".split())
_OBJECTS = frozenset("me you him her it us them himself herself itself themself".split())


def means_has(line: Line, clitic: int) -> tuple[bool, Sureness]:
    """Whether the clitic at that token is "has", and how surely."""
    lexicon = line.lexicon
    index = line.after_adverbs(clitic + 1)
    # "What's she done": the subject stands between.
    if line[index] in lexicon.pronouns:
        index = line.after_adverbs(index + 1)
    word = line[index]
    if word in {"been", "had", "got", "gotten"} or word in lexicon.has_participles:
        return True, "certain" if word in {"been", "had"} else "likely"
    if not lexicon.is_participle(word) or word in {"born", "set", "left"}:
        return False, "certain" if word.endswith("ing") or not line.is_word(index) else "likely"
    perfect = any(line[at] in _PERFECT_ADVERBS for at in range(clitic + 1, index))
    takes = _takes_object(line, index + 1)
    if word in lexicon.is_participles:
        return takes or (perfect and word not in {"gone"}), "guess"
    return takes or perfect or _only_perfect(line, word), "guess"


def _takes_object(line: Line, index: int) -> bool:
    """Whether an object follows, as it does after "has taken" and not after "is taken"."""
    word = line[index]
    return (
        word in line.lexicon.determiners
        or word in _POSSESSIVES
        or word in _OBJECTS
        or word in line.lexicon.numbers
        or word in {"all", "more", "what", "everything", "something", "nothing", "that"}
    )


def _only_perfect(line: Line, word: str) -> bool:
    """Participles that are no adjectives and no passives without an agent."""
    return word in line.lexicon.participles and word not in {
        "broken", "hidden", "known", "born", "gone", "done", "frozen", "forgotten", "beaten", "torn",
        "mistaken", "forbidden", "given", "driven", "shown", "shaken", "taken", "chosen", "worn",
    }  # fmt: skip
