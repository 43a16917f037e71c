"""All that a machine without a package registry needs, in one folder of less than 30 MB.

The peers' own packages and the few pure ones below them, without the tasks of
lm-evaluation-harness; Epicene's one compiled dependency that such machines lack, and its entry
points; the texts; the tokenizer. Its own torch, transformers and accelerate are used.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.metadata import distribution
from typing import TYPE_CHECKING

from peers.environment import REQUIREMENTS

if TYPE_CHECKING:
    from pathlib import Path

BELOW = ("certifi", "charset-normalizer", "idna", "requests", "urllib3", "wonderwords")
OURS = ("msgspec",)
TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja")


def collect(folder: Path, tokenizer: Path, python: str) -> None:
    """Fill the folder for a machine with that version of Python, e.g. 3.12, on Linux and x86-64."""
    packages = folder / "packages"
    shutil.rmtree(packages, ignore_errors=True)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary", ":all:", "--no-compile", "--target", str(packages)]
    command += ["--python-version", python, "--platform", "manylinux_2_17_x86_64"]
    subprocess.run([*command, *BELOW, *OURS, "--requirement", REQUIREMENTS], check=True)
    shutil.rmtree(packages / "lm_eval" / "tasks")
    points = packages / "epicene.dist-info"
    points.mkdir()
    for name in ("METADATA", "entry_points.txt"):
        (points / name).write_text(distribution("epicene").read_text(name) or "", encoding="utf-8")
    (folder / "tokenizer").mkdir(exist_ok=True)
    for name in TOKENIZER:
        shutil.copy(tokenizer / name, folder / "tokenizer" / name)
