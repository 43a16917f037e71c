"""`epicene annotate …`: sample, serve, links, owners, import, adjudicate, forget."""

from __future__ import annotations

import ipaddress
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from epicene.cli import annotate_output, annotate_setup
from epicene.cli.annotate_output import (
    HostOption,
    OutFileOption,
    PortOption,
    StudyOption,
    StudyPath,
    split_names,
)
from epicene.cli.options import Columns, key_value_pairs
from epicene.core.errors import InputError, pluralise

if TYPE_CHECKING:
    import polars


def forget(
    study: StudyPath,
    person: Annotated[str, typer.Argument(metavar="PERSON", help="The person who withdrew.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Delete without asking.")] = False,
) -> None:
    """Permanently delete a person who withdrew, with all their answers."""
    from epicene.api.studies import load_study
    from epicene.cli.output import note

    chosen = load_study(study)
    count = chosen.count_answers(person)
    if not yes and not _confirm(f"{person}, with {pluralise(count, 'answer')}"):
        note("Nothing was deleted.")
        return
    deleted = chosen.forget(person)
    note(
        f"Deleted {person}, with {pluralise(deleted, 'answer')}. Files exported earlier are "
        "unchanged."
    )


def _confirm(what: str) -> bool:
    """Ask at the terminal for confirmation."""
    if not sys.stdin.isatty():
        raise InputError(
            f"This would delete {what}, and there is no terminal to ask for confirmation; use "
            "--yes."
        )
    return typer.confirm(f"Permanently delete {what}?", err=True)


def exclude(
    study: StudyPath,
    people: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PERSON…]", help="The people to exclude."),
    ] = None,
    reason: Annotated[
        str, typer.Option("--reason", help="The reason, which is shown in tables and exports.")
    ] = "",
    by: Annotated[str, typer.Option("--by", help="Who decides.")] = "owner",
    rule: Annotated[
        bool,
        typer.Option(
            "--rule",
            help="Instead of naming people, apply the rule in study.toml to everyone, including "
            "people who left early and imported answers.",
        ),
    ] = False,
    readmit: Annotated[
        bool,
        typer.Option(
            "--readmit", help="Instead of excluding these people, count their answers again."
        ),
    ] = False,
) -> None:
    """Exclude people: their answers are kept but do not count, and their items go to others."""
    from epicene.api.studies import load_study
    from epicene.cli.output import note

    chosen = load_study(study)
    named = people or []
    if rule == bool(named) or (readmit and not named):
        raise InputError("Name people, or use --rule, but not both; --readmit requires names.")
    if rule:
        for name, why in chosen.apply_rule().items():
            note(f"Excluded {name}: {why}.")
    elif readmit:
        chosen.readmit(*named, by=by)
        note(f"The answers of {', '.join(named)} count again.")
    else:
        chosen.exclude(*named, reason=reason, by=by)
        note(f"Excluded {', '.join(named)}. Their answers are kept, and their items go to others.")
    note(f"Total excluded: {len(chosen.excluded)}.")


PeopleOption: TypeAlias = Annotated[
    str,
    typer.Option(
        metavar="A,B,…",
        help="The people to invite with a personal link, in addition to those who have one.",
    ),
]
UrlOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--url",
        metavar="URL",
        help="The public address of the pages, https://HOST (default: --host and --port).",
    ),
]


def serve(
    studies: Annotated[
        list[Path],
        typer.Argument(
            metavar="STUDY…",
            help="The study's folder, or several folders, each with its own --url.",
        ),
    ],
    people: PeopleOption = "",
    host: HostOption = "127.0.0.1",
    port: PortOption = 8765,
    url: UrlOption = "",
    lease: Annotated[
        float,
        typer.Option(
            min=1,
            metavar="MINUTES",
            help="How long an item stays reserved for the person it was shown to.",
        ),
    ] = 30,
    print_them: Annotated[
        bool,
        typer.Option(
            "--links/--no-links",
            help="Whether to print the links. They are secrets, so do not print them where "
            "output is logged.",
        ),
    ] = True,
) -> None:
    """Serve the annotation pages until you stop the command, and print the links."""
    from epicene.api.studies import load_study, print_links
    from epicene.cli.output import note

    if len(studies) > 1:
        _serve_several(studies, people, url, host, port, lease, print_them=print_them)
        return
    chosen = load_study(studies[0])
    for problem in chosen.problems():
        if not len(chosen.answers()):  # a study that is under way is not stopped for it
            raise InputError(problem)
        note(problem)

    def ready(links: polars.DataFrame) -> None:
        if print_them:
            print_links(links)
        if not _is_loopback(host):
            note(
                f"Listening on {host}: anyone who can reach this machine can try to connect. "
                "Links and answers are sent unencrypted unless an HTTPS proxy is in front of "
                "this server."
            )
        if chosen.closes is not None:
            has = "closed" if chosen.closes <= datetime.now(UTC) else "closes"
            note(f"The study {has} on {chosen.closes.astimezone(UTC):%Y-%m-%d at %H:%M} UTC.")
        note("Serving until stopped (Ctrl-C).")

    chosen.serve(split_names(people), host=host, port=port, url=url, lease=lease, ready=ready)
    note("Stopped. All answers are stored; repeat the command to resume, with the same links.")


def _serve_several(
    paths: list[Path],
    people: str,
    urls: str,
    host: str,
    port: int,
    lease: float,
    *,
    print_them: bool,
) -> None:
    from epicene.api.studies import load_study, serve_studies
    from epicene.cli.output import note

    if people:
        raise InputError(
            "--people works with one study only; use `annotate links` to invite "
            "people to each study."
        )
    serve_studies(
        [load_study(path) for path in paths],
        split_names(urls),
        host=host,
        port=port,
        lease=lease,
        ready=None if print_them else lambda _links: None,
    )
    note("Stopped. All answers are stored; repeat the command to resume, with the same links.")


def links(
    study: StudyPath,
    people: PeopleOption = "",
    url: UrlOption = "",
    revoke: Annotated[
        str,
        typer.Option(
            metavar="A,B,…",
            help="Revoke these people's links at once; personal links are reissued.",
        ),
    ] = "",
) -> None:
    """Print the links of a study: the owner's, the open link and the personal links."""
    from epicene.api.studies import base_url, load_study, print_links
    from epicene.cli.output import note

    chosen = load_study(study)
    wanted = base_url(url) if url else ""
    served = chosen.served_before
    chosen.revoke(*split_names(revoke))
    for name in split_names(revoke):
        note(f"The link of {name} no longer works; answers given with it are kept.")
    print_links(chosen.links(split_names(people), wanted))
    if not wanted:
        why = (
            "the address where the study was last served"
            if served
            else "because the study has not been served yet"
        )
        note(f"The links point to {chosen.address}, {why}; use --url for another address.")


def owners(
    study: StudyPath,
    add: Annotated[
        str,
        typer.Option(
            metavar="A,B,…", help="The people to add as owners; each gets their own link."
        ),
    ] = "",
    revoke: Annotated[
        str,
        typer.Option(
            metavar="A,B,…", help="The owners to revoke: their links and sessions end at once."
        ),
    ] = "",
    url: UrlOption = "",
) -> None:
    """Print the links of the study's owners; what each does is recorded under their own name."""
    from epicene.api.studies import load_study, print_links
    from epicene.cli.output import note

    made = load_study(study).owners(split_names(add), revoke=split_names(revoke), url=url)
    for name in split_names(revoke):
        note(f"The link of {name} no longer works; the record of what {name} did is kept.")
    print_links(made)


def activity(study: StudyPath) -> None:
    """Print what the owners did, latest first: when, who and what."""
    from epicene.api.studies import load_study

    for at, *what in load_study(study).activity().iter_rows():
        typer.echo("\t".join((f"{at:%Y-%m-%d %H:%M:%S}", *what)))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


app = typer.Typer(help="Sample a human study, collect people's answers, and tabulate them.")


@app.command()
def sample(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[RUN…]", help="The run folders whose answers people will judge."),
    ] = None,
    out: StudyOption = Path("study"),
    study: Annotated[
        str, typer.Option("--study", help="The study to sample, if the suite has several.")
    ] = "",
    suite: Annotated[
        str,
        typer.Option(
            "--suite", help="For studies of data: the suite to sample from, instead of runs."
        ),
    ] = "",
    data: Annotated[
        Path | None, typer.Option("--data", "-d", help="With --suite: your file or folder.")
    ] = None,
    column: Columns = None,
    language: Annotated[
        list[str] | None, typer.Option("--language", "-l", help="Only items in these languages.")
    ] = None,
    per_cell: Annotated[
        int | None, typer.Option(min=1, help="Items per cell of the design.")
    ] = None,
    n: Annotated[
        int | None, typer.Option("--n", min=1, help="Items in total, distributed over the cells.")
    ] = None,
    twice: Annotated[
        int | None,
        typer.Option(min=0, help="Items that two people judge (default: 200)."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Another number draws another sample.")
    ] = None,
    protocol: Annotated[
        str,
        typer.Option(
            "--protocol",
            "-p",
            help="How items are drawn: paper or epicene (default: as in the runs).",
        ),
    ] = "",
    precision: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="The half-width of the interval of each corrected headline, e.g. 0.03: as many "
            "items are drawn as this needs.",
        ),
    ] = None,
    pilot: Annotated[
        Path | None,
        typer.Option(
            metavar="STUDY",
            help="An earlier study of these runs that people have answered; cells whose labels "
            "vary more in it get more items.",
        ),
    ] = None,
    accuracy: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="With --precision and without --pilot: the share of automatic judgements that "
            "are right.",
        ),
    ] = None,
    uncertain_first: Annotated[
        bool,
        typer.Option(
            "--uncertain-first",
            help="Draw more of the answers whose automatic judgement is uncertain.",
        ),
    ] = False,
) -> None:
    """Sample a study from models' answers in runs, or from a suite's data."""
    from epicene.api.studies import sample_study
    from epicene.cli.output import note

    made = sample_study(
        runs or (),
        out,
        study=study,
        suite=suite or None,
        data=data,
        columns=key_value_pairs(column, "--column"),
        language=language,
        per_cell=per_cell,
        n=n,
        twice=twice,
        seed=seed,
        protocol=protocol,
        precision=precision,
        pilot=pilot,
        accuracy=accuracy,
        uncertain_first=uncertain_first,
    )
    progress = made.progress()
    if made.shortfall:
        note(
            f"{pluralise(made.shortfall, 'item')} fewer than needed: some cells have too few "
            "answers to different prompts, so the intervals will be wider."
        )
    elif n is not None and progress.items < n:
        note(f"--n is {n}, but only {pluralise(progress.items, 'item')} can be drawn.")
    note(
        f"{pluralise(progress.items, 'item')}, {pluralise(progress.wanted, 'judgement')} needed. "
        f"The study is in {out}."
    )


@app.command("import")
def import_(
    study: StudyPath,
    file: Annotated[
        Path,
        typer.Argument(
            help="Answers as CSV, TSV or JSONL, PCIbex results, or a JSON export of Label Studio."
        ),
    ],
    participant: Annotated[
        str,
        typer.Option(
            "--participant", help="The person who gave the answers, if the file does not name them."
        ),
    ] = "",
    column: Columns = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace a person's earlier answers.")
    ] = False,
    incomplete: Annotated[
        bool,
        typer.Option("--incomplete", help="Accept responses that lack questions added later."),
    ] = False,
    layout: Annotated[
        Literal["auto", "pcibex", "label-studio"],
        typer.Option("--format", help="The file's format (default: detected from its content)."),
    ] = "auto",
) -> None:
    """Import answers collected outside Epicene: the whole file, or nothing if it has an error."""
    from epicene.api.studies import load_study
    from epicene.cli.output import note

    counts = load_study(study).import_answers(
        file,
        participant=participant,
        columns=key_value_pairs(column, "--column"),
        replace=replace,
        incomplete=incomplete,
        layout=layout,
    )
    was = {1: "was"}
    note(
        f"{pluralise(counts.new, 'new answer')}, {counts.replaced} replaced, {counts.same} "
        "unchanged."
    )
    if decided := counts.adjudications:
        note(f"{pluralise(decided, 'answer')} {was.get(decided, 'were')} settled by adjudication.")


@app.command()
def adjudicate(
    study: StudyPath,
    by: Annotated[str, typer.Option("--by", help="Who decides.")],
    out: OutFileOption = None,
) -> None:
    """Write a sheet of the disagreements; fill it in, and import it with `annotate import`."""
    from epicene.api.studies import load_study
    from epicene.cli.output import note

    sheet = load_study(study).adjudicate(by, out)
    if out is None:
        sys.stdout.write(sheet.text)
    about = f"{pluralise(sheet.answers, 'answer')} about {pluralise(sheet.items, 'item')}"
    note(f"To decide: {about}.")
    if sheet.note:
        note(sheet.note)


app.command("export")(annotate_output.export)
app.command("tables")(annotate_output.tables)
app.command("serve")(serve)
app.command("links")(links)
app.command("owners")(owners)
app.command("activity")(activity)
app.command("backup")(annotate_setup.backup)
app.command("restore")(annotate_setup.restore)
app.command("new")(annotate_setup.new)
app.command("check")(annotate_setup.check)
app.command("preview")(annotate_setup.preview)
app.command("pilot")(annotate_setup.pilot)
app.command("exclude")(exclude)
app.command("forget")(forget)
