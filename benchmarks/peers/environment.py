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
    """The interpreter of an environment under `folder` with the peers and further packages."""
    wanted = [f"{name}=={version(name).partition('+')[0]}" for name in SHARED] + [*also]
    text = REQUIREMENTS.read_text(encoding="utf-8") + "\n".join(wanted)
    environment = folder / f"peers-{sha256(text.encode()).hexdigest()[:12]}"
    interpreter = environment / "bin" / "python"
    if not (environment / _READY).exists():
        print(f"making an environment for the peers in {environment} …", file=sys.stderr)
        shutil.rmtree(environment, ignore_errors=True)  # half made
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        pip = [str(interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *wanted, "--requirement", str(REQUIREMENTS)], check=True)
        (environment / _READY).touch()
    return str(interpreter)
