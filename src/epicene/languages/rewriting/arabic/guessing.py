"""Words for people that no list has, by their shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epicene.languages.rewriting.arabic.declension import (
    Ending,
    Form,
    Lemma,
    feminine_of,
    forms,
    masculine_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHORTEST = 3


def is_participle(stem: str) -> bool:
    """Whether it is built as participles are: مكتوب, متعلم, منطلق, مسافر, مهرول, مستعد."""
    if len(stem) < 5 or stem[0] != "م" or stem[-1] in "يىا":
        return stem.startswith(("مت", "مست")) and len(stem) > 4
    if len(stem) == 6 and stem[2] == "ا" and stem[4] in "يو":  # مفاتيح are keys
        return False
    return stem[3] != "ا"  # مفتاح is one


def is_adjective_shape(masculine: str) -> bool:
    """Whether it is built as adjectives often are: متعب, فاعل, فعيل, فعال, or a nisba."""
    if len(masculine) <= _SHORTEST:
        return False
    if masculine[0] == "م" or is_nisba(masculine):
        return True
    if len(masculine) != 4 or masculine[0] in "أآإ":  # آثار, أسماء are rather plurals of things
        return False
    return masculine[1] == "ا" or masculine[2] in "يا"


def is_nisba(masculine: str) -> bool:
    """Whether it may be of the kind of عربي, and not a noun with a pronoun or a preposition."""
    return len(masculine) > 3 and masculine.endswith("ي") and masculine[0] not in "بلوف"


def is_sound_plural(stem: str) -> bool:
    """Whether it ends as only plurals of men do."""
    return len(stem) > 5 and stem.endswith(("ون", "ين"))


def guesses(stem: str, *, article: bool) -> Iterator[tuple[Lemma, Form]]:
    """The readings of a word by its ending, the likeliest first.

    Without the article, what it begins with may be a preposition or a conjunction.
    """
    for masculine, ending in _masculines(stem):
        if len(masculine) < _SHORTEST or (stem[0] in "بلوف" and not article):
            continue
        lemma = Lemma(
            masculine,
            feminine_of(masculine),
            ending,
            person=is_sound_plural(stem) and is_adjective_shape(masculine),
            adjective=is_participle(masculine) or is_nisba(masculine),
            known=False,
        )
        for letters, form in forms(lemma):
            if letters == stem and form.bound is not True:
                yield lemma, form


def _masculines(stem: str) -> Iterator[tuple[str, Ending]]:
    """What may be the masculine singular behind a form."""
    if stem.endswith("ة"):
        yield masculine_of(stem)
    elif stem.endswith("ات"):
        yield masculine_of(stem[:-2] + "ة")
    elif stem.endswith(("تان", "تين")):
        yield masculine_of(stem[:-3] + "ة")
        yield stem[:-2], "regular"
    elif stem.endswith(("ون", "ين", "ان")) and len(stem) > 5:
        yield stem[:-2], "regular"
        yield stem, "regular"
    elif (stem.endswith("يا") and len(stem) > 4) or stem.endswith(("ئا", "ا")):
        yield stem[:-1], "regular"
    elif stem.endswith("ى"):
        yield stem, "maqsura"
    else:
        yield stem, "regular"
