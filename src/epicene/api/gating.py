"""Gate a release: is a new run no worse than a baseline?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from epicene.api.progress import scoring_progress
from epicene.api.results import TabledResults, stored_run
from epicene.api.wording import keyword_errors
from epicene.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from epicene.api.results import PathLike, RunLike
    from epicene.core.records import Estimate, Table
    from epicene.runs.gate.decision import HeadlineVerdict, Outcome
    from epicene.runs.gate.gate import GateResult


class Gate(TabledResults):
    """The outcome of a gate: `outcome` is pass, fail or undecided."""

    def __init__(self, result: GateResult) -> None:
        self.result = result

    @property
    def outcome(self) -> Outcome:
        """ "fail" if a headline or a limit fails, "pass" if all pass, "undecided" otherwise."""
        return self.result.outcome

    @property
    def passed(self) -> bool:
        """Whether the outcome is a pass."""
        return self.outcome == "pass"

    @property
    def headlines(self) -> dict[str, HeadlineVerdict]:
        """The verdict for each headline."""
        return {each.evidence.headline: each for each in self.result.verdicts}

    @property
    def notes(self) -> tuple[str, ...]:
        """How much data would settle what is undecided, and notes on the runs."""
        from epicene.report.gate import needed_sentences

        return (*needed_sentences(self.result), *self.result.notes)

    @keyword_errors
    def write(self, out: PathLike) -> Path:
        """Write the outcome as .md (for a pull request), .xml (JUnit) or .json."""
        from epicene.core.files import write_atomically

        path = Path(out)
        write_atomically(path, gate_writer(path)(self.result))
        return path

    def _estimates(self) -> Mapping[str, Estimate]:
        return {each.evidence.headline: each.change for each in self.result.verdicts}

    def _tables(self) -> Sequence[Table]:
        from epicene.report.gate import gate_tables

        return gate_tables(self.result)

    def __repr__(self) -> str:
        """The outcome, and why."""
        from epicene.report.gate import gate_sentence

        return f"<Gate {gate_sentence(self.result)}>"


def gate_writer(path: Path) -> Any:
    """The function that turns a result into a file with this extension."""
    import msgspec

    from epicene.report.gate import gate_document, gate_junit, gate_markdown

    match path.suffix.lower():
        case ".md":
            return lambda result: gate_markdown(result).encode()
        case ".xml":
            return gate_junit
        case ".json":
            return lambda result: (
                msgspec.json.format(msgspec.json.encode(gate_document(result)), indent=2) + b"\n"
            )
    raise InputError(f"A gate can be written as .md, .xml (JUnit) or .json, not as {path.name}.")


@keyword_errors
def gate(
    new: RunLike,
    baseline: RunLike,
    *,
    policy: PathLike | Mapping[str, Any] | None = None,
    nights: PathLike | None = None,
) -> Gate:
    """Decide whether a new run is no worse than a baseline on every headline of its suite.

    baseline: a run, or a file of results (`results.json` of `epicene.export_results`).
    policy: a TOML file or its content: rule, margin, alpha, correction, …; see docs/guides/gate.md.
    nights: a file that keeps track of repeated gates, so that together they keep alpha.

    >>> gate = epicene.gate("runs/new", "runs/old", policy={"margin": 0.02})   # doctest: +SKIP
    >>> gate.outcome, gate.table("gate")   # doctest: +SKIP
    """
    from epicene.runs.gate.baseline import read_results
    from epicene.runs.gate.gate import gate_run
    from epicene.runs.gate.policy import read_policy

    rules = read_policy(Path(policy) if isinstance(policy, str | Path) else policy)
    of_results = isinstance(baseline, str | Path) and (
        Path(baseline).is_file() or Path(baseline).suffix == ".json"
    )
    old = read_results(Path(str(baseline))) if of_results else stored_run(baseline)
    with scoring_progress():
        found = gate_run(stored_run(new), old, rules, None if nights is None else Path(nights))
    return Gate(found)
