"""`epicene select`: make gender selectors from strings, or check existing ones."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from epicene.cli.options import AsJson, Columns, FileFormat, PeopleFile, key_value_pairs
from epicene.core.errors import InputError, pluralise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from epicene.api.selecting import CheckedSelector, SelectedFile


def select(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE…",
            help="Files with translated strings (default: lines of standard input).",
            show_default=False,
        ),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            "--language",
            "-l",
            help="The language of the text (default: the language that a file names; en for "
            "standard input).",
        ),
    ] = None,
    speaker: Annotated[
        str | None,
        typer.Option(
            "--speaker",
            metavar="NAME",
            help="The name of the argument with the gender of the speaker.",
        ),
    ] = None,
    listener: Annotated[
        str | None,
        typer.Option(
            "--listener",
            metavar="NAME",
            help="The name of the argument with the gender of the listener.",
        ),
    ] = None,
    others: Annotated[
        str | None,
        typer.Option(
            "--others",
            metavar="NAME",
            help="The name of the argument with the gender of the person spoken about.",
        ),
    ] = None,
    syntax: Annotated[
        str | None,
        typer.Option(
            "--syntax",
            help="The syntax: icu or fluent (default: fluent for Fluent "
            "files, icu for all others).",
        ),
    ] = None,
    other: Annotated[
        str | None,
        typer.Option(
            "--other",
            metavar="TEXT",
            help="For a single line: the wording for everyone else; the line then becomes "
            "one selector.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Where to write: a file, or a folder for several files."),
    ] = None,
    people: PeopleFile = None,
    format_name: FileFormat = None,
    column: Columns = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Only check existing selectors; the exit code is 1 if branches do not agree.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Put a selector around each part of a string that shows a person's gender.

    Tu es prêt. → Tu es {gender, select, male {prêt} female {prête} other {prêt}}.
    """
    from epicene.api import selecting
    from epicene.cli.output import print_json

    arguments = {"speaker": speaker, "listener": listener, "others": others}
    columns = key_value_pairs(column, "--column")
    for_files = {"--out": out, "--people": people, "--format": format_name, "--column": column}
    for name, given in for_files.items():
        if given and not files:
            raise InputError(f"{name} applies to files; name at least one FILE.")
    if check:
        makes: dict[str, object] = {f"--{name}": given for name, given in arguments.items()}
        makes |= {"--syntax": syntax, "--other": other, "--out": out, "--people": people}
        for name, value in makes.items():
            if value is not None:
                raise InputError(f"--check makes no selectors and cannot be combined with {name}.")
        if files:
            found = selecting.check_selectors_in_files(
                files, language, format=format_name, columns=columns
            )
            return _report(found, as_json=as_json)
        found = [
            selecting.located(problem, "-", number)
            for number, line in enumerate(_lines(), start=1)
            for problem in selecting.check_selectors(line, language or "")
        ]
        return _report(found, as_json=as_json)
    if files:
        if out is None:
            raise InputError("Choose where to write: --out FILE or FOLDER.")
        if other is not None:
            raise InputError(
                "--other gives the wording for one line of standard input; it "
                "does not apply to files."
            )
        done = selecting.make_selectors_in_files(
            files,
            language,
            out=out,
            syntax=syntax,
            people=people,
            format=format_name,
            columns=columns,
            **arguments,
        )
        _show_files(done, as_json=as_json)
        return 0
    for line in _lines():
        made = selecting.make_selectors(
            line, language or "en", syntax=syntax or "icu", other=other, **arguments
        )
        if as_json:
            print_json({"text": line, "selectors": made})
        else:
            typer.echo(made)
    return 0


def _show_files(done: Sequence[SelectedFile], *, as_json: bool) -> None:
    """Print how many strings of each file got selectors, and which could not."""
    from epicene.cli.output import note, print_json

    if as_json:
        import msgspec

        print_json({"files": msgspec.to_builtins(done)})
        return
    for file in done:
        typer.echo(f"{pluralise(file.strings, 'string')} with selectors written to {file.out}")
        if file.warning:
            note(f"{file.path}: warning: {file.warning}")
        for each in file.left_out:
            key = f" ({each.key})" if each.key else ""
            note(f"{file.path}, line {each.line}{key}: skipped because {each.why}")


def _lines() -> Iterator[str]:
    """The lines of standard input."""
    from epicene.core.data_files import decode_line

    for number, line in enumerate(sys.stdin.buffer, start=1):
        yield decode_line(line.rstrip(b"\r\n"), "Standard input", number)


def _report(found: Sequence[CheckedSelector], *, as_json: bool) -> int:
    """Print what was found; 1 if branches do not agree (uncertain findings do not count)."""
    from epicene.cli.output import print_json

    if as_json:
        import msgspec

        print_json({"problems": msgspec.to_builtins(found)})
    else:
        for each in found:
            key = f" ({each.key})" if each.key else ""
            typer.echo(f"{each.path}, line {each.line}{key}: {each.kind}: {each.message}")
    return int(any(each.kind != "unsure" for each in found))
