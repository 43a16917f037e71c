"""The definite article of a noun, and its contraction with "of": du, del, dell'."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import regex

if TYPE_CHECKING:
    from collections.abc import Mapping

    from epicene.suites.gramvis.items import Grammar

# The articles of a language by gender: before most sounds.
_ARTICLES: Mapping[str, Mapping[Grammar, str]] = {
    "FR": {"M": "le", "F": "la"},
    "ES": {"M": "el", "F": "la"},
    "IT": {"M": "il", "F": "la"},
    "DE": {"M": "der", "F": "die"},
    "RU": {"M": "", "F": ""},
}
_CONTRACTED = {
    "FR": {"le": "du", "la": "de la", "l'": "de l'"},
    "ES": {"el": "del", "la": "de la"},
    "IT": {"il": "del", "lo": "dello", "la": "della", "l'": "dell'"},
}

# A French h is mute but in old Germanic and some loan words; these stems keep the article whole.
_ASPIRATED = (
    "hach|haie|haill|hain|haï|halls?$|halles?$|halo$|halte$|hâl|hamac|hamburger|hameau|hamp|hamster"
    "|hanap|hanche|hand|hangar|hanneton|hans|hant|happ|hara|harc|hard|harem|hareng|hargn|haricot"
    "|harnai|harp|hasard|hât|hauban|hauss|haut|havre|hayon|heaum|henn|héraut|hère$|hériss|herni"
    "|héron|héros|hers|hêtr|heurt|hibou|hideu|hiérarchi|hipp[iy]e|hipster|hiss|hit(?:-|$)|hobby"
    "|hobereau|hoche|hocke|hold-up|homard|hongr|hont|hooligan|hoquet|horde|hors|hotte|houbl|houe"
    "|houill|houl|houp|hourra|hous|houx|hublot|huche|huée|huguenot|huit|hune?$|huppe|hure$|hurl"
    "|hussard|hutt"
)
_FRENCH_UNELIDED = regex.compile(
    f"(?:{_ASPIRATED}|onz|oui$|ouistiti|uhlan|y(?!eu)[aeou])", regex.IGNORECASE
)
_FRENCH_VOWEL = regex.compile(r"[aeiouyhæœ]", regex.IGNORECASE)

# lo before s with a consonant, z, gn, ps, pn, x, y and an i that glides.
_ITALIAN_LO = regex.compile(r"(?:s[^aeiou]|z|gn|p[sn]|x|y|j?i[aeou])", regex.IGNORECASE)
_ITALIAN_GLIDE = regex.compile(r"i[aeou]", regex.IGNORECASE)
_ITALIAN_VOWEL = regex.compile(r"h?[aeiou]", regex.IGNORECASE)

# Spanish feminines that begin with a stressed a take el: the accent tells where it is written.
_SPANISH_STRESSED = regex.compile(
    r"h?á|(?:acta|agua|ala|alba|alga|alma|alta|alza|ama|ancla|anda|ansia|arca|aria|arma|arpa|asa"
    r"|ascua|asma|aspa|asta|aula|ave|aya|haba|habla|hacha|hada|hambre|hampa|haya)$",
    regex.IGNORECASE,
)

# What a noun may come with where only the noun is wanted.
_BEFORE_NOUN = {
    "FR": r"(?:les?|la|une?) |l['’]",
    "ES": r"(?:el|la|una?) ",
    "IT": r"(?:il|lo|la|un[oa]?) |(?:l|un)['’]",
    "DE": r"(?:der|die|das|eine?) ",
    "RU": "",
}


def bare_noun(language: str, noun: str) -> str:
    """A noun without the article that it was given with."""
    return regex.sub(rf"^(?:{_BEFORE_NOUN[language]})", "", noun.strip(), flags=regex.IGNORECASE)


def definite_article(language: str, grammar: Grammar, noun: str) -> str:
    """The definite article a noun takes, by its gender and first sound; none in Russian."""
    plain = _ARTICLES[language][grammar]
    match language:
        case "FR":
            return "l'" if _elides_in_french(noun) else plain
        case "IT":
            return _italian_article(grammar, noun)
        case "ES" if grammar == "F" and _SPANISH_STRESSED.match(noun):
            return "el"
    return plain


def with_article(article: str, noun: str) -> str:
    """An article and its noun; an elided article leaves no space."""
    return f"{article}{noun}" if article.endswith("'") or not article else f"{article} {noun}"


def contracted_article(language: str, article: str) -> str | None:
    """The contraction of "of" and a definite article in French, Spanish and Italian, if any."""
    return _CONTRACTED[language].get(article)


def _elides_in_french(noun: str) -> bool:
    first = _without_accents(noun)
    return bool(_FRENCH_VOWEL.match(first)) and not _FRENCH_UNELIDED.match(noun)


def _italian_article(grammar: Grammar, noun: str) -> str:
    first = _without_accents(noun)
    if _ITALIAN_VOWEL.match(first) and not _ITALIAN_GLIDE.match(first):
        return "l'"
    if grammar == "M" and _ITALIAN_LO.match(first):
        return "lo"
    return _ARTICLES["IT"][grammar]


def _without_accents(noun: str) -> str:
    """The first letters without their accents."""
    return regex.sub(r"\p{M}", "", unicodedata.normalize("NFD", noun[:4]))
