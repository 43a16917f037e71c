"""Epicene measures what generative models do with grammatical gender and agreement.

Everything a command can do has a function here. Nothing is imported before it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from epicene.core.errors import EpiceneError as EpiceneError
    from epicene.core.errors import InputError as InputError
    from epicene.core.errors import RunError as RunError
    from epicene.core.records import Choice as Choice
    from epicene.core.records import Completions as Completions
    from epicene.core.records import Decoding as Decoding
    from epicene.core.records import Draw as Draw
    from epicene.core.records import Estimate as Estimate
    from epicene.core.records import Fill as Fill
    from epicene.core.records import Generate as Generate
    from epicene.core.records import Images as Images
    from epicene.core.records import Item as Item
    from epicene.core.records import Judgement as Judgement
    from epicene.core.records import Look as Look
    from epicene.core.records import Message as Message
    from epicene.core.records import Score as Score
    from epicene.core.records import Scores as Scores
    from epicene.core.records import Texts as Texts
    from epicene.core.records import Translate as Translate
    from epicene.suites.definition import SuiteDefinition as SuiteDefinition
    from epicene.suites.definition import choose as choose
    from epicene.suites.definition import suite as suite
    from epicene.suites.definition_items import RowItem as RowItem

# Where each public name is defined. A test holds this, `__all__` and the imports above together.
_HOMES = {
    "epicene.core.errors": ("EpiceneError", "InputError", "RunError"),
    "epicene.core.records": (
        "Choice", "Completions", "Decoding", "Draw", "Estimate", "Fill", "Generate", "Images",
        "Item", "Judgement", "Look", "Message", "Score", "Scores", "Texts", "Translate",
    ),
    "epicene.suites.definition": ("SuiteDefinition", "choose", "suite"),
    "epicene.suites.definition_items": ("RowItem",),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Choice",
    "Completions",
    "Decoding",
    "Draw",
    "EpiceneError",
    "Estimate",
    "Fill",
    "Generate",
    "Images",
    "InputError",
    "Item",
    "Judgement",
    "Look",
    "Message",
    "RowItem",
    "RunError",
    "Score",
    "Scores",
    "SuiteDefinition",
    "Texts",
    "Translate",
    "__version__",
    "choose",
    "suite",
]

# Packages that are also functions; see core/callable_package.py.
_CALLABLE_PACKAGES = ("models", "report", "suites")


def api_function(name: str) -> Any:
    """The object of that name in the Python API."""
    return getattr(import_module(_HOME_OF[name]), name)


def __getattr__(name: str) -> Any:
    if name in _CALLABLE_PACKAGES:
        return import_module(f"epicene.{name}")
    if name in _HOME_OF:
        return api_function(name)
    raise AttributeError(f"module 'epicene' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
