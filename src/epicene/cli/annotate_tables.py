"""`epicene annotate tables`: what came of a study."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from epicene.cli.annotate_options import Passed, StudyPath, Without, chosen, say_left_out
from epicene.cli.options import AsCsv, AsJson, AsLatex, AsMarkdown
from epicene.errors import unknown

if TYPE_CHECKING:
    from epicene.annotate.leaving_out import LeftOut
    from epicene.annotate.results import Progress, StudySummary
    from epicene.records import Table
    from epicene.studies import Study


def tables(
    study: StudyPath,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="NAME", help="Only these tables.")
    ] = None,
    figures: Annotated[
        Path | None, typer.Option("--figures", help="A folder for the figures, as SVG.")
    ] = None,
    runs: Annotated[
        list[Path] | None,
        typer.Option("--run", metavar="RUN", help="Runs to set beside people, one option each."),
    ] = None,
    without: Without = None,
    passed: Passed = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
    as_latex: AsLatex = False,
    as_markdown: AsMarkdown = False,
) -> None:
    """Print what came of a study: how people agree, with each other and with the machine."""
    from epicene.annotate.counting import counted
    from epicene.annotate.folder import read_folder
    from epicene.annotate.quality_tables import quality_tables
    from epicene.annotate.results import UnreadableError, progress, summarise_study
    from epicene.cli.output import note, print_json, print_tables
    from epicene.cli.tables import one_form, write_tables
    from epicene.runs.results import read_run

    form = one_form(json=as_json, csv=as_csv, latex=as_latex, markdown=as_markdown)
    folder = read_folder(study)
    beside = [read_run(run) for run in runs or ()]
    fitting, gone = chosen(folder, without, passed=passed)
    responses, settled = fitting.responses, fitting.settled
    made = quality_tables(folder.study, responses)
    summary = None
    # Of a study written by hand there is only what any study has.
    if folder.study.drawn is not None or beside or figures is not None or not made:
        try:
            summary = summarise_study(folder.study, responses, beside, settled)
            made = (*summary.tables, *made)
        except UnreadableError as error:
            if not made:
                raise
            note(str(error))
    printed = _noted(_only(made, only or ()), gone)
    how_far = progress(folder.study, responses)
    if form == "json":
        print_json(_document(folder.study, how_far, summary, printed, gone))
    elif form:
        write_tables(printed, form)
    else:
        print_tables(printed)
    if summary is not None and figures is not None:
        _draw(summary, figures, gone)
    if gone.people:
        note(gone.note)
    if how_far.given < how_far.wanted:
        note(f"{how_far.given} of {how_far.wanted} judgements are there so far.")
    say_left_out(fitting)
    if summary is not None and summary.unread:
        note(
            f"Not in the suite's own tables: {counted(summary.unread, 'response')} without an "
            "answer to what its study asks, as study.toml was changed."
        )


def _only(made: Sequence[Table], names: Sequence[str]) -> list[Table]:
    known = {table.name: table for table in made}
    for name in names:
        if name not in known:
            raise unknown("table", name, known)
    return [table for name, table in known.items() if name in names or not names]


def _noted(tables: Sequence[Table], gone: LeftOut) -> list[Table]:
    """Tables that say whose answers they are without."""
    import msgspec

    if not gone.people:
        return list(tables)
    return [msgspec.structs.replace(each, notes=(*each.notes, gone.note)) for each in tables]


def _document(
    study: Study,
    how_far: Progress,
    summary: StudySummary | None,
    printed: Sequence[Table],
    gone: LeftOut,
) -> dict[str, Any]:
    """The one shape of results (docs/results.schema.json)."""
    import msgspec

    from epicene.records import Estimate
    from epicene.report.document import number
    from epicene.report.plain import tables_json

    nobody = Estimate(value=None, why="no suite judges the answers")
    metrics = {} if summary is None else summary.metrics
    return {
        "suite": study.suite,
        "protocol": "" if summary is None else summary.results.protocol.name,
        "data": study.drawn.data if study.drawn else "",
        "study": {
            **msgspec.to_builtins(how_far),
            **({"left_out": len(gone.people)} if gone.people else {}),
        },
        "metrics": {name: number(each) for name, each in metrics.items()},
        "undetected": number(nobody if summary is None else summary.undetected),
        "tables": tables_json(printed),
    }


def _draw(summary: StudySummary, folder: Path, gone: LeftOut) -> None:
    import msgspec

    from epicene.cli.output import note
    from epicene.report.figures import svg
    from epicene.runs.files import write_whole

    for figure in summary.figures:
        path = folder / f"{figure.name}.svg"
        told = (*figure.notes, gone.note) if gone.people else figure.notes
        write_whole(path, svg(msgspec.structs.replace(figure, notes=told)).encode())
        note(str(path))
