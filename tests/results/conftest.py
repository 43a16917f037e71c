"""The runs of `runs/conftest.py`."""

from __future__ import annotations

from runs.conftest import _registered, do_run, log

__all__ = ["_registered", "do_run", "log"]
