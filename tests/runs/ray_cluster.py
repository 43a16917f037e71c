"""A Ray cluster of two nodes on this machine, and commands that run on it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from runs.ray_faulty_models import PIDS

TESTS = Path(__file__).resolve().parents[1]
PROGRAM = "from epicene.app.commands import main; main()"
TOKEN = "0123456789abcdef" * 4
OBJECT_STORE = 80 * 2**20
ENTRY_POINTS = """
[epicene.suites]
two-stage = two_stage:suite
[epicene.models]
scripted = two_stage:open_scripted
faulty = runs.ray_faulty_models:open_faulty
"""


class Nodes(NamedTuple):
    """A running cluster."""

    address: str
    folder: Path
    cluster: Any

    @property
    def computed(self) -> list[str]:
        """What scripted models were asked so far."""
        path = self.folder / "computed.log"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def start(self, *arguments: str, workers: int = 2) -> subprocess.Popen[str]:
        """A command in a process of its own, with no workers on this machine alone."""
        on_ray = ["--on=ray", f"--ray-address={self.address}", f"--workers={workers}"]
        spread = on_ray if workers else []
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments, *spread],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *arguments: str, workers: int = 2) -> tuple[int, str]:
        """Its exit code, and all that it said."""
        process = self.start(*arguments, workers=workers)
        said, _ = process.communicate(timeout=400)
        return process.returncode, said


@contextmanager
def nodes(count: int, *, asks_for_token: bool = False, **environment: str) -> Iterator[Nodes]:
    """A cluster of so many nodes with a processor each. There is a token, asked for or not.

    Ray keeps it under HOME and its sockets under RAY_TMPDIR, whose paths have to be short.
    """
    from ray import cluster_utils

    kind: Any = cluster_utils.Cluster  # its methods have no types
    with (
        tempfile.TemporaryDirectory(prefix="er", dir="/tmp") as name,
        pytest.MonkeyPatch.context() as patch,
    ):
        folder = Path(name)
        _install_doubles(folder / "site")
        for variable, value in {
            "HOME": str(folder / "home"),
            "RAY_TMPDIR": str(folder / "r"),
            "RAY_USAGE_STATS_ENABLED": "0",
            "PYTHONPATH": os.pathsep.join(
                [str(TESTS), str(folder / "site"), *filter(None, [os.environ.get("PYTHONPATH")])]
            ),
            "OMP_NUM_THREADS": "1",
            "SCRIPTED_LOG": str(folder / "computed.log"),
            PIDS: str(folder / "pids"),
            **environment,
        }.items():
            patch.setenv(variable, value)
        for variable in ("RAY_ADDRESS", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"):
            patch.delenv(variable, raising=False)
        (folder / "home" / ".ray").mkdir(parents=True)
        (folder / "r").mkdir()
        (folder / "home" / ".ray" / "auth_token").write_text(TOKEN)
        with auth_mode("token" if asks_for_token else "disabled"):
            cluster = kind(
                initialize_head=True,
                head_node_args={
                    "num_cpus": 1,
                    "object_store_memory": OBJECT_STORE,
                    "include_dashboard": False,
                },
            )
            try:
                for _ in range(count - 1):
                    cluster.add_node(num_cpus=1, object_store_memory=OBJECT_STORE)
                with pytest.MonkeyPatch.context() as commands:
                    commands.delenv("RAY_AUTH_MODE")  # as a user who has not heard of it
                    yield Nodes(cluster.address, folder, cluster)
            finally:
                cluster.shutdown()


@contextmanager
def auth_mode(mode: str) -> Iterator[None]:
    """How Ray in this process, and what it begins, identifies itself meanwhile."""
    from ray import _raylet

    native: Any = _raylet  # which has no types
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_AUTH_MODE", mode)
        read_anew(native)
        try:
            yield
        finally:
            patch.undo()
            read_anew(native)


def read_anew(native: Any) -> None:
    """Let Ray in this process look at its variables and its token again."""
    native.Config.initialize("")
    native.AuthenticationTokenLoader.instance().reset_cache()


def _install_doubles(site: Path) -> None:
    """What pip would leave of a package that brings the doubles."""
    info = site / "ray_faulty_models-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ray-doubles\nVersion: 1\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
