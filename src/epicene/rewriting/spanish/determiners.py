"""Spanish determiners as they are spelt: shortened before a noun, fused with a preposition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.rewriting.text import match_case

if TYPE_CHECKING:
    from epicene.rewriting.persons import Gender
    from epicene.rewriting.romance.line import Line
    from epicene.rewriting.romance.readings import Target

_SHORTENED = {
    "uno": "un", "alguno": "algún", "ninguno": "ningún", "primero": "primer",
    "tercero": "tercer", "bueno": "buen", "malo": "mal",
}  # fmt: skip
_FULL = {short: full for full, short in _SHORTENED.items()}
# Feminine nouns that begin with a stressed a take the masculine article.
_STRESSED_A = frozenset({"ama", "hada", "águila", "alma"})
_CONTRACTIONS = {"de": "del", "a": "al"}


def inflect(target: Target, word: str, gender: Gender, following: str) -> str:
    """The word in that gender, before the word that follows it."""
    if target.form.gender == gender and word in {"primer", "tercer", "del", "al"}:
        return word
    form = target.form.other(gender)
    if gender == "masculine" and target.leading:
        return _SHORTENED.get(form, form)
    if gender == "masculine":
        return _FULL.get(form, form) if word not in _FULL else form
    if following in _STRESSED_A and form in {"la", "una"}:
        return {"la": "el", "una": "un"}[form]
    return form


def fuse(line: Line, at: int, form: str, following: str) -> tuple[int, int, str] | None:
    """*de* and *el* in one word, and *del* in two."""
    del following
    token = line.tokens[at]
    if form == "el" and token.key == "la" and line[at - 1] in _CONTRACTIONS:
        before = line.tokens[at - 1]
        if line.text[before.end : token.start].isspace():
            contracted = _CONTRACTIONS[before.key]
            return before.start, token.end, match_case(before.text, contracted)
    if token.key in {"del", "al"} and form in {"de la", "a la"}:
        return token.start, token.end, match_case(token.text, form)
    return None
