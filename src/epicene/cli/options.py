"""Options that several commands share, each with its environment variable."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from epicene.core.errors import InputError

if TYPE_CHECKING:
    from epicene.suites import Suite

SuiteName: TypeAlias = Annotated[
    str,
    typer.Argument(
        help="The suite (`epicene suites` lists them), or a file with your own: FILE.py[:NAME]."
    ),
]
RunFolders: TypeAlias = Annotated[list[Path], typer.Argument(metavar="RUN…", help="Run folders.")]
ProtocolName: TypeAlias = Annotated[
    str,
    typer.Option(
        "--protocol",
        "-p",
        envvar="EPICENE_PROTOCOL",
        help="paper (the authors' procedure) or epicene (ours).",
    ),
]
DataPath: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--data",
        "-d",
        envvar="EPICENE_DATA",
        help="Your file or folder (default: the starter set).",
    ),
]
Columns: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="OURS=THEIRS",
        help="Read Epicene's field OURS from your column THEIRS; may be repeated.",
    ),
]
FileFormat: TypeAlias = Annotated[
    str | None,
    typer.Option("--format", help="The format of the files (default: from their names)."),
]
PeopleFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--people",
        metavar="FILE.toml",
        help='A TOML file that says who "I" and "you" are, per string key.',
    ),
]
Languages: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--language",
        "-l",
        envvar="EPICENE_LANGUAGE",
        help="Only this language, a code such as fr; may be repeated.",
    ),
]
Limit: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--limit",
        min=1,
        envvar="EPICENE_LIMIT",
        help="The maximum number of items from each part of the data (default: all).",
    ),
]
Seed: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--seed",
        envvar="EPICENE_SEED",
        help="The random seed for sampling and for --limit (default: the protocol's).",
    ),
]
Settings: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Change a setting of the protocol (`epicene suites SUITE` lists them); may be "
        "repeated.",
    ),
]
TaskNames: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--task",
        "--format",
        help="Only this task or format, for suites that have several; may be repeated.",
    ),
]
Split: TypeAlias = Annotated[
    str | None, typer.Option("--split", help="The part of the data: train, dev, test …")
]
EnglishFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--english",
        help="A file with the English side, if the data lack it: one sentence per line.",
    ),
]
AsJson: TypeAlias = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON document on standard output."),
]
AsCsv: TypeAlias = Annotated[bool, typer.Option("--csv", help="Print CSV.")]
AsLatex: TypeAlias = Annotated[bool, typer.Option("--latex", help="Print LaTeX.")]
AsMarkdown: TypeAlias = Annotated[bool, typer.Option("--markdown", help="Print Markdown.")]
WithItems: TypeAlias = Annotated[
    bool, typer.Option("--items", help="With --json: also include every judged answer.")
]
WithScores: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--scores",
        help="With --json: also include the log-probability of every scored text; with --csv: "
        "write only these.",
    ),
]
TableNames: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--table", "-t", metavar="NAME", help="Only this table; may be repeated."),
]

PriceOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--price",
        envvar="EPICENE_PRICE",
        metavar="PRICE",
        help="The price: dollars per image, dollars per million tokens as IN/OUT, or a TOML file.",
    ),
]
MaxCost: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--max-cost",
        min=0.0,
        envvar="EPICENE_MAX_COST",
        help="The maximum cost of all requests, in dollars.",
    ),
]
Threads: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--threads",
        min=1,
        envvar="EPICENE_THREADS",
        help="Threads for a model on a CPU (default: one per CPU core that this process may use).",
    ),
]
ExecutorName: TypeAlias = Annotated[
    str,
    typer.Option(
        "--on", envvar="EPICENE_ON", help="Where to run: here, or ray for several machines."
    ),
]
RayAddress: TypeAlias = Annotated[
    str,
    typer.Option(
        "--ray-address",
        envvar="EPICENE_RAY_ADDRESS",
        metavar="HOST:PORT",
        help="The Ray cluster (default: RAY_ADDRESS, or one started for this run).",
    ),
]
Workers: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        envvar="EPICENE_WORKERS",
        help="On Ray: number of workers (default: one per GPU, or per machine without GPUs).",
    ),
]
GpusPerWorker: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--gpus-per-worker",
        min=0.0,
        envvar="EPICENE_GPUS_PER_WORKER",
        help="On Ray: GPUs per worker (default: 1 if there are any).",
    ),
]
WorkerTimeout: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--worker-timeout",
        min=0.1,
        envvar="EPICENE_WORKER_TIMEOUT",
        help="On Ray: seconds after which a worker that has not answered is replaced.",
    ),
]


def is_on_command_line(context: typer.Context, name: str) -> bool:
    """Whether an option is on the command line itself: in the environment it is meant for every
    command.
    """
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


Yes: TypeAlias = Annotated[
    bool, typer.Option("--yes", "-y", help="Start a long or costly run without asking.")
]


def protocol_settings(
    setting: Iterable[str] | None,
    *,
    suite: Suite[Any, Any] | None = None,
    tasks: Iterable[str] | None = None,
    split: str | None = None,
    english: Path | None = None,
) -> dict[str, str]:
    """`--set`, and the settings that have their own options."""
    settings = key_value_pairs(setting, "--set")
    if tasks:
        settings[_part_setting(suite)] = ",".join(tasks)
    if split is not None:
        settings["split"] = split
    if english is not None:
        settings["english"] = str(english)
    return settings


def _part_setting(suite: Suite[Any, Any] | None) -> str:
    """What a suite calls its parts: some have tasks, some formats."""
    for name in ("tasks", "formats"):
        if suite is None or any(hasattr(each, name) for each in suite.protocols.values()):
            return name
    assert suite is not None
    raise InputError(f"The suite {suite.name} has neither tasks nor formats to choose from.")


def key_value_pairs(texts: Iterable[str] | None, option: str) -> dict[str, str]:
    """NAME=VALUE options as a mapping."""
    found: dict[str, str] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise InputError(f"{option} takes NAME=VALUE, not {text!r}.")
        found[name] = value
    return found
