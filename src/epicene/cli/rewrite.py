"""`epicene rewrite`: rewrite standard input, line by line, or the strings of files, with other
pronouns or for another gender."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from epicene.cli.options import Columns, FileFormat, PeopleFile, key_value_pairs
from epicene.core.errors import InputError

if TYPE_CHECKING:
    from epicene.localisation.rewrite_files import RewrittenFile
    from epicene.rewriting import Rewrite

_INPUT = "Standard input"


def rewrite(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE…",
            help="Files with translated strings (default: lines of standard input): PO, XLIFF, "
            "TMX, Android and Apple strings, ARB, JSON, YAML, Fluent, CSV, subtitles, Markdown, "
            "HTML, plain text.",
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
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Where to write: a file, or a folder for several."),
    ] = None,
    in_place: Annotated[bool, typer.Option("--in-place", help="Overwrite the files.")] = False,
    pronouns: Annotated[
        str | None,
        typer.Option(
            "--pronouns", metavar="SET", help="Rewrite to this pronoun set: they, he, she, xe …"
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="SET,SET…", help="Rewrite only the pronouns of these sets."),
    ] = None,
    sets: Annotated[
        Path | None, typer.Option("--sets", help="A TOML file with your own pronoun sets.")
    ] = None,
    route: Annotated[
        str | None,
        typer.Option(
            "--route",
            help="The method: spacy (requires an installed pipeline), rules (requires none) "
            "or auto (the default).",
        ),
    ] = None,
    speaker: Annotated[
        str | None,
        typer.Option("--speaker", metavar="m|f|n", help="The gender of the speaker; n: neutral."),
    ] = None,
    listener: Annotated[
        str | None, typer.Option("--listener", metavar="m|f|n", help="The gender of the listener.")
    ] = None,
    others: Annotated[
        str | None,
        typer.Option("--others", metavar="m|f|n", help="The gender of everyone spoken about."),
    ] = None,
    style: Annotated[
        str | None,
        typer.Option(
            "--style",
            help="How neutral forms are written: reword (the default); star, colon, pair (German); "
            "median (French); e, pair (Spanish); schwa (Italian).",
        ),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(
            "--user",
            metavar="m|f|n",
            help="For files: the gender of the user, who is the person spoken to unless --people "
            "or a string says otherwise.",
        ),
    ] = None,
    people: PeopleFile = None,
    min_confidence: Annotated[
        float | None,
        typer.Option(
            "--min-confidence",
            metavar="0–1",
            help="The minimum probability that a change is right. If any change for a person is "
            "less likely to be right, nothing is changed for that person in that text; "
            "--explain and --json list these changes.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            "-m",
            metavar="tagger:FOLDER",
            help="Rewrite with a tagger trained by `epicene train` instead of rules.",
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="For each change, show whose gender it expresses, which rule made it, and "
            "how certain it is: below each line, or in its record with --json.",
        ),
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print one JSON record per line or per file, with its text and every change.",
        ),
    ] = False,
    format_name: FileFormat = None,
    column: Columns = None,
    force_language: Annotated[
        bool,
        typer.Option(
            "--force-language",
            help="Read the files as --language even if they name another language.",
        ),
    ] = False,
) -> None:
    """Rewrite standard input, or the strings of files, for another person.

    English is rewritten by pronouns, other languages by the gender of the speaker, the listener and
    others; people you do not name are left unchanged. In files, only translated text changes;
    nothing is written if any of the files is invalid.
    """
    from epicene.api.rewriting import RewriteOptions, open_rewriter

    options: RewriteOptions = {
        "pronouns": pronouns,
        "from_": source,
        "sets": sets,
        "route": route,
        "speaker": speaker,
        "listener": listener,
        "others": others,
        "style": style,
        "min_confidence": min_confidence,
    }
    if files:
        if out is None and not in_place and not as_json:
            raise InputError(
                "Choose where to write: --out FILE or FOLDER, or --in-place; --json alone "
                "lists the changes and writes nothing."
            )
        from epicene.api.rewriting import rewrite_files

        done = rewrite_files(
            files,
            language,
            out=out,
            in_place=in_place,
            user=user,
            people=people,
            format=format_name,
            columns=key_value_pairs(column, "--column"),
            force_language=force_language,
            model=model,
            progress=True,
            **options,
        )
        _show_files(done, as_json=as_json, explained=explain)
        return
    for_files = {
        "--out": out,
        "--in-place": in_place,
        "--user": user,
        "--people": people,
        "--format": format_name,
        "--column": column,
        "--force-language": force_language,
    }
    for name, given in for_files.items():
        if given:
            raise InputError(f"{name} applies to files; name at least one FILE.")
    rewrite_all = open_rewriter(language or "en", model=model, **options)
    rated = min_confidence is not None
    if as_json:
        _write_records(rewrite_all, sys.stdin.buffer, sys.stdout.buffer, explain=explain or rated)
    else:
        _write_lines(rewrite_all, sys.stdin.buffer, sys.stdout.buffer, explain=explain, rated=rated)


def _show_files(done: list[RewrittenFile], *, as_json: bool, explained: bool) -> None:
    """How many strings changed in each file; with --json or --explain also every change."""
    import msgspec

    from epicene.cli.output import note
    from epicene.core.control_characters import escape_controls
    from epicene.core.errors import pluralise
    from epicene.rewriting import Rewriting
    from epicene.rewriting.explain import explain as explanations
    from epicene.rewriting.neutral import LEFT_OUT

    for file in done:
        if as_json:
            sys.stdout.buffer.write(msgspec.json.encode(file) + b"\n")
        elif explained:
            shown = {each.index: each for each in (*file.changed, *file.doubtful)}
            for _, string in sorted(shown.items()):
                typer.echo(escape_controls(f"{file.path}, line {string.line}: {string.key}"))
                rewriting = Rewriting(
                    text=string.new_text, changes=string.changes, left_out=string.left_out
                )
                for line in explanations(rewriting, rated=True):
                    typer.echo(escape_controls(f"    {line}"))
        counted = f"{len(file.changed)} of {pluralise(file.strings, 'string')}"
        left = f"; {pluralise(file.left, 'change')} inside mark-up skipped" if file.left else ""
        formless = sum(
            any(change.rule in LEFT_OUT for change in each.left_out) for each in file.doubtful
        )
        if formless:
            left += f"; {pluralise(formless, 'string')} with words that could not be reworded"
        if len(file.doubtful) > formless:
            left += (
                f"; {pluralise(len(file.doubtful) - formless, 'string')} not changed because the "
                "change is too uncertain"
            )
        where = f"; written to {file.out}" if file.out not in ("", file.path) else ""
        note(f"{counted} changed in {file.path}{left}{where}")
    sys.stdout.flush()


def _read_lines(lines: BinaryIO) -> Iterator[tuple[str, bytes]]:
    """Each line of UTF-8 and its ending; raises at a line that is not UTF-8."""
    from epicene.core.data_files import MAX_LINE_BYTES, decode_line, line_too_long

    number = 1
    while line := lines.readline(MAX_LINE_BYTES + 1):
        if len(line) > MAX_LINE_BYTES:
            raise line_too_long(_INPUT, number)
        text = line.rstrip(b"\r\n")
        yield decode_line(text, _INPUT, number), line[len(text) :]
        number += 1


def _write_lines(
    rewrite_all: Rewrite, lines: BinaryIO, out: BinaryIO, *, explain: bool, rated: bool
) -> None:
    """Each line with its own ending."""
    from epicene.cli.output import note
    from epicene.core.errors import pluralise
    from epicene.rewriting.explain import explain as explanations
    from epicene.rewriting.neutral import LEFT_OUT

    endings: deque[bytes] = deque()
    formless = 0

    def texts() -> Iterator[str]:
        for text, ending in _read_lines(lines):
            endings.append(ending)
            yield text

    for each in rewrite_all(texts()):
        ending = endings.popleft()
        formless += any(change.rule in LEFT_OUT for change in each.left_out)
        out.write(each.text.encode() + ending)
        if explain:
            end = ending or b"\n"
            out.write(b"" if ending else end)  # the last line may have none of its own
            for line in explanations(each, rated=rated):
                out.write(f"    {line}".encode() + end)
    out.flush()
    if formless:
        note(
            f"{pluralise(formless, 'line')} with words that could not be reworded; --explain lists "
            "them."
        )


def _write_records(rewrite_all: Rewrite, lines: BinaryIO, out: BinaryIO, *, explain: bool) -> None:
    """A JSON record for each line."""
    import msgspec

    from epicene.rewriting.explain import to_record

    texts = (text for text, _ in _read_lines(lines))
    for number, each in enumerate(rewrite_all(texts), start=1):
        record = {"line": number, **to_record(each, explained=explain)}
        out.write(msgspec.json.encode(record) + b"\n")
    out.flush()
