"""Export results for a paper, and items for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from epicene.app.arguments import data_source, texts_of
from epicene.app.results import tables as tabulate
from epicene.api.wording import keyword_errors
from epicene.core.errors import unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from epicene.app.arguments import PathLike
    from epicene.app.results import RunLike
    from epicene.suites import SuiteLike


@keyword_errors
def export_results(
    runs: RunLike | Iterable[RunLike],
    out: PathLike,
    to: Literal["paper", "eee", "hf"] = "paper",
    *,
    dataset: str = "",
    revision: str = "",
    organization: str = "",
    relationship: Literal["first_party", "third_party", "collaborative", "other"] = "other",
) -> Path:
    """Write the results of runs into a new folder, for a paper or for another program.

    out: a new folder.
    to: `paper` for tables (LaTeX, CSV, Markdown, JSON), figures (SVG, PNG) and a results card, with
        a README.md that lists the files; `eee` for Every Eval Ever, with every judged answer; `hf`
        for `.eval_results` in the repositories of models on the Hugging Face Hub.
    dataset, revision: with `hf`, the benchmark's dataset on the Hub (OWNER/NAME) and its commit.
    organization, relationship: with `eee`, the organization that evaluated the models, and its
        relationship to them.

    >>> import epicene
    >>> run = epicene.run("alternations", model="random", limit=2, progress=False)
    >>> sorted(path.name for path in epicene.export_results(run, "results").iterdir())
    ['README.md', 'alternations-epicene']
    """
    from epicene.export.every_eval_ever import write_every_eval_ever
    from epicene.export.hub import write_hub_results
    from epicene.export.results_folder import write_results

    if to not in (known := ("paper", "eee", "hf")):
        raise unknown("export format", to, known)
    stored, folder = tabulate(runs).stored, Path(out)
    if to == "eee":
        write_every_eval_ever(stored, folder, organization, relationship)
    elif to == "hf":
        write_hub_results(stored, folder, dataset, revision)
    else:
        write_results(stored, folder)
    return folder


class ExportedData(NamedTuple):
    """What was exported: the number of items, or of documents per task, and what was left out.

    `warning` says what to consider before you publish the folder, or is "".
    """

    path: Path
    items: int
    tasks: dict[str, int]
    left_out: tuple[str, ...]
    warning: str


@keyword_errors
def export_data(
    suite: SuiteLike,
    to: Literal["hf", "lm-eval", "inspect"],
    out: PathLike,
    *,
    data: PathLike | None = None,
    columns: Mapping[str, str] | None = None,
    language: str | Sequence[str] | None = None,
    protocol: str = "epicene",
    settings: Mapping[str, Any] | None = None,
    limit: int | None = None,
    seed: int | None = None,
    licence: str = "",
) -> ExportedData:
    """Write a suite's items, with a card that says what they are and under which licence.

    to: `hf` for Hugging Face `datasets`, `lm-eval` for lm-evaluation-harness, `inspect` for
        Inspect. out: a new folder. licence: the licence of your own data. The other arguments
        select the items, as in `run`.

    >>> import epicene
    >>> epicene.export_data("alternations", "hf", "items", language="fr", limit=3).items
    3
    """
    from epicene.export.hf_dataset import write_dataset
    from epicene.export.inspect_ai.folder import write_inspect_tasks
    from epicene.export.lm_eval.folder import write_tasks
    from epicene.export.selection import select
    from epicene.suites import choose_protocol, find_suite
    from epicene.suites.paper_material import with_paper_wording

    if to not in (known := ("hf", "lm-eval", "inspect")):
        raise unknown("export format", to, known)
    chosen = find_suite(suite)
    how = choose_protocol(chosen, protocol, settings or {}, seed)
    if to != "hf":  # the tasks have the prompts
        how = with_paper_wording(chosen, how)
    selection = select(
        chosen,
        how,
        data_source(data, columns),
        languages=texts_of(language),
        limit=limit,
        licence=licence,
    )
    folder, warning = Path(out), selection.warning
    if to == "hf":
        items = sum(part.items for part in write_dataset(selection, folder))
        return ExportedData(folder, items, {}, (), warning)
    written = (write_tasks if to == "lm-eval" else write_inspect_tasks)(selection, folder)
    tasks = {task.name: len(task.documents) for task in written.tasks}
    left_out = tuple(
        f"{what}{f' ({times} requests)' * (times > 1)}, because {why}."
        for (what, why), times in written.left_out.items()
    )
    return ExportedData(folder, len(selection.items), tasks, left_out, warning)
