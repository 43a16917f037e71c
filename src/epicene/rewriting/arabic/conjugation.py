"""All forms of verbs in unvocalised text.

A verb is given by its perfect, third person masculine singular, and its imperfect without the
prefix; all else follows from the shape of these two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable

    from epicene.rewriting.persons import Gender

Tense: TypeAlias = Literal["perfect", "imperfect", "imperative"]
# full: the indicative; cut: without the final ن; short: without a weak radical too (the jussive).
Mood: TypeAlias = Literal["full", "cut", "short"]
Number: TypeAlias = Literal["singular", "dual", "plural"]
VerbClass: TypeAlias = Literal["sound", "hollow", "final", "doubled"]

_WEAK = frozenset("ايىو")


class Cell(NamedTuple):
    """The features of a verb form; `gender` is None where it does not show."""

    tense: Tense
    person: Literal[1, 2, 3]
    gender: Gender | None
    number: Number
    mood: Mood = "full"


class Verb(NamedTuple):
    """A verb; `simple` is form I, whose imperative begins with ا."""

    perfect: str
    imperfect: str
    shape: VerbClass
    simple: bool = False


_PERSONS: dict[str, Literal[1, 2, 3]] = {"1": 1, "2": 2, "3": 3}
_GENDERS: dict[str, Gender] = {"m": "masculine", "f": "feminine"}
_NUMBERS: dict[str, Number] = {"s": "singular", "d": "dual", "p": "plural"}


def _cells(tense: Tense, names: str, mood: Mood = "full") -> tuple[Cell, ...]:
    """The cells of short names: 3ms is the third person masculine singular."""
    return tuple(
        Cell(tense, _PERSONS[name[0]], _GENDERS.get(name[1:-1]), _NUMBERS[name[-1]], mood)
        for name in names.split()
    )


_PERFECT = _cells("perfect", "3ms 3fs 3mp 3fp 3md 3fd 1s 2s 2fs 2mp 2fp 2d 1p")
_IMPERFECT: dict[Mood, tuple[Cell, ...]] = {
    mood: _cells("imperfect", "3ms 3fs 2ms 2fs 1s 1p 3mp 2mp 3fp 2fp 3md 3fd 2d", mood)
    for mood in get_args(Mood)
}
_IMPERATIVE = _cells("imperative", "2ms 2fs 2mp 2fp")


def _listed(forms: str, cells: tuple[Cell, ...]) -> list[tuple[str, Cell]]:
    return list(zip(forms.split(), cells, strict=True))


IRREGULAR: dict[Verb, list[tuple[str, Cell]]] = {
    Verb("ليس", "", "sound"): _listed(
        "ليس ليست ليسوا لسن لست لست لستي لستم لستن لسنا",
        _cells("perfect", "3ms 3fs 3mp 3fp 1s 2s 2fs 2mp 2fp 1p"),
    ),
    Verb("زال", "", "sound"): _listed(  # written with its negation
        "مازلت مازلت مازال مازالت مازلنا مازالوا لازلت لازلت لازال لازالت لازلنا لازالوا",
        _cells("perfect", "1s 2s 3ms 3fs 1p 3mp") * 2,
    ),
    Verb("تعال", "", "sound"): _listed("تعال تعالي تعالوا تعالين", _IMPERATIVE),
    Verb("أرى", "", "sound"): _listed("أر أري أروا أرين", _IMPERATIVE),
    Verb("هات", "", "sound"): _listed("هات هاتي هاتوا", _IMPERATIVE[:3]),
}


def verb_forms(verb: Verb) -> list[tuple[str, Cell]]:
    """Every form of a verb, with its features."""
    if verb in IRREGULAR:
        return IRREGULAR[verb]
    imperfects = [pair for mood in _IMPERFECT for pair in _imperfect(verb, mood)]
    if not verb.perfect:
        return imperfects
    return [*_perfect(verb), *imperfects, *_imperative(verb)]


def _perfect(verb: Verb) -> Iterable[tuple[str, Cell]]:
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
    return zip(forms, _PERFECT, strict=True)


def _third_stems(verb: Verb) -> tuple[str, str]:
    """The stems before the endings ت and وا."""
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
    """The perfect stem before ت, ن and نا: قل, رمي, دعو, ظلل."""
    perfect = verb.perfect
    if verb.shape == "final" and perfect[-1] in "ىا":
        return perfect[:-1] + ("و" if verb.imperfect[-1] == "و" else "ي")
    if verb.shape == "hollow":
        return _seated(perfect[:-2] + perfect[-1], verb.imperfect)
    if verb.shape == "doubled":
        return perfect + perfect[-1]
    return perfect


def _seated(stem: str, imperfect: str) -> str:
    """A stem, its final hamza on the seat that the preceding vowel calls for: جئت, سؤت, أضأت."""
    if stem[-1] != "ء":
        return stem
    seat = {"ي": "ئ", "و": "ؤ"}.get(imperfect[-2], "أ") if len(stem) == 2 else "أ"
    return stem[:-1] + ("ئ" if len(stem) == 2 and imperfect[-2] == "ا" else seat)


def _joined(stem: str, ending: str) -> str:
    """Stem and ending, with two equal letters that meet written once: بت, سكنا."""
    return stem + ending[1:] if stem[-1] == ending[0] else stem + ending


class _Stems(NamedTuple):
    """The imperfect stems before each kind of ending."""

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


def _imperfect(verb: Verb, mood: Mood) -> Iterable[tuple[str, Cell]]:
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
    return zip(forms, _IMPERFECT[mood], strict=True)


def _imperative(verb: Verb) -> Iterable[tuple[str, Cell]]:
    start = _imperative_start(verb)
    if start is None:
        return ()
    stems = _Stems(*(start + _without_prefix(stem, start) for stem in _stems(verb, "short")))
    forms = (
        stems.alone,
        stems.before_ya + "ي",
        stems.before_waw + "وا",
        _joined(stems.before_nun, "ن"),
    )
    return zip(forms, _IMPERATIVE, strict=True)


def _without_prefix(stem: str, start: str) -> str:
    if start == "آ":
        return stem[1:]
    if start:
        return stem
    return {"أ": "", "ؤ": "أ"}.get(stem[0], stem[0]) + stem[1:]


# What things do, or do to people: أعجبني and انقطع are no commands, nor is اعني.
_FELT = frozenset(
    "أعجب أسعد أزعج أقلق أدهش أحزن أفرح أغضب أخاف أذهل عنى فشل نفد انقطع ارتفع انخفض".split()
)


def _imperative_start(verb: Verb) -> str | None:
    """The beginning of the imperative, None where it is not used or too irregular."""
    perfect, stem = verb.perfect, verb.imperfect
    if perfect in _FELT:
        return None
    if perfect[0] == "آ" and stem[0] == "ؤ":
        return None if stem[-1] == "ي" else "آ"
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
    if perfect in {"شاء", "تم"}:
        return None
    if shape in {"hollow", "doubled"}:
        return ""
    if shape == "final":
        return "ا" if len(stem) > 2 else None
    return "ا" if len(stem) > 2 else ""


def verb_class(perfect: str, imperfect: str, *, doubled: bool) -> VerbClass:
    """The class of the verb by its weak radicals, from the two forms."""
    if doubled or len(perfect) == 2:
        return "doubled"
    if imperfect[-1] in "يىو" and perfect[-1] in _WEAK:
        return "final"
    long = perfect[-2] == "ا" and imperfect[-2:-1] in {"ا", "ي", "و"}
    passive = perfect[-2] == "ي" and imperfect[-2:-1] == "ا"
    return "hollow" if (long or passive) and _is_hollow(perfect) else "sound"


def _is_hollow(perfect: str) -> bool:
    """Whether the middle radical is the long vowel: قال, أراد, اختار, استطاع, not تعاون."""
    middle = len(perfect) - 2
    if middle == 1:
        return True
    if perfect[0] in "أا":
        return middle == 2 if perfect[0] == "أ" else middle in {3, 4}
    return False


def imperfect_of(perfect: str) -> str:
    """The imperfect, without its prefix, of forms II to X and of quadriliterals."""
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
