"""Function words: pronouns, particles, prepositions, with what is joined to them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.rewriting.arabic.clitics import SUFFIXES, Suffix
from epicene.languages.rewriting.arabic.letters import folded
from epicene.languages.rewriting.arabic.lexicon import function_words
from epicene.languages.rewriting.arabic.noun_parsing import is_whole_noun

if TYPE_CHECKING:
    from collections.abc import Iterator

# Words whose readings are remembered.
_REMEMBERED = 2**15


class FunctionParse(NamedTuple):
    """A function word: what is joined to its front, its list, itself folded and as written."""

    prefix: str
    sort: str
    base: str
    suffix: Suffix | None = None
    written: str = ""


_FIXED = {
    "انا": "I", "نحن": "we", "انت": "you", "انتي": "you", "انتم": "you all", "انتن": "you all",
    "انتما": "you two", "هو": "he", "هي": "he", "هم": "they", "هن": "they", "هما": "they two",
}  # fmt: skip
_PLAIN = (
    "vocatives",
    "inna",
    "relatives",
    "demonstratives",
    "adverbs",
    "negations",
    "subordinators",
    "coordinators",
    "transparent",
)
_SUFFIXED = ("role_markers", "inna", "prepositions")
_PREFIXES = ("", "و", "ف", "أ", "ا", "أو", "أف", "ل", "ول", "فل", "ب", "وب", "ك")


@lru_cache(maxsize=_REMEMBERED)
def function_parse(letters: str) -> FunctionParse | None:
    """The reading as a function word, if there is one."""
    for prefix in _PREFIXES:
        if not letters.startswith(prefix) or (prefix and is_whole_noun(letters)):
            continue
        base = folded(letters[len(prefix) :])
        if base == "كان" and "أ" not in letters[len(prefix) :]:  # not كأن
            continue
        if base == "ان" and "آ" in letters:
            continue
        found = _plain(prefix, base, exception="إ" in letters) or _suffixed(prefix, base)
        if found:
            return found._replace(written=letters[len(prefix) :])
    return None


def _after_preposition(prefix: str, base: str) -> FunctionParse | None:
    """لهذا, بالذي, بكل: with a preposition joined to its front."""
    lists = function_words()
    for sort in ("demonstratives", "relatives"):
        if base in lists[sort]:
            return FunctionParse(prefix, sort, base)
    if base in {"كل", "بعض", "غير", "مجرد", "اي"} and prefix != "ك":
        return FunctionParse(prefix, "prepositions", base)
    return None


def _plain(prefix: str, base: str, *, exception: bool) -> FunctionParse | None:
    if prefix in {"ل", "ول", "فل", "ب", "وب", "ك"}:
        return _after_preposition(prefix, base)
    if base in _FIXED:
        return FunctionParse(prefix, _FIXED[base], base)
    lists = function_words()
    if base in lists["prepositions"]:
        return FunctionParse(prefix, "prepositions", base)
    for sort in _PLAIN:
        if base in lists[sort] and not (base == "الا" and (sort == "transparent") != exception):
            return FunctionParse(prefix, sort, base)
    return None


def _unsuffixed(stem: str, suffix: Suffix) -> Iterator[str]:
    """What the word may be without its pronoun: بصفتي is بصفة, منا is من."""
    yield stem
    if stem.endswith("ت"):
        yield stem[:-1] + "ة"
    if suffix.letters in {"نا", "ني"}:
        yield stem + "ن"


def _suffixed(prefix: str, base: str) -> FunctionParse | None:
    lists = function_words()
    if prefix in {"ل", "ول", "فل", "ب", "وب", "ك"}:
        return None
    for suffix in SUFFIXES:
        stem = base[: -len(suffix.letters)]
        if not base.endswith(suffix.letters) or not stem:
            continue
        if prefix in {"", "و", "ف", "أ"} and stem in {"ل", "ب"} and suffix.letters != "ني":
            return FunctionParse(prefix, "prepositions", stem, suffix)
        for sort in _SUFFIXED:
            for whole in _unsuffixed(stem, suffix):
                if whole in lists[sort]:
                    return FunctionParse(prefix, sort, whole, suffix)
    return None
