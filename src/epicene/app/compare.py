"""Compare two runs item by item, or decide whether a new one is worse."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from epicene.app.arguments import RunLike
from epicene.app.frames import rows_frame
from epicene.app.output import Output, note, print_json, print_line
from epicene.app.progress import scoring_progress
from epicene.app.results import Run, TabledResults, stored_run, stored_runs
from epicene.core.errors import InputError, RunError

if TYPE_CHECKING:
    import polars

    from epicene.core.records import Estimate, Table
    from epicene.results.compare import Comparison as RunComparison
    from epicene.results.margin import MarginCheck

_EXIT_CODES = {"pass": 0, "fail": 1, "undecided": 3}


class Comparison(TabledResults):
    """Two runs compared item by item; differences are second minus first."""

    def __init__(self, result: RunComparison, *, agreement: bool = False) -> None:
        self.result = result
        self._agreement = agreement

    @property
    def notes(self) -> tuple[str, ...]:
        """How the two runs differ besides the model, and what is missing."""
        return self.result.notes

    def changed(self) -> polars.DataFrame:
        """The judgements whose outcome differs, one row each."""
        return rows_frame(self.result.changed)

    def _estimates(self) -> Mapping[str, Estimate]:
        return self.result.metrics

    def _tables(self) -> Sequence[Table]:
        return self.result.tables

    def _print_(self, output: Output) -> int:
        if output.items and self._agreement:
            raise InputError("--items lists what changed; it cannot be combined with --agreement.")
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
        from epicene.show.results_document import run_json
        from epicene.show.table_formats import estimate_json, tables_json

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


class WithinMargin(TabledResults):
    """Whether new runs are no worse than old ones by more than a margin, headline by headline."""

    def __init__(self, result: MarginCheck) -> None:
        self.result = result

    @property
    def outcome(self) -> str:
        """`fail` if a headline fails, `pass` if all pass, otherwise `undecided`."""
        return self.result.outcome

    @property
    def notes(self) -> tuple[str, ...]:
        """What would settle what is undecided, and how the runs differ."""
        return self.result.notes

    def _estimates(self) -> Mapping[str, Estimate]:
        return self.result.metrics

    def _tables(self) -> Sequence[Table]:
        return self.result.tables

    def _print_(self, output: Output) -> int:
        from epicene.show.table_formats import escape_markdown, tables_json

        if output.items:
            raise InputError("--items lists what changed; it cannot be combined with --margin.")
        result = self.result
        if output.json:
            print_json(
                {
                    "outcome": result.outcome,
                    "sentence": result.sentence,
                    "margin": result.margin,
                    "tables": tables_json(result.tables),
                    "notes": result.notes,
                }
            )
        elif output.form == "markdown":
            sys.stdout.write(f"**{escape_markdown(result.sentence)}**\n\n")
            super()._print_(output)
            sys.stdout.writelines(f"\n- {escape_markdown(each)}\n" for each in result.notes)
        else:
            print_line(f"{result.sentence}\n")
            super()._print_(output)
        return _EXIT_CODES[result.outcome]


@overload
def compare(
    first: RunLike, second: RunLike, *, agreement: bool = False, names: str = ""
) -> Comparison: ...
@overload
def compare(first: RunLike, second: RunLike, *, margin: float) -> WithinMargin: ...
def compare(
    first: RunLike,
    second: RunLike,
    *,
    margin: float | None = None,
    agreement: bool = False,
    names: str = "",
) -> Comparison | WithinMargin:
    """Compare two runs of one suite on the judgements they share, with paired tests.

    With a margin, the exit code is 0 for pass, 1 for fail and 3 for undecided.

    Args:
        first: The first run, e.g. of the older model.
        second: The second run. Differences are second minus first.
        margin: Decide for each headline whether the second run is no worse than the first by more
            than this: 0.02 is 2 points. Both may then be folders of runs, which are matched by
            suite and protocol.
        agreement: Instead of differences, report how far the two runs agree: raw agreement,
            Matthews correlation and Cohen's kappa.
        names: With `--agreement`: the two judgements to compare, A,B.

    Examples:
        >>> epicene.compare("runs/old", "runs/new", margin=0.02).outcome   # doctest: +SKIP
    """
    from epicene.results.compare import compare_agreement, compare_runs

    pair = names.partition(",")
    if names and not agreement:
        raise InputError("--names requires --agreement.")
    if names and not all(pair):
        raise InputError(f"--names takes two judgements, A,B, not {names!r}.")
    if margin is not None and agreement:
        raise InputError("--margin cannot be combined with --agreement.")
    with scoring_progress():
        if margin is not None:
            return WithinMargin(_check_margin(first, second, margin))
        runs = stored_run(first), stored_run(second)
        if agreement:
            found = compare_agreement(*runs, names=(pair[0], pair[2]) if names else None)
        else:
            found = compare_runs(*runs)
    return Comparison(found, agreement=agreement)


def _check_margin(old: RunLike, new: RunLike, margin: float) -> MarginCheck:
    from epicene.results.margin import check_margin, match_runs, runs_in
    from epicene.stats.power import check_share

    check_share("--margin", margin)
    try:
        before, after = (
            stored_runs([run] if isinstance(run, Run) else runs_in(Path(run))) for run in (old, new)
        )
        return check_margin(match_runs(before, after), margin)
    except RunError as error:  # a damaged run is no failure of the model
        raise InputError(str(error)) from error
