"""Whether "they" means several people or things, by what they are called before it.

The shops close at five, and they …; Tom and Anna said they …; They hugged each other. Where a text
names nobody, "they" is taken for one person.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.english import conjugation
from epicene.rewriting.english.constructions import constructions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.rewriting.english.frames import Mention
    from epicene.rewriting.english.line import Line

_BE = frozenset({"are", "were", "'re", "re", "be", "been", "become", "became"})
_QUANTITIES = frozenset("all any both each either few many most much neither none several".split())
_SINGULAR_DETERMINERS = frozenset("a an another each every either neither this that".split())
_AFTER_ONE = frozenset({"is", "was", "has", "does", "'s"})
_NOT_JOINED = frozenset("their i me you that this no any such".split())


def singular_mentions(line: Line, mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions by "they" that may be one person."""
    if "themself" in line.keys:
        return list(mentions)
    decided: dict[int, bool] = {}  # whether each mention is several, by its token
    several = False
    for mention in mentions:
        found = _sign(line, mention)
        if found is None:
            found = _antecedent(line, mention.first, decided)
        if found is None:
            found = _later_subject(line, mention.first)
        several = several if found is None else found
        decided[mention.first] = several
    return [mention for mention in mentions if not decided[mention.first]]


def _sentence(line: Line, at: int) -> tuple[int, int]:
    start, end = at, at
    while start > 0 and not line.stops(start - 1):
        start -= 1
    while end < len(line) and not line.stops(end):
        end += 1
    return start, end


# --- they all, both of them, they are twins -----------------------------------------------------


def _sign(line: Line, mention: Mention) -> bool | None:
    """Whether the words around the pronoun say that it is several, or one; None if neither."""
    before, after = line[mention.first - 1], mention.last + 1
    start, end = _sentence(line, mention.first)
    words = " ".join(line.keys[start:end])
    if "each other" in words or "one another" in words:
        return True
    if line[mention.first] == "them":
        counted = line[mention.first - 2] in _QUANTITIES | line.lexicon.numbers
        return (
            True if before in {"of", "between", "among"} and (counted or before != "of") else None
        )
    if line[after] in {"all", "both", "each"}:
        return True
    if line[mention.first] != "they":
        return None
    if line[after] in _BE:
        after += 1
    elif before not in _BE:
        return None
    return _predicate(line, line.after_adverbs(after))


def _predicate(line: Line, at: int) -> bool | None:
    """Whether what is said of them is a plural noun (twins, my parents) or a singular one."""
    if line[at] in {"a", "an"}:
        return False
    for index in range(at, at + 4):
        word, lexicon = line[index], line.lexicon
        if _is_plural_noun(line, index):
            return True
        closed = lexicon.is_closed(word) and word not in lexicon.determiners
        if not line.is_word(index) or closed or lexicon.is_participle(word):
            return None
        if word.endswith("ing"):
            return None
    return None


# --- who or what was named before ---------------------------------------------------------------


def _antecedent(line: Line, at: int, decided: Mapping[int, bool]) -> bool | None:
    """Whether the nearest sentence that names anybody names several first; None if none does."""
    end = at
    if line[at] == "them":  # not the subject of its own clause
        while end > 0 and not line.stops(end - 1) and not _opens_clause(line, end):
            end -= 1
    while end > 0:
        start = end
        while start > 0 and not line.stops(start - 1):
            start -= 1
        earlier = [each for each in decided.items() if start <= each[0] < end]
        found = sorted([*earlier, *_named(line, start, end)])
        if found:
            return _is_several(line, found, line[at])
        end = start - 1
    return None


def _opens_clause(line: Line, at: int) -> bool:
    lexicon = line.lexicon
    return (
        line[at] in {",", "to"}
        or line[at] in lexicon.coordinators
        or line[at] in lexicon.subordinators
        or line[at] in lexicon.wh_words
    )


def _is_several(line: Line, found: Sequence[tuple[int, bool]], pronoun: str) -> bool:
    if found[0][1] or (pronoun == "them" and found[-1][1]):
        return True  # Sam bought shoes and returned them
    return any(several and _is_asked(line, index) for index, several in found)


def _is_asked(line: Line, noun: int) -> bool:
    """Whether somebody says something to them: The teacher told the students that they …"""
    for at in range(noun - 1, noun - 4, -1):
        if line[at] in constructions().askers:
            return True
        if line[at] in line.lexicon.pronouns:
            return False
    return False


def _later_subject(line: Line, at: int) -> bool | None:
    """The subject after an opening clause: When they arrive, the guests …"""
    start, end = _sentence(line, at)
    if line[start] not in line.lexicon.subordinators:
        return None
    comma = line.closing(at, ",", end - at)
    if comma is None:
        return None
    found = next(_named(line, comma + 1, min(comma + 5, end)), None)
    return None if found is None else found[1]


def _named(line: Line, start: int, end: int) -> Iterator[tuple[int, bool]]:
    """The words that name people or things between two tokens, and whether they are several."""
    for at in range(start, end):
        if line[at] == "and" and start < at and _joins_people(line, start, at):
            yield start, True  # before what they are joined of
            return
    for at in range(start, end):
        if _is_plural_noun(line, at):
            before = line.keys[max(start, at - 3) : at]
            part = "of" in before and not _is_share(line, max(start, at - 3) + before.index("of"))
            if "their" not in before and not part:
                yield at, True
        elif _is_one_person(line, at):
            yield at, False


def _is_share(line: Line, of: int) -> bool:
    """Whether several are meant by "some of my friends", and not one of them."""
    return line[of - 1] in (_QUANTITIES | line.lexicon.numbers | {"some", "lot", "group"}) - {"one"}


def _is_plural_noun(line: Line, at: int) -> bool:
    word, lexicon, lists = line[at], line.lexicon, constructions()
    before = line[at - 1]
    if not line.is_word(at) or before in _SINGULAR_DETERMINERS:
        return False
    if word in lists.plurals:
        return True
    if word == "those":
        return line[at + 1] in {"who", "with", "in", "of", "from", "without"}
    if not word.endswith("s") or word.endswith(("ss", "us", "is", "'s")) or len(word) < 4:
        return False
    if word in lexicon.never_verbs or word in lists.no_plurals or lexicon.is_closed(word):
        return False
    if lexicon.is_adverb(word) or word in lexicon.adverbs:
        return False
    if line.begins(at):
        after = line.after_adverbs(at + 1)
        return line[after] not in _AFTER_ONE and not lexicon.is_s_verb(line[after])
    if line.is_capital(at):
        return before == "the"
    if not lexicon.is_s_verb(word):
        return True
    plural_verb = (
        line[at + 1] in conjugation.PLURAL_AUXILIARIES
        or line[at + 1] in lexicon.modals
        or (line[at + 1] in lexicon.verbs and line[at - 2] in lexicon.determiners)
    )  # the new rules apply
    nominal = before in lexicon.determiners or before in lexicon.prepositions
    return nominal or before in lexicon.numbers or line.is_number(at - 1) or plural_verb


def _is_one_person(line: Line, at: int) -> bool:
    word, lexicon, lists = line[at], line.lexicon, constructions()
    if word in lists.someone or line.is_capital(at):
        return word not in lists.no_names
    if line[at + 1] == "'s" and line.begins(at):
        return not lexicon.is_closed(word)  # Robin's keys
    if word in lists.people or (word.endswith(tuple(lists.person_endings))):
        return any(line[before] in lexicon.determiners for before in range(at - 3, at))
    return False


def _joins_people(line: Line, start: int, joint: int) -> bool:
    """Whether "and" joins two people or things: Tom and Anna, my boss and the driver."""
    left, right, lexicon = joint - 1, joint + 1, line.lexicon
    if lexicon.is_closed(line[left]) or lexicon.is_adverb(line[left]) or not line.is_word(left):
        return False
    first = next(
        (at for at in range(left - 1, left - 4, -1) if line[at] in lexicon.determiners), left
    )
    opens = first <= start or not line.is_word(first - 1)
    if first == left and not (line.is_capital(left) or opens):
        return False
    if line[right] in _NOT_JOINED or line[left] in _NOT_JOINED:
        return False
    end = right + 1
    if line[right] in lexicon.determiners:
        while end < right + 3 and not _is_verb(line, end + 1) and line.is_word(end + 1):
            end += 1
        end += 1
    elif not line.is_capital(right) and not (opens and line.is_word(right)):
        return False
    if lexicon.is_s_verb(line[end]) or line[end] in _AFTER_ONE:
        return False
    return opens or not lexicon.is_past(line[end])


def _is_verb(line: Line, at: int) -> bool:
    lexicon = line.lexicon
    return (
        lexicon.is_past(line[at])
        or lexicon.is_s_verb(line[at])
        or line[at] in lexicon.modals
        or line[at] in conjugation.PLURAL_AUXILIARIES
        or line[at] in _AFTER_ONE
    )
