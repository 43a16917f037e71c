"""The two present forms of English verbs, each from the other: sings ↔ sing, is ↔ are."""

from __future__ import annotations

# Forms that follow no rule, and the negated ones that people write without an apostrophe.
_IRREGULAR = {
    "is": "are",
    "was": "were",
    "has": "have",
    "does": "do",
    "isnt": "arent",
    "wasnt": "werent",
    "hasnt": "havent",
    "doesnt": "dont",
}
_IRREGULAR_BACK = {plural: singular for singular, plural in _IRREGULAR.items()}

AUXILIARIES = frozenset(_IRREGULAR)
PLURAL_AUXILIARIES = frozenset(_IRREGULAR_BACK)

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


def plural(singular: str) -> str:
    """The form after "they" of the form after "she": sings → sing, dies → die, uses → use."""
    if singular in _IRREGULAR:
        return _IRREGULAR[singular]
    without_s, without_es = singular[:-1], singular[:-2]
    if singular.endswith("ies"):
        return without_s if without_s in _IE else singular[:-3] + "y"
    if singular.endswith("zzes"):
        return without_es[:-1] if without_es[:-1] in _Z_DOUBLES else without_es
    if _drops_es(without_s, without_es):
        return without_es
    return without_s


def _drops_es(without_s: str, without_es: str) -> bool:
    """Whether -es is the ending (passes, goes) and not -s (uses, canoes)."""
    if without_s.endswith("she") or without_es in _SINGLE_S:
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


def singular(plural: str) -> str:
    """The form after "she" of the form after "they": sing → sings, try → tries, do → does."""
    if plural in _IRREGULAR_BACK:
        return _IRREGULAR_BACK[plural]
    if plural.endswith("y") and plural[-2:-1] not in "aeiou":
        return plural[:-1] + "ies"
    if plural in _Z_DOUBLES:
        return plural + "zes"
    sibilant = plural.endswith(("s", "x", "z", "ch", "sh")) and plural not in _HARD_CH
    return plural + ("es" if sibilant or plural in _O_TAKES_ES else "s")
