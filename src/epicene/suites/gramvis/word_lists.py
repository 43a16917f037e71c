"""Lists of words: ours, as first shipped or as revised, the paper's 200, or a user's file.

Five of our files stay unchanged, because runs are identified by their hashes; `revision.csv` has
better Chinese glosses and remarks on single words, `added.csv` new control words, and
`left_out.csv` the words of the paper that ours leave out, with the reason.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import msgspec

from epicene.core.data_files import read_rows, unescape_formula
from epicene.core.errors import InputError, pluralise, unknown
from epicene.suites.gramvis.articles import definite_article
from epicene.suites.gramvis.items import (
    LANGUAGES,
    Word,
    category_of,
    grammar_of,
    is_well_spelled,
    language_of,
    word_id,
)
from epicene.suites.gramvis.protocol import Remark

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from epicene.core.data_files import FileRow
    from epicene.suites import DataSource
    from epicene.suites.gramvis.own_languages import OwnLanguage
    from epicene.suites.gramvis.protocol import GramvisProtocol

STARTER = Path(__file__).parent / "starter"
REVISION, ADDED, LEFT_OUT = (STARTER / f"{name}.csv" for name in ("revision", "added", "left_out"))
_REQUIRED_COLUMNS = ("language", "word", "grammar", "stereotype", "category")
_OPTIONAL_COLUMNS = ("english", "chinese", "article", "genitive", "accusative", "published")
WORD_COLUMNS = (*_REQUIRED_COLUMNS, *_OPTIONAL_COLUMNS)
_REMARKS: tuple[str, ...] = get_args(Remark)


class RemarkedWord(NamedTuple):
    """A word, and why it is doubtful: a sex, a collective or an object; "" if it is not."""

    word: Word
    remark: str = ""


class WordList(NamedTuple):
    """The words that a protocol uses from a list, the files they come from, and what was left
    out."""

    words: Sequence[Word]
    files: Sequence[Path]
    notes: tuple[str, ...] = ()


def word_list(source: DataSource, protocol: GramvisProtocol) -> WordList:
    """The words of a user's file, or those of ours that the protocol names."""
    if source.path is not None:
        own = [*_remarked_words(source.path, source.columns, protocol.languages)]
        return _chosen_words(own, (source.path,), protocol)
    files = [starter_file(language) for language in LANGUAGES]
    if protocol.words == "first":
        return _chosen_words([RemarkedWord(word) for word in read_words()], files, protocol)
    if protocol.words == "paper":
        theirs = [each for each in revised_words(paper=True) if each.word.published]
        theirs += [RemarkedWord(word) for word in read_words(LEFT_OUT)]
        return _chosen_words(_by_language(theirs), [*files, REVISION, LEFT_OUT], protocol)
    ours = [*revised_words(), *(RemarkedWord(word) for word in read_words(ADDED))]
    return _chosen_words(_by_language(ours), [*files, REVISION, ADDED], protocol)


def _chosen_words(
    found: Sequence[RemarkedWord], files: Sequence[Path], protocol: GramvisProtocol
) -> WordList:
    """Without control words if there should be none, and without words whose remark is in
    `leave_out`."""
    doubtful = [each for each in found if each.remark in protocol.leave_out]
    controls = [
        each
        for each in found
        if each.word.control and not protocol.controls and each not in doubtful
    ]
    kept = [each.word for each in found if each not in doubtful and each not in controls]
    notes = []
    if doubtful:
        notes.append(
            f"Left out: {pluralise(len(doubtful), 'word')} marked "
            f"{', '.join(protocol.leave_out)}; use --set leave_out= to include them."
        )
    if controls:
        notes.append(
            f"Left out: {pluralise(len(controls), 'control word')}; use --set controls=true to "
            "include them."
        )
    return WordList(kept, files, tuple(notes))


def _by_language(words: Sequence[RemarkedWord]) -> list[RemarkedWord]:
    order = list(LANGUAGES)
    return sorted(words, key=lambda each: order.index(each.word.language))


@cache
def revised_words(*, paper: bool = False) -> tuple[RemarkedWord, ...]:
    """Our words with the glosses and remarks of the revision; optionally in the paper's
    categories."""
    changes = {
        (line.values["language"], line.values["word"]): line.values for line in read_rows(REVISION)
    }
    found = []
    for word in read_words():
        change = changes.get((word.language, word.word), {})
        fields = {name: change[name] for name in ("english", "chinese") if change.get(name)}
        if paper and change.get("paper_category"):
            fields["category"] = change["paper_category"]
        revised = msgspec.structs.replace(word, **fields)
        found.append(RemarkedWord(revised, change.get("remark", "")))
    return tuple(found)


# --- files -----------------------------------------------------------------------------------


def read_words(path: Path | None = None, columns: Mapping[str, str] | None = None) -> list[Word]:
    """The words of a user's file (CSV and the other tables Epicene reads), or all of ours."""
    if path is None:
        return [word for language in LANGUAGES for word in starter_words(language)]
    return [each.word for each in _remarked_words(path, columns or {}, {})]


@cache
def starter_words(language: str) -> tuple[Word, ...]:
    """Our words of one language."""
    return tuple(read_words(starter_file(language)))


def starter_file(language: str) -> Path:
    """The file of our words of one language."""
    return STARTER / f"{language.lower()}.csv"


def _remarked_words(
    path: Path, columns: Mapping[str, str], own: Mapping[str, OwnLanguage]
) -> Iterator[RemarkedWord]:
    """The words of a file, each with its `remark`, if it has that column."""
    for line in read_rows(path, columns):
        remark = _normalised_text(line.values, "remark").lower()
        if remark and remark not in _REMARKS:
            raise InputError(f"{line.location} {unknown('remark', remark, _REMARKS)}")
        yield RemarkedWord(_word_of_row(line, own), remark)


def _word_of_row(line: FileRow, own: Mapping[str, OwnLanguage]) -> Word:
    location, values = line
    fields = {name: _normalised_text(values, name) for name in WORD_COLUMNS}
    for name in _REQUIRED_COLUMNS:
        if not fields[name]:
            raise InputError(
                f"{location} has no {name}; a word needs {', '.join(_REQUIRED_COLUMNS)}."
            )
    if not is_well_spelled(fields["word"]):
        raise InputError(
            f"{location} has the word {fields['word']!r}; a word may have only letters, "
            "hyphens, apostrophes and spaces, because a folder of images is named after it."
        )
    language = language_of(fields["language"], location, own)
    grammar = grammar_of(fields["grammar"], location)
    fields |= {
        "id": word_id(language, fields["word"], grammar),
        "language": language,
        "grammar": grammar,
        "category": category_of(fields["category"], location),
        "stereotype": fields["stereotype"].lower(),
        "article": fields["article"].replace("’", "'"),
    }
    try:
        word = msgspec.convert(fields, Word)
    except msgspec.ValidationError as error:
        raise InputError(f"{location} is invalid: {error}.") from None
    if word.article:
        return word
    if language in own:
        article = own[language].article(word.grammar)
    else:
        article = definite_article(language, word.grammar, word.word)
    return msgspec.structs.replace(word, article=article)


def _normalised_text(values: Mapping[str, Any], name: str) -> str:
    """A field stripped and composed (NFC), so that equal words are equal strings.

    `data build gramvis` escapes text that a spreadsheet would read as a formula.
    """
    text = unescape_formula(str(values.get(name) or ""))
    return unicodedata.normalize("NFC", text).strip()
