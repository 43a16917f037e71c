"""Optional packages: whether one is installed, and the command that installs it."""

from __future__ import annotations

from importlib.util import find_spec

from epicene.core.errors import InputError


def require(package: str, purpose: str, extra: str, instead: str = "") -> None:
    """Raise if a package, given by its import name, is not installed.

    `purpose` is the subject of the message, `extra` the extra of Epicene that installs the package
    ("" if it is one of Epicene's own), and `instead` the alternative without it.
    """
    if find_spec(package) is None:
        name = f"epicene[{extra}]" if extra else "epicene"
        raise InputError(
            f"{purpose} needs the package {package}, which is not installed; run "
            f'`pip install "{name}"`{f", or {instead}" if instead else ""}.'
        )
