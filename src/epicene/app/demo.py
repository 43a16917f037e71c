"""Run every suite on a few items, with embedded and planted models, and write a report."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from epicene.app.arguments import Out, Progress, Threads, at_least
from epicene.app.output import Output, note, print_json, print_tables
from epicene.app.progress import progress_display

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from epicene.runs.execute import ProgressDisplay
    from epicene.show.page import NotMeasured

EMBEDDED_MODEL = "smollm2"


@dataclass(frozen=True)
class DemoSuite:
    """One suite of the demo: few items and short answers, so that everything finishes in minutes.

    `models` maps roles to models, separated by commas if there are several. `plug_in` is the
    command that runs the suite on your own models.
    """

    suite: str
    models: Sequence[Mapping[str, str]]
    limit: int
    plug_in: str
    settings: Mapping[str, str] = field(default_factory=dict)


# Right at a known rate: what the suites must find again.
_PLANTED = {"model": "planted?rate=0.8"}


DEMO_SUITES = (
    DemoSuite(
        suite="misgendering",
        models=({"model": "smollm2"}, {"model": "ngram"}, {"model": "random"}, _PLANTED),
        limit=10,
        plug_in="epicene run misgendering -m hf:FOLDER",
        settings={"samples": "2", "pronouns": "he,she,they,xe"},
    ),
    DemoSuite(
        suite="alternations",
        models=({"model": "smollm2"}, {"model": "ngram"}, {"model": "random"}, _PLANTED),
        limit=20,
        plug_in="epicene run alternations -m hf:FOLDER",
    ),
    DemoSuite(
        suite="genform",
        models=({"model": "rules"}, {"model": "smollm2"}, {"model": "copy"}, _PLANTED),
        limit=3,
        plug_in="epicene run genform -m hf:FOLDER",
        settings={"new_tokens": "48"},
    ),
    DemoSuite(
        suite="apgc",
        models=({"model": "rules"}, {"model": "copy"}, _PLANTED),
        limit=10,
        plug_in="epicene run apgc -m model=hf:FOLDER -m translator=hf:FOLDER",
        settings={"tasks": "rewriting"},
    ),
    DemoSuite(
        suite="translation",
        models=({"model": "copy"}, _PLANTED),
        limit=20,
        plug_in="epicene run translation -m hf:FOLDER",
    ),
    DemoSuite(
        suite="gramvis",
        models=(
            {
                "drawer": "sketch?effect=0.3&neither=0.05",
                "judges": ",".join(f"sketch-judge:{seed}?error=0.05" for seed in (1, 2, 3)),
            },
        ),
        limit=240,
        plug_in="epicene run gramvis -m drawer=diffusers:FOLDER -m judges=hf:A,hf:B,hf:C",
        settings={"shots": "1", "size": "256", "mixed": "false"},
    ),
)


@dataclass
class Demo:
    """What the demo measured, in which folders, and what it could not measure."""

    report: Path
    folders: list[Path] = field(default_factory=list)
    missing: list[NotMeasured] = field(default_factory=list)
    failed: bool = False

    def _print_(self, output: Output) -> int:
        """The headlines of every suite, what was planted, what is missing, and where the report
        is.
        """
        from epicene.results.summary import group_by_protocol, summarise
        from epicene.runs.stored_run import read_run
        from epicene.show.model_profiles import headline_results
        from epicene.show.planted_values import planted_table
        from epicene.show.results_document import metrics_table, results_document
        from epicene.show.table_formats import as_json

        runs = [read_run(folder) for folder in self.folders]
        summaries = [summarise(each) for each in group_by_protocol(runs).values()]
        planted = planted_table((each, list(headline_results(each))) for each in summaries)
        if output.json:
            missing = [
                {"what": each.what, "why": each.why, "command": each.command}
                for each in self.missing
            ]
            print_json(
                {
                    "report": str(self.report),
                    "suites": [results_document(summary) for summary in summaries],
                    "planted": as_json(planted),
                    "not measured": missing,
                }
            )
        else:
            print_tables([*map(metrics_table, summaries), *([planted] if planted.rows else ())])
        for each in self.missing:
            note(f"Not measured: {each.what}. {each.why} {each.command}")
        note(
            "To print all tables, use `epicene tables RUN…` with the folders in "
            f"{self.report.parent / 'runs'}"
        )
        note(f"The report is in {self.report}")
        return 1 if self.failed else 0


def demo(
    *,
    out: Out = "demo",
    limit: int | None = None,
    threads: Threads = None,
    progress: Progress = True,
) -> Demo:
    """Run every suite on a few items, with embedded and planted models, and write a report.

    Args:
        out: The folder for the runs and the report.
        limit: At most this many items per suite.
        threads: Threads for a model on a CPU (default: one per CPU core that this process may use).
        progress: Whether to show progress on standard error.

    Examples:
        >>> import epicene
        >>> epicene.demo().report  # doctest: +SKIP
    """
    from epicene.core.errors import EpiceneError, RunError
    from epicene.core.requirements import require
    from epicene.models.embedded import fetch
    from epicene.runs.stored_run import read_run
    from epicene.show.run_report import write_report

    at_least(1, limit=limit, threads=threads)
    for package in ("resvg_py", "vl_convert"):  # which draw the figures, after all runs
        require(package, "The report", "")
    display = progress_display(wanted=progress)
    try:
        fetch(EMBEDDED_MODEL, progress=display.show_message)
    except EpiceneError as error:  # the parts that need it say so one by one
        display.show_message(str(error))
    done = Demo(Path(out) / "report.html")
    for part in DEMO_SUITES:
        part = replace(part, limit=min(part.limit, limit or part.limit))
        _run_suite(part, Path(out), done, threads, display)
    if not done.folders:
        raise RunError(f"Nothing could be measured: {done.missing[0].why}")
    write_report([read_run(folder) for folder in done.folders], done.report, missing=done.missing)
    return done


def _run_suite(
    part: DemoSuite, out: Path, done: Demo, threads: int | None, display: ProgressDisplay
) -> None:
    """Run one suite on its models, and note what could not be measured."""
    from epicene.core.errors import EpiceneError
    from epicene.models import ModelOptions, parse_spec
    from epicene.runs.config import RunConfig
    from epicene.runs.run import run
    from epicene.show.page import NotMeasured
    from epicene.suites import choose_protocol, find_suite

    suite = find_suite(part.suite)
    options = ModelOptions(threads=threads)
    for models in part.models:
        order = RunConfig(
            suite=suite,
            protocol=choose_protocol(suite, "epicene", part.settings, None),
            models={
                role: [parse_spec(spec, options) for spec in specs.split(",")]
                for role, specs in models.items()
            },
            limit=part.limit,
            under=out / "runs",
        )
        try:
            folder, manifest = run(order, display)
        except EpiceneError as error:
            what = f"{suite.card.title} with {' and '.join(models.values())}"
            why = f"{error} You can use any model of your own:"
            done.missing.append(NotMeasured(what=what, why=why, command=part.plug_in))
            done.failed = True
        else:
            done.folders.append(folder)
            done.failed |= manifest.state != "complete"
