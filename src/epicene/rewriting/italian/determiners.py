"""Italian determiners as they are spelt before the word that follows them, elided or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.text import match_case

if TYPE_CHECKING:
    from epicene.rewriting.persons import Gender
    from epicene.rewriting.romance.line import Line
    from epicene.rewriting.romance.readings import Target

# Before a plain consonant, before an impure one (s + consonant, z, gn, ps), before a vowel.
_MASCULINE = {
    "il": ("il", "lo", "l'"), "un": ("un", "uno", "un"), "del": ("del", "dello", "dell'"),
    "al": ("al", "allo", "all'"), "dal": ("dal", "dallo", "dall'"),
    "nel": ("nel", "nello", "nell'"), "sul": ("sul", "sullo", "sull'"),
    "quel": ("quel", "quello", "quell'"), "nessun": ("nessun", "nessuno", "nessun"),
    "alcun": ("alcun", "alcuno", "alcun"), "bel": ("bel", "bello", "bell'"),
    "buon": ("buon", "buono", "buon"), "i": ("i", "gli", "gli"), "dei": ("dei", "degli", "degli"),
    "ai": ("ai", "agli", "agli"), "dai": ("dai", "dagli", "dagli"),
    "nei": ("nei", "negli", "negli"), "sui": ("sui", "sugli", "sugli"),
    "quei": ("quei", "quegli", "quegli"), "bei": ("bei", "begli", "begli"),
}  # fmt: skip
_ELIDED_FEMININES = {
    "la": "l'", "una": "un'", "della": "dell'", "alla": "all'", "dalla": "dall'",
    "nella": "nell'", "sulla": "sull'", "quella": "quell'", "nessuna": "nessun'",
}  # fmt: skip
_BEFORE_NAMES = frozenset({"signore", "dottore", "professore", "ingegnere"})
_FULL = {
    "buon": "buono",
    "bel": "bello",
    "quel": "quello",
    "nessun": "nessuno",
    "un": "uno",
    "quei": "quelli",
}


def inflect(target: Target, word: str, gender: Gender, following: str) -> str:
    """The word in that gender, before the word that follows it."""
    form = target.form.other(gender)
    is_determiner = target.form.kind == "determiner"
    if gender == "masculine":
        if form in _MASCULINE and (is_determiner or target.leading):
            plain, impure, vowel = _MASCULINE[form]
            if not target.leading and form in _FULL:
                return _FULL[form]
            return vowel if _is_vowel(following) else impure if _is_impure(following) else plain
        return _FULL.get(form, form) if not target.leading and word not in _FULL else form
    if form in _ELIDED_FEMININES and _is_vowel(following) and target.leading:
        return _ELIDED_FEMININES[form]
    return form


def _is_vowel(word: str) -> bool:
    return word[:1] in "aeiouàèéìòùh" and word != ""


def _is_impure(word: str) -> bool:
    if word[:1] in {"z", "x", "y"} or word[:2] in {"gn", "ps", "pn"}:
        return True
    return word[:1] == "s" and word[1:2] not in set("aeiouàèéìòù") and len(word) > 1


def fuse(line: Line, at: int, form: str, following: str) -> tuple[int, int, str] | None:
    """An elided word is written together with the next, a full one apart."""
    del following
    token = line.tokens[at]
    if form in _BEFORE_NAMES and token.key != form[:-1] and line.is_name(at + 1):
        return token.start, token.end, match_case(token.text, form[:-1])
    was, now = token.key.endswith("'"), form.endswith("'")
    if was == now or at + 1 >= len(line):
        return None
    text = match_case(token.text.rstrip("'’"), form)
    if now:
        return token.start, line.tokens[at + 1].start, text
    return token.start, token.end, text + " "
