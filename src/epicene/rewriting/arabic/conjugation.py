"""Every form of a verb, as unvocalised text has it.

A verb is its perfect, third person masculine singular, and what follows the prefix of its
imperfect; everything else comes from the shape of these two.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

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


def verb_forms(verb: Verb) -> Iterator[tuple[str, Cell]]:
    """Every form, with what it says."""
    if verb in IRREGULAR:
        yield from IRREGULAR[verb]
        return
    if verb.perfect:
        yield from _perfect(verb)
    for mood in ("full", "cut", "short"):
        yield from _imperfect(verb, mood)
    if verb.perfect:
        yield from _imperative(verb)


def _perfect(verb: Verb) -> Iterator[tuple[str, Cell]]:
    said, she, they = _third_stems(verb)
    short = _before_consonant(verb)
    yield said, Cell("perfect", 3, _M, "singular")
    yield she + "ت", Cell("perfect", 3, _F, "singular")
    yield they + "وا", Cell("perfect", 3, _M, "plural")
    yield _joined(short, "ن"), Cell("perfect", 3, _F, "plural")
    yield _perfect_dual(said, verb), Cell("perfect", 3, _M, "dual")
    yield she + "تا", Cell("perfect", 3, _F, "dual")
    first = _joined(short, "ت")
    yield first, Cell("perfect", 1, None, "singular")
    yield first, Cell("perfect", 2, None, "singular")
    yield first + "ي", Cell("perfect", 2, _F, "singular")  # as many write it
    yield first + "م", Cell("perfect", 2, _M, "plural")
    yield first + "ن", Cell("perfect", 2, _F, "plural")
    yield first + "ما", Cell("perfect", 2, None, "dual")
    yield _joined(short, "نا"), Cell("perfect", 1, None, "plural")


def _third_stems(verb: Verb) -> tuple[str, str, str]:
    """The form itself, and what stands before the endings ت and وا."""
    said = verb.perfect
    if said[-1] in "ىا" and verb.shape == "final":
        return said, said[:-1], said[:-1]
    if said[-1] == "ي":
        return said, said, said[:-1]
    if said[-1] == "أ":
        return said, said, said[:-1] + "ؤ"
    return said, said, said


def _perfect_dual(said: str, verb: Verb) -> str:
    if said[-1] == "ى":
        return said[:-1] + "يا"
    if said[-1] == "ا" and verb.shape == "final":
        return said[:-1] + verb.imperfect[-1] + "ا"
    if said[-1] == "أ":
        return said[:-1] + "آ"
    return said + "ا"


def _before_consonant(verb: Verb) -> str:
    """The perfect before ت, ن and نا: قل, رمي, دعو, ظلل."""
    said = verb.perfect
    if verb.shape == "final" and said[-1] in "ىا":
        return said[:-1] + ("و" if verb.imperfect[-1] == "و" else "ي")
    if verb.shape == "hollow":
        return _seated(said[:-2] + said[-1], verb.imperfect)
    if verb.shape == "doubled":
        return said + said[-1]
    return said


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


@cache
def _imperfect_cell(
    person: Literal[1, 2, 3], gender: Gender | None, number: Number, mood: Mood
) -> Cell:
    return Cell("imperfect", person, gender, number, mood)


def _imperfect(verb: Verb, mood: Mood) -> Iterator[tuple[str, Cell]]:
    stems = _stems(verb, mood)
    full = mood == "full"

    def cell(person: Literal[1, 2, 3], gender: Gender | None, number: Number) -> Cell:
        return _imperfect_cell(person, gender, number, mood)

    yield "ي" + stems.alone, cell(3, _M, "singular")
    yield "ت" + stems.alone, cell(3, _F, "singular")
    yield "ت" + stems.alone, cell(2, _M, "singular")
    yield "ت" + stems.before_ya + ("ين" if full else "ي"), cell(2, _F, "singular")
    first = "آ" + stems.alone[1:] if stems.alone[0] == "أ" else "أ" + stems.alone
    yield first, cell(1, None, "singular")
    yield "ن" + stems.alone, cell(1, None, "plural")
    they = "ون" if full else "وا"
    yield "ي" + stems.before_waw + they, cell(3, _M, "plural")
    yield "ت" + stems.before_waw + they, cell(2, _M, "plural")
    yield "ي" + _joined(stems.before_nun, "ن"), cell(3, _F, "plural")
    yield "ت" + _joined(stems.before_nun, "ن"), cell(2, _F, "plural")
    both = "ان" if full else "ا"
    pair = (stems.before_alif + both).replace("أا", "آ")
    yield "ي" + pair, cell(3, _M, "dual")
    yield "ت" + pair, cell(3, _F, "dual")
    yield "ت" + pair, cell(2, None, "dual")


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
    said, stem = verb.perfect, verb.imperfect
    if stem[0] == "ؤ":
        return "" if said[0] == "أ" else None
    if said[0] == "آ":
        return None
    if verb.simple:
        return _simple_start(said, stem, verb.shape)
    if said[0] in "أا" and said[1:2] != stem[:1] and stem[0] != "و":
        return None
    return said[0] if said[0] in "أا" and stem[0] != "أ" else ""


def _simple_start(said: str, stem: str, shape: VerbClass) -> str | None:
    if stem[0] == "أ":
        return "" if said in {"أخذ", "أكل", "أمر"} else None
    if said == "شاء":
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
