"""Packages that are also functions: `epicene.suites` contains modules, and `epicene.suites(…)`
lists the suites.

A package's `__init__.py` says `sys.modules[__name__].__class__ = CallablePackage`; a call goes to
the function of the package's name in the Python API.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any


class CallablePackage(ModuleType):
    """A package that, when called, calls the function of that name in the Python API."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Import the function now, and call it."""
        import epicene

        return epicene.function(self.__name__.rpartition(".")[2])(*args, **kwargs)
