"""`epicene rewrite`: rewrite text with other pronouns or for another gender, line by line."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

if TYPE_CHECKING:
    from epicene.rewriting import Rewrite

_INPUT = "Standard input"


def rewrite(
    language: Annotated[
        str, typer.Option("--language", "-l", help="The language of the text.")
    ] = "en",
    pronouns: Annotated[
        str | None,
        typer.Option("--pronouns", metavar="SET", help="Rewrite to this set: they, he, she, xe …"),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="SET,SET…", help="Rewrite only these sets' pronouns."),
    ] = None,
    sets: Annotated[
        Path | None, typer.Option("--sets", help="A TOML file with pronoun sets of your own.")
    ] = None,
    route: Annotated[
        str | None,
        typer.Option(
            "--route",
            help="spacy (a pipeline must be installed), rules (needs none) or auto (the default).",
        ),
    ] = None,
    speaker: Annotated[
        str | None, typer.Option("--speaker", metavar="m|f", help="The gender of the speaker.")
    ] = None,
    listener: Annotated[
        str | None, typer.Option("--listener", metavar="m|f", help="… of the listener.")
    ] = None,
    others: Annotated[
        str | None, typer.Option("--others", metavar="m|f", help="… of everyone spoken about.")
    ] = None,
    min_confidence: Annotated[
        float | None,
        typer.Option(
            "--min-confidence",
            metavar="0–1",
            help="Leave a person as they are in a line where a change for them is less likely to "
            "be right than this; --explain and --json list these changes.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            "-m",
            metavar="tagger:FOLDER",
            help="Rewrite by a tagger that `epicene train` made, not by rules.",
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="For each change: whose gender it shows, by which rule, and how surely; below "
            "each line, or in its record with --json.",
        ),
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="A JSON record for each line: its text and every change."),
    ] = False,
) -> None:
    """Rewrite standard input for another person, one line out for each line in.

    Languages differ in what they are rewritten by: English by pronouns, others by the gender of
    the speaker, the listener and others; whoever is not named is left as they are.
    """
    from epicene.api.rewriting import open_rewriter

    rewrite_all = open_rewriter(
        language,
        pronouns=pronouns,
        from_=source,
        sets=sets,
        route=route,
        speaker=speaker,
        listener=listener,
        others=others,
        min_confidence=min_confidence,
        model=model,
    )
    if as_json:
        _write_records(rewrite_all, sys.stdin.buffer, sys.stdout.buffer, explain=explain)
    else:
        _write_lines(rewrite_all, sys.stdin.buffer, sys.stdout.buffer, explain=explain)


def _read_lines(lines: BinaryIO) -> Iterator[tuple[str, bytes]]:
    """Each line of UTF-8 and its ending; raises at a line that is something else."""
    from epicene.core.data_files import MAX_LINE_BYTES, decode_line, line_too_long

    number = 1
    while line := lines.readline(MAX_LINE_BYTES + 1):
        if len(line) > MAX_LINE_BYTES:
            raise line_too_long(_INPUT, number)
        text = line.rstrip(b"\r\n")
        yield decode_line(text, _INPUT, number), line[len(text) :]
        number += 1


def _write_lines(rewrite_all: Rewrite, lines: BinaryIO, out: BinaryIO, *, explain: bool) -> None:
    """Each line with its own ending."""
    from epicene.rewriting.explain import explain as explanations

    endings: deque[bytes] = deque()

    def texts() -> Iterator[str]:
        for text, ending in _read_lines(lines):
            endings.append(ending)
            yield text

    for each in rewrite_all(texts()):
        ending = endings.popleft()
        out.write(each.text.encode() + ending)
        if explain:
            end = ending or b"\n"
            out.write(b"" if ending else end)  # the last line may have none of its own
            for line in explanations(each):
                out.write(f"    {line}".encode() + end)
    out.flush()


def _write_records(rewrite_all: Rewrite, lines: BinaryIO, out: BinaryIO, *, explain: bool) -> None:
    """A JSON record for each line."""
    import msgspec

    from epicene.rewriting.explain import to_record

    texts = (text for text, _ in _read_lines(lines))
    for number, each in enumerate(rewrite_all(texts), start=1):
        record = {"line": number, **to_record(each, explained=explain)}
        out.write(msgspec.json.encode(record) + b"\n")
    out.flush()
