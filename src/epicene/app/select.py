"""Gender selectors: put them into texts and the strings of files, and check those there are."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict, Unpack, overload

import msgspec
from cyclopts import Parameter

from epicene.app.arguments import Columns
from epicene.app.output import note, print_json, print_line
from epicene.app.texts import (
    FileOption,
    Given,
    LanguageOption,
    OutOption,
    output_files,
    people_rules,
    refuse_file_options,
    texts_or_files,
)
from epicene.core.errors import InputError, pluralise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from epicene.app.output import Output
    from epicene.localisation.select_files import SelectedFile
    from epicene.localisation.selector_checks import SelectorProblem
    from epicene.localisation.strings import LocalisedFile
    from epicene.rewriting.persons import Person

Argument = Annotated[str | None, Parameter(metavar="NAME")]


class SelectOptions(TypedDict, total=False):
    """The options of `select`."""

    out: str | Path | None
    speaker: str | None
    listener: str | None
    others: str | None
    syntax: str | None
    other: str | None
    people: str | Path | None
    format: str | None
    columns: Mapping[str, str] | None


@overload
def select(  # type: ignore[overload-overlap]  # a text is an iterable of texts, too
    given: str, language: str | None = None, **options: Unpack[SelectOptions]
) -> str: ...


@overload
def select(
    given: Path | Iterable[Path], language: str | None = None, **options: Unpack[SelectOptions]
) -> SelectedFiles: ...


@overload
def select(
    given: Iterable[str], language: str | None = None, **options: Unpack[SelectOptions]
) -> SelectedTexts: ...


def select(
    given: Given = None,
    language: LanguageOption = None,
    *,
    out: OutOption = None,
    speaker: Argument = None,
    listener: Argument = None,
    others: Argument = None,
    syntax: str | None = None,
    other: str | None = None,
    people: FileOption = None,
    format: str | None = None,
    columns: Columns = None,
) -> str | SelectedTexts | SelectedFiles:
    """Put a selector around each part of a text that shows a person's gender.

    A string is left out if its file cannot hold the selectors, such as one around an inline code of
    XLIFF, or if one word shows the gender of two of the people.

    Args:
        given: Files with translated strings, or folders with such files. In Python, a `Path` is a
            file or folder and a `str` is a text; several of them give a list (default: the lines of
            standard input).
        language: The language (default: the one that a file or its path names; `en` for texts).
        out: Where to write: a file, or a folder for several. Nothing is written if any of the files
            is invalid.
        speaker: The name of the argument with the gender of the speaker.
        listener: The name of the argument with the gender of the listener.
        others: The name of the argument with the gender of the person spoken about.
        syntax: The syntax: icu or fluent (default: fluent for Fluent files, icu for all others).
        other: For texts: the wording for everyone else; the text then becomes one selector. By
            default the words for everyone else stay as they are; in English they are those used
            with "they".
        people: A TOML file that says who "I" and "you" are, per string key. A person who is left
            unchanged, or who always has the same gender, gets no selector.
        format: The format of the files (default: from their names).
        columns: For CSV and TSV: the names of the columns for text, key, source, comment and
            people.

    Examples:
        >>> epicene.select("Tu es prêt, {name}.", "fr", listener="gender")
        'Tu es {gender, select, male {prêt} female {prête} other {prêt}}, {name}.'
        >>> epicene.select("She left.", "en", others="gender")
        '{gender, select, male {He} female {She} other {They}} left.'
        >>> from pathlib import Path
        >>> _ = Path("app_fr.arb").write_text('{"ready": "Tu es prêt."}', encoding="utf-8")
        >>> [done] = epicene.select(Path("app_fr.arb"), listener="gender", out="new.arb")
        >>> done.strings
        1
    """
    from epicene.localisation.rewrite_files import write_files
    from epicene.localisation.select_files import select_strings
    from epicene.localisation.selectors import check_arguments, make_selectors

    texts, files = texts_or_files(given, language)
    named: dict[Person, str | None] = {
        "speaker": speaker, "listener": listener, "others": others,
    }  # fmt: skip
    arguments = {person: name for person, name in named.items() if name is not None}
    check_arguments(arguments, syntax or "icu", other)
    if not files:
        refuse_file_options(out=out, people=people, format=format, column=columns)
        made = [
            make_selectors(text, language or "en", arguments, syntax=syntax or "icu", other=other)
            for text in texts
        ]
        return made[0] if isinstance(given, str) else SelectedTexts(made, texts)
    if other is not None:
        raise InputError("--other gives the wording for one text; it does not apply to files.")
    outs = output_files(files, out)
    rules = people_rules(people, outs)
    contents: dict[Path, bytes] = {}
    done = SelectedFiles()
    for number, file in enumerate(_read(files, language, format, columns)):
        chosen = syntax or ("fluent" if file.format == "fluent" else "icu")
        data, selected = select_strings(file, arguments, chosen, rules)
        if outs:
            contents[outs[number]] = data
            selected = msgspec.structs.replace(selected, out=str(outs[number]))
        done.append(selected)
    write_files(contents)
    return done


def check_selectors(
    given: Given = None,
    language: LanguageOption = None,
    *,
    format: str | None = None,
    columns: Columns = None,
) -> SelectorProblems:
    """Check that the branches of existing selectors agree.

    The command's exit code is 1 if they do not. If their language can be rewritten, the words of
    the branches are checked, too.

    Args:
        given: Files with translated strings, or folders with such files. In Python, a `Path` is a
            file or folder and a `str` is a text (default: the lines of standard input).
        language: The language (default: the one that a file or its path names).
        format: The format of the files (default: from their names).
        columns: For CSV and TSV: the names of the columns for text, key, source, comment and
            people.

    Examples:
        >>> text = "Tu es {gender, select, male {prêt, {name}} female {prête}}."
        >>> [each.kind for each in epicene.check_selectors(text)]
        ['no other', 'placeholders']
    """
    from epicene.localisation.select_files import check_strings
    from epicene.localisation.selector_checks import check_selectors as check_text

    texts, files = texts_or_files(given, language)
    if files:
        return SelectorProblems(
            problem
            for file in _read(files, language, format, columns)
            for problem in check_strings(file)
        )
    refuse_file_options(format=format, column=columns)
    return SelectorProblems(
        msgspec.structs.replace(problem, line=number)
        for number, text in enumerate(texts, start=1)
        for problem in check_text(text, language or "")
    )


def _read(
    files: list[Path], language: str | None, format: str | None, columns: Columns
) -> Iterator[LocalisedFile]:
    from epicene.localisation.formats import check_columns, read_localised_file

    check_columns(files, format, columns)
    for path in files:
        file = read_localised_file(path, format=format, language=language, columns=columns)
        file.check_language()
        yield file


class SelectedTexts(list[str]):
    """Texts with selectors."""

    def __init__(self, made: Iterable[str], texts: Iterable[str]) -> None:
        super().__init__(made)
        self._texts = texts

    def _print_(self, output: Output) -> None:
        for text, made in zip(self._texts, self, strict=True):
            if output.json:
                print_json({"text": text, "selectors": made})
            else:
                sys.stdout.write(f"{made}\n")


class SelectedFiles(list["SelectedFile"]):
    """Files whose strings were given selectors."""

    def _print_(self, output: Output) -> None:
        if output.json:
            print_json({"files": msgspec.to_builtins(list(self))})
            return
        for file in self:
            where = f" written to {file.out}" if file.out else f" in {file.path}"
            print_line(f"{pluralise(file.strings, 'string')} with selectors{where}")
            if file.warning:
                note(f"{file.path}: warning: {file.warning}")
            for each in file.left_out:
                key = f" ({each.key})" if each.key else ""
                note(f"{file.path}, line {each.line}{key}: skipped because {each.why}")
        if not any(file.out for file in self):
            note("Nothing was written; use --out FILE or FOLDER.")


class SelectorProblems(list["SelectorProblem"]):
    """What is wrong with selectors, in the order of the texts."""

    def _print_(self, output: Output) -> int:
        if output.json:
            print_json({"problems": msgspec.to_builtins(list(self))})
        else:
            for each in self:
                key = f" ({each.key})" if each.key else ""
                print_line(f"{each.path}, line {each.line}{key}: {each.kind}: {each.message}")
        return int(any(each.kind != "unsure" for each in self))
