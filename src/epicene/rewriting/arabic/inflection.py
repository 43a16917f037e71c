"""All forms of nouns and adjectives in unvocalised text, and guesses for words in no list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.rewriting.arabic.conjugation import Number
    from epicene.rewriting.persons import Gender

Case: TypeAlias = Literal["nominative", "accusative", "genitive"]
# How the masculine singular ends: محامٍ is defective, معافى has its ى, أسمر takes no nunation.
Ending: TypeAlias = Literal["regular", "defective", "maqsura", "diptote"]

_M: Gender = "masculine"
_F: Gender = "feminine"


class Lemma(NamedTuple):
    """A word for people; plurals are "" where they are formed with an ending."""

    masculine: str
    feminine: str
    ending: Ending = "regular"
    masculine_plural: str = ""
    feminine_plural: str = ""
    person: bool = False
    adjective: bool = False
    known: bool = True
    governing: bool = False  # a participle that takes an object: منتظر النتائج

    @property
    def can_describe(self) -> bool:
        """Whether the word may be an attributive adjective."""
        return self.adjective or self.masculine.startswith("م") or self.masculine.endswith("ي")

    @property
    def is_invariable(self) -> bool:
        """Whether both genders have the same form."""
        return self.masculine == self.feminine

    @property
    def names_men(self) -> bool:
        """Whether the masculine plural means men only, as that of رجل, ابن and راهب does."""
        return self.feminine != feminine_of(self.masculine) or self.masculine in _MEN


# Beside the words whose feminine is another word.
_MEN = frozenset({"راهب", "سيد", "والد", "زوج", "فتى", "ابن", "ملك", "إمبراطور"})


class NounFeatures(NamedTuple):
    """The features of a form; `cases` are those it can have."""

    gender: Gender
    number: Number
    cases: frozenset[Case]
    bound: bool | None = None  # True: only before a possessor; False: never; None: either
    nunated: bool = False  # with the alif of the indefinite accusative


_ANY: frozenset[Case] = frozenset({"nominative", "accusative", "genitive"})
_NOMINATIVE: frozenset[Case] = frozenset({"nominative"})
_ACCUSATIVE: frozenset[Case] = frozenset({"accusative"})
_OBLIQUE: frozenset[Case] = frozenset({"accusative", "genitive"})


def feminine_of(masculine: str) -> str:
    """The feminine formed with ة."""
    if masculine.endswith("ة"):
        return masculine
    if masculine.endswith("ى"):
        return masculine[:-1] + "اة"
    if masculine.endswith("يء"):
        return masculine[:-1] + "ئة"
    return masculine + "ة"


def masculine_of(feminine: str) -> tuple[str, Ending]:
    """The masculine of an unlisted feminine in ة, by its shape, and how it inflects."""
    stem = feminine[:-1]
    if stem.endswith("ا"):
        return stem[:-1] + "ى", "maqsura"
    if stem.endswith("يئ"):
        return stem[:-1] + "ء", "regular"
    if stem.endswith("ي") and is_defective_shape(stem):
        return stem, "defective"
    return stem, "regular"


def is_defective_shape(stem: str) -> bool:
    """Whether a word in ـي is a participle of a weak verb (راضي, مرتدي), not a nisba."""
    if len(stem) == 4 and stem[1] == "ا":
        return True
    return (stem.startswith("مت") and len(stem) >= 5) or (
        (stem.startswith("م") and len(stem) == 5 and stem[2] in "تا") or stem.startswith("مست")
    )


def with_nunation(word: str) -> str:
    """The word with the alif of the indefinite accusative, where its spelling has one."""
    if word.endswith(("ة", "اء", "ى", "ا", "أ")):
        return word
    if word.endswith("يء"):
        return word[:-1] + "ئا"
    return word + "ا"


def is_diptote_plural(plural: str) -> bool:
    """Whether a broken plural takes no nunation: أطباء, زبائن, مجانين."""
    return plural.endswith(("اء", "ى", "ة")) or (len(plural) >= 5 and plural[2] == "ا")


def with_clitic(word: str) -> Iterator[str]:
    """The spellings that the word may have before a possessive."""
    if word.endswith("ة"):
        yield word[:-1] + "ت"
    elif word.endswith("اء"):
        yield from (word, word[:-1] + "ئ", word[:-1] + "ؤ")
    elif word.endswith("ى"):
        yield word[:-1] + "ا"
    else:
        yield word


def noun_forms(lemma: Lemma) -> Iterator[tuple[str, NounFeatures]]:
    """Every form of a lemma, with its features."""
    yield from _masculine_singular(lemma)
    feminine = lemma.feminine
    yield feminine, NounFeatures(_F, "singular", _ANY)
    if with_nunation(feminine) != feminine:
        yield (
            with_nunation(feminine),
            NounFeatures(_F, "singular", _ACCUSATIVE, bound=False, nunated=True),
        )
    yield from _plurals(lemma)
    yield from _duals(lemma)


def _masculine_singular(lemma: Lemma) -> Iterator[tuple[str, NounFeatures]]:
    word = lemma.masculine
    yield word, NounFeatures(_M, "singular", _ANY)
    if lemma.ending == "defective":
        yield word[:-1], NounFeatures(_M, "singular", _ANY - _ACCUSATIVE, bound=False)
    if lemma.ending in {"regular", "defective"} and with_nunation(word) != word:
        yield (
            with_nunation(word),
            NounFeatures(_M, "singular", _ACCUSATIVE, bound=False, nunated=True),
        )
    if word in {"أب", "أخ"}:
        yield word + "و", NounFeatures(_M, "singular", _NOMINATIVE, bound=True)
        yield word + "ا", NounFeatures(_M, "singular", _ACCUSATIVE, bound=True)
        yield word + "ي", NounFeatures(_M, "singular", _OBLIQUE, bound=True)


def _duals(lemma: Lemma) -> Iterator[tuple[str, NounFeatures]]:
    masculine, feminine = lemma.masculine, lemma.feminine
    first = masculine[:-1] + "ي" if lemma.ending == "maqsura" else masculine
    if masculine in {"أب", "أخ"}:
        first = masculine + "و"
    if feminine.endswith("ة"):
        second = feminine[:-1] + "ت"
    elif feminine.endswith("اء"):
        second = feminine[:-1] + "و"
    elif feminine.endswith("ى"):
        second = feminine[:-1] + "ي"
    else:
        second = feminine
    stems: tuple[tuple[str, Gender], ...] = ((first, _M), (second, _F))
    for stem, gender in stems:
        yield stem + "ان", NounFeatures(gender, "dual", _NOMINATIVE, bound=False)
        yield stem + "ين", NounFeatures(gender, "dual", _OBLIQUE, bound=False)
        yield stem + "ا", NounFeatures(gender, "dual", _NOMINATIVE, bound=True)
        yield stem + "ي", NounFeatures(gender, "dual", _OBLIQUE, bound=True)


def sound_plural_stem(lemma: Lemma) -> str:
    """The stem before the plural endings ون and ين."""
    cut = lemma.ending in {"defective", "maqsura"}
    word = lemma.masculine[:-1] if cut else lemma.masculine
    return word[:-1] + "ئ" if word.endswith("يء") else word


def feminine_plural(lemma: Lemma) -> str:
    """The plural in ات, or the irregular one of the lemma."""
    if lemma.feminine_plural:
        return lemma.feminine_plural
    if lemma.ending == "maqsura":
        return lemma.masculine[:-1] + "يات"
    if lemma.feminine.endswith("ة"):
        return lemma.feminine[:-1] + "ات"
    if lemma.feminine.endswith("اء"):
        return lemma.feminine[:-1] + "وات"
    if lemma.feminine.endswith("ى"):
        return lemma.feminine[:-1] + "يات"
    return lemma.feminine + "ات"


def _plurals(lemma: Lemma) -> Iterator[tuple[str, NounFeatures]]:
    broken = lemma.masculine_plural
    if broken:
        yield broken, NounFeatures(_M, "plural", _ANY)
        if not is_diptote_plural(broken):
            yield (
                with_nunation(broken),
                NounFeatures(_M, "plural", _ACCUSATIVE, bound=False, nunated=True),
            )
    if broken and not lemma.can_describe:
        yield feminine_plural(lemma), NounFeatures(_F, "plural", _ANY)
        return
    stem = sound_plural_stem(lemma)
    yield stem + "ون", NounFeatures(_M, "plural", _NOMINATIVE, bound=False)
    yield stem + "ين", NounFeatures(_M, "plural", _OBLIQUE, bound=False)
    yield stem + "و", NounFeatures(_M, "plural", _NOMINATIVE, bound=True)
    yield stem + "ي", NounFeatures(_M, "plural", _OBLIQUE, bound=True)
    yield feminine_plural(lemma), NounFeatures(_F, "plural", _ANY)


class NounContext(NamedTuple):
    """What decides a form: its case, whether it is definite, whether a possessor follows."""

    case: Case
    definite: bool
    bound: bool  # by a noun or by a suffix
    suffix: str = ""


def inflect_noun(lemma: Lemma, gender: Gender, number: Number, context: NounContext) -> str:
    """The form in its context, without clitics."""
    if number == "dual":
        word = _dual(lemma, gender, context)
    elif gender == "feminine" and number == "plural":
        word = feminine_plural(lemma)
    elif gender == "feminine":
        free = not context.definite and not context.bound and context.case == "accusative"
        word = with_nunation(lemma.feminine) if free else lemma.feminine
    elif number == "plural":
        word = _masculine_plural(lemma, context)
    else:
        word = _singular(lemma, context)
    if not context.suffix:
        return word
    choices = list(with_clitic(word))
    if len(choices) == 1:
        return choices[0]
    seat: dict[Case, int] = {"nominative": 2, "accusative": 0, "genitive": 1}
    return choices[1 if context.suffix == "ي" else seat[context.case]]


def _singular(lemma: Lemma, context: NounContext) -> str:
    word = lemma.masculine
    if word in {"أب", "أخ"} and context.bound and context.suffix != "ي":
        return word + {"nominative": "و", "accusative": "ا", "genitive": "ي"}[context.case]
    free = not context.definite and not context.bound
    if free and context.case == "accusative" and lemma.ending in {"regular", "defective"}:
        return with_nunation(word)
    if free and lemma.ending == "defective":
        return word[:-1]
    return word


def _dual(lemma: Lemma, gender: Gender, context: NounContext) -> str:
    for word, form in _duals(lemma):
        if form.gender == gender and context.case in form.cases and form.bound == context.bound:
            return word
    raise AssertionError("a dual has every case")


def _masculine_plural(lemma: Lemma, context: NounContext) -> str:
    broken = lemma.masculine_plural
    if broken:
        free = not context.definite and not context.bound and context.case == "accusative"
        return with_nunation(broken) if free and not is_diptote_plural(broken) else broken
    stem = sound_plural_stem(lemma)
    if context.case == "nominative":
        return stem + ("و" if context.bound else "ون")
    return stem + ("ي" if context.bound else "ين")


_SHORTEST_GUESS = 3


def is_participle(stem: str) -> bool:
    """Whether the stem has the shape of a participle: مكتوب, متعلم, منطلق, مسافر, مهرول, مستعد."""
    if len(stem) < 5 or stem[0] != "م" or stem[-1] in "يىا":
        return stem.startswith(("مت", "مست")) and len(stem) > 4
    if len(stem) == 6 and stem[2] == "ا" and stem[4] in "يو":  # مفاتيح are keys
        return False
    return stem[3] != "ا"  # مفتاح is one


def is_adjective_shape(masculine: str) -> bool:
    """Whether the word has a common adjective shape: متعب, فاعل, فعيل, فعال, or a nisba."""
    if len(masculine) <= _SHORTEST_GUESS:
        return False
    if masculine[0] == "م" or is_nisba(masculine):
        return True
    if len(masculine) != 4 or masculine[0] in "أآإ":  # آثار, أسماء are rather plurals of things
        return False
    return masculine[1] == "ا" or masculine[2] in "يا"


def is_nisba(masculine: str) -> bool:
    """Whether the word may be a nisba like عربي, not a noun with a pronoun or a preposition."""
    return len(masculine) > 3 and masculine.endswith("ي") and masculine[0] not in "بلوف"


def is_sound_plural(stem: str) -> bool:
    """Whether the stem ends as only sound masculine plurals do."""
    return len(stem) > 5 and stem.endswith(("ون", "ين"))


def guess_nouns(stem: str, *, article: bool) -> Iterator[tuple[Lemma, NounFeatures]]:
    """The readings of an unlisted word by its ending, the likeliest first.

    Without the article, its first letters may be a preposition or a conjunction.
    """
    if stem.endswith("ها"):  # rather a pronoun: مشاعرها
        return
    for masculine, ending in _masculines(stem):
        if len(masculine) < _SHORTEST_GUESS or (stem[0] in "بلوف" and not article):
            continue
        lemma = Lemma(
            masculine,
            feminine_of(masculine),
            ending,
            person=is_sound_plural(stem) and is_adjective_shape(masculine),
            adjective=is_participle(masculine) or is_nisba(masculine),
            known=False,
        )
        for letters, form in noun_forms(lemma):
            if letters == stem and form.bound is not True:
                yield lemma, form


def _masculines(stem: str) -> Iterator[tuple[str, Ending]]:
    """The possible masculine singulars of a form."""
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
