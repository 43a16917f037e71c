"""Wheels for parcels, with code that must not run."""

from __future__ import annotations

import zipfile
from pathlib import Path


def wheel(folder: Path, package: str, data: bytes, version: str = "1.0") -> None:
    """A wheel whose code would leave a trace if it ran."""
    module = package.replace("-", "_")
    info = f"{module}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{module}-{version}-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{module}/__init__.py", "raise SystemExit('the code of a parcel ran')\n")
        archive.writestr(f"{module}/data.bin", data)
        archive.writestr(
            f"{info}/METADATA",
            f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n"
            "Requires-Dist: a-package-that-does-not-exist\n",
        )
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
