"""What a word can be as a noun or an adjective: somebody, or a thing."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from epicene.languages.rewriting.arabic import fixed, guessing
from epicene.languages.rewriting.arabic.clitics import NOUN_PREFIXES, SUFFIXES, Prefix, Suffix
from epicene.languages.rewriting.arabic.dictionary import dictionary
from epicene.languages.rewriting.arabic.letters import folded, may_be_written
from epicene.languages.rewriting.arabic.lexicon import people, things

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.languages.rewriting.arabic.declension import Form, Lemma
    from epicene.languages.rewriting.people import Gender

# Words whose readings are remembered.
_REMEMBERED = 2**15
_SHORTEST_THING = 3


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
        for lemma, form, letters_of in people().alone.get(folded(rest), ()):
            if rest.endswith("ى") and form.bound:  # a verb, rather: أبقى is no plural of a name
                continue
            if not may_be_written(rest, letters_of):
                continue
            if not (prefix.article and (form.bound or form.nunated)):
                yield NounParse(prefix, rest, None, lemma, form)
        if prefix.article:
            continue
        for suffix in SUFFIXES:
            stem = rest[: -len(suffix.letters)]
            if suffix.letters == "ني" or not rest.endswith(suffix.letters) or len(stem) < 2:
                continue
            for lemma, form, letters_of in people().suffixed.get(folded(stem), ()):
                if may_be_written(stem, letters_of):
                    yield NounParse(prefix, stem, suffix, lemma, form)


def _guessed_nouns(letters: str) -> Iterator[NounParse]:
    for prefix in NOUN_PREFIXES:
        rest = letters[len(prefix.letters) :]
        if not letters.startswith(prefix.letters) or len(rest) < 3 or is_thing(rest):
            continue
        if fixed.pair("numerals", rest):
            continue
        if not prefix.article and rest.startswith("ال"):
            continue
        joined = bool(prefix.letters) and not prefix.article
        for lemma, form in guessing.guesses(rest, article=prefix.article):
            looked_up = _looked_up(lemma)
            if looked_up is None or (
                joined and not looked_up.known and not guessing.is_participle(rest)
            ):
                continue
            yield NounParse(prefix, rest, None, looked_up, form)


def _looked_up(guess: Lemma) -> Lemma | None:
    """The guess, with what the dictionary says of it, if there is one; None if it is a thing."""
    words = dictionary()
    entry = words.entry(guess.masculine) if words is not None else None
    if entry is None:
        return guess
    if entry.sort == "thing":
        return None
    return guess._replace(known=True, adjective=True, masculine_plural=entry.plural)


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
        (_joined(parse) for parse in _known_nouns(letters) if not _is_rare_plural(parse)),
        default=None,
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
            if gender is None and suffix and stem[-1] in "اي":  # عينيك
                gender = _thing_gender(stem[:-1])
            if gender is None:
                continue
            closer = person is not None and person <= len(prefix.letters) + len(suffix)
            return None if closer else Thing(gender, prefix.letters, bool(suffix))
    return None


def _is_rare_plural(parse: NounParse) -> bool:
    """كتاب is a book, rather than writers; حياتها is her life, rather than her living ones."""
    if parse.suffix is not None and parse.form.number == "plural" and not parse.lemma.person:
        return True
    if parse.form.number != "plural" or parse.form.gender != "masculine":
        return False
    plural = parse.lemma.masculine_plural
    return bool(plural) and folded(parse.stem).startswith(folded(plural[:-1]))


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


def is_whole_noun(letters: str) -> bool:
    """Whether a word for people is written so, with nothing before it: فلكي is no لكي."""
    return any(not parse.prefix.letters and not parse.suffix for parse in _known_nouns(letters))
