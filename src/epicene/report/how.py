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
    from collections.abc import Iterable, Sequence

    from epicene.records import Estimate
    from epicene.runs.summary import RunSummary
    from epicene.suites import Protocol

_SAID_ELSEWHERE = {"name", "about", "normalisers"}
_SEPARATOR = " · "
_SHARE = Column(name="", unit="share", decimals=1)
_NAMED_ONE_BY_ONE = 4  # runs


def method(protocol: Protocol) -> str:
    """The protocol, its normalisers and every choice of method, as `first token: bos`."""
    hints = get_type_hints(type(protocol))
    chosen = [
        f"{_spoken(name)}: {_value(getattr(protocol, name))}"
        for name, hint in hints.items()
        if name not in _SAID_ELSEWHERE and _is_choice(hint)
    ]
    normalisers = f"normalisers: {', '.join(protocol.normalisers) or 'none'}"
    return _SEPARATOR.join((f"protocol {protocol.name}", normalisers, *chosen))


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
