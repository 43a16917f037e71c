"""How a number came about, in a line that stands where the number does.

Which settings of a protocol are choices of method is read from their types: whatever is one of
several named ways (a first-token policy, whose word boundaries, a measure) is said with every
table; sizes and switches are said once, at the head of the section.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

from epicene.records import Column
from epicene.report.numbers import digits, interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from epicene.records import Estimate
    from epicene.runs.summary import RunSummary
    from epicene.suites import Protocol

_SAID_ELSEWHERE = {"name", "about", "normalisers"}
_SEPARATOR = " · "
_SHARE = Column(name="", unit="share", decimals=1)
_NAMED_ONE_BY_ONE = 4  # runs


def method(protocols: Mapping[str, Protocol]) -> str:
    """The protocol, its normalisers and every choice of method, as `first token: bos`.

    The protocols are of one name, by model; where they differ the models stand with the choice.
    """
    first = next(iter(protocols.values()))
    chosen = [
        _said(_spoken(name), {m: _value(getattr(each, name)) for m, each in protocols.items()})
        for name in _choices(first)
    ]
    normalisers = _said(
        "normalisers", {m: ", ".join(each.normalisers) or "none" for m, each in protocols.items()}
    )
    return _SEPARATOR.join((f"protocol {first.name}", normalisers, *chosen))


def differing(protocols: Mapping[str, Protocol]) -> list[str]:
    """The choices of method in which protocols of one name are not alike."""
    first, *others = protocols.values()
    return [
        _spoken(name)
        for name in ("normalisers", *_choices(first))
        if any(getattr(each, name) != getattr(first, name) for each in others)
    ]


def coverage(runs: Sequence[RunSummary]) -> str:
    """Which runs lack judgements, so that nobody takes a part for the whole."""
    lacking = [run for run in runs if run.coverage is not None and not run.coverage.whole]
    return ", ".join(f"{run.info.model}: {run.coverage}" for run in lacking)


def _choices(protocol: Protocol) -> list[str]:
    hints = get_type_hints(type(protocol))
    return [n for n, hint in hints.items() if n not in _SAID_ELSEWHERE and _is_choice(hint)]


def _said(what: str, by_model: Mapping[str, str]) -> str:
    values = list(dict.fromkeys(by_model.values()))
    if len(values) == 1:
        return f"{what}: {values[0]}"
    told = (
        f"{value} ({', '.join(m for m, each in by_model.items() if each == value)})"
        for value in values
    )
    return f"{what}: {', '.join(told)}"


def settings(protocol: Protocol) -> str:
    """The other settings that have a value: sizes, switches, seeds."""
    told = []
    for name, hint in get_type_hints(type(protocol)).items():
        value = getattr(protocol, name)
        if name in _SAID_ELSEWHERE or _is_choice(hint) or value in ("", (), None):
            continue
        if isinstance(value, dict):
            value = "from a file" if value else ""
        if value != "":
            told.append(f"{_spoken(name)} {_value(value)}")
    return ", ".join(told)


def undetected(runs: Sequence[RunSummary]) -> str:
    """The undetected rate of each run, or their range where there are many."""
    known = [(run.info.model, run.undetected) for run in runs if run.undetected.value is not None]
    if not known:
        return ""
    if len(known) == 1:
        return undetected_rate(known[0][1])
    if len(known) <= _NAMED_ONE_BY_ONE:
        return "undetected: " + ", ".join(f"{model} {_rate(rate)}" for model, rate in known)
    rates = sorted((rate.value or 0.0, model) for model, rate in known)
    (low, least), (high, most) = rates[0], rates[-1]
    return (
        f"undetected: {digits(low, _SHARE)} % ({least}) to {digits(high, _SHARE)} % ({most})"
        if low != high
        else f"undetected: {digits(low, _SHARE)} % in every run"
    )


def undetected_rate(rate: Estimate) -> str:
    """One rate with its interval, or nothing where judgements have no outcome."""
    if rate.value is None:
        return ""
    return f"undetected: {_rate(rate)} {interval(rate, _SHARE)} of {rate.n}"


def line(parts: Iterable[str]) -> str:
    """Parts that say something, in one line."""
    return _SEPARATOR.join(part for part in parts if part)


def _rate(rate: Estimate) -> str:
    return f"{digits(rate.value or 0.0, _SHARE)} %"


def _is_choice(hint: Any) -> bool:
    """Whether a type is one of some names, or several of them."""
    return get_origin(hint) is Literal or any(
        get_origin(each) is Literal for each in get_args(hint)
    )


def _spoken(name: str) -> str:
    return name.replace("_", " ")


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)
