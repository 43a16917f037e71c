"""Hindi participles: every form of a verb's stems, by aspect, gender and number.

>>> perfective("कटवा", "f", "sg"), habitual("कटवा", "m", "pl")
('कटवाई', 'कटवाते')
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.suites.alternations.table import Gender, Number, Verb

Aspect: TypeAlias = Literal["perfective", "habitual"]
StemKind: TypeAlias = Literal["base", "direct causative", "indirect causative"]
Irregular: TypeAlias = tuple[str, str, str] | None

CELLS: tuple[tuple[Gender, Number], ...] = (("m", "sg"), ("m", "pl"), ("f", "sg"), ("f", "pl"))
ASPECTS: tuple[Aspect, ...] = ("perfective", "habitual")

# The auxiliary carries the number of a feminine participle: कटवाई थी, कटवाई थीं.
AUXILIARIES: dict[tuple[Gender, Number], str] = {
    ("m", "sg"): "था",
    ("m", "pl"): "थे",
    ("f", "sg"): "थी",
    ("f", "pl"): "थीं",
}

_VOWEL_SIGNS = "ािीुूेैोौ"
_NASAL = "\u0902"


def perfective(stem: str, gender: Gender, number: Number, irregular: Irregular = None) -> str:
    """The perfective participle before an auxiliary: कटा, खाया, किया."""
    singular, plural, feminine = irregular or _regular(stem)
    if gender == "f":
        return feminine
    return plural if number == "pl" else singular


def _regular(stem: str) -> tuple[str, str, str]:
    if stem[-1] in _VOWEL_SIGNS:
        return f"{stem}या", f"{stem}ए", f"{stem}ई"
    return f"{stem}ा", f"{stem}े", f"{stem}ी"


def habitual(stem: str, gender: Gender, number: Number) -> str:
    """The imperfective participle before an auxiliary: कटता."""
    if gender == "f":
        return f"{stem}ती"
    return f"{stem}ते" if number == "pl" else f"{stem}ता"


def alone(participle: str, gender: Gender, number: Number) -> str:
    """The participle as the last word of a clause, where the feminine plural shows: कटवाईं."""
    return participle + _NASAL if (gender, number) == ("f", "pl") else participle


class Form(NamedTuple):
    """One cell of a paradigm."""

    stem_kind: StemKind
    aspect: Aspect
    gender: Gender
    number: Number
    text: str  # before an auxiliary


def stems(verb: Verb) -> Iterator[tuple[StemKind, str, Irregular]]:
    """The stems that a verb has, each with its irregular perfective."""
    yield "base", verb.base, verb.perfective
    if verb.direct:
        yield "direct causative", verb.direct, None
    yield "indirect causative", verb.indirect, None


def paradigm(verb: Verb) -> Iterator[Form]:
    """Every form of every stem of a verb."""
    for kind, stem, irregular in stems(verb):
        for gender, number in CELLS:
            yield Form(
                kind, "perfective", gender, number, perfective(stem, gender, number, irregular)
            )
        for gender, number in CELLS:
            yield Form(kind, "habitual", gender, number, habitual(stem, gender, number))


def base_forms(verb: Verb) -> list[str]:
    """The forms of the base by which its frequency is judged: participles and infinitives."""
    participles = [form.text for form in paradigm(verb) if form.stem_kind == "base"]
    return list(dict.fromkeys([*participles, *(f"{verb.base}{end}" for end in ("ना", "ने", "नी"))]))
