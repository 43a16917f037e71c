"""Read, check and count a suite's data, or build more."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from epicene.api.arguments import data_source, language_codes
from epicene.api.frames import table_frame
from epicene.api.progress import NoProgress, progress_display
from epicene.api.running import model_options
from epicene.api.wording import keyword_errors
from epicene.core.errors import InputError, unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars

    from epicene.api.models import ModelInput
    from epicene.api.results import PathLike
    from epicene.core.records import Item, Table
    from epicene.suites import Dataset, Protocol, Suite, SuiteLike
    from epicene.suites.collecting import CollectedFiles


@keyword_errors
def read_data(
    suite: SuiteLike,
    data: PathLike | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    language: str | Sequence[str] | None = None,
    protocol: str = "epicene",
    settings: Mapping[str, Any] | None = None,
) -> SuiteData:
    """Read the items that a run would use.

    data: your file or folder (default: the suite's starter set). `columns` maps Epicene's fields to
        your column names.
    language: only these languages.
    protocol, settings: as in `run`; a suite with splits has the setting `split`.

    >>> import epicene
    >>> data = epicene.read_data("alternations")
    >>> data.check()["severity"].to_list()
    []
    >>> data.table("items").select("language", "groups").rows()
    [('ar', 66.0), ('fr', 66.0), ('hi', 122.0)]
    >>> data.frame(limit=1).select("id", "gloss").row(0)
    ('agreement-hi-01', 'My sister runs every morning.')
    """
    from epicene.suites import choose_protocol, find_suite

    chosen = find_suite(suite)
    how = choose_protocol(chosen, protocol, settings or {}, None)
    dataset = chosen.read(data_source(data, columns), how)
    return SuiteData(chosen, how, dataset, language_codes(language))


class SuiteData:
    """The items of a suite, from its starter set or from a file. `read_data` returns them."""

    def __init__(
        self,
        suite: Suite[Any, Any],
        protocol: Protocol,
        dataset: Dataset,
        languages: tuple[str, ...] = (),
    ) -> None:
        self._suite = suite
        self._protocol = protocol
        self._dataset = dataset
        self._languages = languages

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
        from epicene.runs.plan import filter_languages

        yield from filter_languages(self._dataset.items, self._languages, self.name)

    @cached_property
    def _all_items(self) -> list[Item]:
        return list(self.items())

    @keyword_errors
    def __len__(self) -> int:
        """How many items there are."""
        return len(self._all_items)

    @keyword_errors
    def frame(self, limit: int | None = None) -> polars.DataFrame:
        """A frame with one row per item, at most `limit`, and one column per field."""
        import polars as pl

        from epicene.suites.definition_items import item_fields

        rows = [item_fields(item) for item in islice(self.items(), limit)]
        return pl.DataFrame(rows, infer_schema_length=None)  # by rows: a dict keeps all its keys

    @keyword_errors
    def check(self) -> polars.DataFrame:
        """The problems of the data: severity (error or warning), place, message.

        Raises an error if two items share an id, because no run would accept them.
        """
        import polars as pl

        from epicene.suites import DataIssue
        from epicene.suites.control_characters import control_character_issues

        items = self._all_items
        checked = self._suite.check(items, self._protocol) if self._suite.check is not None else ()
        noted = (DataIssue("warning", self.name, note) for note in self._dataset.notes)
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

    @keyword_errors
    def table(self, name: str) -> polars.DataFrame:
        """One of the tables; the table `items` counts items and groups by language."""
        found = {table.name: table for table in self.records()}
        if name not in found:
            raise unknown("table", name, found, every=True)
        return table_frame(found[name])

    def __repr__(self) -> str:
        """The suite and the name of the data."""
        return f"<Data of {self.suite}: {self.name}>"


@keyword_errors
def collect_data(
    suite: SuiteLike, sources: PathLike | Sequence[PathLike], out: PathLike
) -> CollectedFiles:
    """Collect a suite's published files from clones and zip files into a folder for `data`.

    sources: folders and zip files that contain them; `epicene.suites(NAME)["published_data"]` names
        the repositories.
    out: the folder to write.

    A file is copied if its name and its SHA-256 match the published file. `missing` lists the files
    that were not found; `changed` lists those with different content, and where they are.
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
    return found


@keyword_errors
def extract_wording(suite: SuiteLike, paper: PathLike, out: PathLike) -> list[Path]:
    """Extract the paper's prompts, questions and templates from its text or PDF, and write them.

    out: the folder to set EPICENE_PUBLISHED_DATA to; runs with `wording=paper` read the files from
        there.

    Nothing is written unless everything is found.
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


@keyword_errors
def build_data(
    suite: SuiteLike,
    out: PathLike,
    *,
    roles: Mapping[str, ModelInput | Sequence[ModelInput]] | None = None,
    settings: Mapping[str, Any] | None = None,
    seed: int | None = None,
    max_cost: float | None = None,
    progress: bool = True,
    **options: Any,
) -> BuiltData:
    """Build a suite's data step by step, as far as possible; call it again to resume.

    out: the folder of the data.
    roles: the model of each role, or a list of them, as in `run`: `{"writer": "openai:NAME"}`.
    settings: settings of the construction.
    max_cost: the maximum cost of all requests, in US dollars.
    options: how to open the models, as in `run`.

    A step done by people needs `epicene.load_study(FOLDER)` and their answers; until then,
    `waiting` says what is missing.
    """
    from epicene.api.models import as_list, resolve_models
    from epicene.models import open_model
    from epicene.runs.dataset_builder import BuildConfig, WaitingForPeopleError, build_dataset
    from epicene.suites import find_suite

    chosen = find_suite(suite)
    by_role: dict[str, list[ModelInput]] = {}
    for role, given in (roles or {}).items():
        if chosen.construction is not None and role not in chosen.construction.roles:
            raise unknown("role", role, chosen.construction.roles, where="in this construction")
        by_role[role] = as_list(given)
    models, with_models_in_memory = resolve_models(by_role, model_options(**options))
    chosen_settings = dict(settings or {}) if seed is None else {**(settings or {}), "seed": seed}
    config = BuildConfig(chosen, Path(out), chosen_settings, models, max_cost)
    display = progress_display() if progress else NoProgress()
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
