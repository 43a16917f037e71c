"""An interpreter that has what exports are for, if there is one: it is no dependency of ours."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from importlib.util import find_spec

from epicene.models import downloads

PYTHON = "EPICENE_HARNESS_PYTHON"
WANTED = f"wants it here or in an environment whose interpreter {PYTHON} names"


@cache
def interpreter(package: str) -> str:
    """This one, the one that is named, or that of the benchmarks' peers; "" if none has it."""
    if find_spec(package) is not None:
        return sys.executable
    made = (downloads.cache_folder() / "benchmarks").glob("peers-*/ready")
    newest = sorted(made, key=lambda ready: ready.stat().st_mtime, reverse=True)
    others = [str(ready.parent / "bin" / "python") for ready in newest]
    named = os.environ.get(PYTHON)
    return next((each for each in ([named] if named else others) if _has(each, package)), "")


def _has(python: str, package: str) -> bool:
    look = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({package!r}) is None)"
    return subprocess.run([python, "-c", look], check=False).returncode == 0
