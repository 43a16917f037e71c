"""Which case a phrase is in, where its form fits several: by its preposition and what precedes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.russian import lexicon
from epicene.rewriting.russian.clauses import governed, is_noun_like, is_verb
from epicene.rewriting.russian.declension import CASES
from epicene.rewriting.russian.lexicon import function_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from epicene.rewriting.russian.line import Line

_INSTRUMENTAL_VERBS = (
    "стал стать был быть явл оказ назнач избр корон счит назв рабо служ остал сдел".split()
)
_ORDER = ("nominative", "genitive", "accusative", "dative", "instrumental", "prepositional")


def pick_case(line: Line, first: int, cases: Iterable[str], start: int) -> str:
    """The case of a phrase that begins at `first`, of those that its words allow."""
    possible = set(cases)
    if len(possible) == 1:
        return possible.pop()
    preposition = governed(line, first, start)
    if preposition is not None:
        return _after_preposition(preposition, possible)
    possible.discard("prepositional")
    if possible == {"genitive", "accusative"}:
        return _genitive_or_accusative(line, first, start)
    if "nominative" in possible:
        return "nominative"
    return _by_verb(line, first, start, possible)


def _after_preposition(preposition: str, possible: set[str]) -> str:
    governs = function_words().governs[preposition]
    fits = [case for case in CASES if case in possible and case in governs]
    if preposition in {"в", "во", "на", "о", "об"} and "prepositional" in fits:
        return "prepositional"
    if preposition in {"с", "со"} and "instrumental" not in fits and "genitive" in possible:
        return "genitive"
    if preposition == "по" and "dative" in possible:
        return "dative"
    if "accusative" in fits and "genitive" not in governs:
        return "accusative"
    return fits[0] if fits else next(case for case in _ORDER if case in possible)


def _genitive_or_accusative(line: Line, first: int, start: int) -> str:
    """Genitive after a noun or a number, accusative after a verb or at the beginning."""
    before = first - 1
    while before >= start and line[before] in function_words().adverbs | {"однако"}:
        before -= 1
    if before < start or line[before] == "как":
        return "accusative"
    if line.is_mark(before):
        after = first + 2 if line[first + 1] == "не" else first + 1
        return "accusative" if is_verb(line[after]) else "genitive"
    word = line[before]
    if word in {"и", "или"}:
        return _genitive_or_accusative(line, before, start)
    if is_noun_like(line, before) and not is_verb(word):
        return "genitive"
    return "accusative" if is_verb(word) else "genitive"


def _by_verb(line: Line, first: int, start: int, possible: set[str]) -> str:
    """Dative, instrumental or genitive of a feminine in -ой, by the verb or noun before it."""
    for at in range(first - 1, max(start, first - 7) - 1, -1):
        word = line[at]
        if "instrumental" in possible and word.startswith(tuple(_INSTRUMENTAL_VERBS)):
            return "instrumental"
        if "dative" in possible and word.startswith(tuple(lexicon.keys_of("verbs", "dative"))):
            return "dative"
        if at == first - 1 and "genitive" in possible and is_noun_like(line, at):
            return "genitive"
    return next(case for case in _ORDER if case in possible)
