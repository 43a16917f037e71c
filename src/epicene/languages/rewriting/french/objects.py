"""Is a pronoun before a participle its object, so that the participle agrees with it?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.french.lexicon import read, verbs, words
from epicene.languages.rewriting.french.line import is_adjective
from epicene.languages.rewriting.french.phrases import read_phrase
from epicene.languages.rewriting.french.strength import adverbial

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.languages.rewriting.french.line import Line

_TIME = words(read("function_words")["time_nouns"])
_RANKS = frozenset({"premier", "première", "dernier", "dernière", "seul", "seule"})


def is_dative(
    line: Line, auxiliary: int, at: int, infinitives: Sequence[str], *, reflexive: bool
) -> bool:
    """Whether the pronoun before the auxiliary is "à qui", not the object of the participle."""
    known = verbs()
    after = line.after_adverbs(at + 1)
    if known.is_kind("unmoved_before_infinitive", infinitives) and (
        infinitive_follows(line, after) or line[after] in {"mal", "peur", "plaisir"}
    ):
        return True
    if "demander" in infinitives and line[after] == "en":  # on m'a demandée en mariage
        return False
    if known.is_kind("object_predicates", infinitives) and _says_what(line, after):
        return False  # on m'a déclarée innocente, je me suis dite prête
    if known.is_kind("dative", infinitives) or "vouloir" in infinitives:  # on m'en a voulu
        return True
    if reflexive:
        if _is_unmoved_reflexive(line, at, after, infinitives):
            return True
    elif known.is_kind("dative_but_reflexive", infinitives):
        return True
    if {"rien", "tout"} & set(line.words[auxiliary:at]):  # on m'a tout pris
        return True
    return _has_object(line, after, infinitives, reflexive=reflexive)


def _says_what(line: Line, at: int) -> bool:
    return line.is_open(at) and is_adjective(line[at]) and line[at] not in adverbial()


def _is_unmoved_reflexive(line: Line, at: int, after: int, infinitives: Sequence[str]) -> bool:
    """je me suis rendu compte, je me suis vu refuser."""
    if line[at] in {"rendu", "rendue"} and line[after] == "compte":
        return True
    return bool({"voir", "entendre"} & set(infinitives)) and infinitive_follows(line, after)


def infinitive_follows(line: Line, at: int) -> bool:
    """Whether an infinitive stands there, after its pronouns."""
    while line[at] in line.closed.clitics:
        at += 1
    return line[at] in verbs().infinitives


def _has_object(line: Line, at: int, infinitives: Sequence[str], *, reflexive: bool) -> bool:
    """Whether something else follows that is the object: je me suis cassé la jambe."""
    known = verbs()
    word = line[at]
    if word in {"que", "qu'"}:
        direct = "reflexive_with_that" if reflexive else "direct_with_that"
        return not known.is_kind(direct, infinitives) and not _compares(line, at)
    if word == ":":
        return known.is_kind("speech", infinitives)
    if word in {"pourquoi", "quelque", "quelqu'un"}:
        return True
    if word in {"de", "d'"} and {"défendre", "proposer"} & set(infinitives):
        return infinitive_follows(line, at + 1)
    if word == "du" or (word == "de" and line[at + 1] in {"la", "l'"}):  # je me suis donné du mal
        return known.is_kind("some_of_a_thing", infinitives)
    if not line.is_determiner(at):
        return False
    if known.is_kind("naming", infinitives):
        phrase = read_phrase(line, at)
        return "appeler" in infinitives and phrase is not None and phrase.kind == "thing"
    return not _is_no_object(line, at, infinitives)


def _is_no_object(line: Line, at: int, infinitives: Sequence[str]) -> bool:
    """Whether what begins with that determiner is a time, a state or "de" with an article."""
    if line[at] in {"tout", "toute"} and is_adjective(line[at + 1]):
        return True
    if any(line[index] in _TIME for index in range(at + 1, at + 4)):
        return True
    if line[at] == "des" and not verbs().is_kind("some_of_a_thing", infinitives):
        return True
    return line[at + 1] in _RANKS and not line.is_open(at + 2)


def _compares(line: Line, at: int) -> bool:
    """on m'a plus aimé que compris; tellement bouleversé que …"""
    before = set(line.words[max(0, at - 5) : at])
    return bool(before & {"plus", "moins", "aussi", "autant", "tellement", "si", "tant"})
