"""The forms of German determiners, adjectives and nouns for people, in both genders."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from epicene.rewriting.german.lexicon import ADJECTIVE_SUFFIXES, people, person_rows, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from epicene.rewriting.persons import Gender

Case: TypeAlias = Literal["nom", "acc", "dat", "gen"]
# What a phrase agrees in: a gender, or p for the plural, which has none.
Concord: TypeAlias = Literal["m", "f", "n", "p"]
DeterminerKind: TypeAlias = Literal["der", "dieser", "ein", "none"]

CASES: tuple[Case, ...] = ("nom", "acc", "dat", "gen")


class Cell(NamedTuple):
    """A place in a paradigm."""

    case: Case
    plural: bool = False


CELLS = tuple(Cell(case, plural) for plural in (False, True) for case in CASES)

# Endings in the order of CASES.
_ARTICLE = {
    "m": ("der", "den", "dem", "des"),
    "f": ("die", "die", "der", "der"),
    "n": ("das", "das", "dem", "des"),
    "p": ("die", "die", "den", "der"),
}
_STRONG = {
    "m": ("er", "en", "em", "es"),
    "f": ("e", "e", "er", "er"),
    "n": ("es", "es", "em", "es"),
    "p": ("e", "e", "en", "er"),
}
_ADJECTIVE_STRONG = _STRONG | {"m": ("er", "en", "em", "en"), "n": ("es", "es", "em", "en")}
_ADJECTIVE_WEAK = {
    "m": ("e", "en", "en", "en"),
    "f": ("e", "e", "en", "en"),
    "n": ("e", "e", "en", "en"),
    "p": ("en", "en", "en", "en"),
}
_ADJECTIVE_MIXED = _ADJECTIVE_WEAK | {"m": ("er", "en", "en", "en"), "n": ("es", "es", "en", "en")}
_RELATIVE = {
    "m": ("der", "den", "dem", "dessen"),
    "f": ("die", "die", "der", "deren"),
    "n": ("das", "das", "dem", "dessen"),
    "p": ("die", "die", "denen", "deren"),
}
_DIESER_STEMS = ("dies", "jen", "jed", "manch", "welch", "solch")
_EIN_STEMS = ("ein", "kein", "mein", "dein", "sein", "ihr", "unser", "eur")
# zum is zu dem; only those that are found before people.
CONTRACTIONS = {
    "zum": ("zu", "dem"),
    "zur": ("zu", "der"),
    "vom": ("von", "dem"),
    "beim": ("bei", "dem"),
    "im": ("in", "dem"),
    "am": ("an", "dem"),
}
_CONTRACTED = {parts: word for word, parts in CONTRACTIONS.items()}


class Determiner(NamedTuple):
    """A determiner by its kind and stem; `preposition` where one is contracted with it."""

    kind: DeterminerKind
    stem: str = ""
    preposition: str = ""

    def form(self, concord: Concord, case: Case) -> str:
        """Its form, without a preposition."""
        at = CASES.index(case)
        if self.kind == "der":
            return _ARTICLE[concord][at]
        ending = _STRONG[concord][at]
        if self.kind == "ein" and (concord, case) in {("m", "nom"), ("n", "nom"), ("n", "acc")}:
            return "euer" if self.stem == "eur" else self.stem
        return self.stem + ending

    def written(self, concord: Concord, case: Case) -> str:
        """Its form, contracted with its preposition where that is usual."""
        form = self.form(concord, case)
        if not self.preposition:
            return form
        return _CONTRACTED.get((self.preposition, form), f"{self.preposition} {form}")


NO_DETERMINER = Determiner("none")


@cache
def determiner(word: str) -> Determiner | None:
    """The determiner that a word can be."""
    if word in CONTRACTIONS:
        return Determiner("der", "", CONTRACTIONS[word][0])
    if word in {"der", "die", "das", "den", "dem", "des"}:
        return Determiner("der")
    if word in {"unsre", "unsren", "unsrem", "unsrer", "unsres", "euer"}:
        return Determiner("ein", "unser" if word.startswith("u") else "eur")
    for stem in _EIN_STEMS:
        if word.startswith(stem) and word[len(stem) :] in {"", "e", "en", "em", "er", "es"}:
            return Determiner("ein", stem) if word != "eur" else None
    for stem in _DIESER_STEMS:
        if word.startswith(stem) and word[len(stem) :] in {"e", "en", "em", "er", "es"}:
            return Determiner("dieser", stem)
    return None


def article_of(word: str) -> str:
    """The article in a contraction, otherwise the word itself."""
    return CONTRACTIONS[word][1] if word in CONTRACTIONS else word


def adjective_ending(kind: DeterminerKind, concord: Concord, case: Case) -> str:
    """The ending of an adjective after that kind of determiner."""
    table = {"none": _ADJECTIVE_STRONG, "ein": _ADJECTIVE_MIXED}.get(kind, _ADJECTIVE_WEAK)
    return table[concord][CASES.index(case)]


def relative_forms(word: str, concord: Concord) -> list[Case]:
    """The cases in which a relative pronoun has that form."""
    return [case for case, form in zip(CASES, _RELATIVE[concord], strict=True) if form == word]


def relative(concord: Concord, case: Case) -> str:
    """The relative pronoun in that form."""
    return _RELATIVE[concord][CASES.index(case)]


class Noun(NamedTuple):
    """A noun for a person in both genders; spellings by cell, the one to write first."""

    lemma: str
    masculine: dict[Cell, tuple[str, ...]]
    feminine: dict[Cell, tuple[str, ...]]
    neuter: bool = False  # the feminine one: Mädchen
    men: bool = False  # the masculine plural excludes women


class NounReading(NamedTuple):
    """One reading of a written noun: its gender, and the cells it may be in."""

    noun: Noun | None  # None: an adjective used as a noun, declined like one
    gender: Gender
    cells: tuple[Cell, ...]
    prefix: str = ""  # the rest of a compound, or the stem of an adjective
    guessed: bool = False
    ranked: bool = False  # der Erste: a person only where somebody is said to be it

    def concord(self, gender: Gender, cell: Cell) -> Concord:
        """What the words around it agree in, for one gender."""
        if cell.plural:
            return "p"
        if gender == "masculine":
            return "m"
        return "n" if self.noun is not None and self.noun.neuter else "f"

    def form(self, gender: Gender, cell: Cell, kind: DeterminerKind) -> str:
        """The noun in that gender and cell, after that kind of determiner."""
        if self.noun is None:
            return self.prefix + adjective_ending(kind, self.concord(gender, cell), cell.case)
        paradigm = self.noun.masculine if gender == "masculine" else self.noun.feminine
        form = paradigm[cell][0]
        if form.startswith("*"):
            form = form[1:] + adjective_ending(kind, self.concord(gender, cell), cell.case)
        return self.prefix + form.lower() if self.prefix else form

    def fits(self, word: str, cell: Cell, kind: DeterminerKind) -> bool:
        """Whether an adjectival noun has the ending that it takes after that determiner."""
        if self.noun is None or _is_adjectival(self.noun, self.gender):
            return word.lower() == self.form(self.gender, cell, kind).lower()
        return True


def _is_adjectival(noun: Noun, gender: Gender) -> bool:
    paradigm = noun.masculine if gender == "masculine" else noun.feminine
    return paradigm[CELLS[0]][0].startswith("*")


def _masculine(singular: str, genitive: str, plural: str) -> dict[Cell, tuple[str, ...]]:
    weak = genitive.endswith("n") and genitive != singular
    oblique = genitive if weak else singular
    genitives: tuple[str, ...] = (genitive,)
    if genitive.endswith("es"):
        genitives = (genitive, genitive[:-2] + "s")
    elif genitive.endswith("s") and not weak:
        genitives = (genitive, genitive[:-1] + "es")
    dative = plural if plural.endswith(("n", "s")) else plural + "n"
    return {
        Cell("nom"): (singular,),
        Cell("acc"): (oblique,),
        Cell("dat"): (oblique,) if weak else (singular, singular + "e"),
        Cell("gen"): genitives,
        **{Cell(case, plural=True): (plural,) for case in CASES},
        Cell("dat", plural=True): (dative,),
    }


def _feminine(singular: str, plural: str, *, neuter: bool) -> dict[Cell, tuple[str, ...]]:
    dative = plural if plural.endswith(("n", "s")) else plural + "n"
    return {
        **{Cell(case): (singular,) for case in CASES},
        **({Cell("gen"): (singular + "s",)} if neuter else {}),
        **{Cell(case, plural=True): (plural,) for case in CASES},
        Cell("dat", plural=True): (dative,),
    }


def make_noun(
    singular: str, genitive: str, plural: str, feminine: str, feminine_plural: str
) -> Noun:
    """A noun by its principal parts."""
    neuter = feminine.lower().endswith("mädchen")
    return Noun(
        singular,
        _masculine(singular, genitive, plural),
        _feminine(feminine, feminine_plural, neuter=neuter),
        neuter,
        singular in people().men,
    )


def regular(singular: str) -> Noun:
    """A noun with a feminine in -in, by its ending."""
    feminine = feminine_of(singular)
    if singular.endswith(("er", "ler")):
        parts = (singular + "s", singular)
    elif singular.endswith("e"):
        parts = (singular + "n", singular + "n")
    elif singular.endswith("or"):
        parts = (singular + "s", singular + "en")
    elif singular.endswith(("eur", "ier", "är", "ar", "al", "än", "an")):
        parts = (singular + "s", singular + "e")
    else:
        parts = (singular + "en", singular + "en")
    return make_noun(singular, *parts, feminine, feminine + "nen")


def feminine_of(singular: str) -> str:
    """The feminine in -in: Lehrerin, Kollegin, Zauberin."""
    if singular.endswith("erer") and not singular.endswith("ierer"):
        return singular[:-2] + "in"
    return singular.removesuffix("e") + "in"


def _nouns() -> Iterator[Noun]:
    for row in person_rows("pairs"):
        yield make_noun(*row)
    lists = people()
    for word in (*lists.er, *lists.weak, *lists.or_):
        yield regular(word)
    for word in lists.eur:
        feminine = feminine_of(word)
        yield make_noun(word, word + "s", word + "e", feminine, feminine + "nen")
    for prefix in lists.mann:
        words = ("mann", "mannes", "männer", "frau", "frauen")
        yield make_noun(*(prefix + word for word in words))._replace(men=prefix.endswith("Ehe"))
    for stem in lists.adjectival_in:
        masculines: dict[Cell, tuple[str, ...]] = dict.fromkeys(CELLS, ("*" + stem,))
        yield Noun(stem, masculines, _feminine(stem + "in", stem + "innen", neuter=False))


Entry: TypeAlias = tuple["Noun", "Gender", Cell]


@cache
def _index() -> dict[str, list[Entry]]:
    found: dict[str, list[Entry]] = {}

    def add(noun: Noun, gender: Gender, paradigm: dict[Cell, tuple[str, ...]]) -> None:
        for cell, forms in paradigm.items():
            for form in forms:
                for written in _spellings(form):
                    found.setdefault(written, []).append((noun, gender, cell))

    nouns = {noun.lemma: noun for noun in reversed(list(_nouns()))}
    for noun in reversed(list(nouns.values())):
        add(noun, "masculine", noun.masculine)
        add(noun, "feminine", noun.feminine)
    for singular, plural, masculine in person_rows("read_only"):
        noun = nouns.get(masculine) or regular(masculine)
        add(noun, "feminine", _feminine(singular, plural, neuter=singular.endswith("mädchen")))
    return found


def _spellings(form: str) -> Iterable[str]:
    if not form.startswith("*"):
        return (form.lower(),)
    return tuple(form[1:].lower() + ending for ending in ("e", "er", "en", "em"))


@cache
def noun_readings(word: str, *, guess: bool = False) -> tuple[NounReading, ...]:
    """The readings of a word as a noun for a person; `guess` also by its ending alone."""
    low = word.lower()
    lists = people()
    if low in lists.things_lower:
        return ()
    found = [*_listed(low, ""), *_adjectival(word)]
    if not found:
        found = [*_compound(word, guess=guess)]
    if not found:
        found = [*_by_ending(word, guess=guess)]
    return tuple(found)


def is_one_woman(word: str) -> bool:
    """Whether the word is a feminine singular that is no plural: Lehrerin, Krankenschwester."""
    readings = [each for each in noun_readings(word) if each.noun is not None]
    return bool(readings) and all(
        each.gender == "feminine" and not any(cell.plural for cell in each.cells)
        for each in readings
    )


def _listed(low: str, prefix: str) -> Iterator[NounReading]:
    grouped: dict[tuple[str, Gender], tuple[Noun, list[Cell]]] = {}
    for noun, gender, cell in _index().get(low, ()):
        cells = grouped.setdefault((noun.lemma, gender), (noun, []))[1]
        if cell not in cells:
            cells.append(cell)
    for (_, gender), (noun, cells) in grouped.items():
        yield NounReading(noun, gender, tuple(cells), prefix)


def _adjectival(word: str) -> Iterator[NounReading]:
    for ending in ("er", "en", "em", "e"):
        stem = word.removesuffix(ending)
        if stem == word:
            continue
        noun = word[:1].isupper() or word[:1].isdigit()  # der 34-Jährige
        ranked = stem.lower() in people().ranked or (noun and is_superlative(stem))
        if (noun and _is_adjectival_stem(stem)) or ranked:
            only = ranked and stem not in people().adjectival
            for gender in ("masculine", "feminine"):
                yield NounReading(None, gender, CELLS, stem, ranked=only)
            return


def _is_adjectival_stem(stem: str) -> bool:
    """Whether an adjective is used as a noun for people: Angestellt, Bankangestellt."""
    return stem in people().adjectival or stem.lower().endswith(people().adjectival_heads)


_UMLAUTED = tuple(
    "klüg dümm jüng ält größ stärk schwäch läng kürz härt kält wärm höch schärf kränk".split()
)


def is_superlative(stem: str) -> bool:
    """Whether the stem is a superlative: Undankbarst, Zweitjüngst, Ehrlichst."""
    low = stem.lower()
    base = low.removesuffix("st").removesuffix("e") if low.endswith("est") else low[:-2]
    if not low.endswith("st") or len(base) < 3:
        return False
    known = (*ADJECTIVE_SUFFIXES, *_UMLAUTED, "zweitb", "drittb", "zweitletz", "drittletz")
    return base in words().adjectives or base.endswith(known)


def _compound(word: str, *, guess: bool) -> Iterator[NounReading]:
    """The readings by the last part; masculines that end many other words only as guesses."""
    if not word[:1].isupper():
        return
    for start in range(3, len(word) - 2):
        tail = word[start:]
        if word[start - 1] == "-":
            tail = tail.lower()
        if not tail[:1].islower():
            continue
        entries = _index().get(tail, ())
        if not entries:
            continue
        lemmas = {noun.lemma for noun, _, _ in entries}
        plain = not lemmas & people().no_compounds and len(tail) > 3
        if plain or (tail.endswith(("in", "innen")) and len(tail) > 4):  # Meisterköchin, Hofrätin
            yield from _listed(tail, word[:start])
            return
        if guess and lemmas & people().guessed_compounds:
            yield from (each._replace(guessed=True) for each in _listed(tail, word[:start]))
            return


_FEMININE_ENDINGS = ("erin", "istin", "entin", "antin", "orin", "eurin", "login", "atin", "ärin")
_MASCULINE_ENDINGS = ("er", "ist", "ent", "ant", "or", "eur", "loge", "graf", "soph")
_ADJECTIVAL_ENDINGS = tuple(
    "licher ischer loser ierter ender ieller ueller igter pflichtiger fähiger süchtiger williger "
    "bedürftiger".split()
)


def _by_ending(word: str, *, guess: bool) -> Iterator[NounReading]:
    if not word[:1].isupper() or len(word) < 6:
        return
    plural = word.endswith("innen")
    singular = word[:-3] if plural else word
    if singular.endswith(_FEMININE_ENDINGS):
        masculine = singular[:-2] + ("e" if singular.endswith("login") else "")
        yield NounReading(
            regular(masculine),
            "feminine",
            tuple(cell for cell in CELLS if cell.plural == plural),
            guessed=True,
        )
    elif guess and word.endswith(_ADJECTIVAL_ENDINGS):
        yield NounReading(None, "masculine", CELLS, word.removesuffix("er"), guessed=True)
    elif guess and word.endswith(_MASCULINE_ENDINGS) and not _ends_in_thing(word):
        cells = tuple(cell for cell in CELLS if not cell.plural and cell.case != "gen")
        yield NounReading(regular(word), "masculine", cells, guessed=True)


def _ends_in_thing(word: str) -> bool:
    """Whether the word is a compound of something that is no person: Arbeitstier."""
    return not word.endswith(("walter", "stalter")) and word.endswith(
        tuple(thing for thing in people().things_lower if len(thing) > 3)
    )
