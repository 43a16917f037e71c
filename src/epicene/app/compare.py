"""Compare two runs item by item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from epicene.app.arguments import RunLike
from epicene.app.frames import rows_frame
from epicene.app.output import Output, note, print_json
from epicene.app.progress import scoring_progress
from epicene.app.results import TabledResults, stored_run
from epicene.core.errors import InputError

if TYPE_CHECKING:
    import polars

    from epicene.core.records import Estimate, Table
    from epicene.runs.compare import Comparison as RunComparison


class Comparison(TabledResults):
    """Two runs compared item by item; differences are second minus first."""

    def __init__(self, result: RunComparison, *, agreement: bool = False) -> None:
        self.result = result
        self._agreement = agreement

    @property
    def notes(self) -> tuple[str, ...]:
        """How the two runs differ besides the model, and what is missing."""
        from epicene.runs.summary import incomplete_run_sentences

        return (*self.result.notes, *incomplete_run_sentences(self.result.runs))

    def changed(self) -> polars.DataFrame:
        """The judgements whose outcome differs, one row each."""
        return rows_frame(self.result.changed)

    def _estimates(self) -> Mapping[str, Estimate]:
        return self.result.metrics

    def _tables(self) -> Sequence[Table]:
        return self.result.tables

    def _print_(self, output: Output) -> int:
        if output.json:
            document = self._document()
            print_json({**document, "items": self.result.changed} if output.items else document)
            return 0
        super()._print_(output)
        if not self._agreement and not output.form:
            note(
                f"The outcome differs in {len(self.result.changed)} of the {self.result.outcomes} "
                "judgements that have an outcome in both runs. An answer may have several "
                "judgements, for example one per measure."
            )
        return 0

    def _document(self) -> dict[str, Any]:
        from epicene.report.results_document import run_json
        from epicene.report.table_formats import estimate_json, tables_json

        result = self.result
        return {
            "suite": result.suite,
            "protocol": result.protocol,
            "data": result.data,
            "metrics": {name: estimate_json(each) for name, each in result.metrics.items()},
            "undetected": estimate_json(result.undetected),
            "tables": tables_json(result.tables),
            "runs": [run_json(run) for run in result.runs],
            "notes": result.notes,
        }


def compare(
    first: RunLike, second: RunLike, *, agreement: bool = False, names: str = ""
) -> Comparison:
    """Compare two runs of one suite on the judgements they share, with paired tests.

    Args:
        first: The first run, e.g. of the older model.
        second: The second run. Differences are second minus first.
        agreement: Instead of differences, report how far the two runs agree: raw agreement,
            Matthews correlation and Cohen's kappa.
        names: With `--agreement`: the two judgements to compare, A,B.
    """
    from epicene.runs.compare import compare_agreement, compare_runs

    pair = names.partition(",")
    if names and not agreement:
        raise InputError("--names requires --agreement.")
    if names and not all(pair):
        raise InputError(f"--names takes two judgements, A,B, not {names!r}.")
    runs = stored_run(first), stored_run(second)
    with scoring_progress():
        if agreement:
            found = compare_agreement(*runs, names=(pair[0], pair[2]) if names else None)
        else:
            found = compare_runs(*runs)
    return Comparison(found, agreement=agreement)
