"""Look proposed nouns up: their gender, and a counterpart of the other gender.

A dictionary file is an extract of Wiktionary from kaikki.org (JSON lines, may be gzipped) or a
table with the columns language, word and gender; for French and Russian the extra `morphology` is
used too.
"""

from __future__ import annotations

import gzip
import zlib
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import regex

from epicene.core.data_files import MAX_LINE_BYTES, line_too_long, read_rows
from epicene.core.errors import InputError, RunError
from epicene.suites.construction import kept_rows
from epicene.suites.gramvis.articles import definite_article
from epicene.suites.gramvis.checks import check_words, counterpart
from epicene.suites.gramvis.items import (
    GRAMMARS,
    LANGUAGES,
    Word,
    is_well_spelled,
    language_of,
    word_id,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

    from epicene.suites.construction import StepOutputs, StepRow
    from epicene.suites.gramvis.construction.elicitation import GramvisBuild

_GENDERS = {
    "masculine": "M", "feminine": "F", "neuter": "N", "m": "M", "f": "F", "n": "N",
}  # fmt: skip


@dataclass
class Entry:
    """A noun's genders (M, F, N), its partners of the other gender, and the sources."""

    genders: set[str] = field(default_factory=set)
    partners: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)


# A language's nouns by their spelling.
Entries: TypeAlias = dict[tuple[str, str], Entry]


def look_up(words: Mapping[str, Set[str]], files: Iterable[str]) -> Entries:
    """Look words of each language up; every language needs at least one dictionary."""
    found: Entries = defaultdict(Entry)
    known: set[str] = set()
    for path in map(Path, filter(None, files)):
        known |= _read_file(path, words, found)
    for language, lexicon in _INSTALLED_DICTIONARIES.items():
        if language in words and lexicon(words[language], found):
            known.add(language)
    for language in words:
        if language not in known:
            raise InputError(
                f"There is no {LANGUAGES[language].capitalize()} dictionary to look words up "
                "in; set one with --set dictionaries=FILE, the language's file from "
                "kaikki.org or a table with language, word and gender."
            )
    return dict(found)


# --- files ---------------------------------------------------------------------------------


def _read_file(path: Path, words: Mapping[str, Set[str]], found: Entries) -> set[str]:
    """Add a file's entries of the words; return the languages that it covers."""
    if path.suffix.lower() in (".csv", ".tsv"):
        return _read_table(path, words, found)
    return _read_wiktionary(path, words, found)


def _read_table(path: Path, words: Mapping[str, Set[str]], found: Entries) -> set[str]:
    languages = set()
    for location, values in read_rows(path):
        language = language_of(str(values.get("language") or ""), location)
        languages.add(language)
        word = str(values.get("word") or "").strip()
        if word in words.get(language, ()):
            entry = found[language, word]
            entry.sources.add(path.name)
            for name in regex.findall(r"\p{L}+", str(values.get("gender") or "").lower()):
                if name not in _GENDERS:
                    raise InputError(f"{location} has the gender {name!r}; it must be m, f or n.")
                entry.genders.add(_GENDERS[name])
            entry.partners |= set(filter(None, [str(values.get("partner") or "").strip()]))
    return languages


class _Named(msgspec.Struct):
    word: str = ""


class _Sense(msgspec.Struct):
    tags: list[str] = []
    form_of: list[_Named] = []


class _Form(msgspec.Struct):
    form: str = ""
    tags: list[str] = []


class _Line(msgspec.Struct):
    """The fields read from a line of a Wiktionary extract."""

    word: str = ""
    lang_code: str = ""
    pos: str = ""
    tags: list[str] = []
    senses: list[_Sense] = []
    forms: list[_Form] = []


# Forms with these tags are the same noun in another number, size or case, not a partner.
_OTHER_FORMS = {"plural", "diminutive", "augmentative", "endearing", "pejorative", "genitive"}


def _read_wiktionary(path: Path, words: Mapping[str, Set[str]], found: Entries) -> set[str]:
    decoder = msgspec.json.Decoder(_Line)
    codes = {language.lower(): language for language in LANGUAGES}
    languages = set()
    for number, text in _lines(path):
        try:
            line = decoder.decode(text)
        except msgspec.DecodeError as error:
            location = f"{path}, line {number},"
            raise InputError(f"{location} is not a dictionary entry: {error}.") from None
        language = codes.get(line.lang_code, "")
        languages.add(language)
        if line.pos == "noun" and line.word in words.get(language, ()):
            entry = found[language, line.word]
            entry.sources.add(path.name)
            _add_to_entry(line, entry)
    return languages - {""}


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers, read one by one because a file may be a gigabyte."""
    number = 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            while line := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                if len(line) > MAX_LINE_BYTES:
                    raise line_too_long(str(path), number)
                if line.strip():
                    yield number, line
    except OSError as error:
        raise InputError(f"Could not read {path}: {error.strerror or error}.") from error
    except (EOFError, zlib.error) as error:
        raise InputError(f"{path} is damaged after line {number}: {error}.") from error


def _add_to_entry(line: _Line, entry: Entry) -> None:
    """Add the genders of all senses, and partners: forms of the other gender, and their bases."""
    own = _genders(line.tags)
    for sense in line.senses:
        if _OTHER_FORMS.isdisjoint(sense.tags):
            genders = _genders(sense.tags)
            own |= genders
            if "form-of" in sense.tags and genders:
                entry.partners |= {named.word for named in sense.form_of}
    entry.genders |= own
    for form in line.forms:
        if _OTHER_FORMS.isdisjoint(form.tags) and _genders(form.tags) - own:
            entry.partners.add(form.form)


def _genders(tags: Iterable[str]) -> set[str]:
    return {_GENDERS[tag] for tag in tags if tag in _GENDERS}


# --- what is installed -----------------------------------------------------------------------


def _french(words: Set[str], found: Entries) -> bool:
    from epicene.rewriting.french.dictionary import DELA, dictionary

    dela = dictionary()
    if dela is None:
        return False
    for word in words:
        genders = dela.noun_genders(word)
        if genders:
            entry = found["FR", word]
            entry.sources.add(DELA.package)
            entry.genders |= {_GENDERS[gender] for gender in genders}
            for gender in ("masculine", "feminine"):
                partner = dela.noun_partner(word, gender)
                entry.partners |= {partner} if partner and gender not in genders else set()
    return True


# Names of people and places and abbreviations, which pymorphy3 calls nouns too.
_NO_NOUNS = {"Name", "Surn", "Patr", "Geox", "Abbr"}


def _russian(words: Set[str], found: Entries) -> bool:
    try:
        import pymorphy3
    except ModuleNotFoundError:
        return False
    names = {"masc": "M", "femn": "F", "neut": "N", "ms-f": "MF"}
    morph = pymorphy3.MorphAnalyzer(lang="ru")
    for word in words:
        for parse in morph.parse(word) if morph.word_is_known(word) else ():
            marks = parse.tag.grammemes
            if "NOUN" in marks and parse.normal_form == word and not marks & _NO_NOUNS:
                entry = found["RU", word]
                entry.sources.add("pymorphy3")
                entry.genders |= {gender for mark in marks for gender in names.get(mark, "")}
    return True


_INSTALLED_DICTIONARIES: dict[str, Callable[[Set[str], Entries], bool]] = {
    "FR": _french,
    "RU": _russian,
}

_GLOSSES = ("english", "chinese", "genitive", "accusative")


def look_up_nouns(made: StepOutputs, settings: GramvisBuild) -> Iterator[StepRow]:
    """Each proposed noun with its dictionary entry, and why it is dropped, if so."""
    merged = list(_one_row_per_noun(kept_rows(made["propose"])))
    wanted: dict[str, set[str]] = defaultdict(set)
    for row in merged:
        wanted[row["language"]] |= {row["word"], *_guessed_partners(row)}
    entries = look_up(wanted, settings.dictionaries)
    passed = 0
    for row in merged:
        entry = entries.get((row["language"], row["word"]), Entry())
        fault = _reason_to_drop(row, entry, entries)
        if not fault:
            passed += 1
            (row["grammar"],) = entry.genders
            row["article"] = definite_article(row["language"], row["grammar"], row["word"])
            fault = _first_form_error(row)
        yield {**row, "dictionaries": sorted(entry.sources), "dropped": fault}
    if not passed:
        raise RunError(
            f"None of the {len(merged)} proposed nouns is in a dictionary with one gender and "
            "no partner; add dictionaries with --set dictionaries=FILE,FILE and build into "
            "another folder."
        )


def _one_row_per_noun(rows: Sequence[StepRow]) -> Iterator[StepRow]:
    """Each noun once, with its most common glosses and forms and the models that proposed it."""
    together: dict[tuple[str, str], list[StepRow]] = defaultdict(list)
    for row in rows:
        together[row["language"], row["word"]].append(row)
    for (language, word), proposals in together.items():
        yield {
            "id": f"{language}/{word}",
            "language": language,
            "word": word,
            **{
                name: _commonest(row[name] for row in proposals)
                for name in _GLOSSES
                if name in proposals[0]
            },
            "models": sorted({row["model"] for row in proposals}),
        }


def _commonest(texts: Iterable[str]) -> str:
    """The most frequent text; the first of several."""
    return Counter(texts).most_common(1)[0][0]


def _guessed_partners(row: StepRow) -> set[str]:
    guesses = {counterpart(row["language"], grammar, row["word"]) for grammar in GRAMMARS}
    return guesses - {"", row["word"]}


def _reason_to_drop(row: StepRow, entry: Entry, entries: Entries) -> str:
    """Why a noun is dropped; empty if it is not."""
    language, word = row["language"], row["word"]
    if not is_well_spelled(word):
        return "is not spelled as a word"
    if " " in word:
        return "is more than one word"
    if not entry.genders:
        return "is in no dictionary"
    if len(entry.genders) > 1:
        return f"has the genders {' and '.join(sorted(entry.genders))}"
    (grammar,) = entry.genders
    if grammar not in GRAMMARS:
        return "is neuter"
    guess = counterpart(language, grammar, word)
    if guess == word:
        return "is used in both genders"
    # A partner that endings suggest is one where a dictionary has it in the other gender.
    found = entries.get((language, guess), Entry()).genders - {grammar, "N"}
    partners = entry.partners - {word} | ({guess} if found else set())
    return f"has the partner {sorted(partners)[0]}" if partners else ""


def _first_form_error(row: StepRow) -> str:
    """The first error that the suite's own check finds in a noun's forms and glosses."""
    word = word_of(row, "male", "occupation")  # neither matters here
    errors = [found.message for found in check_words([word]) if found.severity == "error"]
    return errors[0].rstrip(".") if errors else ""


def word_of(row: StepRow, stereotype: str, category: str) -> Word:
    """The word of a row."""
    return Word(
        id=word_id(row["language"], row["word"], row["grammar"]),
        stereotype=stereotype,  # type: ignore[arg-type]
        category=category,
        **{
            name: row.get(name, "")
            for name in ("language", "word", "article", "grammar", *_GLOSSES)
        },
    )
