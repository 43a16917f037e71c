"""Packages that are also functions: `epicene.report` holds modules, `epicene.report(…)` writes one.

A package's `__init__.py` says `sys.modules[__name__].__class__ = CallablePackage`; a call goes to
the function of the package's name in the Python API.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any


class CallablePackage(ModuleType):
    """A package whose call is the function of that name in the Python API."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function, which is imported only now."""
        import epicene

        return epicene.api_function(self.__name__.rpartition(".")[2])(*args, **kwargs)
