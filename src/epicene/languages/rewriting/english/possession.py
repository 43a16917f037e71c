"""Whether "her" (or "his", "hir", "faer" …) is a possessive before a noun, or an object.

First, whether a noun phrase can begin after it at all; then the ways in which an object has a
noun, an adjective or a verb after it all the same: let her go, gave her flowers, made her happy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from epicene.languages.rewriting import Sureness
    from epicene.languages.rewriting.english.line import Line
    from epicene.languages.rewriting.english.mentions import Mention


class Possession(NamedTuple):
    """Whether what follows is owned, by which rule, and how surely."""

    own: bool
    rule: str
    sure: Sureness


def owns(line: Line, mention: Mention, *, object_form: bool) -> Possession:
    """Whether the form owns what follows; `object_form` if it may be an object instead."""
    at = mention.last + 1
    if line.opens_quote(at):
        at += 1
    if line[at] in {"…", "..."}:
        return _cut_off(line, mention, object_form=object_form)
    if not _begins_noun_phrase(line, at):
        return Possession(False, "no noun follows", "likely" if line.is_word(at) else "certain")
    if object_form:
        for rule, holds in _OBJECT_RULES:
            if holds(line, mention.first - 1, at):
                return Possession(False, rule, "likely")
    sure: Sureness = "certain" if line[mention.first - 1] in line.lexicon.prepositions else "likely"
    return Possession(True, "a noun follows", sure)


def _cut_off(line: Line, mention: Mention, *, object_form: bool) -> Possession:
    """A text that breaks off after the form: the word before it must do."""
    before, rule = line[mention.first - 1], "the text breaks off"
    if object_form:
        return Possession(before in _BEFORE_POSSESSIVES, rule, "guess")
    return Possession(before not in {"is", "was", "be", "'s", "than"}, rule, "guess")


_BEFORE_POSSESSIVES = frozenset("in on of at from during under into all both over".split())


# --- can a noun phrase begin here? ----------------------------------------------------------

# These begin one where a noun or an adjective follows: her very first, her then husband.
_BEFORE_NOUNS = frozenset(
    "very most more less least too so ever always still then once now even just not never all only "
    "almost quite rather well first next last second best later past other both each enough long "
    "far outside inside down off like better".split()
)
_INTERJECTIONS = frozenset(
    "haha hahaha hehe lol lmao omg wtf smh idk btw tbh imo please pls plz thanks thx sorry bye "
    "goodbye ok okay yes yeah yep nope wow oh hey abt rt lor xd amen".split()
)


def _begins_noun_phrase(line: Line, at: int) -> bool:
    """Whether a noun, or what may stand before one, stands there."""
    word, lexicon = line[at], line.lexicon
    if line.is_number(at):
        return line[at + 1] != "%"
    if not line.is_word(at) or word in _INTERJECTIONS:
        return False
    if word == "own":
        return True
    if word == "will":
        return line[at + 1] not in lexicon.verbs
    if word in _BEFORE_NOUNS or lexicon.is_ly_adverb(word):
        return is_nominal(line, at + 1)
    return is_nominal(line, at)


def is_nominal(line: Line, at: int) -> bool:
    """Whether a word stands there that can belong to a noun phrase."""
    word, lexicon = line[at], line.lexicon
    if line.is_number(at):
        return True
    return (
        line.is_word(at)
        and not lexicon.is_closed(word)
        and word not in lexicon.adverbs
        and word not in lexicon.particles
        and word not in _INTERJECTIONS
        and not lexicon.is_ly_adverb(word)
    )


# --- objects with something after them --------------------------------------------------------


def _bare_infinitive(line: Line, before: int, at: int) -> bool:
    """let her go, made her cry, her know"""
    word, lexicon = line[at], line.lexicon
    if word not in lexicon.verbs:
        return False
    if line[before] in {"let", "lets", "letting", "lemme"}:
        return True
    if word not in lexicon.nouns_first:
        return line[before] not in lexicon.prepositions
    return line[before] in lexicon.causatives and word in _ACTS


_ACTS = frozenset(
    "walk talk run dance fall move cry laugh look drive drink smoke fight fly rest stand start stop "
    "turn jump climb swing dive touch struggle suffer travel help win lead play ride cook wonder "
    "work feel want need worry".split()
)


def _participle(line: Line, before: int, at: int) -> bool:
    """saw her dancing, pictures of her holding a cup"""
    word, lexicon = line[at], line.lexicon
    if not (word.endswith("ing") and len(word) > 5) and not word.endswith("in'"):
        return False
    if line[before] in lexicon.perception:
        return not (word in lexicon.ing_nouns and is_nominal(line, at + 1))
    return word not in lexicon.ing_nouns and not line.begins(before + 1)


def _past_participle(line: Line, before: int, at: int) -> bool:
    """had her arrested, the man beside her smiled"""
    lexicon = line.lexicon
    if not lexicon.is_participle(line[at]) or line[at] in lexicon.nouns_first:
        return False
    return not is_nominal(line, at + 1)


def _complement(line: Line, before: int, at: int) -> bool:
    """made her happy, found her asleep"""
    word, lexicon = line[at], line.lexicon
    if line[before] in lexicon.prepositions:
        return False
    if word in lexicon.predicative:
        return not is_nominal(line, at + 1)
    return word in lexicon.states and not is_nominal(line, at + 1)


def _gift(line: Line, before: int, at: int) -> bool:
    """gave her flowers, told her two stories"""
    lexicon = line.lexicon
    if line[before] not in lexicon.givers:
        return False
    return line[at] in lexicon.gifts or line[at] in lexicon.numbers or line.is_number(at)


def _name(line: Line, before: int, at: int) -> bool:
    """called her Susan"""
    return line[before] in line.lexicon.namers and line.is_capital(at)


_UNITS = frozenset("night week month year time summer winter spring fall day morning monday".split())


def _time(line: Line, before: int, at: int) -> bool:
    """saw her last night, met her one day, two years ago"""
    if line[before] in line.lexicon.prepositions:
        return False
    if line[at] in {"last", "next", "one", "first"} and line[at + 1] in _UNITS:
        return True
    return "ago" in (line[at + 2], line[at + 3]) and (
        line.is_number(at) or line[at] in line.lexicon.numbers
    )


def _adverb(line: Line, before: int, at: int) -> bool:
    """brought her home, called her back, proved her right"""
    return (
        line[at] in {"back", "home", "right", "straight", "online", "south", "north"}
        and line[before] in line.lexicon.bring_back
        and not is_nominal(line, at + 1)
    )


def _finite(line: Line, before: int, at: int) -> bool:
    """The man who loves her said nothing."""
    return line[at] in {"said", "says", "went", "got", "came", "knew", "becomes", "makes"}


_OBJECT_RULES: tuple[tuple[str, Callable[[Line, int, int], bool]], ...] = (
    ("object of a verb with an infinitive", _bare_infinitive),
    ("object with a participle", _participle),
    ("object with a past participle, or before a verb", _past_participle),
    ("object with a complement", _complement),
    ("object that receives something", _gift),
    ("object with a name", _name),
    ("object before a time", _time),
    ("object before an adverb", _adverb),
    ("object before a verb", _finite),
)
