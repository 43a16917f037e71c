"""Read, check and count a suite's data, or build more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from cyclopts import Parameter

from epicene.app.arguments import (
    TEXTS,
    Columns,
    Data,
    Language,
    MaxCost,
    Models,
    Out,
    PathLike,
    Price,
    Progress,
    Protocol,
    Settings,
    SuiteLike,
    Threads,
    data_source,
    protocol_settings,
    texts_of,
)
from epicene.app.frames import table_frame
from epicene.app.output import Output, console, note, print_json, print_line, print_tables
from epicene.app.progress import progress_display
from epicene.core.control_characters import escape_controls
from epicene.core.errors import InputError, unknown

if TYPE_CHECKING:
    import polars

    from epicene.core.records import Item, Table
    from epicene.suites import Dataset, Suite
    from epicene.suites import Protocol as SuiteProtocol


class SuiteData:
    """The items of a suite, from its starter set or from a file. `read_data` returns them."""

    def __init__(
        self,
        suite: Suite[Any, Any],
        protocol: SuiteProtocol,
        dataset: Dataset,
        languages: tuple[str, ...] = (),
        limit: int | None = None,
    ) -> None:
        self._suite = suite
        self._protocol = protocol
        self._dataset = dataset
        self._languages = languages
        self._limit = limit

    @property
    def suite(self) -> str:
        """The name of the suite."""
        return self._suite.name

    @property
    def name(self) -> str:
        """The name of the data."""
        return self._dataset.name

    @property
    def files(self) -> list[Path]:
        """The files that the items come from."""
        return list(self._dataset.files)

    @property
    def remarks(self) -> list[str]:
        """How each file was read and why, if the suite reads several layouts."""
        return list(self._dataset.remarks)

    def items(self) -> Iterator[Item]:
        """Iterate over the items, as records."""
        from epicene.runs.items import filter_languages

        found = filter_languages(self._dataset.items, self._languages, self.name)
        yield from islice(found, self._limit)

    @cached_property
    def _all_items(self) -> list[Item]:
        return list(self.items())

    def __len__(self) -> int:
        """How many items there are."""
        return len(self._all_items)

    def frame(self) -> polars.DataFrame:
        """A frame with one row per item and one column per field."""
        import polars as pl

        from epicene.suites.definition_items import item_fields

        rows = [item_fields(item) for item in self.items()]
        return pl.DataFrame(rows, infer_schema_length=None)  # by rows: a dict keeps all its keys

    def check(self) -> polars.DataFrame:
        """The problems of the data: severity (error or warning), place, message.

        Raises an error if two items share an id, because no run would accept them.
        """
        import polars as pl

        from epicene.suites import DataIssue
        from epicene.suites.control_characters import control_character_issues

        items = self._all_items
        checked = self._suite.check(items, self._protocol) if self._suite.check is not None else ()
        noted = (DataIssue("warning", self.name, sentence) for sentence in self._dataset.notes)
        found = [*noted, *checked, *control_character_issues(self._dataset.files)]
        for name, count in Counter(item.id for item in items).items():
            if count > 1:
                raise InputError(
                    f"{self.name} has the id {name!r} twice; every item needs its own id."
                )
        names = ("severity", "place", "message")
        return pl.DataFrame(found, schema=dict.fromkeys(names, pl.String), orient="row")

    def records(self) -> tuple[Table, ...]:
        """The tables about the data, as records."""
        from epicene.show.data_tables import data_tables

        return data_tables(self._suite, self._protocol, self._all_items, self.name)

    @property
    def tables(self) -> dict[str, str]:
        """The names of the tables about the data, with their titles."""
        return {table.name: table.title for table in self.records()}

    def table(self, name: str) -> polars.DataFrame:
        """One of the tables; the table `items` counts items and groups by language."""
        found = {table.name: table for table in self.records()}
        if name not in found:
            raise unknown("table", name, found, every=True)
        return table_frame(found[name])

    def __repr__(self) -> str:
        """The suite and the name of the data."""
        return f"<Data of {self.suite}: {self.name}>"

    def _print_(self, output: Output) -> int:
        match output.view:
            case "check":
                return self._print_check(output)
            case "stats":
                self._print_stats(output)
            case _:
                self._print_items(output)
        return 0

    def _print_items(self, output: Output) -> None:
        """Print the first items, field by field."""
        from epicene.suites.definition_items import item_fields

        shown = [item_fields(item) for item in islice(self.items(), self._limit or 10)]
        if output.json:
            print_json({"items": shown})
            return
        where = console()
        for fields in shown:
            for name, value in fields.items():
                where.print(f"[bold]{name}[/bold]", end="  ")
                where.print(escape_controls(str(value)), markup=False, highlight=False)
            where.print()

    def _print_check(self, output: Output) -> int:
        """Print the findings about the data; the exit code is 2 if one is an error."""
        findings = self.check().rows(named=True)
        if output.json:
            print_json({"items": len(self), "remarks": self.remarks, "findings": findings})
        else:
            for remark in self.remarks:
                note(remark)
            for each in findings:
                print_line(f"{each['severity']}: {each['place']}: {each['message']}")
            note(f"{len(self)} items, {len(findings)} findings.")
        return 2 if any(each["severity"] == "error" for each in findings) else 0

    def _print_stats(self, output: Output) -> None:
        """Print how many items there are, by language, and the suite's own tables of its data."""
        from epicene.show.table_formats import tables_json

        if output.json:
            tables = tables_json(self.records())
            print_json({"suite": self.suite, "data": self.name, "tables": tables})
        else:
            print_tables(self.records())


def read_data(
    suite: SuiteLike,
    data: Data = None,
    *,
    columns: Columns = None,
    language: Language = None,
    protocol: Protocol = "epicene",
    settings: Settings = None,
    split: str | None = None,
    limit: int | None = None,
) -> SuiteData:
    """Read the items that a run would use.

    Args:
        suite: The suite (`epicene suites` lists them), or a file with your own: FILE.py[:NAME].
        data: Your file or folder (default: the starter set).
        columns: Read Epicene's field OURS from your column THEIRS; may be repeated.
        language: Only this language, a code such as fr; may be repeated.
        protocol: `paper` (the authors' procedure) or `epicene` (ours).
        settings: Change a setting of the protocol (`epicene suites SUITE` lists them); may be
            repeated.
        split: The part of the data: train, dev, test …
        limit: Only the first items.

    Examples:
        >>> import epicene
        >>> data = epicene.read_data("alternations")
        >>> data.check()["severity"].to_list()
        []
        >>> data.table("items").select("language", "groups").rows()
        [('ar', 66.0), ('fr', 66.0), ('hi', 122.0)]
        >>> data.frame().select("id", "gloss").row(0)
        ('agreement-hi-01', 'My sister runs every morning.')
    """
    from epicene.suites import choose_protocol, find_suite

    chosen = find_suite(suite)
    given = protocol_settings(settings, chosen, split=split)
    how = choose_protocol(chosen, protocol, given, None)
    dataset = chosen.read(data_source(data, columns), how)
    return SuiteData(chosen, how, dataset, texts_of(language), limit)


class Collected(NamedTuple):
    """The files that were gathered, those that are missing, and those found with different content,
    each with the place where it was found.
    """

    path: Path
    found: dict[str, str]
    missing: tuple[str, ...]
    changed: dict[str, str]

    def _print_(self, output: Output) -> None:
        if output.json:
            print_json(self._asdict() | {"path": str(self.path)})
            return
        for path, place in self.found.items():
            print_line(f"{path}: from {place}")
        for path in self.missing:
            other = self.changed.get(path)
            print_line(f"{path}: missing{f', but {other} is a different version' if other else ''}")
        every = len(self.found) + len(self.missing)
        note(f"{len(self.found)} of {every} published files are in {self.path}.")


def collect_data(
    suite: SuiteLike,
    *,
    sources: Annotated[
        PathLike | Sequence[PathLike], TEXTS, Parameter(name="--from", metavar="DIR|ZIP")
    ],
    out: Out,
) -> Collected:
    """Collect a suite's published files from clones and zip files into a folder for `--data`.

    A file is copied if its name and its SHA-256 match the published file.

    Args:
        suite: The suite; `epicene suites SUITE` names the repositories of its data.
        sources: A clone or a zip file with published files; may be repeated.
        out: The folder to write.
    """
    from epicene.suites import find_suite
    from epicene.suites.collecting import collect_files

    chosen = find_suite(suite)
    if not chosen.published_files:
        raise InputError(
            f"The suite {chosen.name} has no list of published files with their SHA-256; use "
            "--data to name your files."
        )
    given = [sources] if isinstance(sources, str | Path) else sources
    found = collect_files(chosen.published_files, [Path(each) for each in given], Path(out))
    if not found.found:
        raise InputError(
            f"None of the published files of {chosen.name} was found; get them from: "
            f"{chosen.card.published_data}"
        )
    return Collected(Path(out), *found)


def extract_wording(
    suite: SuiteLike, paper: Annotated[PathLike, Parameter(metavar="FILE")], *, out: Out
) -> list[Path]:
    """Extract the paper's prompts, questions and templates from its text or PDF, and write them.

    Nothing is written unless everything is found. Set EPICENE_PUBLISHED_DATA to the folder, so that
    runs with `--set wording=paper` read the files.

    Args:
        suite: The suite.
        paper: The paper, as a text file or a PDF.
        out: The folder to write.
    """
    from epicene.suites import find_suite
    from epicene.suites.paper_material import extract_material

    return extract_material(find_suite(suite), Path(paper), Path(out))


class BuiltData(NamedTuple):
    """A folder of data under construction: what was done, and what it is waiting for ("" if
    nothing).
    """

    path: Path
    steps: tuple[str, ...]
    waiting: str

    def _print_(self, _: Output) -> None:
        """The steps were shown when they were done."""


def build_data(
    suite: SuiteLike,
    *,
    out: Out,
    model: Models = None,
    settings: Settings = None,
    seed: int | None = None,
    max_cost: MaxCost = None,
    price: Price = "",
    threads: Threads = None,
    progress: Progress = True,
) -> BuiltData:
    """Build a suite's data step by step, as far as possible. Repeat the call to resume.

    A step done by people needs `epicene annotate` with the folder, and their answers; until then,
    it says what is missing.

    Args:
        suite: The suite.
        out: The folder of the data.
        model: The model of a role, as ROLE=SPEC[,SPEC…]; may be repeated. In Python also a mapping
            from roles to models.
        settings: Change a setting of the construction; may be repeated.
        seed: The random seed.
        max_cost: The maximum cost of all requests, in dollars.
        price: The price: dollars per image, dollars per million tokens as IN/OUT, or a TOML file.
        threads: Threads for a model on a CPU (default: one per CPU core that this process may use).
        progress: Whether to show progress on standard error.
    """
    from epicene.app.opening import resolve_models
    from epicene.app.run import model_options
    from epicene.models import open_model
    from epicene.runs.dataset_builder import BuildConfig, WaitingForPeopleError, build_dataset
    from epicene.suites import find_suite

    chosen = find_suite(suite)
    models, with_models_in_memory = resolve_models(
        _builders(chosen, model), model_options(price=price, threads=threads)
    )
    chosen_settings = dict(settings or {}) if seed is None else {**(settings or {}), "seed": seed}
    config = BuildConfig(chosen, Path(out), chosen_settings, models, max_cost)
    display = progress_display(wanted=progress)
    steps: list[str] = []
    waiting = ""
    try:
        for step in build_dataset(config, display, with_models_in_memory(open_model)):
            steps.append(step)
            display.show_message(step)
    except WaitingForPeopleError as error:
        waiting = str(error)
        display.show_message(waiting)
    return BuiltData(Path(out), tuple(steps), waiting)


def _builders(suite: Suite[Any, Any], given: Models) -> dict[str, list[Any]]:
    """The models of each role of a construction."""
    from epicene.app.run import as_list
    from epicene.models import split_role

    found: dict[str, list[Any]] = {}
    if isinstance(given, Mapping):
        found = {role: as_list(models) for role, models in given.items()}
    else:
        for text in [] if given is None else as_list(given):
            role, models = split_role(text) if isinstance(text, str) else ("", [])
            if not role:
                raise InputError(f"--model must name the model's role, as ROLE=SPEC, not {text!r}.")
            found[role] = list(models)
    for role in found:
        if suite.construction is not None and role not in suite.construction.roles:
            raise unknown("role", role, suite.construction.roles, where="in this construction")
    return found
