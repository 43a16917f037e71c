"""How both genders are written in one word: patterns, and what they read as."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


class Ending(NamedTuple):
    """How a feminine is abbreviated: a masculine and a feminine ending, and what is written."""

    masculine: str
    feminine: str
    written: tuple[str, ...]


class Forms(NamedTuple):
    """What a pattern reads a word as."""

    masculine: str = ""
    feminine: str = ""
    wrong: bool = False


class Pattern(NamedTuple):
    """A way to write both genders: its name, its pattern, and how it is read.

    `read` returns None for a word that only looks like one.
    """

    style: str
    looks: regex.Pattern[str]
    read: Callable[[regex.Match[str]], Forms | None]


LETTERS = r"[\p{L}\p{M}]"
START = r"(?<![\p{L}\p{M}\p{N}_@·•*])"
END = r"(?![\p{L}\p{M}\p{N}_@·•*])"
MARKS = {"dot": "[·•⋅∙.]", "slash": "/-?", "hyphen": "-", "star": r"\*", "underscore": "_"}


def compile_word(body: str, *, ignore_case: bool = True) -> regex.Pattern[str]:
    flags = regex.IGNORECASE if ignore_case else 0
    return regex.compile(f"{START}(?P<all>{body}){END}", flags)


def same_case(model: str, word: str) -> str:
    """The word with a capital where the model has one, or in capitals like it."""
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() else word


def feminine_of(stem: str, written: str, endings: Iterable[Ending]) -> str:
    """The feminine form that an abbreviation stands for, "" if no rule gives it."""
    for ending in endings:
        if written in ending.written and stem.lower().endswith(ending.masculine):
            return stem[: len(stem) - len(ending.masculine)] + ending.feminine
    return ""


def written_endings(endings: Iterable[Ending]) -> str:
    """A pattern for all abbreviations, longest first."""
    written = {each for ending in endings for each in ending.written}
    return "|".join(sorted(written, key=len, reverse=True))


# --- both words: étudiants et étudiantes, he or she -----------------------------------------


def both_words(pairs: str, joiners: str, is_pair: Callable[[str, str], bool]) -> Iterator[Pattern]:
    """Both forms of a word with a slash or a conjunction between them.

    `pairs` are words like "il/elle"; `is_pair(masculine, feminine)` tells other words by rule.
    """
    listed = [tuple(pair.replace("_", " ").split("/")) for pair in pairs.split()]
    known = {pair for one, other in listed for pair in ((one, other), (other, one))}
    masculines = {one for one, _ in listed}
    between = rf"(?:\s?/\s?|[*·•:]|\s(?:{joiners})\s)"
    fixed = "|".join(sorted({regex.escape(word) for pair in listed for word in pair}, reverse=True))

    def read_listed(match: regex.Match[str]) -> Forms | None:
        one, other = match["one"].lower(), match["other"].lower()
        if (one, other) not in known:
            return None
        if one not in masculines or (other in masculines and (one, other) not in listed):
            one, other = other, one
        return Forms(same_case(match["one"], one), same_case(match["one"], other))

    yield Pattern(
        "both words", compile_word(rf"(?P<one>{fixed}){between}(?P<other>{fixed})"), read_listed
    )

    def read_rule(match: regex.Match[str]) -> Forms | None:
        one, other = match["one"], match["other"]
        if is_pair(one.lower(), other.lower()):
            return Forms(one, same_case(one, other))
        if is_pair(other.lower(), one.lower()):
            return Forms(same_case(one, other), one)
        return None

    word = rf"{LETTERS}{{2,}}"
    # Overlapping: in "clients et clientes" no pair must hide behind a word before it.
    looks = regex.compile(
        rf"{START}(?=(?P<all>(?P<one>{word}){between}(?P<other>{word}){END}))", regex.IGNORECASE
    )
    yield Pattern("both words", looks, read_rule)


def pairs_by_endings(
    endings: Sequence[tuple[str, str]], language: str
) -> Callable[[str, str], bool]:
    """Whether a feminine is made with one of these endings from a masculine that the lists have.

    "caso" and "casa" are not a pair.
    """

    def is_pair(masculine: str, feminine: str) -> bool:
        return any(
            masculine.endswith(one)
            and feminine == masculine[: len(masculine) - len(one)] + other
            and len(masculine) - len(one) > 1
            for one, other in endings
        ) and is_known(masculine, language)

    return is_pair


def is_known(word: str, language: str) -> bool:
    from epicene.localisation.audit.word_genders import agreeing_gender, noun_gender

    return bool(noun_gender(word, language) or agreeing_gender(word, language))


def whole_words(words: dict[str, tuple[str, str]]) -> Pattern:
    """Words that exist only for both genders, with what they stand for."""

    def read(match: regex.Match[str]) -> Forms:
        masculine, feminine = words[match["all"].lower()]
        return Forms(same_case(match["all"], masculine), same_case(match["all"], feminine))

    return Pattern("new word", compile_word("|".join(words)), read)
