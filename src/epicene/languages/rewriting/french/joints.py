"""Where one thing that is said of somebody is joined to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.french.inflection import inflect, shows
from epicene.languages.rewriting.french.line import (
    CLOSING,
    OPENING,
    STOPS,
    Line,
    is_adjective,
    is_person,
)
from epicene.languages.rewriting.french.phrases import before_noun
from epicene.languages.rewriting.french.strength import states

if TYPE_CHECKING:
    from epicene.languages.rewriting.french.sites import Bond
    from epicene.languages.rewriting.people import Gender

JOINING = frozenset({"et", "ou", "mais", "ni", "puis", "voire", "sinon"})
_DEGREES = frozenset({"plus", "moins", "aussi", "autant"})
_SUBJECTS = frozenset({"je", "j'", "tu", "il", "on", "ils"})
_OPENING_WORDS = frozenset(
    {"que", "qu'", "qui", "dont", "où", "quand", "lorsque", "lorsqu'", "puisque"}
)


def next_joint(line: Line, at: int) -> int | None:
    """The next comma or conjunction of the clause that may join something."""
    while at < len(line):
        word = line[at]
        if word in JOINING or word == ",":
            return at
        if word == ":" or word in CLOSING:
            return at if is_adjective(line[line.after_adverbs(at + 1)]) else None
        if word in STOPS or (_opens_clause(line, at) and not _compares(line, at)):
            return None
        at += 1
    return None


def _compares(line: Line, at: int) -> bool:
    """plus têtu que mon père: no clause of its own."""
    if line[at] not in {"que", "qu'"}:
        return False
    return not _DEGREES.isdisjoint(line.words[max(0, at - 5) : at])


def _opens_clause(line: Line, at: int) -> bool:
    word = line[at]
    return word in _SUBJECTS or word in OPENING or word in _OPENING_WORDS


def closing_comma(line: Line, at: int, *, within: int = 6) -> int | None:
    """The comma that closes what the one there opens, near by."""
    for index in range(at + 1, min(at + 1 + within, len(line))):
        if line[index] == ",":
            return index
        if line[index] in STOPS or line[index] in _SUBJECTS:
            return None
    return None


def joins_a_noun(line: Line, joint: int, start: int, bond: Bond) -> bool:
    """Whether what is joined belongs to another noun's adjective: une équipe soudée et motivée."""
    if line.ends_phrase(joint):
        return False
    if not is_adjective(line[start]):
        return is_person(line[joint - 1])
    shown = shows(line[start])
    lasting = inflect(line[start], "masculine") not in states()
    if lasting and is_comma_alone(line, joint) and shown == _last_article(line, joint, bond):
        return True
    for index in range(joint - 1, max(joint - 9, 0), -1):
        if bond.sites.get(index) is not None:
            return False
        word = line[index]
        if is_adjective(word) and word not in before_noun() and line.is_open(index - 1):
            return shows(word) in {None, shown}
    return False


def is_comma_alone(line: Line, at: int) -> bool:
    """Whether a comma joins there without a conjunction."""
    return line[at] == "," and line[at + 1] not in JOINING


def _last_article(line: Line, at: int, bond: Bond) -> Gender | None:
    """The gender that the last article before a comma shows, if it begins no word found."""
    for index in range(at - 1, max(at - 6, 0), -1):
        if bond.sites.get(index) is not None:
            return None
        if line[index] in {"le", "un", "du", "au", "ce", "cet"}:
            return "masculine"
        if line[index] in {"la", "une", "cette"}:
            return "feminine"
    return None
