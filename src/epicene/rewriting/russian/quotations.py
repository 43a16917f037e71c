"""Quotations of a Russian line, and who is speaker and listener in each.

In Он сказал мне: «Ты устал» the listener is the speaker of the sentence around it. Lines of a
dialogue begin with a dash, and the words of the narrator stand between dashes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from epicene.rewriting import quotations
from epicene.rewriting.quotations import UNQUOTED, Interlocutors, Introduction, Passage
from epicene.rewriting.russian.clauses import is_first_verb
from epicene.rewriting.russian.conjugation import past_form
from epicene.rewriting.russian.declension import noun_readings
from epicene.rewriting.russian.lexicon import function_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.rewriting.persons import Person
    from epicene.rewriting.russian.line import Line

_CLOSES = {"«": "»", "„": "“", "“": "”", '"': '"'}
_SPOKEN = frozenset("я ты вы мне меня тебе тебя мой твой моя твоя мы вас вам".split())
_FIRST_OBLIQUE = frozenset("мне меня мной мною".split())
_SECOND_OBLIQUE = frozenset("тебе тебя вам вас".split())
# Whose words are to the speaker where nobody is named: my mother's.
_OURS = frozenset("мой моя наш наша".split())
_DASHES = frozenset("— – -".split())


def split_quotations(line: Line) -> list[Passage[Line]]:
    """The line without its quoted speech, then each quoted speech."""
    if line[0] in _DASHES:
        replies = _replies(line)
        told = [_split_dialogue(reply) for reply in replies]
        narrated = any(len(passages) > 1 for passages in told)
        return [each for passages in told for each in passages] if narrated else [Passage(line)]
    return quotations.split_quotations(
        line, closes=_CLOSES, is_speech=_is_speech, attribute=_attribute, stop_counts_outside=True
    )


def _is_speech(part: Line) -> bool:
    """Whether quoted words are speech, not a title."""
    return any(
        word in _SPOKEN or is_first_verb(word) or past_form(word) is not None for word in part.keys
    ) and (len(part) > 2 or any(word in _SPOKEN for word in part.keys))


def _says(word: str) -> bool:
    return word.startswith(function_words().saying)


def _is_impersonal(word: str) -> bool:
    """Whether nobody is named by such a verb: говорится в заявлении."""
    return word.endswith(("ится", "ется")) and _says(word)


def _attribute(introduction: Introduction[Line]) -> Interlocutors:
    """The interlocutors of a quotation, by the words before it, otherwise by those after it."""
    words = [*introduction.before.keys, *introduction.after.keys]
    if any(map(_is_impersonal, words)):
        return UNQUOTED
    for near in (introduction.before.keys, introduction.after.keys):
        if any(map(_says, near)):
            return _interlocutors(near, words)
    named = {"он", "она"} & set(introduction.before.keys)  # Он такой: «…»
    if named or any(past_form(word) for word in words):
        return _interlocutors(words, words)
    return UNQUOTED


def _interlocutors(near: Sequence[str], words: Sequence[str]) -> Interlocutors:
    """Who speaks to whom, by the words that say so and all words around a quotation."""
    addressed: Person = "listener"
    if (_FIRST_OBLIQUE | _OURS) & set(words) or ("я" in words and "я" not in near):
        addressed = "speaker"
    elif any(map(_is_addressed, words)) and not _SECOND_OBLIQUE & set(words):
        addressed = "others"
    if "я" in near or any(_says(word) and is_first_verb(word) for word in near):
        return Interlocutors("speaker", addressed if addressed != "speaker" else "others")
    if "ты" in near:
        return Interlocutors("listener", addressed)
    return Interlocutors("others", addressed)


def _replies(line: Line) -> list[Line]:
    """The lines of a dialogue, each of which begins with a dash."""
    starts = [0]
    for at in range(1, len(line)):
        between = line.text[line.tokens[at - 1].end : line.tokens[at].start]
        if "\n" in between and line[at] in _DASHES:
            starts.append(at)
    return [line.part(line.tokens[a:b]) for a, b in pairwise([*starts, len(line)])]


def _is_addressed(word: str) -> bool:
    """Whether the word names somebody in the dative or accusative: сказал брату."""
    return word in {"ему", "ей", "его", "ее", "нему", "ней", "них", "им", "него", "нее"} or any(
        reading.cases & {"dative", "accusative"} and "nominative" not in reading.cases
        for reading in noun_readings(word)
    )


def _split_dialogue(line: Line) -> list[Passage[Line]]:
    """The speech of a line that begins with a dash, and the narrator's words in it."""
    pieces: list[list[int]] = [[]]
    for at in range(1, len(line)):
        if line[at] in _DASHES and line[at - 1] in {",", "!", "?", "…", ".", "...", "?!"}:
            pieces.append([])
        else:
            pieces[-1].append(at)
    narrated = [
        piece
        for piece in pieces[1::2]
        if any(_says(line[at]) for at in piece) or (piece and past_form(line[piece[0]]))
    ]
    if not narrated:
        return [Passage(line)]
    told = [line[at] for at in narrated[0]]
    who = _interlocutors(told, told)
    speech = [at for piece in pieces if piece not in narrated for at in piece]
    return [
        *(Passage(line.part([line.tokens[at] for at in piece])) for piece in narrated),
        Passage(line.part([line.tokens[at] for at in speech]), who),
    ]
