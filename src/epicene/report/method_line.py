"""One line on how a number was computed: protocol, normalisers, choices of method, undetected rate.

Settings whose type is a choice among names (first token, word boundaries, measure) are stated with
every table; sizes and switches once, at the head of a section.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

from epicene.core.records import Column, digest
from epicene.report.layout import format_interval, format_number
from epicene.runs.results import SHORT_HASH

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from epicene.core.records import Estimate
    from epicene.runs.summary import RunSummary
    from epicene.suites import Protocol

_STATED_ELSEWHERE = {"name", "about", "normalisers"}
# Another seed is another draw by the same method: its figures may be compared.
_NOT_A_METHOD = {"name", "about", "seed"}
_SEPARATOR = " · "
_SHARE = Column(name="", unit="share", decimals=1)
_MAX_NAMED_RUNS = 4  # runs


def protocol_line(protocols: Mapping[str, Protocol]) -> str:
    """The protocol, its normalisers and every choice of method, as `first token: bos`.

    The protocols are of one name, by model; where they differ the models stand with the choice.
    """
    first = next(iter(protocols.values()))
    chosen = [
        _setting_by_model(
            _readable_name(name),
            {m: _readable_value(getattr(each, name)) for m, each in protocols.items()},
        )
        for name in _choices(first)
    ]
    normalisers = _setting_by_model(
        "normalisers", {m: ", ".join(each.normalisers) or "none" for m, each in protocols.items()}
    )
    return _SEPARATOR.join((f"protocol {first.name}", normalisers, *chosen))


def differing_settings(protocols: Mapping[str, Protocol]) -> list[str]:
    """The settings in which protocols of one name are not alike.

    Each may change what is asked or how it is judged, and whether it did cannot be known: a limit
    on new tokens cuts the answers of one model and not of another.
    """
    first, *others = protocols.values()
    return [
        _readable_name(name)
        for name in get_type_hints(type(first))
        if name not in _NOT_A_METHOD
        and any(getattr(each, name) != getattr(first, name) for each in others)
    ]


def coverage_line(runs: Sequence[RunSummary]) -> str:
    """Which runs lack judgements, so that nobody takes a part for the whole."""
    lacking = [run for run in runs if run.coverage is not None and not run.coverage.whole]
    return ", ".join(f"{run.info.model}: {run.coverage}" for run in lacking)


def _choices(protocol: Protocol) -> list[str]:
    hints = get_type_hints(type(protocol))
    return [n for n, hint in hints.items() if n not in _STATED_ELSEWHERE and _is_choice(hint)]


def _setting_by_model(what: str, by_model: Mapping[str, str]) -> str:
    values = list(dict.fromkeys(by_model.values()))
    if len(values) == 1:
        return f"{what}: {values[0]}"
    told = (
        f"{value} ({', '.join(m for m, each in by_model.items() if each == value)})"
        for value in values
    )
    return f"{what}: {', '.join(told)}"


def settings_line(protocols: Mapping[str, Protocol]) -> str:
    """The other settings that have a value: sizes, switches, seeds; where protocols differ the
    models stand with the value."""
    first = next(iter(protocols.values()))
    told = []
    for name, hint in get_type_hints(type(first)).items():
        if name in _STATED_ELSEWHERE or _is_choice(hint):
            continue
        values = {model: _readable_value(getattr(each, name)) for model, each in protocols.items()}
        if any(values.values()):
            told.append(
                _setting_by_model(
                    _readable_name(name), {m: value or "none" for m, value in values.items()}
                )
            )
    return _SEPARATOR.join(told)


def undetected_line(runs: Sequence[RunSummary]) -> str:
    """The undetected rate of each run, of all it judged, or their range where there are many."""
    return undetected_line_of("all judgements", {run.info.model: run.undetected for run in runs})


def undetected_line_of(what: str, rates: Mapping[str, Estimate]) -> str:
    """The same of some of their judgements; `rates` are by model."""
    known = {model: rate for model, rate in rates.items() if rate.value is not None}
    if not known:
        return ""
    of = f"undetected of {what}:"
    if len(known) == 1:
        ((model, rate),) = known.items()
        return f"{of} {model} {_rate(rate)} {format_interval(rate, _SHARE)} of {rate.n}"
    if len(known) <= _MAX_NAMED_RUNS:
        told = (f"{model} {_rate(rate)} of {rate.n}" for model, rate in known.items())
        return f"{of} {', '.join(told)}"
    ordered = sorted(known, key=lambda model: (known[model].value, model))
    least, most = ordered[0], ordered[-1]
    if known[least].value == known[most].value:
        return f"{of} {_rate(known[least])} in each of {len(known)} runs"
    return f"{of} {_rate(known[least])} ({least}) to {_rate(known[most])} ({most})"


def undetected_note(rate: Estimate) -> str:
    """One rate with its interval, or nothing where judgements have no outcome."""
    if rate.value is None:
        return ""
    return f"undetected: {_rate(rate)} {format_interval(rate, _SHARE)} of {rate.n}"


def joined_line(parts: Iterable[str]) -> str:
    """Parts that say something, in one line."""
    return _SEPARATOR.join(part for part in parts if part)


def _rate(rate: Estimate) -> str:
    return f"{format_number(rate.value or 0.0, _SHARE)} %"


def _is_choice(hint: Any) -> bool:
    """Whether a type is one of some names, or several of them."""
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
