"""Dictionaries from optional packages, for words that our own lists lack.

The user installs them: only a package's data file is read; none of its code is run.
"""

from __future__ import annotations

import os
from importlib import metadata
from pathlib import Path
from typing import NamedTuple


class PackageFile(NamedTuple):
    """A data file of a package that may be installed."""

    package: str
    name: str

    def find(self) -> Path | None:
        """The path of the file; None if it is not installed, or if EPICENE_MORPHOLOGY is "none"."""
        if os.environ.get("EPICENE_MORPHOLOGY") == "none":
            return None
        try:
            files = metadata.files(self.package) or []
        except metadata.PackageNotFoundError:
            return None
        paths = (Path(str(file.locate())) for file in files if file.name == self.name)
        return next((path for path in paths if path.is_file()), None)

    def version(self) -> dict[str, str]:
        """The package's name and version, if it is in use."""
        return {self.package: metadata.version(self.package)} if self.find() else {}
