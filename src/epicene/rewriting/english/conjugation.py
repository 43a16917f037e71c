"""The two present forms of English verbs, each from the other: sings ↔ sing, is ↔ are."""

from __future__ import annotations

# Forms that follow no rule, and the negated ones that people write without an apostrophe.
_IRREGULAR_PLURALS = {
    "is": "are",
    "was": "were",
    "has": "have",
    "does": "do",
    "isnt": "arent",
    "wasnt": "werent",
    "hasnt": "havent",
    "doesnt": "dont",
}
_IRREGULAR_SINGULARS = {plural: singular for singular, plural in _IRREGULAR_PLURALS.items()}

SINGULAR_AUXILIARIES = frozenset(_IRREGULAR_PLURALS)
PLURAL_AUXILIARIES = frozenset(_IRREGULAR_SINGULARS)

_IE = frozenset({"die", "lie", "tie", "vie", "hie", "belie", "untie", "underlie", "overlie"})
_OE = frozenset({"toe", "hoe", "shoe", "canoe", "tiptoe"})
_CHE = frozenset({"ache", "cache", "psyche", "avalanche"})
_O_TAKES_ES = frozenset(
    "go do undergo forgo forego outgo undo redo outdo overdo echo veto torpedo embargo lasso "
    "zero".split()
)
_Z_DOUBLES = frozenset({"quiz", "whiz"})
_SINGLE_S = frozenset(
    "focus refocus bias canvas gas bus caucus chorus nonplus surplus trellis".split()
)
_SSE = frozenset({"finesse", "impasse"})
_HARD_CH = frozenset({"stomach"})


def plural_verb(form: str) -> str:
    """The plural of a singular present form: sings → sing, dies → die, uses → use."""
    if form in _IRREGULAR_PLURALS:
        return _IRREGULAR_PLURALS[form]
    without_s, without_es = form[:-1], form[:-2]
    if form.endswith("ies"):
        return without_s if without_s in _IE else form[:-3] + "y"
    if form.endswith("zzes"):
        return without_es[:-1] if without_es[:-1] in _Z_DOUBLES else without_es
    if _drops_es(without_s, without_es):
        return without_es
    return without_s


def _drops_es(without_s: str, without_es: str) -> bool:
    """Whether the ending is -es (passes, goes), not -s (uses, canoes)."""
    if without_s.endswith("she") or (without_s.endswith("se") and without_es in _SINGLE_S):
        return True
    for ending, exceptions in (
        ("che", _CHE),
        ("sse", _SSE),
        ("xe", {"axe"}),
        ("oe", _OE),
    ):
        if without_s.endswith(ending):
            return without_s not in exceptions
    return without_s.endswith("tze")


def singular_verb(form: str) -> str:
    """The singular of a plural present form: sing → sings, try → tries, do → does."""
    if form in _IRREGULAR_SINGULARS:
        return _IRREGULAR_SINGULARS[form]
    if form.endswith("y") and form[-2:-1] not in "aeiou":
        return form[:-1] + "ies"
    if form in _Z_DOUBLES:
        return form + "zes"
    sibilant = form.endswith(("s", "x", "z", "ch", "sh")) and form not in _HARD_CH
    return form + ("es" if sibilant or form in _O_TAKES_ES else "s")
