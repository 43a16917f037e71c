"""Gender selectors: make them from a string, and check existing ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, overload

import msgspec

from epicene.app.arguments import paths_of
from epicene.api.wording import keyword_errors
from epicene.core.records import Record
from epicene.localisation.selector_checks import SelectorProblem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from epicene.app.arguments import PathLike
    from epicene.localisation.people import PeopleRules
    from epicene.localisation.strings import LocalisedFile, LocalisedString
    from epicene.rewriting import Change
    from epicene.rewriting.persons import Person

# Formats whose strings programs show as they are, or read with another syntax.
_NOT_MESSAGES = {
    "android": "Android resources",
    "strings": "Apple strings",
    "xcstrings": "Apple strings",
    "srt": "subtitles",
    "vtt": "subtitles",
    "html": "HTML",
    "markdown": "Markdown",
}
_CUT = "its selectors would split mark-up that must stay whole"
_UNQUOTED = "its selectors cannot be written there unless the text is in quotes"


@overload
def make_selectors(  # type: ignore[overload-overlap]  # a text is an iterable of texts, too
    text: str,
    language: str,
    *,
    speaker: str | None = None,
    listener: str | None = None,
    others: str | None = None,
    syntax: str = "icu",
    other: str | None = None,
) -> str: ...


@overload
def make_selectors(
    text: Iterable[str],
    language: str,
    *,
    speaker: str | None = None,
    listener: str | None = None,
    others: str | None = None,
    syntax: str = "icu",
    other: str | None = None,
) -> list[str]: ...


@keyword_errors
def make_selectors(
    text: str | Iterable[str],
    language: str,
    *,
    speaker: str | None = None,
    listener: str | None = None,
    others: str | None = None,
    syntax: str = "icu",
    other: str | None = None,
) -> str | list[str]:
    """Put a selector around each part of a text, or of several, that shows a person's gender.

    >>> import epicene
    >>> epicene.make_selectors("Tu es prêt, {name}.", "fr", listener="gender")
    'Tu es {gender, select, male {prêt} female {prête} other {prêt}}, {name}.'
    >>> epicene.make_selectors("She left.", "en", others="gender")
    '{gender, select, male {He} female {She} other {They}} left.'

    speaker, listener, others: the name of the argument with that person's gender.
    syntax: icu or fluent.
    other: the wording of the whole text for everyone else; the text then becomes one selector. By
        default the words for everyone else stay as they are; in English they are those used with
        "they".
    """
    from epicene.localisation import selectors

    arguments = _arguments(speaker, listener, others)

    def make(each: str) -> str:
        return selectors.make_selectors(each, language, arguments, syntax=syntax, other=other)

    return make(text) if isinstance(text, str) else [make(each) for each in text]


def _arguments(speaker: str | None, listener: str | None, others: str | None) -> dict[Person, str]:
    given: dict[Person, str | None] = {"speaker": speaker, "listener": listener, "others": others}
    return {person: name for person, name in given.items() if name is not None}


class StringLeftOut(Record, frozen=True, kw_only=True):
    """A string that shows a gender but gets no selectors, and why."""

    line: int
    key: str
    text: str
    why: str


class SelectedFile(Record, frozen=True, kw_only=True):
    """A file that was written with selectors: how many of its strings got selectors, and which
    could not; `warning` is "" unless most programs do not read selectors in such a file.
    """

    path: str
    out: str
    format: str
    strings: int
    warning: str = ""
    left_out: tuple[StringLeftOut, ...] = ()


@keyword_errors
def make_selectors_in_files(
    files: PathLike | Iterable[PathLike],
    language: str | None = None,
    *,
    out: PathLike,
    speaker: str | None = None,
    listener: str | None = None,
    others: str | None = None,
    syntax: str | None = None,
    people: PathLike | None = None,
    format: str | None = None,  # noqa: A002 - as in the command
    columns: Mapping[str, str] | None = None,
) -> list[SelectedFile]:
    """Put selectors into the translated strings of files, as `make_selectors` does.

    >>> import epicene
    >>> from pathlib import Path
    >>> _ = Path("app_fr.arb").write_text('{"ready": "Tu es prêt."}', encoding="utf-8")
    >>> [done] = epicene.make_selectors_in_files("app_fr.arb", listener="gender", out="new.arb")
    >>> done.strings
    1
    >>> Path("new.arb").read_text(encoding="utf-8")
    '{"ready": "Tu es {gender, select, male {prêt} female {prête} other {prêt}}."}'

    language: the language (default: from the files or their paths).
    out: a file, or a folder. Nothing is written if any of the files is invalid.
    syntax: icu, or fluent, which is the default for Fluent files.
    people: a TOML file that says who "I" and "you" are, per string key, as for
        `rewrite_files`. A person who is left unchanged, or who always has the same gender, gets no
        selector.
    format: the format of all files (default: from their names).
    columns: for CSV and TSV, the names of the columns for text, key, source, comment and people.

    A string is left out if its file cannot hold the selectors, such as one around an inline code of
    XLIFF, or if one word shows the gender of two of the people.
    """
    from epicene.core.errors import InputError
    from epicene.localisation.formats import check_columns
    from epicene.localisation.people import PeopleRules, read_people_rules
    from epicene.localisation.rewrite_files import output_paths, write_files
    from epicene.localisation.selectors import check_arguments

    arguments = _arguments(speaker, listener, others)
    check_arguments(arguments, syntax or "icu")
    rules = read_people_rules(Path(people)) if people is not None else PeopleRules()
    paths = paths_of(files)
    check_columns(paths, format, columns)
    contents: dict[Path, bytes] = {}
    done: list[SelectedFile] = []
    for path, target in zip(paths, output_paths(paths, Path(out)), strict=True):
        if people is not None and target.resolve() == Path(people).resolve():
            raise InputError(f"{target} is the --people file; choose another file with --out.")
        file = _read(path, language, format, columns)
        chosen = syntax or ("fluent" if file.format == "fluent" else "icu")
        contents[target], selected = _select(file, arguments, chosen, rules)
        done.append(msgspec.structs.replace(selected, out=str(target)))
    write_files(contents)
    return done


def _select(
    file: LocalisedFile, arguments: Mapping[Person, str], syntax: str, rules: PeopleRules
) -> tuple[bytes, SelectedFile]:
    """The new content of a file, and what was done in it."""
    from epicene.core.errors import InputError
    from epicene.localisation.selectors import TwoPeopleError

    found: dict[int, list[Change]] = {}
    left_out: dict[int, str] = {}
    for string in file.strings:
        who = rules.of_string(string, file.path)
        open_ones: dict[Person, str] = {
            person: name
            for person, name in arguments.items()
            if getattr(who, person) not in ("keep", "m", "f")
        }
        if not open_ones:
            continue
        try:
            changes = _possible_selectors(file, string, open_ones, syntax)
        except TwoPeopleError:
            left_out[string.index] = "a word shows the gender of two people"
            continue
        if changes is None:
            left_out[string.index] = _CUT
        elif changes:
            found[string.index] = changes
    try:
        data = file.replace(found)
    except InputError:  # such as a text without quotes: commas in CSV, a first brace in YAML
        if file.format not in ("csv", "yaml"):
            raise
        for index in [each for each in found if not _reads_back(file, each, found[each])]:
            left_out[index] = _UNQUOTED
            del found[index]
        data = file.replace(found)
    strings = (file.strings[index] for index in sorted(left_out))
    return data, SelectedFile(
        path=str(file.path),
        out="",
        format=file.format,
        strings=len(found),
        warning=_warning(file, syntax) if found else "",
        left_out=tuple(
            StringLeftOut(line=each.line, key=each.key, text=each.text, why=left_out[each.index])
            for each in strings
        ),
    )


def _warning(file: LocalisedFile, syntax: str) -> str:
    name = _NOT_MESSAGES.get(file.format, "")
    if file.format == "po" and any(string.syntax == "printf" for string in file.strings):
        name = "the c-format strings of PO"
    if not name:
        return ""
    messages = "Fluent" if syntax == "fluent" else "ICU"
    return f"most programs do not read {name} as {messages} messages; make sure that yours does"


def _reads_back(file: LocalisedFile, index: int, changes: list[Change]) -> bool:
    from epicene.core.errors import InputError

    try:
        file.replace({index: changes})
    except InputError:
        return False
    return True


def _possible_selectors(
    file: LocalisedFile, string: LocalisedString, arguments: Mapping[Person, str], syntax: str
) -> list[Change] | None:
    """The selectors of a string, empty if it needs none; None if the file cannot contain them."""
    from epicene.localisation.selectors import selector_changes
    from epicene.rewriting import Change

    def can_hold(start: int, end: int) -> bool:
        before = string.text[start:end]
        selector = Change(start=start, end=end, before=before, after="{}", rule="", sure="certain")
        return bool(file.possible_changes(string.index, [selector]))

    changes = selector_changes(
        string.text, file.language, arguments, syntax=syntax, can_hold=can_hold
    )
    return changes if all(can_hold(each.start, each.end) for each in changes) else None


class CheckedSelector(SelectorProblem, frozen=True, kw_only=True):
    """A problem of a selector in a file, and the string that contains it."""

    path: str
    line: int
    key: str


def located(problem: SelectorProblem, path: str, line: int, key: str = "") -> CheckedSelector:
    """A problem with the place where it was found."""
    fields = msgspec.structs.asdict(problem)
    return CheckedSelector(path=path, line=line, key=key, **fields)


@keyword_errors
def check_selectors(text: str, language: str = "") -> list[SelectorProblem]:
    """Check that the branches of a string's selectors agree.

    >>> import epicene
    >>> text = "Tu es {gender, select, male {prêt, {name}} female {prête}}."
    >>> [each.kind for each in epicene.check_selectors(text)]
    ['no other', 'placeholders']

    language: if it is a language that can be rewritten, the words of the branches are checked too.
    """
    from epicene.localisation import selector_checks

    return selector_checks.check_selectors(text, language)


@keyword_errors
def check_selectors_in_files(
    files: PathLike | Iterable[PathLike],
    language: str | None = None,
    *,
    format: str | None = None,  # noqa: A002 - as in the command
    columns: Mapping[str, str] | None = None,
) -> list[CheckedSelector]:
    """Check the selectors in the translated strings of files, as `check_selectors` does."""
    from epicene.localisation import selector_checks
    from epicene.localisation.formats import check_columns

    found: list[CheckedSelector] = []
    paths = paths_of(files)
    check_columns(paths, format, columns)
    for path in paths:
        file = _read(path, language, format, columns)
        for string in file.strings:
            problems = selector_checks.check_selectors(string.text, file.language)
            found += [located(each, str(path), string.line, string.key) for each in problems]
    return found


def _read(
    path: Path,
    language: str | None,
    format: str | None,  # noqa: A002 - as in the command
    columns: Mapping[str, str] | None,
) -> LocalisedFile:
    from epicene.localisation.formats import read_localised_file

    file = read_localised_file(path, format=format, language=language, columns=columns)
    file.check_language()
    return file
