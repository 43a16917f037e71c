"""Neutral forms in German: other words (Lehrkraft, Studierende), Lehrer*in, Lehrer:in, or pairs."""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.german.inflection import noun_readings
from epicene.rewriting.german.phrases import is_adjective
from epicene.rewriting.neutral import (
    PAIR,
    REWORD,
    GenderedWord,
    NeutralForms,
    Replacement,
    word_by_word,
)
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
    r"d(?:ie|er|en|iese[nr]?)|all(?:e[nr]?)|kein(?:e[nr]?)|jene[nr]?|beide[nr]?|sämtliche[nr]?"
    r"|(?:mein|dein|sein|ihr|unser|eur)(?:e[nr]?)|welche[nr]?|(?:die|der|den)(?:selb|jenig)en"
)
_DATIVE_DETERMINER = re.compile(r"(?!die(?:selb|jenig)en).+en")
_NUMERAL = re.compile(
    r"\d[\d.]*|(?!und$)(?:ein|zwei|drei|vier|fünf|sechs?|sieb(?:en)?|acht|neun|zehn|elf|zwölf|zwan"
    r"|und|[zß]ig|hundert|tausend)+"
)
_AROUND_NUMERALS = frozenset(
    "etwa rund fast über ungefähr circa ca knapp mindestens höchstens beinahe gut mehr als nur je "
    "insgesamt jeweils bis zu weiteren weitere".split()
)
_DATIVE = frozenset("mit von bei zu aus nach seit außer gegenüber unter zwischen".split())
# Here the case depends on the verb, or shows only in a genitive.
_UNCLEAR = frozenset(
    "in an auf vor hinter neben trotz wegen während statt anstatt anstelle aufgrund innerhalb "
    "außerhalb hinsichtlich bezüglich mithilfe seitens zugunsten angesichts anlässlich infolge "
    "mittels einschließlich".split()
)
_QUANTITY = re.compile(
    r"(?:viel|einig|mehrer|wenig|ander|manch|solch|etlich|zahlreich)e[nr]?|(?:zwei|drei)er"
)
_DATIVE_VERB = re.compile(
    r"(?:ge)?(?:h[ei]lf|half|holf|dank|folg|gratulier|antwort|vertrau|glaub|gefall|gefäll|gehör"
    r"|schad|droh|zuhör|begegn|fehl|nütz|nutz|diene?|empfehl|empfiehl|empfahl|empfohl|ermöglich"
    r"|erlaub|gestatt|verbiet|verbot|rat|rät|riet|geb|gib|gab|schenk|zeig|biet|bot|anbiet|angebot|erklär|sag|sende?"
    r"|schick|schreib|schrieb|bring|brach|verkauf|leih|lieh|bereit|hilfreich)"
    r"(?:e|en|st|est|t|et|te|ten|ete|eten|n)?"
)
_AND = frozenset("und oder sowie bzw".split())
_COORDINATE_PLURAL = re.compile(r".+(?:innen|leute|[dnrt]en|ern|(?<!utt)(?<!ocht)(?<!hwest)er)")


def neutral_forms(find_changes: FindChanges) -> NeutralForms:
    """The styles of German; `find_changes` also finds plurals that name women too."""
    return NeutralForms(
        find_changes,
        {
            REWORD: _reword,
            "star": word_by_word(partial(_join, sign="*")),
            "colon": word_by_word(partial(_join, sign=":")),
            PAIR: _pair,
        },
        _other_forms,
    )


def _other_forms(word: str) -> frozenset[str]:
    """The other gender's forms of a noun for people: Lehrerin and Lehrerinnen for Lehrer. Those
    declined as adjectives are left out, because their own form does not show a gender."""
    if not word[:1].isupper():
        return frozenset()
    found = set()
    for each in noun_readings(word):
        if each.noun is not None and not each.guessed:
            other = each.noun.feminine if each.gender == "masculine" else each.noun.masculine
            found |= {
                each.prefix.lower() + form.lower() for forms in other.values() for form in forms
            }
    return frozenset(found - {word.lower()})


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
    rows = word_rows(lists["feminine"])
    found = {row[1]: (row[3], row[4]) for row in rows if row[3] != "-"}
    return found | {row[0]: (row[1], row[2]) for row in word_rows(lists["plural"])}


@cache
def _participles() -> dict[str, str]:
    rows = word_rows(read_toml("epicene.rewriting.german", "neutral")["participles"])
    return {row[0]: row[1] for row in rows}


def _look_up(known: dict[str, str], word: str) -> str | None:
    """What stands for a feminine, or for a compound of it: Deutschlehrerin."""
    if word in known:
        return known[word]
    lists = read_toml("epicene.rewriting.german", "neutral")
    for head in lists["heads"].split():
        prefix = word.removesuffix(head.lower())
        if prefix != word and head in known and prefix not in lists["not_before_heads"].split():
            return prefix + known[head].lower()
    return None


def _reword(text: str, words: Sequence[GenderedWord]) -> list[Replacement]:
    """Plurals one by one, since nothing agrees with their gender; singulars all or none."""
    found = [
        Replacement(word.start, word.end, form)
        for word in words
        if _is_plural(word) and (form := _plural(text, word)) is not None
    ]
    found = [each for each in found if not _names_twice(text, each, found)]
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


class _Context(NamedTuple):
    """What the words before a plural show of its case and declension."""

    determiner: str = ""
    dative: bool = False
    genitive: bool = False
    clear: bool = True


def _context(text: str, word: GenderedWord) -> _Context:
    """Read backwards over numerals and adjectives to a determiner or a preposition."""
    start = max((text.rfind(mark, 0, word.start) for mark in ".!?;:"), default=-1) + 1
    before = re.findall(r"[\w*:.]+|[^\w\s]", text[start : word.start])[::-1]
    shown = dative = word.text.endswith("ern") and word.text != word.feminine
    genitive = declined = numeral = False
    coordinate = ""
    at = 0
    while at < len(before):
        token, key = before[at], before[at].lower()
        following = before[at + 1].lower() if at + 1 < len(before) else ""
        if _DETERMINER.fullmatch(key):
            if coordinate and not _COORDINATE_PLURAL.fullmatch(coordinate):
                return _Context(clear=False)
            dative = shown or following in _DATIVE or bool(_DATIVE_DETERMINER.fullmatch(key))
            return _Context(key, dative=dative)
        if _NUMERAL.fullmatch(key) or (numeral and key in _AROUND_NUMERALS and key != "zu"):
            numeral = True
        elif numeral and key == "zu" and following == "bis":
            pass
        elif key in _DATIVE:
            return _Context(dative=not genitive)
        elif key in _UNCLEAR:
            known = dative or genitive or declined
            return _Context(dative=dative, genitive=genitive, clear=known)
        elif key in _AND and not declined and following[:1].isalpha():
            coordinate = before[at + 1]
            at += 1
        elif _is_declined(token):
            if not declined and not dative:
                dative, genitive = key.endswith("en"), key.endswith("er")
            declined = True
        elif re.fullmatch(r"[a-zäöüß]+e[nr]?", token) is None:  # an adjective, or a verb
            break
        at += 1
    case_shows = declined or (word.text.endswith(("er", "ern")) and word.text != word.feminine)
    words = re.findall(r"\w+", _sentence(text, word).lower())
    following = re.match(r"\s+[a-zäöüß]+en\b(?!\s+(?:wir|sie)\b)", text[word.end :])
    subject = at == len(before) and following is not None  # Drei Studenten helfen
    clear = case_shows or subject or not any(_DATIVE_VERB.fullmatch(each) for each in words)
    return _Context(dative=dative, genitive=genitive, clear=clear)


def _is_declined(token: str) -> bool:
    quantity = _QUANTITY.fullmatch(token.lower()) is not None
    return quantity or (token.islower() and is_adjective(token))


def _sentence(text: str, word: GenderedWord) -> str:
    start = max(text.rfind(mark, 0, word.start) for mark in ".!?") + 1
    end = min((at for mark in ".!?" if (at := text.find(mark, word.end)) >= 0), default=len(text))
    return text[start:end]


def _plural(text: str, word: GenderedWord) -> str | None:
    """The other plural in its case; None if there is none, or the case does not show."""
    context = _context(text, word)
    known = _plurals().get(word.feminine)
    compound = _look_up({name: forms[0] for name, forms in _plurals().items()}, word.feminine)
    stem = _look_up(_participles(), word.feminine)
    if known is not None and known[0] == known[1]:
        return known[0]
    if (known is None and compound is None and stem is None) or not context.clear:
        return None
    if known is not None:
        return known[context.dative]
    if compound is not None:
        return compound + ("n" if context.dative else "")
    assert stem is not None
    if context.determiner or context.dative:
        return stem + "en"
    return stem + ("er" if context.genitive else "e")


def _names_twice(text: str, one: Replacement, found: Sequence[Replacement]) -> bool:
    """Whether the same word is joined to it already, or would be: *Kaufmänner und Kaufleute*."""
    stem = re.escape(re.sub(r"(?:e[nr]?|n)$", "", one.after))
    joiner, form = r"\s+(?:und|oder|sowie|bzw\.?)\s+(?:[a-zäöüß]+\s+)?", rf"{stem}(?:e[nr]?|n)?"
    if re.match(joiner + form + r"\b", text[one.end :]) or re.search(
        rf"\b{form}{joiner}$", text[: one.start]
    ):
        return True
    beside = re.match(joiner + r"(\w+er)n?\b", text[one.end :])  # Krankenschwestern und Pfleger
    if beside and one.after in _plurals().get(f"{beside[1]}innen", ()):
        return True
    return any(
        re.fullmatch(joiner, text[first.end : second.start]) and re.fullmatch(form, other.after)
        for other in found
        for first, second in (sorted((one, other)),)
        if other != one
    )


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
            if not _is_noun(last):  # Sie oder er
                masculine = masculine.lower()
        every = re.match(r"jed|jeglich|kein", run[0].masculine.lower())
        joiner = " und " if _is_plural(last) or every else " oder "
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
