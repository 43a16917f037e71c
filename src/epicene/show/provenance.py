"""How the numbers of a table were computed, in one line and in notes for every format.

The line names the protocol, its normalisers, every choice of method (first token, word boundaries,
measure) and the undetected rate; sizes and switches are given once, at the head of a section. In
LaTeX and Markdown it is a note below the table; CSV has columns in each row for the run, its
protocol, how much of it was scored and how much of that was undetected.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from epicene.core.records import Column, digest
from epicene.results.matching import SHORT_HASH
from epicene.results.summary import data_notes, settings_diff_sentences
from epicene.show.layout import format_interval, format_number
from epicene.suites.data_origin import card_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from epicene.core.records import Estimate, Row, Table
    from epicene.results.summary import RunSummary, Summary
    from epicene.runs.manifest import Coverage
    from epicene.runs.stored_run import StoredRun
    from epicene.suites import Protocol, SuiteCard

_STATED_ELSEWHERE = {"name", "about", "normalisers"}
# Another seed is another draw by the same method: its figures may be compared.
_NOT_A_METHOD = {"name", "about", "seed"}
_SEPARATOR = " · "
_SHARE = Column(name="", unit="share", decimals=1)
_MAX_NAMED_RUNS = 4

# Each begins with `run`, as tables have columns of their own called judged or undetected.
RUN_FIELDS = (
    "run suite", "run protocol", "run method", "run data", "run items", "run judged",
    "run requests", "run answered", "run undetected",
)  # fmt: skip


# --- a table's notes and columns ------------------------------------------------------------


@dataclass(frozen=True)
class Provenance:
    """The runs that tables are based on, and how their numbers were computed."""

    suite: str
    protocol: str
    method: str  # protocol, normalisers, every choice of method
    undetected: str
    further: tuple[str, ...]  # coverage, differences between runs, known faults
    runs: Mapping[str, RunSummary]  # by model, as in the tables
    protocols: Mapping[str, Protocol]  # of each
    unused: frozenset[str] = frozenset()  # settings that changed nothing

    @property
    def notes(self) -> tuple[str, ...]:
        """The method and all caveats, in sentences."""
        return (f"{joined_line((self.method, self.undetected))}.", *self.further)

    def noted(self, table: Table) -> Table:
        """The table with these notes below its own."""
        return msgspec.structs.replace(table, notes=(*table.notes, *self.notes))

    def with_undetected(self, undetected: str) -> Provenance:
        """The provenance of a table of some judgements, with their own undetected rate."""
        return replace(self, undetected=undetected)

    def fields(self, row: Row, column: str = "") -> list[object]:
        """The values of `RUN_FIELDS` for the runs that a row or the column names, or for all runs.

        A published row has none.
        """
        if row.origin == "published":
            return [None] * len(RUN_FIELDS)
        named = [model for model in self.runs if model in row.keys or model == column]
        runs = {model: self.runs[model] for model in named or self.runs}
        covered = [run.coverage for run in runs.values() if run.coverage is not None]
        return [
            self.suite,
            self.protocol,
            protocol_line({model: self.protocols[model] for model in runs}, self.unused),
            ", ".join(dict.fromkeys(run.data for run in runs.values())),
            *(_total(covered, name) for name in ("items", "judged", "requests", "answered")),
            _undetected_share(list(runs.values())),
        ]


def provenance_of(summary: Summary, runs: Sequence[StoredRun]) -> Provenance:
    """The provenance of the tables of a summary of these runs."""
    protocols = protocols_by_model(summary, runs)
    unused = unused_settings(summary)
    return Provenance(
        suite=summary.suite.name,
        protocol=summary.protocol.name,
        method=f"{summary.suite.card.title}, {protocol_line(protocols, unused)}",
        undetected=undetected_line(summary.runs),
        further=tuple(_further_notes(summary, runs)),
        runs={run.info.model: run for run in summary.runs},
        protocols=protocols,
        unused=unused,
    )


def unused_settings(summary: Summary) -> frozenset[str]:
    """The settings that changed nothing in these runs."""
    if not len(summary.results.frame):
        return frozenset()
    return summary.suite.unused_settings(summary.results)


def card_of(runs: Sequence[StoredRun]) -> SuiteCard:
    """Facts about the data that these runs of one suite used."""
    origins = {run.origin for run in runs}
    return card_for(runs[0].suite, "own" if origins == {"own"} else "published")


def _further_notes(summary: Summary, runs: Sequence[StoredRun]) -> Iterator[str]:
    if judged := _judged_note(summary.runs):
        yield judged
    yield from data_notes(runs)
    yield from settings_diff_sentences(runs)
    if faults := card_of(runs).faults:
        yield (
            f"Known faults of the published version: {len(faults)}; `epicene suites --json` "
            "lists them."
        )


def _judged_note(runs: Sequence[RunSummary]) -> str:
    """Which runs are complete and which lack judgements; "" if that is not known."""
    data = ", ".join(dict.fromkeys(run.data for run in runs))
    if incomplete := coverage_line(runs):
        return f"Data {data}. Incomplete: {incomplete}."
    items = sorted({run.coverage.items for run in runs if run.coverage is not None})
    if not items:
        return ""
    number = str(items[0]) if len(items) == 1 else f"{items[0]} to {items[-1]}"
    return f"Data {data}: all {number} items are judged{' in every run' * (len(runs) > 1)}."


def _total(covered: Sequence[Coverage], name: str) -> int | None:
    return sum(getattr(each, name) for each in covered) if covered else None


def _undetected_share(runs: Sequence[RunSummary]) -> float | None:
    """The undetected share of the outcomes of all runs together."""
    known = [
        (run.undetected.value, run.undetected.n)
        for run in runs
        if run.undetected.value is not None and run.undetected.n
    ]
    if not known:
        return None
    return sum(value * n for value, n in known) / sum(n for _, n in known)


# --- the line -------------------------------------------------------------------------------


def protocols_by_model(summary: Summary, runs: Sequence[StoredRun]) -> dict[str, Protocol]:
    """The protocol under which each model was run, all of one name."""
    return {one.info.model: run.protocol for one, run in zip(summary.runs, runs, strict=True)}


def protocol_line(protocols: Mapping[str, Protocol], unused: frozenset[str] = frozenset()) -> str:
    """The protocol, its normalisers and every choice of method that was used: `first token: bos`.

    The protocols have the same name; where they differ, each choice is listed with its models.
    """
    first = next(iter(protocols.values()))
    chosen = [
        _setting_by_model(
            _readable_name(name),
            {m: _readable_value(getattr(each, name)) for m, each in protocols.items()},
        )
        for name in _choices(first)
        if name not in unused
    ]
    normalisers = _setting_by_model(
        "normalisers", {m: ", ".join(each.normalisers) or "none" for m, each in protocols.items()}
    )
    return _SEPARATOR.join((f"protocol {first.name}", normalisers, *chosen))


def differing_protocol_settings(protocols: Mapping[str, Protocol]) -> list[str]:
    """The settings in which protocols of one name differ.

    Each may change what is asked or how it is scored, and whether it did cannot be known: a limit
    on new tokens truncates the answers of one model but not of another.
    """
    first, *others = protocols.values()
    return [
        _readable_name(name)
        for name in get_type_hints(type(first))
        if name not in _NOT_A_METHOD
        and any(getattr(each, name) != getattr(first, name) for each in others)
    ]


def coverage_line(runs: Sequence[RunSummary]) -> str:
    """The runs that lack judgements, and how many."""
    incomplete = [run for run in runs if run.coverage is not None and not run.coverage.whole]
    return ", ".join(f"{run.info.model}: {run.coverage}" for run in incomplete)


def _choices(protocol: Protocol) -> list[str]:
    hints = get_type_hints(type(protocol))
    return [n for n, hint in hints.items() if n not in _STATED_ELSEWHERE and _is_choice(hint)]


def _setting_by_model(what: str, by_model: Mapping[str, str]) -> str:
    values = list(dict.fromkeys(by_model.values()))
    if len(values) == 1:
        return f"{what}: {values[0]}"
    values_with_models = (
        f"{value} ({', '.join(m for m, each in by_model.items() if each == value)})"
        for value in values
    )
    return f"{what}: {', '.join(values_with_models)}"


def settings_line(protocols: Mapping[str, Protocol]) -> str:
    """The other settings that have a value (sizes, switches, seeds); where protocols differ, each
    value is listed with its models."""
    first = next(iter(protocols.values()))
    settings = []
    for name, hint in get_type_hints(type(first)).items():
        if name in _STATED_ELSEWHERE or _is_choice(hint):
            continue
        values = {model: _readable_value(getattr(each, name)) for model, each in protocols.items()}
        if any(values.values()):
            settings.append(
                _setting_by_model(
                    _readable_name(name), {m: value or "none" for m, value in values.items()}
                )
            )
    return _SEPARATOR.join(settings)


def undetected_line(runs: Sequence[RunSummary]) -> str:
    """The undetected rate of each run over everything it scored, or the range if there are many
    runs."""
    return undetected_line_of("all judgements", {run.info.model: run.undetected for run in runs})


def undetected_line_of(what: str, rates: Mapping[str, Estimate]) -> str:
    """The undetected rates of `what`, by model."""
    known = {model: rate for model, rate in rates.items() if rate.value is not None}
    if not known:
        return ""
    of = f"undetected of {what}:"
    if len(known) == 1:
        ((model, rate),) = known.items()
        return f"{of} {model} {_rate(rate)} {format_interval(rate, _SHARE)} of {rate.n}"
    if len(known) <= _MAX_NAMED_RUNS:
        named = (f"{model} {_rate(rate)} of {rate.n}" for model, rate in known.items())
        return f"{of} {', '.join(named)}"
    ordered = sorted(known, key=lambda model: (known[model].value, model))
    least, most = ordered[0], ordered[-1]
    if known[least].value == known[most].value:
        return f"{of} {_rate(known[least])} in each of {len(known)} runs"
    return f"{of} {_rate(known[least])} ({least}) to {_rate(known[most])} ({most})"


def joined_line(parts: Iterable[str]) -> str:
    """The parts that are not empty, in one line."""
    return _SEPARATOR.join(part for part in parts if part)


def _rate(rate: Estimate) -> str:
    return f"{format_number(rate.value or 0.0, _SHARE)} %"


def _is_choice(hint: Any) -> bool:
    """Whether a type is a Literal of names, or a collection of these."""
    return get_origin(hint) is Literal or any(
        get_origin(each) is Literal for each in get_args(hint)
    )


def _readable_name(name: str) -> str:
    return name.replace("_", " ")


def _readable_value(value: object) -> str:
    """A value in words, "" for none."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return f"from a file ({digest(value).hex()[:SHORT_HASH]})" if value else ""
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)
