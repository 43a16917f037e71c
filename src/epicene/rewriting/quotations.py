"""Quotations in a text, and the speaker and listener of each.

In « Tu es prêt », m'a-t-elle dit, the listener is the speaker of the sentence around it. A language
names its quotation marks and infers the interlocutors from the words around a quotation
(`attribute`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from epicene.rewriting.text import Line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from epicene.rewriting.persons import Person


class Interlocutors(NamedTuple):
    """Who is meant by I and by you; None if unknown."""

    speaker: Person | None
    listener: Person | None


UNQUOTED = Interlocutors("speaker", "listener")

L = TypeVar("L", bound=Line[Any])


class Passage(NamedTuple, Generic[L]):
    """Words that are read together, and their interlocutors.

    A language that reads across quotation marks has one passage, with the interlocutors of the
    `quoted` words by index.
    """

    line: L
    interlocutors: Interlocutors = UNQUOTED
    quoted: Mapping[int, Interlocutors] = {}

    def interlocutors_at(self, index: int) -> Interlocutors:
        """The interlocutors at a word."""
        return self.quoted.get(index, self.interlocutors)


class Introduction(NamedTuple, Generic[L]):
    """The sentence around a quotation, without it: the words before and after it."""

    before: L
    after: L


class _Quotation(NamedTuple):
    position: int  # in the line around it
    start: int
    end: int


def split_quotations(
    line: L,
    *,
    closes: Mapping[str, str],
    is_speech: Callable[[L], bool],
    attribute: Callable[[Introduction[L]], Interlocutors],
    closing_opens: bool = False,
    stop_counts_outside: bool = False,
) -> list[Passage[L]]:
    """The line without its quoted speech, then each quoted speech.

    `closes` maps each opening mark to its closing mark; quoted text that is not speech (a title)
    stays in the line. `closing_opens`: a closing mark that is also an opening one may open the next
    quotation. `stop_counts_outside`: in *She said, “Go.”* the stop ends the sentence around it too.
    """
    outer: list[Any] = []
    found: list[_Quotation] = []
    at = 0
    while at < len(line):
        outer.append(line.tokens[at])
        end = _closing(line, at, closes)
        if end is None or not is_speech(line.part(line.tokens[at + 1 : end])):
            at += 1
            continue
        found.append(_Quotation(len(outer), at + 1, end))
        if closing_opens:
            at = end
            continue
        inside = len(outer) > 1 and outer[-2].key not in line.sentence_ends
        outer.append(line.tokens[end])
        if stop_counts_outside and inside and line.ends_sentence(end - 1):
            outer.append(line.tokens[end - 1])
        at = end + 1
    if not any(token.is_word for token in outer):  # all of it is quoted
        return [Passage(line)]
    around = line.part(outer)
    return [
        Passage(around),
        *(
            Passage(
                line.part(line.tokens[quotation.start : quotation.end]),
                attribute(_introduction(around, quotation.position)),
            )
            for quotation in found
        ),
    ]


def _closing(line: Line[Any], at: int, closes: Mapping[str, str]) -> int | None:
    mark = closes.get(line.tokens[at].text) if line.is_mark(at) else None
    if mark is None:
        return None
    return next((end for end in range(at + 1, len(line)) if line.tokens[end].text == mark), None)


def _introduction(around: L, position: int) -> Introduction[L]:
    start, end = around.sentence(position)
    return Introduction(
        around.part(_words(around.tokens[start:position])),
        around.part(_words(around.tokens[position:end])),
    )


def _words(tokens: Sequence[Any]) -> list[Any]:
    return [token for token in tokens if token.is_word]
