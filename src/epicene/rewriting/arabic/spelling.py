"""Arabic orthography: letters and their diacritics, clitics, and the spelling habits of a line's
writer.

All rules work on bare letters; vowels and tatweel that a writer added are carried over.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.rewriting.arabic.conjugation import Number
    from epicene.rewriting.arabic.line import Token
    from epicene.rewriting.persons import Gender

FATHA, DAMMA, KASRA, SUKUN, SHADDA = "\u064e", "\u064f", "\u0650", "\u0652", "\u0651"
TANWIN_FATH, TANWIN_DAMM, TANWIN_KASR = "\u064b", "\u064c", "\u064d"

# Marks that are not part of a letter (those of U+0653 to U+0655 are).
_MARKS = regex.compile(
    r"[\u0610-\u061a\u0640\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]"
)
_VOWELS = frozenset({FATHA, DAMMA, KASRA, SUKUN})
_FINAL_MARKS = _VOWELS | {TANWIN_FATH, TANWIN_DAMM, TANWIN_KASR}
_FOLDED_LETTERS = str.maketrans({"أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي"})

# The short vowel before what is added at the end.
_LINKING_VOWELS = {"ة": FATHA, "ت": FATHA, "ا": FATHA, "ي": KASRA, "و": DAMMA}


def strip_marks(text: str) -> str:
    """The text composed (NFC) and without diacritics."""
    return _MARKS.sub("", unicodedata.normalize("NFC", text))


def fold_letters(letters: str) -> str:
    """The letters with those that writers often confuse merged: أ إ آ ٱ → ا, ى → ي."""
    return letters.translate(_FOLDED_LETTERS)


def may_be_written(written: str, letters: str) -> bool:
    """Whether `written` is a possible spelling of the letters.

    Hamzas may be missing or on the wrong side of an alif, but none is added inside a word, and ى is
    not written ي.
    """
    for index, (one, two) in enumerate(zip(written, letters, strict=True)):
        if one == two or one == "ا" or (one, two) == ("ى", "ي"):
            continue
        if index == 0 and one in "أآ" and two in "اأإآ":
            continue
        if index == 0 and one == "إ" and two == "ا":
            continue
        return False
    return True


class _Cluster(NamedTuple):
    letter: str
    marks: str


def _clusters(text: str) -> list[_Cluster]:
    found: list[_Cluster] = []
    for character in unicodedata.normalize("NFC", text):
        if _MARKS.fullmatch(character) and found:
            found[-1] = _Cluster(found[-1].letter, found[-1].marks + character)
        else:
            found.append(_Cluster(character, ""))
    return found


def final_mark(text: str) -> str:
    """The vowel or nunation on the last letter, "" if none; in ًا it is on the last two."""
    for cluster in reversed(_clusters(text)[-2:]):
        marks = [mark for mark in cluster.marks if mark in _FINAL_MARKS]
        if marks:
            return marks[-1]
        if cluster.letter != "ا":
            break
    return ""


def has_shadda(text: str, at: int) -> bool:
    """Whether the letter at an index, counted without marks, is written doubled."""
    clusters = _clusters(text)
    return at < len(clusters) and SHADDA in clusters[at].marks


def is_vocalised(text: str) -> bool:
    """Whether letters inside the word have vowel marks."""
    inner = _clusters(text)[:-1]
    return sum(any(mark in _VOWELS for mark in cluster.marks) for cluster in inner) >= 2


def respell(written: str, letters: str, *, vocalised: bool = False) -> str:
    """Other bare letters spelled as the word was: a letter that stays keeps its marks."""
    if strip_marks(written) == letters:
        return written
    old = _clusters(written)
    start = 0
    while start < min(len(old), len(letters)) and old[start].letter == letters[start]:
        start += 1
    end = 0
    room = min(len(old), len(letters)) - start
    while end < room and old[-1 - end].letter == letters[-1 - end]:
        end += 1
    middle = list(letters[start : len(letters) - end])
    replaced = old[start : len(old) - end]
    if len(middle) == len(replaced):
        new = [_Cluster(one, two.marks) for one, two in zip(middle, replaced, strict=True)]
    else:
        new = [_Cluster(letter, "") for letter in middle]
    kept = old[:start]
    if kept and (new or not end) and start == len(old) - end:
        kept[-1] = _with_linking_vowel(kept[-1], middle[0] if middle else "", always=vocalised)
    elif kept and not new:
        kept[-1] = _Cluster(
            kept[-1].letter, "".join(m for m in kept[-1].marks if m not in _FINAL_MARKS)
        )
    parts = [*kept, *new, *old[len(old) - end :]] if end else [*kept, *new]
    return "".join(cluster.letter + cluster.marks for cluster in parts)


def _with_linking_vowel(cluster: _Cluster, following: str, *, always: bool) -> _Cluster:
    """The last letter with the vowel that the letter now after it calls for, if it had one."""
    if not always and not any(mark in _FINAL_MARKS for mark in cluster.marks):
        return cluster
    others = "".join(mark for mark in cluster.marks if mark not in _FINAL_MARKS)
    if following == "ي" and not always:  # لا تنسَ, لا تنسي
        return _Cluster(cluster.letter, others)
    return _Cluster(cluster.letter, others + _LINKING_VOWELS.get(following, ""))


def with_final_mark(text: str, mark: str) -> str:
    """The text with that mark on its last letter, in place of the vowel there."""
    clusters = _clusters(text)
    last = clusters[-1]
    kept = "".join(one for one in last.marks if one not in _FINAL_MARKS)
    clusters[-1] = _Cluster(last.letter, mark + kept)
    return "".join(cluster.letter + cluster.marks for cluster in clusters)


class Suffix(NamedTuple):
    """A suffixed pronoun; `gender` is None where it does not show."""

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
_OTHER_GENDER_SUFFIX = {"ه": "ها", "ها": "ه", "هم": "هن", "هن": "هم", "كم": "كن", "كن": "كم"}


def inflect_suffix(suffix: Suffix, gender: Gender) -> str | None:
    """The suffix in that gender, None where it has it already or shows none."""
    if suffix.gender is None or suffix.gender == gender:
        return None
    return _OTHER_GENDER_SUFFIX[suffix.letters]


class Prefix(NamedTuple):
    """The proclitics of a noun, and whether the last of them is the article."""

    letters: str
    preposition: str = ""
    article: bool = False


def _all_noun_prefixes() -> Iterator[Prefix]:
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


_NOUN_PREFIXES = tuple(sorted(_all_noun_prefixes(), key=lambda prefix: len(prefix.letters)))


def noun_prefixes(letters: str) -> list[Prefix]:
    """The proclitics that the word may have as a noun.

    The shortest come first: وحيد is lonely before it is "and" with something.
    """
    return [prefix for prefix in _NOUN_PREFIXES if letters.startswith(prefix.letters)]


VERB_PREFIXES = ("", "و", "ف", "أ", "س", "ل", "وس", "فس", "ول", "فل", "أس", "أف", "أو")


def attached_to_verb(stem: str, suffix: str) -> str:
    """A verb with its suffixed object."""
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


def stems_before_suffix(stem: str) -> Iterator[str]:
    """The spellings that a verb may have without the suffixed object."""
    yield stem
    if stem.endswith("ا"):
        yield stem[:-1] + "ى"
    if stem.endswith("آ"):
        yield stem[:-1] + "أى"
    if stem.endswith("تمو"):
        yield stem[:-1]
    elif stem.endswith("و"):
        yield stem + "ا"


# Where the mark of the indefinite accusative is written: متعبًا, متعباً, متعبا.
Nunation: TypeAlias = Literal["before", "after", "none"]

# What is written where the hamza of a letter is left out.
_WITHOUT_HAMZA = frozenset("ا")
_NUNATION = regex.compile("\u064b\u0651?ا$|\u0651?ا\u064b$")
_TANWIN = regex.compile("[\u064b\u064c\u064d]")
_NUNATION_BEFORE_ALIF = regex.compile("\u064bا(?!\\p{L})")
_NUNATION_AFTER_ALIF = regex.compile("ا\u064b(?!\\p{L})")
# Adverbs that everybody writes with that mark who writes it at all.
_NUNATED_ADVERBS = regex.compile(
    r"(?<!\p{L})(?:جدا|أيضا|ايضا|حقا|دائما|تماما|أبدا|ابدا|غدا|حسنا|شكرا|مرحبا|قليلا|كثيرا|شيئا|يوما|معا|فعلا|مجددا)(?![\p{L}\u064b])"
)


def nunation_of(text: str) -> Nunation:
    """Where the line writes its nunation; if it has none, where standard spelling does."""
    if _NUNATION_BEFORE_ALIF.search(text):
        return "before"
    if _NUNATION_AFTER_ALIF.search(text):
        return "after"
    return "none" if _NUNATED_ADVERBS.search(text) else "before"


def keep_hamza_habits(written: str, letters: str) -> str:
    """New letters without the hamzas that the writer omitted."""
    index = 0
    old, new = fold_letters(written), fold_letters(letters)
    while index < min(len(old), len(new)) and old[index] == new[index]:
        index += 1
    start = (
        one if one in _WITHOUT_HAMZA else two for one, two in zip(written, letters, strict=False)
    )
    return "".join(start)[:index] + letters[index:]


def spell_like(
    word: Token, letters: str, *, nunated: bool, nunation: Nunation, mark: str = ""
) -> str:
    """The word in other letters, spelled as its line is; `mark` is for a last letter left out."""
    vocalised = is_vocalised(word.text)
    old = _NUNATION.sub("", word.text)
    ending = TANWIN_FATH if old != word.text else final_mark(word.text)
    old = _TANWIN.sub("", old)
    stem = respell(old, letters[:-1] if nunated else letters, vocalised=vocalised)
    if nunated:
        stem = with_final_mark(stem, "")
        if nunation == "none" and not vocalised:
            return stem + "ا"
        return stem + ("ا" + TANWIN_FATH if nunation == "after" else TANWIN_FATH + "ا")
    if mark and nunation != "none":
        return with_final_mark(stem, mark)
    return with_final_mark(stem, _final_vowel(letters, ending)) if vocalised else stem


def _final_vowel(letters: str, ending: str) -> str:
    """The final vowel of a vocalised word: that of the old one, if the new one can bear it."""
    if letters.endswith(("ى", "ا", "و", "ي")):
        return ""
    return ending or SUKUN
