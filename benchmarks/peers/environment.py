"""The peers' virtual environment, made once from the package registry."""

from __future__ import annotations

import shutil
import subprocess
import sys
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

REQUIREMENTS = Path(__file__).parent / "requirements.txt"
# The same numbers need the same libraries below.
SHARED = ("torch", "transformers")
_READY = "ready"


def python(folder: Path, also: Sequence[str] = ()) -> str:
    """The interpreter of an environment under `folder` with the peers in it, and what else pip is
    told to install."""
    wanted = [f"{name}=={version(name).partition('+')[0]}" for name in SHARED] + [*also]
    text = REQUIREMENTS.read_text(encoding="utf-8") + "\n".join(wanted)
    place = folder / f"peers-{sha256(text.encode()).hexdigest()[:12]}"
    interpreter = place / "bin" / "python"
    if not (place / _READY).exists():
        print(f"making an environment for the peers in {place} …", file=sys.stderr)
        shutil.rmtree(place, ignore_errors=True)  # half made
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        pip = [str(interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *wanted, "--requirement", str(REQUIREMENTS)], check=True)
        (place / _READY).touch()
    return str(interpreter)
