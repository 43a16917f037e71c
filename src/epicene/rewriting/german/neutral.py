"""Neutral forms in German: other words (Lehrkraft, Studierende), Lehrer*in, Lehrer:in, or pairs."""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING

from epicene.rewriting.neutral import REWORD, GenderedWord, NeutralForms, Replacement, word_by_word
from epicene.rewriting.word_lists import read_toml, word_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from epicene.rewriting.persons import FindChanges

_PRONOUNS = frozenset("er sie ihn ihm ihr ihrer seiner".split())
_FUNCTION_WORD = re.compile(
    r"(?:d(?:er|ie|as|en|em|es|essen|eren|enen)|(?:[kmds]?ein|unser|eu(?:er|r)|ihr)(?:e[nmrs]?)?"
    r"|(?:jed|dies|jen|welch|manch|solch|jeglich)e[nmrs]?|der(?:jenige|selbe)n?"
    r"|er|sie|ih[nmr]|ihrer|seiner|vom|von der|zum|zur|beim|bei der|zu der)",
    re.IGNORECASE,
)
# Before these a participle that is a noun ends in -en.
_DETERMINER = re.compile(
    r"(?:d(?:ie|er|en|iese[nr]?)|all(?:e[nr]?)|kein(?:e[nr]?)|jene[nr]?|beide[nr]?|sämtliche[nr]?"
    r"|(?:mein|dein|sein|ihr|unser|eur)(?:e[nr]?)|welche[nr]?)",
    re.IGNORECASE,
)
_DATIVE = frozenset("mit von bei zu aus nach seit außer gegenüber unter zwischen".split())


def neutral_forms(find_changes: FindChanges) -> NeutralForms:
    """The styles of German; `find_changes` also finds plurals that name women too."""
    return NeutralForms(
        find_changes,
        {
            REWORD: _reword,
            "star": word_by_word(partial(_join, sign="*")),
            "colon": word_by_word(partial(_join, sign=":")),
            "pair": _pair,
        },
    )


def _is_noun(word: GenderedWord) -> bool:
    return word.text[:1].isupper() and _FUNCTION_WORD.fullmatch(word.text) is None


def _is_plural(word: GenderedWord) -> bool:
    return word.feminine.endswith("innen") or word.feminine in _plurals()


# --- other words


@cache
def _singulars() -> dict[str, str]:
    rows = word_rows(read_toml("epicene.rewriting.german", "neutral")["feminine"])
    return {row[0]: row[2] for row in rows}


@cache
def _plurals() -> dict[str, tuple[str, str]]:
    """The nominative and the dative by the feminine plural."""
    lists = read_toml("epicene.rewriting.german", "neutral")
    found = {row[1]: (row[3], row[4]) for row in word_rows(lists["feminine"])}
    return found | {row[0]: (row[1], row[2]) for row in word_rows(lists["plural"])}


@cache
def _participles() -> dict[str, str]:
    rows = word_rows(read_toml("epicene.rewriting.german", "neutral")["participles"])
    return {row[0]: row[1] for row in rows}


def _look_up(known: dict[str, str], word: str) -> str | None:
    """What stands for a feminine, or for a compound of it: Deutschlehrerin."""
    if word in known:
        return known[word]
    for head in read_toml("epicene.rewriting.german", "neutral")["heads"].split():
        prefix = word.removesuffix(head.lower())
        if prefix != word and head in known:
            return prefix + known[head].lower()
    return None


def _reword(text: str, words: Sequence[GenderedWord]) -> list[Replacement]:
    """Plurals one by one, since nothing agrees with their gender; singulars all or none."""
    found = [
        Replacement(word.start, word.end, form)
        for word in words
        if _is_plural(word) and (form := _plural(text, word)) is not None
    ]
    singular = [word for word in words if not _is_plural(word)]
    nouns = [word for word in singular if _is_noun(word)]
    forms = {word.start: _look_up(_singulars(), word.feminine) for word in nouns}
    if not nouns or None in forms.values():
        return found
    if any(word.text.lower() in _PRONOUNS and not _follows(word, nouns, text) for word in singular):
        return found  # Er ist Lehrer
    return found + [
        Replacement(word.start, word.end, forms.get(word.start) or word.feminine)
        for word in singular
    ]


def _follows(word: GenderedWord, nouns: Sequence[GenderedWord], text: str) -> bool:
    """Whether a pronoun can mean a noun that is named before it, with an article."""
    return any(
        noun.end <= word.start and re.search(r"(?:e|er|der|ie|em|en)\s+$", text[: noun.start])
        for noun in nouns
    )


def _plural(text: str, word: GenderedWord) -> str | None:
    before = re.findall(r"[\w*:]+|[^\w\s]", text[: word.start])[::-1]
    at = next((i for i, each in enumerate(before) if not re.fullmatch(r"[a-zäöüß]+en?", each)), 9)
    determiner = next((each for each in before[: at + 1] if _DETERMINER.fullmatch(each)), "")
    dative = any(each.lower() in _DATIVE for each in before[: at + 1]) or determiner.endswith("en")
    known = _plurals().get(word.feminine)
    if known is not None:
        return known[dative]
    compound = _look_up({name: forms[0] for name, forms in _plurals().items()}, word.feminine)
    if compound is not None:
        return compound + ("n" if dative else "")
    stem = _look_up(_participles(), word.feminine)
    if stem is None:
        return None
    if determiner or dative:
        return stem + "en"
    genitive = bool(before) and before[0] in {"vieler", "einiger", "mehrerer", "weniger", "zweier"}
    return stem + ("er" if genitive else "e")


# --- both forms in one word


def _join(masculine: str, feminine: str, *, sign: str) -> str | None:
    if feminine.startswith(masculine):  # ein*e, Lehrer*in
        return masculine + sign + feminine[len(masculine) :]
    if masculine.startswith(feminine):  # gute*r, Angestellte*r
        return feminine + sign + masculine[len(feminine) :]
    for ending in ("innen", "in"):  # Ärzt*in, Kolleg*innen
        if feminine.endswith(ending) and feminine[:1].isupper() and len(feminine) > 5:
            return feminine.removesuffix(ending) + sign + ending
    if _FUNCTION_WORD.fullmatch(masculine):
        return masculine + sign + feminine[:1].lower() + feminine[1:]
    return None


# --- both forms as two words


def _pair(text: str, words: Sequence[GenderedWord]) -> list[Replacement]:
    """*Studentinnen und Studenten*, *die Lehrerin oder der Lehrer*."""
    found: list[Replacement] = []
    left = list(words)
    while left:
        run = _phrase(text, left)
        last = run[-1]
        start, end = run[0].start, last.end
        feminine = _with_forms(text, run, feminine=True)
        masculine = _with_forms(text, run, feminine=False)
        if not _is_noun(run[0]):
            masculine = masculine[:1].lower() + masculine[1:]
        if _is_plural(last) or not _is_noun(last):
            start, feminine, masculine = last.start, last.feminine, last.masculine
        joiner = " und " if _is_plural(last) else " oder "
        found.append(Replacement(start, end, feminine + joiner + masculine))
        left = left[len(run) :]
    return found


def _phrase(text: str, words: Sequence[GenderedWord]) -> Sequence[GenderedWord]:
    """The first words up to a noun, with nothing but adjectives between them."""
    for count, word in enumerate(words, start=1):
        if _is_noun(word):
            return words[:count]
        following = words[count] if count < len(words) else None
        if following is None or not re.fullmatch(
            r"(?:\s+[a-zäöüß]+en?)*\s+", text[word.end : following.start]
        ):
            return words[:count] if count == 1 else words[:1]
    return words[:1]


def _with_forms(text: str, run: Sequence[GenderedWord], *, feminine: bool) -> str:
    pieces: list[str] = []
    reached = run[0].start
    for word in run:
        pieces += [text[reached : word.start], word.feminine if feminine else word.masculine]
        reached = word.end
    return "".join(pieces)
