"""Export results for a paper, and items for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

from epicene.app.arguments import (
    Columns,
    Data,
    Language,
    Limit,
    Out,
    PathLike,
    Protocol,
    RunsLike,
    Seed,
    Settings,
    SuiteLike,
    Task,
    at_least,
    data_source,
    protocol_settings,
    texts_of,
)
from epicene.app.output import Output, note
from epicene.app.results import stored_runs
from epicene.core.errors import unknown

_RESULTS = ("paper", "eee")
_ITEMS = ("hf", "lm-eval", "inspect")


def export_results(
    *runs: RunsLike,
    out: Out,
    to: Literal["paper", "eee"] = "paper",
    organization: str = "",
    relationship: Literal["first_party", "third_party", "collaborative", "other"] = "other",
) -> Path:
    """Write the results of runs into a new folder, for a paper or for another program.

    Args:
        runs: Run folders; in Python also runs, or lists of them.
        out: A new folder.
        to: The format: `paper` (tables as LaTeX, CSV, Markdown and JSON, figures, a results card,
            and a README.md that lists the files) or `eee` (Every Eval Ever).
        organization: With `eee`: the organization that evaluated the models.
        relationship: With `eee`: the evaluator's relationship to the model.

    Examples:
        >>> import epicene
        >>> run = epicene.run("alternations", model="random", limit=2, progress=False)
        >>> sorted(path.name for path in epicene.export_results(run, out="results").iterdir())
        ['README.md', 'alternations-epicene']
    """
    from epicene.export.results_folder import write_results
    from epicene.interop.every_eval_ever import write_every_eval_ever

    if to not in _RESULTS:
        raise unknown("export format", to, _RESULTS)
    stored, folder = stored_runs(runs), Path(out)
    if to == "eee":
        write_every_eval_ever(stored, folder, organization, relationship)
    else:
        write_results(stored, folder)
    return folder


class ExportedData(NamedTuple):
    """What was exported: the number of items, or of documents per task, and what was left out.

    `warning` says what to consider before you publish the folder, or is "".
    """

    path: Path
    form: str
    items: int
    tasks: dict[str, int]
    left_out: tuple[str, ...]
    warning: str

    def _print_(self, _: Output) -> None:
        if self.form == "hf":
            note(
                f"{self.items} items are in {self.path}: datasets.load_dataset({str(self.path)!r})"
            )
        for name, documents in self.tasks.items():
            note(f"{name}: {documents} documents")
        for what in self.left_out:
            note(f"Left out: {what}")
        if self.form != "hf":
            note(f"The tasks are in {self.path}; {self.path / 'README.md'} says how to run them")
        if self.warning:
            note(f"Warning: {self.warning}")


def export_data(
    suite: SuiteLike,
    to: Literal["hf", "lm-eval", "inspect"],
    out: Out,
    *,
    data: Data = None,
    columns: Columns = None,
    language: Language = None,
    protocol: Protocol = "epicene",
    settings: Settings = None,
    task: Task = None,
    split: str | None = None,
    english: PathLike | None = None,
    limit: Limit = None,
    seed: Seed = None,
    licence: str = "",
) -> ExportedData:
    """Write a suite's items with a card that says what they are and under which licence.

    Args:
        suite: The suite (`epicene suites` lists them), or a file with your own: FILE.py[:NAME].
        to: The format: `hf` (Hugging Face datasets), `lm-eval` (lm-evaluation-harness) or `inspect`
            (Inspect).
        out: A new folder.
        data: Your file or folder (default: the starter set).
        columns: Read Epicene's field OURS from your column THEIRS; may be repeated.
        language: Only this language, a code such as fr; may be repeated.
        protocol: `paper` (the authors' procedure) or `epicene` (ours).
        settings: Change a setting of the protocol (`epicene suites SUITE` lists them); may be
            repeated.
        task: Only this task or format, for suites that have several; may be repeated.
        split: The part of the data: train, dev, test …
        english: A file with the English side, if the data lack it: one sentence per line.
        limit: The maximum number of items from each part of the data (default: all).
        seed: The random seed for sampling and for the limit (default: the protocol's).
        licence: The licence of your own data.

    Examples:
        >>> import epicene
        >>> epicene.export_data("alternations", "hf", "items", language="fr", limit=3).items
        3
    """
    from epicene.export.hf_dataset import write_dataset
    from epicene.export.selection import select
    from epicene.interop.inspect_ai import write_inspect_tasks
    from epicene.interop.lm_eval import write_tasks
    from epicene.suites import choose_protocol, find_suite
    from epicene.suites.paper_material import with_paper_wording

    if to not in _ITEMS:
        raise unknown("export format", to, _ITEMS)
    at_least(1, limit=limit)
    chosen = find_suite(suite)
    given = protocol_settings(settings, chosen, task=task, split=split, english=english)
    how = choose_protocol(chosen, protocol, given, seed)
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
        write_dataset(selection, folder)
        return ExportedData(folder, to, len(selection.items), {}, (), warning)
    written = (write_tasks if to == "lm-eval" else write_inspect_tasks)(selection, folder)
    tasks = {task.name: len(task.documents) for task in written.tasks}
    left_out = tuple(written.left_out)
    return ExportedData(folder, to, len(selection.items), tasks, left_out, warning)
