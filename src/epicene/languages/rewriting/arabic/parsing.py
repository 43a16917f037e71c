"""What a word can be: a function word, a form of a verb, a form of a word for people."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.rewriting.arabic import conjugation, fixed, guessing
from epicene.languages.rewriting.arabic.clitics import (
    NOUN_PREFIXES,
    SUFFIXES,
    VERB_PREFIXES,
    Prefix,
    Suffix,
    verb_stems,
)
from epicene.languages.rewriting.arabic.letters import folded
from epicene.languages.rewriting.arabic.lexicon import (
    function_words,
    people,
    suffixed_people,
    things,
    verbs,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.languages.rewriting.arabic.conjugation import Cell, Verb
    from epicene.languages.rewriting.arabic.declension import Form, Lemma
    from epicene.languages.rewriting.people import Gender

_REMEMBERED = 2**15
_SHORTEST_THING = 3


class VerbParse(NamedTuple):
    """A word as a verb, without what is joined to it."""

    prefix: str
    written: str  # the form as the line has it
    stem: str  # as the table has it
    suffix: Suffix | None
    verb: Verb
    cell: Cell

    @property
    def exact(self) -> bool:
        """Whether it is spelled as the table has it, hamzas too."""
        return self.written == self.stem


class NounParse(NamedTuple):
    """A word as a noun or an adjective; `stem` is as written."""

    prefix: Prefix
    stem: str
    suffix: Suffix | None
    lemma: Lemma
    form: Form

    @property
    def definite(self) -> bool:
        """By the article or by a possessor joined to it."""
        return self.prefix.article or self.suffix is not None


@lru_cache(maxsize=_REMEMBERED)
def verb_parses(letters: str) -> tuple[VerbParse, ...]:
    """All readings as a verb, those spelled exactly so first, then those with fewest clitics."""
    found = sorted(_verb_parses(letters), key=_rank)
    return tuple(found)


def _rank(parse: VerbParse) -> tuple[bool, int]:
    suffix = len(parse.suffix.letters) if parse.suffix else 0
    return not parse.exact, len(parse.prefix) + suffix


def _verb_parses(letters: str) -> Iterator[VerbParse]:
    table = verbs()
    for prefix in VERB_PREFIXES:
        if not letters.startswith(prefix):
            continue
        rest = letters[len(prefix) :]
        for suffix, stem in _cut_verb(rest):
            for reading in table.readings.get(folded(stem), ()):
                verb, cell = reading
                if not _prefix_fits(prefix, cell):
                    continue
                form = table.forms[verb, cell]
                yield VerbParse(prefix, stem, form, suffix, verb, cell)


def _cut_verb(rest: str) -> Iterator[tuple[Suffix | None, str]]:
    yield None, rest
    for suffix in SUFFIXES:
        if suffix.letters == "ي" or len(rest) - len(suffix.letters) < 2:
            continue
        if rest.endswith(suffix.letters) or (suffix.letters == "ني" and rest.endswith("نى")):
            for stem in verb_stems(rest[: -len(suffix.letters)]):
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
def noun_parses(letters: str) -> tuple[NounParse, ...]:
    """The readings as a word for people, those with fewest clitics first; a guess if none."""
    known = sorted((*_unmarked_feminine(letters), *_known_nouns(letters)), key=_noun_rank)
    plain = [parse for parse in known if "أ" not in parse.prefix.letters]
    return tuple(plain or known) or tuple(_guessed_nouns(letters))


def _unmarked_feminine(letters: str) -> Iterator[NounParse]:
    """آسفه for آسفة, where it is an adjective, which has no possessor."""
    if not letters.endswith("ه"):
        return
    for parse in _known_nouns(letters[:-1] + "ة"):
        singular = parse.form.gender == "feminine" and parse.form.number == "singular"
        if singular and parse.suffix is None and parse.lemma.adjective and not parse.lemma.person:
            yield parse._replace(stem=parse.stem[:-1] + "ه")


def _noun_rank(parse: NounParse) -> tuple[int, int]:
    """One person before several, the fewest letters joined first."""
    return ("singular", "plural", "dual").index(parse.form.number), _joined(parse)


def _known_nouns(letters: str) -> Iterator[NounParse]:
    for prefix in NOUN_PREFIXES:
        rest = letters[len(prefix.letters) :]
        if not letters.startswith(prefix.letters) or len(rest) < 2:
            continue
        for lemma, form in people().get(folded(rest), ()):
            if rest.endswith("ى") and form.bound:  # a verb, rather: أبقى is no plural of a name
                continue
            if not (prefix.article and (form.bound or form.nunated)):
                yield NounParse(prefix, rest, None, lemma, form)
        if prefix.article:
            continue
        for suffix in SUFFIXES:
            stem = rest[: -len(suffix.letters)]
            if suffix.letters == "ني" or not rest.endswith(suffix.letters) or len(stem) < 2:
                continue
            for lemma, form in suffixed_people().get(folded(stem), ()):
                yield NounParse(prefix, stem, suffix, lemma, form)


def _guessed_nouns(letters: str) -> Iterator[NounParse]:
    for prefix in NOUN_PREFIXES:
        rest = letters[len(prefix.letters) :]
        if not letters.startswith(prefix.letters) or len(rest) < 3 or is_thing(rest):
            continue
        if fixed.pair("numerals", rest):
            continue
        if prefix.letters and not prefix.article and not guessing.is_participle(rest):
            continue
        if not prefix.article and rest.startswith("ال"):
            continue
        for lemma, form in guessing.guesses(rest):
            yield NounParse(prefix, rest, None, lemma, form)


def is_thing(stem: str) -> bool:
    """Whether a noun, without anything joined to it, is in the lists of things."""
    key = folded(stem)
    lists = things()
    if key in lists.masculine or key in lists.feminine or key in lists.plural:
        return True
    return key.endswith("ا") and key[:-1] in lists.masculine


class Thing(NamedTuple):
    """A noun that is not a person: the gender it goes with, and whether a pronoun ends it."""

    gender: Gender
    prefix: str = ""
    suffixed: bool = False


@lru_cache(maxsize=_REMEMBERED)
def thing_of(letters: str) -> Thing | None:
    """The word as a noun for a thing, if it is known as one and not rather as a person."""
    person = min(
        (_joined(parse) for parse in _known_nouns(letters) if not _is_broken(parse)), default=None
    )
    if folded(letters) in things().names:
        return Thing("feminine" if letters.endswith("ا") else "masculine")
    for prefix in NOUN_PREFIXES:
        rest = folded(letters[len(prefix.letters) :])
        if prefix.preposition and rest in things().names and letters.startswith(prefix.letters):
            return Thing("feminine", prefix.letters)
        if not letters.startswith(prefix.letters) or "أ" in prefix.letters:
            continue
        if prefix.preposition and len(rest) < _SHORTEST_THING:
            continue
        suffixed = () if prefix.article else _without_suffix(rest)
        for stem, suffix in ((rest, ""), *suffixed):
            gender = _thing_gender(stem)
            if gender is None:
                continue
            closer = person is not None and person <= len(prefix.letters) + len(suffix)
            return None if closer else Thing(gender, prefix.letters, bool(suffix))
    return None


def _is_broken(parse: NounParse) -> bool:
    """كتاب is a book, rather than writers."""
    form = parse.form
    masculine = form.number == "plural" and form.gender == "masculine"
    return masculine and (form.bound is None or form.nunated)


def _joined(parse: NounParse) -> int:
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
    for suffix in SUFFIXES:
        stem = rest[: -len(suffix.letters)]
        if suffix.letters == "ني" or not rest.endswith(suffix.letters) or len(stem) < 2:
            continue
        yield stem, suffix.letters
        if stem.endswith("ت"):
            yield stem[:-1] + "ة", suffix.letters
        elif stem.endswith(("ئ", "ؤ")):
            yield stem[:-1] + "ء", suffix.letters


class FunctionParse(NamedTuple):
    """A function word: what is joined to its front, its list, itself folded and as written."""

    prefix: str
    sort: str
    base: str
    suffix: Suffix | None = None
    written: str = ""


_FIXED = {
    "انا": "I", "نحن": "we", "انت": "you", "انتي": "you", "انتم": "you all", "انتن": "you all",
    "انتما": "you two", "هو": "he", "هي": "he", "هم": "they", "هن": "they", "هما": "they two",
}  # fmt: skip
_PLAIN = (
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
_SUFFIXED = ("role_markers", "inna", "prepositions")
_PREFIXES = ("", "و", "ف", "أ", "ا", "أو", "أف", "ل", "ول", "فل", "ب", "وب", "ك")


@lru_cache(maxsize=_REMEMBERED)
def function_parse(letters: str) -> FunctionParse | None:
    """The reading as a function word, if there is one."""
    for prefix in _PREFIXES:
        if not letters.startswith(prefix) or (prefix and _is_whole_noun(letters)):
            continue
        base = folded(letters[len(prefix) :])
        if base == "كان" and "أ" not in letters[len(prefix) :]:  # not كأن
            continue
        if base == "ان" and "آ" in letters:
            continue
        found = _plain(prefix, base, exception="إ" in letters) or _suffixed(prefix, base)
        if found:
            return found._replace(written=letters[len(prefix) :])
    return None


def _is_whole_noun(letters: str) -> bool:
    """Whether a word for people is written so, with nothing before it: فلكي is no لكي."""
    return any(not parse.prefix.letters and not parse.suffix for parse in _known_nouns(letters))


def _after_preposition(prefix: str, base: str) -> FunctionParse | None:
    """لهذا, بالذي, بكل: with a preposition joined to its front."""
    lists = function_words()
    for sort in ("demonstratives", "relatives"):
        if base in lists[sort]:
            return FunctionParse(prefix, sort, base)
    if base in {"كل", "بعض", "غير", "مجرد", "اي"} and prefix != "ك":
        return FunctionParse(prefix, "prepositions", base)
    return None


def _plain(prefix: str, base: str, *, exception: bool) -> FunctionParse | None:
    if prefix in {"ل", "ول", "فل", "ب", "وب", "ك"}:
        return _after_preposition(prefix, base)
    if base in _FIXED:
        return FunctionParse(prefix, _FIXED[base], base)
    lists = function_words()
    if base in lists["prepositions"]:
        return FunctionParse(prefix, "prepositions", base)
    for sort in _PLAIN:
        if base in lists[sort] and not (base == "الا" and (sort == "transparent") != exception):
            return FunctionParse(prefix, sort, base)
    return None


def _unsuffixed(stem: str, suffix: Suffix) -> Iterator[str]:
    """What the word may be without its pronoun: بصفتي is بصفة, منا is من."""
    yield stem
    if stem.endswith("ت"):
        yield stem[:-1] + "ة"
    if suffix.letters in {"نا", "ني"}:
        yield stem + "ن"


def _suffixed(prefix: str, base: str) -> FunctionParse | None:
    lists = function_words()
    if prefix in {"ل", "ول", "فل", "ب", "وب", "ك"}:
        return None
    for suffix in SUFFIXES:
        stem = base[: -len(suffix.letters)]
        if not base.endswith(suffix.letters) or not stem:
            continue
        if prefix in {"", "و", "ف", "أ"} and stem in {"ل", "ب"} and suffix.letters != "ني":
            return FunctionParse(prefix, "prepositions", stem, suffix)
        for sort in _SUFFIXED:
            for whole in _unsuffixed(stem, suffix):
                if whole in lists[sort]:
                    return FunctionParse(prefix, sort, whole, suffix)
    return None


@lru_cache(maxsize=_REMEMBERED)
def guessed_verbs(letters: str) -> tuple[VerbParse, ...]:
    """Imperfects of verbs that no list has, by their prefix; only where a verb must stand."""
    found = []
    for prefix in VERB_PREFIXES:
        rest = letters[len(prefix) :]
        if not letters.startswith(prefix) or len(rest) < 4 or rest[0] not in "يت":
            continue
        for suffix, form in reversed(list(_cut_verb(rest))):
            for stem in _imperfect_stems(form):
                verb = conjugation.Verb("", stem, "sound")
                for word, cell in conjugation.forms(verb):
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
