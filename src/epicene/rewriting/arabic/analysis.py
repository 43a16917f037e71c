"""The readings of a word by itself: as a verb, a person, a thing or a function word."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from epicene.rewriting.arabic import conjugation, inflection, lexicon
from epicene.rewriting.arabic.dictionary import dictionary
from epicene.rewriting.arabic.lexicon import (
    before_suffix,
    function_words,
    noun_table,
    things,
    verb_table,
)
from epicene.rewriting.arabic.spelling import (
    SUFFIXES,
    VERB_PREFIXES,
    Prefix,
    Suffix,
    fold_letters,
    may_be_written,
    noun_prefixes,
    stems_before_suffix,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.rewriting.arabic.conjugation import Cell, Verb
    from epicene.rewriting.arabic.inflection import Lemma, NounFeatures
    from epicene.rewriting.persons import Gender

# Words whose readings are remembered.
_REMEMBERED = 2**15


class VerbParse(NamedTuple):
    """A reading as a verb, separate from its clitics."""

    prefix: str
    written: str  # the form as the line has it
    stem: str  # as the table has it
    suffix: Suffix | None
    verb: Verb
    cell: Cell

    @property
    def exact(self) -> bool:
        """Whether the word is spelled as in the table, hamzas included."""
        return self.written == self.stem


@lru_cache(maxsize=_REMEMBERED)
def analyse_verb(letters: str) -> tuple[VerbParse, ...]:
    """All readings as a verb, exact spellings first, then those with the fewest clitics."""
    found = sorted(_find_verb_parses(letters), key=_verb_rank)
    return tuple(found)


def _verb_rank(parse: VerbParse) -> tuple[bool, int]:
    suffix = len(parse.suffix.letters) if parse.suffix else 0
    return not parse.exact, len(parse.prefix) + suffix


def _find_verb_parses(letters: str) -> Iterator[VerbParse]:
    table = verb_table()
    for prefix in VERB_PREFIXES:
        if not letters.startswith(prefix):
            continue
        rest = letters[len(prefix) :]
        for suffix, stem in _cut_verb(rest):
            for verb, cell, form in table.get(fold_letters(stem)):
                if stem[0] == "إ" and form[0] == "أ" and cell.tense != "imperative":
                    continue  # إقالته is no أقالته
                yours = suffix is not None and suffix.person == 2
                if yours and cell.tense == "imperative" and form != "دع":
                    continue  # أريك is no command, but دعك من ذلك
                if _prefix_fits(prefix, cell):
                    yield VerbParse(prefix, stem, form, suffix, verb, cell)


def _cut_verb(rest: str) -> Iterator[tuple[Suffix | None, str]]:
    yield None, rest
    for suffix in SUFFIXES:
        if suffix.letters == "ي" or len(rest) - len(suffix.letters) < 2:
            continue
        if rest.endswith(suffix.letters) or (suffix.letters == "ني" and rest.endswith("نى")):
            for stem in stems_before_suffix(rest[: -len(suffix.letters)]):
                yield suffix, stem


def _prefix_fits(prefix: str, cell: Cell) -> bool:
    if prefix.endswith("س"):
        return cell.tense == "imperfect" and cell.mood == "full"
    if prefix.endswith("ل"):
        return cell.tense == "perfect" or (cell.tense == "imperfect" and cell.mood != "full")
    if prefix.endswith("أ"):
        return cell.tense != "imperative"
    return True


@lru_cache(maxsize=_REMEMBERED)
def guess_verbs(letters: str) -> tuple[VerbParse, ...]:
    """Imperfects of unlisted verbs, by their prefix; only for positions that call for a verb."""
    found = []
    for prefix in VERB_PREFIXES:
        rest = letters[len(prefix) :]
        if not letters.startswith(prefix) or len(rest) < 4 or rest[0] not in "يت":
            continue
        for suffix, form in reversed(list(_cut_verb(rest))):
            for stem in _imperfect_stems(form):
                verb = conjugation.Verb("", stem, "sound")
                for word, cell in conjugation.verb_forms(verb):
                    if word == form and _prefix_fits(prefix, cell):
                        found.append(VerbParse(prefix, form, form, suffix, verb, cell))
            if found:
                return tuple(found)
    return tuple(found)


def _imperfect_stems(form: str) -> Iterator[str]:
    for ending in ("ين", "ون", "وا", "ن", "ي", ""):
        if form.endswith(ending) and len(form) - len(ending) >= 4:
            yield form[1 : len(form) - len(ending)]
            return


_SHORTEST_THING = 3


class NounParse(NamedTuple):
    """A reading as a noun or an adjective; `stem` is as written."""

    prefix: Prefix
    stem: str
    suffix: Suffix | None
    lemma: Lemma
    form: NounFeatures

    @property
    def definite(self) -> bool:
        """Whether the noun has the article or a possessive suffix."""
        return self.prefix.article or self.suffix is not None


@lru_cache(maxsize=_REMEMBERED)
def analyse_noun(letters: str) -> tuple[NounParse, ...]:
    """The readings as a word for people, those with fewest clitics first; guesses if none."""
    known = sorted((*_unmarked_feminine(letters), *_known_nouns(letters)), key=_noun_rank)
    plain = [parse for parse in known if "أ" not in parse.prefix.letters]
    return tuple(plain or known) or tuple(_guessed_nouns(letters))


def _unmarked_feminine(letters: str) -> Iterator[NounParse]:
    """Readings of a feminine adjective written with ه for ة: آسفه for آسفة.

    An adjective has no possessive that the ه could be.
    """
    if not letters.endswith("ه"):
        return
    for parse in _known_nouns(letters[:-1] + "ة"):
        singular = parse.form.gender == "feminine" and parse.form.number == "singular"
        if singular and parse.suffix is None and parse.lemma.adjective and not parse.lemma.person:
            yield parse._replace(stem=parse.stem[:-1] + "ه")


def _noun_rank(parse: NounParse) -> tuple[int, int]:
    """The sort key of a reading: singulars first, then the fewest letters of clitics."""
    return ("singular", "plural", "dual").index(parse.form.number), _clitic_letters(parse)


@lru_cache(maxsize=2**10)  # a word is asked for several times in a row
def _known_nouns(letters: str) -> tuple[NounParse, ...]:
    return tuple(_find_known_nouns(letters))


def _find_known_nouns(letters: str) -> Iterator[NounParse]:
    for prefix in noun_prefixes(letters):
        rest = letters[len(prefix.letters) :]
        if len(rest) < 2:
            continue
        for lemma, form, spelling in noun_table().get(fold_letters(rest)):
            if not may_be_written(rest, spelling) or _is_something_else(rest, lemma, form):
                continue
            if prefix.article and lemma.ending == "defective" and spelling + "ي" == lemma.masculine:
                continue  # البال is no البالي
            if not (prefix.article and (form.bound or form.nunated)):
                yield NounParse(prefix, rest, None, lemma, form)
        if prefix.article:
            continue
        for stem, suffix in _cut_possessives(rest):
            for lemma, form, spelling in noun_table().get(before_suffix(stem)):
                if may_be_written(stem, spelling):
                    yield NounParse(prefix, stem, suffix, lemma, form)


def _is_something_else(rest: str, lemma: Lemma, form: NounFeatures) -> bool:
    """Whether the word is rather a verb (أبقى), a thing (موسيقى, أمن) or somebody of mine (أخي)."""
    if rest == "أمن":
        return True
    if rest.endswith("ى"):
        return bool(form.bound) or is_listed_thing(rest)
    return rest.endswith("ي") and lemma.masculine in {"أب", "أخ"}


def _cut_possessives(rest: str) -> Iterator[tuple[str, Suffix]]:
    for suffix in SUFFIXES:
        stem = rest[: -len(suffix.letters)]
        if suffix.letters != "ني" and rest.endswith(suffix.letters) and len(stem) > 1:
            yield stem, suffix


def _guessed_nouns(letters: str) -> Iterator[NounParse]:
    for prefix in noun_prefixes(letters):
        rest = letters[len(prefix.letters) :]
        if len(rest) < 3 or is_listed_thing(rest):
            continue
        if lexicon.fixed_pair("numerals", rest):
            continue
        if not prefix.article and rest.startswith("ال"):
            continue
        joined = bool(prefix.letters) and not prefix.article
        for lemma, form in inflection.guess_nouns(rest, article=prefix.article):
            looked_up = _with_dictionary(lemma)
            if looked_up is None or (
                joined and not looked_up.known and not inflection.is_participle(rest)
            ):
                continue
            yield NounParse(prefix, rest, None, looked_up, form)


def _with_dictionary(guess: Lemma) -> Lemma | None:
    """The guess, completed from the dictionary if that has it; None if it is a thing."""
    words = dictionary()
    entry = words.entry(guess.masculine) if words is not None else None
    if entry is None:
        return guess
    if entry.kind == "thing":
        return None
    return guess._replace(known=True, adjective=True, masculine_plural=entry.plural)


def is_listed_thing(stem: str) -> bool:
    """Whether a noun without clitics is in the lists of things."""
    key = fold_letters(stem)
    lists = things()
    if key in lists.masculine or key in lists.feminine or key in lists.plural:
        return True
    return key.endswith("ا") and key[:-1] in lists.masculine


class Thing(NamedTuple):
    """A noun for a thing: its gender, and whether it has a suffixed pronoun."""

    gender: Gender
    prefix: str = ""
    suffixed: bool = False


# With the article the quarter, not the living; abroad, not who goes out.
_PLACES = frozenset({"حي", "خارج", "داخل"})


@lru_cache(maxsize=_REMEMBERED)
def analyse_thing(letters: str) -> Thing | None:
    """The reading as a thing, if it is listed and no reading as a person is closer."""
    person = min(
        (
            _clitic_letters(parse)
            for parse in _known_nouns(letters)
            if not (_is_rare_plural(parse) or parse.stem in lexicon.fields_of_work())
            and not (parse.prefix.article and parse.stem in _PLACES)
        ),
        default=None,
    )
    if fold_letters(letters) in things().names:
        return Thing("feminine" if letters.endswith("ا") else "masculine")
    for prefix in noun_prefixes(letters):
        rest = fold_letters(letters[len(prefix.letters) :])
        if prefix.preposition and rest in things().names:
            return Thing("feminine", prefix.letters)
        if "أ" in prefix.letters or (prefix.preposition and len(rest) < _SHORTEST_THING):
            continue
        suffixed = () if prefix.article else _without_suffix(rest)
        for stem, suffix in ((rest, ""), *suffixed):
            gender = _thing_gender(stem)
            if gender is None and suffix and stem[-1] in "اي" and stem[-2] != "ا":  # عينيك
                gender = _thing_gender(stem[:-1])
            if gender is None:
                continue
            closer = person is not None and person <= len(prefix.letters) + len(suffix)
            return None if closer else Thing(gender, prefix.letters, bool(suffix))
    return None


def _is_rare_plural(parse: NounParse) -> bool:
    """Whether a plural for people is the rarer reading: كتاب is a book rather than writers.

    حياتها is her life rather than her living ones.
    """
    if parse.suffix is not None and parse.form.number == "plural" and not parse.lemma.person:
        return True
    if parse.form.number == "plural" and fold_letters(parse.stem) in things().plural:
        return True  # رياضيات
    if parse.form.number != "plural" or parse.form.gender != "masculine":
        return False
    plural = parse.lemma.masculine_plural
    return bool(plural) and fold_letters(parse.stem).startswith(fold_letters(plural[:-1]))


def _clitic_letters(parse: NounParse) -> int:
    return len(parse.prefix.letters) + (len(parse.suffix.letters) if parse.suffix else 0)


def _thing_gender(stem: str) -> Gender | None:
    lists = things()
    if stem in lists.feminine or stem in lists.plural:
        return "feminine"
    if stem in lists.masculine or (stem.endswith("ا") and stem[:-1] in lists.masculine):
        return "masculine"
    if stem.endswith(("تان", "تين")) and stem[:-3] + "ة" in lists.feminine:
        return "feminine"
    if stem.endswith(("ان", "ين")) and stem[:-2] in lists.masculine:
        return "masculine"
    return None


def _without_suffix(rest: str) -> Iterator[tuple[str, str]]:
    for stem, suffix in _cut_possessives(rest):
        yield stem, suffix.letters
        if stem.endswith("ت"):
            yield stem[:-1] + "ة", suffix.letters
        elif stem.endswith(("ئ", "ؤ")):
            yield stem[:-1] + "ء", suffix.letters


@lru_cache(maxsize=_REMEMBERED)
def is_only_name(letters: str) -> bool:
    """Whether a first name is no other word: محمود, but not عادل."""
    verbs = any(parse.exact for parse in analyse_verb(letters))
    known = any(parse.lemma.known for parse in analyse_noun(letters))
    return not (verbs or known or analyse_thing(letters) or analyse_function_word(letters))


def is_whole_noun(letters: str) -> bool:
    """Whether the whole word is a word for people, without clitics: فلكي is not ف + لكي."""
    return letters == "أبي" or any(
        not parse.prefix.letters and not parse.suffix for parse in _known_nouns(letters)
    )


class FunctionParse(NamedTuple):
    """A reading as a function word: proclitics, list, and base, folded and as written."""

    prefix: str
    kind: str
    base: str
    suffix: Suffix | None = None
    written: str = ""


_PERSONAL_PRONOUNS = {
    "انا": "I", "نحن": "we", "انت": "you", "انتي": "you", "انتم": "you all", "انتن": "you all",
    "انتما": "you two", "هو": "he", "هي": "he", "هم": "they", "هن": "they", "هما": "they two",
}  # fmt: skip
_PLAIN_LISTS = (
    "vocatives",
    "inna",
    "relatives",
    "demonstratives",
    "adverbs",
    "negations",
    "subordinators",
    "coordinators",
    "transparent",
)
_SUFFIXED_LISTS = ("role_markers", "inna", "prepositions")
_FUNCTION_WORD_PREFIXES = ("", "و", "ف", "أ", "ا", "أو", "أف", "ل", "ول", "فل", "ب", "وب", "ك")


@lru_cache(maxsize=_REMEMBERED)
def analyse_function_word(letters: str) -> FunctionParse | None:
    """The reading as a function word, if there is one."""
    for prefix in _FUNCTION_WORD_PREFIXES:
        if not letters.startswith(prefix) or (prefix and is_whole_noun(letters)):
            continue
        base = fold_letters(letters[len(prefix) :])
        if base == "كان" and "أ" not in letters[len(prefix) :]:  # not كأن
            continue
        if (base == "ان" and "آ" in letters) or letters == "ابدأ":
            continue
        found = _plain_function_word(
            prefix, base, exception="إ" in letters
        ) or _suffixed_function_word(prefix, base)
        if found and found.suffix and letters in lexicon.fields_of_work():  # فوري
            return None
        if found:
            return found._replace(written=letters[len(prefix) :])
    return None


def _after_preposition(prefix: str, base: str) -> FunctionParse | None:
    """The reading with a preposition attached: لهذا, بالذي, بكل."""
    lists = function_words()
    for kind in ("demonstratives", "relatives"):
        if base in lists[kind]:
            return FunctionParse(prefix, kind, base)
    if base in {"كل", "بعض", "غير", "مجرد", "اي", "اول"} and prefix != "ك":
        return FunctionParse(prefix, "prepositions", base)
    return None


def _plain_function_word(prefix: str, base: str, *, exception: bool) -> FunctionParse | None:
    if prefix in {"ل", "ول", "فل", "ب", "وب", "ك"}:
        return _after_preposition(prefix, base)
    if base in _PERSONAL_PRONOUNS:
        return FunctionParse(prefix, _PERSONAL_PRONOUNS[base], base)
    lists = function_words()
    if base in lists["prepositions"]:
        return FunctionParse(prefix, "prepositions", base)
    for kind in _PLAIN_LISTS:
        if base in lists[kind] and not (base == "الا" and (kind == "transparent") != exception):
            return FunctionParse(prefix, kind, base)
    return None


def _unsuffixed(stem: str, suffix: Suffix) -> Iterator[str]:
    """The possible forms of a word without its pronoun: بصفتي is بصفة, منا is من."""
    yield stem
    if stem.endswith("ت"):
        yield stem[:-1] + "ة"
    if suffix.letters in {"نا", "ني"}:
        yield stem + "ن"


def _suffixed_function_word(prefix: str, base: str) -> FunctionParse | None:
    lists = function_words()
    if prefix in {"ل", "ول", "فل", "ب", "وب", "ك"}:
        return None
    for suffix in SUFFIXES:
        stem = base[: -len(suffix.letters)]
        if not base.endswith(suffix.letters) or not stem:
            continue
        if prefix in {"", "و", "ف", "أ"} and stem in {"ل", "ب"} and suffix.letters != "ني":
            return FunctionParse(prefix, "prepositions", stem, suffix)
        for kind in _SUFFIXED_LISTS:
            for whole in _unsuffixed(stem, suffix):
                if whole in lists[kind]:
                    return FunctionParse(prefix, kind, whole, suffix)
    return None
