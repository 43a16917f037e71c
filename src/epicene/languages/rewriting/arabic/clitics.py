"""What is written together with a word: conjunctions, prepositions and the article before it,
pronouns after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.languages.rewriting.arabic.conjugation import Number
    from epicene.languages.rewriting.people import Gender


class Suffix(NamedTuple):
    """A pronoun at the end of a word; `gender` is None where it does not show."""

    letters: str
    person: Literal[1, 2, 3]
    gender: Gender | None
    number: Number


SUFFIXES = (
    Suffix("هما", 3, None, "dual"),
    Suffix("كما", 2, None, "dual"),
    Suffix("هم", 3, "masculine", "plural"),
    Suffix("هن", 3, "feminine", "plural"),
    Suffix("كم", 2, "masculine", "plural"),
    Suffix("كن", 2, "feminine", "plural"),
    Suffix("ها", 3, "feminine", "singular"),
    Suffix("نا", 1, None, "plural"),
    Suffix("ني", 1, None, "singular"),
    Suffix("ه", 3, "masculine", "singular"),
    Suffix("ك", 2, None, "singular"),
    Suffix("ي", 1, None, "singular"),
)
_TURNED = {"ه": "ها", "ها": "ه", "هم": "هن", "هن": "هم", "كم": "كن", "كن": "كم"}
# What some write for the feminine ـكِ and its kin; it has no masculine letters to turn to.


def turned(suffix: Suffix, gender: Gender) -> str | None:
    """The suffix for a gender, None where it has it or shows none."""
    if suffix.gender is None or suffix.gender == gender:
        return None
    return _TURNED[suffix.letters]


class Prefix(NamedTuple):
    """What stands before a noun, and whether the last of it is the article."""

    letters: str
    preposition: str = ""
    article: bool = False


def _noun_prefixes() -> Iterator[Prefix]:
    for conjunction in ("", "و", "ف"):
        for question in ("", "أ"):
            before = question + conjunction
            yield Prefix(before)
            yield Prefix(before + "ال", article=True)
            for preposition in "بلك":
                yield Prefix(before + preposition, preposition)
                if preposition != "ل":
                    yield Prefix(before + preposition + "ال", preposition, article=True)
            yield Prefix(before + "لل", "ل", article=True)


# The fewest letters first: وحيد is lonely before it is "and" with something.
NOUN_PREFIXES = tuple(sorted(_noun_prefixes(), key=lambda prefix: len(prefix.letters)))
VERB_PREFIXES = ("", "و", "ف", "أ", "س", "ل", "وس", "فس", "ول", "فل", "أس", "أف", "أو")


def attached_to_verb(stem: str, suffix: str) -> str:
    """A verb with its object."""
    if not suffix:
        return stem
    if stem.endswith("أى"):
        return stem[:-2] + "آ" + suffix
    if stem.endswith("ى"):
        return stem[:-1] + "ا" + suffix
    if stem.endswith("وا"):
        return stem[:-1] + suffix
    if stem.endswith("تم"):
        return stem + "و" + suffix
    return stem + suffix


def verb_stems(stem: str) -> Iterator[str]:
    """What a verb may look like without the object that was at its end."""
    yield stem
    if stem.endswith("ا"):
        yield stem[:-1] + "ى"
    if stem.endswith("آ"):
        yield stem[:-1] + "أى"
    if stem.endswith("تمو"):
        yield stem[:-1]
    elif stem.endswith("و"):
        yield stem + "ا"
