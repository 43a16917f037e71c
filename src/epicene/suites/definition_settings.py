"""The settings of a suite defined in one file, as protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from epicene.core.errors import InputError
from epicene.suites import Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

_PROTOCOL = "epicene"
_TAKEN = {"name", "about", "normalisers", "added", "stored"}


def make_protocols(
    name: str, settings: Mapping[str, Any], more: Mapping[str, Protocol | Mapping[str, Any]]
) -> dict[str, Protocol]:
    """The protocol `epicene` with the settings, and others that differ from it."""
    kind: Any = msgspec.defstruct(
        "Settings",
        [(key, _type_of(name, key, value), _frozen(value)) for key, value in settings.items()],
        bases=(Protocol,),
        frozen=True,
        kw_only=True,
    )
    found: dict[str, Protocol] = {}
    if _PROTOCOL not in more:
        found[_PROTOCOL] = kind(name=_PROTOCOL, about="As the suite defines it.")
    for other, values in more.items():
        if isinstance(values, Protocol):
            found[other] = values
            continue
        about = {"name": other, "about": "A variant that the suite defines."}
        try:
            found[other] = msgspec.convert({**about, **values}, kind)
        except msgspec.ValidationError as error:
            raise InputError(
                f"The protocol {other} of the suite {name} is invalid: {error}."
            ) from None
    return found


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _type_of(suite: str, name: str, value: Any) -> Any:
    """The type of a setting, from its default."""
    if name in _TAKEN or not name.isidentifier():
        raise InputError(f"The suite {suite} cannot have a setting named {name!r}.")
    if isinstance(value, list | tuple):
        kinds = {type(each) for each in value} or {str}
        if len(kinds) == 1 and kinds <= {str, int, float}:
            return tuple[kinds.pop(), ...]  # type: ignore[misc]
    elif type(value) in (bool, int, float, str):
        return type(value)
    raise InputError(
        f"The setting {name} of the suite {suite} is {value!r}; its default must be text, a "
        "number, true or false, or a list of texts or numbers."
    )
