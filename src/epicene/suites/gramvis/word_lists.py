"""Lists of words: ours, the paper's 200, or a user's file.

Our files have a row per word. A remark marks a doubtful word, `paper_category` is the paper's own
category if it differs, and `left_out` says why a word of the paper is not one of ours.
"""

from __future__ import annotations

import unicodedata
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
    return _chosen_words([*_starter_words(paper=protocol.words == "paper")], files, protocol)


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


# --- files -----------------------------------------------------------------------------------


def read_words(path: Path | None = None, columns: Mapping[str, str] | None = None) -> list[Word]:
    """The words of a user's file (CSV and the other tables Epicene reads), or all of ours."""
    found = _starter_words() if path is None else _remarked_words(path, columns or {}, {})
    return [each.word for each in found]


def starter_file(language: str) -> Path:
    """The file of our words of one language."""
    return STARTER / f"{language.lower()}.csv"


def _starter_words(*, paper: bool = False) -> Iterator[RemarkedWord]:
    """Our words, or those of the paper in its own categories."""
    for language in LANGUAGES:
        for line in read_rows(starter_file(language)):
            values = line.values
            if paper and values["paper_category"]:
                values["category"] = values["paper_category"]
            if values["published"] if paper else not values["left_out"]:
                yield _remarked_word(line, {})


def _remarked_words(
    path: Path, columns: Mapping[str, str], own: Mapping[str, OwnLanguage]
) -> Iterator[RemarkedWord]:
    """The words of a file, each with its `remark`, if it has that column."""
    for line in read_rows(path, columns):
        yield _remarked_word(line, own)


def _remarked_word(line: FileRow, own: Mapping[str, OwnLanguage]) -> RemarkedWord:
    remark = _normalised_text(line.values, "remark").lower()
    if remark and remark not in _REMARKS:
        raise InputError(f"{line.location} {unknown('remark', remark, _REMARKS)}")
    return RemarkedWord(_word_of_row(line, own), remark)


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
