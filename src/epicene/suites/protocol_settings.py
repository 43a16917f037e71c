"""The settings of protocols and constructions: descriptions of types, values from the command
line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from epicene.core.data_files import read_toml_or_json
from epicene.core.errors import InputError
from epicene.core.records import Record

if TYPE_CHECKING:
    from epicene.suites import Suite

# Normalisers are part of what a protocol is, not of how it is run.
_FIXED = ("name", "about", "normalisers")
# What means the same in every suite.
_COMMON = {"seed": "The seed of sampling and of --limit; the option --seed sets it too."}


_WORDS = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
_PLURALS = {int: "whole numbers", float: "numbers", str: "names"}


class Setting(Record, frozen=True, kw_only=True):
    """A setting for `--set`: its type in words, the allowed values, its value in each protocol."""

    name: str
    type: str
    about: str
    default: dict[str, Any]
    allowed: tuple[str, ...] = ()


def settings_of(suite: Suite[Any, Any]) -> list[Setting]:
    """All settings of a suite's protocols."""
    kinds = {
        name: kind
        for protocol in suite.protocols.values()
        for name, kind in adjustable(type(protocol)).items()
    }
    return [
        Setting(
            name=name,
            type=type_in_words(kind),
            about=suite.card.settings.get(name, _COMMON.get(name, "")),
            default={
                protocol.name: msgspec.to_builtins(getattr(protocol, name))
                for protocol in suite.protocols.values()
                if hasattr(protocol, name)
            },
            allowed=allowed_values(kind),
        )
        for name, kind in kinds.items()
    ]


def adjustable(kind: type[Record]) -> dict[str, Any]:
    """The types of the settings of a protocol or construction that can be changed."""
    hints = get_type_hints(kind, include_extras=True)
    return {name: hints[name] for name in kind.__struct_fields__ if name not in _FIXED}


def read_setting(name: str, given: Any, kind: Any) -> Any:
    """The value of a setting, given as text (as on the command line) or as the value itself.

    Text is split at commas for a list; a table is read from a file, so that its content becomes
    part of the protocol; everything else is converted from the text.
    """
    if isinstance(given, dict):
        return msgspec.convert(given, kind)
    text = _as_text(given)
    value: Any = text
    if get_origin(kind) is tuple:
        value = text.split(",") if text else []
    elif get_origin(kind) is dict:
        value = read_toml_or_json(Path(text))
    try:
        return msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError:
        raise InputError(_refusal(name, text, kind)) from None


def _as_text(value: Any) -> str:
    """A setting as it is written after `--set`."""
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _refusal(name: str, text: str, kind: Any) -> str:
    """Which value is invalid, and what is allowed."""
    if get_origin(kind) is dict:
        return f"The content of {text} is not valid for the setting {name}."
    element, wrong = kind, text
    if get_origin(kind) is tuple:
        element = get_args(kind)[0]
        wrong = next(each for each in text.split(",") if not _fits(each, element))
    return f"The setting {name} must be {type_in_words(kind)}, not {wrong!r}."


def _fits(text: str, kind: Any) -> bool:
    try:
        msgspec.convert(text, kind, strict=False)
    except msgspec.ValidationError:
        return False
    return True


def allowed_values(kind: Any) -> tuple[str, ...]:
    """The allowed names for a value, or for each value of a list; none if any value is allowed."""
    if get_origin(kind) in (Annotated, tuple):
        return allowed_values(get_args(kind)[0])
    if get_origin(kind) is Literal:
        return tuple(filter(None, map(str, get_args(kind))))
    return ("true", "false") if kind is bool else ()


def type_in_words(kind: Any) -> str:
    """A type as a person reads it."""
    origin = get_origin(kind)
    if origin is Annotated:
        return _bounded(*get_args(kind))
    if origin is Literal:
        return f"one of {', '.join(allowed_values(kind))}"
    if origin is tuple:
        (element, *_) = get_args(kind)
        each = allowed_values(element)
        what = f"some of {', '.join(each)}" if each else _PLURALS.get(element, str(element))
        return f"{what}, separated by commas"
    if origin is dict:
        return "a TOML or JSON file"
    return _WORDS.get(kind, str(kind))


def _bounded(kind: Any, *bounds: Any) -> str:
    said = type_in_words(kind)
    for meta in bounds:
        if isinstance(meta, msgspec.Meta) and meta.ge is not None:
            return (
                f"{said} of at least {meta.ge}"
                if meta.le is None
                else f"{said} from {meta.ge} to {meta.le}"
            )
    return said
