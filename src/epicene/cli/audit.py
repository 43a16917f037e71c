"""`epicene audit`: report whose gender translated strings show."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from epicene.cli.options import AsCsv, AsJson, Columns, FileFormat, PeopleFile, key_value_pairs

if TYPE_CHECKING:
    from epicene.localisation.audit.files import FileAudit

_IN_MEMORY = 8 * 2**20  # bytes of output that are held before a temporary file takes them


def audit(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help="Translation files: PO, XLIFF, JSON, subtitles …"),
    ],
    language: Annotated[
        str | None,
        typer.Option(
            "--language",
            "-l",
            help="The language of the files, if neither the file nor its path names it.",
        ),
    ] = None,
    format: FileFormat = None,  # noqa: A002 - as it is called
    columns: Columns = None,
    people: PeopleFile = None,
    baseline: Annotated[
        Path | None,
        typer.Option(
            "--baseline", metavar="AUDIT.json", help="An earlier audit (JSON) to compare with."
        ),
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            metavar="RULE",
            help="Exit with code 1 if a string matches: masculine, user=masculine, mixed, "
            "problem, undecided, new … (an unknown rule lists all). Join conditions with +; may "
            "be repeated.",
        ),
    ] = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    as_sarif: Annotated[
        bool, typer.Option("--sarif", help="Write SARIF 2.1.0, for code scanning.")
    ] = False,
    as_html: Annotated[
        bool,
        typer.Option(
            "--html", help="Write a page with all strings and filters, to audit.html or --out."
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Write to this file and print the summary (default: print everything).",
        ),
    ] = None,
) -> None:
    """Report whose gender translated strings show, and where forms are inconsistent.

    Prints counts per file and key; --json, --csv, --sarif and --html give every string with its
    words, their offsets, and the form for the other gender. Exit codes: 1 if a --fail-on rule
    matched; 2 if the input is wrong or the output could not be written.
    """
    from epicene.api.auditing import open_audit

    forms = {"json": as_json, "csv": as_csv, "sarif": as_sarif, "html": as_html}
    form = _chosen_form(forms, out)
    if form == "html" and out is None:
        out = Path("audit.html")
    found = open_audit(
        files,
        language,
        format=format,
        columns=key_value_pairs(columns, "--column"),
        people=people,
        baseline=baseline,
        fail_on=fail_on or (),
    )
    if out is not None:
        found.check_output(out)
    with _failed_writes_exit_2():
        _show(found, form, out)
    if found.failures():
        raise typer.Exit(1)


@contextmanager
def _failed_writes_exit_2() -> Iterator[None]:
    """Exit with 2 if output cannot be written, because 1 means that a rule matched."""
    from epicene.app.streams import discard_unwritten_output
    from epicene.core.errors import InputError, RunError

    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has ended, as `head` does
        discard_unwritten_output()
        raise typer.Exit(2) from None
    except RunError as error:
        raise InputError(str(error)) from error
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        raise InputError(f"{place}{error.strerror or error}.") from error


def _show(found: FileAudit, form: str, out: Path | None) -> None:
    """Run the audit; write or print it, with the notes a reader needs."""
    from epicene.cli.output import note

    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as made:
        _write(found, form, made)  # type: ignore[arg-type]
        if form and out is None:
            _print(made)  # type: ignore[arg-type]
        elif out is not None:
            from epicene.core.files import write_atomically

            write_atomically(out, made.read())
    if out is not None or not form:
        _print_summary(found)
    if out is not None:
        note(f"The audit is in {out}")
    for sentence in found.notes():
        note(sentence)


def _chosen_form(forms: dict[str, bool], out: Path | None) -> str:
    from epicene.core.errors import InputError
    from epicene.localisation.audit.writers import OUTPUT_FORMS

    wanted = [name for name, on in forms.items() if on]
    if len(wanted) > 1:
        raise InputError("Choose one of --json, --csv, --sarif and --html.")
    form = wanted[0] if wanted else ""
    if out is None:
        return form
    suffix = out.suffix[1:].lower()
    named = suffix if suffix in OUTPUT_FORMS else ""
    if form and named and form != named and (form, named) != ("sarif", "json"):  # SARIF is JSON
        raise InputError(f"--{form} does not match the extension of {out}; change one of them.")
    if form or named:
        return form or named
    raise InputError(
        f"The format of {out} is not clear from its name; use --json, --csv, --sarif or --html."
    )


def _write(found: FileAudit, form: str, made: BinaryIO) -> None:
    """Run the audit and write it; nothing is printed until all files have been read."""
    from epicene.localisation.audit.writers import write_audit

    if form:
        for piece in write_audit(found, found, form):
            made.write(piece)
        made.seek(0)
    else:
        for _ in found:
            pass


def _print(made: BinaryIO) -> None:
    """Print what was written; on a terminal, control characters are escaped."""
    from epicene.core.control_characters import escape_controls

    if sys.stdout.isatty():
        for line in made:
            text = line.decode().removesuffix("\n")
            sys.stdout.buffer.write(f"{escape_controls(text)}\n".encode())
    else:
        shutil.copyfileobj(made, sys.stdout.buffer)
    sys.stdout.flush()


def _print_summary(found: FileAudit) -> None:
    from epicene.cli.output import print_tables
    from epicene.localisation.audit.tables import summary_tables

    typer.echo(found.summary.headline())
    print_tables(summary_tables(found.summary))
