"""The report of a few small runs."""

from __future__ import annotations

from pathlib import Path

from screenshots.camera import Camera


def take_the_report(camera: Camera, folder: Path) -> None:
    """Its head, a table, items in three languages."""
