"""How a number came about, in a line that stands where the number does.

Which settings of a protocol are choices of method is read from their types: whatever is one of
several named ways (a first-token policy, whose word boundaries, a measure) is said with every
table; sizes and switches are said once, at the head of the section.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

from epicene.records import Column, digest
from epicene.report.numbers import digits, interval
from epicene.runs.pairing import SHORT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from epicene.records import Estimate
    from epicene.runs.summary import RunSummary
    from epicene.suites import Protocol

_SAID_ELSEWHERE = {"name", "about", "normalisers"}
# Another seed is another draw by the same method: its figures may be compared.
_NO_METHOD = {"name", "about", "seed"}
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
    """The settings in which protocols of one name are not alike.

    Each may change what is asked or how it is judged, and whether it did cannot be known: a limit
    on new tokens cuts the answers of one model and not of another.
    """
    first, *others = protocols.values()
    return [
        _spoken(name)
        for name in get_type_hints(type(first))
        if name not in _NO_METHOD
        and any(getattr(each, name) != getattr(first, name) for each in others)
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


def settings(protocols: Mapping[str, Protocol]) -> str:
    """The other settings that have a value: sizes, switches, seeds; where protocols differ the
    models stand with the value."""
    first = next(iter(protocols.values()))
    told = []
    for name, hint in get_type_hints(type(first)).items():
        if name in _SAID_ELSEWHERE or _is_choice(hint):
            continue
        values = {model: _value(getattr(each, name)) for model, each in protocols.items()}
        if any(values.values()):
            told.append(_said(_spoken(name), {m: value or "none" for m, value in values.items()}))
    return _SEPARATOR.join(told)


def undetected(runs: Sequence[RunSummary]) -> str:
    """The undetected rate of each run, of all it judged, or their range where there are many."""
    return undetected_of("all judgements", {run.info.model: run.undetected for run in runs})


def undetected_of(what: str, rates: Mapping[str, Estimate]) -> str:
    """The same of some of their judgements; `rates` are by model."""
    known = {model: rate for model, rate in rates.items() if rate.value is not None}
    if not known:
        return ""
    of = f"undetected of {what}:"
    if len(known) == 1:
        ((model, rate),) = known.items()
        return f"{of} {model} {_rate(rate)} {interval(rate, _SHARE)} of {rate.n}"
    if len(known) <= _NAMED_ONE_BY_ONE:
        told = (f"{model} {_rate(rate)} of {rate.n}" for model, rate in known.items())
        return f"{of} {', '.join(told)}"
    ordered = sorted(known, key=lambda model: (known[model].value, model))
    least, most = ordered[0], ordered[-1]
    if known[least].value == known[most].value:
        return f"{of} {_rate(known[least])} in each of {len(known)} runs"
    return f"{of} {_rate(known[least])} ({least}) to {_rate(known[most])} ({most})"


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
    """A value in words, "" for none."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return f"from a file ({digest(value).hex()[:SHORT]})" if value else ""
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)
