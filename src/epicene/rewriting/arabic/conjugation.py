"""Every form of a verb, as unvocalised text has it.

A verb is its perfect, third person masculine singular, and what follows the prefix of its
imperfect; everything else comes from the shape of these two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.rewriting.persons import Gender

Tense: TypeAlias = Literal["perfect", "imperfect", "imperative"]
# full: the indicative; cut: without the final ن; short: without a weak radical too (the jussive).
Mood: TypeAlias = Literal["full", "cut", "short"]
Number: TypeAlias = Literal["singular", "dual", "plural"]
VerbClass: TypeAlias = Literal["sound", "hollow", "final", "doubled"]

_M: Gender = "masculine"
_F: Gender = "feminine"
_WEAK = frozenset("ايىو")


class Cell(NamedTuple):
    """What a form says; `gender` is None where it does not show."""

    tense: Tense
    person: Literal[1, 2, 3]
    gender: Gender | None
    number: Number
    mood: Mood = "full"


class Verb(NamedTuple):
    """A verb; `simple` is the first form, whose imperative begins with ا."""

    perfect: str
    imperfect: str
    shape: VerbClass
    simple: bool = False


NOT_TO_BE = Verb("ليس", "", "sound")
COME = Verb("تعال", "", "sound")
GIVE = Verb("هات", "", "sound")
STILL_TO_BE = Verb("زال", "", "sound")  # written with its negation: مازلت
IRREGULAR: dict[Verb, list[tuple[str, Cell]]] = {
    NOT_TO_BE: [
        ("ليس", Cell("perfect", 3, _M, "singular")),
        ("ليست", Cell("perfect", 3, _F, "singular")),
        ("ليسوا", Cell("perfect", 3, _M, "plural")),
        ("لسن", Cell("perfect", 3, _F, "plural")),
        ("لست", Cell("perfect", 1, None, "singular")),
        ("لست", Cell("perfect", 2, None, "singular")),
        ("لستي", Cell("perfect", 2, _F, "singular")),
        ("لستم", Cell("perfect", 2, _M, "plural")),
        ("لستن", Cell("perfect", 2, _F, "plural")),
        ("لسنا", Cell("perfect", 1, None, "plural")),
    ],
    STILL_TO_BE: [
        (negation + form, cell)
        for negation in ("ما", "لا")
        for form, cell in (
            ("زلت", Cell("perfect", 1, None, "singular")),
            ("زلت", Cell("perfect", 2, None, "singular")),
            ("زال", Cell("perfect", 3, _M, "singular")),
            ("زالت", Cell("perfect", 3, _F, "singular")),
            ("زلنا", Cell("perfect", 1, None, "plural")),
            ("زالوا", Cell("perfect", 3, _M, "plural")),
        )
    ],
    COME: [
        ("تعال", Cell("imperative", 2, _M, "singular")),
        ("تعالي", Cell("imperative", 2, _F, "singular")),
        ("تعالوا", Cell("imperative", 2, _M, "plural")),
        ("تعالين", Cell("imperative", 2, _F, "plural")),
    ],
    GIVE: [
        ("هات", Cell("imperative", 2, _M, "singular")),
        ("هاتي", Cell("imperative", 2, _F, "singular")),
        ("هاتوا", Cell("imperative", 2, _M, "plural")),
    ],
}


def verb_forms(verb: Verb) -> list[tuple[str, Cell]]:
    """Every form, with what it says."""
    if verb in IRREGULAR:
        return IRREGULAR[verb]
    imperfects = [pair for mood in _IMPERFECT_CELLS for pair in _imperfect(verb, mood)]
    if not verb.perfect:
        return imperfects
    return [*_perfect(verb), *imperfects, *_imperative(verb)]


_PERFECT_CELLS = (
    Cell("perfect", 3, _M, "singular"),
    Cell("perfect", 3, _F, "singular"),
    Cell("perfect", 3, _M, "plural"),
    Cell("perfect", 3, _F, "plural"),
    Cell("perfect", 3, _M, "dual"),
    Cell("perfect", 3, _F, "dual"),
    Cell("perfect", 1, None, "singular"),
    Cell("perfect", 2, None, "singular"),
    Cell("perfect", 2, _F, "singular"),
    Cell("perfect", 2, _M, "plural"),
    Cell("perfect", 2, _F, "plural"),
    Cell("perfect", 2, None, "dual"),
    Cell("perfect", 1, None, "plural"),
)


def _perfect(verb: Verb) -> Iterator[tuple[str, Cell]]:
    perfect = verb.perfect
    she, they = _third_stems(verb)
    short = _before_consonant(verb)
    first = _joined(short, "ت")
    forms = (
        perfect,
        she + "ت",
        they + "وا",
        _joined(short, "ن"),
        _perfect_dual(verb),
        she + "تا",
        first,
        first,
        first + "ي",  # as many write it
        first + "م",
        first + "ن",
        first + "ما",
        _joined(short, "نا"),
    )
    return zip(forms, _PERFECT_CELLS, strict=True)


def _third_stems(verb: Verb) -> tuple[str, str]:
    """What stands before the endings ت and وا."""
    perfect = verb.perfect
    if perfect[-1] in "ىا" and verb.shape == "final":
        return perfect[:-1], perfect[:-1]
    if perfect[-1] == "ي":
        return perfect, perfect[:-1]
    if perfect[-1] == "أ":
        return perfect, perfect[:-1] + "ؤ"
    return perfect, perfect


def _perfect_dual(verb: Verb) -> str:
    perfect = verb.perfect
    if perfect[-1] == "ى":
        return perfect[:-1] + "يا"
    if perfect[-1] == "ا" and verb.shape == "final":
        return perfect[:-1] + verb.imperfect[-1] + "ا"
    if perfect[-1] == "أ":
        return perfect[:-1] + "آ"
    return perfect + "ا"


def _before_consonant(verb: Verb) -> str:
    """The perfect before ت, ن and نا: قل, رمي, دعو, ظلل."""
    perfect = verb.perfect
    if verb.shape == "final" and perfect[-1] in "ىا":
        return perfect[:-1] + ("و" if verb.imperfect[-1] == "و" else "ي")
    if verb.shape == "hollow":
        return _seated(perfect[:-2] + perfect[-1], verb.imperfect)
    if verb.shape == "doubled":
        return perfect + perfect[-1]
    return perfect


def _seated(stem: str, imperfect: str) -> str:
    """A final hamza on the seat that the vowel before it asks for: جئت, سؤت, أضأت."""
    if stem[-1] != "ء":
        return stem
    seat = {"ي": "ئ", "و": "ؤ"}.get(imperfect[-2], "أ") if len(stem) == 2 else "أ"
    return stem[:-1] + ("ئ" if len(stem) == 2 and imperfect[-2] == "ا" else seat)


def _joined(stem: str, ending: str) -> str:
    """Two equal letters that meet are written once: بت, سكنا."""
    return stem + ending[1:] if stem[-1] == ending[0] else stem + ending


class _Stems(NamedTuple):
    """What stands before each kind of ending of the imperfect."""

    alone: str
    before_ya: str
    before_waw: str
    before_alif: str
    before_nun: str


def _stems(verb: Verb, mood: Mood) -> _Stems:
    stem = verb.imperfect
    if verb.shape == "final":
        cut = stem[:-1]
        soft = cut + "ي" if stem[-1] == "ى" else stem
        return _Stems(cut if mood == "short" else stem, cut, cut, soft, soft)
    if verb.shape == "hollow":
        short = _seated(stem[:-2] + stem[-1], stem)
        ya, waw = (stem[:-1] + "ئ", stem[:-1] + "ؤ") if stem[-1] == "ء" else (stem, stem)
        return _Stems(short if mood == "short" else stem, ya, waw, stem, short)
    if verb.shape == "doubled":
        return _Stems(stem, stem, stem, stem, stem + stem[-1])
    if stem[-1] == "أ":
        seatless = stem[:-1]
        return _Stems(stem, seatless + "ئ", seatless + "ؤ", stem, stem)
    return _Stems(stem, stem, stem, stem, stem)


def _imperfect_cells(mood: Mood) -> tuple[Cell, ...]:
    return (
        Cell("imperfect", 3, _M, "singular", mood),
        Cell("imperfect", 3, _F, "singular", mood),
        Cell("imperfect", 2, _M, "singular", mood),
        Cell("imperfect", 2, _F, "singular", mood),
        Cell("imperfect", 1, None, "singular", mood),
        Cell("imperfect", 1, None, "plural", mood),
        Cell("imperfect", 3, _M, "plural", mood),
        Cell("imperfect", 2, _M, "plural", mood),
        Cell("imperfect", 3, _F, "plural", mood),
        Cell("imperfect", 2, _F, "plural", mood),
        Cell("imperfect", 3, _M, "dual", mood),
        Cell("imperfect", 3, _F, "dual", mood),
        Cell("imperfect", 2, None, "dual", mood),
    )


_IMPERFECT_CELLS: dict[Mood, tuple[Cell, ...]] = {
    mood: _imperfect_cells(mood) for mood in get_args(Mood)
}


def _imperfect(verb: Verb, mood: Mood) -> Iterator[tuple[str, Cell]]:
    alone, before_ya, before_waw, before_alif, before_nun = _stems(verb, mood)
    ya, waw, alif = ("ين", "ون", "ان") if mood == "full" else ("ي", "وا", "ا")
    men = before_waw + waw
    women = _joined(before_nun, "ن")
    two = (before_alif + alif).replace("أا", "آ")
    forms = (
        "ي" + alone,
        "ت" + alone,
        "ت" + alone,
        "ت" + before_ya + ya,
        "آ" + alone[1:] if alone[0] == "أ" else "أ" + alone,
        "ن" + alone,
        "ي" + men,
        "ت" + men,
        "ي" + women,
        "ت" + women,
        "ي" + two,
        "ت" + two,
        "ت" + two,
    )
    return zip(forms, _IMPERFECT_CELLS[mood], strict=True)


def _imperative(verb: Verb) -> Iterator[tuple[str, Cell]]:
    start = _imperative_start(verb)
    if start is None:
        return
    stems = _Stems(*(_without_prefix(stem, start) for stem in _stems(verb, "short")))
    yield start + stems.alone, Cell("imperative", 2, _M, "singular")
    yield start + stems.before_ya + "ي", Cell("imperative", 2, _F, "singular")
    yield start + stems.before_waw + "وا", Cell("imperative", 2, _M, "plural")
    yield start + _joined(stems.before_nun, "ن"), Cell("imperative", 2, _F, "plural")


def _without_prefix(stem: str, start: str) -> str:
    if start:
        return stem
    return {"أ": "", "ؤ": "أ"}.get(stem[0], stem[0]) + stem[1:]


def _imperative_start(verb: Verb) -> str | None:
    """What the imperative begins with, None where it is not used or too irregular."""
    perfect, stem = verb.perfect, verb.imperfect
    if stem[0] == "ؤ":
        return "" if perfect[0] == "أ" else None
    if perfect[0] == "آ":
        return None
    if verb.simple:
        return _simple_start(perfect, stem, verb.shape)
    if perfect[0] in "أا" and perfect[1:2] != stem[:1] and stem[0] != "و":
        return None
    return perfect[0] if perfect[0] in "أا" and stem[0] != "أ" else ""


def _simple_start(perfect: str, stem: str, shape: VerbClass) -> str | None:
    if stem[0] == "أ":
        return "" if perfect in {"أخذ", "أكل", "أمر"} else None
    if perfect == "شاء":
        return None
    if shape in {"hollow", "doubled"}:
        return ""
    if shape == "final":
        return "ا" if len(stem) > 2 else None
    return "ا" if len(stem) > 2 else ""


def verb_class(perfect: str, imperfect: str, *, doubled: bool) -> VerbClass:
    """The kind of weakness, from the two forms."""
    if doubled or len(perfect) == 2:
        return "doubled"
    if imperfect[-1] in "يىو" and perfect[-1] in _WEAK:
        return "final"
    long = perfect[-2] == "ا" and imperfect[-2:-1] in {"ا", "ي", "و"}
    passive = perfect[-2] == "ي" and imperfect[-2:-1] == "ا"
    return "hollow" if (long or passive) and _is_hollow(perfect) else "sound"


def _is_hollow(perfect: str) -> bool:
    """Whether the middle radical is the long vowel: قال, أراد, اختار, استطاع, not تعاون."""
    place = len(perfect) - 2
    if place == 1:
        return True
    if perfect[0] in "أا":
        return place == 2 if perfect[0] == "أ" else place in {3, 4}
    return False


def imperfect_of(perfect: str) -> str:
    """The imperfect of forms II to X and of four radicals, without its prefix."""
    stem = perfect[1:] if perfect[0] in "أا" else perfect
    keeps = perfect[0] == "ت"
    if perfect[-1] == "ى":
        return stem if keeps else stem[:-1] + "ي"
    if perfect[-1] == "أ" and not keeps:
        return stem[:-1] + "ئ"
    if _is_hollow(perfect) and len(perfect) > 3 and perfect[-2] == "ا":
        lengthened = perfect[0] == "أ" or (perfect.startswith("است") and len(perfect) == 6)
        return stem[:-2] + "ي" + stem[-1] if lengthened else stem
    return stem
