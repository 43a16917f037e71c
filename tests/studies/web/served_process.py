"""The server as people run it, in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Running:
    """A server in a process of its own."""

    def __init__(self, folder: Path, people: str, port: int) -> None:
        self.process = subprocess.Popen(
            [
                *(Path(sys.executable).with_name("epicene"), "annotate", "serve", folder),
                *("--people", people, "--port", str(port)),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        lines = [self.process.stdout.readline() for _ in range(1 + len(people.split(",")))]
        self.links = dict(line.rstrip("\n").split("\t") for line in lines)

    def stop(self, sign: int) -> int:
        self.process.send_signal(sign)
        self.process.communicate(timeout=20)
        return self.process.returncode


@contextmanager
def running(folder: Path, people: str, port: int = 0) -> Iterator[Running]:
    """Serve a study; 0 is any port that is free."""
    server = Running(folder, people, port)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop(signal.SIGKILL)
